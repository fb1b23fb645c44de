// @shopify/shopify-api: `webhooks.validate` over the body as text and a request of Node's HTTP server.

import "@shopify/shopify-api/adapters/node";
import { LogSeverity, shopifyApi } from "@shopify/shopify-api";
import { bodyText, build, installed, nodeHeaders, Refused, secretText, serve } from "../lines.mjs";

const hello = {
  implementation: "@shopify/shopify-api (Node)",
  version: installed(import.meta.url, "@shopify/shopify-api"),
  providers: ["shopify"],
};

const REASONS = { missing_hmac: "missing-header", invalid_hmac: "signature-mismatch" };

function api(apiSecretKey) {
  return shopifyApi({
    apiKey: "not-used",
    apiSecretKey,
    apiVersion: "2026-01",
    hostName: "example.com",
    isEmbeddedApp: true,
    logger: { log: () => {}, level: LogSeverity.Error },
  });
}

async function verify(request) {
  const shopify = build(() => api(secretText(request.secrets[0])));
  const rawRequest = { method: "POST", url: "/hooks", headers: nodeHeaders(request) };
  const result = await shopify.webhooks.validate({ rawBody: bodyText(request), rawRequest, rawResponse: {} });
  if (!result.valid) throw new Refused(REASONS[result.reason]);
}

await serve(hello, verify);
