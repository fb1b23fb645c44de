"""Headers of the form t=…,v1=…[,v1=…]: items, their order and number."""

import model

_F = "f" * 64


def t_list_family(bench):
    _order(bench)
    _several(bench)
    _versions(bench)
    _times(bench)
    _blanks(bench)
    _items(bench)
    _numbers(bench)
    _slides(bench)
    _ranks(bench)


def _send(bench, name, comment, flags, text, several=False, policy=(), **rest):
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
    bench.test(name, comment, flags, value=lambda g: text.replace("T", s.time()).replace("G", g),
               acceptable=acceptable, **rest)


def _order(bench):
    _send(bench, "list-signature-first", "The signature before the time.", "HeaderSyntax", "v1=G,t=T")
    _send(bench, "list-unknown-between", "Unknown items before, between and after.", "UnknownVersionBeside",
          "foo=bar,t=T,k=1,v1=G,v99=zz")
    _send(bench, "list-unknown-empty-key", "An item with an empty key.", "HeaderSyntax", "=x,t=T,v1=G")
    _send(bench, "list-unknown-with-equals", "An unknown item with equals signs in its value.", "UnknownVersionBeside",
          "t=T,v2=cHA=cHA==,v1=G")


def _several(bench):
    multi = ["MultipleSignatures"]
    for name, words, text in [
        ("good-first", "two signatures, the right one first", "t=T,v1=G,v1=" + _F),
        ("good-last", "two signatures, the right one last", "t=T,v1=" + _F + ",v1=G"),
        ("good-middle", "three signatures, the right one between", "t=T,v1=%s,v1=G,v1=%s" % (_F, "0" * 64)),
        ("good-before-time", "one right signature before the time and one wrong after", "v1=G,t=T,v1=" + _F),
        ("good-twice", "the right signature twice", "t=T,v1=G,v1=G"),
    ]:
        _send(bench, "several-" + name, "Rotation at the sender: %s." % words, multi, text, several=True)
    _send(bench, "several-none", "Two signatures, none of them right.", multi + ["WrongSecret"],
          "t=T,v1=%s,v1=%s" % (_F, "0" * 64), reason="signature-mismatch")
    _send(bench, "several-split", "The right signature cut into two items.", multi + ["TruncatedTag"],
          "t=T,v1=" + "a" * 32 + ",v1=" + "b" * 32, reason="bad-encoding")
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
        _send(bench, "unusable-%s-first" % name, "The right signature after %s." % words, flags,
              "t=T,v1=%s,v1=G" % bad, several=True)
        _send(bench, "unusable-%s-last" % name, "The right signature before %s." % words, flags,
              "t=T,v1=G,v1=" + bad, several=True)
        _send(bench, "unusable-%s-alone" % name, "Only %s." % words, "WrongEncoding", "t=T,v1=" + bad,
              reason="bad-encoding")
    _send(bench, "unusable-and-wrong", "One undecodable signature and one wrong one: a candidate was compared.",
          multi + ["UnusableCandidate"], "t=T,v1=,v1=" + _F, reason="signature-mismatch")
    s = bench.sender
    both = lambda text: "t=%s,v1=%s,v1=%s" % (s.time(), s.encode(s.mac(s.old, s.body)), text)
    flag = [s.list_flag] if s.list_flag else []
    bench.test("rotation-both-sides", "Two signatures at the sender and two secrets at the receiver: the lowest index counts.",
               multi + ["RotatedSecret"] + flag, value=both, secrets=[s.secret, s.old], key=0, acceptable=bool(flag))
    bench.test("rotation-receiver-behind", "The sender signs with both; the receiver still has the old secret alone.",
               multi + ["RotatedSecret"] + flag, value=both, secrets=[s.old], key=0, acceptable=bool(flag))


