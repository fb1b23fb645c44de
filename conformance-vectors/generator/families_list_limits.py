"""Headers of the form t=…,v1=…[,v1=…]: the time, numbers of items, the signed text, order of reasons."""

import model
from families_list import send

_F = "f" * 64


def t_list_limits_family(bench):
    _times(bench)
    _numbers(bench)
    _slides(bench)
    _ranks(bench)


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
        send(bench, "two-times-" + name, "Two times: %s." % words, twice, text, reason="malformed-header")
    s = bench.sender
    stale = s.time(-86400)
    bench.test(
        "two-times-renewed",
        "A captured delivery of yesterday with a fresh second time.",
        twice,
        time=stale,
        value=lambda g: "t=%s,v1=%s,t=%s" % (stale, g, s.time()),
        reason="malformed-header",
    )
    bench.test(
        "two-times-renewed-first",
        "A captured delivery of yesterday with a fresh time before the signed one.",
        twice,
        time=stale,
        value=lambda g: "t=%s,t=%s,v1=%s" % (s.time(), stale, g),
        reason="malformed-header",
    )
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
            bench.test(
                "time-key-" + name, words, none, value=lambda g: "T=%s,v1=%s" % (s.time(), g), reason="malformed-header"
            )
        else:
            send(bench, "time-key-" + name, words, none, text, reason="malformed-header")


def _numbers(bench):
    many = ["TooManySignatures"]
    ok = ["MultipleSignatures", "TooManySignatures"]
    wrong = lambda n: "".join(",v1=%s" % ("%064x" % i) for i in range(n))
    send(bench, "number-32-good-last", "32 signatures, the right one last.", ok, "t=T%s,v1=G" % wrong(31), several=True)
    send(bench, "number-32-good-first", "32 signatures, the right one first.", ok, "t=T,v1=G" + wrong(31), several=True)
    send(
        bench,
        "number-33-good-last",
        "33 signatures, the right one last.",
        many,
        "t=T%s,v1=G" % wrong(32),
        reason="too-many-signatures",
    )
    send(
        bench,
        "number-33-good-first",
        "33 signatures, the right one first.",
        many,
        "t=T,v1=G" + wrong(32),
        reason="too-many-signatures",
    )
    send(
        bench,
        "number-33-undecodable",
        "The right signature and 32 that cannot be decoded.",
        many + ["UnusableCandidate"],
        "t=T,v1=G" + ",v1=" * 32,
        reason="too-many-signatures",
    )
    send(
        bench,
        "number-1000",
        "A thousand signatures without a digit, and the right one.",
        many,
        "t=T" + ",v1=" * 1000 + ",v1=G",
        reason="too-many-signatures",
    )
    send(
        bench,
        "number-1000-whole",
        "A thousand whole signatures: the header is too long.",
        many + ["LongHeader", "MalformedHeader"],
        "t=T%s,v1=G" % wrong(999),
        reason="malformed-header",
    )
    send(
        bench,
        "number-64-items",
        "64 items, 62 of them unknown.",
        ["TooManySignatures", "UnknownVersionBeside"],
        "t=T,v1=G" + ",x=1" * 62,
    )
    send(
        bench,
        "number-65-items",
        "65 items, 63 of them unknown; the signature is right.",
        many,
        "t=T,v1=G" + ",x=1" * 63,
        policy=["ManyItems"],
    )
    send(
        bench,
        "number-65-items-wrong",
        "65 items, 63 of them unknown; the signature is wrong.",
        many,
        "t=T,v1=" + _F + ",x=1" * 63,
        reason="too-many-signatures",
    )
    send(
        bench,
        "number-64-with-32",
        "64 items, 32 of them signatures.",
        ok,
        "t=T%s,v1=G" % wrong(31) + ",x=1" * 31,
        several=True,
    )
    send(
        bench,
        "number-33-other-version",
        "33 items of another version, and the right signature.",
        ["TooManySignatures", "UnknownVersionBeside"],
        "t=T" + ",v0=" * 33 + ",v1=G",
    )
    send(
        bench,
        "number-64-empty",
        "64 items, 62 of them empty.",
        ["TooManySignatures"],
        "t=T,v1=G" + "," * 62,
        policy=["EmptyListItem"],
    )
    send(
        bench,
        "number-65-empty",
        "65 items, 63 of them empty; empty ones count; the signature is right.",
        many,
        "t=T,v1=G" + "," * 63,
        policy=["EmptyListItem", "ManyItems"],
    )
    send(
        bench,
        "number-65-empty-wrong",
        "65 items, 63 of them empty; empty ones count; the signature is wrong.",
        many,
        "t=T,v1=" + _F + "," * 63,
        reason="too-many-signatures",
    )
    send(
        bench,
        "number-64-bare",
        "64 items, 62 of them bare.",
        ["TooManySignatures"],
        "t=T,v1=G" + ",x" * 62,
        policy=["BareListItem"],
    )
    send(
        bench,
        "number-65-bare",
        "65 items, 63 of them bare; bare ones count; the signature is right.",
        many,
        "t=T,v1=G" + ",x" * 63,
        policy=["BareListItem", "ManyItems"],
    )
    send(
        bench,
        "number-65-bare-wrong",
        "65 items, 63 of them bare; bare ones count; the signature is wrong.",
        many,
        "t=T,v1=" + _F + ",x" * 63,
        reason="too-many-signatures",
    )


