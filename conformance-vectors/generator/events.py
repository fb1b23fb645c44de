"""What the event families share: keys, expected events, and JSON with any fault in it."""

import hashlib
import json

PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."


def part(value):
    """A part of a key: every byte but the plain ones as %XX."""
    data = value if isinstance(value, bytes) else str(value).encode("utf-8")
    return "".join(chr(b) if chr(b) in PLAIN else "%%%02X" % b for b in data)


def joined(*parts):
    return "/".join(part(p) for p in parts)


def digest(text):
    """What stands for HubSpot's propertyValue."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def event(key, *, twin=None, kind=None, subject=None, stream=None, order=None, attempt=None):
    """An expected event. Lists are joined; `order` is (value, unit); the stream is the subject where not given."""
    text = lambda parts: joined(*parts) if isinstance(parts, (list, tuple)) else parts
    out = {"key": text(key)}
    for name, value in (
        ("twin", text(twin)),
        ("kind", kind),
        ("subject", text(subject)),
        ("stream", text(subject if stream is None else stream)),
        ("order", order and {"value": order[0], "unit": order[1]}),
        ("attempt", attempt),
    ):
        if value is not None:
            out[name] = value
    return out


class Raw(str):
    """JSON text that stands as it is."""


class Doc:
    """A JSON object as its members in order, each name and value possibly raw; changes make a new one."""

    def __init__(self, members):
        pairs = members.items() if isinstance(members, dict) else members
        self.pairs = [(n, Doc(v) if isinstance(v, dict) else v) for n, v in pairs]

    def _change(self, path, at):
        head, _, rest = path.partition(".")
        pairs = []
        for name, value in self.pairs:
            if name != head:
                pairs.append((name, value))
            elif rest:
                pairs.append((name, value._change(rest, at)))
            else:
                pairs.extend(at(name, value))
        return Doc(pairs)

    def put(self, path, value):
        """Replaces the value of a member, or adds the member at the end."""
        head, _, last = path.rpartition(".")
        if any(name == last for name, _ in self._at(head).pairs):
            return self._change(path, lambda n, _: [(n, value)])
        return self.add(head, last, value)

    def drop(self, path):
        return self._change(path, lambda n, v: [])

    def rename(self, path, name):
        return self._change(path, lambda n, v: [(name, v)])

    def twice(self, path, value=None, name=None):
        """A second member behind the first, of the same value unless another is given."""
        return self._change(path, lambda n, v: [(n, v), (name or n, v if value is None else value)])

    def add(self, head, name, value):
        """A further member at the end of the object at `head`, which is "" for the whole."""
        if not head:
            return Doc(self.pairs + [(name, value)])
        return self._change(head, lambda n, v: [(n, v.add("", name, value))])

    def _at(self, path):
        doc = self
        for name in path.split(".") if path else ():
            doc = dict(doc.pairs)[name]
        return doc

    def text(self):
        return write(self)

    def bytes(self):
        return write(self).encode("utf-8")


def write(value):
    """Compact JSON, in the order of the members."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        value = Doc(value)
    if isinstance(value, Doc):
        return "{%s}" % ",".join("%s:%s" % (write(n), write(v)) for n, v in value.pairs)
    if isinstance(value, list):
        return "[%s]" % ",".join(write(v) for v in value)
    return json.dumps(value, ensure_ascii=False)


def nested(levels):
    """A value of so many levels."""
    return Raw("[" * levels + "]" * levels)


def body_of(value):
    if isinstance(value, bytes):
        return value
    return write(value).encode("utf-8")


class EventBench:
    """Adds tests of events for one sender."""

    def __init__(self, bench, whole=lambda doc: doc, headers=lambda old: old, **defaults):
        self.bench = bench
        self.whole = whole  # the body around a document, such as the array of a batch
        self.headers = headers  # a change of the sender's header lines, before that of a test
        # a secret of their own keeps the tests of events in one group
        secret = "whsec_dGVzdC1ldmVudHM=" if bench.sender.grammar == "standard" else bench.sender.id + "-test-events"
        self.defaults = {"secret": secret, "secrets": [secret], **defaults}  # as `Bench.test` takes them

    def good(self, name, comment, flags, doc, *events, **more):
        self._add(name, comment, flags, doc, events=list(events), **more)

    def bad(self, name, comment, flags, doc, error, **more):
        self._add(name, comment, flags, doc, events_error=error, **more)

    def _add(self, name, comment, flags, doc, **more):
        flags = [flags] if isinstance(flags, str) else list(flags)
        body = body_of(self.whole(doc) if isinstance(doc, Doc) else doc)
        change = more.pop("headers", lambda old: old)
        self.bench.test(
            "event-" + name,
            comment,
            ["Events"] + flags,
            body=body,
            headers=lambda old: change(self.headers(old)),
            **{**self.defaults, **more}
        )


def lines(**values):
    """A change of the header lines: a value for a name (with _ for -), None to leave out, a list for several lines."""

    def apply(old):
        wanted = {name.replace("_", "-").lower(): value for name, value in values.items()}
        out = []
        for name, value in old:
            new = wanted.pop(name.lower(), value)
            out.extend((name, one) for one in (new if isinstance(new, list) else [new]) if one is not None)
        for name, value in wanted.items():
            out.extend((name, one) for one in (value if isinstance(value, list) else [value]) if one is not None)
        return out

    return apply
