"""HubSpot: percent escapes in the signed URL, and parts without separators."""

from specials_hubspot_url import older_headers, v2

# the twelve escapes that the documentation names, and what they stand for
ESCAPES = [
    ("%3A", ":"),
    ("%2F", "/"),
    ("%3F", "?"),
    ("%40", "@"),
    ("%21", "!"),
    ("%24", "$"),
    ("%27", "'"),
    ("%28", "("),
    ("%29", ")"),
    ("%2A", "*"),
    ("%2C", ","),
    ("%3B", ";"),
]
_OTHERS = [
    ("%20", " "),
    ("%2B", "+"),
    ("%26", "&"),
    ("%3D", "="),
    ("%25", "%"),
    ("%23", "#"),
    ("%22", '"'),
    ("%5B", "["),
    ("%5D", "]"),
    ("%7E", "~"),
    ("%7C", "|"),
    ("%C3%A9", "é"),
    ("%2D", "-"),
    ("%5F", "_"),
]


def hubspot_escape_family(bench):
    _escapes(bench)
    _slides(bench)


def _escapes(bench):
    s = bench.sender
    base = "https://www.example.com/hook?x=a%sb"
    esc = ["UrlEscape"]

    def send(name, comment, flags, url, signed, result):
        bench.test(
            "escape-" + name,
            comment,
            esc + flags,
            url=url,
            signed_url=signed,
            acceptable=result == "acceptable",
            reason=None if result in ("valid", "acceptable") else result,
        )

    for escape, char in ESCAPES:
        code = escape[1:].lower()
        url = base % escape
        send(
            code + "-decoded",
            "%s in the URL; the decoded form was signed." % escape,
            ["HubSpotDecodedUrl"],
            url,
            base % char,
            "acceptable",
        )
        send(
            code + "-verbatim",
            "%s in the URL; the URL was signed as it stands." % escape,
            ["HubSpotVerbatimUrl"],
            url,
            url,
            "acceptable",
        )
        small = escape.lower()
        if small != escape:
            send(
                code + "-small-verbatim",
                "%s in the URL, not one of the twelve; signed as it stands." % small,
                [],
                base % small,
                base % small,
                "valid",
            )
            send(
                code + "-small-decoded",
                "%s in the URL, not one of the twelve; the decoded form was signed." % small,
                ["WrongUrl"],
                base % small,
                base % char,
                "signature-mismatch",
            )
    for escape, char in _OTHERS:
        code = escape.replace("%", "").lower()
        url = base % escape
        send(code + "-verbatim", "%s, not one of the twelve; signed as it stands." % escape, [], url, url, "valid")
        send(
            code + "-decoded",
            "%s, not one of the twelve; the decoded form was signed." % escape,
            ["WrongUrl"],
            url,
            base % char,
            "signature-mismatch",
        )
    coded = base % "".join(e for e, _ in ESCAPES)
    plain = base % "".join(c for _, c in ESCAPES)
    send("all-decoded", "All twelve; all decoded forms were signed.", ["HubSpotDecodedUrl"], coded, plain, "acceptable")
    send("all-verbatim", "All twelve; signed as they stand.", ["HubSpotVerbatimUrl"], coded, coded, "acceptable")
    send(
        "half-decoded",
        "Two escapes, one of them decoded when signed.",
        ["WrongUrl"],
        base % "%3A%2F",
        base % ":%2F",
        "signature-mismatch",
    )
    send(
        "mixed-case-decoded",
        "A capital and a small escape; the capital one was decoded.",
        ["HubSpotDecodedUrl"],
        base % "%3A%3a",
        base % ":%3a",
        "acceptable",
    )
    send(
        "mixed-case-both",
        "A capital and a small escape; both were decoded.",
        ["WrongUrl"],
        base % "%3A%3a",
        base % "::",
        "signature-mismatch",
    )
    send(
        "half-capital",
        "An escape with one capital letter of two digits is none of the twelve.",
        [],
        base % "%2f%3a",
        base % "%2f%3a",
        "valid",
    )
    send(
        "path-decoded",
        "%2F in the path; the decoded form was signed.",
        ["HubSpotDecodedUrl"],
        "https://www.example.com/a%2Fb/hook",
        "https://www.example.com/a/b/hook",
        "acceptable",
    )
    send(
        "path-verbatim",
        "%2F in the path; signed as it stands.",
        ["HubSpotVerbatimUrl"],
        "https://www.example.com/a%2Fb/hook",
        "https://www.example.com/a%2Fb/hook",
        "acceptable",
    )
    send(
        "with-other-decoded",
        "%3A and %20; only %3A was decoded.",
        ["HubSpotDecodedUrl"],
        base % "%3A%20",
        base % ":%20",
        "acceptable",
    )
    send(
        "with-other-all",
        "%3A and %20; both were decoded.",
        ["WrongUrl"],
        base % "%3A%20",
        base % ": ",
        "signature-mismatch",
    )
    send(
        "double-verbatim",
        "%253A: signed as it stands; none of the twelve is in it.",
        [],
        base % "%253A",
        base % "%253A",
        "valid",
    )
    send("double-once", "%253A: decoded once.", ["WrongUrl"], base % "%253A", base % "%3A", "signature-mismatch")
    send("double-twice", "%253A: decoded twice.", ["WrongUrl"], base % "%253A", base % ":", "signature-mismatch")
    send(
        "percent-before",
        "A percent sign before an escape; the escape was decoded.",
        ["HubSpotDecodedUrl"],
        base % "%%3A",
        base % "%:",
        "acceptable",
    )
    send(
        "inside-broken",
        "An escape inside a broken one; the escape was decoded.",
        ["HubSpotDecodedUrl"],
        base % "%2%3AF",
        base % "%2:F",
        "acceptable",
    )
    send("cut", "A broken escape at the end.", [], (base % "")[:-1] + "%3", (base % "")[:-1] + "%3", "valid")
    send(
        "encoded-when-signed",
        "Plain characters in the URL; their escapes were signed.",
        ["WrongUrl"],
        base % ":",
        base % "%3A",
        "signature-mismatch",
    )
    for name, words, signed, reason in [
        ("verbatim", "signed as it stands", base % "%3A", None),
        ("decoded", "the decoded form was signed", base % ":", "signature-mismatch"),
    ]:
        bench.test(
            "v2-escape-" + name,
            "v2, %3A in the URL: " + words + ".",
            esc + ["HubSpotV2"],
            url=base % "%3A",
            headers=lambda _, u=signed: older_headers(v2(s.secret, s.body, url=u), "v2"),
            options={"versions": ["v2"]},
            reason=reason,
        )


