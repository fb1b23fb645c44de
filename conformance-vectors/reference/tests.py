"""Independently known values: examples that the senders publish, and hand-made identities.

python3 conformance-vectors/reference/tests.py
"""

import base64
import hashlib
import hmac
import json
import unittest

from identity import Events, EventsError, depth, rfc3339
from verifier import Request, Verifier

HUBSPOT_SECRET = "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy"
HUBSPOT_URL = "https://www.example.com/webhook_uri"
HUBSPOT_V1 = (
    b'[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,'
    b'"subscriptionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM",'
    b'"changeFlag":"NEW","appId":54321}]'
)
PAYMOS = (
    b'{"event_id":"evt_123","event_type":"invoice.paid","version":1,"occurred_at":1700000000,'
    b'"data":{"invoice_id":"inv_123"}}'
)


def ask(provider, secret, headers, body, now_ms=1700000000000, **more):
    pairs = [(name, value.encode()) for name, value in headers]
    return Request(provider, [secret] if isinstance(secret, str) else secret, now_ms, pairs, body, **more)


def verdict(*args, **more):
    found = Verifier().check(ask(*args, **more))
    return "accept" if found.accept else found.reason


def events(provider, body, *headers):
    return Events().events(ask(provider, "unused", headers, body))


class Published(unittest.TestCase):
    def test_github(self):
        value = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
        secret, headers = "It's a Secret to Everybody", [("X-Hub-Signature-256", value)]
        self.assertEqual(verdict("github", secret, headers, b"Hello, World!"), "accept")
        self.assertEqual(verdict("github", secret, headers, b"Hello, World?"), "signature-mismatch")
        old = [("X-Hub-Signature", "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59")]
        self.assertEqual(verdict("github", secret, old, b"Hello, World!"), "missing-header")
        self.assertEqual(verdict("github", secret, old, b"Hello, World!", options={"legacySha1": True}), "accept")

    def test_shopify(self):
        headers = [("X-Shopify-Hmac-SHA256", "B23tXN681gZ0qIWNRrgtzBE9XSDo5yaUu6wfmhu3a7g=")]
        self.assertEqual(verdict("shopify", "test_secret_key", headers, b'{"foo": "bar"}'), "accept")

    def test_hubspot_v1(self):
        value = "232db2615f3d666fe21a8ec971ac7b5402d33b9a925784df3ca654d05f4817de"
        headers = [("X-HubSpot-Signature", value), ("X-HubSpot-Signature-Version", "v1")]
        options = {"versions": ["v1"]}
        self.assertEqual(verdict("hubspot", HUBSPOT_SECRET, headers, HUBSPOT_V1, options=options), "accept")

    def test_hubspot_v2(self):
        known = (
            ("GET", b"", "eee2dddcc73c94d699f5e395f4b9d454a069a6855fbfa152e91e88823087200e"),
            (
                "POST",
                b'{"example_field":"example_value"}',
                "9569219f8ba981ffa6f6f16aa0f48637d35d728c7e4d93d0d52efaa512af7900",
            ),
            (
                "POST",
                b"{'example_field':'example_value'}",
                "4fe4e3a7d3cf09db53be39d0a58130e2aaba074ec123a9e355b876a689a1c383",
            ),
        )
        for method, body, value in known:
            headers = [("X-HubSpot-Signature", value), ("X-HubSpot-Signature-Version", "v2")]
            more = {"method": method, "url": HUBSPOT_URL, "options": {"versions": ["v2"]}}
            self.assertEqual(verdict("hubspot", HUBSPOT_SECRET, headers, body, **more), "accept")

    def test_hubspot_v3(self):
        known = (
            ("1693657560000", "K36dawei4A+QBNolUOqo7s91KQDWQ5MXZ/QufNYuk/Y="),
            ("1700000300000", "RnbPH7+UMKVkbV32P8bz450N4M56aPmcru1+D3kSDtw="),
        )
        for time, value in known:
            headers = [("X-HubSpot-Signature-v3", value), ("X-HubSpot-Request-Timestamp", time)]
            more = {"method": "POST", "url": HUBSPOT_URL}
            body = b"{'example_field':'example_value'}"
            for shift, wanted in ((0, "accept"), (300_000, "accept"), (300_001, "timestamp-too-old")):
                found = verdict("hubspot", HUBSPOT_SECRET, headers, body, int(time) + shift, **more)
                self.assertEqual(found, wanted)
            self.assertEqual(
                verdict("hubspot", HUBSPOT_SECRET, headers, body, int(time) - 300_001, **more), "timestamp-in-future"
            )

    def test_paymos(self):
        good = "8f62822925c2d12af1b822edcc1e9392ce064c20d003cbbc11f131485348005b"
        value = f"t=1700000000,v1={'f' * 64},v1={good}"
        self.assertEqual(verdict("paymos", "whsec_test_secret", [("X-Webhook-Signature", value)], PAYMOS), "accept")
        doubled = [("X-Webhook-Signature", value + ",t=1700000000")]
        self.assertEqual(verdict("paymos", "whsec_test_secret", doubled, PAYMOS), "malformed-header")

    def test_stripe(self):
        """The value that seven official libraries made."""
        body = b'{\n  "id": "evt_test_webhook",\n  "object": "event"\n}'
        good = "4f1cd7feda9826e746b7d482c4badebb657398df1099e1046364f6196a230150"
        headers = [("Stripe-Signature", f"t=1700000000,v1={good}")]
        self.assertEqual(verdict("stripe", ["whsec_old", "whsec_test_secret"], headers, body), "accept")
        self.assertEqual(Verifier().check(ask("stripe", ["whsec_old", "whsec_test_secret"], headers, body)).key, 1)

    def test_standard_webhooks(self):
        """The example of the specification's own libraries."""
        headers = [
            ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
            ("webhook-timestamp", "1614265330"),
            ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        ]
        body = b'{"test": 2432232314}'
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        self.assertEqual(verdict("standard-webhooks", secret, headers, body, 1614265330000), "accept")
        raw = {"base64": secret.removeprefix("whsec_")}
        self.assertEqual(verdict("standard-webhooks", [raw], headers, body, 1614265330000), "accept")


