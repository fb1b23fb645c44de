"""Verdicts: is the request genuine and fresh, and if not, for which reason.

One class of small methods; the deliberately wrong verifiers of `mutants.py` override one of them each.
"""

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass, field

from senders import SENDERS, Sender

# The first reason that applies is the one reported.
RANK = (
    "bad-secret",
    "missing-target",
    "missing-header",
    "repeated-header",
    "malformed-header",
    "too-many-signatures",
    "unsupported-version",
    "bad-encoding",
    "signature-mismatch",
    "timestamp-too-old",
    "timestamp-in-future",
)
MAX_SECRETS = 8
MAX_HEADER = 8192
MAX_CANDIDATES = 32
MAX_ITEMS = 64
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
BLANKS = b" \t"
WORD = re.compile(rb"[A-Za-z0-9_-]{1,16}=")
CANONICAL = re.compile(rb"0|[1-9][0-9]{0,18}")
ESCAPES = re.compile(rb"%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)")
HUBSPOT_DEFAULT = ("v3",)


class Reject(Exception):
    """`args[0]` is the reason."""


@dataclass
class Request:
    provider: str
    secrets: list
    now_ms: int
    headers: list  # (name, value as bytes) in the order of arrival
    body: bytes
    method: str | None = None
    url: str | None = None
    tolerance: int | None = None  # seconds; None is the sender's default
    options: dict = field(default_factory=dict)


@dataclass
class Reading:
    """One way to read the request: what is hashed is before + body + after."""

    before: bytes = b""
    after: bytes = b""
    algorithm: str = "hmac-sha256"  # hmac-sha1; plain-sha256 puts the secret in front


@dataclass
class Plan:
    readings: list
    groups: list  # lists of signatures; one of each list must be right
    time: bytes | None = None  # the text of the signed time


@dataclass
class Verdict:
    accept: bool
    reason: str | None = None
    key: int | None = None
    time: int | None = None
    signed: bytes | None = None  # what the matching reading hashes


class Head:
    """The header lines of a request and the faults found while reading them."""

    def __init__(self, rules: "Verifier", request: Request):
        self.rules = rules
        self.faults: list[str] = []
        self.lines: dict[str, list[bytes]] = {}
        for name, value in request.headers:
            self.lines.setdefault(rules.header_name(name), []).append(rules.trim(value))

    def fault(self, reason: str) -> None:
        self.faults.append(reason)

    def has(self, name: str) -> bool:
        return any(self.lines.get(name, ()))

    def read(self, name: str, need: bool = True) -> bytes | None:
        """The only value of a header, or None with the fault noted."""
        if not self.has(name):
            if need:
                self.fault("missing-header")
            return None
        value = self.rules.one_line(self.lines[name])
        if value is None:
            self.fault("repeated-header")
        elif len(value) > self.rules.max_header:
            self.fault("malformed-header")
            return None
        return value


