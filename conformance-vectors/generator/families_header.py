"""Headers and secrets: presence, repetition, names, length; encodings of the signature; keys."""

import hashlib
import hmac

import model
from model import b64, b64url

_LIMIT = 8192


def header_family(bench):
    s = bench.sender
    bench.test("valid", "An ordinary delivery.", "Basic", key=0, show_signed=True)
    bench.test("headers-lower-case", "All header names in small letters.", "HeaderNameCase",
               headers=lambda lines: [(n.lower(), v) for n, v in lines])
    bench.test("headers-upper-case", "All header names in capital letters.", "HeaderNameCase",
               headers=lambda lines: [(n.upper(), v) for n, v in lines])
    bench.test("headers-reversed", "The headers in reverse order.", "Basic", headers=lambda lines: lines[::-1])
    bench.test("headers-others", "Other headers around, among them other senders' signatures.", "Basic",
               headers=lambda lines: [("Host", "example.com"), ("X-Signature", "none")] + lines
               + [("X-Forwarded-For", "192.0.2.1"), ("X-Other-Signature", "v1=00")])
    _absent(bench, s.header, "signature")
    if s.time_header:
        _absent(bench, s.time_header, "timestamp")
    if s.id_header:
        _absent(bench, s.id_header, "id")
    bench.test("missing-all", "No header at all.", "MissingHeader", headers=lambda lines: [], reason="missing-header")
    for name in s.lookalikes:
        bench.test("lookalike-" + name.lower().replace("_", "-"), "The right signature under the name %s." % name,
                   ["LookalikeHeader", "MissingHeader"],
                   headers=lambda lines, name=name: [(name if n == s.header else n, v) for n, v in lines],
                   reason="missing-header")
    _repeated(bench, s.header, "signature")
    if s.time_header:
        _repeated(bench, s.time_header, "timestamp")
    if s.id_header:
        _repeated(bench, s.id_header, "id")
    _outer_blanks(bench)
    _long(bench)


def _absent(bench, header, word):
    def without(lines):
        return [(n, v) for n, v in lines if n != header]

    def with_value(value):
        return lambda lines: [(n, value if n == header else v) for n, v in lines]

    bench.test("missing-" + word, "The %s header is absent." % word, "MissingHeader", headers=without,
               reason="missing-header")
    bench.test("empty-" + word, "The %s header is empty." % word, "MissingHeader", headers=with_value(""),
               reason="missing-header")
    bench.test("blank-" + word, "The %s header holds only blanks." % word, ["MissingHeader", "OuterWhiteSpace"],
               headers=with_value(" \t "), reason="missing-header")


def _repeated(bench, header, word):
    s = bench.sender

    def lines_of(*values):
        def change(lines):
            out = []
            for n, v in lines:
                if n == header:
                    out.extend((n, v if value is None else value) for value in values)
                else:
                    out.append((n, v))
            return out

        return change

    wrong = {
        "signature": s.value(s.encode(s.mac("wrong-" + s.secret if s.grammar != "standard" else {"hex": "00"}, s.body))),
        "timestamp": s.time(-1),
        "id": "msg_test_0002",
    }[word]
    for name, text, values in [
        ("same", "twice, alike", (None, None)),
        ("good-first", "twice, the right one first", (None, wrong)),
        ("good-last", "twice, the right one last", (wrong, None)),
        ("empty-last", "twice, the second one empty", (None, "")),
        ("empty-first", "twice, the first one empty", ("", None)),
        ("three", "three times", (None, None, None)),
    ]:
        bench.test("repeated-%s-%s" % (word, name), "The %s header %s." % (word, text), "RepeatedHeader",
                   headers=lines_of(*values), reason="repeated-header")
    bench.test("repeated-%s-all-empty" % word, "The %s header twice, both empty: as good as absent." % word,
               ["RepeatedHeader", "MissingHeader"], headers=lines_of("", ""), reason="missing-header")
    bench.test("repeated-%s-other-case" % word, "The %s header twice, the names in different case." % word,
               ["RepeatedHeader", "HeaderNameCase"],
               headers=lambda lines: lines + [(n.swapcase(), v) for n, v in lines if n == header],
               reason="repeated-header")


def _outer_blanks(bench):
    s = bench.sender
    for name, text, before, after in [
        ("space-before", "a space before", " ", ""),
        ("space-after", "a space after", "", " "),
        ("tabs-around", "tabs and spaces around", "\t ", " \t"),
    ]:
        bench.test("outer-" + name, "Blanks around the signature header's value: %s." % text, "OuterWhiteSpace",
                   headers=lambda lines, b=before, a=after: [(n, b + v + a if n == s.header else v) for n, v in lines],
                   acceptable=True)
    if s.time_header:
        bench.test("outer-timestamp", "Blanks around the timestamp header's value; the digits were signed.",
                   "OuterWhiteSpace", acceptable=True,
                   headers=lambda lines: [(n, " " + v + " " if n == s.time_header else v) for n, v in lines])
        blanks = " " + s.time() + " "
        target = s.target
        bench.test("outer-timestamp-signed", "Blanks around the timestamp header's value, and signed with it.",
                   ["OuterWhiteSpace", "NonCanonicalTimestamp"] if target else ["OuterWhiteSpace", "TimestampNotCanonical"],
                   time=blanks, acceptable=target, reason=None if target else "signature-mismatch")
    if s.id_header:
        bench.test("outer-id", "Blanks around the id header's value; the id without them was signed.",
                   "OuterWhiteSpace", acceptable=True,
                   headers=lambda lines: [(n, "\t" + v + " " if n == s.id_header else v) for n, v in lines])


