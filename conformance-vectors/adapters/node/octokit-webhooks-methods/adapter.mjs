// @octokit/webhooks-methods: `verifyWithFallback` over the body as text. It throws a TypeError when an argument is empty.

import { verifyWithFallback } from "@octokit/webhooks-methods";
import { bodyText, header, installed, Refused, secretText, serve } from "../lines.mjs";

const hello = {
  implementation: "@octokit/webhooks-methods (Node)",
  version: installed(import.meta.url, "@octokit/webhooks-methods"),
  providers: ["github"],
  secrets: "many",
};

async function verify(request) {
  const [current, ...previous] = request.secrets.map(secretText);
  const right = await verifyWithFallback(current, bodyText(request), header(request, "x-hub-signature-256"), previous);
  if (!right) throw new Refused();
}

await serve(hello, verify, (error) => error instanceof TypeError && error.message.includes("required") && {});
