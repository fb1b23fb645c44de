"""Secrets at the receiver: rotation, number, kind, form."""

import base64

BLANKS = [
    ("empty", "empty", ""),
    ("space", "one space", " "),
    ("spaces", "three spaces", "   "),
    ("tab", "a tab", "\t"),
    ("newline", "a newline", "\n"),
    ("no-break-space", "a no-break space", "\u00a0"),
    ("ideographic-space", "an ideographic space", "\u3000"),
]

# what some languages trim, and Unicode does not call white space
NOT_WHITE = [
    ("file-separator-before", "a file separator (U+001C) before it", "\x1ctest-secret"),
    ("file-separator-after", "a file separator (U+001C) after it", "test-secret\x1c"),
    ("zero-width-space", "a zero-width space (U+200B) and nothing else", "\u200b"),
]


def secret_family(bench):
    s = bench.sender
    standard = s.grammar == "standard"
    other = (
        (lambda n: "whsec_" + base64.b64encode(("other-secret-%d" % n).encode()).decode())
        if standard
        else (lambda n: "other-secret-%d" % n)
    )
    bench.test(
        "secret-wrong",
        "Signed with a key that is not configured.",
        "WrongSecret",
        secret=other(1),
        reason="signature-mismatch",
    )
    bench.test(
        "secret-none-of-two",
        "Signed with a key that is neither of the two.",
        ["WrongSecret", "RotatedSecret"],
        secret=other(1),
        secrets=[s.secret, s.old],
        reason="signature-mismatch",
    )
    bench.test(
        "rotation-current", "Two secrets; the current one signed.", "RotatedSecret", secrets=[s.secret, s.old], key=0
    )
    bench.test(
        "rotation-previous",
        "Two secrets; the previous one signed.",
        "RotatedSecret",
        secret=s.old,
        secrets=[s.secret, s.old],
        key=1,
    )
    bench.test(
        "rotation-not-yet",
        "The receiver already has the new secret; the sender still signs with the old one.",
        "RotatedSecret",
        secret=s.old,
        secrets=[other(1), s.secret, s.old],
        key=2,
    )
    bench.test(
        "rotation-over",
        "The old secret is no longer configured.",
        ["RotatedSecret", "WrongSecret"],
        secret=s.old,
        reason="signature-mismatch",
    )
    bench.test(
        "rotation-same-twice",
        "One secret configured twice: the lower index is reported.",
        "RotatedSecret",
        secrets=[s.secret, s.secret],
        key=0,
    )
    bench.test(
        "rotation-eight",
        "Eight secrets; the last one signed.",
        "RotatedSecret",
        secrets=[other(n) for n in range(7)] + [s.secret],
        key=7,
    )
    bench.test(
        "rotation-nine",
        "Nine secrets, the right one first.",
        "TooManySecrets",
        secrets=[s.secret] + [other(n) for n in range(8)],
        reason="bad-secret",
    )
    bench.test("secret-none", "No secret at all.", "BlankSecret", secrets=[], reason="bad-secret")
    for name, words, value in BLANKS:
        # the forger knows the key of a blank secret: its text
        forged = {"hex": value.encode("utf-8").hex()}
        bench.test(
            "secret-blank-" + name,
            "The configured secret is %s, and the forger signed with it." % words,
            "BlankSecret",
            secret=forged,
            secrets=[value],
            reason="bad-secret",
        )
    bench.test(
        "secret-blank-beside-good",
        "A good secret and an empty one; signed with the good one.",
        "BlankSecret",
        secrets=[s.secret, ""],
        reason="bad-secret",
    )
    bench.test(
        "secret-blank-beside-good-forged",
        "A good secret and an empty one; signed with the empty one.",
        "BlankSecret",
        secret={"hex": ""},
        secrets=[s.secret, ""],
        reason="bad-secret",
    )
    if standard:
        _standard_forms(bench, other)
    else:
        _text_forms(bench)
    _raw_forms(bench)
    for n, value in enumerate(s.bad_kinds):
        bench.test(
            "secret-kind-%d" % (n + 1),
            "A key of another kind, told by its prefix %s." % value.split("_")[0],
            "WrongKindOfSecret",
            secret=value,
            secrets=[value],
            reason="bad-secret",
        )


