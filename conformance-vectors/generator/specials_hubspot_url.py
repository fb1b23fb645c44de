"""HubSpot: method and URL; the older two hashes."""

import hashlib

from senders import URL

SIG = "X-HubSpot-Signature"
VERSION = "X-HubSpot-Signature-Version"
_V3 = "X-HubSpot-Signature-v3"


def v1(secret, body):
    return hashlib.sha256(secret.encode("utf-8") + body).hexdigest()


def v2(secret, body, method="POST", url=URL):
    return hashlib.sha256(secret.encode("utf-8") + method.encode("ascii") + url.encode("utf-8") + body).hexdigest()


def older_headers(signature, version=None):
    lines = [] if version is None else [(VERSION, version)]
    return lines + ([] if signature is None else [(SIG, signature)])


def hubspot_url_family(bench):
    _targets(bench)
    _urls(bench)


def _targets(bench):
    s = bench.sender
    missing = ["MissingTarget"]
    good1 = v1(s.secret, s.body)
    old = lambda _: older_headers(good1, "v1")
    for name, words, without in [
        ("url", "URL", ("url",)),
        ("method", "method", ("method",)),
        ("both", "method nor URL", ("method", "url")),
    ]:
        bench.test(
            "target-no-" + name, "v3: no %s is given." % words, missing, without=without, reason="missing-target"
        )
        bench.test(
            "target-v2-no-" + name,
            "v2: no %s is given." % words,
            missing + ["HubSpotV2"],
            headers=lambda _: older_headers(v2(s.secret, s.body), "v2"),
            options={"versions": ["v2"]},
            without=without,
            reason="missing-target",
        )
        bench.test(
            "target-v1-no-" + name,
            "v1 alone is listed: no %s is given, and none is needed." % words,
            ["HubSpotV1"],
            headers=old,
            options={"versions": ["v1"]},
            without=without,
        )
    for listed in (["v1", "v2"], ["v1", "v3"], ["v1", "v2", "v3"]):
        bench.test(
            "target-%s-no-url" % "".join(listed),
            "A v1 delivery with %s listed: the URL is needed all the same." % " and ".join(listed),
            missing + ["HubSpotVersions"],
            headers=old,
            options={"versions": listed},
            without=("url",),
            reason="missing-target",
        )
    rank = missing + ["OrderOfReasons"]
    bench.test(
        "target-no-url-no-header",
        "Two faults: no URL, and no header.",
        rank,
        headers=lambda _: [],
        without=("url",),
        reason="missing-target",
    )
    bench.test(
        "target-no-url-repeated",
        "Two faults: no URL, and the signature twice.",
        rank,
        headers=lambda lines: lines + [(_V3, "x")],
        without=("url",),
        reason="missing-target",
    )
    bench.test(
        "target-no-url-blank-secret",
        "Two faults: a blank secret, and no URL.",
        rank + ["BlankSecret"],
        secrets=[""],
        without=("url",),
        reason="bad-secret",
    )


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
        (
            "encoded",
            "a letter outside ASCII as an escape",
            "https://www.example.com/hök",
            "https://www.example.com/h%C3%B6k",
        ),
    ]:
        bench.test(
            "url-" + name,
            "The URL differs from the signed one: %s." % words,
            wrong,
            url=seen,
            signed_url=signed,
            reason="signature-mismatch",
        )
        if name in ("http", "port-443", "query-order", "slash-added"):
            bench.test(
                "v2-url-" + name,
                "v2: the URL differs from the signed one: %s." % words,
                wrong + ["HubSpotV2"],
                url=seen,
                headers=lambda _, u=signed: older_headers(v2(s.secret, s.body, url=u), "v2"),
                options={"versions": ["v2"]},
                reason="signature-mismatch",
            )
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
        bench.test(
            "method-" + method.lower(),
            "The method %s with an empty body." % method,
            "EmptyBody",
            method=method,
            body=b"",
        )
    for name, words, seen, signed in [
        ("lower-case", "small letters where capitals were signed", "post", "POST"),
        ("mixed-case", "mixed case", "Post", "POST"),
        ("other", "another method", "PUT", "POST"),
        ("lower-signed", "small letters were signed", "POST", "post"),
    ]:
        bench.test(
            "method-wrong-" + name,
            "The method differs from the signed one: %s." % words,
            "WrongMethod",
            method=seen,
            signed_method=signed,
            reason="signature-mismatch",
        )
