"""Standard Webhooks: the list of version,signature."""

import model

_ZERO = "A" * 43 + "="
_ED25519 = "A" * 86 + "=="


def standard_family(bench):
    _items(bench)
    _numbers(bench)


def _send(bench, name, comment, flags, text, policy=(), reason=None):
    flags = ([flags] if isinstance(flags, str) else list(flags)) + list(policy)
    bench.test(name, comment, flags, value=lambda g: text.replace("G", g), acceptable=bool(policy), reason=reason)


def _items(bench):
    multi = ["MultipleSignatures"]
    for name, words, text in [
        ("good-first", "the right one first", "v1,G v1," + _ZERO),
        ("good-last", "the right one last", "v1,%s v1,G" % _ZERO),
        ("good-middle", "three, the right one between", "v1,%s v1,G v1,%s" % (_ZERO, _ZERO)),
        ("good-twice", "the right one twice", "v1,G v1,G"),
    ]:
        _send(bench, "several-" + name, "Several signatures: %s." % words, multi, text)
    _send(
        bench,
        "several-none",
        "Two signatures, none of them right.",
        multi + ["WrongSecret"],
        "v1,%s v1,%s" % (_ZERO, _ZERO),
        reason="signature-mismatch",
    )
    for name, words, bad in [
        ("empty", "an empty one", ""),
        ("short", "a short one", "AAAA"),
        ("asterisks", "asterisks", "*****"),
        ("unpadded", "one without padding", "A" * 43),
        ("urlsafe", "one in the URL-safe alphabet", "-" * 42 + "A="),
        ("hex", "one in hexadecimal", "ab" * 32),
        ("non-ascii", "one outside ASCII", "é" * 44),
        ("comma", "one with a comma inside", _ZERO + ",x"),
    ]:
        flags = multi + ["UnusableCandidate"]
        _send(bench, "unusable-%s-first" % name, "The right signature after %s." % words, flags, "v1,%s v1,G" % bad)
        _send(bench, "unusable-%s-last" % name, "The right signature before %s." % words, flags, "v1,G v1," + bad)
        _send(
            bench, "unusable-%s-alone" % name, "Only %s." % words, "WrongEncoding", "v1," + bad, reason="bad-encoding"
        )
    for name, words, version in [
        ("v1a", "v1a", "v1a"),
        ("v0", "v0", "v0"),
        ("v2", "v2", "v2"),
        ("capital", "V1", "V1"),
        ("v10", "v10", "v10"),
        ("v01", "v01", "v01"),
        ("empty", "no version", ""),
        ("tab", "v1 after a tab", "v0\tv1"),
    ]:
        _send(
            bench,
            "version-%s-only" % name,
            "The right signature, under %s." % words,
            "UnknownVersionOnly",
            "%s,G" % version,
            reason="unsupported-version",
        )
        _send(
            bench,
            "version-%s-beside" % name,
            "A wrong one under %s before the right one under v1." % words,
            "UnknownVersionBeside",
            "%s,%s v1,G" % (version, _ZERO),
        )
    _send(
        bench,
        "version-v1a-real-size",
        "A v1a item of 64 octets before the right one under v1.",
        "UnknownVersionBeside",
        "v1a,%s v1,G" % _ED25519,
    )
    _send(
        bench,
        "version-v1a-good-v1-wrong",
        "v1 wrong, and the right signature under v1a.",
        ["UnknownVersionBeside", "WrongSecret"],
        "v1,%s v1a,G" % _ZERO,
        reason="signature-mismatch",
    )
    _send(
        bench,
        "empty-item-between",
        "Two spaces between the items.",
        multi,
        "v1,%s  v1,G" % _ZERO,
        policy=["EmptyListItem"],
    )
    _send(
        bench,
        "bare-item-first",
        "A word without a comma before the right one.",
        [],
        "garbage v1,G",
        policy=["BareListItem"],
    )
    _send(
        bench,
        "bare-item-last",
        "A word without a comma after the right one; every library skips it.",
        "HeaderSyntax",
        "v1,G garbage",
    )
    _send(bench, "bare-version-first", "A bare v1 before the right one.", [], "v1 v1,G", policy=["BareListItem"])
    for name, words, text in [
        ("no-version", "The signature without a version.", "G"),
        ("equals", "An equals sign in place of the comma.", "v1=G"),
        ("colon", "A colon in place of the comma.", "v1:G"),
        ("word", "One word.", "garbage"),
        ("two-words", "Two words.", "v1 garbage"),
        ("non-ascii", "Bytes outside ASCII.", "éé"),
    ]:
        _send(bench, "syntax-" + name, words, "MalformedHeader", text, reason="malformed-header")
    _send(
        bench,
        "syntax-comma",
        "A lone comma: an item of no version.",
        "UnknownVersionOnly",
        ",",
        reason="unsupported-version",
    )
    _send(bench, "syntax-two-commas", "Two commas after the version.", "WrongEncoding", "v1,,G", reason="bad-encoding")
    _send(bench, "syntax-comma-after", "A comma after the signature.", "WrongEncoding", "v1,G,", reason="bad-encoding")
    _send(
        bench,
        "syntax-tab",
        "A tab between two items: one item.",
        "WrongEncoding",
        "v1,%s\tv1,G" % _ZERO,
        reason="bad-encoding",
    )
    _send(
        bench,
        "syntax-comma-list",
        "Two items with a comma and no space between: one item.",
        "WrongEncoding",
        "v1,%s,v1,G" % _ZERO,
        reason="bad-encoding",
    )
    _send(
        bench,
        "syntax-space-after-comma",
        "A space between comma and signature: an empty item and a word.",
        "WrongEncoding",
        "v1, G",
        reason="bad-encoding",
    )
    _send(
        bench,
        "joined-good-last",
        "Two header lines joined by a proxy, the right one last: the first value has a comma more.",
        multi + ["UnusableCandidate"],
        "v1,%s, v1,G" % _ZERO,
    )
    _send(
        bench,
        "joined-good-first",
        "Two header lines joined by a proxy, the right one first: its value has a comma more.",
        multi + ["UnusableCandidate"],
        "v1,G, v1," + _ZERO,
        reason="signature-mismatch",
    )