def _versions(bench):
    only = ["UnknownVersionOnly"]
    for name, words, key in [
        ("v0", "v0", "v0"), ("v2", "v2", "v2"), ("capital", "V1", "V1"), ("v10", "v10", "v10"), ("v01", "v01", "v01"),
        ("v1a", "v1a", "v1a"), ("v", "v", "v"), ("sha256", "sha256", "sha256"), ("s", "s", "s"), ("h1", "h1", "h1"),
        ("empty", "no key", ""),
    ]:
        _send(bench, "version-%s-only" % name, "The right signature, under %s." % words, only, "t=T,%s=G" % key,
              reason="unsupported-version")
        _send(bench, "version-%s-beside" % name, "A wrong one under %s beside the right one under v1." % words,
              "UnknownVersionBeside", "t=T,%s=%s,v1=G" % (key, _F))
    _send(bench, "version-v0-good-v1-wrong", "v1 wrong, v0 right.", ["UnknownVersionBeside", "WrongSecret"],
          "t=T,v1=%s,v0=G" % _F, reason="signature-mismatch")
    _send(bench, "version-none", "A time and no signature.", only, "t=T", reason="unsupported-version")
    _send(bench, "version-v1-bare-only", "A time and a bare v1.", only, "t=T,v1", reason="unsupported-version")


def _times(bench):
    twice = ["DuplicateTimestamp", "MalformedHeader"]
    for name, words, text in [
        ("same", "twice the same time", "t=T,t=T,v1=G"),
        ("same-at-end", "the same time again at the end", "t=T,v1=G,t=T"),
        ("signed-first", "the signed time first", "t=T,t=1699999999,v1=G"),
        ("signed-last", "the signed time last", "t=1699999999,t=T,v1=G"),
        ("stale-first", "a stale time first, the signed one last", "t=1,t=T,v1=G"),
        ("empty-first", "an empty time first", "t=,t=T,v1=G"),
        ("empty-last", "an empty time last", "t=T,t=,v1=G"),
        ("word-first", "a time that is no number first", "t=x,t=T,v1=G"),
        ("blank-before", "the second after a blank", "t=T,v1=G, t=T"),
    ]:
        _send(bench, "two-times-" + name, "Two times: %s." % words, twice, text, reason="malformed-header")
    s = bench.sender
    stale = s.time(-86400)
    bench.test("two-times-renewed", "A captured delivery of yesterday with a fresh second time.", twice, time=stale,
               value=lambda g: "t=%s,v1=%s,t=%s" % (stale, g, s.time()), reason="malformed-header")
    bench.test("two-times-renewed-first", "A captured delivery of yesterday with a fresh time before the signed one.",
               twice, time=stale, value=lambda g: "t=%s,t=%s,v1=%s" % (s.time(), stale, g), reason="malformed-header")
    none = ["MalformedHeader"]
    for name, words, text in [
        ("missing", "No time.", "v1=G"),
        ("bare", "The time's key without a value.", "t,v1=G"),
        ("capital", "The time's key as a capital letter.", "T0=T,v1=G"),
        ("other-key", "The time under another key.", "ts=T,v1=G"),
        ("double-equals", "Two equals signs before the time.", "t==T,v1=G"),
        ("equals-after", "An equals sign after the time.", "t=T=,v1=G"),
        ("quoted", "The time in quotation marks.", 't="T",v1=G'),
    ]:
        text = text.replace("T0=", "\x54=") if name == "capital" else text
        if name == "capital":
            bench.test("time-key-" + name, words, none, value=lambda g: "T=%s,v1=%s" % (s.time(), g),
                       reason="malformed-header")
        else:
            _send(bench, "time-key-" + name, words, none, text, reason="malformed-header")


