"""paymos-sdk: `WebhookVerifier.assert_valid`, the check inside `construct_event`, which goes on to parse JSON."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from lines import build, present_header, secret_text, serve
from paymos import WebhookVerifier
from paymos.errors import SignatureMismatchError, TimestampSkewError


def verify(request):
    tolerance = request["toleranceSeconds"]
    options = {} if tolerance is None else {"tolerance_seconds": tolerance}
    verifier = build(lambda: WebhookVerifier(secret_text(request["secrets"][0]), **options))
    verifier.assert_valid(present_header(request, "x-webhook-signature"), request["body"], request["nowMs"] // 1000)


if __name__ == "__main__":
    serve("paymos-sdk", ["paymos"], verify, documented=(SignatureMismatchError, TimestampSkewError))
