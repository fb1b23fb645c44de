"""The text of the signature: length, encoding, function."""

import hashlib
import hmac

import model
from model import b64, b64url


def encoding_family(bench):
    """The text of the signature."""
    s = bench.sender
    good = s.mac(s.secret, s.body)

    def send(name, comment, flags, text, reason="bad-encoding", acceptable=False):
        bench.test(
            "signature-" + name,
            comment,
            flags,
            value=lambda _: s.value(text),
            reason=None if acceptable or reason is None else reason,
            acceptable=acceptable,
        )

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
    send(
        "last-bit",
        "The last bit of the signature is wrong.",
        "TruncatedTag",
        enc(good[:31] + bytes([good[31] ^ 1])),
        "signature-mismatch",
    )
    send(
        "half-right",
        "The first half right, zeros after it.",
        "TruncatedTag",
        enc(good[:16] + bytes(16)),
        "signature-mismatch",
    )
    send("zeros", "All zeros.", "WrongSecret", enc(bytes(32)), "signature-mismatch")
    send("ones", "All ones.", "WrongSecret", enc(b"\xff" * 32), "signature-mismatch")
    text = enc(good)
    if s.encoding == "hex":
        _hex_texts(send, good, text, s)
    else:
        _base64_texts(send, good, text, s)
    send("quoted", "The signature in quotation marks.", "WrongEncoding", '"' + text + '"')
    send("non-ascii", "A letter outside ASCII in place of the last character.", "WrongEncoding", text[:-1] + "é")
    if s.grammar != "t-list":  # there it is one of the unusable items
        send("non-ascii-64", "64 letters outside ASCII.", "WrongEncoding", "é" * 64)
    _primitives(bench, send, s)


def _hex_texts(send, good, text, s):
    any_case = "AnyCaseHex" not in s.agreed
    mixed = "".join(c.upper() if i % 2 else c for i, c in enumerate(text))
    half = text[:32].upper() + text[32:]
    for name, words, value in [
        ("upper-case", "capital letters", text.upper()),
        ("mixed-case", "mixed case", mixed),
        ("half-upper-case", "capitals in the first half", half),
    ]:
        send(name, "Hexadecimal in %s." % words, "AnyCaseHex", value, None, acceptable=any_case)
    send("base64", "The right signature in base64.", "WrongEncoding", b64(good))
    send(
        "base64url",
        "The right signature in URL-safe base64 without padding.",
        "WrongEncoding",
        b64url(good).rstrip("="),
    )
    send("hex-of-hex", "Hexadecimal of the hexadecimal text.", "WrongEncoding", text.encode().hex())
    send("0x", "0x in front.", "WrongEncoding", "0x" + text)
    send("equals-after", "An equals sign after it.", "WrongEncoding", text + "=")
    send("junk-after", "Two letters after it.", "WrongEncoding", text + "zz")
    send(
        "junk-inside", "A dash between the octets.", "WrongEncoding", "-".join(text[i : i + 2] for i in range(0, 64, 2))
    )
    send("space-inside", "A space in the middle.", "WrongEncoding", text[:32] + " " + text[32:])
    send("letter-g", "A letter that is no hexadecimal digit.", "WrongEncoding", text[:-1] + "g")
    send(
        "plus-sign",
        "A plus sign in place of a digit; some number parsers take it.",
        "WrongEncoding",
        text[:62] + "+" + text[63],
    )
    send("63-digits", "The last digit missing.", "TruncatedTag", text[:-1])
    send("65-digits", "One digit more.", "TruncatedTag", text + "0")
    send(
        "fullwidth",
        "Digits of full width.",
        "WrongEncoding",
        "".join(chr(0xFEE0 + ord(c)) if c.isdigit() else c for c in text),
    )


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
    send(
        "swapped-case",
        "The case of the letters exchanged.",
        "WrongEncoding",
        text[:42].swapcase() + "A=",
        "signature-mismatch",
    )


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
        (
            "of-digest",
            "HMAC over the SHA-256 of the signed bytes",
            model.hmac_sha256(key, hashlib.sha256(message).digest()),
        ),
        (
            "of-hex-digest",
            "HMAC over the hexadecimal SHA-256 of the signed bytes",
            model.hmac_sha256(key, hashlib.sha256(message).hexdigest().encode()),
        ),
        ("empty-key", "HMAC with an empty key", model.hmac_sha256(b"", message)),
        ("twice", "HMAC of the HMAC", model.hmac_sha256(key, model.hmac_sha256(key, message))),
    ]:
        send("of-" + name, "Made as %s." % words, "WrongPrimitive", s.encode(data), "signature-mismatch")
    if message != s.body:
        send(
            "of-body-alone",
            "Made over the body alone.",
            "WrongPrimitive",
            s.encode(model.hmac_sha256(key, s.body)),
            "signature-mismatch",
        )
