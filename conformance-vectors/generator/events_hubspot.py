"""Events of HubSpot: a batch, one event an element, each key made of fourteen slots."""

from events import Doc, EventBench, Raw, digest, event, write
from events_json import text_family

_AT = 1699999990000
_DOC = Doc(
    {"portalId": 33, "subscriptionType": "contact.creation", "objectId": 5, "occurredAt": _AT, "attemptNumber": 0}
)
_CHANGE = (
    _DOC.put("subscriptionType", "contact.propertyChange").put("propertyName", "stage").put("propertyValue", "new")
)
_LINK = Doc(
    {
        "portalId": 33,
        "subscriptionType": "contact.associationChange",
        "associationType": "CONTACT_TO_COMPANY",
        "fromObjectId": 5,
        "toObjectId": 6,
        "associationRemoved": False,
        "occurredAt": _AT,
    }
)
_SLOTS = "portal app type otype obj link from_ to removed primary merged prop value at".split()


def _event(*, attempt=0, subject=True, order=True, **slots):
    """The event of an element; a slot that is not given has its ordinary value, "" empties it."""
    at = {"portal": 33, "type": "contact.creation", "obj": 5, "at": _AT, **slots}
    kind, otype, obj, prop = (at.get(n, "") for n in ("type", "otype", "obj", "prop"))
    about = [otype or kind.partition(".")[0], obj] if subject and obj != "" else None
    return event(
        ["hubspot"] + [at.get(name, "") for name in _SLOTS],
        kind=kind,
        subject=about,
        stream=about and (about + [prop] if prop != "" else about),
        order=(at["at"], "ms") if order else None,
        attempt=attempt,
    )


def _change(value="new", prop="stage", **more):
    return _event(type="contact.propertyChange", prop=prop, value=digest(value) if value is not None else "", **more)


def _link(**more):
    slots = dict(type="contact.associationChange", link="CONTACT_TO_COMPANY", from_=5, to=6, removed="false", obj="")
    return _event(attempt=None, **{**slots, **more})


def hubspot_events(bench):
    s = bench.sender
    to = EventBench(bench, whole=lambda doc: [doc])
    _kinds(to)
    _batches(to)
    _identity(to, s)
    text_family(to, _DOC, _event(), depth=2, brief=True)
    _fields(to)
    _numbers(to)
    _optional(to)
    _limits(to)


def _kinds(to):
    for kind in (
        "contact.deletion",
        "company.creation",
        "deal.restore",
        "contact.privacyDeletion",
        "conversation.newMessage",
    ):
        name = "kind-" + kind.replace(".", "-").lower()
        to.good(name, "An event %s." % kind, [], _DOC.put("subscriptionType", kind), _event(type=kind))
    to.good(
        "kind-propertychange", "A property change: the stream is the property of the object.", [], _CHANGE, _change()
    )
    to.good(
        "kind-associationchange", "An association change: about two objects, so without a subject.", [], _LINK, _link()
    )
    to.good(
        "kind-merge",
        "A merge.",
        [],
        Doc(
            {
                "portalId": 33,
                "subscriptionType": "contact.merge",
                "primaryObjectId": 5,
                "mergedObjectIds": [6, 7],
                "occurredAt": _AT,
            }
        ),
        _event(type="contact.merge", obj="", primary=5, merged="6,7", attempt=None),
    )
    to.good(
        "kind-object",
        "An event of the generic kind: the object type is in its own field.",
        [],
        _DOC.put("subscriptionType", "object.creation").put("objectTypeId", "0-1").put("appId", 7),
        _event(type="object.creation", otype="0-1", app=7),
    )


