"""Headers of the form t=…,v1=…[,v1=…]: items, versions, blanks."""

_F = "f" * 64


def t_list_family(bench):
    _order(bench)
    _several(bench)
    _versions(bench)
    _items(bench)
    _blanks(bench)


def send(bench, name, comment, flags, text, several=False, policy=(), **rest):
    """`text` makes the header value from T (the time) and G (the good signature).

    `several`: more than one signature, which some senders do not document.
    `policy`: policy flags; they make the test acceptable unless all libraries agree with us.
    """
    s = bench.sender
    flags = [flags] if isinstance(flags, str) else list(flags)
    flags += policy
    asks = [f for f in policy if f not in s.agreed]
    if several and s.list_flag:
        flags.append(s.list_flag)
        asks.append(s.list_flag)
    acceptable = bool(asks) and "reason" not in rest
    if not acceptable:
        flags = [f for f in flags if f not in ("UndocumentedSignatureList",)]
    bench.test(
        name, comment, flags, value=lambda g: text.replace("T", s.time()).replace("G", g), acceptable=acceptable, **rest
    )


def _order(bench):
    send(bench, "list-signature-first", "The signature before the time.", "HeaderSyntax", "v1=G,t=T")
    send(
        bench,
        "list-unknown-between",
        "Unknown items before, between and after.",
        "UnknownVersionBeside",
        "foo=bar,t=T,k=1,v1=G,v99=zz",
    )
    send(bench, "list-unknown-empty-key", "An item with an empty key.", "HeaderSyntax", "=x,t=T,v1=G")
    send(
        bench,
        "list-unknown-with-equals",
        "An unknown item with equals signs in its value.",
        "UnknownVersionBeside",
        "t=T,v2=cHA=cHA==,v1=G",
    )


def _several(bench):
    multi = ["MultipleSignatures"]
    for name, words, text in [
        ("good-first", "two signatures, the right one first", "t=T,v1=G,v1=" + _F),
        ("good-last", "two signatures, the right one last", "t=T,v1=" + _F + ",v1=G"),
        ("good-middle", "three signatures, the right one between", "t=T,v1=%s,v1=G,v1=%s" % (_F, "0" * 64)),
        ("good-before-time", "one right signature before the time and one wrong after", "v1=G,t=T,v1=" + _F),
        ("good-twice", "the right signature twice", "t=T,v1=G,v1=G"),
    ]:
        send(bench, "several-" + name, "Rotation at the sender: %s." % words, multi, text, several=True)
    send(
        bench,
        "several-none",
        "Two signatures, none of them right.",
        multi + ["WrongSecret"],
        "t=T,v1=%s,v1=%s" % (_F, "0" * 64),
        reason="signature-mismatch",
    )
    send(
        bench,
        "several-split",
        "The right signature cut into two items.",
        multi + ["TruncatedTag"],
        "t=T,v1=" + "a" * 32 + ",v1=" + "b" * 32,
        reason="bad-encoding",
    )
    for name, words, bad in [
        ("empty", "an empty one", ""),
        ("short", "a short one", "ab"),
        ("odd", "one of 63 digits", "a" * 63),
        ("long", "one of 66 digits", "a" * 66),
        ("not-hex", "one of 64 letters that are no digits", "z" * 64),
        ("base64", "one in base64", "A" * 43 + "="),
        ("non-ascii", "one outside ASCII", "é"),
        ("non-ascii-64", "64 letters outside ASCII", "é" * 64),
        ("equals", "one with an equals sign after it", _F + "="),
        ("quoted", "one in quotation marks", '"%s"' % _F),
    ]:
        flags = multi + ["UnusableCandidate"]
        send(
            bench,
            "unusable-%s-first" % name,
            "The right signature after %s." % words,
            flags,
            "t=T,v1=%s,v1=G" % bad,
            several=True,
        )
        send(
            bench,
            "unusable-%s-last" % name,
            "The right signature before %s." % words,
            flags,
            "t=T,v1=G,v1=" + bad,
            several=True,
        )
        send(
            bench,
            "unusable-%s-alone" % name,
            "Only %s." % words,
            "WrongEncoding",
            "t=T,v1=" + bad,
            reason="bad-encoding",
        )
    send(
        bench,
        "unusable-and-wrong",
        "One undecodable signature and one wrong one: a candidate was compared.",
        multi + ["UnusableCandidate"],
        "t=T,v1=,v1=" + _F,
        reason="signature-mismatch",
    )
    s = bench.sender
    both = lambda text: "t=%s,v1=%s,v1=%s" % (s.time(), s.encode(s.mac(s.old, s.body)), text)
    flag = [s.list_flag] if s.list_flag else []
    bench.test(
        "rotation-both-sides",
        "Two signatures at the sender and two secrets at the receiver: the lowest index counts.",
        multi + ["RotatedSecret"] + flag,
        value=both,
        secrets=[s.secret, s.old],
        key=0,
        acceptable=bool(flag),
    )
    bench.test(
        "rotation-receiver-behind",
        "The sender signs with both; the receiver still has the old secret alone.",
        multi + ["RotatedSecret"] + flag,
        value=both,
        secrets=[s.old],
        key=0,
        acceptable=bool(flag),
    )


