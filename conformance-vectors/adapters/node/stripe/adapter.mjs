// stripe for Node: `webhooks.signature.verifyHeader`, the check inside `constructEvent`, which goes on to parse JSON.

import Stripe from "stripe";
import { header, installed, secretText, serve } from "../lines.mjs";

const hello = {
  implementation: "stripe (Node)",
  version: installed(import.meta.url, "stripe"),
  providers: ["stripe"],
};

const { webhooks, errors } = new Stripe("sk_test_not_used");

function verify(request) {
  webhooks.signature.verifyHeader(
    request.body,
    header(request, "stripe-signature"),
    secretText(request.secrets[0]),
    request.toleranceSeconds ?? webhooks.DEFAULT_TOLERANCE,
  );
}

await serve(hello, verify, (error) => error instanceof errors.StripeSignatureVerificationError && {});
