"""What only Cal.com or only Paymos has."""


def calcom_family(bench):
    s = bench.sender
    literal = "no-secret-provided"
    flag = ["NoSecretProvided"]
    bench.test(
        "no-secret-provided",
        "The literal that Cal.com sends for a webhook without a secret.",
        flag,
        value=lambda _: literal,
        reason="bad-encoding",
    )
    bench.test(
        "no-secret-provided-empty-body",
        "The literal with an empty body.",
        flag,
        value=lambda _: literal,
        body=b"",
        reason="bad-encoding",
    )
    bench.test(
        "no-secret-provided-capitals",
        "The literal in capitals.",
        flag,
        value=lambda _: literal.upper(),
        reason="bad-encoding",
    )
    bench.test(
        "no-secret-provided-and-good",
        "The literal and a right signature on two lines.",
        flag + ["RepeatedHeader"],
        headers=lambda lines: lines + [(s.header, literal)],
        reason="repeated-header",
    )
    bench.test(
        "no-secret-provided-blank-secret",
        "The literal, and a blank secret at the receiver.",
        flag + ["BlankSecret"],
        value=lambda _: literal,
        secrets=[""],
        reason="bad-secret",
    )
    bench.test(
        "no-secret-provided-two-secrets",
        "The literal, and two secrets at the receiver.",
        flag + ["RotatedSecret"],
        value=lambda _: literal,
        secrets=[s.secret, s.old],
        reason="bad-encoding",
    )
    bench.test("template-form", "A body that a template made into a form.", "AnyBody", body=b"name=Test+Person&uid=abc")
    bench.test(
        "ping",
        "The test delivery of the settings page.",
        "Basic",
        body=b'{"triggerEvent":"PING","createdAt":"2023-11-14T22:13:10.000Z","payload":{"type":"Test"}}',
    )
    bench.test(
        "without-version-header",
        "The unsigned version header is absent.",
        "Basic",
        headers=lambda lines: [(n, v) for n, v in lines if n != "X-Cal-Webhook-Version"],
    )


def paymos_family(bench):
    s = bench.sender
    add = lambda *more: lambda lines: lines + list(more)
    bench.test(
        "timestamp-header-same",
        "X-Webhook-Timestamp as the sender adds it.",
        "Basic",
        headers=add(("X-Webhook-Timestamp", s.time())),
    )
    bench.test(
        "timestamp-header-other",
        "X-Webhook-Timestamp differs from the signed time: it is not signed and not read.",
        "Basic",
        headers=add(("X-Webhook-Timestamp", "1")),
    )
    bench.test(
        "timestamp-header-twice",
        "X-Webhook-Timestamp twice: not read.",
        "Basic",
        headers=add(("X-Webhook-Timestamp", "1"), ("X-Webhook-Timestamp", "2")),
    )
    bench.test(
        "timestamp-header-fresh",
        "A stale delivery with a fresh X-Webhook-Timestamp.",
        "Stale",
        time=s.time(-86400),
        headers=add(("X-Webhook-Timestamp", s.time())),
        reason="timestamp-too-old",
    )
    bench.test(
        "without-id-header",
        "X-Webhook-Id is absent: it is not signed and not read.",
        "Basic",
        headers=lambda lines: [(n, v) for n, v in lines if n != "X-Webhook-Id"],
    )
    bench.test(
        "envelope-friendly",
        "An envelope of version 2.",
        "Basic",
        body=b'{"event_id":"evt_test_0002","event_type":"withdrawal.completed","version":2,'
        b'"occurred_at":1699999990,"data":{"withdrawal_id":"wdr_test_0001","status":"completed"}}',
    )
