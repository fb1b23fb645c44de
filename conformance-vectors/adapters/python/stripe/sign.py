"""stripe for Python: `WebhookSignature.generate_signature_header`."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from send import send  # noqa: E402
from stripe import WebhookSignature  # noqa: E402

send(lambda body, secret, _: {"Stripe-Signature": WebhookSignature.generate_signature_header(body, secret)})
