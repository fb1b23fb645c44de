"""Bodies: the signature is over the bytes as they came."""

import json
import unicodedata

from model import Repeat

_BOM = b"\xef\xbb\xbf"

_SIGNED = [
    # name, comment, flag, body
    ("empty", "no bytes at all", "EmptyBody", b""),
    ("one-byte", "one byte", "AnyBody", b"0"),
    ("one-space", "a single space", "AnyBody", b" "),
    ("one-newline", "a single newline", "LineEnding", b"\n"),
    ("nul", "NUL octets inside and at the end", "AnyBody", b'{"a":"\x00"}\x00'),
    ("bom", "begins with a byte order mark that was signed", "ByteOrderMark", _BOM + b'{"a":1}'),
    ("utf16", "UTF-16 with its byte order mark", "NonUtf8Body", b"\xff\xfe" + '{"a":1}'.encode("utf-16-le")),
    ("crlf", "lines end in CR LF", "LineEnding", b'{\r\n  "a": 1\r\n}\r\n'),
    ("lone-cr", "lines end in CR", "LineEnding", b'{"a":1}\r'),
    ("final-newline", "a final newline that was signed", "LineEnding", b'{"a":1}\n'),
    ("two-newlines", "two final newlines that were signed", "LineEnding", b'{"a":1}\n\n'),
    ("leading-space", "white space before the document", "AnyBody", b'  \t{"a":1}'),
    ("dollar-amp", "the patterns $& $` $' $$ $1 $<a>", "SubstitutionPattern", b'{"price":"$& $` $\' $$ $1 $<a>"}'),
    (
        "template",
        "text that looks like a template",
        "SubstitutionPattern",
        b'{"t":"{body} {0} {timestamp} %s %(a)s ${x} \\\\1"}',
    ),
    ("duplicate-keys", "a doubled member", "DuplicateKeys", b'{"a":1,"a":2}'),
    ("spaced-json", "JSON with spaces after separators", "ReserialisedBody", b'{"b": 1.0, "a": [1, 2]}'),
    ("escapes", "JSON escapes for characters that need none", "ReserialisedBody", b'{"a":"\\u00e9\\/\\u0041"}'),
    (
        "numbers",
        "numbers that a parser would print otherwise",
        "ReserialisedBody",
        b'{"a":1.0,"b":1e2,"c":12345678901234567890,"d":-0}',
    ),
    ("separators", "U+2028 and U+2029 as they stand", "AnyBody", b'{"a":"\xe2\x80\xa8\xe2\x80\xa9"}'),
    ("multibyte", "characters of two, three and four octets", "AnyBody", '{"a":"é世😀"}'.encode("utf-8")),
    ("not-json", "no JSON", "AnyBody", b"not json {"),
    ("json-null", "the JSON word null", "AnyBody", b"null"),
    ("form", "a form", "AnyBody", b"payload=%7B%22a%22%3A%22b+c%22%7D&x=%26"),
    ("all-bytes", "every octet from 00 to FF", "AllBytes", bytes(range(256))),
    ("all-bytes-down", "every octet from FF to 00", "AllBytes", bytes(range(255, -1, -1))),
    ("gzip-magic", "begins like a gzip file", "NonUtf8Body", b"\x1f\x8b\x08\x00" + b"plain"),
    ("full-stops", "only full stops, which some schemes use as separators", "AnyBody", b"..."),
    ("one-megabyte", "a million octets", "BigBody", Repeat("a", 1000000)),
    ("block-63", "63 octets", "AnyBody", b"b" * 63),
    ("block-64", "64 octets, one block of the hash", "AnyBody", b"b" * 64),
    ("block-65", "65 octets", "AnyBody", b"b" * 65),
]

_NOT_UTF8 = [
    ("ff", "the octet FF", b'{"a":"\xff"}'),
    ("latin1", "Latin-1 text", b'{"a":"caf\xe9"}'),
    ("cut-sequence", "ends inside a character", b'{"a":"\xf0\x9f\x98'),
    ("overlong", "an overlong form", b'{"a":"\xc0\xaf"}'),
    ("surrogate", "an encoded surrogate", b'{"a":"\xed\xa0\x80"}'),
]

