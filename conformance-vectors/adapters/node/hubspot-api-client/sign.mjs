// @hubspot/api-client: `Signature.getSignature`, version 3.

import { Signature } from "@hubspot/api-client";
import { send } from "../send.mjs";

await send((requestBody, clientSecret, url) => {
  const timestamp = Date.now();
  const signature = Signature.getSignature("POST", "v3", { clientSecret, requestBody, url, timestamp });
  return { "X-HubSpot-Request-Timestamp": String(timestamp), "X-HubSpot-Signature-v3": signature };
});
