"""Events of Shopify: id, topic and time from the family of headers whose signature is present."""

from events import Doc, EventBench, Raw, event, lines
from events_headers import id_header_family
from events_json import date_family

_ID = "b54557e4-0000-4000-8000-000000000001"
_DOC = Doc({"id": 820982911, "updated_at": "2023-11-14T17:13:05-05:00"})
_TRIGGERED = (1699999990000000, "us")
_UPDATED = (1699999985000000, "us")


def _event(id=_ID, kind="orders/updated", subject=("orders", 820982911), order=_UPDATED):
    return event(["shopify", id], kind=kind, subject=subject, order=order)


def _prefix(old):
    return [(n.replace("X-Shopify-", "Shopify-"), v) for n, v in old]


def shopify_events(bench):
    to = EventBench(bench, headers=lines(X_Shopify_Webhook_Id=_ID))
    for topic in (
        "orders/create",
        "products/update",
        "app/uninstalled",
        "customers/redact",
        "inventory_levels/update",
        "bulk_operations/finish",
    ):
        first = topic.partition("/")[0]
        to.good(
            "kind-" + topic.replace("/", "-").replace("_", "-"),
            "The topic %s." % topic,
            [],
            _DOC,
            _event(kind=topic, subject=(first, 820982911)),
            headers=lines(X_Shopify_Topic=topic),
        )
    id_header_family(
        to, "X-Shopify-Webhook-Id", len("shopify/"), lambda text: _event(text, order=(1699999990000000, "us"))
    )
    _families(to)
    _identity(to)
    _subject(to)
    _order(to)


def _families(to):
    fam = ["ShopifyFamilies"]
    other = [
        ("Shopify-Webhook-Id", "other"),
        ("Shopify-Topic", "customers/update"),
        ("Shopify-Triggered-At", "2001-01-01T00:00:00Z"),
    ]
    no_time = Doc({"id": 820982911})
    to.good("events-family", "The names without X-.", fam, no_time, _event(order=_TRIGGERED), headers=_prefix)
    to.good(
        "events-family-others",
        "The names without X-, and an X- id, topic and time without a signature: not read.",
        fam,
        no_time,
        _event(order=_TRIGGERED),
        headers=lambda old: _prefix(old) + [("X-" + n, v) for n, v in other],
    )
    to.good(
        "x-family-others",
        "The X- names, and an id, topic and time without X- and without a signature: not read.",
        fam,
        no_time,
        _event(order=_TRIGGERED),
        headers=lambda old: old + other,
    )
    to.good(
        "both-families",
        "Both families, both signatures right: the X- names count.",
        fam,
        no_time,
        _event(order=_TRIGGERED),
        headers=lambda old: old + other + [(n[2:], v) for n, v in old if n == "X-Shopify-Hmac-Sha256"],
    )
    to.good(
        "both-families-option",
        "Both families with the option events: the X- names count all the same.",
        fam,
        no_time,
        _event(order=_TRIGGERED),
        headers=lambda old: other + old + [(n[2:], v) for n, v in old if n == "X-Shopify-Hmac-Sha256"],
        options={"headers": "events"},
    )
    to.bad(
        "id-of-other-family",
        "The X- signature, and the id only without X-.",
        fam + ["EventFieldMissing"],
        _DOC,
        "missing-field",
        headers=lambda old: [(n[2:] if n == "X-Shopify-Webhook-Id" else n, v) for n, v in old],
    )


def _identity(to):
    retry, apart = ["EventRetry"], ["EventDistinct"]
    to.good(
        "retry",
        "A retry keeps id and time.",
        retry,
        _DOC,
        _event(),
        headers=lambda old: old + [("X-Shopify-Event-Id", "e1")],
    )
    to.good(
        "one-action-1",
        "One action of a merchant, two webhooks: the event id is shared, the keys differ. The first.",
        apart,
        _DOC,
        _event("w-1"),
        headers=lines(X_Shopify_Webhook_Id="w-1", X_Shopify_Event_Id="e-1"),
    )
    to.good(
        "one-action-2",
        "One action of a merchant, two webhooks: the second, with the same body.",
        apart,
        _DOC,
        _event("w-2"),
        headers=lines(X_Shopify_Webhook_Id="w-2", X_Shopify_Event_Id="e-1"),
    )
    to.bad(
        "event-id-alone",
        "X-Shopify-Event-Id does not stand in for the webhook id.",
        ["EventFieldMissing"],
        _DOC,
        "missing-field",
        headers=lines(X_Shopify_Webhook_Id=None, X_Shopify_Event_Id="e-1"),
    )