_CHANGED = [
    # name, comment, flag, signed body, delivered body
    ("bom-added", "a byte order mark put in front after signing", "ByteOrderMark", b'{"a":1}', _BOM + b'{"a":1}'),
    ("bom-removed", "a signed byte order mark taken off", "ByteOrderMark", _BOM + b'{"a":1}', b'{"a":1}'),
    ("crlf-to-lf", "CR LF became LF", "LineEnding", b'{\r\n"a":1\r\n}', b'{\n"a":1\n}'),
    ("lf-to-crlf", "LF became CR LF", "LineEnding", b'{\n"a":1\n}', b'{\r\n"a":1\r\n}'),
    ("newline-added", "a newline added at the end", "LineEnding", b'{"a":1}', b'{"a":1}\n'),
    ("newline-removed", "a signed newline taken off", "LineEnding", b'{"a":1}\n', b'{"a":1}'),
    ("space-added", "a space added at the end", "TamperedBody", b'{"a":1}', b'{"a":1} '),
    ("nul-added", "a NUL octet added at the end", "TamperedBody", b'{"a":1}', b'{"a":1}\x00'),
    ("cut-at-nul", "cut at a NUL octet", "TamperedBody", b'{"a":1}\x00{"b":2}', b'{"a":1}'),
    ("emptied", "the body taken away", "EmptyBody", b'{"a":1}', b""),
    ("was-empty", "a body put where there was none", "EmptyBody", b"", b'{"a":1}'),
    ("fffd-to-ff", "U+FFFD was signed and FF came", "ReplacementCharacter", b'{"a":"\xef\xbf\xbd"}', b'{"a":"\xff"}'),
    ("ff-to-fffd", "FF was signed and U+FFFD came", "ReplacementCharacter", b'{"a":"\xff"}', b'{"a":"\xef\xbf\xbd"}'),
    (
        "ff-to-fe",
        "two different octets that both decode to U+FFFD",
        "ReplacementCharacter",
        b'{"a":"\xff"}',
        b'{"a":"\xfe"}',
    ),
    ("ff-to-question", "FF became a question mark", "ReplacementCharacter", b'{"a":"\xff"}', b'{"a":"?"}'),
    ("dollar-doubled", "$5 was signed and $$5 came", "SubstitutionPattern", b'{"price":"$5"}', b'{"price":"$$5"}'),
    ("dollar-halved", "$$5 was signed and $5 came", "SubstitutionPattern", b'{"price":"$$5"}', b'{"price":"$5"}'),
    ("compact", "printed without spaces after signing", "ReserialisedBody", b'{"a": 1, "b": 2}', b'{"a":1,"b":2}'),
    ("spaced", "printed with spaces after signing", "ReserialisedBody", b'{"a":1,"b":2}', b'{"a": 1, "b": 2}'),
    ("sorted", "members sorted after signing", "ReserialisedBody", b'{"b":2,"a":1}', b'{"a":1,"b":2}'),
    ("unescaped", "an escape became its character", "ReserialisedBody", b'{"a":"\\u00e9"}', b'{"a":"\xc3\xa9"}'),
    ("escaped", "a character became its escape", "ReserialisedBody", b'{"a":"\xc3\xa9"}', b'{"a":"\\u00e9"}'),
    ("slash-escaped", "a slash became an escaped slash", "ReserialisedBody", b'{"a":"/"}', b'{"a":"\\/"}'),
    ("one-point-zero", "1.0 became 1", "ReserialisedBody", b'{"a":1.0}', b'{"a":1}'),
    (
        "first-duplicate-dropped",
        "the first of two equal members dropped",
        "DuplicateKeys",
        b'{"a":1,"a":2}',
        b'{"a":2}',
    ),
    (
        "member-doubled",
        "a member added that overrides a signed one",
        "DuplicateKeys",
        b'{"paid":false}',
        b'{"paid":false,"paid":true}',
    ),
    ("plus-to-space", "a form's plus became a space", "TamperedBody", b"a=b+c", b"a=b c"),
    ("form-decoded", "a form decoded after signing", "TamperedBody", b"a=%7B%7D", b"a={}"),
]


def body_family(bench):
    s = bench.sender
    for name, text, flag, body in _SIGNED:
        flags = [flag]
        acceptable = False
        if s.text_only and not isinstance(body, Repeat) and not _is_text(body):
            flags.append("TextOnlyLibrary")
            acceptable = True
        bench.test("body-" + name, "Body: " + text + ".", flags, body=body, acceptable=acceptable)
    for name, text, body in _NOT_UTF8:
        flags = ["NonUtf8Body"] + (["TextOnlyLibrary"] if s.text_only else [])
        bench.test(
            "body-not-utf8-" + name,
            "Body that is not UTF-8, rightly signed: " + text + ".",
            flags,
            body=body,
            acceptable=s.text_only,
        )
    for name, text, flag, signed, sent in _CHANGED:
        bench.test(
            "body-changed-" + name,
            "Changed after signing: " + text + ".",
            sorted({flag, "TamperedBody"}),
            signed_body=signed,
            body=sent,
            reason="signature-mismatch",
        )
    _tampered(bench)
    _composed(bench)
    _realistic(bench)


def _is_text(body):
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not body.startswith(_BOM)


def _tampered(bench):
    body = bench.sender.body
    flip = lambda data, i: data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]
    for name, text, sent in [
        ("first-bit", "one bit of the first octet", flip(body, 0)),
        ("middle-bit", "one bit of the middle octet", flip(body, len(body) // 2)),
        ("last-bit", "one bit of the last octet", flip(body, len(body) - 1)),
        ("cut", "the last octet cut off", body[:-1]),
        ("appended", "one octet more", body + b"}"),
        ("doubled", "the body twice", body + body),
        ("reversed", "the octets in reverse", body[::-1]),
    ]:
        bench.test(
            "tampered-" + name,
            "Changed after signing: " + text + ".",
            "TamperedBody",
            signed_body=body,
            body=sent,
            reason="signature-mismatch",
        )


def _composed(bench):
    nfc = unicodedata.normalize("NFC", "é").encode("utf-8")
    nfd = unicodedata.normalize("NFD", "é").encode("utf-8")
    bench.test(
        "body-changed-decomposed",
        "Changed after signing: a composed character became a decomposed one.",
        "TamperedBody",
        signed_body=b'{"a":"' + nfc + b'"}',
        body=b'{"a":"' + nfd + b'"}',
        reason="signature-mismatch",
    )


def _realistic(bench):
    """The sender's own body, printed again by a JSON library."""
    body = bench.sender.body
    if not body.startswith((b"{", b"[")):
        return
    spaced = json.dumps(json.loads(body)).encode("ascii")
    pretty = json.dumps(json.loads(body), indent=2).encode("ascii")
    for name, text, sent in [("own-spaced", "with spaces", spaced), ("own-pretty", "over several lines", pretty)]:
        bench.test(
            "body-changed-" + name,
            "The body parsed and printed again " + text + ".",
            ["ReserialisedBody", "TamperedBody"],
            signed_body=body,
            body=sent,
            reason="signature-mismatch",
        )
        bench.test(
            "body-signed-" + name, "The same document " + text + ", signed in that form.", "ReserialisedBody", body=sent
        )