def _around(bench, name, words, value, signed, acceptable):
    bench.test(
        "secret-around-" + name,
        "The configured secret has %s." % words,
        ["BlankAroundSecret"] if acceptable else ["WrongKindOfSecret"],
        secret=signed,
        secrets=[value],
        acceptable=acceptable,
        reason=None if acceptable else "bad-secret",
    )


def _text_forms(bench):
    s = bench.sender
    for name, words, before, after in [
        ("newline", "a newline at its end", "", "\n"),
        ("crlf", "CR LF at its end", "", "\r\n"),
        ("space-after", "a space at its end", "", " "),
        ("space-before", "a space at its start", " ", ""),
        ("tab-before", "a tab at its start", "\t", ""),
    ]:
        value = before + s.secret + after
        _around(bench, name, words + "; signed with it as it stands", value, value, True)
        _around(bench, name + "-trimmed", words + "; signed without", value, s.secret, False)
    for name, words, value in [
        ("inner-space", "a space inside", "two words"),
        ("one-letter", "a single letter", "k"),
        ("unicode", "letters outside ASCII", "sécret-世"),
        ("hex-text", "hexadecimal digits, used as text", "0123456789abcdef0123456789abcdef"),
        ("base64-text", "base64, used as text", "dGVzdC1zZWNyZXQtdGV4dA=="),
        ("whsec-base64", "whsec_ and base64, used as text", "whsec_dGVzdC1zZWNyZXQtdGV4dA=="),
        ("uuid", "a UUID with its dashes", "11111111-2222-3333-4444-555555555555"),
        ("64-letters", "64 letters, one block of the hash", "k" * 64),
        ("65-letters", "65 letters, more than a block", "k" * 65),
        ("200-letters", "200 letters", "k" * 200),
        ("punctuation", "quotation marks and a backslash", 'it\'s "a" \\ secret'),
    ]:
        bench.test("secret-form-" + name, "The secret: %s." % words, "SecretForm", secret=value, secrets=[value])
    if s.id == "github":
        for name, words, value in NOT_WHITE:
            bench.test(
                "secret-form-" + name,
                "The secret: %s; not white space, so it is used as it stands." % words,
                "SecretForm",
                secret=value,
                secrets=[value],
            )
    for name, words, value, key in [
        (
            "hex-decoded",
            "hexadecimal, and the sender would have decoded it",
            "0123456789abcdef0123456789abcdef",
            bytes.fromhex("0123456789abcdef0123456789abcdef"),
        ),
        (
            "base64-decoded",
            "base64, and the sender would have decoded it",
            "dGVzdC1zZWNyZXQtdGV4dA==",
            b"test-secret-text",
        ),
        (
            "prefix-stripped",
            "whsec_ and text, and the sender would have dropped the prefix",
            "whsec_test_text",
            b"test_text",
        ),
        (
            "prefix-decoded",
            "whsec_ and base64, and the sender would have decoded it",
            "whsec_dGVzdC1zZWNyZXQtdGV4dA==",
            b"test-secret-text",
        ),
        ("upper-case", "small letters, and the sender would have used capitals", "test-secret", b"TEST-SECRET"),
        ("cut", "long, and the sender would have cut it at 64 octets", "k" * 65, b"k" * 64),
        (
            "latin1",
            "a letter outside ASCII, and the sender would have used Latin-1",
            "sécret",
            "sécret".encode("latin-1"),
        ),
    ]:
        bench.test(
            "secret-not-" + name,
            "The secret is %s." % words,
            ["SecretForm", "WrongSecret"],
            secret={"hex": key.hex()},
            secrets=[value],
            reason="signature-mismatch",
        )