def _subject(to):
    none = lambda **more: _event(subject=None, **more)
    add = lambda name, comment, doc, result, **more: to.good(name, comment, "EventOptional", doc, result, **more)
    add(
        "subject-text",
        "The id in the body is a text.",
        _DOC.put("id", "gid://shopify/Order/1"),
        _event(subject=("orders", "gid://shopify/Order/1")),
    )
    add(
        "subject-big",
        "The id in the body is beyond 2^53.",
        _DOC.put("id", Raw("9007199254740993")),
        _event(subject=("orders", 9007199254740993)),
    )
    add(
        "subject-30-digits",
        "The id in the body has 30 digits.",
        _DOC.put("id", Raw("1" * 30)),
        _event(subject=("orders", "1" * 30)),
    )
    add("subject-negative", "The id in the body is negative.", _DOC.put("id", -1), _event(subject=("orders", "-1")))
    for name, words, doc in [
        ("absent", "is absent", _DOC.drop("id")),
        ("null", "is null", _DOC.put("id", None)),
        ("empty", "is empty", _DOC.put("id", "")),
        ("fraction", "has a fraction", _DOC.put("id", Raw("1.0"))),
        ("exponent", "has an exponent", _DOC.put("id", Raw("1E3"))),
        ("minus-zero", "is -0", _DOC.put("id", Raw("-0"))),
        ("true", "is true", _DOC.put("id", True)),
        ("twice", "stands twice", _DOC.twice("id")),
        ("surrogate", "holds half of a surrogate pair", _DOC.put("id", Raw('"\\ud800"'))),
    ]:
        add("subject-" + name, "The id in the body %s: no subject." % words, doc, none())
    for name, words, topic, kind, first in [
        ("no-slash", "has no slash", "orders", "orders", "orders"),
        ("two-slashes", "has two slashes", "a/b/c", "a/b/c", "a"),
        ("signs", "has signs", "a b%2F/c", "a b%2F/c", "a b%2F"),
        ("slash-first", "begins with a slash", "/update", "/update", None),
        ("empty", "is empty", "", None, None),
        ("absent", "is absent", None, None, None),
        ("twice", "stands twice", ["orders/updated", "orders/updated"], None, None),
    ]:
        subject = first and (first, 820982911)
        unrouted = not topic  # the sender's libraries want a topic, although nothing signs it
        to.good(
            "topic-" + name,
            "The topic %s." % words,
            ["EventOptional"] + (["MissingRoutingHeader"] if unrouted else []),
            _DOC,
            _event(kind=kind, subject=subject),
            headers=lines(X_Shopify_Topic=topic),
            acceptable=unrouted,
        )


def _order(to):
    order = ["EventOrder"]
    add = lambda name, comment, doc, value, **more: to.good(name, comment, order, doc, _event(order=value), **more)
    add("updated-absent", "No updated_at: the header has the time.", _DOC.drop("updated_at"), _TRIGGERED)
    add("updated-null", "updated_at is null: the header has the time.", _DOC.put("updated_at", None), _TRIGGERED)
    add("updated-empty", "updated_at is empty: the header has the time.", _DOC.put("updated_at", ""), _TRIGGERED)
    add(
        "updated-number",
        "updated_at is a number: the header does not stand in.",
        _DOC.put("updated_at", 1699999990),
        None,
    )
    add("updated-twice", "updated_at twice: the header does not stand in.", _DOC.twice("updated_at"), None)
    add("updated-no-date", "updated_at is no date: the header does not stand in.", _DOC.put("updated_at", "soon"), None)
    bare = Doc({"id": 820982911})
    add("triggered-absent", "Neither of the two times.", bare, None, headers=lines(X_Shopify_Triggered_At=None))
    add(
        "triggered-twice",
        "The header with the time twice.",
        bare,
        None,
        headers=lines(X_Shopify_Triggered_At=["2023-11-14T22:13:10Z"] * 2),
    )
    add(
        "triggered-no-date",
        "The header's time is no date.",
        bare,
        None,
        headers=lines(X_Shopify_Triggered_At="1699999990"),
    )
    add(
        "triggered-offset",
        "The header's time has an offset and nine digits.",
        bare,
        (1699999990123456, "us"),
        headers=lines(X_Shopify_Triggered_At="2023-11-14T23:13:10.123456789+01:00"),
    )
    date_family(
        to,
        _DOC,
        "updated_at",
        lambda value: _event(order=value),
        ("z", "nine-digits", "before-1970-cut", "leap-second", "no-offset", "space"),
    )
    for name, words, body in [
        ("not-json", "no JSON", b"<order/>"),
        ("empty", "empty", b""),
        ("trailing", "JSON with text after it", _DOC.bytes() + b" x"),
        ("not-utf8", "not UTF-8", b'{"id":1,"x":"\xff"}'),
        ("bom", "JSON behind a byte order mark", b"\xef\xbb\xbf" + _DOC.bytes()),
    ]:
        to.good(
            "body-" + name,
            "The body is %s: nothing is read from it, the header has the time." % words,
            "EventBody",
            body,
            _event(subject=None, order=_TRIGGERED),
        )
