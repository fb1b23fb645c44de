"""Standard Webhooks: id, time and a list of version,signature; two families of header names."""

import model

_ZERO = "A" * 43 + "="
_ED25519 = "A" * 86 + "=="


def standard_family(bench):
    _items(bench)
    _numbers(bench)
    _ids(bench)
    _families(bench)
    _ranks(bench)


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
    _send(bench, "several-none", "Two signatures, none of them right.", multi + ["WrongSecret"],
          "v1,%s v1,%s" % (_ZERO, _ZERO), reason="signature-mismatch")
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
        _send(bench, "unusable-%s-alone" % name, "Only %s." % words, "WrongEncoding", "v1," + bad, reason="bad-encoding")
    for name, words, version in [
        ("v1a", "v1a", "v1a"), ("v0", "v0", "v0"), ("v2", "v2", "v2"), ("capital", "V1", "V1"), ("v10", "v10", "v10"),
        ("v01", "v01", "v01"), ("empty", "no version", ""), ("tab", "v1 after a tab", "v0\tv1"),
    ]:
        _send(bench, "version-%s-only" % name, "The right signature, under %s." % words, "UnknownVersionOnly",
              "%s,G" % version, reason="unsupported-version")
        _send(bench, "version-%s-beside" % name, "A wrong one under %s before the right one under v1." % words,
              "UnknownVersionBeside", "%s,%s v1,G" % (version, _ZERO))
    _send(bench, "version-v1a-real-size", "A v1a item of 64 octets before the right one under v1.",
          "UnknownVersionBeside", "v1a,%s v1,G" % _ED25519)
    _send(bench, "version-v1a-good-v1-wrong", "v1 wrong, and the right signature under v1a.",
          ["UnknownVersionBeside", "WrongSecret"], "v1,%s v1a,G" % _ZERO, reason="signature-mismatch")
    _send(bench, "empty-item-between", "Two spaces between the items.", multi, "v1,%s  v1,G" % _ZERO,
          policy=["EmptyListItem"])
    _send(bench, "bare-item-first", "A word without a comma before the right one.", [], "garbage v1,G",
          policy=["BareListItem"])
    _send(bench, "bare-item-last", "A word without a comma after the right one; every library skips it.", "HeaderSyntax",
          "v1,G garbage")
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
    _send(bench, "syntax-comma", "A lone comma: an item of no version.", "UnknownVersionOnly", ",",
          reason="unsupported-version")
    _send(bench, "syntax-two-commas", "Two commas after the version.", "WrongEncoding", "v1,,G", reason="bad-encoding")
    _send(bench, "syntax-comma-after", "A comma after the signature.", "WrongEncoding", "v1,G,", reason="bad-encoding")
    _send(bench, "syntax-tab", "A tab between two items: one item.", "WrongEncoding", "v1,%s\tv1,G" % _ZERO,
          reason="bad-encoding")
    _send(bench, "syntax-comma-list", "Two items with a comma and no space between: one item.", "WrongEncoding",
          "v1,%s,v1,G" % _ZERO, reason="bad-encoding")
    _send(bench, "syntax-space-after-comma", "A space between comma and signature: an empty item and a word.",
          "WrongEncoding", "v1, G", reason="bad-encoding")
    _send(bench, "joined-good-last", "Two header lines joined by a proxy, the right one last: the first value has a comma more.",
          multi + ["UnusableCandidate"], "v1,%s, v1,G" % _ZERO)
    _send(bench, "joined-good-first", "Two header lines joined by a proxy, the right one first: its value has a comma more.",
          multi + ["UnusableCandidate"], "v1,G, v1," + _ZERO, reason="signature-mismatch")


