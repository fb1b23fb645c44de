"""Events of Cal.com and Acuity: no id, so the key is made of what happened to which booking."""

from events import Doc, EventBench, event
from events_json import date_family, key_limit, optional_fields, required_text, text_family

_AT = "2023-11-14T22:13:10.000Z"
_DOC = Doc({"triggerEvent": "BOOKING_CREATED", "createdAt": _AT, "payload": {"uid": "u1", "bookingId": 91}})
_ORDER = (1699999990000000, "us")


def _calcom(kind="BOOKING_CREATED", uid="u1", seat="", order=_ORDER):
    stream = [uid, seat] if seat else None
    return event(["calcom", kind, uid, seat], kind=kind, subject=[uid], stream=stream, order=order)


def calcom_events(bench):
    to = EventBench(bench)
    for kind in (
        "BOOKING_RESCHEDULED",
        "BOOKING_CANCELLED",
        "BOOKING_REJECTED",
        "BOOKING_REQUESTED",
        "BOOKING_PAID",
        "BOOKING_NO_SHOW_UPDATED",
    ):
        name = "kind-" + kind.lower().replace("_", "-")
        to.good(name, "An event %s." % kind, [], _DOC.put("triggerEvent", kind), _calcom(kind))
    retry, apart = ["EventRetry"], ["EventDistinct"]
    to.good(
        "again",
        "The same trigger for the same booking in another second and with another body: the key is the same.",
        retry,
        _DOC.put("createdAt", "2023-11-14T22:13:34.000Z").put("payload.status", "ACCEPTED"),
        _calcom(order=(1700000014000000, "us")),
    )
    to.good(
        "other-booking", "Another booking of the same time.", apart, _DOC.put("payload.uid", "u2"), _calcom(uid="u2")
    )
    seat = lambda text: _DOC.put("payload.attendeeSeatId", text)
    to.good("seat", "One seat of a booking with seats.", apart, seat("s1"), _calcom(seat="s1"))
    to.good("seat-other", "Another seat of the same booking.", apart, seat("s2"), _calcom(seat="s2"))
    to.good(
        "seat-cancelled",
        "One seat is cancelled, which says nothing of the booking's other seats.",
        apart,
        seat("s1").put("triggerEvent", "BOOKING_CANCELLED"),
        _calcom("BOOKING_CANCELLED", seat="s1"),
    )
    code = apart + ["EventKeyEncoding"]
    to.good("seat-slash", "A seat with a slash.", code, seat("a/b"), _calcom(seat="a/b"))
    pair = lambda kind, uid: (_DOC.put("triggerEvent", kind).put("payload.uid", uid), _calcom(kind, uid))
    to.good("slash-1", "The trigger a/b and the booking c.", code, *pair("a/b", "c"))
    to.good("slash-2", "The trigger a and the booking b/c.", code, *pair("a", "b/c"))
    to.good("escaped-slash", "A booking with an escaped slash.", code, *pair("BOOKING_CREATED", "a%2Fb"))
    to.good("unicode", "A booking outside ASCII.", code, *pair("BOOKING_CREATED", "é 世"))
    text_family(to, _DOC, _calcom())
    required_text(to, _DOC, "triggerEvent", "trigger", lambda text: _calcom(text), brief=True)
    required_text(to, _DOC, "payload.uid", "uid", lambda text: _calcom(uid=text))
    to.bad(
        "ping",
        "The test of the settings page is about no booking.",
        "EventFieldMissing",
        Doc({"triggerEvent": "PING", "createdAt": _AT, "payload": {"type": "Test"}}),
        "missing-field",
    )
    to.bad("template-form", "A body that a template made into a form.", "EventBody", b"uid=u1", "malformed-body")
    both = ["EventFieldMissing", "EventFieldRepeated"]
    to.bad(
        "rank",
        "The trigger twice, and no booking.",
        both,
        _DOC.twice("triggerEvent").drop("payload.uid"),
        "missing-field",
    )
    key_limit(to, _DOC, "payload.uid", len("calcom/BOOKING_CREATED//"), lambda text: _calcom(uid=text))
    field = "attendeeSeatId"
    kind, twice = "EventFieldKind", "EventFieldRepeated"
    to.bad("seat-number", "%s is a number." % field, kind, seat(5), "malformed-body")
    to.bad("seat-list", "%s is a list." % field, kind, seat(["s1"]), "malformed-body")
    to.bad("seat-twice", "%s twice, the values differ." % field, twice, seat("s1").twice("payload." + field, "s2"), "repeated-field")
    none = _calcom(order=None)
    optional_fields(
        to,
        [
            ("seat-null", "attendeeSeatId is null: no seat.", seat(None), _calcom()),
            ("seat-empty", "attendeeSeatId is empty: no seat.", seat(""), _calcom()),
            ("created-absent", "No createdAt: no order.", _DOC.drop("createdAt"), none),
            ("created-null", "createdAt is null.", _DOC.put("createdAt", None), none),
            ("created-number", "createdAt is a number.", _DOC.put("createdAt", 1699999990000), none),
            ("created-twice", "createdAt twice.", _DOC.twice("createdAt"), none),
        ],
    )
    date_family(to, _DOC, "createdAt", lambda order: _calcom(order=order))