def _batches(to):
    flag = ["EventBatch"]
    add = lambda name, comment, docs, events, flags=flag: to.good(
        "batch-" + name, comment, flags, write(docs).encode(), *events
    )
    bad = lambda name, comment, docs, error, flags=flag: to.bad(
        "batch-" + name, comment, flags, write(docs).encode(), error
    )
    other = _DOC.put("objectId", 6)
    add("empty", "An empty batch: no events.", [], [])
    add("two", "Two elements: two events, in order.", [other, _CHANGE], [_event(obj=6), _change()])
    add(
        "equal",
        "One element twice: two events with one key.",
        [_DOC, _DOC],
        [_event(), _event()],
        flag + ["EventRetry"],
    )
    small = lambda n: Doc({"portalId": 1, "subscriptionType": "a", "toObjectId": 2, "occurredAt": n})
    tiny = lambda n: _event(portal=1, type="a", obj="", to=2, at=n, attempt=None)
    limit = flag + ["EventLimit"]
    add(
        "100",
        "100 elements, the most that the sender documents.",
        [small(n) for n in range(100)],
        [tiny(n) for n in range(100)],
    )
    add(
        "1000",
        "1,000 elements, the most that are read.",
        [small(n) for n in range(1000)],
        [tiny(n) for n in range(1000)],
        limit,
    )
    bad("1001", "1,001 elements.", [small(1)] * 1001, "malformed-body", limit)
    missing, kind = flag + ["EventFieldMissing"], flag + ["EventFieldKind"]
    bad(
        "last-faulty",
        "Two elements, the second without a portal.",
        [_DOC, _DOC.drop("portalId")],
        "missing-field",
        missing,
    )
    bad(
        "first-faulty",
        "The first element repeats a field, the second lacks one: the first element decides.",
        [_DOC.twice("objectId"), _DOC.drop("portalId")],
        "repeated-field",
        missing,
    )
    bad("number-inside", "An element that is a number.", [_DOC, 5], "malformed-body", kind)
    bad("null-inside", "An element that is null.", [_DOC, None], "malformed-body", kind)
    bad("list-inside", "An element that is a list.", [[_DOC]], "malformed-body", kind)
    bad("object", "One object that is not in a list.", _DOC, "malformed-body", kind)
    bad("null", "null in place of the list.", None, "malformed-body", kind)
    bad("wrapped", "The list inside an object.", {"events": [_DOC]}, "malformed-body", kind)


def _identity(to, s):
    retry, apart = ["EventRetry"], ["EventDistinct"]
    full = _CHANGE.put("appId", 7).put("eventId", 100).put("subscriptionId", 25)
    to.good("retry-0", "The first attempt.", retry, full, _change(app=7))
    to.good(
        "retry-3",
        "The fourth attempt: another time and attemptNumber, the same key.",
        retry,
        full.put("attemptNumber", 3),
        _change(app=7, attempt=3),
        time=s.time(-200000),
    )
    to.good(
        "retry-other-batch",
        "A retry in another batch, with another eventId: the same key.",
        retry + ["EventBatch"],
        write([_DOC.put("objectId", 9), full.put("attemptNumber", 1).put("eventId", 101)]).encode(),
        _event(obj=9),
        _change(app=7, attempt=1),
    )
    to.good(
        "same-millisecond",
        "Two changes of one property in one millisecond, with one eventId: the values keep the keys apart.",
        apart + ["EventBatch"],
        write([full, full.put("propertyValue", "won")]).encode(),
        _change(app=7),
        _change("won", app=7),
    )
    to.good(
        "two-properties",
        "Two properties in one millisecond: two keys, two streams, one subject.",
        apart + ["EventBatch"],
        write([full, full.put("propertyName", "owner")]).encode(),
        _change(app=7),
        _change(prop="owner", app=7),
    )
    to.good(
        "link-removed",
        "The same association removed: another key.",
        apart,
        _LINK.put("associationRemoved", True),
        _link(removed="true"),
    )
    to.good(
        "link-turned",
        "The association in the other direction: another key.",
        apart,
        _LINK.put("fromObjectId", 6).put("toObjectId", 5),
        _link(from_=6, to=5),
    )
    code = apart + ["EventKeyEncoding"]
    for name, otype, link in (("1", "a/b", "c"), ("2", "a", "b/c")):
        doc = _LINK.put("objectTypeId", otype).put("associationType", link)
        to.good(
            "slash-" + name,
            "The object type %s and the association %s." % (otype, link),
            code,
            doc,
            _link(otype=otype, link=link),
        )
    to.good(
        "escaped-slash",
        "A property with an escaped slash in its name.",
        code,
        _CHANGE.put("propertyName", "a%2Fb"),
        _change(prop="a%2Fb"),
    )
    to.good("unicode", "A property outside ASCII.", code, _CHANGE.put("propertyName", "é 世~"), _change(prop="é 世~"))
    merged = Doc({"portalId": 33, "subscriptionType": "contact.merge", "mergedObjectIds": [1, 2], "occurredAt": _AT})
    base = dict(type="contact.merge", obj="", attempt=None)
    to.good("merged-1-2", "The merged objects 1 and 2.", code, merged, _event(merged="1,2", **base))
    to.good(
        "merged-12", "The merged object 12.", code, merged.put("mergedObjectIds", [12]), _event(merged="12", **base)
    )
    for name, words, raw, text in [
        ("empty", "the empty text, which is a value", '""', ""),
        ("escaped", "a text with escapes: the decoded text counts", '"n\\u0065w"', "new"),
        ("unicode", "letters outside ASCII", '"é世😀"', "é世😀"),
        ("nul", "a NUL", '"\\u0000"', "\0"),
        ("long", "a text of 3,000 characters", '"%s"' % ("v" * 3000), "v" * 3000),
    ]:
        to.good(
            "value-" + name,
            "propertyValue: %s." % words,
            ["EventEscape"] + apart,
            _CHANGE.put("propertyValue", Raw(raw)),
            _change(text),
        )
    to.good(
        "value-absent",
        "No propertyValue: an empty slot.",
        ["EventOptional"],
        _CHANGE.drop("propertyValue"),
        _change(None),
    )
    to.good(
        "value-null",
        "propertyValue is null: an empty slot.",
        ["EventOptional"],
        _CHANGE.put("propertyValue", None),
        _change(None),
    )


