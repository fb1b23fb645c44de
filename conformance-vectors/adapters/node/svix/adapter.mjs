// svix for Node: `Webhook.verify` over the bytes of the body and an object of headers.

import { Webhook, WebhookVerificationError } from "svix";
import { build, headerObject, installed, secretBytes, serve, Unsupported } from "../lines.mjs";

const hello = {
  implementation: "svix (Node)",
  version: installed(import.meta.url, "svix"),
  providers: ["standard-webhooks"],
};

const REASONS = {
  "Missing required headers": "missing-header",
  "Message timestamp too old": "timestamp-too-old",
  "Message timestamp too new": "timestamp-in-future",
  "No matching signature found": "signature-mismatch",
};

function verify(request) {
  if ((request.toleranceSeconds ?? 300) !== 300) throw new Unsupported("has a tolerance of 300 s");
  const [secret] = request.secrets;
  const webhook = build(() =>
    typeof secret === "string" ? new Webhook(secret) : new Webhook(secretBytes(secret), { format: "raw" }),
  );
  webhook.verify(request.body, headerObject(request));
}

await serve(hello, verify, (error) => error instanceof WebhookVerificationError && { reason: REASONS[error.message] });
