// @shopify/shopify-api: `setUpValidRequest` of its test helpers, which takes a value and writes it as JSON.

import { RequestType, setUpValidRequest } from "@shopify/shopify-api/test-helpers";
import { send } from "../send.mjs";

await send(async (body, apiSecretKey) => {
  if (!body.startsWith("{")) return;
  const options = { type: RequestType.Extension, store: "example", apiSecretKey, body: JSON.parse(body), headers: {} };
  const request = await setUpValidRequest(options, new Request("https://example.com/hooks", { method: "POST" }));
  return Object.fromEntries([...request.headers].filter(([name]) => name.startsWith("x-shopify-")));
});