def _fields(to):
    missing, kind, twice = ["EventFieldMissing"], ["EventFieldKind"], ["EventFieldRepeated"]
    for field, label in (("portalId", "portal"), ("subscriptionType", "type"), ("occurredAt", "at")):
        to.bad(label + "-absent", "%s is absent." % field, missing, _DOC.drop(field), "missing-field")
        to.bad(label + "-null", "%s is null." % field, kind, _DOC.put(field, None), "malformed-body")
        to.bad(label + "-twice", "%s twice, alike." % field, twice, _DOC.twice(field), "repeated-field")
    to.bad("type-empty", "subscriptionType is empty.", missing, _DOC.put("subscriptionType", ""), "missing-field")
    to.bad("type-number", "subscriptionType is a number.", kind, _DOC.put("subscriptionType", 1), "malformed-body")
    to.bad(
        "type-surrogate",
        "Half of a surrogate pair in subscriptionType.",
        ["EventSurrogate"],
        _DOC.put("subscriptionType", Raw('"a\\udc00"')),
        "malformed-body",
    )
    to.bad("no-object", "None of the five fields that name an object.", missing, _DOC.drop("objectId"), "missing-field")
    to.bad(
        "objects-null",
        "The fields that name an object are null.",
        missing,
        _DOC.put("objectId", None).put("primaryObjectId", None),
        "missing-field",
    )
    to.bad(
        "merged-empty",
        "An empty list of merged objects and no other object.",
        missing,
        _DOC.put("mergedObjectIds", []).drop("objectId"),
        "missing-field",
    )
    escaped = Raw('"object\\u0049d"')
    to.bad(
        "object-twice-escaped",
        "objectId twice, once by an escape.",
        twice,
        _DOC.twice("objectId", 6, escaped),
        "repeated-field",
    )
    to.good(
        "object-name-escaped",
        "The name objectId written with an escape.",
        ["EventEscape"],
        _DOC.rename("objectId", escaped),
        _event(),
    )
    for field in ("propertyValue", "appId"):
        to.bad(
            "twice-" + field.lower(),
            "%s twice, alike." % field,
            twice,
            _CHANGE.put("appId", 7).twice(field),
            "repeated-field",
        )
    for field, words, value in [
        ("appId", "a text", "7"),
        ("objectTypeId", "a number", 1),
        ("associationType", "a number", 1),
        ("associationRemoved", "a text", "true"),
        ("propertyName", "a number", 1),
        ("propertyValue", "a number", 1),
        ("mergedObjectIds", "a number", 6),
    ]:
        to.bad(
            "kind-of-" + field.lower(), "%s is %s." % (field, words), kind, _CHANGE.put(field, value), "malformed-body"
        )
    to.bad(
        "merged-text", "mergedObjectIds holds a text.", kind, _DOC.put("mergedObjectIds", [6, "7"]), "malformed-body"
    )
    to.bad(
        "value-surrogate",
        "Half of a surrogate pair in propertyValue.",
        ["EventSurrogate"],
        _CHANGE.put("propertyValue", Raw('"\\ud83d"')),
        "malformed-body",
    )
    to.bad(
        "rank-missing",
        "objectId twice, and no portal.",
        missing + twice,
        _DOC.twice("objectId").drop("portalId"),
        "missing-field",
    )
    to.bad(
        "rank-malformed",
        "objectId twice, no portal, and occurredAt a text.",
        missing + twice + kind,
        _DOC.twice("objectId").drop("portalId").put("occurredAt", "x"),
        "malformed-body",
    )