def _versions(bench):
    only = ["UnknownVersionOnly"]
    for name, words, key in [
        ("v0", "v0", "v0"),
        ("v2", "v2", "v2"),
        ("capital", "V1", "V1"),
        ("v10", "v10", "v10"),
        ("v01", "v01", "v01"),
        ("v1a", "v1a", "v1a"),
        ("v", "v", "v"),
        ("sha256", "sha256", "sha256"),
        ("s", "s", "s"),
        ("h1", "h1", "h1"),
        ("empty", "no key", ""),
    ]:
        send(
            bench,
            "version-%s-only" % name,
            "The right signature, under %s." % words,
            only,
            "t=T,%s=G" % key,
            reason="unsupported-version",
        )
        send(
            bench,
            "version-%s-beside" % name,
            "A wrong one under %s beside the right one under v1." % words,
            "UnknownVersionBeside",
            "t=T,%s=%s,v1=G" % (key, _F),
        )
    send(
        bench,
        "version-v0-good-v1-wrong",
        "v1 wrong, v0 right.",
        ["UnknownVersionBeside", "WrongSecret"],
        "t=T,v1=%s,v0=G" % _F,
        reason="signature-mismatch",
    )
    send(bench, "version-none", "A time and no signature.", only, "t=T", reason="unsupported-version")
    send(bench, "version-v1-bare-only", "A time and a bare v1.", only, "t=T,v1", reason="unsupported-version")


