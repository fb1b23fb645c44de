"""HubSpot: three versions, and which of them counts."""

import hashlib
import re

import model
from senders import URL
from specials_hubspot_url import SIG, VERSION, older_headers, v1, v2

_V3 = "X-HubSpot-Signature-v3"
_TIME = "X-HubSpot-Request-Timestamp"
_WRONG_V3 = "/" * 42 + "8="


def hubspot_family(bench):
    _combinations(bench)
    _older(bench)
    _version_header(bench)
    _ranks(bench)


def _combinations(bench):
    """Listed versions x v3 header x version header x older signature."""
    s = bench.sender
    old = {"none": None, "v1": v1(s.secret, s.body), "v2": v2(s.secret, s.body)}
    lists = [["v3"], ["v1"], ["v2"], ["v1", "v2"], ["v1", "v3"], ["v2", "v3"], ["v1", "v2", "v3"]]
    for listed in lists:
        older = [v for v in listed if v != "v3"]
        for v3 in ("absent", "good", "wrong"):
            decides = "v3" in listed and v3 != "absent"
            if v3 == "wrong" and not decides:
                continue
            for version in (None, "v1") if decides else (None, "v1", "v2", "v3"):
                for sent in ("none", "v1") if decides else ("none", "v1", "v2"):
                    if v3 == "absent" and [version] == listed and sent in ("none", version):
                        continue  # among the texts of that version
                    if v3 == "good" and not decides and (version or older[0], sent) != (older[0],) * 2:
                        continue  # what is not listed is not read, whatever else is there
                    if decides and listed != ["v1", "v2", "v3"] and (version or "none") != sent:
                        continue
                    if listed == ["v3"] and v3 == "absent" and (version or "none") != sent:
                        continue
                    if decides:
                        reason = None if v3 == "good" else "signature-mismatch"
                    elif not older or sent == "none":
                        reason = "missing-header"
                    elif version is not None and version not in older:
                        reason = "unsupported-version"
                    elif sent in ([version] if version else older):
                        reason = None
                    else:
                        reason = "signature-mismatch"
                    flags = ["HubSpotVersions"]
                    if reason == "missing-header":
                        flags.append("MissingHeader")
                    if reason == "unsupported-version":
                        flags.append("UnknownVersionOnly")

                    def headers(lines, v3=v3, version=version, sent=sent):
                        if v3 == "absent":
                            lines = []
                        elif v3 == "wrong":
                            lines = [(n, _WRONG_V3 if n == _V3 else v) for n, v in lines]
                        return lines + older_headers(old[sent], version)

                    bench.test(
                        "versions-%s-v3-%s-says-%s-has-%s" % ("".join(listed), v3, version or "none", sent),
                        "Listed: %s; v3 signature: %s; version header: %s; older signature: %s."
                        % (", ".join(listed), v3, version or "none", sent),
                        flags,
                        headers=headers,
                        reason=reason,
                        options={"versions": listed},
                    )