def _numbers(to):
    flag = ["EventNumber"]
    for name, words, value in [
        ("text", "a text", '"5"'),
        ("fraction", "5.0", "5.0"),
        ("exponent", "5e0", "5e0"),
        ("minus-zero", "-0", "-0"),
        ("true", "true", "true"),
    ]:
        to.bad(
            "object-" + name,
            "objectId is %s." % words,
            flag + ["EventFieldKind"],
            _DOC.put("objectId", Raw(value)),
            "malformed-body",
        )
    to.bad(
        "at-exponent",
        "occurredAt is 1.69999999e12.",
        flag,
        _DOC.put("occurredAt", Raw("1.69999999e12")),
        "malformed-body",
    )
    to.bad(
        "merged-fraction",
        "mergedObjectIds holds 6.0.",
        flag,
        _DOC.put("mergedObjectIds", [Raw("6.0")]),
        "malformed-body",
    )
    for name, words, value in [
        ("zero", "0", "0"),
        ("negative", "-5", "-5"),
        ("2-53", "2^53 + 1", "9007199254740993"),
        ("2-64", "2^64", "18446744073709551616"),
        ("40-digits", "40 digits", "1" * 40),
    ]:
        to.good("object-" + name, "objectId is %s." % words, flag, _DOC.put("objectId", Raw(value)), _event(obj=value))
    order = flag + ["EventOrder"]
    for name, words, value in [
        ("18-digits", "18 digits, the most that order", "9" * 18),
        ("zero", "0", "0"),
        ("negative", "negative", "-1"),
    ]:
        expected = _event(at=value)
        expected["order"]["value"] = int(value)
        to.good("at-" + name, "occurredAt is %s." % words, order, _DOC.put("occurredAt", Raw(value)), expected)
    nines = "1" + "0" * 18
    to.good(
        "at-19-digits",
        "occurredAt has 19 digits: in the key, and no order.",
        order,
        _DOC.put("occurredAt", Raw(nines)),
        _event(at=nines, order=False),
    )


def _optional(to):
    flag = ["EventOptional"]
    add = lambda name, comment, doc, result: to.good(name, comment, flag, doc, result)
    add(
        "slots-null",
        "Optional fields that are null leave empty slots.",
        _DOC.put("appId", None)
        .put("objectTypeId", None)
        .put("associationRemoved", None)
        .put("mergedObjectIds", None)
        .put("propertyName", None),
        _event(),
    )
    add(
        "slots-empty",
        "Optional texts that are empty leave empty slots.",
        _DOC.put("objectTypeId", "").put("associationType", "").put("propertyName", ""),
        _event(),
    )
    add(
        "object-null",
        "objectId is null beside primaryObjectId: no subject.",
        _DOC.put("objectId", None).put("primaryObjectId", 8),
        _event(obj="", primary=8),
    )
    add(
        "to-alone",
        "toObjectId alone names an object.",
        _DOC.drop("objectId").put("toObjectId", 8),
        _event(obj="", to=8),
    )
    add(
        "type-no-dot",
        "A subscriptionType without a full stop.",
        _DOC.put("subscriptionType", "contact"),
        _event(type="contact"),
    )
    add(
        "type-two-dots",
        "A subscriptionType with two full stops.",
        _DOC.put("subscriptionType", "a.b.c"),
        _event(type="a.b.c"),
    )
    for name, words, doc, attempt in [
        ("absent", "is absent", _DOC.drop("attemptNumber"), None),
        ("null", "is null", _DOC.put("attemptNumber", None), None),
        ("text", "is a text", _DOC.put("attemptNumber", "1"), None),
        ("negative", "is negative", _DOC.put("attemptNumber", -1), None),
        ("fraction", "has a fraction", _DOC.put("attemptNumber", Raw("1.0")), None),
        ("twice", "stands twice", _DOC.twice("attemptNumber"), None),
        ("19-digits", "has 19 digits", _DOC.put("attemptNumber", Raw("1" * 19)), None),
        ("10", "is 10", _DOC.put("attemptNumber", 10), 10),
    ]:
        add("attempt-" + name, "attemptNumber %s." % words, doc, _event(attempt=attempt))


def _limits(to):
    limit = ["EventLimit"]
    room = 1024 - len(_change(prop="")["key"])
    to.good(
        "key-1024",
        "A key of 1,024 characters.",
        limit,
        _CHANGE.put("propertyName", "p" * room),
        _change(prop="p" * room),
    )
    to.bad(
        "key-1025", "A key of 1,025 characters.", limit, _CHANGE.put("propertyName", "p" * (room + 1)), "malformed-body"
    )
