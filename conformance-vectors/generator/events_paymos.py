"""Events of Paymos: the signed id, which the unsigned header must repeat."""

from events import Doc, EventBench, Raw, event, lines
from events_json import key_limit, optional_fields, required_text, text_family

_DOC = Doc(
    {
        "event_id": "evt_1",
        "event_type": "invoice.paid",
        "version": 1,
        "occurred_at": 1699999990,
        "data": {"invoice_id": "inv_1", "updated_at": 1699999985},
    }
)
_UPDATED = (1699999985, "s")
_OCCURRED = (1699999990, "s")
_KINDS = [
    (
        "invoice_id",
        "inv_1",
        "invoice.",
        "awaiting_payment confirming underpaid_waiting paid paid_over underpaid expired cancelled",
    ),
    ("withdrawal_id", "wdr_1", "withdrawal.", "created processing completed failed cancelled"),
    ("id", "pcd_1", "payment_channel.deposit.", "confirming reorged confirmed"),
]


def _event(id="evt_1", kind="invoice.paid", subject="inv_1", order=_UPDATED):
    twin = ["paymos", subject, kind] if kind and subject else None
    return event(["paymos", id], twin=twin, kind=kind, subject=subject and [subject], order=order)


def paymos_events(bench):
    s = bench.sender
    to = EventBench(bench, headers=lines(X_Webhook_Id=None))
    for field, subject, start, words in _KINDS:
        for word in words.split():
            doc = _DOC.put("event_type", start + word).put("data", {field: subject, "updated_at": 1699999985})
            name = "kind-" + (start + word).replace(".", "-").replace("_", "-")
            to.good(name, "An event %s." % (start + word), [], doc, _event(kind=start + word, subject=subject))
    _identity(to, s)
    _agreement(to)
    text_family(to, _DOC, _event())
    required_text(to, _DOC, "event_id", "id", lambda text: _event(text))
    key_limit(to, _DOC, "event_id", len("paymos/"), lambda text: _event(text))
    _optional(to)
    _order(to)


def _identity(to, s):
    retry, apart = ["EventRetry"], ["EventDistinct"]
    to.good("retry", "A retry is signed anew: the key is the same.", retry, _DOC, _event(), time=s.time(-240))
    to.good(
        "endpoint-1",
        "One payment over two endpoints: the first.",
        apart,
        _DOC.put("event_id", "evt_a"),
        _event("evt_a"),
    )
    to.good(
        "endpoint-2",
        "One payment over two endpoints: the second. The keys differ, the twins are equal.",
        apart,
        _DOC.put("event_id", "evt_b"),
        _event("evt_b"),
    )
    code = ["EventKeyEncoding"]
    for name, words, text in [
        ("slash", "a slash", "a/b"),
        ("escaped-slash", "a slash that is already escaped", "a%2Fb"),
        ("unicode", "letters outside ASCII", "é世"),
        ("blank", "blanks around it", " evt_1 "),
    ]:
        to.good("id-" + name, "The id holds %s." % words, code, _DOC.put("event_id", text), _event(text))
    code = code + apart
    twin = lambda subject, kind: (
        _DOC.put("data.invoice_id", subject).put("event_type", kind),
        _event(kind=kind, subject=subject),
    )
    to.good("twin-slash-1", "The subject a/b of kind c.", code, *twin("a/b", "c"))
    to.good("twin-slash-2", "The subject a of kind b/c: another twin.", code, *twin("a", "b/c"))


def _agreement(to):
    flag = ["EventIdMismatch"]
    add = lambda name, comment, value, result, doc=_DOC, flags=flag: (to.bad if isinstance(result, str) else to.good)(
        "header-" + name, comment, flags, doc, result, headers=lines(X_Webhook_Id=value)
    )
    add("same", "X-Webhook-Id says the same.", "evt_1", _event())
    add("empty", "X-Webhook-Id is empty: as good as absent.", "", _event())
    add("other", "X-Webhook-Id says another id.", "evt_2", "id-mismatch")
    add("case", "X-Webhook-Id in capitals.", "EVT_1", "id-mismatch")
    add("longer", "X-Webhook-Id begins with the id.", "evt_10", "id-mismatch")
    add("shorter", "X-Webhook-Id is the beginning of the id.", "evt_", "id-mismatch")
    add("quoted", "X-Webhook-Id in quotation marks.", '"evt_1"', "id-mismatch")
    wide = _DOC.put("event_id", "é/1")
    add("utf8", "An id outside ASCII, the same bytes in X-Webhook-Id.", "é/1", _event("é/1"), wide)
    add("latin1", "An id outside ASCII, X-Webhook-Id in Latin-1.", b"\xe9/1", "id-mismatch", wide)
    add("percent", "An id outside ASCII, X-Webhook-Id percent-encoded.", "%C3%A9%2F1", "id-mismatch", wide)
    escaped = _DOC.put("event_id", Raw('"\\u0065vt_1"'))
    add("escaped", "The id in the body is written with an escape: it is the same id.", "evt_1", _event(), escaped)
    add("escaped-raw", "X-Webhook-Id holds the escape of the body.", "\\u0065vt_1", "id-mismatch", escaped)
    twice = flag + ["EventFieldRepeated"]
    add("twice", "X-Webhook-Id twice, alike.", ["evt_1", "evt_1"], "repeated-field", flags=twice)
    add("twice-differing", "X-Webhook-Id twice, one of them right.", ["evt_1", "evt_2"], "repeated-field", flags=twice)
    add("twice-one-empty", "X-Webhook-Id twice, one of them empty.", ["evt_1", ""], "repeated-field", flags=twice)
    add("twice-empty", "X-Webhook-Id twice, both empty: as good as absent.", ["", ""], _event(), flags=twice)
    rank = flag + ["EventFieldMissing"]
    add("rank-missing", "X-Webhook-Id, and no id in the body.", "evt_1", "missing-field", _DOC.drop("event_id"), rank)
    add(
        "rank-null",
        "X-Webhook-Id, and the id in the body is null.",
        "evt_1",
        "malformed-body",
        _DOC.put("event_id", None),
    )
    add(
        "rank-repeated",
        "Another X-Webhook-Id, and the id in the body twice.",
        "evt_2",
        "repeated-field",
        _DOC.twice("event_id"),
        twice,
    )
    add(
        "rank-long",
        "Another X-Webhook-Id, and a key that is too long.",
        "evt_2",
        "malformed-body",
        _DOC.put("event_id", "a" * 1018),
        flag + ["EventLimit"],
    )