def _older(bench):
    """The texts and bodies of v1 and v2."""
    s = bench.sender
    for word, make in (("v1", v1), ("v2", v2)):
        flag = ["HubSpotV1" if word == "v1" else "HubSpotV2"]
        options = {"versions": [word]}

        def send(name, comment, flags, signature, body=s.body, reason=None, extra=(), **rest):
            bench.test(
                "%s-%s" % (word, name),
                "%s: %s" % (word, comment),
                flag + flags,
                body=body,
                reason=reason,
                headers=lambda _: older_headers(signature, word) + list(extra),
                options=options,
                **rest
            )

        good = make(s.secret, s.body)
        send("valid", "an ordinary delivery.", ["Basic"], good, key=0)
        send("tampered", "a changed body.", ["TamperedBody"], good, body=s.body + b" ", reason="signature-mismatch")
        send(
            "wrong-secret",
            "a key that is not configured.",
            ["WrongSecret"],
            make("other", s.body),
            reason="signature-mismatch",
        )
        send(
            "rotated", "the previous secret.", ["RotatedSecret"], make(s.old, s.body), secrets=[s.secret, s.old], key=1
        )
        send("empty-body", "an empty body.", ["EmptyBody"], make(s.secret, b""), body=b"")
        send("not-utf8", "a body that is not UTF-8.", ["NonUtf8Body"], make(s.secret, b"[\xff]"), body=b"[\xff]")
        send(
            "replacement",
            "U+FFFD was signed and FF came.",
            ["ReplacementCharacter", "TamperedBody"],
            make(s.secret, b"[\xef\xbf\xbd]"),
            body=b"[\xff]",
            reason="signature-mismatch",
        )
        send(
            "bom",
            "a signed byte order mark.",
            ["ByteOrderMark"],
            make(s.secret, b"\xef\xbb\xbf[]"),
            body=b"\xef\xbb\xbf[]",
        )
        send("upper-case", "capital letters.", ["AnyCaseHex"], good.upper(), acceptable=True)
        send("63-digits", "the last digit missing.", ["TruncatedTag"], good[:-1], reason="bad-encoding")
        send("half", "half of the digits.", ["TruncatedTag"], good[:32], reason="bad-encoding")
        send(
            "base64",
            "the signature in base64.",
            ["WrongEncoding"],
            model.b64(bytes.fromhex(good)),
            reason="bad-encoding",
        )
        send("prefix", "sha256= in front.", ["WrongEncoding"], "sha256=" + good, reason="bad-encoding")
        for name, words, text in [
            ("0x", "0x in front of the digits.", "0x" + good),
            ("colons", "colons between the pairs of digits.", ":".join(re.findall("..", good))),
            ("blanks-inside", "blanks between the pairs of digits.", " ".join(re.findall("..", good))),
            ("quoted", "quotation marks around the digits.", '"%s"' % good),
            ("semicolon-after", "a semicolon after the digits.", good + ";"),
            ("junk-of-length", "64 characters, the first two of them not digits.", "0x" + good[2:]),
        ]:
            send(name, words, ["WrongEncoding"], text, reason="bad-encoding")
        send(
            "hmac",
            "an HMAC in place of the hash.",
            ["WrongPrimitive"],
            model.hmac_sha256(s.secret.encode(), s.body).hex(),
            reason="signature-mismatch",
        )
        send(
            "secret-last",
            "the secret after the body.",
            ["WrongPrimitive"],
            hashlib.sha256(s.body + s.secret.encode()).hexdigest(),
            reason="signature-mismatch",
        )
        send(
            "no-secret",
            "a hash without the secret.",
            ["WrongPrimitive"],
            hashlib.sha256(s.body).hexdigest(),
            reason="signature-mismatch",
        )
        send(
            "repeated",
            "the signature header twice.",
            ["RepeatedHeader"],
            good,
            extra=[(SIG, good)],
            reason="repeated-header",
        )
        send("missing", "no signature header.", ["MissingHeader"], None, reason="missing-header")
        send("empty", "an empty signature header.", ["MissingHeader"], "", reason="missing-header")
        if word == "v1":
            send(
                "long",
                "a signature header of 8193 bytes.",
                ["LongHeader", "MalformedHeader"],
                "a" * 8193,
                reason="malformed-header",
            )
        send("blanks", "blanks around the signature.", ["OuterWhiteSpace"], " " + good + "\t", acceptable=True)
        send("blank-secret", "an empty secret.", ["BlankSecret"], make("", s.body), secrets=[""], reason="bad-secret")
        send("old", "no time is signed; a year later it still verifies.", [], good, now=1731536000000)
        send(
            "timestamp-ignored", "a timestamp header that nothing reads.", [], good, extra=[(_TIME, "x"), (_TIME, "y")]
        )
        send(
            "v3-ignored",
            "a v3 header that is not listed.",
            ["HubSpotVersions"],
            good,
            extra=[(_V3, _WRONG_V3), (_V3, "x")],
        )