class Order(unittest.TestCase):
    def test_forged_and_stale_is_a_mismatch(self):
        headers = [("Stripe-Signature", "t=1,v1=" + "0" * 64)]
        self.assertEqual(verdict("stripe", "whsec_x", headers, b""), "signature-mismatch")

    def test_the_lowest_fault_is_told(self):
        headers = [("X-HubSpot-Signature-v3", "?"), ("X-HubSpot-Request-Timestamp", "01")]
        more = {"method": "POST", "url": "https://example.com"}
        self.assertEqual(verdict("hubspot", "s", headers, b"", **more), "malformed-header")
        self.assertEqual(verdict("hubspot", "s", headers[:1] * 2, b"", **more), "missing-header")
        self.assertEqual(verdict("hubspot", "s", headers, b""), "missing-target")
        self.assertEqual(verdict("hubspot", " s", headers, b""), "bad-secret")

    def test_both_shopify_families_must_be_right(self):
        good = base64.b64encode(hmac.digest(b"s", b"x", "sha256")).decode()
        bad = base64.b64encode(bytes(32)).decode()
        both = lambda x, e: [("X-Shopify-Hmac-Sha256", x), ("Shopify-Hmac-Sha256", e)]
        self.assertEqual(verdict("shopify", "s", both(good, good), b"x"), "accept")
        self.assertEqual(verdict("shopify", "s", both(good, bad), b"x"), "signature-mismatch")
        self.assertEqual(verdict("shopify", "s", both(bad, good), b"x", options={"headers": "x"}), "signature-mismatch")
        self.assertEqual(
            verdict("shopify", "s", both(good, "")[:1], b"x", options={"headers": "events"}), "missing-header"
        )


