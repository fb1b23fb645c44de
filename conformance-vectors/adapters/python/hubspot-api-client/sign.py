"""hubspot-api-client for Python: `Signature.get_signature`, version 3."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from hubspot.utils.signature import Signature  # noqa: E402
from send import send  # noqa: E402


def sign(body, secret, public_url):
    now = str(int(time.time() * 1000))
    signature = Signature.get_signature(secret, body, "v3", http_uri=public_url, http_method="POST", timestamp=now)
    return {"X-HubSpot-Request-Timestamp": now, "X-HubSpot-Signature-v3": signature}


send(sign)
