"""What the `sign.py` of each package shares: it signs deliveries as the sender would and sends them to servers.

    python3 sign.py SECRET PUBLIC-URL SERVER...

Each body goes to each server three times: as it was signed, with a byte more, and under the signature of another secret. One
line of JSON an answer: {"case", "server", "status", "text"}.
"""

import json
import sys
import urllib.error
import urllib.request

BODIES = {
    "event": json.dumps({"id": "evt_1", "type": "invoice.paid", "amount": 100}),
    "unicode": json.dumps({"name": "Zoë 🎉 \u2028", "html": "<a href=\"b\">&'"}, ensure_ascii=False),
    "large": json.dumps({"text": "a" * 300_000}),
    "text": "no JSON \r\n\t\0",
}


def send(sign):
    """`sign(body, secret, public_url)` gives the headers of a delivery."""
    secret, public_url, *servers = sys.argv[1:]
    # Of the same form, and of other bytes.
    other = secret[:-4] + "AAAA"
    for server in servers:
        for name, body in BODIES.items():
            headers = sign(body, secret, public_url)
            deliver(f"genuine {name}", server, headers, body)
            deliver(f"changed {name}", server, headers, body + " ")
            deliver(f"forged {name}", server, sign(body, other, public_url), body)


def deliver(name, server, headers, body):
    headers = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(server, data=body.encode(), headers=headers, method="POST")
    # No proxy of the environment stands between here and a server on the loopback interface.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            status, text = refusal.code, refusal.read()
    print(json.dumps({"case": name, "server": server, "status": status, "text": text.decode()}))