def _standard_forms(bench, other):
    s = bench.sender
    bare = s.secret[6:]
    text = bare.encode()
    key = base64.b64decode(bare)
    bench.test("secret-form-no-prefix", "The base64 text without whsec_.", "SecretForm", secrets=[bare])
    for name, words, value in [
        ("padding-2", "two equals signs", "whsec_dGVzdC1rZXktMDAwMQ=="),
        ("padding-1", "one equals sign", "whsec_dGVzdC1rZXktMDAwMDE="),
    ]:
        bench.test(
            "secret-form-" + name,
            "A secret whose base64 ends in %s." % words,
            "SecretForm",
            secret=value,
            secrets=[value],
        )
        short = value.rstrip("=")
        bench.test(
            "secret-form-%s-dropped" % name,
            "The same without them.",
            "UnpaddedSecret",
            secret=value,
            secrets=[short],
            acceptable=True,
        )
    for name, words, value, flag in [
        ("prefix-only", "only the prefix", "whsec_", "BlankSecret"),
        ("prefix-and-space", "the prefix and a space", "whsec_ ", "BlankSecret"),
        ("half-padding", "one of two equals signs", "whsec_dGVzdC1rZXktMDAwMQ=", "WrongKindOfSecret"),
        ("too-much-padding", "three equals signs", "whsec_dGVzdC1rZXktMDAwMQ===", "WrongKindOfSecret"),
        ("needless-padding", "equals signs after whole groups", "whsec_dGVzdC1rZXkw==", "WrongKindOfSecret"),
        ("unused-bits", "set unused bits", "whsec_dGVzdC1rZXktMDAwMR==", "WrongKindOfSecret"),
        ("urlsafe", "the URL-safe alphabet", "whsec_dGVzd-1rZXkt_DAwMQ==", "WrongKindOfSecret"),
        ("not-base64", "no base64", "whsec_#%&~", "WrongKindOfSecret"),
        ("one-digit", "a single base64 digit", "whsec_A", "WrongKindOfSecret"),
        ("newline-inside", "a newline inside", "whsec_dGVz\ndC1rZXktMDAwMQ==", "WrongKindOfSecret"),
        ("prefix-twice", "the prefix twice", "whsec_whsec_dGVzdC1rZXktMDAwMQ==", "WrongKindOfSecret"),
        ("capital-prefix", "the prefix in capitals", "WHSEC_dGVzdC1rZXktMDAwMQ==", "WrongKindOfSecret"),
        ("public-key", "a public key", "whpk_" + base64.b64encode(bytes(range(32))).decode(), "WrongKindOfSecret"),
    ]:
        bench.test("secret-bad-" + name, "The secret holds %s." % words, flag, secrets=[value], reason="bad-secret")
    _around(bench, "newline", "a newline at its end; signed with the key in it", s.secret + "\n", s.secret, True)
    _around(bench, "space-after", "a space at its end; signed with the key in it", s.secret + " ", s.secret, True)
    _around(bench, "space-before", "a space at its start", " " + s.secret, s.secret, False)
    for name, words, data in [
        ("text", "the whole text as the key", s.secret.encode()),
        ("base64-text", "the base64 text as the key", text),
        ("hex-text", "the key's hexadecimal as the key", key.hex().encode()),
    ]:
        bench.test(
            "secret-not-" + name,
            "Signed with %s." % words,
            ["SecretForm", "WrongSecret"],
            secret={"hex": data.hex()},
            reason="signature-mismatch",
        )
    bench.test(
        "secret-undecodable-beside-good",
        "A good secret and one that cannot be decoded.",
        "WrongKindOfSecret",
        secrets=[s.secret, "whsec_#%&~"],
        reason="bad-secret",
    )


def _raw_forms(bench):
    for name, words, data in [
        ("blank", "blanks", b"  \n"),
        ("high", "octets that are not UTF-8", b"\xff\xfe\x00\x80"),
        ("32", "32 octets", bytes(range(32))),
        ("64", "64 octets", bytes(range(64))),
        ("65", "65 octets", bytes(range(65))),
    ]:
        hexed, based = {"hex": data.hex()}, {"base64": base64.b64encode(data).decode()}
        form = hexed if len(data) % 2 else based
        bench.test(
            "secret-raw-" + name, "A secret given as bytes: %s." % words, "SecretForm", secret=form, secrets=[form]
        )
    # HMAC fills keys up with zeros, so a key of zeros is the empty key: anyone can sign with it (RFC 2104).
    for name, words, data in [("zero-octet", "a single zero octet", bytes(1)), ("zeros", "32 zero octets", bytes(32))]:
        bench.test(
            "secret-raw-" + name,
            "A secret given as bytes: %s, which sign like no key." % words,
            "BlankSecret",
            secret={"hex": data.hex()},
            secrets=[{"hex": data.hex()}],
            reason="bad-secret",
        )
    bench.test(
        "secret-raw-empty",
        "A secret given as no bytes.",
        "BlankSecret",
        secret={"hex": ""},
        secrets=[{"hex": ""}],
        reason="bad-secret",
    )
