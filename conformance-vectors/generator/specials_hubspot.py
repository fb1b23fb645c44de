"""HubSpot: three versions, the signed URL, escapes, parts without separators."""

import hashlib

import model

from senders import URL

_SIG = "X-HubSpot-Signature"
_VERSION = "X-HubSpot-Signature-Version"
_V3 = "X-HubSpot-Signature-v3"
_TIME = "X-HubSpot-Request-Timestamp"
_WRONG_V3 = "/" * 42 + "8="
_WRONG_OLD = "f" * 64

# the twelve escapes that the documentation names, and what they stand for
ESCAPES = [
    ("%3A", ":"), ("%2F", "/"), ("%3F", "?"), ("%40", "@"), ("%21", "!"), ("%24", "$"),
    ("%27", "'"), ("%28", "("), ("%29", ")"), ("%2A", "*"), ("%2C", ","), ("%3B", ";"),
]
_OTHERS = [
    ("%20", " "), ("%2B", "+"), ("%26", "&"), ("%3D", "="), ("%25", "%"), ("%23", "#"), ("%22", '"'),
    ("%5B", "["), ("%5D", "]"), ("%7E", "~"), ("%7C", "|"), ("%C3%A9", "é"), ("%2D", "-"), ("%5F", "_"),
]


def v1(secret, body):
    return hashlib.sha256(secret.encode("utf-8") + body).hexdigest()


def v2(secret, body, method="POST", url=URL):
    return hashlib.sha256(secret.encode("utf-8") + method.encode("ascii") + url.encode("utf-8") + body).hexdigest()


def hubspot_family(bench):
    _combinations(bench)
    _older(bench)
    _version_header(bench)
    _targets(bench)
    _urls(bench)
    _escapes(bench)
    _slides(bench)
    _ranks(bench)


def _older_headers(signature, version=None):
    lines = [] if version is None else [(_VERSION, version)]
    return lines + ([] if signature is None else [(_SIG, signature)])


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
                        return lines + _older_headers(old[sent], version)

                    bench.test(
                        "versions-%s-v3-%s-says-%s-has-%s" % ("".join(listed), v3, version or "none", sent),
                        "Listed: %s; v3 signature: %s; version header: %s; older signature: %s."
                        % (", ".join(listed), v3, version or "none", sent),
                        flags, headers=headers, reason=reason, options={"versions": listed},
                    )


