"""The senders: one row each. A new sender of a known kind needs a row and nothing else."""

import base64

import model

URL = "https://www.example.com/webhook_uri"


class Sender:
    """How one sender signs, in the terms that the families need.

    grammar   "t-list" (t=…,v1=…), "prefix" (sha256=…), "whole" (the value is the signature),
              "standard" (Standard Webhooks)
    encoding  "hex" or "base64"
    unit      "s", "ms", or None without a signed time
    lenient   the spellings of a time, "name/number" or "name/text" by what is signed, that one of its
              libraries accepts
    agreed    flags on which every library of the sender agrees with us, so that nothing is a matter of policy
    """

    def __init__(self, id, grammar, encoding, header, secret, old, body, **more):
        self.id = id
        self.grammar = grammar
        self.encoding = encoding
        self.header = header
        self.secret = secret
        self.old = old
        self.body = body
        self.unit = more.get("unit")
        self.tolerance = more.get("tolerance", 300)
        self.time_header = more.get("time_header")
        self.id_header = more.get("id_header")
        self.msg_id = more.get("msg_id", "msg_test_0001")
        self.extra = more.get("extra", [])
        self.target = more.get("target", False)
        self.method = "POST" if self.target else None
        self.url = more.get("url", URL) if self.target else None
        self.prefix = more.get("prefix", "")
        self.lookalikes = more.get("lookalikes", [])
        self.lenient = set(more.get("lenient", []))
        self.agreed = set(more.get("agreed", []))
        self.text_only = more.get("text_only", False)
        self.list_flag = more.get("list_flag")
        self.no_vendor_example = more.get("no_vendor_example")
        self.bad_kinds = more.get("bad_kinds", [])
        self.specials = more.get("specials")

    def key(self, secret):
        if self.grammar == "standard" and isinstance(secret, str):
            text = secret[6:] if secret.startswith("whsec_") else secret
            return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        return model.text_key(secret)

    def time(self, offset=0):
        """The text of a time, `offset` units away from the clock."""
        if self.unit is None:
            return None
        base = model.NOW_S if self.unit == "s" else model.NOW_MS
        return str(base + offset)

    def seconds(self, count):
        return count if self.unit == "s" else count * 1000

    def message(self, body, time, msg_id=None, method=None, url=None):
        """The signed bytes."""
        time = time.encode("utf-8") if isinstance(time, str) else time
        if self.grammar == "t-list":
            return time + b"." + body
        if self.grammar == "standard":
            msg_id = self.msg_id if msg_id is None else msg_id
            msg_id = msg_id.encode("utf-8") if isinstance(msg_id, str) else msg_id
            return msg_id + b"." + time + b"." + body
        if self.target:
            method = self.method if method is None else method
            url = self.url if url is None else url
            return method.encode("ascii") + url.encode("utf-8") + body + time
        return body

    def mac(self, secret, body, time=None, **parts):
        time = self.time() if time is None else time
        return model.hmac_sha256(self.key(secret), self.message(body, time, **parts))

    def encode(self, mac):
        return mac.hex() if self.encoding == "hex" else model.b64(mac)

    def value(self, *signatures, time=None):
        """The header value with these signatures as text."""
        if self.grammar == "t-list":
            time = self.time() if time is None else time
            return ",".join(["t=" + time] + ["v1=" + s for s in signatures])
        if self.grammar == "standard":
            return " ".join("v1," + s for s in signatures)
        if self.grammar == "prefix":
            return ", ".join(self.prefix + s for s in signatures)
        return ", ".join(signatures)

    def headers(self, value, time=None, msg_id=None):
        """All headers of a delivery; a value of None leaves that header out."""
        time = self.time() if time is None else time
        lines = list(self.extra)
        if self.id_header:
            lines.append((self.id_header, self.msg_id if msg_id is None else msg_id))
        if self.time_header:
            lines.append((self.time_header, time))
        if value is not None:
            lines.append((self.header, value))
        return lines


class Bench:
    """Makes tests for one sender: a good delivery, with the named parts exchanged."""

    def __init__(self, suite, sender):
        self.suite = suite
        self.sender = sender

    def test(
        self,
        name,
        comment,
        flags,
        *,
        body=None,
        signed_body=None,
        secret=None,
        secrets=None,
        time=None,
        signed_time=None,
        msg_id=None,
        signed_id=None,
        method=None,
        signed_method=None,
        url=None,
        signed_url=None,
        value=None,
        headers=None,
        show_signed=False,
        **rest,
    ):
        """`value` takes the text of the signature and gives the header value;
        `headers` takes the good headers and gives those to send. The `signed_` parts
        are what was signed where it differs from what is sent."""
        s = self.sender
        body = s.body if body is None else body
        secret = s.secret if secret is None else secret
        to_sign = model.body_bytes(body if signed_body is None else signed_body)
        sign_time = signed_time if signed_time is not None else time
        parts = {}
        if s.grammar == "standard":
            parts["msg_id"] = signed_id if signed_id is not None else msg_id
        if s.target:
            parts["method"] = signed_method if signed_method is not None else method
            parts["url"] = signed_url if signed_url is not None else url
        text = s.encode(s.mac(secret, to_sign, sign_time, **parts))
        if value is None:
            header = s.value(text, time=time)
        else:
            header = value(text)
        lines = s.headers(header, time, msg_id)
        if headers is not None:
            lines = headers(lines)
        if show_signed:
            rest["signed"] = s.message(to_sign, s.time() if sign_time is None else sign_time, **parts)
        if s.target:
            rest["method"] = s.method if method is None else method
            rest["url"] = s.url if url is None else url
            for part in rest.pop("without", ()):
                rest[part] = None
        self.suite.add(name, comment, flags, lines, body, secrets=[s.secret] if secrets is None else secrets, **rest)


