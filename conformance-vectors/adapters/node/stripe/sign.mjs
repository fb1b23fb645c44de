// stripe for Node: `webhooks.generateTestHeaderString`.

import Stripe from "stripe";
import { send } from "../send.mjs";

const { webhooks } = new Stripe("sk_test_unused");

await send((payload, secret) => ({ "Stripe-Signature": webhooks.generateTestHeaderString({ payload, secret }) }));