class Identities(unittest.TestCase):
    def fails(self, word, provider, body, *headers):
        with self.assertRaises(EventsError) as caught:
            events(provider, body, *headers)
        self.assertEqual(caught.exception.args[0], word)

    def test_paymos(self):
        (event,) = events("paymos", PAYMOS, ("X-Webhook-Id", "evt_123"))
        self.assertEqual(event["key"], "paymos/evt_123")
        self.assertEqual(event["subject"], "inv_123")
        self.assertEqual(event["order"], {"value": 1700000000, "unit": "s"})
        self.fails("id-mismatch", "paymos", PAYMOS, ("X-Webhook-Id", "evt_124"))

    def test_hubspot(self):
        (event,) = events("hubspot", HUBSPOT_V1)
        self.assertEqual(event["key"], "hubspot/62515/54321/contact.creation//123/////////1564113600000")
        self.assertEqual(event["subject"], "contact/123")
        self.assertEqual(event["attempt"], 0)
        change = HUBSPOT_V1.replace(b"contact.creation", b"contact.propertyChange").replace(
            b'"appId"', b'"propertyName":"a b","propertyValue":"x","appId"'
        )
        (event,) = events("hubspot", change)
        digest = hashlib.sha256(b"x").hexdigest()[:32]
        self.assertTrue(event["key"].endswith(f"/a%20b/{digest}/1564113600000"))
        self.assertEqual(event["stream"], "contact/123/a%20b")
        self.fails("malformed-body", "hubspot", HUBSPOT_V1[1:-1])
        self.fails("malformed-body", "hubspot", HUBSPOT_V1.replace(b"1564113600000", b"1.5e12"))
        self.fails("missing-field", "hubspot", HUBSPOT_V1.replace(b"occurredAt", b"occurred"))

    def test_calendly(self):
        body = {
            "event": "invitee.created",
            "created_at": "2023-11-14T22:13:20.000001Z",
            "payload": {"uri": "https://x/1"},
        }
        (event,) = events("calendly", json.dumps(body).encode())
        self.assertEqual(event["key"], "calendly/https%3A%2F%2Fx%2F1/invitee.created/")
        self.assertEqual(event["order"], {"value": 1700000000000001, "unit": "us"})

    def test_headers_and_forms(self):
        (event,) = events("github", b"\xff", ("X-GitHub-Delivery", "guid"), ("X-GitHub-Event", "ping"))
        self.assertEqual(event, {"key": "github//guid", "kind": "ping"})
        self.fails("missing-field", "github", b"{}")
        self.assertEqual(events("acuity", b"action=scheduled&id=7")[0]["key"], "acuity/scheduled/7")
        self.assertEqual(events("acuity", b"action=changed&id=7")[0]["key"], None)
        self.fails("repeated-field", "acuity", b"action=scheduled&id=7&id=8")

    def test_members(self):
        (event,) = events("stripe", b'{"id":"evt_1","data":{"object":{"id":"ch_1"}},"type":"t"}')
        self.assertEqual(event["twin"], "stripe/ch_1/t")
        self.fails("repeated-field", "stripe", b'{"id":"a","\\u0069d":"a"}')
        self.fails("malformed-body", "stripe", b'{"id":1}')
        self.fails("malformed-body", "stripe", b'{"id":"\\ud800"}')
        self.fails("malformed-body", "stripe", b'{"id":"a"} x')
        self.fails("malformed-body", "stripe", b'\xef\xbb\xbf{"id":"a"}')
        self.fails("malformed-body", "stripe", b'{"id":"a","x":NaN}')
        self.fails("missing-field", "stripe", b'{"id":""}')

    def test_slots(self):
        """null leaves an optional slot empty; one object must be named; a list of numbers is one part."""
        element = {"portalId": 1, "appId": None, "subscriptionType": "a.b", "objectTypeId": "", "occurredAt": 2}
        self.fails("missing-field", "hubspot", json.dumps([element]).encode())
        self.fails("missing-field", "hubspot", json.dumps([{**element, "objectId": None}]).encode())
        (event,) = events("hubspot", json.dumps([{**element, "mergedObjectIds": [3, 4]}]).encode())
        self.assertEqual(event["key"], "hubspot/1//a.b////////3%2C4///2")
        self.fails("malformed-body", "hubspot", json.dumps([{**element, "objectId": 1, "appId": "1"}]).encode())

    def test_ranks(self):
        header = ("X-Webhook-Id", "evt_124")
        self.fails("malformed-body", "paymos", json.dumps({"event_id": "a" * 1018}).encode(), header)
        self.fails("missing-field", "paymos", b"{}", header)
        self.fails("repeated-field", "paymos", b'{"event_id":"a","event_id":"a"}', header)

    def test_orders(self):
        for text, wanted in (
            (b"1700000000", {"value": 1700000000, "unit": "s"}),
            (b'"1700000000"', None),
            (b"1700000000.0", None),
            (b'"2016-12-31T23:59:60Z"', None),
            (b'"1970-01-01T00:00:01-00:00"', {"value": 1000000, "unit": "us"}),
        ):
            (event,) = events("stripe", b'{"id":"a","created":%s}' % text)
            self.assertEqual(event.get("order"), wanted)

    def test_bytes_of_a_form(self):
        (event,) = events("acuity", b"action=scheduled&id=%FF")
        self.assertEqual(event, {"key": "acuity/scheduled/%FF", "kind": "scheduled"})

    def test_helpers(self):
        self.assertEqual(rfc3339("1970-01-01T01:00:00.1234567+01:00"), 123456)
        self.assertIsNone(rfc3339("1970-02-30T00:00:00Z"))
        self.assertEqual(depth('[{"[[[\\"[":1}]'), 2)


if __name__ == "__main__":
    unittest.main()