STRIPE_BODY = (
    b'{"id":"evt_test_0001","object":"event","type":"invoice.paid","created":1699999990,"livemode":false,'
    b'"data":{"object":{"id":"in_test_0001","object":"invoice","amount_paid":1250,"currency":"eur"}}}'
)
GITHUB_BODY = (
    b'{"action":"opened","number":7,"pull_request":{"id":1001,"title":"Fix a typo","state":"open"},'
    b'"repository":{"id":42,"full_name":"example/demo"},"sender":{"login":"octo-example"}}'
)
CALENDLY_BODY = (
    b'{"event":"invitee.created","created_at":"2023-11-14T22:13:10.000000Z",'
    b'"created_by":"https://api.calendly.com/users/TESTUSER","payload":{"uri":'
    b'"https://api.calendly.com/scheduled_events/TESTEVENT/invitees/TESTINVITEE","email":"a@example.com",'
    b'"name":"Test Person","status":"active"}}'
)
SHOPIFY_BODY = (
    b'{"id":820982911,"email":"jon@example.com","updated_at":"2023-11-14T17:13:10-05:00",'
    b'"financial_status":"paid","total_price":"12.50"}'
)
HUBSPOT_BODY = b'[{"portalId":62515,"subscriptionType":"contact.creation","objectId":123,"occurredAt":1699999990000}]'
PAYMOS_BODY = (
    b'{"event_id":"evt_test_0001","event_type":"invoice.paid","version":1,"occurred_at":1699999990,'
    b'"data":{"invoice_id":"inv_test_0001","status":"paid","is_final":true,"updated_at":1699999990}}'
)
ANYHOOK_BODY = b'{"id":"evt_test_0001","type":"order.paid","data":{"order":"A-1001","total":"12.50"}}'
STANDARD_BODY = b'{"type":"contact.created","timestamp":"2023-11-14T22:13:10.000000Z","data":{"id":"c_test_0001"}}'
CALCOM_BODY = (
    b'{"triggerEvent":"BOOKING_CREATED","createdAt":"2023-11-14T22:13:10.000Z","payload":{"type":"30min",'
    b'"title":"Test meeting","uid":"testbookinguid0001","bookingId":91,"status":"ACCEPTED"}}'
)
ACUITY_BODY = b"action=scheduled&id=123456789&calendarID=4321&appointmentTypeID=8765"

_NUMBERS = ["plus/number", "leading-zero/number", "leading-zeros/number"]