class Verifier:
    max_secrets = MAX_SECRETS
    max_header = MAX_HEADER
    max_candidates = MAX_CANDIDATES
    max_items = MAX_ITEMS
    version_word = b"v1"

    def check(self, request: Request) -> Verdict:
        sender = SENDERS[request.provider]
        unknown = set(request.options) - set(sender.options)
        if unknown:
            raise ValueError(f"{request.provider}: unknown option {sorted(unknown)}")
        try:
            keys = self.keys(sender, request.secrets)
            self.target(sender, request)
            head = Head(self, request)
            plan = getattr(self, "plan_" + sender.grammar.replace("-", "_"))(sender, request, head)
            if head.faults:
                raise Reject(min(head.faults, key=RANK.index))
            return self.decide(sender, request, keys, plan)
        except Reject as fault:
            return Verdict(False, fault.args[0])

    def decide(self, sender: Sender, request: Request, keys: list, plan: Plan) -> Verdict:
        """The signature first, then the clock: only a genuine delivery is called stale."""
        index, signed = self.match(request, keys, plan)
        time = self.fresh(sender, request, plan)
        return Verdict(True, None, index, time, signed)

    # Secrets and target.

    def keys(self, sender: Sender, secrets: list) -> list[bytes]:
        if not 1 <= len(secrets) <= self.max_secrets:
            raise Reject("bad-secret")
        return [self.key(sender, secret) for secret in secrets]

    def key(self, sender: Sender, secret) -> bytes:
        if isinstance(secret, dict):
            raw = self.raw_key(secret)
        else:
            self.text_rules(sender, secret)
            raw = self.text_key(sender, secret)
        if not any(raw):  # none, or only zeros, which HMAC fills keys up with
            raise Reject("bad-secret")
        return raw

    def raw_key(self, secret: dict) -> bytes:
        try:
            if "hex" in secret:
                return binascii.unhexlify(secret["hex"])
            return base64.b64decode(secret["base64"], validate=True)
        except (KeyError, ValueError):
            raise Reject("bad-secret") from None

    def text_rules(self, sender: Sender, secret: str) -> None:
        if secret.strip(WHITE) != secret or not secret or secret.startswith(sender.refused):
            raise Reject("bad-secret")

    def text_key(self, sender: Sender, secret: str) -> bytes:
        if sender.secret == "text":
            return secret.encode()
        text = secret.removeprefix("whsec_").encode()
        if b"=" not in text:
            text += b"=" * (-len(text) % 4)
        raw = self.base64_exact(text)
        if raw is None:
            raise Reject("bad-secret")
        return raw

    def target(self, sender: Sender, request: Request) -> None:
        needs = sender.grammar == "hubspot" and {"v2", "v3"} & set(self.versions(request))
        if needs and (request.method is None or request.url is None):
            raise Reject("missing-target")

    # Header values.

    def header_name(self, name: str) -> str:
        return name.lower()

    def trim(self, value: bytes) -> bytes:
        return value.strip(BLANKS)

    def one_line(self, lines: list[bytes]) -> bytes | None:
        return lines[0] if len(lines) == 1 else None

    def time_text(self, head: Head, text: bytes) -> None:
        if not CANONICAL.fullmatch(text):
            head.fault("malformed-header")

    def decode(self, encoding: str, text: bytes, size: int = 32) -> bytes | None:
        raw = self.hex_exact(text, size) if encoding == "hex" else self.base64_exact(text)
        return raw if raw is not None and len(raw) == size else None

    def hex_exact(self, text: bytes, size: int) -> bytes | None:
        if re.fullmatch(rb"[0-9A-Fa-f]{%d}" % (2 * size), text):
            return bytes.fromhex(text.decode())
        return None

    def base64_exact(self, text: bytes) -> bytes | None:
        """Standard alphabet, whole padding, unused bits zero."""
        if len(text) % 4 or not re.fullmatch(rb"[A-Za-z0-9+/]*={0,2}", text):
            return None
        raw = base64.b64decode(text)
        return raw if base64.b64encode(raw) == text else None

    def usable(self, sender: Sender, head: Head, texts: list[bytes], size: int = 32) -> list[bytes]:
        """The decoded signatures; the undecodable ones do not spoil the others."""
        if not texts:
            head.fault("unsupported-version")
            return []
        found = [raw for raw in (self.decode(sender.encoding, text, size) for text in texts) if raw is not None]
        if not found:
            head.fault("bad-encoding")
        return found

    def count(self, head: Head, items: list, texts: list) -> None:
        if len(texts) > self.max_candidates or len(items) > self.max_items:
            head.fault("too-many-signatures")

    # Grammars: from the head to a plan.

    def plan_t_list(self, sender: Sender, request: Request, head: Head) -> Plan:
        value = head.read(sender.header)
        if value is None:
            return Plan([], [])
        items = self.comma_items(value)
        pairs = [item.split(b"=", 1) for item in items if b"=" in item]
        time = self.one_time(head, [text for word, text in pairs if self.word(word) == b"t"])
        texts = self.candidates([text for word, text in pairs if self.accepted(self.word(word))])
        self.count(head, items, texts)
        found = self.usable(sender, head, texts)
        return Plan([self.timed_reading(time)], [found], time)

    def comma_items(self, value: bytes) -> list[bytes]:
        return [item.lstrip(BLANKS) for item in value.split(b",")]

    def word(self, word: bytes) -> bytes:
        return word

    def accepted(self, version: bytes) -> bool:
        return version == self.version_word

    def candidates(self, texts: list[bytes]) -> list[bytes]:
        return texts

    def one_time(self, head: Head, times: list[bytes]) -> bytes:
        if len(times) != 1:
            head.fault("malformed-header")
            return b""
        self.time_text(head, times[0])
        return times[0]

    def timed_reading(self, time: bytes) -> Reading:
        return Reading(time + b".")

    def plan_prefix(self, sender: Sender, request: Request, head: Head) -> Plan:
        name, word, size, algorithm = sender.header, b"sha256=", 32, "hmac-sha256"
        if self.sha1_serves(sender, request, head):
            name, word, size, algorithm = "x-hub-signature", b"sha1=", 20, "hmac-sha1"
        value = head.read(name)
        if value is None:
            return Plan([], [])
        text = self.after_word(head, value, word)
        found = [] if text is None else self.usable(sender, head, [text], size)
        return Plan([Reading(algorithm=algorithm)], [found])

    def sha1_serves(self, sender: Sender, request: Request, head: Head) -> bool:
        return request.options.get("legacySha1", False) and not head.has(sender.header)

    def after_word(self, head: Head, value: bytes, word: bytes) -> bytes | None:
        if value.startswith(word):
            return value[len(word) :]
        head.fault("unsupported-version" if WORD.match(value) else "malformed-header")
        return None

    def plan_whole(self, sender: Sender, request: Request, head: Head) -> Plan:
        """One header holds one signature; Shopify has two such headers, and both count where both are there."""
        names = [sender.header.replace("~", family) for family in sender.families] or [sender.header]
        groups = []
        for name in self.present(request, head, names):
            value = head.read(name)
            if value is not None:
                groups.append(self.usable(sender, head, [value]))
        return Plan([Reading()], groups)

    def present(self, request: Request, head: Head, names: list[str]) -> list[str]:
        option = request.options.get("headers", "any")
        there = [name for name in names if head.has(name)]
        asked = {"any": there or names[:1], "x": names[:1], "events": names[1:]}[option]
        return [name for name in names if name in there or name in asked]

    def plan_standard(self, sender: Sender, request: Request, head: Head) -> Plan:
        families = [family for family in sender.families if head.has(family + "signature")]
        if not families:
            head.fault("missing-header")
            return Plan([], [])
        value = head.read(families[0] + "signature")
        if len(families) > 1:
            head.read(families[1] + "signature")
            head.fault("malformed-header")
            return Plan([], [])
        ident, time = head.read(families[0] + "id"), head.read(families[0] + "timestamp")
        if time is not None:
            self.time_text(head, time)
        if value is None:
            return Plan([], [])
        items = self.space_items(value)
        pairs = [item.split(b",", 1) for item in items if b"," in item]
        if not pairs:
            head.fault("malformed-header")
        texts = self.candidates([text for version, text in pairs if self.accepted(version)])
        self.count(head, items, texts)
        found = self.usable(sender, head, texts)
        return Plan([self.message_reading(ident or b"", time or b"")], [found], time)

    def space_items(self, value: bytes) -> list[bytes]:
        return value.split(b" ")

    def message_reading(self, ident: bytes, time: bytes) -> Reading:
        return Reading(ident + b"." + time + b".")

    def versions(self, request: Request) -> tuple:
        return tuple(request.options.get("versions", HUBSPOT_DEFAULT))

    def plan_hubspot(self, sender: Sender, request: Request, head: Head) -> Plan:
        versions = self.versions(request)
        older = [version for version in ("v1", "v2") if version in versions]
        if "v3" in versions and (head.has(sender.header) or not older):
            return self.plan_hubspot_v3(sender, request, head)
        value = head.read("x-hubspot-signature")
        named = head.read("x-hubspot-signature-version", need=False)
        older = self.named_version(head, named, older)
        found = []
        if value is not None:
            raw = self.decode("hex", value)
            found = [raw] if raw is not None else []
            if raw is None:
                head.fault("bad-encoding")
        before = {"v1": b"", "v2": self.method_and_url(request)}
        return Plan([Reading(before[version], algorithm="plain-sha256") for version in older], [found])

    def named_version(self, head: Head, named: bytes | None, older: list[str]) -> list[str]:
        if named is None:
            return older
        if named.decode("latin-1") not in older:
            head.fault("unsupported-version")
        return [named.decode("latin-1")] if named in (b"v1", b"v2") else []

    def method_and_url(self, request: Request) -> bytes:
        return (request.method or "").encode() + (request.url or "").encode()

    def plan_hubspot_v3(self, sender: Sender, request: Request, head: Head) -> Plan:
        value, time = head.read(sender.header), head.read("x-hubspot-request-timestamp")
        if time is not None:
            self.time_text(head, time)
        found = [] if value is None else self.usable(sender, head, [value])
        method = request.method.encode()
        readings = [Reading(method + url, time or b"") for url in self.url_readings(request.url.encode())]
        return Plan(readings, [found], time)

    def url_readings(self, url: bytes) -> list[bytes]:
        """As given and, where it holds one of the twelve escapes, with these decoded in one pass."""
        decoded = self.decode_url(url)
        return [url] if decoded == url else [url, decoded]

    def decode_url(self, url: bytes) -> bytes:
        return ESCAPES.sub(lambda found: bytes.fromhex(found[1].decode()), url)

    # The signature and the clock.

    def body(self, request: Request) -> bytes:
        return request.body

    def mac(self, reading: Reading, key: bytes, body: bytes) -> bytes:
        message = reading.before + body + reading.after
        if reading.algorithm == "plain-sha256":
            return hashlib.sha256(key + message).digest()
        return hmac.digest(key, message, reading.algorithm.removeprefix("hmac-"))

    def equal(self, candidate: bytes, mac: bytes) -> bool:
        return hmac.compare_digest(candidate, mac)

    def match(self, request: Request, keys: list, plan: Plan) -> tuple[int, bytes]:
        """The lowest index of the keys that match, and what was hashed."""
        body = self.body(request)
        found = None
        for index, key in enumerate(keys):
            for reading in plan.readings:
                mac = self.mac(reading, key, body)
                right = self.all_groups([any([self.equal(raw, mac) for raw in group]) for group in plan.groups])
                if right and found is None:
                    found = index, reading.before + body + reading.after
        if found is None:
            raise Reject("signature-mismatch")
        return found

    def all_groups(self, right: list[bool]) -> bool:
        return all(right)

    def seconds(self, sender: Sender, request: Request) -> int:
        return sender.tolerance if request.tolerance is None else request.tolerance

    def number(self, text: bytes) -> int:
        return int(text)

    def unit_ms(self, sender: Sender) -> int:
        return sender.unit_ms

    def fresh(self, sender: Sender, request: Request, plan: Plan) -> int | None:
        if plan.time is None:
            return None
        unit = self.unit_ms(sender)
        time, now = self.number(plan.time), request.now_ms // unit
        self.window(now - time, self.seconds(sender, request) * 1000 // unit)
        return time

    def window(self, age: int, tolerance: int) -> None:
        if age > tolerance:
            raise Reject("timestamp-too-old")
        if -age > tolerance:
            raise Reject("timestamp-in-future")
