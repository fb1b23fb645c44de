"""Events of Calendly: no id, so the key is made of what happened to which invitee."""

from events import Doc, EventBench, Raw, event
from events_json import date_family, key_limit, optional_fields, required_text, text_family

_AT = "2023-11-14T22:13:10.000000Z"
_URI = "https://api.calendly.com/e/E1/invitees/I1"
_DOC = Doc({"event": "invitee.created", "created_at": _AT, "payload": {"uri": _URI, "status": "active"}})
_OTHER = _DOC.put("event", "invitee_no_show.created")
_UNDATED = ("invitee.created", "invitee.canceled")


def _event(uri=_URI, kind="invitee.created", at=_AT, order=(1699999990000000, "us")):
    return event(["calendly", uri, kind, "" if kind in _UNDATED else at], kind=kind, subject=[uri], order=order)


def _other(at=_AT, order=(1699999990000000, "us")):
    return _event(kind="invitee_no_show.created", at=at, order=order)


def calendly_events(bench):
    s = bench.sender
    to = EventBench(bench)
    for kind in (
        "invitee.created",
        "invitee.canceled",
        "invitee_no_show.created",
        "invitee_no_show.deleted",
        "routing_form_submission.created",
        "event_type.updated",
        "Invitee.created",
    ):
        name = "kind-" + kind.replace(".", "-").replace("_", "-").replace("I", "capital-i")
        words = "the key has no time" if kind in _UNDATED else "the key has the time"
        to.good(name, "An event %s: %s." % (kind, words), [], _DOC.put("event", kind), _event(kind=kind))
    _identity(to, s)
    text_family(to, _DOC, _event())
    required_text(to, _DOC, "payload.uri", "uri", lambda text: _event(text))
    required_text(to, _DOC, "event", "event", lambda text: _event(kind=text), brief=True)
    _time_slot(to)
    before = len("calendly//invitee.created/")
    key_limit(to, _DOC, "payload.uri", before, lambda text: _event(text))
    date_family(to, _DOC, "created_at", lambda order: _event(order=order))


def _identity(to, s):
    retry, apart = ["EventRetry"], ["EventDistinct"]
    to.good(
        "retry",
        "A retry adds retry_started_at and has another time: the key is the same.",
        retry,
        _DOC.put("retry_started_at", "2023-11-14T22:14:10.000000Z"),
        _event(),
        time=s.time(100),
    )
    to.good(
        "retry-of-no-show",
        "A retry of an event whose key has the time.",
        retry,
        _OTHER.put("retry_started_at", "2023-11-14T22:14:10.000000Z"),
        _other(),
        time=s.time(100),
    )
    to.good(
        "second-subscription",
        "The same fact over another subscription, a second later: the key is the same.",
        retry,
        _DOC.put("created_at", "2023-11-14T22:13:11.000000Z").put("created_by", "https://api.calendly.com/users/U2"),
        _event(order=(1699999991000000, "us")),
    )
    later = "2023-11-14T22:13:11.000000Z"
    to.good(
        "no-show-again",
        "Marked again a second later: another key.",
        apart,
        _OTHER.put("created_at", later),
        _other(later, (1699999991000000, "us")),
    )
    to.good(
        "rescheduled-canceled",
        "Rescheduling: the old invitee is canceled.",
        apart,
        _DOC.put("event", "invitee.canceled").put("payload.rescheduled", True).put("payload.new_invitee", _URI + "b"),
        _event(kind="invitee.canceled"),
    )
    to.good(
        "rescheduled-created",
        "Rescheduling: the new invitee is created.",
        apart,
        _DOC.put("payload.uri", _URI + "b").put("payload.old_invitee", _URI),
        _event(_URI + "b"),
    )
    code = apart + ["EventKeyEncoding"]
    to.good(
        "slash-1",
        "The invitee a/b and the event c.",
        code,
        _DOC.put("payload.uri", "a/b").put("event", "c"),
        _event("a/b", "c"),
    )
    to.good(
        "slash-2",
        "The invitee a and the event b/c.",
        code,
        _DOC.put("payload.uri", "a").put("event", "b/c"),
        _event("a", "b/c"),
    )
    to.good("escaped-slash", "The invitee a%2Fb.", code, _DOC.put("payload.uri", "a%2Fb"), _event("a%2Fb"))
    to.good("unicode", "An invitee outside ASCII.", code, _DOC.put("payload.uri", "é世 ~"), _event("é世 ~"))


def _time_slot(to):
    missing, kind, twice = ["EventFieldMissing"], ["EventFieldKind"], ["EventFieldRepeated"]
    field = "created_at"
    to.bad("time-absent", "created_at is absent where the key needs it.", missing, _OTHER.drop(field), "missing-field")
    to.bad("time-empty", "created_at is empty where the key needs it.", missing, _OTHER.put(field, ""), "missing-field")
    to.bad("time-null", "created_at is null where the key needs it.", kind, _OTHER.put(field, None), "malformed-body")
    to.bad(
        "time-number",
        "created_at is a number where the key needs it.",
        kind,
        _OTHER.put(field, 1699999990),
        "malformed-body",
    )
    to.bad("time-twice", "created_at twice where the key needs it.", twice, _OTHER.twice(field), "repeated-field")
    to.good(
        "time-no-date",
        "created_at is no date where the key needs it: the key has the text.",
        ["EventOrder"],
        _OTHER.put(field, "soon"),
        _other("soon", None),
    )
    to.bad(
        "time-absent-uri-null",
        "created_at is absent and the uri is null: the first fault in rank.",
        missing + kind,
        _OTHER.drop(field).put("payload.uri", None),
        "malformed-body",
    )
    to.bad(
        "time-absent-uri-twice",
        "created_at is absent and the uri stands twice: the first fault in rank.",
        missing + twice,
        _OTHER.drop(field).twice("payload.uri"),
        "missing-field",
    )
    none = _event(order=None)
    optional_fields(
        to,
        [
            ("undated-absent", "created_at is absent where the key does not need it.", _DOC.drop(field), none),
            ("undated-null", "created_at is null where the key does not need it.", _DOC.put(field, None), none),
            ("undated-number", "created_at is a number where the key does not need it.", _DOC.put(field, 5), none),
            ("undated-twice", "created_at twice where the key does not need it.", _DOC.twice(field), none),
            (
                "undated-surrogate",
                "Half of a surrogate pair in created_at where the key does not need it.",
                _DOC.put(field, Raw('"\\ud800"')),
                none,
            ),
        ],
    )
