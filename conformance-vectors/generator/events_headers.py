"""Events of the senders whose key is in a header: GitHub, Shopify, AnyHook, Standard Webhooks."""

from events import Doc, EventBench, Raw, event, lines, nested

ODD_IDS = [
    ("slash", "a slash", "a/b"),
    ("escaped-slash", "a slash that is already escaped", "a%2Fb"),
    ("blank-inside", "a blank", "a b"),
    ("signs", "signs that are escaped and signs that are not", "a+b~c*d-e_f.g,h"),
    ("unicode", "letters outside ASCII", "é世"),
    ("latin1", "a byte that is not UTF-8", b"a\xe9b"),
    ("high-bytes", "bytes that are not UTF-8", b"\xff\xfe\x80"),
    ("tab-inside", "a tab", "a\tb"),
]
ANY_BODY = [
    ("not-json", "no JSON", b"not json"),
    ("empty", "empty", b""),
    ("not-utf8", "not UTF-8", b'{"a":"\xff"}'),
    ("deep", "nested beyond 128 levels", nested(200).encode()),
    ("bom", "JSON behind a byte order mark", b'\xef\xbb\xbf{"a":1}'),
    ("list", "a list", b"[1,2]"),
    ("doubled", "an object with a doubled member", b'{"id":1,"id":2}'),
]


def id_header_family(to, header, before, event_of, prefix=""):
    """A header that the key needs: absent, blank, repeated, odd, long."""
    change = lambda value: lines(**{header.replace("-", "_"): value})
    body = to.bench.sender.body
    missing, twice = ["EventFieldMissing"], ["EventFieldRepeated"]
    add = lambda name, comment, flags, value, result: (to.bad if isinstance(result, str) else to.good)(
        prefix + name, comment, flags, body, result, headers=change(value)
    )
    add("id-absent", "%s is absent." % header, missing, None, "missing-field")
    add("id-empty", "%s is empty." % header, missing, "", "missing-field")
    add("id-twice", "%s twice, alike." % header, twice, ["a", "a"], "repeated-field")
    add("id-twice-differing", "%s twice, the values differ." % header, twice, ["a", "b"], "repeated-field")
    add("id-twice-one-empty", "%s twice, the second one empty." % header, twice, ["a", ""], "repeated-field")
    add(
        "id-twice-empty",
        "%s twice, both empty: as good as absent." % header,
        missing + twice,
        ["", ""],
        "missing-field",
    )
    for name, words, value in ODD_IDS:
        add("id-" + name, "%s holds %s." % (header, words), ["EventKeyEncoding"], value, event_of(value))
    room = 1024 - before
    add("key-1024", "A key of 1,024 characters.", ["EventLimit"], "a" * room, event_of("a" * room))
    add("key-1025", "A key of 1,025 characters.", ["EventLimit"], "a" * (room + 1), "malformed-body")


def any_body_family(to, event_of):
    for name, words, body in ANY_BODY:
        to.good("body-" + name, "The body is %s: the key is in a header." % words, "EventBody", body, event_of())


_GUID = "72d3162e-0000-4000-8000-000000000001"
_HOOK = "292430182"


def _github(hook=_HOOK, guid=_GUID, kind="pull_request"):
    return event(["github", hook, guid], kind=kind)