def _items(bench):
    empty = ["EmptyListItem"]
    send(bench, "empty-item-last", "A comma at the end.", [], "t=T,v1=G,", policy=empty)
    send(bench, "empty-item-first", "A comma at the start.", [], ",t=T,v1=G", policy=empty)
    send(bench, "empty-item-between", "Two commas between the items.", [], "t=T,,v1=G", policy=empty)
    bare = ["BareListItem"]
    send(bench, "bare-item", "An unknown word without an equals sign.", [], "t=T,flag,v1=G", policy=bare)
    send(
        bench,
        "bare-version-first",
        "A bare v1 before the right one.",
        ["UnusableCandidate"],
        "t=T,v1,v1=G",
        policy=bare,
    )
    send(
        bench, "bare-version-last", "A bare v1 after the right one.", ["UnusableCandidate"], "t=T,v1=G,v1", policy=bare
    )
    send(bench, "bare-time-beside", "A bare t beside a time.", [], "t,t=T,v1=G", policy=bare)
    send(bench, "bare-non-ascii", "A bare word outside ASCII.", [], "t=T,é,v1=G", policy=bare)
    for name, words, text in [
        ("word", "One word.", "garbage"),
        ("commas", "Only commas.", ",,,"),
        ("equals", "A lone equals sign.", "="),
        ("signature-alone", "The signature without any key.", "G"),
        ("json", "A JSON object.", '{"t":"T","v1":"G"}'),
        ("semicolons", "Semicolons in place of commas.", "t=T;v1=G"),
        ("spaces", "Spaces in place of commas.", "t=T v1=G"),
        ("ampersand", "Ampersands in place of commas.", "t=T&v1=G"),
        ("colons", "Colons in place of equals signs.", "t:T,v1:G"),
        ("quoted-whole", "The whole value in quotation marks.", '"t=T,v1=G"'),
        ("non-ascii", "Bytes outside ASCII.", "ééé"),
    ]:
        send(bench, "syntax-" + name, words, "MalformedHeader", text, reason="malformed-header")
    send(
        bench,
        "syntax-value-with-equals",
        "A second equals sign and text after the signature.",
        "WrongEncoding",
        "t=T,v1=G=junk",
        reason="bad-encoding",
    )
    for name, words, text in [
        ("good-first", "the right one first", "t=T,v1=G, t=T,v1=" + _F),
        ("good-last", "the right one last", "t=T,v1=%s, t=T,v1=G" % _F),
    ]:
        send(
            bench,
            "joined-" + name,
            "Two header lines joined by a proxy, %s: a second time." % words,
            ["DuplicateTimestamp", "MalformedHeader"],
            text,
            reason="malformed-header",
        )


def _blanks(bench):
    s = bench.sender
    after = ["BlankAfterComma"]
    send(bench, "blank-after-comma", "A space after the comma.", [], "t=T, v1=G", policy=after)
    send(bench, "blank-two-after-comma", "Two spaces after the comma.", [], "t=T,  v1=G", policy=after)
    send(bench, "blank-tab-after-comma", "A tab after the comma.", [], "t=T,\tv1=G", policy=after)
    send(
        bench,
        "blank-after-comma-signature-first",
        "A space after the comma, the signature first.",
        [],
        "v1=G, t=T",
        policy=after,
    )
    send(
        bench,
        "blank-after-every-comma",
        "A space after every comma, two signatures.",
        ["MultipleSignatures"],
        "t=T, v1=%s, v1=G" % _F,
        several=True,
        policy=after,
    )
    inside = ["BlankInItem"]
    send(bench, "blank-before-comma", "A space before the comma, after the time.", [], "t=T ,v1=G", policy=inside)
    send(bench, "blank-before-time", "A space between equals sign and time.", [], "t= T,v1=G", policy=inside)
    send(
        bench,
        "blank-before-last-comma",
        "A space between the signature and a comma.",
        [],
        "t=T,v1=G ,x=1",
        policy=inside,
    )
    # Stripe's libraries all refuse the next three
    refused = s.id == "stripe"
    for name, words, text, reason in [
        ("around-equals", "Spaces around the equals signs.", "t = T,v1 = G", "malformed-header"),
        ("after-time-key", "A space between the time's key and its equals sign.", "t =T,v1=G", "malformed-header"),
        ("after-version", "A space between v1 and its equals sign.", "t=T,v1 =G", "unsupported-version"),
        ("before-signature", "A space between equals sign and signature.", "t=T,v1= G", "bad-encoding"),
    ]:
        if refused:
            send(bench, "blank-" + name, words, "HeaderSyntax", text, reason=reason)
        else:
            send(bench, "blank-" + name, words, [], text, policy=inside)
    send(
        bench,
        "blank-inside-time",
        "A space inside the time.",
        ["TimestampNotCanonical", "MalformedHeader"],
        "t=17000 00000,v1=G",
        reason="malformed-header",
    )
    send(
        bench,
        "blank-no-break",
        "A no-break space after the comma is no blank of HTTP: an unknown key.",
        "UnknownVersionOnly",
        "t=T,\u00a0v1=G",
        reason="unsupported-version",
    )