def _long(bench):
    s = bench.sender

    def fill(size, text):
        if s.grammar == "t-list":
            head = s.value(text) + ",x="
            return head + "a" * (size - len(head))
        if s.grammar == "standard":
            head = "v1," + text + " v9,"
            return head + "a" * (size - len(head))
        return s.prefix + "a" * (size - len(s.prefix))

    fits = s.grammar in ("t-list", "standard")
    bench.test("long-8192", "A signature header of 8192 bytes" + (", the right signature in it." if fits else "."),
               "LongHeader", value=lambda t: fill(_LIMIT, t), reason=None if fits else "bad-encoding")
    for size in (_LIMIT + 1, 20000):
        words = "A signature header of %d bytes" % size
        if fits:
            bench.test("long-%d" % size, words + ", the right signature in it.", ["LongHeader", "OverlongHeader"],
                       value=lambda t, size=size: fill(size, t), acceptable=True)
        bench.test("long-%d-wrong" % size, words + " without a right signature.", ["LongHeader", "MalformedHeader"],
                   secret={"hex": "00"}, value=lambda t, size=size: fill(size, t), reason="malformed-header")
    bench.test("long-8193-with-blanks", "A signature header of 8192 bytes, and blanks around it that do not count.",
               ["LongHeader", "OuterWhiteSpace"], value=lambda t: " " + fill(_LIMIT, t) + " ",
               acceptable=fits, reason=None if fits else "bad-encoding")
    if s.time_header:
        bench.test("long-timestamp", "A timestamp header of 8193 digits.", ["LongHeader", "MalformedHeader"],
                   time="1" * (_LIMIT + 1), reason="malformed-header")
    if s.id_header:
        bench.test("long-id-8192", "An id header of 8192 bytes.", "LongHeader", msg_id="m" * _LIMIT)
        bench.test("long-id-8193", "An id header of 8193 bytes.", ["LongHeader", "OverlongHeader"],
                   msg_id="m" * (_LIMIT + 1), acceptable=True)
        bench.test("long-id-8193-wrong", "An id header of 8193 bytes and a wrong signature.",
                   ["LongHeader", "MalformedHeader"], msg_id="m" * (_LIMIT + 1), signed_id="m", reason="malformed-header")


def encoding_family(bench):
    """The text of the signature."""
    s = bench.sender
    good = s.mac(s.secret, s.body)

    def send(name, comment, flags, text, reason="bad-encoding", acceptable=False):
        bench.test("signature-" + name, comment, flags, value=lambda _: s.value(text),
                   reason=None if acceptable or reason is None else reason, acceptable=acceptable)

    enc = s.encode
    for name, text, data in [
        ("31-bytes", "the last octet missing", good[:31]),
        ("16-bytes", "only the first half", good[:16]),
        ("4-bytes", "only four octets", good[:4]),
        ("1-byte", "only one octet", good[:1]),
        ("33-bytes", "one octet more", good + b"\x00"),
        ("64-bytes", "the signature twice", good + good),
    ]:
        send(name, "The right signature, %s." % text, "TruncatedTag", enc(data))
    flipped = bytes([good[0] ^ 1]) + good[1:]
    send("first-bit", "The first bit of the signature is wrong.", "TruncatedTag", enc(flipped), "signature-mismatch")
    send("last-bit", "The last bit of the signature is wrong.", "TruncatedTag",
         enc(good[:31] + bytes([good[31] ^ 1])), "signature-mismatch")
    send("half-right", "The first half right, zeros after it.", "TruncatedTag", enc(good[:16] + bytes(16)),
         "signature-mismatch")
    send("zeros", "All zeros.", "WrongSecret", enc(bytes(32)), "signature-mismatch")
    send("ones", "All ones.", "WrongSecret", enc(b"\xff" * 32), "signature-mismatch")
    text = enc(good)
    if s.encoding == "hex":
        _hex_texts(send, good, text, s)
    else:
        _base64_texts(send, good, text, s)
    send("quoted", "The signature in quotation marks.", "WrongEncoding", '"' + text + '"')
    send("non-ascii", "A letter outside ASCII in place of the last character.", "WrongEncoding", text[:-1] + "é")
    send("non-ascii-64", "64 letters outside ASCII.", "WrongEncoding", "é" * 64)
    _primitives(bench, send, s)


