"""Headers that hold one signature: with a word in front (sha256=…), or nothing else."""

_F = "f" * 64


def prefix_family(bench):
    s = bench.sender
    word = s.prefix

    def send(name, comment, flags, text, reason):
        bench.test(name, comment, flags, value=lambda g: text.replace("G", g), reason=reason)

    unknown = ["UnknownVersionOnly"]
    for name, words, text in [
        ("capital", "in capitals", word.upper() + "G"),
        ("mixed", "in mixed case", word.capitalize() + "G"),
        ("sha1", "sha1, before the right SHA-256 signature", "sha1=G"),
        ("sha512", "sha512, before the right SHA-256 signature", "sha512=G"),
        ("md5", "md5", "md5=" + "0" * 32),
        ("v1", "v1", "v1=G"),
        ("one-letter", "of one letter", "x=G"),
        ("16-letters", "of 16 letters, the longest that counts as one", "abcdefghijklmnop=G"),
        ("dash", "with a dash", "sha-256=G"),
        ("underscore", "with an underscore", "sha_256=G"),
        ("longer", "that begins like ours", "sha2567=G"),
        ("shorter", "that is the beginning of ours", "sha25=G"),
        ("hmac", "hmac-sha256", "hmac-sha256=G"),
    ]:
        send("word-" + name, "The word in front: %s." % words, unknown, text, "unsupported-version")
    bad = ["MalformedHeader"]
    for name, words, text in [
        ("missing", "The signature without the word.", "G"),
        ("no-equals", "The word without its equals sign.", "sha256"),
        ("no-equals-digits", "The word and the signature without an equals sign.", "sha256G"),
        ("colon", "A colon in place of the equals sign.", "sha256:G"),
        ("space-before-equals", "A space before the equals sign.", "sha256 =G"),
        ("17-letters", "A word of 17 letters is none.", "abcdefghijklmnopq=G"),
        ("empty", "An equals sign without a word.", "=G"),
        ("quoted", "The value in quotation marks.", '"sha256=G"'),
        ("full-stop", "A full stop in the word.", "sha.256=G"),
        ("non-ascii", "A letter outside ASCII in the word.", "shä256=G"),
        ("garbage", "A word and nothing else.", "garbage"),
    ]:
        send("word-" + name, words, bad, text, "malformed-header")
    wrong = ["WrongEncoding"]
    for name, words, text in [
        ("alone", "The word with nothing after it.", "sha256="),
        ("twice", "The word twice.", "sha256=sha256=G"),
        ("space-after-equals", "A space after the equals sign.", "sha256= G"),
        ("double-equals", "Two equals signs.", "sha256==G"),
        ("32-zeros", "Half of the digits.", "sha256=" + "0" * 32),
    ]:
        send("word-" + name, words, wrong, text, "bad-encoding")
    for name, words, text in [
        ("good-first", "the right one first", "sha256=G, sha256=" + _F),
        ("good-last", "the right one last", "sha256=%s, sha256=G" % _F),
        ("no-space", "without a space", "sha256=G,sha256=" + _F),
        ("same", "both right", "sha256=G, sha256=G"),
    ]:
        send(
            "joined-" + name,
            "Two values in one line, %s." % words,
            ["MultipleSignatures", "WrongEncoding"],
            text,
            "bad-encoding",
        )
    _ranks(bench)
    bench.test(
        "rank-word-and-encoding",
        "Two faults: another word, and nothing decodable.",
        "OrderOfReasons",
        value=lambda _: "md5=zz",
        reason="unsupported-version",
    )
    bench.test(
        "rank-no-word-and-encoding",
        "Two faults: no word, and nothing decodable.",
        "OrderOfReasons",
        value=lambda _: "zz",
        reason="malformed-header",
    )


def whole_family(bench):
    s = bench.sender
    other = s.encode(b"\xff" * 32)
    for name, words, text in [
        ("sha256", "sha256= in front.", "sha256=G"),
        ("v1", "v1= in front.", "v1=G"),
        ("v1-comma", "v1, in front.", "v1,G"),
        ("bearer", "A word and a space in front.", "HMAC G"),
        ("list", "The form of other senders.", "t=1700000000,v1=G"),
        ("word", "A word.", "garbage"),
        ("comma", "A lone comma.", ","),
        ("equals", "A lone equals sign.", "="),
        ("json", "A JSON string list.", '["G"]'),
    ]:
        bench.test(
            "syntax-" + name, words, ["WrongEncoding"], value=lambda g, t=text: t.replace("G", g), reason="bad-encoding"
        )
    # the lenient decoders among Shopify's libraries stop at the first value
    lenient = s.id == "shopify"
    for name, words, text in [
        ("good-first", "the right one first", "G, " + other),
        ("good-last", "the right one last", other + ", G"),
        ("same", "both right", "G, G"),
        ("no-space", "without a space, the right one first", "G," + other),
    ]:
        may = lenient and name != "good-last"
        bench.test(
            "joined-" + name,
            "Two header lines joined by a proxy, %s." % words,
            ["MultipleSignatures", "JoinedHeaderLines" if may else "WrongEncoding"],
            value=lambda g, t=text: t.replace("G", g),
            acceptable=may,
            reason=None if may else "bad-encoding",
        )
    _ranks(bench)


def _ranks(bench):
    s = bench.sender
    rank = ["OrderOfReasons"]
    only = lambda *values: lambda lines: [(n, v) for n, v in lines if n != s.header] + [(s.header, v) for v in values]
    bench.test(
        "rank-repeated-encoding",
        "Two faults: the header twice, and neither decodable.",
        rank + ["RepeatedHeader"],
        headers=only("zz", "zz"),
        reason="repeated-header",
    )
    bench.test(
        "rank-repeated-long",
        "Two faults: the header twice, once too long.",
        rank + ["RepeatedHeader"],
        headers=lambda lines: lines + [(s.header, "x" * 9000)],
        reason="repeated-header",
    )
    bench.test(
        "rank-secret-missing",
        "Two faults: a blank secret, and no header.",
        rank + ["BlankSecret"],
        headers=lambda lines: [],
        secrets=[""],
        reason="bad-secret",
    )
    bench.test(
        "rank-secret-repeated",
        "Two faults: a blank secret, and the header twice.",
        rank + ["BlankSecret"],
        headers=lambda lines: lines + [(s.header, "zz")],
        secrets=[" "],
        reason="bad-secret",
    )
    bench.test(
        "rank-encoding-tampered",
        "Two faults: nothing decodable, and a changed body.",
        rank + ["TamperedBody"],
        value=lambda _: s.prefix + "zz",
        signed_body=s.body,
        body=s.body + b" ",
        reason="bad-encoding",
    )