def _acuity(action="scheduled", id="1"):
    key = ["acuity", action, id] if action in ("scheduled", "canceled") else None
    return event(key, kind=action, subject=id and [id])


def acuity_events(bench):
    to = EventBench(bench)
    good = lambda name, comment, flags, body, result, **more: to.good(
        name, comment, flags, body.encode(), result, **more
    )
    bad = lambda name, comment, flags, body, error, **more: to.bad(name, comment, flags, body.encode(), error, **more)
    form = lambda action="scheduled", id="1": "action=%s&id=%s&calendarID=4" % (action, id)
    for action in ("scheduled", "canceled"):
        good(
            "kind-" + action,
            "An event %s: it happens once, so it has a key." % action,
            [],
            form(action),
            _acuity(action),
        )
    for name, action in [
        ("changed",) * 2,
        ("rescheduled",) * 2,
        ("order-completed", "order.completed"),
        ("capital", "Scheduled"),
    ]:
        good(
            "kind-" + name,
            "An event %s: nothing tells two of them apart, so there is no key." % action,
            "EventUnkeyed",
            form(action),
            _acuity(action),
        )
    retry, apart, enc = ["EventRetry"], ["EventDistinct"], ["EventKeyEncoding"]
    good(
        "again",
        "The same event with other fields: the key is the same.",
        retry,
        form() + "&appointmentTypeID=9",
        _acuity(),
    )
    good(
        "other-order",
        "The fields in another order: the key is the same.",
        retry,
        "calendarID=4&id=1&action=scheduled",
        _acuity(),
    )
    good(
        "canceled-after",
        "The same appointment canceled: another key.",
        apart,
        form("canceled") + "&x=1",
        _acuity("canceled"),
    )
    form_flag = ["EventForm"]
    for name, words, raw, text in [
        ("plus", "a plus sign, which is a blank", "a+b", "a b"),
        ("escaped-plus", "an escaped plus sign", "a%2Bb", "a+b"),
        ("escape", "escapes in either case", "%41%2f%2F%c3%A9", "A//é"),
        ("ampersand", "an escaped ampersand", "a%26id%3D2", "a&id=2"),
        ("equals", "an equals sign", "a=b", "a=b"),
        ("bad-escape", "an escape that is none", "%zz", "%zz"),
        ("cut-escape", "an escape that is cut", "a%4", "a%4"),
        ("percent-last", "a percent sign at the end", "a%", "a%"),
        ("percent-twice", "a percent sign before an escape", "%%41", "%A"),
        ("escaped-twice", "an escape of an escape, decoded once", "%2541", "%41"),
        ("semicolon", "a semicolon, which does not separate", "1;2", "1;2"),
        ("blank", "blanks alone", "+", " "),
        ("nul", "an escaped NUL", "a%00b", "a\0b"),
        ("unicode", "letters outside ASCII that are not escaped", "é", "é"),
        ("newline", "a line end", "1\r\n", "1\r\n"),
        ("zeros", "leading zeros, which stay", "001", "001"),
        ("slash", "a slash", "a/b", "a/b"),
    ]:
        good("id-" + name, "The id holds %s." % words, form_flag + enc, "action=scheduled&id=" + raw, _acuity(id=text))
    good("name-escaped", "The names are written with escapes.", form_flag, "%61ction=scheduled&i%64=1", _acuity())
    good("action-escaped", "The action is written with escapes.", form_flag, "action=%73cheduled&id=1", _acuity())
    good("empty-pairs", "Empty pairs between the fields.", form_flag, "&&action=scheduled&&id=1&", _acuity())
    good("name-alone", "A name without a value, not read.", form_flag, form() + "&x", _acuity())
    good(
        "name-case", "A field whose name differs in case is another field.", form_flag, form() + "&ID=2&Id=3", _acuity()
    )
    good("name-blank", "A field whose name has a blank is another field.", form_flag, form() + "&+id=2", _acuity())
    missing, twice = ["EventFieldMissing"], ["EventFieldRepeated"]
    bad("empty-body", "The body is empty.", missing, "", "missing-field")
    bad(
        "json-body",
        "The body is JSON, which is no form with these fields.",
        missing,
        '{"action":"scheduled","id":1}',
        "missing-field",
    )
    bad("action-absent", "No action.", missing, "id=1&calendarID=4", "missing-field")
    bad("action-empty", "An empty action.", missing, "action=&id=1", "missing-field")
    bad("action-twice", "The action twice, alike.", twice, form() + "&action=scheduled", "repeated-field")
    bad(
        "action-twice-escaped",
        "The action twice, once by an escape.",
        twice,
        form() + "&%61ction=changed",
        "repeated-field",
    )
    bad("id-absent", "No id.", missing, "action=scheduled&calendarID=4", "missing-field")
    bad("id-empty", "An empty id.", missing, "action=scheduled&id=", "missing-field")
    bad("id-no-value", "The name of the id without an equals sign.", missing, "action=scheduled&id", "missing-field")
    bad("id-twice", "The id twice, alike.", twice, form() + "&id=1", "repeated-field")
    bad("id-twice-differing", "The id twice, the values differ.", twice, form() + "&id=2", "repeated-field")
    bad("rank", "The id twice, and no action.", missing + twice, "id=1&id=2", "missing-field")
    odd = form_flag + enc
    raw_id = lambda data: event(["acuity", "scheduled", data], kind="scheduled")
    good(
        "id-not-utf8",
        "The id is not UTF-8: its bytes are in the key, and there is no subject.",
        odd,
        form(id="%FF"),
        raw_id(b"\xff"),
    )
    good(
        "id-surrogate",
        "The id holds half of a surrogate pair as three bytes: bytes like others.",
        odd,
        form(id="%ED%A0%80"),
        raw_id(b"\xed\xa0\x80"),
    )
    to.good(
        "id-not-utf8-raw", "The id is not UTF-8, without escapes.", odd, b"action=scheduled&id=\xff", raw_id(b"\xff")
    )
    good(
        "action-not-utf8",
        "The action is not UTF-8: one of those without a key, and no kind.",
        odd + ["EventUnkeyed"],
        form("%FF"),
        event(None, subject=["1"]),
    )
    to.good(
        "unread-not-utf8",
        "A field that is not read is not UTF-8.",
        form_flag,
        b"action=scheduled&id=1&note=\xff&\xfe=%ff",
        _acuity(),
    )
    unkeyed = ["EventUnkeyed"]
    none = _acuity("changed", None)
    good(
        "unkeyed-id-absent", "An event without a key, and without an id.", unkeyed, "action=changed&calendarID=4", none
    )
    good("unkeyed-id-empty", "An event without a key, the id empty.", unkeyed, "action=changed&id=", none)
    good("unkeyed-id-twice", "An event without a key, the id twice.", unkeyed, form("changed") + "&id=1", none)
    good("unkeyed-id-not-utf8", "An event without a key, the id not UTF-8.", unkeyed, form("changed", "%FF"), none)
    good(
        "unkeyed-id-long",
        "An event without a key, the id of 2,000 characters.",
        unkeyed + ["EventLimit"],
        form("changed", "9" * 2000),
        _acuity("changed", "9" * 2000),
    )
    bad(
        "unkeyed-action-twice",
        "Two actions that have no key.",
        unkeyed + twice,
        form("changed") + "&action=rescheduled",
        "repeated-field",
    )
    room = 1024 - len("acuity/scheduled/")
    limit = ["EventLimit"]
    good("key-1024", "A key of 1,024 characters.", limit, form(id="9" * room), _acuity(id="9" * room))
    bad("key-1025", "A key of 1,025 characters.", limit, form(id="9" * (room + 1)), "malformed-body")
    good("many-fields", "2,000 fields that are not read.", limit, form() + "&x=1" * 2000, _acuity())
