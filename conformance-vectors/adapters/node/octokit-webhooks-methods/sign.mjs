// @octokit/webhooks-methods: `sign`.

import { sign } from "@octokit/webhooks-methods";
import { send } from "../send.mjs";

await send(async (body, secret) => ({ "X-GitHub-Event": "push", "X-Hub-Signature-256": await sign(secret, body) }));
