"""Events of Stripe: snapshot and thin events."""

from events import Doc, EventBench, Raw, event
from events_json import date_family, key_limit, optional_fields, required_text, text_family

_DOC = Doc(
    {
        "id": "evt_1",
        "object": "event",
        "type": "invoice.paid",
        "created": 1699999990,
        "data": {"object": {"id": "in_1", "object": "invoice"}},
    }
)
_THIN = Doc(
    {
        "id": "evt_2",
        "object": "v2.core.event",
        "type": "v1.billing.meter.error_report_triggered",
        "created": "2023-11-14T22:13:10.000Z",
        "related_object": {"id": "mtr_1", "type": "billing.meter", "url": "/v1/billing/meters/mtr_1"},
    }
)


def _event(id="evt_1", kind="invoice.paid", subject="in_1", order=(1699999990, "s")):
    twin = ["stripe", subject, kind] if kind and subject else None
    return event(["stripe", id], twin=twin, kind=kind, subject=subject and [subject], order=order)


def _thin(order=(1699999990000000, "us"), subject="mtr_1"):
    return _event("evt_2", "v1.billing.meter.error_report_triggered", subject, order)


def stripe_events(bench):
    s = bench.sender
    to = EventBench(bench)
    _kinds(to)
    _identity(to, s)
    text_family(to, _DOC, _event())
    required_text(to, _DOC, "id", "id", lambda text: _event(text))
    key_limit(to, _DOC, "id", len("stripe/"), lambda text: _event(text))
    _optional(to)
    _order(to)


def _kinds(to):
    for kind, subject in [
        ("charge.refunded", "ch_1"),
        ("customer.subscription.updated", "sub_1"),
        ("payment_intent.succeeded", "pi_1"),
        ("checkout.session.completed", "cs_1"),
        ("account.updated", "acct_1"),
    ]:
        doc = _DOC.put("type", kind).put("data.object.id", subject)
        to.good(
            "kind-" + kind.replace(".", "-").replace("_", "-"),
            "An event %s." % kind,
            [],
            doc,
            _event("evt_1", kind, subject),
        )
    to.good("connect", "An event of a connected account.", [], _DOC.put("account", "acct_1"), _event())
    to.good("thin", "A thin event of version 2: the related object is its subject.", [], _THIN, _thin())
    ping = _THIN.put("type", "v2.core.event_destination.ping").drop("related_object")
    to.good(
        "thin-ping",
        "The ping of a destination: about nothing.",
        [],
        ping,
        _event("evt_2", "v2.core.event_destination.ping", None, (1699999990000000, "us")),
    )


def _identity(to, s):
    retry, apart, code = ["EventRetry"], ["EventDistinct"], ["EventKeyEncoding"]
    to.good("first-attempt", "The first attempt of an event.", retry, _DOC.put("pending_webhooks", 2), _event())
    to.good(
        "second-attempt",
        "The same event four minutes before in time and with another body: the key is the same.",
        retry,
        _DOC.put("pending_webhooks", 1),
        _event(),
        time=s.time(-240),
    )
    to.good("one-change-1", "One change under two ids: the first.", apart, _DOC.put("id", "evt_a"), _event("evt_a"))
    to.good(
        "one-change-2",
        "One change under two ids: the second. The keys differ, the twins are equal.",
        apart,
        _DOC.put("id", "evt_b"),
        _event("evt_b"),
    )
    for name, words, text in [
        ("slash", "a slash", "a/b"),
        ("escaped-slash", "a slash that is already escaped", "a%2Fb"),
        ("unicode", "letters outside ASCII", "é世😀"),
        ("composed", "a letter in two code points, not composed", "e\u0301"),
        ("signs", "signs that are escaped and signs that are not", "a b+c~d*e-f_g.h"),
        ("dots", "full stops", ".."),
        ("case", "capital letters", "EVT_1"),
    ]:
        to.good("id-" + name, "The id holds %s." % words, code, _DOC.put("id", text), _event(text))
    code += ["EventDistinct"]
    to.good(
        "twin-slash-1",
        "The subject a/b of kind c.",
        code,
        _DOC.put("data.object.id", "a/b").put("type", "c"),
        _event("evt_1", "c", "a/b"),
    )
    to.good(
        "twin-slash-2",
        "The subject a of kind b/c: another twin.",
        code,
        _DOC.put("data.object.id", "a").put("type", "b/c"),
        _event("evt_1", "b/c", "a"),
    )