def _version_header(bench):
    s = bench.sender
    both = {"versions": ["v1", "v2"]}
    good1, good2 = v1(s.secret, s.body), v2(s.secret, s.body)

    def send(name, comment, flags, lines, reason=None, options=both, **rest):
        bench.test(
            "version-header-" + name,
            comment,
            ["HubSpotVersions"] + flags,
            headers=lambda _: lines,
            options=options,
            reason=reason,
            **rest
        )

    for text in ("v4", "V1", "v", "1", "v1,v2", "v01", "v1;"):
        name = text.replace(",", "-and-").replace(";", "-semicolon").replace("V", "capital-v")
        send(
            name,
            "The version header says %s." % text,
            ["UnknownVersionOnly"],
            [(VERSION, text), (SIG, good1)],
            "unsupported-version",
        )
    send(
        "non-ascii",
        "The version header is outside ASCII.",
        ["UnknownVersionOnly"],
        [(VERSION, "v１"), (SIG, good1)],
        "unsupported-version",
    )
    send(
        "blank", "A blank version header is none.", ["OuterWhiteSpace"], [(VERSION, " "), (SIG, good2)], acceptable=True
    )
    send("empty", "An empty version header is none.", [], [(VERSION, ""), (SIG, good2)])
    send(
        "outer-blanks",
        "Blanks around the version.",
        ["OuterWhiteSpace"],
        [(VERSION, " v1 "), (SIG, good1)],
        acceptable=True,
    )
    send(
        "twice",
        "The version header twice, alike.",
        ["RepeatedHeader"],
        [(VERSION, "v1"), (VERSION, "v1"), (SIG, good1)],
        "repeated-header",
    )
    send(
        "two-versions",
        "The version header twice, v1 and v2.",
        ["RepeatedHeader"],
        [(VERSION, "v1"), (VERSION, "v2"), (SIG, good1)],
        "repeated-header",
    )
    send(
        "long",
        "A version header of 8193 bytes.",
        ["LongHeader", "MalformedHeader"],
        [(VERSION, "v" * 8193), (SIG, good1)],
        "malformed-header",
    )
    send(
        "unlisted-no-signature",
        "An unlisted version and no signature.",
        ["MissingHeader", "OrderOfReasons"],
        [(VERSION, "v9")],
        "missing-header",
    )
    send(
        "unlisted-bad-encoding",
        "An unlisted version and an undecodable signature.",
        ["OrderOfReasons"],
        [(VERSION, "v9"), (SIG, "zz")],
        "unsupported-version",
    )
    send(
        "twice-bad-encoding",
        "The version header twice and an undecodable signature.",
        ["OrderOfReasons", "RepeatedHeader"],
        [(VERSION, "v1"), (VERSION, "v1"), (SIG, "zz")],
        "repeated-header",
    )
    for name, words, more in [
        ("version", "the version header twice", [(VERSION, "v1"), (VERSION, "v2")]),
        ("signature", "an older signature twice", [(SIG, "x"), (SIG, "y")]),
        ("unlisted", "an unlisted version", [(VERSION, "v9"), (SIG, good1)]),
        ("long", "an older signature that is too long", [(SIG, "a" * 8193)]),
    ]:
        bench.test(
            "v3-beside-" + name,
            "A right v3 beside %s: only v3 is read." % words,
            "HubSpotVersions",
            headers=lambda lines, more=more: lines + more,
            options={"versions": ["v1", "v2", "v3"]},
        )
    bench.test(
        "v3-stale-v1-good",
        "v3 stale and v1 right, all versions listed: v3 decides.",
        ["HubSpotVersions", "Stale"],
        time=s.time(-86400000),
        headers=lambda lines: lines + older_headers(good1, "v1"),
        options={"versions": ["v1", "v2", "v3"]},
        reason="timestamp-too-old",
    )
    bench.test(
        "v3-no-time-v1-good",
        "v3 without its timestamp and v1 right, all versions listed.",
        ["HubSpotVersions", "MissingHeader"],
        headers=lambda lines: [(n, v) for n, v in lines if n != _TIME] + older_headers(good1, "v1"),
        options={"versions": ["v1", "v2", "v3"]},
        reason="missing-header",
    )
    bench.test(
        "real-delivery",
        "v1, its version header and v3 together, as real deliveries carry them.",
        "HubSpotVersions",
        headers=lambda lines: lines + older_headers(good1, "v1") + [("X-HubSpot-Timeout-Millis", "10000")],
    )


def _ranks(bench):
    s = bench.sender
    rank = ["OrderOfReasons"]

    def change(**values):
        keys = {_V3: "v3", _TIME: "time"}

        def apply(lines):
            out = []
            for n, v in lines:
                new = values.get(keys.get(n), v)
                if new is not None:
                    out.extend((n, one) for one in (new if isinstance(new, tuple) else (new,)))
            return out

        return apply

    for name, words, values, reason in [
        ("no-time-bad-encoding", "no time, and an undecodable signature", dict(time=None, v3="zz"), "missing-header"),
        ("no-time-repeated", "no time, and the signature twice", dict(time=None, v3=("x", "y")), "missing-header"),
        ("no-time-long", "no time, and a signature that is too long", dict(time=None, v3="a" * 8193), "missing-header"),
        ("no-signature-bad-time", "no signature, and a time that is none", dict(time="x", v3=None), "missing-header"),
        (
            "no-signature-time-twice",
            "no signature, and the time twice",
            dict(time=("1", "2"), v3=None),
            "missing-header",
        ),
        (
            "time-twice-bad-encoding",
            "the time twice, and an undecodable signature",
            dict(time=("1", "2"), v3="zz"),
            "repeated-header",
        ),
        (
            "repeated-bad-time",
            "the signature twice, and a time that is none",
            dict(time="x", v3=("x", "y")),
            "repeated-header",
        ),
        (
            "bad-time-bad-encoding",
            "a time that is none, and an undecodable signature",
            dict(time="x", v3="zz"),
            "malformed-header",
        ),
        (
            "bad-time-wrong",
            "a time that is none, and a wrong signature",
            dict(time="x", v3=_WRONG_V3),
            "malformed-header",
        ),
        ("stale-bad-encoding", "a stale time, and an undecodable signature", dict(time="1", v3="zz"), "bad-encoding"),
        ("stale-wrong", "a stale time, and a wrong signature", dict(time="1", v3=_WRONG_V3), "signature-mismatch"),
    ]:
        bench.test("rank-" + name, "Two faults: %s." % words, rank, headers=change(**values), reason=reason)
    bench.test(
        "rank-url-and-stale",
        "Two faults: another URL, and a stale time.",
        rank + ["WrongUrl"],
        time=s.time(-86400000),
        url=URL + "/",
        signed_url=URL,
        reason="signature-mismatch",
    )
