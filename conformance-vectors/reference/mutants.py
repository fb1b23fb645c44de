"""Deliberately wrong verifiers, and the proof that the vectors catch each of them.

    python3 conformance-vectors/reference/mutants.py             runs all, writes MUTANTS.md
    python3 conformance-vectors/reference/mutants.py --list      names
    python3 conformance-vectors/reference/mutants.py --serve M   mutant M behind the line protocol

A mutant overrides one or two methods of the reference. It is killed by a vector whose verdict, reason, key or
events it answers wrongly, or on which it crashes.
"""

import base64
import binascii
import collections
import hashlib
import hmac
import json
import multiprocessing
import re
import sys
import unicodedata
import urllib.parse
from dataclasses import replace

import adapter
import check
from identity import Absent, Events, EventsError, FormText, Number, Object
from senders import SENDERS
from verifier import ESCAPES, HUBSPOT_DEFAULT, Head, Plan, Reading, Reject, Verdict, Verifier

MUTANTS: dict[str, type] = {}


def mutant(cls: type) -> type:
    """Registers a class under its name in kebab case; its doc string says what is wrong."""
    MUTANTS[re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()] = cls
    return cls


# Several signatures.


@mutant
class LastSignatureOnly(Verifier):
    """The last signature of a list wins."""

    def candidates(self, texts):
        return texts[-1:]


@mutant
class FirstSignatureOnly(Verifier):
    """Only the first signature of a list is looked at."""

    def candidates(self, texts):
        return texts[:1]


@mutant
class BadCandidatePoisons(Verifier):
    """One undecodable signature refuses the good one beside it."""

    def usable(self, sender, head, texts, size=32):
        found = super().usable(sender, head, texts, size)
        if found and len(found) < len(texts):
            head.fault("bad-encoding")
        return found


@mutant
class BareItemRefused(Verifier):
    """A list item without `=` refuses the whole header."""

    def comma_items(self, value):
        items = super().comma_items(value)
        return items if all(b"=" in item for item in items if item) else []


@mutant
class EmptyItemRefused(Verifier):
    """An empty list item refuses the whole header."""

    def comma_items(self, value):
        items = super().comma_items(value)
        return items if all(items) else []


@mutant
class BareEntryRefused(Verifier):
    """An entry without comma in a Standard Webhooks list refuses the whole list."""

    def space_items(self, value):
        items = super().space_items(value)
        return items if all(b"," in item for item in items) else []


@mutant
class AnyVersionCounts(Verifier):
    """A signature of any version is compared, so a retired scheme is as good as the current one."""

    def accepted(self, version):
        return re.fullmatch(rb"v[0-9]+a?", version) is not None


@mutant
class VersionByPrefix(Verifier):
    """`v1a` counts as `v1`."""

    def accepted(self, version):
        return version.startswith(b"v1")


@mutant
class UnlimitedSignatures(Verifier):
    """Any number of signatures is compared."""

    max_candidates = 1 << 30


@mutant
class UnlimitedItems(Verifier):
    """Any number of list items is read."""

    max_items = 1 << 30


@mutant
class FewerSignatures(Verifier):
    """The limit of signatures is one too low."""

    max_candidates = 31


@mutant
class FewerItems(Verifier):
    """The limit of list items is one too low."""

    max_items = 63


@mutant
class UnlimitedHeader(Verifier):
    """A header of any length is read."""

    max_header = 1 << 30


@mutant
class ShorterHeader(Verifier):
    """The limit of header length is one byte too low."""

    max_header = 8191


@mutant
class UnusableNotCounted(Verifier):
    """Only decodable signatures count towards the limit."""

    def count(self, head, items, texts):
        super().count(head, items, [text for text in texts if len(text) in (44, 64)])


# Comparison and encodings.


@mutant
class PrefixCompare(Verifier):
    """A signature that is a beginning of the right one is accepted."""

    def hex_exact(self, text, size):
        return bytes.fromhex(text.decode()) if re.fullmatch(rb"([0-9A-Fa-f]{2})+", text) else None

    def decode(self, encoding, text, size=32):
        raw = self.hex_exact(text, size) if encoding == "hex" else self.base64_exact(text)
        return raw if raw and len(raw) <= size else None

    def equal(self, candidate, mac):
        return mac.startswith(candidate)


@mutant
class TruncatedCompare(Verifier):
    """Only the first half of the signature is compared."""

    def equal(self, candidate, mac):
        return candidate[:16] == mac[:16]


@mutant
class LongerSignature(Verifier):
    """Whatever follows the right signature is ignored."""

    def hex_exact(self, text, size):
        return super().hex_exact(text[: 2 * size], size)

    def base64_exact(self, text):
        return super().base64_exact(text[:44] if len(text) > 44 else text)


@mutant
class LowerCaseOnly(Verifier):
    """Hex is compared as text, so capital digits are refused."""

    def hex_exact(self, text, size):
        return None if text != text.lower() else super().hex_exact(text, size)


@mutant
class HexPairsPicked(Verifier):
    """Every pair of hex digits in the text is taken, the rest skipped."""

    def hex_exact(self, text, size):
        return bytes.fromhex(b"".join(re.findall(rb"[0-9A-Fa-f]{2}", text)).decode())


@mutant
class HexSigned(Verifier):
    """Each hex pair is parsed as a number, so `+f` and ` f` are digits."""

    def hex_exact(self, text, size):
        try:
            pairs = [text[at : at + 2].decode() for at in range(0, len(text), 2)]
            return bytes(int(pair, 16) for pair in pairs) if len(pairs) == size else None
        except ValueError:
            return None


@mutant
class Base64Lenient(Verifier):
    """Base64 skips junk, and padding may be missing or too much."""

    def base64_exact(self, text):
        text = re.sub(rb"[^A-Za-z0-9+/]", b"", text)
        try:
            return base64.b64decode(text + b"=" * (-len(text) % 4))
        except binascii.Error:
            return None


@mutant
class Base64Unpadded(Verifier):
    """Base64 without padding is accepted."""

    def base64_exact(self, text):
        return super().base64_exact(text + b"=" * (-len(text) % 4))


@mutant
class Base64UnusedBits(Verifier):
    """The unused bits of the last base64 digit are ignored."""

    def base64_exact(self, text):
        if len(text) % 4 or not re.fullmatch(rb"[A-Za-z0-9+/]*={0,2}", text):
            return None
        return base64.b64decode(text)


@mutant
class Base64Url(Verifier):
    """The URL-safe alphabet is accepted beside the standard one."""

    def base64_exact(self, text):
        return super().base64_exact(text.replace(b"-", b"+").replace(b"_", b"/"))


@mutant
class HexForBase64(Verifier):
    """Hex is accepted where base64 is asked for, and the other way round."""

    def decode(self, encoding, text, size=32):
        other = "base64" if encoding == "hex" else "hex"
        return super().decode(encoding, text, size) or super().decode(other, text, size)


# Bodies.


@mutant
class LossyUtf8(Verifier):
    """The body goes through text, so invalid UTF-8 becomes U+FFFD."""

    def body(self, request):
        return request.body.decode(errors="replace").encode()


@mutant
class Utf8Needed(Verifier):
    """A body that is not UTF-8 is refused."""

    def body(self, request):
        try:
            return request.body.decode().encode()
        except UnicodeDecodeError:
            raise Reject("signature-mismatch") from None


@mutant
class BodyTrimmed(Verifier):
    """White space around the body is dropped."""

    def body(self, request):
        return request.body.strip()