def _optional(to):
    related = Doc(_DOC.pairs + [("related_object", {"id": "ro_1"})])
    none = _event(subject=None)
    optional_fields(
        to,
        [
            ("kind-absent", "No type: no kind, and no twin.", _DOC.drop("type"), _event(kind=None)),
            ("kind-null", "type is null.", _DOC.put("type", None), _event(kind=None)),
            ("kind-empty", "type is empty.", _DOC.put("type", ""), _event(kind=None)),
            ("kind-number", "type is a number.", _DOC.put("type", 1), _event(kind=None)),
            ("kind-twice", "type twice, alike.", _DOC.twice("type"), _event(kind=None)),
            (
                "kind-surrogate",
                "Half of a surrogate pair in type.",
                _DOC.put("type", Raw('"\\udfff"')),
                _event(kind=None),
            ),
            ("kind-escaped", "type written with escapes.", _DOC.put("type", Raw('"\\u0061\\/b"')), _event(kind="a/b")),
            ("subject-absent", "No data: no subject.", _DOC.drop("data"), none),
            ("subject-null", "data is null.", _DOC.put("data", None), none),
            ("subject-object-null", "data.object is null.", _DOC.put("data.object", None), none),
            ("subject-number", "data.object.id is a number.", _DOC.put("data.object.id", 1), none),
            ("subject-twice", "data.object.id twice.", _DOC.twice("data.object.id"), none),
            ("subject-data-twice", "data twice.", _DOC.twice("data"), none),
            ("subject-data-list", "data is a list.", _DOC.put("data", []), none),
            (
                "subject-surrogate",
                "Half of a surrogate pair in the object's id.",
                _DOC.put("data.object.id", Raw('"\\ud83d"')),
                none,
            ),
            ("subject-both", "Both places of a subject: the first counts.", related, _event()),
            (
                "subject-next-absent",
                "No data.object.id: the second place counts.",
                related.drop("data.object.id"),
                _event(subject="ro_1"),
            ),
            (
                "subject-next-null",
                "data is null: the second place counts.",
                related.put("data", None),
                _event(subject="ro_1"),
            ),
            (
                "subject-next-empty",
                "data.object.id is empty: the second place counts.",
                related.put("data.object.id", ""),
                _event(subject="ro_1"),
            ),
            (
                "subject-faulty-number",
                "data.object.id is a number: the second place does not stand in.",
                related.put("data.object.id", 1),
                none,
            ),
            ("subject-faulty-twice", "data twice: the second place does not stand in.", related.twice("data"), none),
            (
                "subject-faulty-list",
                "data.object is a list: the second place does not stand in.",
                related.put("data.object", []),
                none,
            ),
            (
                "subject-related-twice",
                "A thin event with related_object twice.",
                _THIN.twice("related_object"),
                _thin(subject=None),
            ),
        ],
    )


def _order(to):
    order = ["EventOrder"]
    for name, words, value, seconds in [
        ("zero", "0", 0, 0),
        ("negative", "a negative number", -5, -5),
        ("18-digits", "18 digits, the most that are read", Raw("9" * 18), 10**18 - 1),
        ("19-digits", "19 digits, too many", Raw("1" + "0" * 18), None),
        ("minus-zero", "-0", Raw("-0"), None),
        ("fraction", "a fraction", Raw("1699999990.0"), None),
        ("exponent", "an exponent", Raw("1699999990e0"), None),
        ("null", "null", None, None),
        ("true", "true", True, None),
    ]:
        expected = _event(order=None if seconds is None else (seconds, "s"))
        to.good("created-" + name, "created is %s." % words, order, _DOC.put("created", value), expected)
    to.good("created-absent", "created is absent.", order, _DOC.drop("created"), _event(order=None))
    to.good(
        "created-twice",
        "created twice, alike.",
        order + ["EventFieldRepeated"],
        _DOC.twice("created"),
        _event(order=None),
    )
    date_family(to, _THIN, "created", lambda order: _thin(order))
