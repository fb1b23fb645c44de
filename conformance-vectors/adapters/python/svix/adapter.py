"""svix for Python: `Webhook.verify` over the bytes of the body and a dictionary of headers."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import standardwebhooks.webhooks
from lines import Unsupported, build, header_dict, secret_text_or_bytes, serve
from svix.webhooks import Webhook, WebhookVerificationError


def verify(request):
    if request["toleranceSeconds"] not in (None, 300):
        raise Unsupported("has a tolerance of 300 s")
    webhook = build(lambda: Webhook(secret_text_or_bytes(request["secrets"][0])))
    webhook.verify(request["body"], header_dict(request))


if __name__ == "__main__":
    clocks = [standardwebhooks.webhooks]  # svix checks by it
    serve("svix", ["standard-webhooks"], verify, documented=WebhookVerificationError, clocks=clocks)