def _older(bench):
    """The texts and bodies of v1 and v2."""
    s = bench.sender
    for word, make in (("v1", v1), ("v2", v2)):
        flag = ["HubSpotV1" if word == "v1" else "HubSpotV2"]
        options = {"versions": [word]}

        def send(name, comment, flags, signature, body=s.body, reason=None, extra=(), **rest):
            bench.test("%s-%s" % (word, name), "%s: %s" % (word, comment), flag + flags, body=body, reason=reason,
                       headers=lambda _: _older_headers(signature, word) + list(extra), options=options, **rest)

        good = make(s.secret, s.body)
        send("valid", "an ordinary delivery.", ["Basic"], good, key=0)
        send("tampered", "a changed body.", ["TamperedBody"], good, body=s.body + b" ", reason="signature-mismatch")
        send("wrong-secret", "a key that is not configured.", ["WrongSecret"], make("other", s.body),
             reason="signature-mismatch")
        send("rotated", "the previous secret.", ["RotatedSecret"], make(s.old, s.body), secrets=[s.secret, s.old], key=1)
        send("empty-body", "an empty body.", ["EmptyBody"], make(s.secret, b""), body=b"")
        send("not-utf8", "a body that is not UTF-8.", ["NonUtf8Body"], make(s.secret, b"[\xff]"), body=b"[\xff]")
        send("replacement", "U+FFFD was signed and FF came.", ["ReplacementCharacter", "TamperedBody"],
             make(s.secret, b"[\xef\xbf\xbd]"), body=b"[\xff]", reason="signature-mismatch")
        send("bom", "a signed byte order mark.", ["ByteOrderMark"], make(s.secret, b"\xef\xbb\xbf[]"), body=b"\xef\xbb\xbf[]")
        send("upper-case", "capital letters.", ["AnyCaseHex"], good.upper(), acceptable=True)
        send("63-digits", "the last digit missing.", ["TruncatedTag"], good[:-1], reason="bad-encoding")
        send("half", "half of the digits.", ["TruncatedTag"], good[:32], reason="bad-encoding")
        send("base64", "the signature in base64.", ["WrongEncoding"],
             model.b64(bytes.fromhex(good)), reason="bad-encoding")
        send("prefix", "sha256= in front.", ["WrongEncoding"], "sha256=" + good, reason="bad-encoding")
        send("hmac", "an HMAC in place of the hash.", ["WrongPrimitive"],
             model.hmac_sha256(s.secret.encode(), s.body).hex(), reason="signature-mismatch")
        send("secret-last", "the secret after the body.", ["WrongPrimitive"],
             hashlib.sha256(s.body + s.secret.encode()).hexdigest(), reason="signature-mismatch")
        send("no-secret", "a hash without the secret.", ["WrongPrimitive"],
             hashlib.sha256(s.body).hexdigest(), reason="signature-mismatch")
        send("repeated", "the signature header twice.", ["RepeatedHeader"], good, extra=[(_SIG, good)],
             reason="repeated-header")
        send("missing", "no signature header.", ["MissingHeader"], None, reason="missing-header")
        send("empty", "an empty signature header.", ["MissingHeader"], "", reason="missing-header")
        send("long", "a signature header of 8193 bytes.", ["LongHeader", "MalformedHeader"], "a" * 8193,
             reason="malformed-header")
        send("blanks", "blanks around the signature.", ["OuterWhiteSpace"], " " + good + "\t", acceptable=True)
        send("blank-secret", "an empty secret.", ["BlankSecret"], make("", s.body), secrets=[""], reason="bad-secret")
        send("old", "no time is signed; a year later it still verifies.", [], good, now=1731536000000)
        send("timestamp-ignored", "a timestamp header that nothing reads.", [], good, extra=[(_TIME, "x"), (_TIME, "y")])
        send("v3-ignored", "a v3 header that is not listed.", ["HubSpotVersions"], good, extra=[(_V3, _WRONG_V3), (_V3, "x")])


