"""Events of an accepted request: key, kind, subject, stream, order. The rules are data in `senders.py`."""

import hashlib
import json
import re
from datetime import date

from senders import SENDERS, Field, Identity
from verifier import BLANKS, Request

# The first error that applies is the one reported.
RANK = ("malformed-body", "missing-field", "repeated-field", "id-mismatch")
MAX_KEY = 1024
MAX_EVENTS = 1000
MAX_DEPTH = 128
PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
INTEGER = re.compile(r"0|-?[1-9][0-9]*")
SMALL = re.compile(r"0|-?[1-9][0-9]{0,17}")  # what every language can hold; a larger order or attempt is left out
RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)


class EventsError(Exception):
    """`args[0]` is the word of section 6, `args[1]` the field."""


class Number(str):
    """A JSON number as its text."""


class Object(list):
    """A JSON object as its members in order, doubled ones too."""


class FormText(str):
    """A text of a form: bytes, those that are not UTF-8 as surrogates; a key takes any."""


class Absent:
    """No such member or header."""


def parse_json(text: str):
    return json.loads(
        text, object_pairs_hook=Object, parse_int=Number, parse_float=Number, parse_constant=refuse_constant
    )


def refuse_constant(word: str):
    raise ValueError(word)


def depth(text: str) -> int:
    level = deepest = 0
    for mark in re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text, re.DOTALL):
        level += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark, 0)
        deepest = max(deepest, level)
    return deepest


