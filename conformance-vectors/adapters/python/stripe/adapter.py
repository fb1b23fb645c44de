"""stripe for Python: `WebhookSignature.verify_header`, the check inside `construct_event`, which goes on to parse JSON."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import stripe
from lines import header, secret_text, serve


def verify(request):
    tolerance = request["toleranceSeconds"]
    stripe.WebhookSignature.verify_header(
        request["body"],
        header(request, "stripe-signature"),
        secret_text(request["secrets"][0]),
        stripe.Webhook.DEFAULT_TOLERANCE if tolerance is None else tolerance,
    )


if __name__ == "__main__":
    # Its documentation has ValueError caught beside the error of a wrong signature, for a body that cannot be read.
    serve("stripe", ["stripe"], verify, documented=(stripe.SignatureVerificationError, ValueError))