def _version_header(bench):
    s = bench.sender
    both = {"versions": ["v1", "v2"]}
    good1, good2 = v1(s.secret, s.body), v2(s.secret, s.body)

    def send(name, comment, flags, lines, reason=None, options=both, **rest):
        bench.test("version-header-" + name, comment, ["HubSpotVersions"] + flags, headers=lambda _: lines,
                   options=options, reason=reason, **rest)

    for text in ("v4", "V1", "v", "1", "v1,v2", "v01", "v1;"):
        name = text.replace(",", "-and-").replace(";", "-semicolon").replace("V", "capital-v")
        send(name, "The version header says %s." % text, ["UnknownVersionOnly"], [(_VERSION, text), (_SIG, good1)],
             "unsupported-version")
    send("non-ascii", "The version header is outside ASCII.", ["UnknownVersionOnly"], [(_VERSION, "v１"), (_SIG, good1)],
         "unsupported-version")
    send("blank", "A blank version header is none.", ["OuterWhiteSpace"], [(_VERSION, " "), (_SIG, good2)], acceptable=True)
    send("empty", "An empty version header is none.", [], [(_VERSION, ""), (_SIG, good2)])
    send("outer-blanks", "Blanks around the version.", ["OuterWhiteSpace"], [(_VERSION, " v1 "), (_SIG, good1)],
         acceptable=True)
    send("twice", "The version header twice, alike.", ["RepeatedHeader"], [(_VERSION, "v1"), (_VERSION, "v1"), (_SIG, good1)],
         "repeated-header")
    send("two-versions", "The version header twice, v1 and v2.", ["RepeatedHeader"],
         [(_VERSION, "v1"), (_VERSION, "v2"), (_SIG, good1)], "repeated-header")
    send("says-v2-is-v1", "The version header says v2, the signature is v1.", [], [(_VERSION, "v2"), (_SIG, good1)],
         "signature-mismatch")
    send("no-signature", "A version header and no signature.", ["MissingHeader"], [(_VERSION, "v1")], "missing-header")
    send("unlisted-no-signature", "An unlisted version and no signature.", ["MissingHeader", "OrderOfReasons"],
         [(_VERSION, "v9")], "missing-header")
    send("unlisted-bad-encoding", "An unlisted version and an undecodable signature.", ["OrderOfReasons"],
         [(_VERSION, "v9"), (_SIG, "zz")], "unsupported-version")
    send("twice-bad-encoding", "The version header twice and an undecodable signature.", ["OrderOfReasons", "RepeatedHeader"],
         [(_VERSION, "v1"), (_VERSION, "v1"), (_SIG, "zz")], "repeated-header")
    for name, words, more in [
        ("version", "the version header twice", [(_VERSION, "v1"), (_VERSION, "v2")]),
        ("signature", "an older signature twice", [(_SIG, "x"), (_SIG, "y")]),
        ("unlisted", "an unlisted version", [(_VERSION, "v9"), (_SIG, good1)]),
        ("long", "an older signature that is too long", [(_SIG, "a" * 9000)]),
    ]:
        bench.test("v3-beside-" + name, "A right v3 beside %s: only v3 is read." % words, "HubSpotVersions",
                   headers=lambda lines, more=more: lines + more, options={"versions": ["v1", "v2", "v3"]})
    bench.test("v3-no-fallback", "v3 wrong and v1 right, all versions listed: v3 decides.", ["HubSpotVersions", "WrongSecret"],
               headers=lambda lines: [(n, _WRONG_V3 if n == _V3 else v) for n, v in lines] + _older_headers(good1, "v1"),
               options={"versions": ["v1", "v2", "v3"]}, reason="signature-mismatch")
    bench.test("v3-stale-v1-good", "v3 stale and v1 right, all versions listed: v3 decides.", ["HubSpotVersions", "Stale"],
               time=s.time(-86400000), headers=lambda lines: lines + _older_headers(good1, "v1"),
               options={"versions": ["v1", "v2", "v3"]}, reason="timestamp-too-old")
    bench.test("v3-no-time-v1-good", "v3 without its timestamp and v1 right, all versions listed.",
               ["HubSpotVersions", "MissingHeader"],
               headers=lambda lines: [(n, v) for n, v in lines if n != _TIME] + _older_headers(good1, "v1"),
               options={"versions": ["v1", "v2", "v3"]}, reason="missing-header")
    bench.test("real-delivery", "v1, its version header and v3 together, as real deliveries carry them.", "HubSpotVersions",
               headers=lambda lines: lines + _older_headers(good1, "v1") + [("X-HubSpot-Timeout-Millis", "10000")])


def _targets(bench):
    s = bench.sender
    missing = ["MissingTarget"]
    good1 = v1(s.secret, s.body)
    old = lambda _: _older_headers(good1, "v1")
    for name, words, without in [("url", "URL", ("url",)), ("method", "method", ("method",)),
                                 ("both", "method nor URL", ("method", "url"))]:
        bench.test("target-no-" + name, "v3: no %s is given." % words, missing, without=without, reason="missing-target")
        bench.test("target-v2-no-" + name, "v2: no %s is given." % words, missing + ["HubSpotV2"],
                   headers=lambda _: _older_headers(v2(s.secret, s.body), "v2"), options={"versions": ["v2"]},
                   without=without, reason="missing-target")
        bench.test("target-v1-no-" + name, "v1 alone is listed: no %s is given, and none is needed." % words,
                   ["HubSpotV1"], headers=old, options={"versions": ["v1"]}, without=without)
    for listed in (["v1", "v2"], ["v1", "v3"], ["v1", "v2", "v3"]):
        bench.test("target-%s-no-url" % "".join(listed), "A v1 delivery with %s listed: the URL is needed all the same."
                   % " and ".join(listed), missing + ["HubSpotVersions"], headers=old, options={"versions": listed},
                   without=("url",), reason="missing-target")
    rank = missing + ["OrderOfReasons"]
    bench.test("target-no-url-no-header", "Two faults: no URL, and no header.", rank, headers=lambda _: [],
               without=("url",), reason="missing-target")
    bench.test("target-no-url-repeated", "Two faults: no URL, and the signature twice.", rank,
               headers=lambda lines: lines + [(_V3, "x")], without=("url",), reason="missing-target")
    bench.test("target-no-url-blank-secret", "Two faults: a blank secret, and no URL.", rank + ["BlankSecret"],
               secrets=[""], without=("url",), reason="bad-secret")