def _slides(bench):
    """The full stop between time and body."""
    s = bench.sender
    now = s.time()
    slide = ["BoundarySlide"]
    bench.test("slide-body-with-stop", "A body that begins like another time.", slide, body=b"1700000001." + s.body)
    bench.test(
        "slide-into-time",
        "The start of the body moved into the time: no time any more.",
        slide + ["TimestampNotCanonical", "MalformedHeader"],
        signed_body=b"5." + b"{}",
        body=b"{}",
        time=now + ".5",
        signed_time=now,
        reason="malformed-header",
    )
    bench.test(
        "slide-into-body",
        "The last digit of the time moved into the body.",
        slide,
        time=now[:-1],
        signed_time=now,
        body=now[-1:].encode() + s.body,
        signed_body=s.body,
        reason="signature-mismatch",
    )
    key = s.key(s.secret)
    for name, words, message in [
        ("no-stop", "Time and body without the full stop.", now.encode() + s.body),
        ("colon", "A colon between time and body.", now.encode() + b":" + s.body),
        ("body-first", "The body before the time.", s.body + b"." + now.encode()),
        ("with-version", "The version before the time.", b"v1." + now.encode() + b"." + s.body),
        ("with-newline", "A newline after the body.", now.encode() + b"." + s.body + b"\n"),
    ]:
        bench.test(
            "parts-" + name,
            "Signed in another form: " + words,
            "WrongPrimitive",
            value=lambda _, m=message: s.value(s.encode(model.hmac_sha256(key, m))),
            reason="signature-mismatch",
        )


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
        send(bench, "rank-" + name, "Two faults: %s." % words, rank, text, reason=reason)
    s = bench.sender
    stale = s.time(-86400)
    bench.test(
        "rank-stale-bad-encoding",
        "Two faults: a stale time, and nothing decodable.",
        rank,
        value=lambda _: "t=%s,v1=zz" % stale,
        reason="bad-encoding",
    )
    bench.test(
        "rank-stale-no-version",
        "Two faults: a stale time, and no known version.",
        rank,
        value=lambda g: "t=%s,v0=%s" % (stale, g),
        reason="unsupported-version",
    )
    bench.test(
        "rank-long-repeated",
        "Two faults: the header twice, once too long.",
        rank + ["RepeatedHeader"],
        headers=lambda lines: lines + [(s.header, "x" * 9000)],
        reason="repeated-header",
    )
    bench.test(
        "rank-malformed-repeated",
        "Two faults: the header twice, and neither can be read.",
        rank + ["RepeatedHeader"],
        headers=lambda lines: [(n, v) for n, v in lines if n != s.header] + [(s.header, "x"), (s.header, "y")],
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
        "rank-secret-malformed",
        "Two faults: a blank secret, and a header that cannot be read.",
        rank + ["BlankSecret"],
        value=lambda _: "garbage",
        secrets=[" "],
        reason="bad-secret",
    )
    bench.test(
        "rank-mismatch-tampered",
        "Two faults: a changed body, and a stale time.",
        rank + ["TamperedBody"],
        time=stale,
        signed_body=s.body,
        body=s.body + b" ",
        reason="signature-mismatch",
    )
