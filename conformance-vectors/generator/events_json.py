"""Faults of a JSON body that holds an identity: the text as a whole, required fields, fields that may be absent."""

from events import Doc, Raw, body_of, nested

_BOM = b"\xef\xbb\xbf"


def text_family(to, doc, event, depth=1, brief=False):
    """The JSON text as a whole. `depth` is the level of the document's own members' container."""
    body = body_of(to.whole(doc))
    extra = lambda value, name="x": doc.add("", name, value)
    bad = lambda name, comment, value: to.bad(name, comment, "EventBody", value, "malformed-body")
    good = lambda name, comment, value, flags="EventBody": to.good(name, comment, flags, value, event)
    bad("not-json", "The body is no JSON.", b"not json")
    bad("empty-body", "The body is empty.", b"")
    bad("bom", "A byte order mark before the JSON.", _BOM + body)
    bad("trailing-text", "Text after the JSON.", body + b" x")
    bad("trailing-brace", "A brace too many after the JSON.", body + b"}")
    bad("two-documents", "A second document after the first.", body + body)
    bad("cut", "The last byte is missing.", body[:-1])
    good("white-space", "White space around the JSON.", b" \r\n\t" + body + b"\n")
    for name, comment, value in [
        ("not-utf8-value", "A value that is not read is not UTF-8.", b'"\xff"'),
        ("not-utf8-overlong", "A value that is not read holds an overlong form.", b'"\xc0\xaf"'),
        ("not-utf8-surrogate", "A value that is not read holds a surrogate as three bytes.", b'"\xed\xa0\x80"'),
    ]:
        bad(name, comment, body_of(to.whole(extra(Raw('"@"')))).replace(b'"@"', value))
    bad(
        "not-utf8-name",
        "A name that is not read is not UTF-8.",
        body_of(to.whole(extra(1, "@"))).replace(b"@", b"\xfe"),
    )
    bad(
        "control-character-name",
        "A raw control character in a name that is not read.",
        body_of(to.whole(extra(1, "@"))).replace(b"@", b"\x01"),
    )
    bad("nan", "NaN as a value that is not read.", extra(Raw("NaN")))
    bad("leading-zero", "A number with a leading zero as a value that is not read.", extra(Raw("01")))
    bad("control-character", "A raw line end in a text that is not read.", extra(Raw('"a\nb"')))
    bad("bad-escape", "An escape that JSON does not have, in a text that is not read.", extra(Raw('"\\x41"')))
    bad("trailing-comma", "A comma before the closing brace.", extra(Raw("1,")))
    limit = ["EventBody", "EventLimit"]
    good("depth-128", "128 levels, the most that are read.", extra(nested(128 - depth)), limit)
    to.bad("depth-129", "129 levels, in a part that is not read.", limit, extra(nested(129 - depth)), "malformed-body")
    lone = ["EventBody", "EventSurrogate"]
    good("surrogate-in-value", "Half of a surrogate pair in a text that is not read.", extra(Raw('"\\ud800"')), lone)
    good("surrogate-in-name", "Half of a surrogate pair in a name that is not read.", extra(1, Raw('"\\udc00"')), lone)
    good(
        "unread-repeated",
        "A member that is not read, twice.",
        Doc(extra(1).pairs + [("x", 2)]),
        ["EventBody", "EventFieldRepeated"],
    )
    if brief:
        return
    bad("single-quotes", "Single quotation marks.", body.replace(b'"', b"'"))
    bad("comment", "A comment.", body + b"/* */")
    bad("nul-after", "A NUL after the JSON.", body + b"\x00")
    bad("no-break-space", "A no-break space before the JSON.", b"\xc2\xa0" + body)
    bad("null", "The body is null.", b"null")
    bad("text", "The body is a text.", b'"evt"')
    good("brackets-in-text", "A text with 200 brackets is not nested.", extra("[" * 200), limit)
    good("big-number", "A number of 400 digits that is not read.", extra(Raw("9" * 400)), limit)
    good("huge-exponent", "A number beyond every floating-point type that is not read.", extra(Raw("1e999")), limit)