def _blanks(bench):
    s = bench.sender
    after = ["BlankAfterComma"]
    _send(bench, "blank-after-comma", "A space after the comma.", [], "t=T, v1=G", policy=after)
    _send(bench, "blank-two-after-comma", "Two spaces after the comma.", [], "t=T,  v1=G", policy=after)
    _send(bench, "blank-tab-after-comma", "A tab after the comma.", [], "t=T,\tv1=G", policy=after)
    _send(bench, "blank-after-comma-signature-first", "A space after the comma, the signature first.", [], "v1=G, t=T",
          policy=after)
    _send(bench, "blank-after-every-comma", "A space after every comma, two signatures.", ["MultipleSignatures"],
          "t=T, v1=%s, v1=G" % _F, several=True, policy=after)
    inside = ["BlankInItem"]
    _send(bench, "blank-before-comma", "A space before the comma, after the time.", [], "t=T ,v1=G", policy=inside)
    _send(bench, "blank-before-time", "A space between equals sign and time.", [], "t= T,v1=G", policy=inside)
    _send(bench, "blank-before-last-comma", "A space between the signature and a comma.", [], "t=T,v1=G ,x=1",
          policy=inside)
    # Stripe's libraries all refuse the next three
    refused = s.id == "stripe"
    for name, words, text, reason in [
        ("around-equals", "Spaces around the equals signs.", "t = T,v1 = G", "malformed-header"),
        ("after-time-key", "A space between the time's key and its equals sign.", "t =T,v1=G", "malformed-header"),
        ("after-version", "A space between v1 and its equals sign.", "t=T,v1 =G", "unsupported-version"),
        ("before-signature", "A space between equals sign and signature.", "t=T,v1= G", "bad-encoding"),
    ]:
        if refused:
            _send(bench, "blank-" + name, words, "HeaderSyntax", text, reason=reason)
        else:
            _send(bench, "blank-" + name, words, [], text, policy=inside)
    _send(bench, "blank-inside-time", "A space inside the time.", ["TimestampNotCanonical", "MalformedHeader"],
          "t=17000 00000,v1=G", reason="malformed-header")
    _send(bench, "blank-no-break", "A no-break space after the comma is no blank of HTTP: an unknown key.",
          "UnknownVersionOnly", "t=T,\u00a0v1=G", reason="unsupported-version")


def _items(bench):
    empty = ["EmptyListItem"]
    _send(bench, "empty-item-last", "A comma at the end.", [], "t=T,v1=G,", policy=empty)
    _send(bench, "empty-item-first", "A comma at the start.", [], ",t=T,v1=G", policy=empty)
    _send(bench, "empty-item-between", "Two commas between the items.", [], "t=T,,v1=G", policy=empty)
    bare = ["BareListItem"]
    _send(bench, "bare-item", "An unknown word without an equals sign.", [], "t=T,flag,v1=G", policy=bare)
    _send(bench, "bare-version-first", "A bare v1 before the right one.", ["UnusableCandidate"], "t=T,v1,v1=G", policy=bare)
    _send(bench, "bare-version-last", "A bare v1 after the right one.", ["UnusableCandidate"], "t=T,v1=G,v1", policy=bare)
    _send(bench, "bare-time-beside", "A bare t beside a time.", [], "t,t=T,v1=G", policy=bare)
    _send(bench, "bare-non-ascii", "A bare word outside ASCII.", [], "t=T,é,v1=G", policy=bare)
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
        _send(bench, "syntax-" + name, words, "MalformedHeader", text, reason="malformed-header")
    _send(bench, "syntax-value-with-equals", "A second equals sign and text after the signature.", "WrongEncoding",
          "t=T,v1=G=junk", reason="bad-encoding")
    for name, words, text in [
        ("good-first", "the right one first", "t=T,v1=G, t=T,v1=" + _F),
        ("good-last", "the right one last", "t=T,v1=%s, t=T,v1=G" % _F),
    ]:
        _send(bench, "joined-" + name, "Two header lines joined by a proxy, %s: a second time." % words,
              ["DuplicateTimestamp", "MalformedHeader"], text, reason="malformed-header")