def _urls(bench):
    s = bench.sender
    wrong = ["WrongUrl"]
    base = "https://www.example.com/hook"
    for name, words, signed, seen in [
        ("http", "http where https was signed", base, "http://www.example.com/hook"),
        ("port-443", "the usual port added", base, "https://www.example.com:443/hook"),
        ("port-removed", "a signed port removed", "https://www.example.com:443/hook", base),
        ("port-8443", "another port", "https://www.example.com:8443/hook", base),
        ("host-case", "the host in another case", base, "https://WWW.Example.com/hook"),
        ("path-case", "the path in another case", base, "https://www.example.com/Hook"),
        ("scheme-case", "the scheme in capitals", base, "HTTPS://www.example.com/hook"),
        ("other-host", "another host", base, "https://example.com/hook"),
        ("slash-added", "a slash added", base, base + "/"),
        ("slash-removed", "a slash removed", base + "/", base),
        ("root-slash", "the root without its slash", "https://www.example.com/", "https://www.example.com"),
        ("double-slash", "a doubled slash", base, "https://www.example.com//hook"),
        ("dot-segment", "a dot segment", base, "https://www.example.com/./hook"),
        ("path-only", "the path alone was signed", "/hook", base),
        ("no-scheme", "the scheme was not signed", "www.example.com/hook", base),
        ("query-dropped", "the query dropped", base + "?a=1", base),
        ("query-added", "a query added", base, base + "?a=1"),
        ("query-mark", "an empty query", base, base + "?"),
        ("query-order", "the query in another order", base + "?b=2&a=1", base + "?a=1&b=2"),
        ("query-value", "another value in the query", base + "?a=1", base + "?a=2"),
        ("fragment", "a fragment", base, base + "#frag"),
        ("userinfo", "a user name", base, "https://user@www.example.com/hook"),
        ("plus-for-20", "a plus for %20", base + "?a=b%20c", base + "?a=b+c"),
        ("punycode", "a host in ASCII form", "https://exämple.com/hook", "https://xn--exmple-cua.com/hook"),
        ("encoded", "a letter outside ASCII as an escape", "https://www.example.com/hök", "https://www.example.com/h%C3%B6k"),
        ("space-after", "a space at the end", base, base + " "),
    ]:
        bench.test("url-" + name, "The URL differs from the signed one: %s." % words, wrong, url=seen, signed_url=signed,
                   reason="signature-mismatch")
        if name in ("http", "port-443", "query-order", "slash-added"):
            bench.test("v2-url-" + name, "v2: the URL differs from the signed one: %s." % words, wrong + ["HubSpotV2"],
                       url=seen, headers=lambda _, u=signed: _older_headers(v2(s.secret, s.body, url=u), "v2"),
                       options={"versions": ["v2"]}, reason="signature-mismatch")
    for name, words, url in [
        ("query", "with a query", base + "?b=2&a=1&a=3&c="),
        ("port", "with a port", "https://www.example.com:8443/hook"),
        ("root", "of the root", "https://www.example.com/"),
        ("no-path", "without a path", "https://www.example.com"),
        ("non-ascii", "with letters outside ASCII", "https://www.example.com/hök?é=世"),
        ("plus", "with a plus", base + "?a=b+c"),
        ("ip", "with an address", "https://192.0.2.1/hook"),
        ("long", "of 4000 characters", base + "?q=" + "a" * 3969),
        ("http", "with http", "http://localhost:3000/hook"),
        ("encoded-twelve-plain", "with the twelve characters as they are", base + "?x=:/?@!$'()*,;"),
    ]:
        bench.test("url-as-signed-" + name, "The signed URL %s." % words, "Basic", url=url)
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        bench.test("method-" + method.lower(), "The method %s with an empty body." % method, "EmptyBody", method=method,
                   body=b"")
    for name, words, seen, signed in [
        ("lower-case", "small letters where capitals were signed", "post", "POST"),
        ("mixed-case", "mixed case", "Post", "POST"),
        ("other", "another method", "PUT", "POST"),
        ("lower-signed", "small letters were signed", "POST", "post"),
    ]:
        bench.test("method-wrong-" + name, "The method differs from the signed one: %s." % words, "WrongMethod",
                   method=seen, signed_method=signed, reason="signature-mismatch")