def _slides(bench):
    s = bench.sender
    slide = ["BoundarySlide"]
    now = s.time()
    bench.test(
        "slide-body-into-time",
        "The last digit of the body moved to the front of the time, which is far ahead then.",
        slide + ["Future"],
        signed_body=b"[1]9",
        body=b"[1]",
        time="9" + now,
        signed_time=now,
        reason="timestamp-in-future",
    )
    bench.test(
        "slide-time-into-body",
        "The first digit of the time moved to the end of the body: a stale time.",
        slide + ["Stale"],
        signed_body=b"[]",
        body=b"[]" + now[:1].encode(),
        time=now[1:],
        signed_time=now,
        reason="timestamp-too-old",
    )
    bench.test(
        "slide-zeros-into-time",
        "A zero of the body moved to the front of the time: no plain digits any more.",
        slide + ["TimestampNotCanonical", "MalformedHeader"],
        signed_body=b"[]0",
        body=b"[]",
        time="0" + now,
        signed_time=now,
        reason="malformed-header",
    )
    bench.test(
        "slide-letter-into-time",
        "The last letter of the body moved to the front of the time.",
        slide + ["TimestampNotCanonical", "MalformedHeader"],
        signed_body=b"[]",
        body=b"[",
        time="]" + now,
        signed_time=now,
        reason="malformed-header",
    )
    both = slide + ["UnseparatedParts"]
    bench.test(
        "slide-url-into-body",
        "The end of the URL moved to the front of the body.",
        both,
        url="https://www.example.com/ho",
        signed_url="https://www.example.com/hook",
        body=b"ok[]",
        signed_body=b"[]",
    )
    bench.test(
        "slide-body-into-url",
        "The front of the body moved to the end of the URL.",
        both,
        url="https://www.example.com/hook?a",
        signed_url="https://www.example.com/hook",
        body=b"[]",
        signed_body=b"?a[]",
    )