def _numbers(bench):
    many = ["TooManySignatures"]
    wrong = " ".join("v1," + model.b64(bytes([i]) * 32) for i in range(31))
    _send(
        bench,
        "number-32-good-last",
        "32 signatures, the right one last.",
        many + ["MultipleSignatures"],
        wrong + " v1,G",
    )
    _send(
        bench,
        "number-33-good-last",
        "33 signatures, the right one last.",
        many,
        "v1,%s %s v1,G" % (_ZERO, wrong),
        reason="too-many-signatures",
    )
    _send(
        bench,
        "number-33-good-first",
        "33 signatures, the right one first.",
        many,
        "v1,G %s v1,%s" % (wrong, _ZERO),
        reason="too-many-signatures",
    )
    _send(
        bench,
        "number-33-undecodable",
        "The right signature and 32 that cannot be decoded.",
        many + ["UnusableCandidate"],
        "v1,G" + " v1,*" * 32,
        reason="too-many-signatures",
    )
    _send(
        bench,
        "number-1000",
        "A thousand empty signatures and the right one.",
        many,
        "v1, " * 1000 + "v1,G",
        reason="too-many-signatures",
    )
    _send(
        bench,
        "number-1000-whole",
        "A thousand whole signatures: the header is too long.",
        many + ["LongHeader", "MalformedHeader"],
        ("v1,%s " % _ZERO) * 999 + "v1,G",
        reason="malformed-header",
    )
    _send(
        bench,
        "number-64-items",
        "64 items, 63 of another version.",
        many + ["UnknownVersionBeside"],
        "v1,G" + " v2,x" * 63,
    )
    _send(
        bench,
        "number-65-items",
        "65 items, 64 of another version; the signature is right.",
        many,
        "v1,G" + " v2,x" * 64,
        policy=["ManyItems"],
    )
    _send(
        bench,
        "number-65-items-wrong",
        "65 items, 64 of another version; the signature is wrong.",
        many,
        "v1," + _ZERO + " v2,x" * 64,
        reason="too-many-signatures",
    )
    _send(
        bench,
        "number-64-empty",
        "64 items, 62 of them empty.",
        many,
        "v1,%s%sv1,G" % (_ZERO, " " * 63),
        policy=["EmptyListItem"],
    )
    _send(
        bench,
        "number-65-empty",
        "65 items, 63 of them empty; empty ones count.",
        many,
        "v1,%s%sv1,G" % (_ZERO, " " * 64),
        policy=["EmptyListItem", "ManyItems"],
    )
    _send(
        bench,
        "number-65-empty-wrong",
        "65 items, 63 of them empty, and both signatures wrong.",
        many,
        "v1,%s%sv1,%s" % (_ZERO, " " * 64, _ZERO),
        reason="too-many-signatures",
    )