def required_text(to, doc, path, label, event_of, brief=False):
    """A text that the key needs. `event_of` gives the event for another value."""
    last = path.rpartition(".")[2]
    missing = ["EventFieldMissing"]
    kind = ["EventFieldKind"]
    twice = ["EventFieldRepeated"]
    bad = lambda name, comment, flags, value, error: to.bad("%s-%s" % (label, name), comment, flags, value, error)
    good = lambda name, comment, flags, value, text: to.good(
        "%s-%s" % (label, name), comment, flags, value, event_of(text)
    )
    bad("absent", "%s is absent." % path, missing, doc.drop(path), "missing-field")
    bad("empty", "%s is empty." % path, missing, doc.put(path, ""), "missing-field")
    bad("null", "%s is null." % path, kind, doc.put(path, None), "malformed-body")
    bad("number", "%s is a number." % path, kind, doc.put(path, 5), "malformed-body")
    bad("list", "%s is a list." % path, kind, doc.put(path, ["a"]), "malformed-body")
    bad("twice", "%s twice, alike." % path, twice, doc.twice(path), "repeated-field")
    bad("twice-differing", "%s twice, the values differ." % path, twice, doc.twice(path, "other"), "repeated-field")
    escaped = Raw('"\\u%04x%s"' % (ord(last[0]), last[1:]))
    bad(
        "twice-escaped",
        "%s twice, the second name written with an escape." % path,
        twice,
        doc.twice(path, "other", escaped),
        "repeated-field",
    )
    good(
        "name-escaped",
        "The name of %s written with an escape." % path,
        ["EventEscape"],
        doc.put(path, "value-1").rename(path, escaped),
        "value-1",
    )
    good(
        "value-escaped",
        "%s written with escapes." % path,
        ["EventEscape"],
        doc.put(path, Raw('"\\u0065vt\\/\\ud83d\\ude00\\n"')),
        "evt/\U0001f600\n",
    )
    bad(
        "surrogate",
        "Half of a surrogate pair in %s." % path,
        ["EventSurrogate"],
        doc.put(path, Raw('"a\\ud800"')),
        "malformed-body",
    )
    bad(
        "name-case",
        "%s under a name in other case." % path,
        missing,
        doc.rename(path, last.swapcase()),
        "missing-field",
    )
    head = path.rpartition(".")[0]
    if head:
        inner = doc._at(head)
        bad("parent-absent", "%s is absent." % head, missing, doc.drop(head), "missing-field")
        bad("parent-empty", "%s is an empty object." % head, missing, doc.put(head, Doc([])), "missing-field")
        bad("parent-null", "%s is null." % head, kind, doc.put(head, None), "malformed-body")
        bad("parent-text", "%s is a text." % head, kind, doc.put(head, "x"), "malformed-body")
        bad("parent-list", "%s is a list." % head, kind, doc.put(head, [inner]), "malformed-body")
        bad("parent-twice", "%s twice, alike." % head, twice, doc.twice(head), "repeated-field")
    if brief:
        return
    bad("true", "%s is true." % path, kind, doc.put(path, True), "malformed-body")
    bad("object", "%s is an object." % path, kind, doc.put(path, {"id": "a"}), "malformed-body")
    good("nul", "%s holds a NUL." % path, ["EventEscape"], doc.put(path, Raw('"a\\u0000b"')), "a\0b")
    good("space", "%s is a space, which is not empty." % path, ["EventKeyEncoding"], doc.put(path, " "), " ")


def optional_fields(to, cases):
    """Fields that the key does not need: (name, comment, document, event)."""
    for name, comment, doc, event in cases:
        to.good(name, comment, "EventOptional", doc, event)


def key_limit(to, doc, path, before, event_of):
    """Keys of 1,024 and 1,025 characters; `before` is the key's length without this part."""
    limit = ["EventLimit"]
    room = 1024 - before
    to.good("key-1024", "A key of 1,024 characters.", limit, doc.put(path, "a" * room), event_of("a" * room))
    to.bad("key-1025", "A key of 1,025 characters.", limit, doc.put(path, "a" * (room + 1)), "malformed-body")
    to.bad(
        "key-1025-encoded",
        "A key that the percent encoding makes longer than 1,024 characters.",
        limit + ["EventKeyEncoding"],
        doc.put(path, "/" * (room // 3 + 1)),
        "malformed-body",
    )


DATES = [
    ("z", "UTC", "2023-11-14T22:13:10Z", 1699999990000000),
    ("offset-west", "an offset west of Greenwich", "2023-11-14T17:13:10-05:00", 1699999990000000),
    ("offset-east", "an offset of five and a half hours", "2023-11-15T03:43:10+05:30", 1699999990000000),
    ("nine-digits", "nine digits of a second, cut to six", "2023-11-14T22:13:10.123456789Z", 1699999990123456),
    ("one-digit", "one digit of a second", "2023-11-14T22:13:10.5Z", 1699999990500000),
    ("before-1970", "a time before 1970", "1969-12-31T23:59:59.5Z", -500000),
    ("before-1970-cut", "a time before 1970 with nine digits", "1969-12-31T23:59:58.999999999Z", -1000001),
    ("leap-day", "a leap day", "2024-02-29T00:00:00Z", 1709164800000000),
    ("small-letters", "small t and z", "2023-11-14t22:13:10z", 1699999990000000),
    ("minus-zero", "the offset -00:00", "2023-11-14T22:13:10-00:00", 1699999990000000),
    ("leap-second", "a leap second", "2016-12-31T23:59:60Z", None),
    ("no-offset", "no offset", "2023-11-14T22:13:10", None),
    ("space", "a space in place of T", "2023-11-14 22:13:10Z", None),
    ("no-colon", "an offset without colon", "2023-11-14T22:13:10+0530", None),
    ("no-leap-day", "the 29th of February of another year", "2023-02-29T00:00:00Z", None),
    ("hour-24", "the hour 24", "2023-11-14T24:00:00Z", None),
    ("offset-24", "an offset of 24 hours", "2023-11-14T22:13:10+24:00", None),
    ("no-digit", "a full stop without digits", "2023-11-14T22:13:10.Z", None),
    ("date-only", "a date alone", "2023-11-14", None),
    ("text-after", "text after the time", "2023-11-14T22:13:10Z x", None),
    ("blank-before", "a blank before the time", " 2023-11-14T22:13:10Z", None),
    ("other-digits", "full-width digits", "２０２３-11-14T22:13:10Z", None),
    ("seconds-text", "seconds since 1970 as a text", "1699999990", None),
]


def date_family(to, doc, path, event_of, some=None):
    """A date that orders events; one that cannot be read leaves the order out."""
    for name, words, text, micros in DATES:
        if some is None or name in some:
            order = None if micros is None else (micros, "us")
            comment = "The order: %s.%s" % (words, "" if micros is not None else " Not read, so there is no order.")
            to.good("date-" + name, comment, "EventOrder", doc.put(path, text), event_of(order))