def _numbers(bench):
    many = ["TooManySignatures"]
    wrong = " ".join("v1," + model.b64(bytes([i]) * 32) for i in range(31))
    _send(bench, "number-32-good-last", "32 signatures, the right one last.", many + ["MultipleSignatures"], wrong + " v1,G")
    _send(bench, "number-33-good-last", "33 signatures, the right one last.", many, "v1,%s %s v1,G" % (_ZERO, wrong),
          reason="too-many-signatures")
    _send(bench, "number-33-good-first", "33 signatures, the right one first.", many, "v1,G %s v1,%s" % (wrong, _ZERO),
          reason="too-many-signatures")
    _send(bench, "number-33-undecodable", "The right signature and 32 that cannot be decoded.",
          many + ["UnusableCandidate"], "v1,G" + " v1,*" * 32, reason="too-many-signatures")
    _send(bench, "number-1000", "A thousand empty signatures and the right one.", many, "v1, " * 1000 + "v1,G",
          reason="too-many-signatures")
    _send(bench, "number-1000-whole", "A thousand whole signatures: the header is too long.",
          many + ["LongHeader", "MalformedHeader"], ("v1,%s " % _ZERO) * 999 + "v1,G", reason="malformed-header")
    _send(bench, "number-64-items", "64 items, 63 of another version.", many + ["UnknownVersionBeside"],
          "v1,G" + " v2,x" * 63)
    _send(bench, "number-65-items", "65 items, 64 of another version; the signature is right.", many,
          "v1,G" + " v2,x" * 64, policy=["ManyItems"])
    _send(bench, "number-65-items-wrong", "65 items, 64 of another version; the signature is wrong.", many,
          "v1," + _ZERO + " v2,x" * 64, reason="too-many-signatures")
    _send(bench, "number-64-empty", "64 items, 62 of them empty.", many, "v1,%s%sv1,G" % (_ZERO, " " * 63),
          policy=["EmptyListItem"])
    _send(bench, "number-65-empty", "65 items, 63 of them empty; empty ones count.", many,
          "v1,%s%sv1,G" % (_ZERO, " " * 64), policy=["EmptyListItem", "ManyItems"])
    _send(bench, "number-65-empty-wrong", "65 items, 63 of them empty, and both signatures wrong.", many,
          "v1,%s%sv1,%s" % (_ZERO, " " * 64, _ZERO), reason="too-many-signatures")


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
        bench.test("id-" + name, words, ["SignedId", "WrongSecret"], msg_id=sent, signed_id=signed,
                   reason="signature-mismatch")
    now = s.time()
    slide = ["BoundarySlide"]
    bench.test("slide-time-into-id", "Bytes moved from the body over the time into the id: every full stop fits.",
               slide + ["SignedId", "DottedId"], msg_id="m.%s" % now, signed_id="m",
               body=b"{}", signed_body=now.encode() + b".{}", acceptable=True)
    bench.test("slide-body-with-stops", "A body that begins like a time.", slide, body=now.encode() + b".{}")
    bench.test("slide-into-time", "The start of the body moved into the time: no time any more.",
               slide + ["TimestampNotCanonical", "MalformedHeader"], time=now + ".5", signed_time=now, body=b"{}",
               signed_body=b"5.{}", reason="malformed-header")
    key = s.key(s.secret)
    for name, words, message in [
        ("no-id", "without the id", now.encode() + b"." + s.body),
        ("no-time", "without the time", s.msg_id.encode() + b"." + s.body),
        ("time-first", "with the time before the id", now.encode() + b"." + s.msg_id.encode() + b"." + s.body),
        ("no-stops", "without full stops", s.msg_id.encode() + now.encode() + s.body),
    ]:
        bench.test("parts-" + name, "Signed %s." % words, "WrongPrimitive",
                   value=lambda _, m=message: s.value(s.encode(model.hmac_sha256(key, m))), reason="signature-mismatch")


