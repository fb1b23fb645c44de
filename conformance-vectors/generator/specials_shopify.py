"""Shopify: the headers with X- and those of the Events preview without it."""

_X = "X-Shopify-Hmac-Sha256"
_E = "Shopify-Hmac-Sha256"
_RANK = ["missing-header", "repeated-header", "malformed-header", "bad-encoding", "signature-mismatch"]
_EVENTS_EXTRA = [
    ("Shopify-Topic", "Product"),
    ("Shopify-Shop-Domain", "example.myshopify.com"),
    ("Shopify-API-Version", "unstable"),
    ("Shopify-Webhook-Id", "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043"),
    ("Shopify-Handle", "product-updates"),
    ("Shopify-Action", "update"),
    ("Shopify-Triggered-At", "2023-11-14T22:13:10Z"),
]


def shopify_family(bench):
    _combinations(bench)
    _keys(bench)
    _routing(bench)
    s = bench.sender
    events = lambda lines: _EVENTS_EXTRA + [(_E, v) for n, v in lines if n == _X]
    bench.test("events", "A delivery of the Events preview.", "ShopifyFamilies", headers=events)
    bench.test(
        "events-option",
        "A delivery of the Events preview, chosen by option.",
        "ShopifyFamilies",
        headers=events,
        options={"headers": "events"},
    )
    bench.test(
        "events-tampered",
        "A delivery of the Events preview with a changed body.",
        ["ShopifyFamilies", "TamperedBody"],
        headers=events,
        signed_body=s.body,
        body=s.body + b" ",
        reason="signature-mismatch",
    )
    bench.test(
        "events-rotated",
        "A delivery of the Events preview, signed with the previous secret.",
        ["ShopifyFamilies", "RotatedSecret"],
        headers=events,
        secret=s.old,
        secrets=[s.secret, s.old],
        key=1,
    )
    bench.test(
        "events-unpadded",
        "The Events signature without padding beside a right X- one.",
        ["ShopifyFamilies", "WrongEncoding"],
        headers=lambda lines: lines + [(_E, v.rstrip("=")) for n, v in lines if n == _X],
        reason="bad-encoding",
    )
    bench.test(
        "events-long",
        "An Events signature of 8193 bytes beside a right X- one.",
        ["ShopifyFamilies", "LongHeader", "MalformedHeader"],
        headers=lambda lines: lines + [(_E, "A" * 8193)],
        reason="malformed-header",
    )
    bench.test("option-any", "The option headers given as any.", "ShopifyFamilies", options={"headers": "any"})
    bench.test(
        "test-header",
        "X-Shopify-Test: true beside a right signature.",
        "Basic",
        headers=lambda lines: lines + [("X-Shopify-Test", "true")],
    )
    bench.test(
        "test-header-wrong",
        "X-Shopify-Test: true never excuses a wrong signature.",
        ["WrongSecret"],
        value=lambda _: s.encode(b"\x01" * 32),
        headers=lambda lines: lines + [("X-Shopify-Test", "true")],
        reason="signature-mismatch",
    )
    bench.test(
        "test-header-missing",
        "X-Shopify-Test: true never excuses a missing signature.",
        ["MissingHeader"],
        headers=lambda lines: [(n, v) for n, v in lines if n != _X] + [("X-Shopify-Test", "true")],
        reason="missing-header",
    )
    bench.test(
        "name-capital-sha",
        "The header's name with SHA256 in capitals, as the documentation also has it.",
        "HeaderNameCase",
        headers=lambda lines: [(n.replace("Sha256", "SHA256"), v) for n, v in lines],
    )


def _combinations(bench):
    s = bench.sender
    wrong = s.encode(b"\xff" * 32)
    states = {
        # values, present, fault
        "absent": ((), False, None),
        "good": (("G",), True, None),
        "wrong": ((wrong,), True, "signature-mismatch"),
        "undecodable": (("zz",), True, "bad-encoding"),
        "empty": (("",), False, None),
        "twice": (("G", "G"), True, "repeated-header"),
    }
    for option in ("any", "x", "events"):
        for x_name, (x_values, x_present, x_fault) in states.items():
            for e_name, (e_values, e_present, e_fault) in states.items():
                needed = {"any": x_present or e_present, "x": x_present, "events": e_present}[option]
                faults = [f for f in (x_fault, e_fault) if f]
                if not needed:
                    faults.append("missing-header")
                reason = min(faults, key=_RANK.index) if faults else None
                flags = ["ShopifyFamilies"]
                if len(set(faults)) > 1:
                    flags.append("OrderOfReasons")
                if reason == "missing-header":
                    flags.append("MissingHeader")
                if reason == "repeated-header":
                    flags.append("RepeatedHeader")

                def headers(lines, x_values=x_values, e_values=e_values):
                    good = [v for n, v in lines if n == _X][0]
                    out = [(n, v) for n, v in lines if n != _X] + _EVENTS_EXTRA[:4]
                    out += [(_X, v.replace("G", good)) for v in x_values]
                    return out + [(_E, v.replace("G", good)) for v in e_values]

                bench.test(
                    "families-%s-x-%s-events-%s" % (option, x_name, e_name),
                    "Option %s; the X- signature: %s; the Events signature: %s." % (option, x_name, e_name),
                    flags,
                    headers=headers,
                    reason=reason,
                    options=None if option == "any" else {"headers": option},
                )


def _keys(bench):
    """Both families right, each by another of the configured keys."""
    s = bench.sender
    current = s.encode(s.mac(s.secret, s.body))
    previous = s.encode(s.mac(s.old, s.body))
    for name, words, x, e in [
        ("x-current", "X- by the current secret, Events by the previous one", current, previous),
        ("x-previous", "X- by the previous secret, Events by the current one", previous, current),
    ]:
        bench.test(
            "families-keys-" + name,
            "Both families, each by another key: %s." % words,
            ["ShopifyFamilies", "RotatedSecret"],
            value=lambda _, x=x: x,
            headers=lambda lines, e=e: lines + [(_E, e)],
            secrets=[s.secret, s.old],
            reason="signature-mismatch",
        )
    bench.test(
        "families-keys-previous",
        "Both families by the previous secret.",
        ["ShopifyFamilies", "RotatedSecret"],
        value=lambda _: previous,
        headers=lambda lines: lines + [(_E, previous)],
        secrets=[s.secret, s.old],
        key=1,
    )


def _routing(bench):
    """Unsigned headers that libraries demand before they look at the signature."""
    for name in ("X-Shopify-Topic", "X-Shopify-Shop-Domain", "X-Shopify-API-Version", "X-Shopify-Webhook-Id"):
        bench.test(
            "without-" + name.lower(),
            "The unsigned header %s is absent." % name,
            "MissingRoutingHeader",
            headers=lambda lines, n=name: [(k, v) for k, v in lines if k != n],
            acceptable=True,
        )
    bench.test(
        "events-with-x-routing",
        "The Events signature with the unsigned headers of the X- family.",
        ["ShopifyFamilies", "MissingRoutingHeader"],
        headers=lambda lines: [(_E if n == _X else n, v) for n, v in lines],
        acceptable=True,
    )
    bench.test(
        "without-triggered-at",
        "X-Shopify-Triggered-At is absent.",
        "Basic",
        headers=lambda lines: [(k, v) for k, v in lines if k != "X-Shopify-Triggered-At"],
    )
    bench.test(
        "shop-changed",
        "The unsigned shop domain is another one: the signature does not cover it.",
        "Basic",
        headers=lambda lines: [(n, "other.myshopify.com" if n == "X-Shopify-Shop-Domain" else v) for n, v in lines],
    )