def _numbers(bench):
    many = ["TooManySignatures"]
    ok = ["MultipleSignatures", "TooManySignatures"]
    wrong = lambda n: "".join(",v1=%s" % ("%064x" % i) for i in range(n))
    _send(bench, "number-32-good-last", "32 signatures, the right one last.", ok, "t=T%s,v1=G" % wrong(31), several=True)
    _send(bench, "number-32-good-first", "32 signatures, the right one first.", ok, "t=T,v1=G" + wrong(31), several=True)
    _send(bench, "number-33-good-last", "33 signatures, the right one last.", many, "t=T%s,v1=G" % wrong(32),
          reason="too-many-signatures")
    _send(bench, "number-33-good-first", "33 signatures, the right one first.", many, "t=T,v1=G" + wrong(32),
          reason="too-many-signatures")
    _send(bench, "number-33-undecodable", "The right signature and 32 that cannot be decoded.", many + ["UnusableCandidate"],
          "t=T,v1=G" + ",v1=" * 32, reason="too-many-signatures")
    _send(bench, "number-1000", "A thousand signatures without a digit, and the right one.", many,
          "t=T" + ",v1=" * 1000 + ",v1=G", reason="too-many-signatures")
    _send(bench, "number-1000-whole", "A thousand whole signatures: the header is too long.", many + ["LongHeader", "MalformedHeader"],
          "t=T%s,v1=G" % wrong(999), reason="malformed-header")
    _send(bench, "number-64-items", "64 items, 62 of them unknown.", ["TooManySignatures", "UnknownVersionBeside"],
          "t=T,v1=G" + ",x=1" * 62)
    _send(bench, "number-65-items", "65 items, 63 of them unknown; the signature is right.", many, "t=T,v1=G" + ",x=1" * 63, policy=["ManyItems"])
    _send(bench, "number-65-items-wrong", "65 items, 63 of them unknown; the signature is wrong.", many, "t=T,v1=" + _F + ",x=1" * 63,
          reason="too-many-signatures")
    _send(bench, "number-64-with-32", "64 items, 32 of them signatures.", ok,
          "t=T%s,v1=G" % wrong(31) + ",x=1" * 31, several=True)
    _send(bench, "number-33-other-version", "33 items of another version, and the right signature.",
          ["TooManySignatures", "UnknownVersionBeside"], "t=T" + ",v0=" * 33 + ",v1=G")
    _send(bench, "number-64-empty", "64 items, 62 of them empty.", ["TooManySignatures"], "t=T,v1=G" + "," * 62,
          policy=["EmptyListItem"])
    _send(bench, "number-65-empty", "65 items, 63 of them empty; empty ones count; the signature is right.", many, "t=T,v1=G" + "," * 63, policy=["ManyItems"])
    _send(bench, "number-65-empty-wrong", "65 items, 63 of them empty; empty ones count; the signature is wrong.", many, "t=T,v1=" + _F + "," * 63,
          reason="too-many-signatures")
    _send(bench, "number-64-bare", "64 items, 62 of them bare.", ["TooManySignatures"], "t=T,v1=G" + ",x" * 62,
          policy=["BareListItem"])
    _send(bench, "number-65-bare", "65 items, 63 of them bare; bare ones count; the signature is right.", many, "t=T,v1=G" + ",x" * 63, policy=["ManyItems"])
    _send(bench, "number-65-bare-wrong", "65 items, 63 of them bare; bare ones count; the signature is wrong.", many, "t=T,v1=" + _F + ",x" * 63,
          reason="too-many-signatures")