def _hex_texts(send, good, text, s):
    any_case = "AnyCaseHex" not in s.agreed
    mixed = "".join(c.upper() if i % 2 else c for i, c in enumerate(text))
    half = text[:32].upper() + text[32:]
    for name, words, value in [("upper-case", "capital letters", text.upper()), ("mixed-case", "mixed case", mixed),
                               ("half-upper-case", "capitals in the first half", half)]:
        send(name, "Hexadecimal in %s." % words, "AnyCaseHex", value, None, acceptable=any_case)
    send("base64", "The right signature in base64.", "WrongEncoding", b64(good))
    send("base64url", "The right signature in URL-safe base64 without padding.", "WrongEncoding", b64url(good).rstrip("="))
    send("hex-of-hex", "Hexadecimal of the hexadecimal text.", "WrongEncoding", text.encode().hex())
    send("0x", "0x in front.", "WrongEncoding", "0x" + text)
    send("equals-after", "An equals sign after it.", "WrongEncoding", text + "=")
    send("junk-after", "Two letters after it.", "WrongEncoding", text + "zz")
    send("junk-inside", "A dash between the octets.", "WrongEncoding", "-".join(text[i : i + 2] for i in range(0, 64, 2)))
    send("space-inside", "A space in the middle.", "WrongEncoding", text[:32] + " " + text[32:])
    send("letter-g", "A letter that is no hexadecimal digit.", "WrongEncoding", text[:-1] + "g")
    send("plus-sign", "A plus sign in place of a digit; some number parsers take it.", "WrongEncoding", text[:62] + "+" + text[63])
    send("63-digits", "The last digit missing.", "TruncatedTag", text[:-1])
    send("65-digits", "One digit more.", "TruncatedTag", text + "0")
    send("fullwidth", "Digits of full width.", "WrongEncoding", "".join(chr(0xFEE0 + ord(c)) if c.isdigit() else c for c in text))


def _base64_texts(send, good, text, s):
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    send("hex", "The right signature in hexadecimal.", "WrongEncoding", good.hex())
    send("unpadded", "Base64 without its padding.", "WrongEncoding", text.rstrip("="))
    send("extra-padding", "One equals sign too many.", "WrongEncoding", text + "=")
    last = text[42]
    odd = alphabet[alphabet.index(last) + 1]
    send("unused-bits", "The last digit's unused bits are set.", "WrongEncoding", text[:42] + odd + "=")
    send("junk-after", "Letters after the padding.", "WrongEncoding", text + "AAAA")
    send("junk-inside", "An asterisk inside; lenient decoders skip it.", "WrongEncoding", text[:16] + "*" + text[16:])
    send("escaped-padding", "The equals sign as a percent escape.", "WrongEncoding", text[:43] + "%3D")
    send("base64-of-hex", "Base64 of the hexadecimal text.", "WrongEncoding", b64(good.hex().encode()))
    send("base64-twice", "Base64 of the base64 text.", "WrongEncoding", b64(text.encode()))
    send("swapped-case", "The case of the letters exchanged.", "WrongEncoding", text[:42].swapcase() + "A=", "signature-mismatch")


def _primitives(bench, send, s):
    """Right form, wrong function."""
    key = s.key(s.secret)
    message = s.message(s.body, s.time())
    for name, words, data in [
        ("sha1", "HMAC with SHA-1", model.hmac_sha1(key, message)),
        ("sha512", "HMAC with SHA-512", hmac.new(key, message, hashlib.sha512).digest()),
    ]:
        send("of-" + name, "Made with %s." % words, "WrongPrimitive", s.encode(data))
    for name, words, data in [
        ("plain-hash", "SHA-256 of the signed bytes without a key", hashlib.sha256(message).digest()),
        ("key-and-message", "SHA-256 of key and signed bytes", hashlib.sha256(key + message).digest()),
        ("message-and-key", "SHA-256 of signed bytes and key", hashlib.sha256(message + key).digest()),
        ("roles-exchanged", "HMAC with key and signed bytes exchanged", model.hmac_sha256(message, key)),
        ("of-digest", "HMAC over the SHA-256 of the signed bytes", model.hmac_sha256(key, hashlib.sha256(message).digest())),
        ("of-hex-digest", "HMAC over the hexadecimal SHA-256 of the signed bytes",
         model.hmac_sha256(key, hashlib.sha256(message).hexdigest().encode())),
        ("empty-key", "HMAC with an empty key", model.hmac_sha256(b"", message)),
        ("twice", "HMAC of the HMAC", model.hmac_sha256(key, model.hmac_sha256(key, message))),
    ]:
        send("of-" + name, "Made as %s." % words, "WrongPrimitive", s.encode(data), "signature-mismatch")
    if message != s.body:
        send("of-body-alone", "Made over the body alone.", "WrongPrimitive", s.encode(model.hmac_sha256(key, s.body)),
             "signature-mismatch")