SENDERS = [
    Sender(
        "stripe",
        "t-list",
        "hex",
        "Stripe-Signature",
        "whsec_test_current",
        "whsec_test_previous",
        STRIPE_BODY,
        unit="s",
        lookalikes=["X-Stripe-Signature", "Stripe-Signature-256", "HTTP_STRIPE_SIGNATURE"],
        lenient=_NUMBERS
        + [
            "fraction/number",
            "fraction-zero/number",
            "underscore/number",
            "hexadecimal/number",
            "exponent/number",
            "letters-after/number",
            "arabic-digits/number",
            "fullwidth-digits/number",
        ],
        bad_kinds=["sk_test_fake", "pk_test_fake", "rk_test_fake", "we_fake"],
        no_vendor_example="Stripe's documentation prints a header without its body and secret, and its libraries make their test signatures when the tests run.",
    ),
    Sender(
        "calendly",
        "t-list",
        "hex",
        "Calendly-Webhook-Signature",
        "calendly-test-signing-key",
        "calendly-earlier-signing-key",
        CALENDLY_BODY,
        unit="s",
        tolerance=180,
        list_flag="UndocumentedSignatureList",
        lookalikes=["X-Calendly-Webhook-Signature", "Calendly-Signature", "Stripe-Signature"],
        no_vendor_example="Calendly's documentation prints a header without its body and key, and there is no official library.",
    ),
    Sender(
        "github",
        "prefix",
        "hex",
        "X-Hub-Signature-256",
        "github-test-secret",
        "github-earlier-secret",
        GITHUB_BODY,
        prefix="sha256=",
        extra=[
            ("X-GitHub-Event", "pull_request"),
            ("X-GitHub-Hook-ID", "292430182"),
            ("X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
        ],
        lookalikes=["Hub-Signature-256", "X-GitHub-Signature-256", "X-Hub-Signature-512"],
        specials="github",
    ),
    Sender(
        "shopify",
        "whole",
        "base64",
        "X-Shopify-Hmac-Sha256",
        "shopify-test-client-secret",
        "shopify-earlier-client-secret",
        SHOPIFY_BODY,
        extra=[
            ("X-Shopify-Topic", "orders/updated"),
            ("X-Shopify-Shop-Domain", "example.myshopify.com"),
            ("X-Shopify-API-Version", "2026-10"),
            ("X-Shopify-Webhook-Id", "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043"),
            ("X-Shopify-Triggered-At", "2023-11-14T22:13:10.000000Z"),
        ],
        lookalikes=["X-Shopify-Hmac", "X-Shopify-Signature", "X-Shopify-Hmac-Sha-256"],
        specials="shopify",
    ),
    Sender(
        "hubspot",
        "whole",
        "base64",
        "X-HubSpot-Signature-v3",
        "00000000-test-test-test-000000000001",
        "00000000-test-test-test-000000000002",
        HUBSPOT_BODY,
        unit="ms",
        time_header="X-HubSpot-Request-Timestamp",
        target=True,
        lookalikes=["X-HubSpot-Signature-256", "X-HubSpot-Signature-v4", "HubSpot-Signature-v3"],
        lenient=[
            "plus/text",
            "leading-zero/text",
            "leading-zeros/text",
            "fraction/text",
            "fraction-zero/text",
            "exponent/text",
            "hexadecimal/text",
            "underscore/text",
            "letters-after/text",
        ],
        specials="hubspot",
    ),
    Sender(
        "paymos",
        "t-list",
        "hex",
        "X-Webhook-Signature",
        "whsec_test_current",
        "whsec_test_previous",
        PAYMOS_BODY,
        unit="s",
        extra=[("X-Webhook-Id", "evt_test_0001")],
        specials="paymos",
        lookalikes=["X-Paymos-Signature", "Paymos-Signature", "HTTP_PAYMOS_SIGNATURE"],
        lenient=_NUMBERS + ["arabic-digits/number", "fullwidth-digits/number"],
        agreed=["BlankAfterComma", "EmptyListItem"],
    ),
    Sender(
        "anyhook",
        "t-list",
        "hex",
        "Anyhook-Signature",
        "whsec_test_current",
        "whsec_test_previous",
        ANYHOOK_BODY,
        unit="s",
        extra=[("X-AnyHook-Delivery", "dlv_test_0001")],
        lookalikes=["X-AnyHook-Signature", "AnyHook-Webhook-Signature", "Hook-Signature"],
        lenient=_NUMBERS + ["fraction-zero/number", "fraction/text", "hexadecimal/number", "exponent/number"],
        agreed=["AnyCaseHex", "BlankAfterComma", "EmptyListItem"],
        text_only=True,
        no_vendor_example="No complete delivery with its secret was found in AnyHook's documentation and library.",
    ),
    Sender(
        "standard-webhooks",
        "standard",
        "base64",
        "webhook-signature",
        "whsec_dGVzdC1jdXJyZW50",
        "whsec_dGVzdC1lYXJsaWVy",
        STANDARD_BODY,
        unit="s",
        time_header="webhook-timestamp",
        id_header="webhook-id",
        lookalikes=["X-Webhook-Signature", "standard-webhook-signature", "webhooks-signature"],
        lenient=_NUMBERS
        + ["exponent/number", "underscore/number", "letters-after/number", "fraction/number", "fraction-zero/number"],
        specials="standard",
    ),
    Sender(
        "calcom",
        "whole",
        "hex",
        "X-Cal-Signature-256",
        "calcom-test-secret",
        "calcom-earlier-secret",
        CALCOM_BODY,
        extra=[("X-Cal-Webhook-Version", "2021-10-20")],
        lookalikes=["X-Cal-Signature", "Cal-Signature-256", "X-Calcom-Signature-256"],
        no_vendor_example="Cal.com's documentation shows how the signature is made; no complete delivery with its secret was found.",
        specials="calcom",
    ),
    Sender(
        "acuity",
        "whole",
        "base64",
        "X-Acuity-Signature",
        "acuity-test-api-key",
        "acuity-earlier-api-key",
        ACUITY_BODY,
        extra=[("Content-Type", "application/x-www-form-urlencoded")],
        lookalikes=["Acuity-Signature", "X-Acuity-Hmac", "X-Squarespace-Signature"],
        no_vendor_example="Acuity's documentation and library show how the signature is made; no complete delivery with its key was found.",
    ),
]

BY_ID = {s.id: s for s in SENDERS}