def _families(bench):
    s = bench.sender
    to_svix = lambda lines: [(n.replace("webhook-", "svix-"), v) for n, v in lines]
    fam = ["HeaderFamilies"]
    bench.test("family-svix", "The svix- names.", fam, headers=to_svix)
    bench.test("family-svix-capitals", "The svix- names in mixed case.", fam + ["HeaderNameCase"],
               headers=lambda lines: [(n.replace("webhook-", "Svix-").title(), v) for n, v in lines])
    bench.test("family-svix-several", "The svix- names, two signatures.", fam + ["MultipleSignatures"], headers=to_svix,
               value=lambda g: "v1,%s v1,%s" % (_ZERO, g))
    bench.test("family-svix-tampered", "The svix- names, the body changed.", fam + ["TamperedBody"], headers=to_svix,
               signed_body=s.body, body=s.body + b" ", reason="signature-mismatch")
    bench.test("family-svix-stale", "The svix- names, a day old.", fam + ["Stale"], headers=to_svix, time=s.time(-86400),
               reason="timestamp-too-old")
    for part in ("id", "timestamp", "signature"):
        bench.test("family-svix-missing-" + part, "The svix- names without the %s." % part, fam + ["MissingHeader"],
                   headers=lambda lines, p=part: [(n, v) for n, v in to_svix(lines) if n != "svix-" + p],
                   reason="missing-header")
        bench.test("family-svix-repeated-" + part, "The svix- names, the %s twice." % part, fam + ["RepeatedHeader"],
                   headers=lambda lines, p=part: to_svix(lines) + [(n, v) for n, v in to_svix(lines) if n == "svix-" + p],
                   reason="repeated-header")
    for part in ("id", "timestamp"):
        bench.test("family-mixed-svix-" + part, "The %s stands under its svix- name alone." % part, fam + ["MissingHeader"],
                   headers=lambda lines, p=part: [("svix-" + p if n == "webhook-" + p else n, v) for n, v in lines],
                   reason="missing-header")
        bench.test("family-mixed-webhook-" + part, "Signature under its svix- name, the %s under its webhook- name." % part,
                   fam + ["MissingHeader"],
                   headers=lambda lines, p=part: [("webhook-" + p if n == "svix-" + p else n, v) for n, v in to_svix(lines)],
                   reason="missing-header")
    bench.test("family-leftovers", "All webhook- headers, and an svix- id and time that nothing reads.", fam,
               headers=lambda lines: [("svix-id", "other"), ("svix-timestamp", "x")] + lines)
    bench.test("family-leftovers-repeated", "All webhook- headers, and an svix- id twice that nothing reads.", fam,
               headers=lambda lines: lines + [("svix-id", "a"), ("svix-id", "b")])
    bench.test("family-empty-other", "All webhook- headers, and an empty svix- signature: not present.", fam,
               headers=lambda lines: lines + [("svix-signature", "")])
    wrong = "v1," + _ZERO
    mixed = ["HeaderFamilies", "MixedHeaderFamilies"]
    bench.test("family-both", "Both families, all right.", mixed, headers=lambda lines: lines + to_svix(lines),
               acceptable=True)
    bench.test("family-both-signatures", "All webhook- headers, and the right signature under its svix- name too.", mixed,
               headers=lambda lines: lines + [("svix-signature", v) for n, v in lines if n == "webhook-signature"],
               acceptable=True)
    bench.test("family-both-svix-wrong", "Both families; the svix- signature is wrong.", mixed,
               headers=lambda lines: lines + [(n, wrong if n == "svix-signature" else v) for n, v in to_svix(lines)],
               acceptable=True)
    bench.test("family-both-webhook-wrong", "Both families; the webhook- signature is wrong.", mixed,
               headers=lambda lines: to_svix(lines) + [(n, wrong if n == "webhook-signature" else v) for n, v in lines],
               acceptable=True)
    bench.test("family-both-wrong", "Both families, both wrong.", ["HeaderFamilies", "MalformedHeader"],
               value=lambda _: wrong, headers=lambda lines: lines + to_svix(lines), reason="malformed-header")


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
        ("no-time-long", "no time, and a signature header that is too long", dict(timestamp=None, signature=long), "missing-header"),
        ("no-time-no-version", "no time, and no known version", dict(timestamp=None, signature="v2,x"), "missing-header"),
        ("no-signature-bad-time", "no signature, and a time that is none", dict(signature=None, timestamp="x"), "missing-header"),
        ("id-twice-bad-time", "the id twice, and a time that is none", dict(id=("a", "b"), timestamp="x"), "repeated-header"),
        ("time-twice-no-comma", "the time twice, and a signature header without an item", dict(timestamp=("1", "2"), signature="x"), "repeated-header"),
        ("signature-twice-bad-time", "the signature twice, and a time that is none", dict(signature=("v1,x", "v1,y"), timestamp="x"), "repeated-header"),
        ("bad-time-too-many", "a time that is none, and too many signatures", dict(timestamp="x", signature=" ".join(["v1,"] * 40)), "malformed-header"),
        ("bad-time-no-version", "a time that is none, and no known version", dict(timestamp="x", signature="v2,x"), "malformed-header"),
        ("bad-time-bad-encoding", "a time that is none, and nothing decodable", dict(timestamp="x", signature="v1,x"), "malformed-header"),
        ("long-id-no-version", "an id that is too long, and no known version", dict(id="m" * 9000, signature="v2,x"), "malformed-header"),
        ("too-many-no-version", "too many items, none of a known version", dict(signature=" ".join(["v2,x"] * 70)), "too-many-signatures"),
        ("too-many-bad-encoding", "too many signatures, none decodable", dict(signature=" ".join(["v1,x"] * 33)), "too-many-signatures"),
        ("stale-no-version", "a stale time, and no known version", dict(timestamp="1", signature="v2,x"), "unsupported-version"),
        ("stale-bad-encoding", "a stale time, and nothing decodable", dict(timestamp="1", signature="v1,x"), "bad-encoding"),
    ]:
        bench.test("rank-" + name, "Two faults: %s." % words, rank, headers=change(**values), reason=reason)
    bench.test("rank-secret-missing", "Two faults: an undecodable secret, and no header.", rank + ["WrongKindOfSecret"],
               headers=lambda lines: [], secrets=["whsec_*"], reason="bad-secret")
