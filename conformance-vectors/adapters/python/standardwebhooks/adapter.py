"""standardwebhooks for Python: `Webhook.verify` over the bytes of the body and a dictionary of headers."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import standardwebhooks.webhooks
from lines import Unsupported, build, header_dict, secret_text_or_bytes, serve
from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def verify(request):
    if request["toleranceSeconds"] not in (None, 300):
        raise Unsupported("has a tolerance of 300 s")
    headers = header_dict(request)
    if "svix-signature" in headers and "webhook-signature" not in headers:
        raise Unsupported("reads webhook-… headers only")
    webhook = build(lambda: Webhook(secret_text_or_bytes(request["secrets"][0])))
    webhook.verify(request["body"], headers, json_parse=False)


if __name__ == "__main__":
    clocks = [standardwebhooks.webhooks]
    serve("standardwebhooks", ["standard-webhooks"], verify, documented=WebhookVerificationError, clocks=clocks)
