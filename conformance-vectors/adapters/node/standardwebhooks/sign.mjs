// standardwebhooks for Node: `Webhook.sign`.

import { Webhook } from "standardwebhooks";
import { send } from "../send.mjs";

await send((body, secret) => {
  const now = new Date();
  const signature = new Webhook(secret).sign("msg_1", now, body);
  return { "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(now / 1000)), "webhook-signature": signature };
});