def github_events(bench):
    to = EventBench(bench, headers=lines(X_GitHub_Delivery=_GUID))
    body = bench.sender.body
    for kind in ("push", "ping", "issues", "issue_comment", "release", "workflow_run", "check_run", "installation"):
        to.good(
            "kind-" + kind.replace("_", "-"),
            "An event %s." % kind,
            [],
            body,
            _github(kind=kind),
            headers=lines(X_GitHub_Event=kind),
        )
    any_body_family(to, _github)
    to.good("form", "The form content type.", "EventBody", b"payload=%7B%7D", _github())
    id_header_family(to, "X-GitHub-Delivery", len("github/%s/" % _HOOK), lambda text: _github(guid=text))
    add = lambda name, comment, flags, result, **values: (to.bad if isinstance(result, str) else to.good)(
        name, comment, flags, body, result, headers=lines(**values)
    )
    apart, code, twice = ["EventDistinct"], ["EventDistinct", "EventKeyEncoding"], ["EventFieldRepeated"]
    add("hook-absent", "No hook id: its slot is empty.", ["EventOptional"], _github(""), X_GitHub_Hook_ID=None)
    add("hook-empty", "An empty hook id: its slot is empty.", ["EventOptional"], _github(""), X_GitHub_Hook_ID="")
    add("hook-twice", "The hook id twice, alike.", twice, "repeated-field", X_GitHub_Hook_ID=[_HOOK, _HOOK])
    add(
        "hook-other", "The same delivery over another hook: another key.", apart, _github("111"), X_GitHub_Hook_ID="111"
    )
    add(
        "hook-twice-id-absent",
        "The hook id twice, and no delivery id: the first fault in rank.",
        twice + ["EventFieldMissing"],
        "missing-field",
        X_GitHub_Hook_ID=["1", "2"],
        X_GitHub_Delivery=None,
    )
    add(
        "slash-1",
        "The hook a/b and the delivery c.",
        code,
        _github("a/b", "c"),
        X_GitHub_Hook_ID="a/b",
        X_GitHub_Delivery="c",
    )
    add(
        "slash-2",
        "The hook a and the delivery b/c.",
        code,
        _github("a", "b/c"),
        X_GitHub_Hook_ID="a",
        X_GitHub_Delivery="b/c",
    )
    add(
        "slash-3",
        "No hook and the delivery a/b.",
        code,
        _github("", "a/b"),
        X_GitHub_Hook_ID=None,
        X_GitHub_Delivery="a/b",
    )
    add(
        "slash-4",
        "The hook a and the delivery b.",
        code,
        _github("a", "b"),
        X_GitHub_Hook_ID="a",
        X_GitHub_Delivery="b",
    )
    add(
        "redelivery",
        "A redelivery keeps the id; the other headers do not count.",
        ["EventRetry"],
        _github(),
        X_GitHub_Hook_Installation_Target_ID="42",
    )
    add(
        "same-body",
        "Another delivery with the same body: another key.",
        apart,
        _github(guid="guid-2"),
        X_GitHub_Delivery="guid-2",
    )
    none = _github(kind=None)
    add("kind-absent", "No X-GitHub-Event: no kind.", ["EventOptional"], none, X_GitHub_Event=None)
    add("kind-empty", "An empty X-GitHub-Event: no kind.", ["EventOptional"], none, X_GitHub_Event="")
    add("kind-twice", "X-GitHub-Event twice: no kind.", ["EventOptional"], none, X_GitHub_Event=["push", "push"])
    add("kind-not-utf8", "X-GitHub-Event is not UTF-8: no kind.", ["EventOptional"], none, X_GitHub_Event=b"pu\xffsh")
    to.good(
        "names-lower",
        "The names of the headers in small letters.",
        "HeaderNameCase",
        body,
        _github(),
        headers=lambda old: [(n.lower(), v) for n, v in old],
    )


def anyhook_events(bench):
    s = bench.sender
    to = EventBench(bench, headers=lines(X_AnyHook_Delivery="dlv_1"))
    one = lambda text="dlv_1": event(["anyhook", text])
    to.good("ordinary", "An ordinary delivery: no kind and no order is known.", [], s.body, one())
    any_body_family(to, one)
    id_header_family(to, "X-AnyHook-Delivery", len("anyhook/"), one)
    to.good("retry", "A retry is signed anew: the key is the same.", ["EventRetry"], s.body, one(), time=s.time(200))
    to.good("replay-flag", "A replay by hand: the key is the same.", ["EventRetry"], b'{"is_replay":true}', one())
    to.good(
        "same-body",
        "Another delivery with the same body: another key.",
        ["EventDistinct"],
        s.body,
        one("dlv_2"),
        headers=lines(X_AnyHook_Delivery="dlv_2"),
    )
    to.good(
        "lookalike",
        "Headers of another product with a similar name are not read.",
        ["EventOptional"],
        s.body,
        one(),
        headers=lambda old: old + [("X-AnyHook-Event-Id", "x"), ("X-AnyHook-Delivery-Attempt", "3")],
    )
    to.bad(
        "lookalike-alone",
        "Only headers of another product with a similar name.",
        ["EventFieldMissing"],
        s.body,
        "missing-field",
        headers=lambda old: [("X-AnyHook-Event-Id", v) if n == "X-AnyHook-Delivery" else (n, v) for n, v in old],
    )


