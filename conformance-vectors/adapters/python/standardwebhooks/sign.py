"""standardwebhooks for Python: `Webhook.sign`."""

import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from send import send  # noqa: E402
from standardwebhooks.webhooks import Webhook  # noqa: E402


def sign(body, secret, _):
    now = datetime.datetime.now(datetime.timezone.utc)
    signature = Webhook(secret).sign("msg_1", now, body)
    return {"webhook-id": "msg_1", "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": signature}


send(sign)
