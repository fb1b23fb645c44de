"""svix for Python: `Webhook.sign`."""

import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from send import send  # noqa: E402
from svix.webhooks import Webhook  # noqa: E402


def sign(body, secret, _):
    now = datetime.datetime.now(datetime.timezone.utc)
    signature = Webhook(secret).sign("msg_1", now, body)
    return {"svix-id": "msg_1", "svix-timestamp": str(int(now.timestamp())), "svix-signature": signature}


send(sign)