def _escapes(bench):
    s = bench.sender
    base = "https://www.example.com/hook?x=a%sb"
    esc = ["UrlEscape"]

    def send(name, comment, flags, url, signed, result):
        bench.test("escape-" + name, comment, esc + flags, url=url, signed_url=signed, acceptable=result == "acceptable",
                   reason=None if result in ("valid", "acceptable") else result)

    for escape, char in ESCAPES:
        code = escape[1:].lower()
        url = base % escape
        send(code + "-decoded", "%s in the URL; the decoded form was signed." % escape, ["HubSpotDecodedUrl"], url,
             base % char, "acceptable")
        send(code + "-verbatim", "%s in the URL; the URL was signed as it stands." % escape, ["HubSpotVerbatimUrl"], url,
             url, "acceptable")
        small = escape.lower()
        if small != escape:
            send(code + "-small-verbatim", "%s in the URL, not one of the twelve; signed as it stands." % small, [],
                 base % small, base % small, "valid")
            send(code + "-small-decoded", "%s in the URL, not one of the twelve; the decoded form was signed." % small,
                 ["WrongUrl"], base % small, base % char, "signature-mismatch")
    for escape, char in _OTHERS:
        code = escape.replace("%", "").lower()
        url = base % escape
        send(code + "-verbatim", "%s, not one of the twelve; signed as it stands." % escape, [], url, url, "valid")
        send(code + "-decoded", "%s, not one of the twelve; the decoded form was signed." % escape, ["WrongUrl"], url,
             base % char, "signature-mismatch")
    coded = base % "".join(e for e, _ in ESCAPES)
    plain = base % "".join(c for _, c in ESCAPES)
    send("all-decoded", "All twelve; all decoded forms were signed.", ["HubSpotDecodedUrl"], coded, plain, "acceptable")
    send("all-verbatim", "All twelve; signed as they stand.", ["HubSpotVerbatimUrl"], coded, coded, "acceptable")
    send("half-decoded", "Two escapes, one of them decoded when signed.", ["WrongUrl"], base % "%3A%2F", base % ":%2F",
         "signature-mismatch")
    send("mixed-case-decoded", "A capital and a small escape; the capital one was decoded.", ["HubSpotDecodedUrl"],
         base % "%3A%3a", base % ":%3a", "acceptable")
    send("mixed-case-both", "A capital and a small escape; both were decoded.", ["WrongUrl"], base % "%3A%3a", base % "::",
         "signature-mismatch")
    send("half-capital", "An escape with one capital letter of two digits is none of the twelve.", [], base % "%2f%3a",
         base % "%2f%3a", "valid")
    send("path-decoded", "%2F in the path; the decoded form was signed.", ["HubSpotDecodedUrl"],
         "https://www.example.com/a%2Fb/hook", "https://www.example.com/a/b/hook", "acceptable")
    send("path-verbatim", "%2F in the path; signed as it stands.", ["HubSpotVerbatimUrl"],
         "https://www.example.com/a%2Fb/hook", "https://www.example.com/a%2Fb/hook", "acceptable")
    send("with-other-decoded", "%3A and %20; only %3A was decoded.", ["HubSpotDecodedUrl"], base % "%3A%20", base % ":%20",
         "acceptable")
    send("with-other-all", "%3A and %20; both were decoded.", ["WrongUrl"], base % "%3A%20", base % ": ", "signature-mismatch")
    send("double-verbatim", "%253A: signed as it stands; none of the twelve is in it.", [], base % "%253A", base % "%253A",
         "valid")
    send("double-once", "%253A: decoded once.", ["WrongUrl"], base % "%253A", base % "%3A", "signature-mismatch")
    send("double-twice", "%253A: decoded twice.", ["WrongUrl"], base % "%253A", base % ":", "signature-mismatch")
    send("percent-before", "A percent sign before an escape; the escape was decoded.", ["HubSpotDecodedUrl"], base % "%%3A",
         base % "%:", "acceptable")
    send("inside-broken", "An escape inside a broken one; the escape was decoded.", ["HubSpotDecodedUrl"], base % "%2%3AF",
         base % "%2:F", "acceptable")
    send("cut", "A broken escape at the end.", [], (base % "")[:-1] + "%3", (base % "")[:-1] + "%3", "valid")
    send("encoded-when-signed", "Plain characters in the URL; their escapes were signed.", ["WrongUrl"], base % ":",
         base % "%3A", "signature-mismatch")
    for name, words, signed, reason in [
        ("verbatim", "signed as it stands", base % "%3A", None),
        ("decoded", "the decoded form was signed", base % ":", "signature-mismatch"),
    ]:
        bench.test("v2-escape-" + name, "v2, %3A in the URL: " + words + ".", esc + ["HubSpotV2"], url=base % "%3A",
                   headers=lambda _, u=signed: _older_headers(v2(s.secret, s.body, url=u), "v2"),
                   options={"versions": ["v2"]}, reason=reason)