class Events:
    max_key = MAX_KEY
    max_events = MAX_EVENTS
    max_depth = MAX_DEPTH

    def events(self, request: Request) -> list[dict]:
        rule = SENDERS[request.provider].identity
        headers = self.headers(request)
        document = self.document(rule, request.body)
        elements = [document]
        if rule.body == "array":
            if type(document) is not list or len(document) > self.max_events:
                raise EventsError("malformed-body", "")
            elements = document
        return [self.event(request.provider, rule, headers, element) for element in elements]

    def document(self, rule: Identity, body: bytes):
        if rule.body == "form":
            return self.parse_form(body)
        try:
            text = body.decode()
            if depth(text) > self.max_depth:
                raise ValueError
            return self.parse(text)
        except ValueError:
            if any(field.where == "body" for field in rule.key):
                raise EventsError("malformed-body", "") from None
            return Absent  # the key is in the headers, so the body may be anything

    def parse(self, text: str):
        return parse_json(text)

    def parse_form(self, body: bytes) -> Object:
        pairs = Object()
        for part in body.split(b"&"):
            name, _, value = part.partition(b"=")
            if part:
                pairs.append((self.form_text(name), self.form_text(value)))
        return pairs

    def form_text(self, raw: bytes) -> str:
        raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), raw.replace(b"+", b" "))
        return FormText(raw.decode(errors="surrogateescape"))

    def headers(self, request: Request) -> dict[str, list]:
        lines: dict[str, list] = {}
        for name, value in request.headers:
            lines.setdefault(name.lower(), []).append(value.strip(BLANKS))
        sender = SENDERS[request.provider]
        present = [name for name in sender.families if any(lines.get(sender.header.replace("~", name), ()))]
        if present:
            lines["~"] = [self.family(present)]
        return lines

    def family(self, present: list) -> str:
        return present[0]

    def event(self, provider: str, rule: Identity, headers: dict, element) -> dict:
        kind = self.maybe(rule.kind, headers, element)
        event = {"key": self.key(provider, rule, headers, element, kind)}
        subject = self.subject(rule, headers, element)
        order = self.order(rule, headers, element)
        attempt = self.maybe(rule.attempt, headers, element)
        if rule.twin and subject is not None and kind is not None:
            event["twin"] = self.join([provider, *subject, kind])
        if kind is not None:
            event["kind"] = kind
        if subject is not None:
            more = [self.maybe(field, headers, element) for field in rule.stream]
            event["subject"] = self.join(subject)
            event["stream"] = self.join(subject + [text for text in more if text is not None])
        if order is not None:
            event["order"] = order
        if attempt is not None and self.small(attempt) and attempt[0] != "-":
            event["attempt"] = int(attempt)
        return event

    # The key.

    def key(self, provider: str, rule: Identity, headers: dict, element, kind: str | None) -> str | None:
        faults, parts = [], []
        filled = set()
        for field in rule.key:
            if kind in field.unless:
                parts.append("")
                continue
            try:
                text = self.value(field, headers, element)
                if text is Absent and field.need:
                    raise EventsError("missing-field", field.name)
                parts.append("" if text is Absent else text)
                filled |= set() if text is Absent else {field.name}
            except EventsError as fault:
                faults.append((fault, field))
                parts.append("")
                filled.add(field.name)
        if rule.unkeyed:
            faults = self.keyed_faults(rule, kind, faults)
        if rule.one_of and not filled & set(rule.one_of):
            faults.append((EventsError("missing-field", rule.one_of[0]), None))
        faults += [(fault, None) for fault in self.agreement(rule, headers, parts)]
        keyless = rule.unkeyed and kind not in rule.keyed
        key = None if keyless else self.join([provider, *parts])
        if key is not None and len(key) > self.max_key:
            faults.append((EventsError("malformed-body", ""), None))
        if faults:
            raise self.first([fault for fault, _ in faults])
        return key

    def first(self, faults: list) -> EventsError:
        return min(faults, key=lambda fault: RANK.index(fault.args[0]))

    def keyed_faults(self, rule: Identity, kind: str | None, faults: list) -> list:
        """Without a key only the field that names the kind is needed."""
        return [pair for pair in faults if kind in rule.keyed or pair[1] == rule.kind]

    def agreement(self, rule: Identity, headers: dict, parts: list) -> list:
        """A header that repeats the id must hold the same one."""
        lines = headers.get(rule.agree, []) if rule.agree else []
        if not any(lines):
            return []
        if len(lines) > 1:
            return [EventsError("repeated-field", rule.agree)]
        return [] if self.same_id(lines[0], parts[0].encode()) else [EventsError("id-mismatch", rule.agree)]

    def same_id(self, header: bytes, signed: bytes) -> bool:
        return header == signed

    def join(self, parts: list) -> str:
        return "/".join(self.encode(part) for part in parts)

    def encode(self, text: str) -> str:
        raw = text.encode(errors="surrogateescape")
        return "".join(chr(byte) if byte in PLAIN else f"%{byte:02X}" for byte in raw)

    # Values.

    def value(self, field: Field, headers: dict, element, soft: bool = False):
        """The text of a field, or Absent; an empty text is absent."""
        text = self.header(field, headers) if field.where == "header" else self.member(field, element, soft)
        if field.cut and text is not Absent:
            text = text.partition(field.cut)[0]
        return text if text != "" else Absent

    def header(self, field: Field, headers: dict):
        name = field.name.replace("~", headers.get("~", [""])[0])
        lines = headers.get(name, [])
        if not any(lines):
            return Absent
        line = self.one_line(lines)
        if line is None:
            raise EventsError("repeated-field", field.name)
        return line.decode(errors="surrogateescape")

    def one_line(self, lines: list) -> bytes | None:
        return lines[0] if len(lines) == 1 else None

    def member(self, field: Field, element, soft: bool):
        for name in field.name.split("."):
            if soft and (element is None or element is Absent):
                return Absent
            if type(element) is not Object:
                raise EventsError("malformed-body", field.name)
            found = [value for member, value in element if member == name]
            if not found:
                return Absent
            if len(found) > 1:
                raise EventsError("repeated-field", field.name)
            element = found[0]
        null_is_absent = soft or not field.need
        return Absent if null_is_absent and element is None else self.typed(field, element)

    def typed(self, field: Field, value) -> str:
        if field.kind in ("number", "any") and type(value) is Number and INTEGER.fullmatch(value):
            return value
        if field.kind in ("text", "any", "digest") and type(value) is str and self.clean(value):
            return self.digest(value) if field.kind == "digest" else value
        if field.kind == "text" and type(value) is FormText:
            return value
        if field.kind == "boolean" and type(value) is bool:
            return "true" if value else "false"
        if field.kind == "numbers" and type(value) is list:
            return ",".join(self.typed(Field(field.where, field.name, "number"), each) for each in value)
        raise EventsError("malformed-body", field.name)

    def clean(self, text: str) -> bool:
        """No half of a surrogate pair, and no bytes that are not UTF-8: a text that JSON can hold."""
        return not re.search("[\ud800-\udfff]", text)

    def digest(self, text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    # What may be absent.

    def soft(self, field: Field, headers: dict, element) -> str | None:
        """As `value`, with null as good as absent, and None for a fault: then nothing else takes its place."""
        try:
            text = self.value(field, headers, element, soft=True)
        except EventsError:
            return None
        return text if text is Absent or self.clean(text) else None

    def maybe(self, field: Field | None, headers: dict, element) -> str | None:
        return self.optional(headers, element, () if field is None else (field,))

    def optional(self, headers: dict, element, alternatives: tuple) -> str | None:
        for field in alternatives:
            text = self.soft(field, headers, element)
            if self.decides(text):
                return text
        return None

    def decides(self, text) -> bool:
        """A fault does not let the next alternative in; what is absent does."""
        return text is not Absent

    def subject(self, rule: Identity, headers: dict, element) -> list | None:
        parts = [self.optional(headers, element, slot) for slot in rule.subject]
        return parts if parts and None not in parts else None

    def order(self, rule: Identity, headers: dict, element) -> dict | None:
        for field, unit in rule.order:
            text = self.soft(field, headers, element)
            if self.decides(text):
                return None if text is None else self.order_value(text, unit)
        return None

    def small(self, text: str) -> bool:
        return SMALL.fullmatch(text) is not None

    def date(self, text: str) -> int | None:
        return rfc3339(text)

    def order_value(self, text: str, unit: str) -> dict | None:
        if type(text) is Number:
            return {"value": int(text), "unit": unit} if self.small(text) else None
        micros = self.date(text)
        return None if micros is None else {"value": micros, "unit": "us"}


def rfc3339(text: str) -> int | None:
    """Microseconds since 1970; further digits are cut."""
    found = RFC3339.fullmatch(text)
    if not found:
        return None
    year, month, day, hour, minute, second = (int(group) for group in found.groups()[:6])
    fraction, sign, off_hour, off_minute = found.groups()[6:]
    offset = (int(off_hour or 0) * 60 + int(off_minute or 0)) * (-1 if sign == "-" else 1)
    if hour > 23 or minute > 59 or second > 59 or int(off_hour or 0) > 23 or int(off_minute or 0) > 59:
        return None
    try:
        days = date(year, month, day).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None
    seconds = (days * 24 + hour) * 3600 + (minute - offset) * 60 + second
    return seconds * 1_000_000 + int((fraction or "")[:6].ljust(6, "0"))
