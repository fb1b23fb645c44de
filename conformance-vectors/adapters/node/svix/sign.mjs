// svix for Node: `Webhook.sign`.

import { Webhook } from "svix";
import { send } from "../send.mjs";

await send((body, secret) => {
  const now = new Date();
  const signature = new Webhook(secret).sign("msg_1", now, body);
  return { "svix-id": "msg_1", "svix-timestamp": String(Math.floor(now / 1000)), "svix-signature": signature };
});