def _slides(bench):
    """The full stop between time and body."""
    s = bench.sender
    now = s.time()
    slide = ["BoundarySlide"]
    bench.test("slide-body-with-stop", "A body that begins like another time.", slide, body=b"1700000001." + s.body)
    bench.test("slide-into-time", "The start of the body moved into the time: no time any more.",
               slide + ["TimestampNotCanonical", "MalformedHeader"], signed_body=b"5." + b"{}", body=b"{}",
               time=now + ".5", signed_time=now, reason="malformed-header")
    bench.test("slide-into-body", "The last digit of the time moved into the body.", slide, time=now[:-1],
               signed_time=now, body=now[-1:].encode() + s.body, signed_body=s.body, reason="signature-mismatch")
    key = s.key(s.secret)
    for name, words, message in [
        ("no-stop", "Time and body without the full stop.", now.encode() + s.body),
        ("colon", "A colon between time and body.", now.encode() + b":" + s.body),
        ("body-first", "The body before the time.", s.body + b"." + now.encode()),
        ("with-version", "The version before the time.", b"v1." + now.encode() + b"." + s.body),
        ("with-newline", "A newline after the body.", now.encode() + b"." + s.body + b"\n"),
    ]:
        bench.test("parts-" + name, "Signed in another form: " + words, "WrongPrimitive",
                   value=lambda _, m=message: s.value(s.encode(model.hmac_sha256(key, m))), reason="signature-mismatch")


def _ranks(bench):
    """Two faults in one header: the first in the order of reasons."""
    rank = ["OrderOfReasons"]
    for name, words, text, reason in [
        ("no-time-no-version", "no time, and no known version", "v0=G", "malformed-header"),
        ("no-time-bad-encoding", "no time, and nothing decodable", "v1=zz", "malformed-header"),
        ("no-time-too-many", "no time, and too many signatures", "v1=G" + ",v1=" * 40, "malformed-header"),
        ("two-times-too-many", "two times, and too many items", "t=T,t=T,v1=G" + ",x=1" * 70, "malformed-header"),
        ("bad-time-too-many", "a time that is none, and too many signatures", "t=x" + ",v1=" * 33, "malformed-header"),
        ("too-many-no-version", "too many items, none of a known version", "t=T" + ",v0=G" * 64, "too-many-signatures"),
        ("too-many-bad-encoding", "too many signatures, none decodable", "t=T" + ",v1=" * 33, "too-many-signatures"),
        ("no-version-empty", "no known version, and empty items", "t=T,,v0=zz,", "unsupported-version"),
    ]:
        _send(bench, "rank-" + name, "Two faults: %s." % words, rank, text, reason=reason)
    s = bench.sender
    stale = s.time(-86400)
    bench.test("rank-stale-bad-encoding", "Two faults: a stale time, and nothing decodable.", rank,
               value=lambda _: "t=%s,v1=zz" % stale, reason="bad-encoding")
    bench.test("rank-stale-no-version", "Two faults: a stale time, and no known version.", rank,
               value=lambda g: "t=%s,v0=%s" % (stale, g), reason="unsupported-version")
    bench.test("rank-long-repeated", "Two faults: the header twice, once too long.", rank + ["RepeatedHeader"],
               headers=lambda lines: lines + [(s.header, "x" * 9000)], reason="repeated-header")
    bench.test("rank-malformed-repeated", "Two faults: the header twice, and neither can be read.", rank + ["RepeatedHeader"],
               headers=lambda lines: [(n, v) for n, v in lines if n != s.header] + [(s.header, "x"), (s.header, "y")],
               reason="repeated-header")
    bench.test("rank-secret-missing", "Two faults: a blank secret, and no header.", rank + ["BlankSecret"],
               headers=lambda lines: [], secrets=[""], reason="bad-secret")
    bench.test("rank-secret-malformed", "Two faults: a blank secret, and a header that cannot be read.",
               rank + ["BlankSecret"], value=lambda _: "garbage", secrets=[" "], reason="bad-secret")
    bench.test("rank-mismatch-tampered", "Two faults: a changed body, and a stale time.", rank + ["TamperedBody"],
               time=stale, signed_body=s.body, body=s.body + b" ", reason="signature-mismatch")