def _slides(bench):
    s = bench.sender
    slide = ["BoundarySlide"]
    now = s.time()
    bench.test("slide-body-into-time", "The last digit of the body moved to the front of the time, which is far ahead then.",
               slide + ["Future"], signed_body=b"[1]9", body=b"[1]", time="9" + now, signed_time=now,
               reason="timestamp-in-future")
    bench.test("slide-time-into-body", "The first digit of the time moved to the end of the body: a stale time.",
               slide + ["Stale"], signed_body=b"[]", body=b"[]" + now[:1].encode(), time=now[1:], signed_time=now,
               reason="timestamp-too-old")
    bench.test("slide-zeros-into-time", "A zero of the body moved to the front of the time: no plain digits any more.",
               slide + ["TimestampNotCanonical", "MalformedHeader"], signed_body=b"[]0", body=b"[]", time="0" + now,
               signed_time=now, reason="malformed-header")
    bench.test("slide-letter-into-time", "The last letter of the body moved to the front of the time.",
               slide + ["TimestampNotCanonical", "MalformedHeader"], signed_body=b"[]", body=b"[", time="]" + now,
               signed_time=now, reason="malformed-header")
    both = slide + ["UnseparatedParts"]
    bench.test("slide-url-into-body", "The end of the URL moved to the front of the body.", both,
               url="https://www.example.com/ho", signed_url="https://www.example.com/hook", body=b"ok[]", signed_body=b"[]",
               acceptable=True)
    bench.test("slide-body-into-url", "The front of the body moved to the end of the URL.", both,
               url="https://www.example.com/hook?a", signed_url="https://www.example.com/hook", body=b"[]",
               signed_body=b"?a[]", acceptable=True)
    bench.test("slide-method-into-url", "The end of the method moved to the front of the URL.", both, method="POS",
               signed_method="POST", url="Thttps://www.example.com/hook", signed_url="https://www.example.com/hook",
               acceptable=True)


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
        ("no-time-long", "no time, and a signature that is too long", dict(time=None, v3="a" * 9000), "missing-header"),
        ("no-signature-bad-time", "no signature, and a time that is none", dict(time="x", v3=None), "missing-header"),
        ("no-signature-time-twice", "no signature, and the time twice", dict(time=("1", "2"), v3=None), "missing-header"),
        ("time-twice-bad-encoding", "the time twice, and an undecodable signature", dict(time=("1", "2"), v3="zz"), "repeated-header"),
        ("repeated-bad-time", "the signature twice, and a time that is none", dict(time="x", v3=("x", "y")), "repeated-header"),
        ("bad-time-bad-encoding", "a time that is none, and an undecodable signature", dict(time="x", v3="zz"), "malformed-header"),
        ("bad-time-wrong", "a time that is none, and a wrong signature", dict(time="x", v3=_WRONG_V3), "malformed-header"),
        ("stale-bad-encoding", "a stale time, and an undecodable signature", dict(time="1", v3="zz"), "bad-encoding"),
        ("stale-wrong", "a stale time, and a wrong signature", dict(time="1", v3=_WRONG_V3), "signature-mismatch"),
    ]:
        bench.test("rank-" + name, "Two faults: %s." % words, rank, headers=change(**values), reason=reason)
    bench.test("rank-url-and-stale", "Two faults: another URL, and a stale time.", rank + ["WrongUrl"],
               time=s.time(-86400000), url=URL + "/", signed_url=URL, reason="signature-mismatch")
