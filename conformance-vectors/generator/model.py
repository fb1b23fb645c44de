"""The parts every family uses: MACs, tests, groups and the canonical form of a file."""

import base64
import hashlib
import hmac
import json

SCHEMA = "schema/v1.json"
NOW_S = 1700000000
NOW_MS = NOW_S * 1000
SOURCE_NAME = "hookproof generator"
SOURCE = {"kind": "constructed", "name": SOURCE_NAME, "retrieved": "2026-11-30", "licence": "CC0-1.0"}
REASONS = (
    "bad-secret",
    "missing-target",
    "missing-header",
    "repeated-header",
    "malformed-header",
    "too-many-signatures",
    "unsupported-version",
    "missing-digest",
    "unknown-key",
    "malformed-body",
    "bad-encoding",
    "signature-mismatch",
    "timestamp-too-old",
    "timestamp-in-future",
)
EVENT_REASONS = ("malformed-body", "missing-field", "repeated-field", "id-mismatch")


def hmac_sha256(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def hmac_sha1(key, message):
    return hmac.new(key, message, hashlib.sha1).digest()


def b64(data):
    return base64.b64encode(data).decode("ascii")


def b64url(data):
    return base64.urlsafe_b64encode(data).decode("ascii")


def text_key(secret):
    """The key of a sender that uses the text of its secret."""
    if isinstance(secret, str):
        return secret.encode("utf-8")
    if "base64" in secret:
        return base64.b64decode(secret["base64"], validate=True)
    return bytes.fromhex(secret["hex"])


class Repeat:
    """A big body, kept short in the file."""

    def __init__(self, text, times):
        self.text = text
        self.times = times

    def data(self):
        return self.text.encode("utf-8") * self.times


def body_bytes(body):
    return body.data() if isinstance(body, Repeat) else body


def _readable(text):
    return all(c in "\n\r\t" or c.isprintable() for c in text)


def body_fields(body):
    if isinstance(body, Repeat):
        return {"body": {"repeat": body.text, "times": body.times}}
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return {"bodyBase64": b64(body)}
    if _readable(text):
        return {"body": text}
    return {"bodyBase64": b64(body)}


def header_value(value):
    """Text for ASCII, base64 for other bytes."""
    data = value.encode("utf-8") if isinstance(value, str) else value
    for byte in data:
        if byte in (0, 10, 13):
            raise ValueError("a byte that HTTP cannot carry: %r" % value)
    if all(byte == 9 or 32 <= byte < 127 for byte in data):
        return data.decode("ascii")
    return {"base64": b64(data)}


def _blank_edges(value):
    data = value.encode("utf-8") if isinstance(value, str) else value
    return data != data.strip(b" \t")


def fingerprint(group, test):
    """What makes a request and its receiver; two tests with the same show the same."""
    config = {k: group.get(k) for k in ("secrets", "toleranceSeconds", "options")}
    request = {k: test.get(k) for k in ("nowMs", "method", "url", "headers", "body", "bodyBase64")}
    return json.dumps([config, request], sort_keys=True)


def answer(test):
    return test["result"], test.get("reason")


class Suite:
    """Collects the tests of one sender; tests of one configuration share a group.

    A request that a group of another source already has is not written a second time; two of the
    generator's own are a mistake.
    """

    def __init__(self, provider, policy_flags, kept=()):
        self.provider = provider
        self.policy_flags = policy_flags
        self.groups = {}
        self.ids = set()
        self.kept = {}
        self.seen = {}
        for group in kept:
            for test in group["tests"]:
                self._new_id(test["tcId"])
                twin = self.kept.setdefault(fingerprint(group, test), test)
                if twin is not test:
                    raise ValueError("%s and %s are one request" % (twin["tcId"], test["tcId"]))

    def _new_id(self, tc_id):
        if tc_id in self.ids:
            raise ValueError("two tests with the id " + tc_id)
        self.ids.add(tc_id)

    def add(
        self,
        name,
        comment,
        flags,
        headers,
        body,
        *,
        secrets,
        reason=None,
        acceptable=False,
        tolerance=None,
        options=None,
        now=NOW_MS,
        method=None,
        url=None,
        key=None,
        signed=None,
        events=None,
        events_error=None,
    ):
        """`reason` makes the test invalid, `acceptable` acceptable; else it is valid."""
        tc_id = "%s-%s" % (self.provider, name)
        self._new_id(tc_id)
        flags = [flags] if isinstance(flags, str) else list(flags)
        if now != NOW_MS:
            flags.append("OtherClock")
        if any(_blank_edges(value) for _, value in headers) and "OuterWhiteSpace" not in flags:
            raise ValueError(tc_id + ": outer blanks without OuterWhiteSpace")
        if acceptable and (reason or not any(f in self.policy_flags for f in flags)):
            raise ValueError(tc_id + ": acceptable needs a policy flag and no reason")
        if reason is not None and reason not in REASONS:
            raise ValueError(tc_id + ": unknown reason " + reason)
        if events_error is not None and (events_error not in EVENT_REASONS or events is not None or reason):
            raise ValueError(tc_id + ": unknown or needless eventsError")
        test = {"tcId": tc_id, "comment": comment, "flags": sorted(set(flags)), "nowMs": now}
        if method is not None:
            test["method"] = method
        if url is not None:
            test["url"] = url
        test["headers"] = [[n, header_value(v)] for n, v in headers]
        test.update(body_fields(body))
        if reason:
            test["result"] = "invalid"
            test["reason"] = reason
        else:
            test["result"] = "acceptable" if acceptable else "valid"
            expect = {}
            if signed is not None:
                expect["signedBytesBase64"] = b64(signed)
            if key is not None:
                expect["key"] = key
            if expect:
                test["expect"] = expect
            if events is not None:
                test["events"] = events
            if events_error is not None:
                test["eventsError"] = events_error
        group = {"source": dict(SOURCE), "secrets": secrets}
        if tolerance is not None:
            group["toleranceSeconds"] = tolerance
        if options:
            group["options"] = options
        if self._is_twin(group, test):
            return
        config = json.dumps(group, sort_keys=True)
        self.groups.setdefault(config, dict(group, tests=[]))["tests"].append(test)

    def _is_twin(self, group, test):
        mark = fingerprint(group, test)
        twin = self.kept.get(mark)
        if twin is not None and answer(twin) != answer(test):
            raise ValueError("%s and %s are one request with two answers" % (twin["tcId"], test["tcId"]))
        if twin is None and self.seen.setdefault(mark, test["tcId"]) != test["tcId"]:
            raise ValueError("%s and %s are one request" % (self.seen[mark], test["tcId"]))
        return twin is not None

    def finished(self):
        return list(self.groups.values())


def _scalar(value):
    return not isinstance(value, (list, dict))


def _text(value):
    if not isinstance(value, str):
        return json.dumps(value)
    out = ['"']
    for char in value:
        if char in '"\\' or char < " ":
            out.append(json.dumps(char)[1:-1])
        elif char.isprintable():
            out.append(char)
        else:
            out.append(json.dumps(char, ensure_ascii=True)[1:-1])
    return "".join(out) + '"'


def _inline(value):
    if _scalar(value):
        return _text(value)
    if isinstance(value, dict):
        return "{ %s }" % ", ".join("%s: %s" % (_text(k), _inline(v)) for k, v in value.items())
    return "[%s]" % ", ".join(_inline(v) for v in value)


def _is_inline(value):
    """Scalars, lists of scalars, header pairs and events stand on one line."""
    if _scalar(value) or not value:
        return True
    if isinstance(value, dict):
        return "key" in value and not isinstance(value["key"], int)
    if isinstance(value, list):
        if all(_scalar(v) for v in value):
            return True
        return len(value) == 2 and isinstance(value[0], str)
    return False


def dump(value, indent=""):
    """Canonical JSON: one space a level, one header or event a line, escapes only where needed."""
    if _is_inline(value):
        return "{}" if value == {} else _inline(value)
    deeper = indent + " "
    if isinstance(value, dict):
        rows = ["%s%s: %s" % (deeper, _text(k), dump(v, deeper)) for k, v in value.items()]
        return "{\n%s\n%s}" % (",\n".join(rows), indent)
    rows = [deeper + dump(v, deeper) for v in value]
    return "[\n%s\n%s]" % (",\n".join(rows), indent)
