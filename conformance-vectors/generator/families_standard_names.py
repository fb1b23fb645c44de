"""Standard Webhooks: the id, the two families of header names, order of reasons."""

import model

_ZERO = "A" * 43 + "="


def standard_names_family(bench):
    _ids(bench)
    _families(bench)
    _ranks(bench)


def _ids(bench):
    s = bench.sender
    for name, words, msg_id in [
        ("long", "a long one", "msg_" + "a" * 200),
        ("odd", "with spaces and signs", "msg 1/2+3=4,5;6:7"),
        ("one-letter", "one letter", "m"),
        ("number", "a number", "42"),
        ("uuid", "a UUID", "0c5d9d1e-0000-4000-8000-000000000001"),
        ("non-ascii", "letters outside ASCII", "msg_é世"),
    ]:
        bench.test("id-" + name, "The id: %s." % words, "SignedId", msg_id=msg_id)
    for name, words, msg_id in [("dot", "with a full stop", "msg.1"), ("dots", "of full stops", "...")]:
        bench.test("id-" + name, "The id: %s." % words, ["SignedId", "DottedId"], msg_id=msg_id, acceptable=True)
    for name, words, sent, signed in [
        ("changed", "Another id than the signed one.", "msg_test_0002", s.msg_id),
        ("case", "The id in capitals.", s.msg_id.upper(), s.msg_id),
        ("cut", "The id without its last letter.", s.msg_id[:-1], s.msg_id),
        ("not-signed", "An id where none was signed.", s.msg_id, ""),
    ]:
        bench.test(
            "id-" + name, words, ["SignedId", "WrongSecret"], msg_id=sent, signed_id=signed, reason="signature-mismatch"
        )
    now = s.time()
    slide = ["BoundarySlide"]
    bench.test(
        "slide-time-into-id",
        "Bytes moved from the body over the time into the id: every full stop fits.",
        slide + ["SignedId", "DottedId"],
        msg_id="m.%s" % now,
        signed_id="m",
        body=b"{}",
        signed_body=now.encode() + b".{}",
        acceptable=True,
    )
    bench.test("slide-body-with-stops", "A body that begins like a time.", slide, body=now.encode() + b".{}")
    bench.test(
        "slide-into-time",
        "The start of the body moved into the time: no time any more.",
        slide + ["TimestampNotCanonical", "MalformedHeader"],
        time=now + ".5",
        signed_time=now,
        body=b"{}",
        signed_body=b"5.{}",
        reason="malformed-header",
    )
    key = s.key(s.secret)
    for name, words, message in [
        ("no-id", "without the id", now.encode() + b"." + s.body),
        ("no-time", "without the time", s.msg_id.encode() + b"." + s.body),
        ("time-first", "with the time before the id", now.encode() + b"." + s.msg_id.encode() + b"." + s.body),
        ("no-stops", "without full stops", s.msg_id.encode() + now.encode() + s.body),
    ]:
        bench.test(
            "parts-" + name,
            "Signed %s." % words,
            "WrongPrimitive",
            value=lambda _, m=message: s.value(s.encode(model.hmac_sha256(key, m))),
            reason="signature-mismatch",
        )


def _families(bench):
    s = bench.sender
    to_svix = lambda lines: [(n.replace("webhook-", "svix-"), v) for n, v in lines]
    fam = ["HeaderFamilies"]
    bench.test("family-svix", "The svix- names.", fam, headers=to_svix)
    bench.test(
        "family-svix-capitals",
        "The svix- names in mixed case.",
        fam + ["HeaderNameCase"],
        headers=lambda lines: [(n.replace("webhook-", "Svix-").title(), v) for n, v in lines],
    )
    bench.test(
        "family-svix-several",
        "The svix- names, two signatures.",
        fam + ["MultipleSignatures"],
        headers=to_svix,
        value=lambda g: "v1,%s v1,%s" % (_ZERO, g),
    )
    bench.test(
        "family-svix-tampered",
        "The svix- names, the body changed.",
        fam + ["TamperedBody"],
        headers=to_svix,
        signed_body=s.body,
        body=s.body + b" ",
        reason="signature-mismatch",
    )
    bench.test(
        "family-svix-stale",
        "The svix- names, a day old.",
        fam + ["Stale"],
        headers=to_svix,
        time=s.time(-86400),
        reason="timestamp-too-old",
    )
    for part in ("id", "timestamp", "signature"):
        bench.test(
            "family-svix-missing-" + part,
            "The svix- names without the %s." % part,
            fam + ["MissingHeader"],
            headers=lambda lines, p=part: [(n, v) for n, v in to_svix(lines) if n != "svix-" + p],
            reason="missing-header",
        )
        bench.test(
            "family-svix-repeated-" + part,
            "The svix- names, the %s twice." % part,
            fam + ["RepeatedHeader"],
            headers=lambda lines, p=part: to_svix(lines) + [(n, v) for n, v in to_svix(lines) if n == "svix-" + p],
            reason="repeated-header",
        )
    for part in ("id", "timestamp"):
        bench.test(
            "family-mixed-svix-" + part,
            "The %s stands under its svix- name alone." % part,
            fam + ["MissingHeader"],
            headers=lambda lines, p=part: [("svix-" + p if n == "webhook-" + p else n, v) for n, v in lines],
            reason="missing-header",
        )
        bench.test(
            "family-mixed-webhook-" + part,
            "Signature under its svix- name, the %s under its webhook- name." % part,
            fam + ["MissingHeader"],
            headers=lambda lines, p=part: [("webhook-" + p if n == "svix-" + p else n, v) for n, v in to_svix(lines)],
            reason="missing-header",
        )
    bench.test(
        "family-leftovers",
        "All webhook- headers, and an svix- id and time that nothing reads.",
        fam,
        headers=lambda lines: [("svix-id", "other"), ("svix-timestamp", "x")] + lines,
    )
    bench.test(
        "family-leftovers-repeated",
        "All webhook- headers, and an svix- id twice that nothing reads.",
        fam,
        headers=lambda lines: lines + [("svix-id", "a"), ("svix-id", "b")],
    )
    bench.test(
        "family-empty-other",
        "All webhook- headers, and an empty svix- signature: not present.",
        fam,
        headers=lambda lines: lines + [("svix-signature", "")],
    )
    wrong = "v1," + _ZERO
    mixed = ["HeaderFamilies", "MixedHeaderFamilies"]
    bench.test(
        "family-both", "Both families, all right.", mixed, headers=lambda lines: lines + to_svix(lines), acceptable=True
    )
    bench.test(
        "family-both-signatures",
        "All webhook- headers, and the right signature under its svix- name too.",
        mixed,
        headers=lambda lines: lines + [("svix-signature", v) for n, v in lines if n == "webhook-signature"],
        acceptable=True,
    )
    bench.test(
        "family-both-svix-wrong",
        "Both families; the svix- signature is wrong.",
        mixed,
        headers=lambda lines: lines + [(n, wrong if n == "svix-signature" else v) for n, v in to_svix(lines)],
        acceptable=True,
    )
    bench.test(
        "family-both-webhook-wrong",
        "Both families; the webhook- signature is wrong.",
        mixed,
        headers=lambda lines: to_svix(lines) + [(n, wrong if n == "webhook-signature" else v) for n, v in lines],
        acceptable=True,
    )
    for family, header in (("webhook", "webhook-signature"), ("svix", "svix-signature")):
        bench.test(
            "family-both-%s-twice" % family,
            "Both families, and the %s signature on two lines." % family,
            ["HeaderFamilies", "RepeatedHeader", "OrderOfReasons"],
            headers=lambda lines, n=header: lines
            + to_svix(lines)
            + [(k, v) for k, v in lines + to_svix(lines) if k == n],
            reason="repeated-header",
        )
    bench.test(
        "family-both-wrong",
        "Both families, both wrong.",
        ["HeaderFamilies", "MalformedHeader"],
        value=lambda _: wrong,
        headers=lambda lines: lines + to_svix(lines),
        reason="malformed-header",
    )


