// Tries the loop with a verifier for GitHub: node github.mjs FOLDER [broken].

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { run } from "./vectors.mjs";

const BLANK = "\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const AROUND = new RegExp(`^[${BLANK}]|[${BLANK}]$`);

function key(secret) {
  if (typeof secret === "string") return Buffer.from(AROUND.test(secret) ? "" : secret);
  return secret.hex === undefined ? Buffer.from(secret.base64, "base64") : Buffer.from(secret.hex, "hex");
}

function accepts(provider, group, test, headers, body) {
  if (provider !== "github" || group.options?.legacySha1) return undefined;
  const keys = group.secrets.map(key);
  if (keys.length < 1 || keys.length > 8 || keys.some((key) => key.every((byte) => byte === 0))) return false;
  const lines = headers.filter(([name]) => name.toLowerCase() === "x-hub-signature-256").map(([, value]) => value);
  if (lines.length !== 1) return false;
  const found = /^[ \t]*sha256=([0-9a-fA-F]{64})[ \t]*$/.exec(lines[0].toString("latin1"));
  if (!found) return false;
  const signature = Buffer.from(found[1], "hex");
  return keys.map((key) => timingSafeEqual(createHmac("sha256", key).update(body).digest(), signature)).includes(true);
}

const [folder, word] = process.argv.slice(2);
const policy = JSON.parse(readFileSync(`${folder}/policies/hookproof.json`, "utf8")).accepted;
const { failed, unsupported } = await run(folder, policy, word === "broken" ? () => true : accepts);
console.log(`${failed} failed, ${unsupported} unsupported`);
process.exitCode = failed > 0 ? 1 : 0;