@mutant
class NewlineDropped(Verifier):
    """The final newline of the body is dropped."""

    def body(self, request):
        return request.body.removesuffix(b"\n").removesuffix(b"\r")


@mutant
class NewlinesNormalised(Verifier):
    """CRLF in the body becomes LF."""

    def body(self, request):
        return request.body.replace(b"\r\n", b"\n")


@mutant
class JsonReserialised(Verifier):
    """The body is parsed and written again."""

    def body(self, request):
        try:
            return json.dumps(json.loads(request.body), separators=(",", ":"), ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            return request.body


@mutant
class BomDropped(Verifier):
    """A byte order mark at the start of the body is dropped."""

    def body(self, request):
        return request.body.removeprefix(b"\xef\xbb\xbf")


@mutant
class NulEndsBody(Verifier):
    """The body ends at the first NUL."""

    def body(self, request):
        return request.body.split(b"\0")[0]


@mutant
class DollarPatterns(Verifier):
    """The signed text is made by a replacement that reads `$$` in the body as `$`."""

    def body(self, request):
        return request.body.replace(b"$$", b"$")


@mutant
class EmptyBodyRefused(Verifier):
    """An empty body is refused."""

    def body(self, request):
        if not request.body:
            raise Reject("signature-mismatch")
        return request.body


@mutant
class FormDecoded(Verifier):
    """A form body is decoded before it is hashed."""

    def body(self, request):
        return urllib.parse.unquote_to_bytes(request.body.replace(b"+", b" ")) if b"=" in request.body else request.body


@mutant
class BodyCut(Verifier):
    """Only the first 64 KiB of the body are hashed."""

    def body(self, request):
        return request.body[:65536]


# Secrets.


@mutant
class BlankSecretAccepted(Verifier):
    """An empty or blank secret is accepted."""

    def text_rules(self, sender, secret):
        if secret.strip():
            super().text_rules(sender, secret)

    def key(self, sender, secret):
        if isinstance(secret, str) and not secret.removeprefix("whsec_").strip():
            return secret.removeprefix("whsec_").encode() if sender.secret != "text" else secret.encode()
        return super().key(sender, secret)


@mutant
class AsciiBlanksOnly(Verifier):
    """Only ASCII white space makes a secret blank or ill-framed."""

    def text_rules(self, sender, secret):
        if not secret.isascii() and secret.strip(" \t\r\n\v\f") == secret:
            return
        super().text_rules(sender, secret)


@mutant
class SecretTrimmed(Verifier):
    """White space around the secret is dropped without a word."""

    def key(self, sender, secret):
        return super().key(sender, secret.strip() if isinstance(secret, str) else secret)


@mutant
class SecretSpaceKept(Verifier):
    """White space around the secret is part of it."""

    def text_rules(self, sender, secret):
        if not secret.strip() or secret.startswith(sender.refused):
            raise Reject("bad-secret")


@mutant
class OtherKindAccepted(Verifier):
    """A key of another kind (an API key, an endpoint id) is taken for the secret."""

    def text_rules(self, sender, secret):
        if not secret.startswith(sender.refused):
            super().text_rules(sender, secret)


@mutant
class PrefixStripped(Verifier):
    """`whsec_` is stripped from secrets that are plain text."""

    def text_key(self, sender, secret):
        return super().text_key(sender, secret.removeprefix("whsec_") or secret)


@mutant
class SecretDecoded(Verifier):
    """A secret that can be read as base64 is decoded, whoever the sender is."""

    def text_key(self, sender, secret):
        raw = self.base64_exact(secret.removeprefix("whsec_").encode())
        return raw if sender.secret == "text" and raw else super().text_key(sender, secret)


@mutant
class HexSecretDecoded(Verifier):
    """A secret that looks like hex is decoded."""

    def text_key(self, sender, secret):
        if sender.secret == "text" and re.fullmatch(r"([0-9a-fA-F]{2})+", secret):
            return bytes.fromhex(secret)
        return super().text_key(sender, secret)


@mutant
class SecretAsText(Verifier):
    """A base64 secret is used as the text that it is."""

    def text_key(self, sender, secret):
        return secret.encode()


@mutant
class SecretFallsBackToText(Verifier):
    """A secret that is not base64 is silently used as text."""

    def text_key(self, sender, secret):
        try:
            return super().text_key(sender, secret)
        except Reject:
            return secret.encode()


@mutant
class SecretPrefixNeeded(Verifier):
    """A Standard Webhooks secret without `whsec_` is refused."""

    def text_key(self, sender, secret):
        if sender.secret != "text" and not secret.startswith("whsec_"):
            raise Reject("bad-secret")
        return super().text_key(sender, secret)


@mutant
class SecretPaddingNeeded(Verifier):
    """An unpadded base64 secret is refused."""

    def text_key(self, sender, secret):
        if sender.secret != "text" and len(secret.removeprefix("whsec_")) % 4:
            raise Reject("bad-secret")
        return super().text_key(sender, secret)


@mutant
class SecretUnusedBits(Verifier):
    """The unused bits of a base64 secret are ignored."""

    def text_key(self, sender, secret):
        text = secret.removeprefix("whsec_")
        if sender.secret != "text" and re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", text) and len(text.rstrip("=")) % 4 != 1:
            return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
        return super().text_key(sender, secret)


@mutant
class RawKeyAsText(Verifier):
    """A secret that is given as bytes is used in its base64 or hex spelling."""

    def raw_key(self, secret):
        return next(iter(secret.values())).encode()


@mutant
class CurrentSecretOnly(Verifier):
    """Only the first secret is tried."""

    def keys(self, sender, secrets):
        return super().keys(sender, secrets)[:1]


@mutant
class OldestSecretOnly(Verifier):
    """Only the last secret is tried."""

    def keys(self, sender, secrets):
        keys = super().keys(sender, secrets)
        return [bytes(32)] * (len(keys) - 1) + keys[-1:]


@mutant
class BadSecretSkipped(Verifier):
    """An unusable secret in the ring is skipped."""

    def keys(self, sender, secrets):
        usable = []
        for secret in secrets:
            try:
                usable += super().keys(sender, [secret])
            except Reject:
                continue
        if not usable:
            raise Reject("bad-secret")
        return usable


@mutant
class UnlimitedSecrets(Verifier):
    """Any number of secrets is accepted."""

    max_secrets = 1 << 30


@mutant
class FewerSecrets(Verifier):
    """The limit of secrets is one too low."""

    max_secrets = 7


@mutant
class HighestKeyReported(Verifier):
    """Of several secrets that match the last one is reported."""

    def match(self, request, keys, plan):
        found = super().match(request, keys, plan)
        for index in reversed(range(len(keys))):
            try:
                return index, super().match(request, keys[index : index + 1], plan)[1]
            except Reject:
                continue
        return found


@mutant
class FirstKeyReported(Verifier):
    """The first secret is reported whichever matched."""

    def match(self, request, keys, plan):
        return 0, super().match(request, keys, plan)[1]


# The clock.


@mutant
class NoClock(Verifier):
    """The time is not looked at."""

    def window(self, age, tolerance):
        pass


@mutant
class PastOnly(Verifier):
    """Only old deliveries are refused; any future time passes."""

    def window(self, age, tolerance):
        super().window(max(age, 0), tolerance)


@mutant
class FutureOnly(Verifier):
    """Only future times are refused; any old one passes."""

    def window(self, age, tolerance):
        super().window(min(age, 0), tolerance)


@mutant
class WindowExclusive(Verifier):
    """A time exactly at the limit is refused."""

    def window(self, age, tolerance):
        super().window(age, tolerance - 1)


@mutant
class WindowWider(Verifier):
    """The window is one unit too wide."""

    def window(self, age, tolerance):
        super().window(age, tolerance + 1)


@mutant
class WindowDoubled(Verifier):
    """The window is twice as wide."""

    def window(self, age, tolerance):
        super().window(age, 2 * tolerance)


@mutant
class ZeroToleranceIsOff(Verifier):
    """Tolerance 0 switches the check off."""

    def window(self, age, tolerance):
        if tolerance:
            super().window(age, tolerance)


@mutant
class ZeroToleranceIsDefault(Verifier):
    """Tolerance 0 means the default."""

    def seconds(self, sender, request):
        return request.tolerance or sender.tolerance


@mutant
class ToleranceIgnored(Verifier):
    """The configured tolerance is ignored."""

    def seconds(self, sender, request):
        return sender.tolerance


@mutant
class OneDefaultTolerance(Verifier):
    """The default tolerance is 300 s for every sender."""

    def seconds(self, sender, request):
        return 300 if request.tolerance is None else request.tolerance


@mutant
class MillisecondsForSeconds(Verifier):
    """Seconds are read as milliseconds and milliseconds as seconds."""

    def unit_ms(self, sender):
        return 1001 - sender.unit_ms


@mutant
class UnitGuessed(Verifier):
    """A time of 13 digits or more is taken as milliseconds, a shorter one as seconds."""

    def fresh(self, sender, request, plan):
        if plan.time is None:
            return None
        time = int(plan.time)
        age = request.now_ms - (time if time >= 10**12 else time * 1000)
        self.window(age, self.seconds(sender, request) * 1000 + 999)
        return time


@mutant
class NowRoundedUp(Verifier):
    """The clock is rounded up to the sender's unit."""

    def fresh(self, sender, request, plan):
        late = request.now_ms + (sender.unit_ms or 1) - 1
        return super().fresh(sender, replace(request, now_ms=late), plan)


@mutant
class ClockInMilliseconds(Verifier):
    """The clock is not cut down to the sender's unit, so the limit lies within a second."""

    def fresh(self, sender, request, plan):
        if plan.time is not None:
            age = request.now_ms - int(plan.time) * sender.unit_ms
            self.window(age, self.seconds(sender, request) * 1000)
        return super().fresh(sender, request, plan)


@mutant
class FreshnessFirst(Verifier):
    """The clock comes before the signature, so a forged delivery is called stale."""

    def decide(self, sender, request, keys, plan):
        self.fresh(sender, request, plan)
        return super().decide(sender, request, keys, plan)


@mutant
class StaleIsStale(Verifier):
    """Past and future are not told apart."""

    def window(self, age, tolerance):
        super().window(abs(age), tolerance)


@mutant
class ThirtyTwoBits(Verifier):
    """A time in seconds wraps at 32 bits."""

    def number(self, text):
        return int(text) if len(text) == 13 else (int(text) + (1 << 31)) % (1 << 32) - (1 << 31)


@mutant
class SixtyFourBits(Verifier):
    """The time wraps at 64 bits, signed."""

    def number(self, text):
        return (int(text) + (1 << 63)) % (1 << 64) - (1 << 63)


@mutant
class LenientNumber(Verifier):
    """Signs, leading zeros, fractions and blanks are accepted in a time, and the text is signed."""

    def time_text(self, head, text):
        if not re.fullmatch(rb"\s*[+-]?[0-9]{1,25}(\.[0-9]*)?\s*", text):
            head.fault("malformed-header")

    def number(self, text):
        return int(float(text))


@mutant
class LeadingZeros(Verifier):
    """Leading zeros are accepted in a time."""

    def time_text(self, head, text):
        super().time_text(head, text.lstrip(b"0") or b"0")


@mutant
class TwentyDigits(Verifier):
    """A time of twenty digits is read."""

    def time_text(self, head, text):
        super().time_text(head, text[1:] if len(text) == 20 else text)


@mutant
class NumberSigned(Verifier):
    """The time is parsed and its number is signed, not its text."""

    def time_text(self, head, text):
        if not re.fullmatch(rb"[+]?[0-9]{1,25}", text):
            head.fault("malformed-header")

    def timed_reading(self, time):
        return super().timed_reading(b"%d" % int(time or b"0"))

    def message_reading(self, ident, time):
        return super().message_reading(ident, b"%d" % int(time or b"0"))


@mutant
class DigitsOfAnyScript(Verifier):
    """Digits of other scripts are accepted in a time."""

    def time_text(self, head, text):
        if not text.decode(errors="replace").isdecimal():
            head.fault("malformed-header")

    def number(self, text):
        return int(text.decode())


@mutant
class NonNumberIsFresh(Verifier):
    """A time that is no number passes, because no comparison with it is true."""

    def time_text(self, head, text):
        if re.match(rb"[0-9+. -]", text) or not text:
            super().time_text(head, text)

    def number(self, text):
        return int(text) if text.isdigit() else None

    def window(self, age, tolerance):
        if age is not None:
            super().window(age, tolerance)

    def fresh(self, sender, request, plan):
        return None if plan.time and self.number(plan.time) is None else super().fresh(sender, request, plan)


@mutant
class TrailingJunk(Verifier):
    """The leading digits of a time count, the rest is ignored."""

    def time_text(self, head, text):
        super().time_text(head, re.match(rb"[0-9]*", text)[0])

    def number(self, text):
        return int(re.match(rb"[0-9]*", text)[0])


@mutant
class MissingTimeIsFresh(Verifier):
    """A delivery without a time is not checked for freshness."""

    def one_time(self, head, times):
        return super().one_time(head, times) if times else b""

    def number(self, text):
        return int(text or b"0")

    def fresh(self, sender, request, plan):
        return super().fresh(sender, request, plan) if plan.time else None


@mutant
class BoundarySlide(Verifier):
    """Only the last thirteen digits of a time count, so digits can move over from the body."""

    def number(self, text):
        return int(text[-13:])


# Headers.


@mutant
class FirstTimeWins(Verifier):
    """Of two `t` the first counts."""

    def one_time(self, head, times):
        return super().one_time(head, times[:1])


@mutant
class LastTimeWins(Verifier):
    """Of two `t` the last counts."""

    def one_time(self, head, times):
        return super().one_time(head, times[-1:])


@mutant
class FirstLineWins(Verifier):
    """Of two lines of a header the first counts."""

    def one_line(self, lines):
        return lines[0]


@mutant
class LastLineWins(Verifier):
    """Of two lines of a header the last counts."""

    def one_line(self, lines):
        return lines[-1]


@mutant
class EqualLinesAreOne(Verifier):
    """Two equal lines of a header count as one."""

    def one_line(self, lines):
        return lines[0] if len(set(lines)) == 1 else None


@mutant
class BlankLineIgnored(Verifier):
    """A blank second line of a header is ignored."""

    def one_line(self, lines):
        return super().one_line([line for line in lines if line])


@mutant
class LinesJoined(Verifier):
    """Two lines of a header are joined with a comma."""

    def one_line(self, lines):
        return b",".join(lines)


@mutant
class MissingHeaderSkips(Verifier):
    """A request without its signature header is let through."""

    def check(self, request):
        verdict = super().check(request)
        return Verdict(True, key=0) if verdict.reason == "missing-header" else verdict


@mutant
class EmptyHeaderIsPresent(Verifier):
    """An empty header is malformed, not missing."""

    def check(self, request):
        verdict = super().check(request)
        if verdict.reason == "missing-header":
            read = {SENDERS[request.provider].header.replace("~", family) for family in ("", "webhook-", "x-shopify-")}
            if any(name.lower() in read and not value.strip() for name, value in request.headers):
                return Verdict(False, "malformed-header")
        return verdict


@mutant
class LowerCaseNamesMissed(Verifier):
    """A header is found only under its documented spelling, not in lower case."""

    def header_name(self, name):
        documented = name != name.lower() or name.startswith(("webhook-", "svix-"))
        return name.lower() if documented else "?"


@mutant
class CapitalNamesMissed(Verifier):
    """A header is found only in lower case or under its documented spelling."""

    def header_name(self, name):
        return "?" if name == name.upper() else name.lower()


@mutant
class OuterBlanksKept(Verifier):
    """Blanks around a header value are part of it."""

    def trim(self, value):
        return value


@mutant
class BlankAfterCommaKept(Verifier):
    """A blank after a comma is part of the key."""

    def comma_items(self, value):
        return value.split(b",")


@mutant
class BlankInItemDropped(Verifier):
    """Blanks anywhere in an item are dropped."""

    def comma_items(self, value):
        return [re.sub(rb"[ \t]+", b"", item) for item in value.split(b",")]


@mutant
class SpacesTogether(Verifier):
    """Several spaces, and tabs, separate the entries of a Standard Webhooks list as one."""

    def space_items(self, value):
        return value.split()


@mutant
class SemicolonSeparates(Verifier):
    """A semicolon separates items too."""

    def comma_items(self, value):
        return super().comma_items(value.replace(b";", b","))


@mutant
class KeysOfAnyCase(Verifier):
    """`T` and `V1` count as `t` and `v1`."""

    def word(self, word):
        return word.lower()


@mutant
class ValueUpToSecondEquals(Verifier):
    """The value of an item ends at a second `=`."""

    def candidates(self, texts):
        return [text.split(b"=")[0] if len(text) > 64 else text for text in texts]


@mutant
class QuotesDropped(Verifier):
    """Quotes around a value are dropped."""

    def decode(self, encoding, text, size=32):
        return super().decode(encoding, text.strip(b"\"'"), size)


@mutant
class AnyPrefix(Verifier):
    """Whatever stands before the first `=` is skipped."""

    def after_word(self, head, value, word):
        return value.partition(b"=")[2] if b"=" in value else super().after_word(head, value, word)


@mutant
class PrefixOptional(Verifier):
    """A bare digest without its prefix is accepted."""

    def after_word(self, head, value, word):
        return value if re.fullmatch(rb"[0-9a-fA-F]{40,64}", value) else super().after_word(head, value, word)


@mutant
class PrefixOfAnyCase(Verifier):
    """`SHA256=` counts as `sha256=`."""

    def after_word(self, head, value, word):
        return super().after_word(head, value[: len(word)].lower() + value[len(word) :], word)


@mutant
class PrefixOnBareValues(Verifier):
    """`sha256=` is dropped from headers that have no prefix."""

    def decode(self, encoding, text, size=32):
        return super().decode(encoding, text.removeprefix(b"sha256="), size)


@mutant
class AlgorithmFromHeader(Verifier):
    """The prefix in the header chooses the algorithm."""

    def plan_prefix(self, sender, request, head):
        value = head.read(sender.header, need=False) or b""
        if value.startswith(b"sha1="):
            return Plan([Reading(algorithm="hmac-sha1")], [self.usable(sender, head, [value[5:]], 20)])
        if value.startswith(b"sha512="):
            return Plan([Reading(algorithm="hmac-sha512")], [self.usable(sender, head, [value[7:]], 64)])
        return super().plan_prefix(sender, request, head)


@mutant
class Sha1Rescue(Verifier):
    """A good SHA-1 rescues a bad SHA-256 where SHA-1 is allowed."""

    def check(self, request):
        verdict = super().check(request)
        if request.options.get("legacySha1") and not verdict.accept and verdict.reason != "bad-secret":
            kept = [pair for pair in request.headers if pair[0].lower() != "x-hub-signature-256"]
            again = super().check(replace(request, headers=kept))
            return again if again.accept else verdict
        return verdict


@mutant
class Sha1Always(Verifier):
    """SHA-1 serves without being asked for."""

    def sha1_serves(self, sender, request, head):
        return not head.has(sender.header) and head.has("x-hub-signature")


@mutant
class Sha1Never(Verifier):
    """SHA-1 is refused although it was asked for."""

    def sha1_serves(self, sender, request, head):
        return False


@mutant
class PlaceholderAccepted(Verifier):
    """The literal that stands for a missing secret is accepted."""

    def check(self, request):
        if any(value == b"no-secret-provided" for _, value in request.headers):
            return Verdict(True, key=0)
        return super().check(request)


@mutant
class FamiliesMixed(Verifier):
    """Where both families of Standard Webhooks are there, the first one counts."""

    def plan_standard(self, sender, request, head):
        if head.has("webhook-signature"):
            head.lines.pop("svix-signature", None)
        return super().plan_standard(sender, request, head)


@mutant
class FamiliesComplete(Verifier):
    """A missing id or time of one Standard Webhooks family is taken from the other."""

    def plan_standard(self, sender, request, head):
        for name in ("id", "timestamp"):
            lines = head.lines.get("webhook-" + name) or head.lines.get("svix-" + name)
            if lines:
                head.lines["webhook-" + name] = head.lines["svix-" + name] = lines
        return super().plan_standard(sender, request, head)


@mutant
class OneFamilyOnly(Verifier):
    """Only the first family of headers is known."""

    def plan_standard(self, sender, request, head):
        head.lines.pop("svix-signature", None)
        return super().plan_standard(sender, request, head)

    def present(self, request, head, names):
        return names[:1]


@mutant
class DottedIdRefused(Verifier):
    """A Standard Webhooks id with a full stop is refused."""

    def message_reading(self, ident, time):
        if b"." in ident:
            raise Reject("malformed-header")
        return super().message_reading(ident, time)


@mutant
class EitherFamily(Verifier):
    """Where both Shopify headers are there, one right one is enough."""

    def all_groups(self, right):
        return any(right)


@mutant
class FamilyOptionIgnored(Verifier):
    """The option that names the Shopify family is ignored."""

    def present(self, request, head, names):
        return super().present(replace(request, options={}), head, names)


@mutant
class OnlyAskedFamily(Verifier):
    """Of two Shopify headers only the one that the option names is checked."""

    def present(self, request, head, names):
        option = request.options.get("headers", "any")
        return {"x": names[:1], "events": names[1:]}.get(option) or super().present(request, head, names)


# HubSpot.


@mutant
class UrlNeverDecoded(Verifier):
    """The URL is hashed as it came only."""

    def url_readings(self, url):
        return [url]


@mutant
class UrlAlwaysDecoded(Verifier):
    """The URL is hashed with its escapes decoded only."""

    def url_readings(self, url):
        return [self.decode_url(url)]


@mutant
class UrlDecodedWholly(Verifier):
    """Every escape in the URL is decoded, not only the documented twelve."""

    def decode_url(self, url):
        return urllib.parse.unquote_to_bytes(url)


@mutant
class UrlLowerCaseEscapes(Verifier):
    """Escapes in lower-case hex are decoded too."""

    def decode_url(self, url):
        return re.sub(ESCAPES.pattern, lambda found: bytes.fromhex(found[1].decode()), url, flags=re.IGNORECASE)


@mutant
class UrlDecodedTwice(Verifier):
    """What decoding leaves is decoded again."""

    def decode_url(self, url):
        return super().decode_url(super().decode_url(url.replace(b"%25", b"%")))


@mutant
class UrlWithoutQuery(Verifier):
    """The query is left out of the URL."""

    def url_readings(self, url):
        return super().url_readings(url.split(b"?")[0])


@mutant
class UrlNormalised(Verifier):
    """Scheme and host are put in lower case, the default port and the fragment go, an empty path becomes `/`."""

    def check(self, request):
        if not request.url:
            return super().check(request)
        parts = urllib.parse.urlsplit(request.url)
        host = re.sub(":443$", "", parts.netloc.lower())
        url = urllib.parse.urlunsplit((parts.scheme.lower(), host, parts.path or "/", parts.query, ""))
        return super().check(replace(request, url=url))


@mutant
class MethodInCapitals(Verifier):
    """The method is put in capitals."""

    def check(self, request):
        return super().check(replace(request, method=request.method and request.method.upper()))


@mutant
class MethodIsPost(Verifier):
    """The method is always POST."""

    def check(self, request):
        return super().check(replace(request, method=request.method and "POST"))


@mutant
class MissingTargetIsEmpty(Verifier):
    """A missing method or URL is hashed as an empty text."""

    def check(self, request):
        return super().check(replace(request, method=request.method or "", url=request.url or ""))


@mutant
class TargetAlwaysNeeded(Verifier):
    """A URL is asked for although only HubSpot's v1 is listed."""

    def target(self, sender, request):
        if sender.grammar == "hubspot" and (request.method is None or request.url is None):
            raise Reject("missing-target")


@mutant
class VersionFromHeader(Verifier):
    """The version header picks any version, listed or not."""

    def plan_hubspot(self, sender, request, head):
        named = head.read("x-hubspot-signature-version", need=False)
        if named in (b"v1", b"v2"):
            asked = replace(request, options={"versions": [named.decode()]})
            return super().plan_hubspot(sender, asked, head)
        return super().plan_hubspot(sender, request, head)


@mutant
class OlderVersionServes(Verifier):
    """Where the v3 header is absent, v1 and v2 serve without being listed."""

    def versions(self, request):
        listed = super().versions(request)
        return ("v1", "v2", "v3") if listed == HUBSPOT_DEFAULT else listed


@mutant
class OlderVersionRescues(Verifier):
    """A good older signature rescues a bad v3 one where both are listed."""

    def check(self, request):
        verdict = super().check(request)
        older = [version for version in self.versions(request) if version != "v3"]
        if request.provider != "hubspot" or verdict.accept or not older or verdict.reason == "bad-secret":
            return verdict
        again = super().check(replace(request, options={"versions": older}))
        return again if again.accept else verdict


@mutant
class VersionHeaderNeeded(Verifier):
    """Without a version header v1 is taken for granted."""

    def named_version(self, head, named, older):
        return super().named_version(head, named or b"v1", older)


@mutant
class VersionHeaderIgnored(Verifier):
    """The version header is not read at all."""

    def named_version(self, head, named, older):
        return older


@mutant
class UnknownVersionIgnored(Verifier):
    """A version header that names no listed version is as good as none."""

    def named_version(self, head, named, older):
        return super().named_version(head, named if named in (b"v1", b"v2") else None, older)


@mutant
class TimeHeaderOptional(Verifier):
    """HubSpot's time header may be absent: then nothing is signed as time and no freshness is checked."""

    def plan_hubspot_v3(self, sender, request, head):
        plan = super().plan_hubspot_v3(sender, request, head)
        if not head.has("x-hubspot-request-timestamp") and head.has(sender.header):
            head.faults.remove("missing-header")
        return plan


@mutant
class OldUrlDecoded(Verifier):
    """The URL of HubSpot's v2 is decoded."""

    def method_and_url(self, request):
        return (request.method or "").encode() + self.decode_url((request.url or "").encode())


@mutant
class PlainHashIsHmac(Verifier):
    """HubSpot's v1 and v2 are computed as HMAC."""

    def mac(self, reading, key, body):
        if reading.algorithm == "plain-sha256":
            return hmac.digest(key, reading.before + body, "sha256")
        return super().mac(reading, key, body)


# Reasons.


@mutant
class EncodingIsMismatch(Verifier):
    """A signature that cannot be decoded is called a mismatch."""

    def usable(self, sender, head, texts, size=32):
        found = super().usable(sender, head, texts, size)
        head.faults = [fault for fault in head.faults if fault != "bad-encoding"]
        return found


@mutant
class VersionIsMalformed(Verifier):
    """A header of another version is called malformed."""

    def check(self, request):
        verdict = super().check(request)
        return Verdict(False, "malformed-header") if verdict.reason == "unsupported-version" else verdict


@mutant
class FirstFaultFound(Verifier):
    """The fault that was met first is told, not the one of the lowest rank."""

    def plan_hubspot_v3(self, sender, request, head):
        return first_fault(head, super().plan_hubspot_v3(sender, request, head))

    def plan_standard(self, sender, request, head):
        return first_fault(head, super().plan_standard(sender, request, head))


def first_fault(head: Head, plan: Plan) -> Plan:
    head.faults = head.faults[:1]
    return plan


# Events.


class KeyMade(Events):
    """A base for the mutants that make a key of something else."""

    def event(self, provider, rule, headers, element):
        event = super().event(provider, rule, headers, element)
        return {**event, "key": self.other_key(provider, headers, element, event)}

    def member_text(self, element, name):
        return next((str(value) for member, value in element if member == name), "") if type(element) is Object else ""


@mutant
class KeyFromBodyHash(KeyMade):
    """The key is a hash of the body."""

    def other_key(self, provider, headers, element, event):
        return f"{provider}/{hashlib.sha256(repr(element).encode()).hexdigest()}"


@mutant
class KeyFromSubject(KeyMade):
    """The key is the business object's id."""

    def other_key(self, provider, headers, element, event):
        return f"{provider}/{event['subject']}" if "subject" in event else event["key"]


@mutant
class KeyFromTwin(KeyMade):
    """The key is what two deliveries of one change share."""

    def other_key(self, provider, headers, element, event):
        return event.get("twin", event["key"])


@mutant
class KeyWithAttempt(KeyMade):
    """The attempt is part of the key, so a retry is a new event."""

    def other_key(self, provider, headers, element, event):
        return f"{event['key']}/{event['attempt']}" if "attempt" in event else event["key"]


@mutant
class KeyFromEventId(KeyMade):
    """HubSpot's `eventId`, which is not unique, is the key."""

    def other_key(self, provider, headers, element, event):
        return f"{provider}/{self.member_text(element, 'eventId')}" if provider == "hubspot" else event["key"]


@mutant
class ShopifyEventId(Events):
    """Shopify's event id, which several deliveries share, is the key."""

    def header(self, field, headers):
        return super().header(replace(field, name=field.name.replace("~webhook-id", "~event-id")), headers)


@mutant
class HookIdLeftOut(Events):
    """GitHub's hook id is not part of the key."""

    def header(self, field, headers):
        return super().header(replace(field, name=field.name.replace("hook-id", "hook-i?")), headers)


@mutant
class WholeSlotsOnly(Events):
    """Empty slots are left out of the key, so the parts move up."""

    def join(self, parts):
        return super().join([part for part in parts if part])


@mutant
class KeyNotEncoded(Events):
    """The parts of a key are joined as they are."""

    def encode(self, text):
        return text


@mutant
class SlashNotEncoded(Events):
    """A slash in a part stays."""

    def encode(self, text):
        return super().encode(text).replace("%2F", "/")


@mutant
class LowerCaseEncoding(Events):
    """Parts are encoded with lower-case hex digits."""

    def encode(self, text):
        return re.sub("%..", lambda found: found[0].lower(), super().encode(text))


@mutant
class KeyOfAnyLength(Events):
    """A key of any length is handed out."""

    max_key = 1 << 30


@mutant
class BatchOfAnySize(Events):
    """A batch of any size is read."""

    max_events = 1 << 30


@mutant
class FirstOfBatch(Events):
    """Only the first element of a batch is read."""

    def events(self, request):
        return super().events(request)[:1]


@mutant
class SingleObjectIsBatch(Events):
    """A single object is read as a batch of one."""

    def document(self, rule, body):
        document = super().document(rule, body)
        return [document] if rule.body == "array" and type(document) is Object else document


class Picking(Events):
    """A base for the mutants that choose among doubled members."""

    def member(self, field, element, soft):
        return super().member(field, self.single(element) if type(element) is Object else element, soft)

    def single(self, element):
        pairs = self.pick(element)
        return Object((name, self.single(value) if type(value) is Object else value) for name, value in pairs)


@mutant
class LastMemberWins(Picking):
    """Of doubled members the last counts."""

    def pick(self, element):
        return dict(element).items()


@mutant
class FirstMemberWins(Picking):
    """Of doubled members the first counts."""

    def pick(self, element):
        return dict(reversed(element)).items()


@mutant
class IdMismatchIgnored(Events):
    """A header that contradicts the signed id is ignored."""

    def agreement(self, rule, headers, parts):
        return []


@mutant
class FractionsAreIntegers(Events):
    """`1.0` and `1e3` count as integers."""

    def typed(self, field, value):
        if field.kind == "number" and type(value) is Number:
            value = Number(int(float(value)) if re.search("[.eE]", value) else value)
        return super().typed(field, value)


@mutant
class NumbersAsFloats(Events):
    """Numbers lose their last digits beyond 2^53."""

    def typed(self, field, value):
        text = super().typed(field, value)
        return Number(int(float(text))) if field.kind in ("number", "any") and type(value) is Number else text


@mutant
class AnyKindOfValue(Events):
    """Numbers are taken for texts and texts for numbers."""

    def typed(self, field, value):
        if type(value) in (Number, str) and field.kind in ("text", "number") and self.clean(value):
            return value
        return super().typed(field, value)


@mutant
class MissingFieldIsEmpty(Events):
    """A missing field leaves an empty slot."""

    def value(self, field, headers, element, soft=False):
        text = super().value(field, headers, element, soft)
        return "" if text is Absent and not soft else text


@mutant
class PropertyValueLeftOut(Events):
    """The new value is not part of HubSpot's key."""

    def digest(self, text):
        return ""


@mutant
class PropertyValueWhole(Events):
    """The whole digest is part of HubSpot's key."""

    def digest(self, text):
        return hashlib.sha256(text.encode()).hexdigest()


@mutant
class StreamIsSubject(Events):
    """The stream leaves out the property, so changes of two properties hold each other up."""

    def event(self, provider, rule, headers, element):
        return super().event(provider, replace(rule, stream=()), headers, element)


@mutant
class OrderInSeconds(Events):
    """The order is given in seconds, whatever the unit."""

    def order_value(self, text, unit):
        order = super().order_value(text, unit)
        return order and {"value": order["value"] // {"s": 1, "ms": 1000, "us": 10**6}[order["unit"]], "unit": "s"}


@mutant
class OffsetIgnored(Events):
    """The offset of a date is ignored."""

    def date(self, text):
        return super().date(re.sub(r"(?<=\d)[+-]\d\d:\d\d$", "Z", text))


@mutant
class AcuityAlwaysKeyed(Events):
    """Acuity's `changed` gets a key, so later changes are lost as duplicates."""

    def key(self, provider, rule, headers, element, kind):
        return super().key(provider, replace(rule, unkeyed=False), headers, element, kind)


@mutant
class CalendlyAlwaysDated(Events):
    """Calendly's key always holds the time."""

    def key(self, provider, rule, headers, element, kind):
        undated = tuple(replace(field, unless=()) for field in rule.key)
        return super().key(provider, replace(rule, key=undated), headers, element, kind)


@mutant
class CalendlyNeverDated(Events):
    """Calendly's key never holds the time."""

    def key(self, provider, rule, headers, element, kind):
        dated = tuple(replace(field, unless=(kind,)) if field.unless else field for field in rule.key)
        return super().key(provider, replace(rule, key=dated), headers, element, kind)


@mutant
class BomInBodySkipped(Events):
    """A byte order mark before the JSON is skipped."""

    def document(self, rule, body):
        return super().document(rule, body.removeprefix(b"\xef\xbb\xbf"))


@mutant
class BodyAlwaysParsed(Events):
    """A body that is not JSON is an error although the key is in a header."""

    def document(self, rule, body):
        document = super().document(rule, body)
        if document is Absent:
            raise EventsError("malformed-body", "")
        return document


@mutant
class DepthUnlimited(Events):
    """JSON of any depth is read."""

    max_depth = 1 << 30


@mutant
class DepthLower(Events):
    """The limit of nesting is one level too low."""

    max_depth = 127


@mutant
class ShorterKey(Events):
    """The limit of a key is one character too low."""

    max_key = 1023


@mutant
class SmallerBatch(Events):
    """The limit of a batch is one element too low."""

    max_events = 999


@mutant
class FaultyElementsSkipped(Events):
    """Elements of a batch that have no key are left out without a word."""

    def document(self, rule, body):
        document = super().document(rule, body)
        if rule.body != "array" or type(document) is not list:
            return document
        return [element for element in document if self.good(rule, element)]

    def good(self, rule, element):
        try:
            return bool(self.event("hubspot", rule, {}, element))
        except EventsError:
            return False


@mutant
class EqualElementsJoined(Events):
    """Of equal elements in one batch only one is handed out."""

    def events(self, request):
        seen = {json.dumps(event): event for event in super().events(request)}
        return list(seen.values())


@mutant
class Utf8NotChecked(Events):
    """Bytes in JSON that are not UTF-8 are replaced."""

    def document(self, rule, body):
        return super().document(rule, body if rule.body == "form" else body.decode(errors="replace").encode())


@mutant
class TrailingTextIgnored(Events):
    """Whatever follows the first JSON value is ignored."""

    def parse(self, text):
        text = text.lstrip(" \t\r\n")
        return super().parse(text[: json.JSONDecoder().raw_decode(text)[1]])


@mutant
class LenientJson(Events):
    """NaN and its kin are read, and so are raw control characters."""

    def parse(self, text):
        return json.loads(text, object_pairs_hook=Object, parse_int=Number, parse_float=Number, strict=False)


@mutant
class SurrogatesReplaced(Events):
    """Half of a surrogate pair in a field becomes U+FFFD."""

    def typed(self, field, value):
        clean = re.sub("[\ud800-\udfff]", "\ufffd", value) if type(value) is str else value
        return super().typed(field, clean)


@mutant
class SurrogatesRefused(Events):
    """Half of a surrogate pair anywhere makes the body unreadable."""

    def parse(self, text):
        if re.search(r"\\u[dD][89a-fA-F]", re.sub(r"(?i)\\ud[89ab]..\\ud[c-f]..", "", text)):
            raise ValueError
        return super().parse(text)


@mutant
class NamesAsWritten(Events):
    """Names of members are compared as they are written, without decoding escapes."""

    def parse(self, text):
        return super().parse(re.sub(r'"([^"]*\\u[^"]*)"(?=\s*:)', r'"?\1"', text))


@mutant
class NamesOfAnyCase(Events):
    """Names of members have no case."""

    def member(self, field, element, soft):
        if type(element) is Object:
            known = {name.lower(): name for name in field.name.split(".")}
            element = Object((known.get(name.lower(), name), value) for name, value in element)
        return super().member(field, element, soft)


@mutant
class NullIsMissing(Events):
    """null in a field that the key needs counts as a missing field."""

    def typed(self, field, value):
        if value is None and field.need:
            raise EventsError("missing-field", field.name)
        return super().typed(field, value)


@mutant
class EmptyIsValue(Events):
    """An empty text in a field that the key needs is taken."""

    def key(self, provider, rule, headers, element, kind):
        self.keeps_empty = True
        try:
            return super().key(provider, rule, headers, element, kind)
        finally:
            self.keeps_empty = False

    def value(self, field, headers, element, soft=False):
        text = super().value(field, headers, element, soft)
        absent = text is Absent and field.need and field.where == "body" and getattr(self, "keeps_empty", False)
        return self.member(field, element, soft) if absent else text


@mutant
class NullSlotRefused(Events):
    """null in an optional field of the key is a fault."""

    def member(self, field, element, soft):
        return super().member(replace(field, need=True), element, soft)


@mutant
class FaultySubstituted(Events):
    """Where the first choice is faulty, the next one stands in."""

    def decides(self, text):
        return text is not Absent and text is not None


@mutant
class AbsentDecides(Events):
    """Where the first choice is absent, the next one is not looked at."""

    def optional(self, headers, element, alternatives):
        return super().optional(headers, element, alternatives[:1])

    def order(self, rule, headers, element):
        return super().order(replace(rule, order=rule.order[:1]), headers, element)


@mutant
class LastChoiceFirst(Events):
    """Alternatives are tried in the reverse order."""

    def optional(self, headers, element, alternatives):
        return super().optional(headers, element, alternatives[::-1])

    def order(self, rule, headers, element):
        return super().order(replace(rule, order=rule.order[::-1]), headers, element)


@mutant
class OptionalFaultsRaise(Events):
    """A field that the key does not need makes the events fail where it is faulty."""

    def soft(self, field, headers, element):
        return self.value(field, headers, element, soft=True)


@mutant
class FirstFaultOfKey(Events):
    """The first fault in the order of the slots is told, not the first in rank."""

    def first(self, faults):
        return faults[0]


@mutant
class FirstLineOfId(Events):
    """Of two lines of an id header the first counts."""

    def one_line(self, lines):
        return lines[0]


@mutant
class LastFamilyNames(Events):
    """Where both families of Shopify's headers are there, the names without X- count."""

    def family(self, present):
        return present[-1]


@mutant
class IdWithoutCase(Events):
    """A header that repeats the id is compared without case."""

    def same_id(self, header, signed):
        return header.lower() == signed.lower()


@mutant
class IdByPrefix(Events):
    """A header that begins like the id is enough."""

    def same_id(self, header, signed):
        return header.startswith(signed)


@mutant
class UnkeyedNeedsAll(Events):
    """An event that has no key must still have every field of one."""

    def keyed_faults(self, rule, kind, faults):
        return faults


@mutant
class OnlyAsciiEncoded(Events):
    """Letters outside ASCII stay in a key as they are."""

    def encode(self, text):
        return "".join(char if char > "\x7f" else super(OnlyAsciiEncoded, self).encode(char) for char in text)


@mutant
class EscapesKept(Events):
    """A part of a key that looks encoded is not encoded again."""

    def encode(self, text):
        return re.sub(r"%25(?=[0-9A-F]{2})", "%", super().encode(text))


@mutant
class PartsTrimmed(Events):
    """Blanks around a part of a key are dropped."""

    def encode(self, text):
        return super().encode(text.strip(" ") or text)


@mutant
class PartsComposed(Events):
    """Texts are brought into Unicode's composed form before they go into a key."""

    def encode(self, text):
        return super().encode(unicodedata.normalize("NFC", text))


@mutant
class MergedJoinedBare(Events):
    """The numbers of a list are joined without a separator."""

    def typed(self, field, value):
        text = super().typed(field, value)
        return text.replace(",", "") if field.kind == "numbers" else text


@mutant
class EmptyValueAbsent(Events):
    """HubSpot's empty new value counts as none."""

    def digest(self, text):
        return super().digest(text) if text else ""


@mutant
class DigestOfWritten(Events):
    """HubSpot's new value is hashed as it is written, with its escapes."""

    def digest(self, text):
        return super().digest(json.dumps(text))


@mutant
class FewerObjectFields(Events):
    """Only `objectId` names an object."""

    def key(self, provider, rule, headers, element, kind):
        return super().key(provider, replace(rule, one_of=rule.one_of[:1]), headers, element, kind)


@mutant
class PlusIsPlus(Events):
    """A plus sign in a form stays a plus sign."""

    def form_text(self, raw):
        return super().form_text(raw.replace(b"+", b"%2B"))


@mutant
class FormDecodedTwice(Events):
    """Escapes of a form are decoded twice."""

    def form_text(self, raw):
        return super().form_text(super().form_text(raw).encode(errors="surrogateescape").replace(b"+", b"%2B"))


@mutant
class FormDecodedFirst(Events):
    """The form is decoded before it is split."""

    def parse_form(self, body):
        return super().parse_form(self.form_text(body).encode(errors="surrogateescape"))


@mutant
class SemicolonsSplitForms(Events):
    """A semicolon separates the fields of a form."""

    def parse_form(self, body):
        return super().parse_form(body.replace(b";", b"&"))


@mutant
class FormMustBeUtf8(Events):
    """A field of a form that is not UTF-8 is refused."""

    def typed(self, field, value):
        if type(value) is FormText and not self.clean(value):
            raise EventsError("malformed-body", field.name)
        return super().typed(field, value)


@mutant
class FormReplaced(Events):
    """Bytes in a form that are not UTF-8 are replaced."""

    def form_text(self, raw):
        return FormText(super().form_text(raw).encode(errors="surrogateescape").decode(errors="replace"))


@mutant
class DigitsInTextOrder(Events):
    """Digits in a text order like a number."""

    def order_value(self, text, unit):
        return super().order_value(Number(text) if unit and re.fullmatch("[0-9]+", text) else text, unit)


@mutant
class LongOrder(Events):
    """An order of any length is handed out."""

    def small(self, text):
        return re.fullmatch("0|-?[1-9][0-9]*", text) is not None


@mutant
class NegativeAttempt(Events):
    """A negative attempt is handed out without its sign."""

    def event(self, provider, rule, headers, element):
        event = super().event(provider, rule, headers, element)
        text = self.maybe(rule.attempt, headers, element)
        return event if text is None or not self.small(text) else {**event, "attempt": abs(int(text))}


@mutant
class MissingOffsetIsUtc(Events):
    """A date without an offset counts as UTC."""

    def date(self, text):
        return super().date(text if re.search(r"[Zz]|[+-]\d\d:\d\d$", text) else text + "Z")


@mutant
class LeapSecondRead(Events):
    """A leap second counts as the second before it."""

    def date(self, text):
        return super().date(re.sub(r":60(?=[Zz.+-])", ":59", text))


@mutant
class BlankForT(Events):
    """A blank stands for the T of a date."""

    def date(self, text):
        return super().date(text.replace(" ", "T", 1))


@mutant
class FractionRounded(Events):
    """Digits beyond the microsecond are rounded."""

    def date(self, text):
        micros = super().date(text)
        found = re.search(r"\.\d{6}(\d)", text)
        return micros if micros is None or found is None else micros + (found[1] >= "5")


@mutant
class FractionDropped(Events):
    """A part of a second does not order."""

    def date(self, text):
        micros = super().date(text)
        return micros if micros is None else micros // 10**6 * 10**6


@mutant
class FractionMirrored(Events):
    """Before 1970 the part of a second is counted backwards."""

    def date(self, text):
        micros = super().date(text)
        return micros if micros is None or micros >= 0 else micros - 2 * (micros % 10**6)


@mutant
class CapitalsInDatesNeeded(Events):
    """Small t and z in a date are refused."""

    def date(self, text):
        return None if re.search("[tz]", text) else super().date(text)


# The run.

# What no verdict can show, and the test of the repository that covers it.
NOT_SHOWN = (
    (
        "comparison that stops at the first difference",
        "`tests/unsafe-helpers/ctgrind` (no branch on secret bytes under memcheck), `tests/unsafe-helpers/dudect` (timing); `equality_sees_every_bit` in `src/encoding.rs`",
    ),
    ("one MAC pass for each candidate", "none yet: a test that counts passes for 1 and for 32 candidates"),
    (
        "a body that is copied, or a heap allocation on the path",
        "`verification_does_not_allocate` and `eight_keys_and_thirty_two_candidates_do_not_allocate` in `tests/allocations.rs`",
    ),
    (
        "a body that is read before a missing header is told",
        "`a_fault_of_the_head_comes_before_the_first_byte_of_the_body` in `tests/api.rs`",
    ),
    (
        "chunks of a body that are read otherwise than the whole",
        "`tests/conformance.rs`, which streams and collects every vector in several chunk sizes",
    ),
    (
        "a body without limit in an integration",
        "`a_collected_body_stays_within_its_limit_and_keeps_a_single_chunk` in `tests/api.rs`",
    ),
    ("a panic or an endless loop", "the fuzz targets `header`, `verify` and `roundtrip` in `fuzz/`"),
    (
        "a secret, an expected signature or the sender's bytes in an error or in debug output",
        "`messages_and_debug_output_hold_no_secret_and_no_byte_of_the_request` in `tests/api.rs`",
    ),
    ("a secret that stays in memory", "none yet: a test that looks at the wiped block"),
    (
        "different answers for different faults of the sender",
        "`every_kind_has_one_status_and_a_sentence` in `tests/api.rs`",
    ),
    (
        "one bad element that loses the others of its batch",
        "`one_bad_element_neither_loses_nor_holds_back_its_batch` in `tests/events.rs`",
    ),
    ("a value that claims more trust than it has", "`trust_is_said_of_each_value` in `tests/events.rs`"),
    (
        "a clock that is read more than once, or where a time is given",
        "`the_system_clock_is_read_by_verify_alone` in `tests/api.rs`",
    ),
    ("a wrong status for a duplicate", "none yet: tests of the receiver kit"),
    ("an id that is remembered before the request is verified", "none yet: tests of the receiver kit"),
)


def rules(name: str) -> tuple[Verifier, Events]:
    made = MUTANTS[name]()
    return (made, Events()) if isinstance(made, Verifier) else (Verifier(), made)


VECTORS: list = []


def run(name: str) -> tuple[str, list[int]]:
    """The places of the vectors that kill a mutant."""
    verifier, identity = rules(name)
    killers = []
    for place, vector in enumerate(VECTORS):
        try:
            killed = bool(check.differences(vector, verifier, identity))
        except Exception:  # a mutant may crash where its mistake is not foreseen
            killed = True
        if killed:
            killers.append(place)
    return name, killers


def code_list(names, most: int) -> str:
    names = list(names)
    return ", ".join(f"`{name}`" for name in names[:most]) + (" …" if len(names) > most else "")


def report(results: dict) -> str:
    flags = collections.defaultdict(list)
    for place, vector in enumerate(VECTORS):
        for flag in vector.flags:
            flags[flag].append(place)
    alive = [name for name, killers in results.items() if not killers]
    told = sum(issubclass(MUTANTS[name], Events) for name in results)
    lines = [
        "# Mutants",
        "",
        "Deliberately wrong verifiers, each run over all vectors. A vector kills a mutant that answers it with another",
        "verdict, reason, key or event than it expects. Generated by `reference/mutants.py`; do not edit.",
        "",
        f"{len(VECTORS)} vectors, {len(results)} mutants, {len(alive)} alive; {told} of events.",
        "",
        "## Mutant by vectors",
        "",
        "| mutant | what is wrong | killed by | of senders | for instance | flags |",
        "|---|---|---:|---:|---|---|",
    ]
    for name, killers in results.items():
        seen = collections.Counter(flag for place in killers for flag in VECTORS[place].flags)
        example = code_list((VECTORS[place].ident for place in killers), 3)
        count = len(killers) or "**alive**"
        commonest = code_list(sorted(seen, key=lambda flag: (-seen[flag], flag)), 3)
        senders = len({VECTORS[place].request.provider for place in killers})
        lines.append(f"| `{name}` | {MUTANTS[name].__doc__} | {count} | {senders} | {example} | {commonest} |")
    lines += [
        "",
        "## Flag by mutants",
        "",
        "| flag | vectors | mutants killed | for instance |",
        "|---|---:|---:|---|",
    ]
    for flag in sorted(flags):
        killed = [name for name, killers in results.items() if set(killers) & set(flags[flag])]
        killed.sort(key=lambda name: len(results[name]))
        lines.append(f"| {flag} | {len(flags[flag])} | {len(killed) or '**none**'} | {code_list(killed, 3)} |")
    lines += [
        "",
        "## What no verdict can show",
        "",
        "| mistake | covered by |",
        "|---|---|",
        *(f"| {mistake} | {test} |" for mistake, test in NOT_SHOWN),
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    VECTORS.extend(check.load(sorted(check.ROOT.glob("*.json"))))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = dict(pool.map(run, MUTANTS, chunksize=1))
    text = report(results)
    (check.ROOT / "MUTANTS.md").write_text(text, encoding="utf-8")
    alive = [name for name, killers in results.items() if not killers]
    useless = [line.split(" |")[0][2:] for line in text.splitlines() if "| **none** |" in line]
    print(f"{len(results)} mutants over {len(VECTORS)} vectors, {len(alive)} alive, {len(useless)} flags kill nothing")
    for name in alive:
        print(f"alive: {name}: {MUTANTS[name].__doc__}")
    for flag in useless:
        print(f"kills nothing: {flag}")
    return 1 if alive or useless else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--list"]:
        print("\n".join(MUTANTS))
    elif sys.argv[1:2] == ["--serve"]:
        adapter.serve(*rules(sys.argv[2]))
    else:
        sys.exit(main())