def _ranks(bench):
    rank = ["OrderOfReasons"]

    def change(**values):
        """Headers by their last word: a value, None to leave out, a tuple for several lines."""

        def apply(lines):
            out = []
            for n, v in lines:
                new = values.get(n.split("-")[-1], v)
                if new is not None:
                    out.extend((n, one) for one in (new if isinstance(new, tuple) else (new,)))
            return out

        return apply

    long = "v1," + "A" * 9000
    for name, words, values, reason in [
        ("no-id-time-twice", "no id, and the time twice", dict(id=None, timestamp=("1", "2")), "missing-header"),
        ("no-id-bad-time", "no id, and a time that is none", dict(id=None, timestamp="x"), "missing-header"),
        (
            "no-time-long",
            "no time, and a signature header that is too long",
            dict(timestamp=None, signature=long),
            "missing-header",
        ),
        (
            "no-time-no-version",
            "no time, and no known version",
            dict(timestamp=None, signature="v2,x"),
            "missing-header",
        ),
        (
            "no-signature-bad-time",
            "no signature, and a time that is none",
            dict(signature=None, timestamp="x"),
            "missing-header",
        ),
        (
            "id-twice-bad-time",
            "the id twice, and a time that is none",
            dict(id=("a", "b"), timestamp="x"),
            "repeated-header",
        ),
        (
            "time-twice-no-comma",
            "the time twice, and a signature header without an item",
            dict(timestamp=("1", "2"), signature="x"),
            "repeated-header",
        ),
        (
            "signature-twice-bad-time",
            "the signature twice, and a time that is none",
            dict(signature=("v1,x", "v1,y"), timestamp="x"),
            "repeated-header",
        ),
        (
            "bad-time-too-many",
            "a time that is none, and too many signatures",
            dict(timestamp="x", signature=" ".join(["v1,"] * 40)),
            "malformed-header",
        ),
        (
            "bad-time-no-version",
            "a time that is none, and no known version",
            dict(timestamp="x", signature="v2,x"),
            "malformed-header",
        ),
        (
            "bad-time-bad-encoding",
            "a time that is none, and nothing decodable",
            dict(timestamp="x", signature="v1,x"),
            "malformed-header",
        ),
        (
            "long-id-no-version",
            "an id that is too long, and no known version",
            dict(id="m" * 9000, signature="v2,x"),
            "malformed-header",
        ),
        (
            "too-many-no-version",
            "too many items, none of a known version",
            dict(signature=" ".join(["v2,x"] * 70)),
            "too-many-signatures",
        ),
        (
            "too-many-bad-encoding",
            "too many signatures, none decodable",
            dict(signature=" ".join(["v1,x"] * 33)),
            "too-many-signatures",
        ),
        (
            "stale-no-version",
            "a stale time, and no known version",
            dict(timestamp="1", signature="v2,x"),
            "unsupported-version",
        ),
        (
            "stale-bad-encoding",
            "a stale time, and nothing decodable",
            dict(timestamp="1", signature="v1,x"),
            "bad-encoding",
        ),
    ]:
        bench.test("rank-" + name, "Two faults: %s." % words, rank, headers=change(**values), reason=reason)
    bench.test(
        "rank-secret-missing",
        "Two faults: an undecodable secret, and no header.",
        rank + ["WrongKindOfSecret"],
        headers=lambda lines: [],
        secrets=["whsec_*"],
        reason="bad-secret",
    )