def standard_events(bench):
    s = bench.sender
    to = EventBench(bench, msg_id="msg_1")
    one = lambda kind="contact.created", id="msg_1": event(["standard-webhooks", id], kind=kind)
    doc = Doc({"type": "contact.created", "data": {"id": "c_1"}})
    svix = lambda old: [(n.replace("webhook-", "svix-"), v) for n, v in old]
    for kind in ("user.created", "email.delivered", "ping"):
        to.good("kind-" + kind.replace(".", "-"), "An event %s." % kind, [], doc.put("type", kind), one(kind))
    to.good("svix", "The svix- names: the id of that family.", [], doc, one(), headers=svix)
    to.good(
        "svix-beside-id",
        "The svix- names, and a webhook-id beside them that is not signed.",
        ["EventDistinct"],
        doc,
        one(),
        headers=lambda old: svix(old) + [("webhook-id", "msg_other")],
    )
    to.good(
        "webhook-beside-id",
        "The webhook- names, and a svix-id beside them that is not signed.",
        ["EventDistinct"],
        doc,
        one(),
        headers=lambda old: old + [("svix-id", "msg_other"), ("svix-id", "msg_third")],
    )
    for name, words, body in ANY_BODY:
        to.good(
            "body-" + name,
            "The body is %s: the key is in a header, and there is no kind." % words,
            "EventBody",
            body,
            one(None),
        )
    for name, words, value in ODD_IDS:
        dotted = b"." in (value if isinstance(value, bytes) else value.encode())
        to.good(
            "id-" + name,
            "The id holds %s." % words,
            ["EventKeyEncoding", "SignedId"] + (["DottedId"] if dotted else []),
            doc,
            one(id=value),
            msg_id=value,
            acceptable=dotted,
        )
    room = 1024 - len("standard-webhooks/")
    to.good("key-1024", "A key of 1,024 characters.", ["EventLimit"], doc, one(id="m" * room), msg_id="m" * room)
    to.bad("key-1025", "A key of 1,025 characters.", ["EventLimit"], doc, "malformed-body", msg_id="m" * (room + 1))
    to.good("retry", "A retry: another time, the same id, the same key.", ["EventRetry"], doc, one(), time=s.time(-200))
    to.good(
        "same-body",
        "Another message with the same body: another key.",
        ["EventDistinct"],
        doc,
        one(id="msg_2"),
        msg_id="msg_2",
    )
    none = one(None)
    for name, comment, body, result in [
        ("kind-absent", "No type: no kind.", doc.drop("type"), none),
        ("kind-null", "type is null: no kind.", doc.put("type", None), none),
        ("kind-empty", "type is empty: no kind.", doc.put("type", ""), none),
        ("kind-number", "type is a number: no kind.", doc.put("type", 7), none),
        ("kind-twice", "type twice: no kind.", doc.twice("type"), none),
        (
            "kind-twice-escaped",
            "type twice, once by an escape: no kind.",
            doc.twice("type", "b", Raw('"t\\u0079pe"')),
            none,
        ),
        ("kind-inside", "A type further inside is not the kind.", Doc({"data": {"type": "a"}}), none),
        ("kind-surrogate", "Half of a surrogate pair in type: no kind.", doc.put("type", Raw('"\\ud800"')), none),
        ("kind-escaped", "type written with escapes.", doc.put("type", Raw('"\\u0061\\u002fb"')), one("a/b")),
        ("kind-trailing", "Text after the JSON: not JSON, so no kind.", doc.bytes() + b" x", none),
        (
            "kind-not-utf8",
            "A part that is not read is not UTF-8: not JSON, so no kind.",
            b'{"type":"a","x":"\xff"}',
            none,
        ),
        ("kind-depth-128", "128 levels.", doc.put("x", nested(127)), one()),
        ("kind-depth-129", "129 levels: not read, so no kind.", doc.put("x", nested(128)), none),
    ]:
        to.good(name, comment, "EventOptional", body, result)
