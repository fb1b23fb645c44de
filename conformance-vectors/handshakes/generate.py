"""Writes handshakes.json: requests by which senders ask whether a server wants their deliveries. Only the standard library.

    python3 generate.py          writes the file
    python3 generate.py --check  fails if the file is not what would be written

The signatures, and the MAC that Zoom wants for an answer, are computed here; what the answer has to be is written by hand
beside each request, from the senders' documentation.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import sys
import urllib.parse

FILE = pathlib.Path(__file__).with_name("handshakes.json")
NOW = 1_700_000_000
RETRIEVED = "2026-12-01"

NOTES = {
    "Documented": ("BASIC", "The request, or the values in it, are the sender's own example."),
    "Forged": ("AUTH_BYPASS", "The signature is wrong. A challenge that is answered all the same confirms an address to anybody, and where the answer is a MAC it signs for anybody."),
    "Unsigned": ("AUTH_BYPASS", "There is no signature."),
    "SigningOracle": ("AUTH_BYPASS", "The answer is a MAC under the key that signs events. A challenge that reads like a signed message must not be answered, or the answer is a signature."),
    "Markup": ("CONFIDENTIALITY", "A challenge that is a page, or ends the line of a header. What is reflected must not be shown as one."),
    "TooLong": ("AVAILABILITY", "A challenge far longer than any that the sender makes."),
    "LongestChallenge": ("EDGE_CASE", "As long as a challenge may be: 256 bytes."),
    "EmptyChallenge": ("EDGE_CASE", "A challenge of no characters."),
    "OtherType": ("EDGE_CASE", "A challenge that is no text."),
    "MissingChallenge": ("EDGE_CASE", "The request names the handshake and has no challenge."),
    "Repeated": ("MALLEABILITY", "What must be there once is there twice, so that two readers read two requests."),
    "WrongToken": ("AUTH_BYPASS", "The verify token is another one."),
    "TokenPrefix": ("AUTH_BYPASS", "The verify token is the beginning of the right one, or has more behind it."),
    "MissingToken": ("AUTH_BYPASS", "There is no verify token."),
    "OtherMode": ("EDGE_CASE", "The request asks for something else."),
    "Encoded": ("FUNCTIONALITY", "Names and values are percent-encoded."),
    "OtherParameters": ("FUNCTIONALITY", "There are other parameters beside those of the handshake."),
    "Event": ("FUNCTIONALITY", "A genuine delivery that is no handshake: the handler has to get it."),
    "UnsignedHeader": ("MALLEABILITY", "A header that is not signed calls an event a handshake. The event must not vanish."),
    "NotJson": ("EDGE_CASE", "A genuine body that is no JSON object."),
    "Nested": ("EDGE_CASE", "The members of a handshake, further down in an event."),
    "RotatedSecret": ("AVAILABILITY", "The previous secret signs, so it has to make the answer."),
    "EscapedText": ("FUNCTIONALITY", "The JSON is written with escapes."),
}

SENDERS = {
    "dropbox-challenge": ("Dropbox, webhooks", "https://www.dropbox.com/developers/reference/webhooks"),
    "github-ping": ("GitHub, webhook events and payloads", "https://docs.github.com/en/webhooks/webhook-events-and-payloads#ping"),
    "meta-subscribe": ("Meta, webhooks, getting started", "https://developers.facebook.com/docs/graph-api/webhooks/getting-started"),
    "slack-url-verification": ("Slack, url_verification event", "https://api.slack.com/events/url_verification"),
    "twitch-callback-verification": ("Twitch, handling webhook events", "https://dev.twitch.tv/docs/eventsub/handling-webhook-events/"),
    "xero-intent-to-receive": ("Xero, configuring your server", "https://developer.xero.com/documentation/webhooks/configuring-your-server"),
    "zoom-url-validation": ("Zoom, validate your webhook endpoint", "https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint"),
}


def mac(secret, message):
    return hmac.new(secret.encode(), message, hashlib.sha256)


# What each sender sends with a body, signed with a secret.


def github(secret, body, event="ping"):
    return [["Content-Type", "application/json"], ["X-GitHub-Event", event], ["X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"],
            ["X-Hub-Signature-256", "sha256=" + mac(secret, body).hexdigest()]]


def timed(prefix, header_signature, header_time):
    def headers(secret, body):
        signed = f"v0:{NOW}:".encode() + body
        return [["Content-Type", "application/json"], [header_time, str(NOW)], [header_signature, prefix + mac(secret, signed).hexdigest()]]
    return headers


slack = timed("v0=", "X-Slack-Signature", "X-Slack-Request-Timestamp")
zoom = timed("v0=", "x-zm-signature", "x-zm-request-timestamp")


def twitch(secret, body, kind="webhook_callback_verification"):
    ident, time = "e76c6bd4-55c9-4987-8304-da1588d8988b", "2023-11-14T22:13:20.123456789Z"
    return [["Content-Type", "application/json"], ["Twitch-Eventsub-Message-Id", ident], ["Twitch-Eventsub-Message-Timestamp", time],
            ["Twitch-Eventsub-Message-Type", kind], ["Twitch-Eventsub-Message-Signature", "sha256=" + mac(secret, ident.encode() + time.encode() + body).hexdigest()]]


def xero(secret, body):
    return [["Content-Type", "application/json"], ["x-xero-signature", base64.b64encode(mac(secret, body).digest()).decode()]]


# What has to become of a request.


def plain(text):
    return {"result": "answer", "status": 200, "contentType": "text/plain", "answer": text}


def as_json(text):
    return {"result": "answer", "status": 200, "contentType": "application/json", "answer": text}


EMPTY = {"result": "answer", "status": 200, "answer": ""}
HANDLER = {"result": "pass-on"}


def refuse(reason, status=400):
    return {"result": "refuse", "reason": reason, "status": status}


UNVERIFIED = refuse("unverified", 401)


class Group:
    def __init__(self, handshake, secrets, kind="constructed", sign=None):
        name, url = SENDERS[handshake]
        licence = "CC0-1.0" if kind == "constructed" else f"{name.split(',')[0]} documentation; example data only"
        self.handshake, self.secrets, self.sign, self.tests = handshake, secrets, sign, []
        self.source = {"kind": kind, "name": name, "url": url, "retrieved": RETRIEVED, "licence": licence}

    def get(self, name, comment, flags, query, expected):
        self.add(name, comment, flags, {"method": "GET", "query": query, "headers": [], "body": ""}, expected)

    def post(self, name, comment, flags, body, expected, headers=None, secret=None):
        if headers is None:
            headers = self.sign(secret or self.secrets[0], body.encode())
        self.add(name, comment, flags, {"method": "POST", "headers": headers, "body": body}, expected)

    def add(self, name, comment, flags, request, expected):
        head = {"tcId": f"{self.handshake}-{name}", "comment": comment, "flags": flags, "nowMs": NOW * 1000}
        self.tests.append({**head, **request, **expected})

    def data(self):
        return {"handshake": self.handshake, "source": self.source, "secrets": self.secrets, "tests": self.tests}


def forged(headers, name):
    """The same headers with one digit of the signature changed."""
    def change(value):
        head, digit = value[:-2], value[-2]
        return head + ("0" if digit != "0" else "1") + value[-1]
    return [[own, change(value) if own.lower() == name.lower() else value] for own, value in headers]


def without(headers, name):
    return [line for line in headers if line[0].lower() != name.lower()]


def add_hostile(group, build, name):
    """Challenges that nobody should send, in a genuine request."""
    for ident, flag, comment, challenge in (
        ("markup", "Markup", "a script", "<script>alert(1)</script>"),
        ("line-end", "Markup", "the end of a header line", "abc\r\nSet-Cookie: a=b"),
        ("not-ascii", "Markup", "a letter beyond ASCII", "challengé"),
        ("nul", "Markup", "a NUL", "abc\0def"),
        ("blank", "Markup", "a blank", "abc def"),
        ("signed-message", "SigningOracle", "what Slack and Zoom sign", 'v0:1700000000:{"event":"meeting.started"}'),
        ("signed-time", "SigningOracle", "a text with a colon", "v0:1700000000:"),
        ("257", "TooLong", "257 characters", "a" * 257),
        ("4-kib", "TooLong", "4,096 characters", "a" * 4096),
        ("empty", "EmptyChallenge", "an empty text", ""),
    ):
        build(group, f"{name}-{ident}", f"{name}: {comment}", [flag], challenge, refuse("bad-challenge"))


ALLOWED = "ABCxyz019-_.~+/="


def dropbox_groups():
    documented = Group("dropbox-challenge", [], "vendor-docs")
    documented.get("documented", "the example of the documentation", ["Documented"], "challenge=abc123", plain("abc123"))
    more = Group("dropbox-challenge", [])
    build = lambda group, name, comment, flags, challenge, expected: group.get(
        name, comment, flags, "challenge=" + urllib.parse.quote(challenge, safe=""), expected)
    add_hostile(more, build, "challenge")
    build(more, "every-character", "every kind of character that may be in one", ["Encoded"], ALLOWED, plain(ALLOWED))
    build(more, "longest", "256 characters", ["LongestChallenge"], "a" * 256, plain("a" * 256))
    more.get("other-parameters", "beside parameters of the URI", ["OtherParameters"], "tenant=7&challenge=abc&x", plain("abc"))
    more.get("encoded-name", "the name is encoded", ["Encoded"], "%63hallenge=a%62c", plain("abc"))
    more.get("none", "no challenge", ["MissingChallenge"], "a=b", refuse("not-a-handshake"))
    more.get("no-query", "no query", ["MissingChallenge"], "", refuse("not-a-handshake"))
    more.get("twice", "two challenges", ["Repeated"], "challenge=abc&challenge=def", refuse("repeated-field"))
    more.get("twice-alike", "the same challenge twice", ["Repeated"], "challenge=abc&challenge=abc", refuse("repeated-field"))
    more.get("bad-escape", "half an escape", ["Encoded"], "challenge=abc%4", refuse("bad-challenge"))
    more.get("not-utf-8", "an escape that is no UTF-8", ["Encoded"], "challenge=%ff", refuse("bad-challenge"))
    return [documented, more]


def meta_groups():
    token = "meatyhamhock"
    documented = Group("meta-subscribe", [token], "vendor-docs")
    documented.get("documented", "the example of the documentation", ["Documented"],
                   "hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock", plain("1158201444"))
    more = Group("meta-subscribe", [token])

    def query(challenge="1158201444", given=token, mode="subscribe"):
        parts = {"hub.mode": mode, "hub.challenge": challenge, "hub.verify_token": given}
        return "&".join(f"{name}={urllib.parse.quote(value, safe='')}" for name, value in parts.items() if value is not None)

    build = lambda group, name, comment, flags, challenge, expected: group.get(name, comment, flags, query(challenge), expected)
    add_hostile(more, build, "challenge")
    build(more, "longest", "256 characters", ["LongestChallenge"], "a" * 256, plain("a" * 256))
    more.get("other-order", "another order, and other parameters", ["OtherParameters"],
             "hub.verify_token=meatyhamhock&tenant=7&hub.challenge=a-b_c&hub.mode=subscribe", plain("a-b_c"))
    more.get("encoded", "names and values are encoded", ["Encoded"],
             "hub%2Emode=subscri%62e&hub%2Echallenge=115%38&hub%2Everify%5Ftoken=meaty%68amhock", plain("1158"))
    for name, flag, given in (
        ("wrong-token", "WrongToken", "meatyhamhocj"),
        ("token-of-other-case", "WrongToken", "MeatyHamHock"),
        ("token-with-blank", "WrongToken", "meatyhamhock "),
        ("token-with-nul", "WrongToken", "meatyhamhock\0"),
        ("empty-token", "MissingToken", ""),
        ("shorter-token", "TokenPrefix", "meatyhamhoc"),
        ("longer-token", "TokenPrefix", "meatyhamhockk"),
    ):
        more.get(name, f"the token is {json.dumps(given)}", [flag], query(given=given), refuse("wrong-token", 403))
    more.get("no-token", "no token", ["MissingToken"], query(given=None), refuse("wrong-token", 403))
    more.get("wrong-token-bad-challenge", "nothing is said of the challenge to those without the token", ["WrongToken", "Markup"],
             query("<b>", "meatyhamhoc"), refuse("wrong-token", 403))
    more.get("wrong-token-no-challenge", "nothing is said of the challenge to those without the token", ["WrongToken", "MissingChallenge"],
             query(None, "meatyhamhoc"), refuse("wrong-token", 403))
    more.get("no-challenge", "no challenge", ["MissingChallenge"], query(None), refuse("missing-field"))
    for name, mode in (("no-mode", None), ("unsubscribe", "unsubscribe"), ("mode-in-capitals", "SUBSCRIBE"), ("empty-mode", "")):
        more.get(name, f"the mode is {json.dumps(mode)}", ["OtherMode"], query(mode=mode), refuse("not-a-handshake"))
    more.get("no-query", "no query", ["OtherMode"], "", refuse("not-a-handshake"))
    for name in ("hub.mode=subscribe", "hub.verify_token=meatyhamhock", "hub.verify_token=other", "hub.challenge=2"):
        ident = name.replace("hub.", "").replace("=", "-").replace("_", "-")
        more.get(f"twice-{ident}", f"also {name}", ["Repeated"], f"{query()}&{name}", refuse("repeated-field"))
    return [documented, more]


def json_text(value):
    return json.dumps(value, separators=(",", ":"))


def slack_groups():
    secret, challenge = "8f742231b10e8888abcd99yyyzzz85a5", "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"
    body = lambda value: json_text({"token": "Jhj5dZrVaK7ZwHHjRyZWjbDl", "challenge": value, "type": "url_verification"})
    documented = Group("slack-url-verification", [secret], "vendor-docs", slack)
    documented.post("documented", "the body of the documentation, signed", ["Documented"], body(challenge), plain(challenge))
    more = Group("slack-url-verification", [secret], sign=slack)
    build = lambda group, name, comment, flags, value, expected: group.post(name, comment, flags, body(value), expected)
    add_hostile(more, build, "challenge")
    build(more, "every-character", "every kind of character that may be in one", ["EscapedText"], ALLOWED, plain(ALLOWED))
    build(more, "longest", "256 characters", ["LongestChallenge"], "a" * 256, plain("a" * 256))
    for name, value in (("number", 7), ("null", None), ("list", ["a"]), ("object", {"a": 1}), ("true", True)):
        build(more, f"challenge-{name}", f"the challenge is a {name}", ["OtherType"], value, refuse("bad-challenge"))
    good = body(challenge)
    headers = slack(secret, good.encode())
    more.post("forged", "one digit of the signature is another", ["Forged"], good, UNVERIFIED, forged(headers, "X-Slack-Signature"))
    more.post("other-secret", "signed with another secret", ["Forged"], good, UNVERIFIED, slack("other", good.encode()))
    more.post("unsigned", "no signature", ["Unsigned"], good, UNVERIFIED, without(headers, "X-Slack-Signature"))
    more.post("changed", "the challenge is another than was signed", ["Forged"], body("abc"), UNVERIFIED, headers)
    more.post("no-challenge", "no challenge", ["MissingChallenge"], '{"type":"url_verification"}', refuse("missing-field"))
    more.post("escaped", "written with escapes", ["EscapedText"], '{"\\u0074ype":"url\\u005fverification","challenge":"a\\u0062c"}', plain("abc"))
    more.post("challenge-twice", "two challenges", ["Repeated"], '{"type":"url_verification","challenge":"a","challenge":"b"}', refuse("repeated-field"))
    more.post("type-twice", "two types", ["Repeated"], '{"type":"event_callback","type":"url_verification","challenge":"a"}', refuse("repeated-field"))
    more.post("event", "an event", ["Event"], json_text({"type": "event_callback", "event": {"type": "app_mention"}, "event_id": "Ev1"}), HANDLER)
    more.post("event-with-challenge", "an event that has a challenge", ["Event"], '{"type":"event_callback","challenge":"abc"}', HANDLER)
    more.post("nested", "a message that quotes a handshake", ["Nested"], json_text({"type": "event_callback", "event": {"type": "url_verification", "challenge": "abc"}}), HANDLER)
    more.post("type-number", "a type that is no text", ["Event"], '{"type":7,"challenge":"abc"}', HANDLER)
    more.post("form", "a slash command", ["NotJson"], "token=x&command=%2Fweather&text=url_verification", HANDLER)
    more.post("list", "a list", ["NotJson"], '[{"type":"url_verification","challenge":"abc"}]', HANDLER)
    more.post("empty-body", "no body", ["NotJson"], "", HANDLER)
    more.post("cut-off", "a body that is cut off", ["NotJson"], '{"type":"url_verification","challenge":"abc"', HANDLER)
    more.post("deep", "a body nested 5,000 deep", ["NotJson"], '{"type":"url_verification","challenge":"abc","x":' + "[" * 5000 + "]" * 5000 + "}", HANDLER)
    rotated = Group("slack-url-verification", ["new-example-secret", secret], sign=slack)
    rotated.post("previous", "signed with the previous secret", ["RotatedSecret"], good, plain(challenge), headers)
    return [documented, more, rotated]


def zoom_groups():
    secret, token = "zoom-example-secret-token", "qgg8vlvZRS6UYooatFL8Aw"
    body = lambda value: json_text({"payload": {"plainToken": value}, "event_ts": 1654503849680, "event": "endpoint.url_validation"})

    def answer(value, key=secret):
        return as_json(json_text({"plainToken": value, "encryptedToken": mac(key, value.encode()).hexdigest()}))

    documented = Group("zoom-url-validation", [secret], "vendor-docs", zoom)
    documented.post("documented", "the body of the documentation, signed; its answer has no secret beside it", ["Documented"], body(token), answer(token))
    more = Group("zoom-url-validation", [secret], sign=zoom)
    build = lambda group, name, comment, flags, value, expected: group.post(name, comment, flags, body(value), expected)
    add_hostile(more, build, "token")
    build(more, "every-character", "every kind of character that may be in one", ["EscapedText"], ALLOWED, answer(ALLOWED))
    build(more, "longest", "256 characters", ["LongestChallenge"], "a" * 256, answer("a" * 256))
    for name, value in (("number", 7), ("null", None), ("list", ["a"]), ("object", {"a": 1})):
        build(more, f"token-{name}", f"the token is a {name}", ["OtherType"], value, refuse("bad-challenge"))
    good = body(token)
    headers = zoom(secret, good.encode())
    more.post("forged", "one digit of the signature is another", ["Forged"], good, UNVERIFIED, forged(headers, "x-zm-signature"))
    more.post("other-secret", "signed with another secret", ["Forged"], good, UNVERIFIED, zoom("other", good.encode()))
    more.post("unsigned", "no signature", ["Unsigned"], good, UNVERIFIED, without(headers, "x-zm-signature"))
    message = f'v0:{NOW}:{{"event":"meeting.started"}}'
    more.post("unsigned-oracle", "a stranger asks for the signature of an event", ["Unsigned", "SigningOracle"], body(message), UNVERIFIED,
              [["Content-Type", "application/json"]])
    more.post("oracle-used", "an event under the MAC that such an answer would have been: genuine to whoever answered", ["Event", "SigningOracle"],
              '{"event":"meeting.started"}', HANDLER,
              [["x-zm-request-timestamp", str(NOW)], ["x-zm-signature", "v0=" + mac(secret, message.encode()).hexdigest()]])
    more.post("no-token", "no token", ["MissingChallenge"], '{"event":"endpoint.url_validation","payload":{}}', refuse("missing-field"))
    more.post("no-payload", "no payload", ["MissingChallenge"], '{"event":"endpoint.url_validation"}', refuse("missing-field"))
    more.post("payload-null", "a payload that is null", ["MissingChallenge"], '{"event":"endpoint.url_validation","payload":null}', refuse("missing-field"))
    more.post("token-at-the-top", "a token beside the payload", ["MissingChallenge"], '{"event":"endpoint.url_validation","payload":{},"plainToken":"abc"}', refuse("missing-field"))
    more.post("token-twice", "two tokens", ["Repeated"], '{"event":"endpoint.url_validation","payload":{"plainToken":"a","plainToken":"b"}}', refuse("repeated-field"))
    more.post("payload-twice", "two payloads", ["Repeated"], '{"event":"endpoint.url_validation","payload":{"plainToken":"a"},"payload":{"plainToken":"b"}}', refuse("repeated-field"))
    more.post("event-twice", "two event names", ["Repeated"], '{"event":"meeting.started","event":"endpoint.url_validation","payload":{"plainToken":"a"}}', refuse("repeated-field"))
    more.post("event", "an event", ["Event"], json_text({"event": "meeting.started", "payload": {"object": {"id": "1"}}, "event_ts": 1}), HANDLER)
    more.post("event-with-token", "an event that has a token", ["Event"], json_text({"event": "meeting.started", "payload": {"plainToken": "abc"}}), HANDLER)
    more.post("list", "a list", ["NotJson"], '[{"event":"endpoint.url_validation"}]', HANDLER)
    rotated = Group("zoom-url-validation", ["new-example-secret", secret], sign=zoom)
    rotated.post("previous", "signed with the previous secret, which has to make the answer", ["RotatedSecret"], good, answer(token), headers)
    return [documented, more, rotated]


def twitch_groups():
    secret, challenge = "s3cre77890ab", "pogchamp-kappa-360noscope-vohiyo"
    subscription = {"id": "f1c2a387-161a-49f9-a165-0f21d7a4e1c4", "status": "webhook_callback_verification_pending", "type": "channel.follow",
                    "version": "1", "cost": 1, "condition": {"broadcaster_user_id": "12826"},
                    "transport": {"method": "webhook", "callback": "https://example.com/webhooks/callback"}, "created_at": "2019-11-16T10:11:12.634234626Z"}
    body = lambda value: json_text({"challenge": value, "subscription": subscription})
    documented = Group("twitch-callback-verification", [secret], "vendor-docs", twitch)
    documented.post("documented", "the body of the documentation, signed", ["Documented"], body(challenge), plain(challenge))
    more = Group("twitch-callback-verification", [secret], sign=twitch)
    build = lambda group, name, comment, flags, value, expected: group.post(name, comment, flags, body(value), expected)
    add_hostile(more, build, "challenge")
    build(more, "longest", "256 characters", ["LongestChallenge"], "a" * 256, plain("a" * 256))
    for name, value in (("number", 7), ("null", None), ("list", ["a"])):
        build(more, f"challenge-{name}", f"the challenge is a {name}", ["OtherType"], value, refuse("bad-challenge"))
    good = body(challenge)
    headers = twitch(secret, good.encode())
    name = "Twitch-Eventsub-Message-Signature"
    more.post("forged", "one digit of the signature is another", ["Forged"], good, UNVERIFIED, forged(headers, name))
    more.post("other-secret", "signed with another secret", ["Forged"], good, UNVERIFIED, twitch("other", good.encode()))
    more.post("unsigned", "no signature", ["Unsigned"], good, UNVERIFIED, without(headers, name))
    more.post("no-challenge", "no challenge", ["MissingChallenge"], json_text({"subscription": subscription}), refuse("missing-field"))
    more.post("challenge-twice", "two challenges", ["Repeated"], '{"challenge":"a","challenge":"b"}', refuse("repeated-field"))
    more.post("type-twice", "two message types", ["Repeated"], good, refuse("repeated-field"), headers + [["Twitch-Eventsub-Message-Type", "notification"]])
    notification = json_text({"subscription": subscription, "event": {"user_id": "1337"}})
    more.post("notification", "an event", ["Event"], notification, HANDLER, twitch(secret, notification.encode(), "notification"))
    more.post("revocation", "a revocation", ["Event"], notification, HANDLER, twitch(secret, notification.encode(), "revocation"))
    more.post("notification-called-handshake", "an event under the other type: its body has no challenge", ["UnsignedHeader"], notification, refuse("missing-field"))
    more.post("handshake-called-notification", "a handshake under the other type", ["UnsignedHeader"], good, HANDLER, twitch(secret, good.encode(), "notification"))
    more.post("no-type", "no message type", ["Event"], good, HANDLER, without(headers, "Twitch-Eventsub-Message-Type"))
    more.post("not-json", "a handshake that is no JSON", ["NotJson"], challenge, refuse("malformed-body"))
    more.post("list", "a list", ["NotJson"], '[{"challenge":"abc"}]', refuse("malformed-body"))
    return [documented, more]


def xero_groups():
    secret = "xero-example-signing-key"
    body = '{"events":[],"lastEventSequence":0,"firstEventSequence":0,"entropy":"S0m3r4Nd0mt3xt"}'
    documented = Group("xero-intent-to-receive", [secret], "vendor-docs", xero)
    headers = xero(secret, body.encode())
    documented.post("documented", "the body of the documentation, signed", ["Documented"], body, EMPTY)
    documented.post("documented-wrong", "the same, signed wrongly: the validation wants a 401", ["Documented", "Forged"], body, UNVERIFIED,
                    xero("other", body.encode()))
    more = Group("xero-intent-to-receive", [secret], sign=xero)
    more.post("unsigned", "no signature", ["Unsigned"], body, UNVERIFIED, without(headers, "x-xero-signature"))
    more.post("changed", "another body than was signed", ["Forged"], body.replace("S0m3", "s0m3"), UNVERIFIED, headers)
    more.post("events", "a delivery with events", ["Event"], '{"events":[{"resourceId":"1"}],"lastEventSequence":1,"firstEventSequence":1,"entropy":"a"}', HANDLER)
    wrong = '{"events":[{"resourceId":"1"}],"entropy":"a"}'
    more.post("events-forged", "events, signed wrongly", ["Forged"], wrong, UNVERIFIED, xero("other", wrong.encode()))
    more.post("no-events", "no list of events", ["Event"], '{"entropy":"a"}', HANDLER)
    more.post("events-twice", "two lists of events: the handler has to see it", ["Repeated"], '{"events":[],"events":[{"resourceId":"1"}]}', HANDLER)
    more.post("events-null", "events that are null", ["OtherType"], '{"events":null}', HANDLER)
    more.post("blank-list", "an empty list with a blank", ["EscapedText"], '{"events": [ ]}', EMPTY)
    more.post("not-json", "no JSON", ["NotJson"], "events", HANDLER)
    return [documented, more]


def github_groups():
    secret = "It's a Secret to Everybody"
    body = '{"zen":"Responsive is better than fast.","hook_id":109948940,"hook":{"type":"Repository","id":109948940,"active":true,"events":["push"]}}'
    group = Group("github-ping", [secret], sign=github)
    headers = github(secret, body.encode())
    group.post("ping", "a ping", ["Documented"], body, EMPTY)
    form = "payload=" + urllib.parse.quote_plus(body)
    group.post("form", "a ping as a form", ["Encoded"], form, EMPTY)
    group.post("forged", "one digit of the signature is another", ["Forged"], body, UNVERIFIED, forged(headers, "X-Hub-Signature-256"))
    group.post("unsigned", "no signature", ["Unsigned"], body, UNVERIFIED, without(headers, "X-Hub-Signature-256"))
    push = '{"ref":"refs/heads/main","commits":[]}'
    group.post("push", "an event", ["Event"], push, HANDLER, github(secret, push.encode(), "push"))
    group.post("push-called-ping", "an event under the name of a ping", ["UnsignedHeader"], push, HANDLER)
    group.post("ping-called-push", "a ping under another name", ["UnsignedHeader"], body, HANDLER, github(secret, body.encode(), "push"))
    group.post("no-name", "no name of the event", ["UnsignedHeader"], body, HANDLER, without(headers, "X-GitHub-Event"))
    group.post("two-names", "two names of the event", ["Repeated"], body, HANDLER, headers + [["X-GitHub-Event", "push"]])
    group.post("name-in-capitals", "another name", ["Event"], body, HANDLER, github(secret, body.encode(), "PING"))
    for name, other in (("zen-only", '{"zen":"a"}'), ("hook-id-only", '{"hook_id":1}'), ("hook-id-text", '{"zen":"a","hook_id":"1"}'),
                        ("zen-twice", '{"zen":"a","zen":"b","hook_id":1}'), ("nested", '{"issue":{"zen":"a","hook_id":1}}'), ("list", f"[{body}]")):
        group.post(name, "a body that is no ping", ["UnsignedHeader"], other, HANDLER)
    group.post("form-twice", "a form with two payloads", ["Repeated"], f"{form}&{form}", HANDLER)
    return [group]


def document():
    groups = [group for build in (dropbox_groups, github_groups, meta_groups, slack_groups, twitch_groups, xero_groups, zoom_groups) for group in build()]
    tests = [test for group in groups for test in group.tests]
    idents = [test["tcId"] for test in tests]
    assert len(set(idents)) == len(idents), "two tests of one id"
    used = {flag for test in tests for flag in test["flags"]}
    assert used == set(NOTES), f"flags: {used ^ set(NOTES)}"
    return {
        "schema": "../schema/handshakes-v1.json",
        "numberOfTests": len(tests),
        "notes": {flag: {"bugType": kind, "description": text} for flag, (kind, text) in sorted(NOTES.items())},
        "testGroups": [group.data() for group in groups],
    }


def main():
    text = json.dumps(document(), indent=1, ensure_ascii=True) + "\n"
    if sys.argv[1:] == ["--check"]:
        if not FILE.exists() or FILE.read_text(encoding="utf-8") != text:
            sys.exit("handshakes.json is not what generate.py writes; run it without --check")
    else:
        FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