def _optional(to):
    all_three = _DOC.put(
        "data", {"id": "pcd_1", "invoice_id": "inv_1", "withdrawal_id": "wdr_1", "updated_at": 1699999985}
    )
    none = _event(subject=None)
    optional_fields(
        to,
        [
            ("kind-absent", "No event_type: no kind, and no twin.", _DOC.drop("event_type"), _event(kind=None)),
            ("kind-number", "event_type is a number.", _DOC.put("event_type", 1), _event(kind=None)),
            ("kind-twice", "event_type twice.", _DOC.twice("event_type"), _event(kind=None)),
            ("subject-absent", "No data: no subject.", _DOC.drop("data"), _event(subject=None, order=_OCCURRED)),
            ("subject-null", "data is null.", _DOC.put("data", None), _event(subject=None, order=_OCCURRED)),
            (
                "subject-list",
                "data is a list: no subject, and no order.",
                _DOC.put("data", []),
                _event(subject=None, order=None),
            ),
            (
                "subject-data-twice",
                "data twice: no subject, and no order.",
                _DOC.twice("data"),
                _event(subject=None, order=None),
            ),
            ("subject-number", "The invoice's id is a number.", _DOC.put("data.invoice_id", 1), none),
            ("subject-three", "Three ids: the withdrawal counts.", all_three, _event(subject="wdr_1")),
            (
                "subject-refund",
                "A refund: withdrawal and invoice; the withdrawal counts.",
                all_three.drop("data.id"),
                _event(subject="wdr_1"),
            ),
            ("subject-two", "Two ids: the invoice counts.", all_three.drop("data.withdrawal_id"), _event()),
            (
                "subject-next-null",
                "The withdrawal's id is null: the invoice counts.",
                all_three.put("data.withdrawal_id", None),
                _event(),
            ),
            (
                "subject-next-empty",
                "The withdrawal's id is empty: the invoice counts.",
                all_three.put("data.withdrawal_id", ""),
                _event(),
            ),
            (
                "subject-faulty-number",
                "The withdrawal's id is a number: the others do not stand in.",
                all_three.put("data.withdrawal_id", 1),
                none,
            ),
            (
                "subject-faulty-twice",
                "The withdrawal's id twice: the others do not stand in.",
                all_three.twice("data.withdrawal_id"),
                none,
            ),
        ],
    )


def _order(to):
    order = ["EventOrder"]
    add = lambda name, comment, doc, value: to.good(name, comment, order, doc, _event(order=value))
    at = "data.updated_at"
    add("updated-absent", "No data.updated_at: occurred_at counts.", _DOC.drop(at), _OCCURRED)
    add("updated-null", "data.updated_at is null: occurred_at counts.", _DOC.put(at, None), _OCCURRED)
    add("updated-text", "data.updated_at is a text: occurred_at does not stand in.", _DOC.put(at, "1699999985"), None)
    add(
        "updated-fraction",
        "data.updated_at has a fraction: occurred_at does not stand in.",
        _DOC.put(at, Raw("1.5")),
        None,
    )
    add("updated-twice", "data.updated_at twice: occurred_at does not stand in.", _DOC.twice(at), None)
    add("updated-18-digits", "data.updated_at has 18 digits.", _DOC.put(at, Raw("1" * 18)), (int("1" * 18), "s"))
    add(
        "updated-19-digits",
        "data.updated_at has 19 digits: occurred_at does not stand in.",
        _DOC.put(at, Raw("1" * 19)),
        None,
    )
    add("updated-negative", "data.updated_at is negative.", _DOC.put(at, -1), (-1, "s"))
    bare = _DOC.drop(at)
    add("occurred-absent", "Neither of the two times.", bare.drop("occurred_at"), None)
    add("occurred-text", "occurred_at is a text.", bare.put("occurred_at", "2023-11-14T22:13:10Z"), None)
    add("occurred-exponent", "occurred_at has an exponent.", bare.put("occurred_at", Raw("17e8")), None)
