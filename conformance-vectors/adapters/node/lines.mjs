// The line protocol for Node: a hello line, then one case a line on stdin and one answer a line on stdout.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** Thrown by an adapter for what its package cannot express. */
export class Unsupported extends Error {}

/** Thrown by an adapter for a refusal that the package tells by a return value. */
export class Refused extends Error {
  constructor(reason) {
    super(reason ?? "refused");
    this.reason = reason;
  }
}

/** The one value of a header; undefined where it is absent, as in Node's `request.headers`. */
export function header(request, name) {
  const lines = request.headers.filter(([own]) => own.toLowerCase() === name);
  if (lines.length > 1) throw new Unsupported("takes one value of a header, not its lines");
  return lines[0]?.[1];
}

/** The one value of a header, for packages whose parameter must be a text. */
export function presentHeader(request, name) {
  const value = header(request, name);
  if (value === undefined) throw new Unsupported("leaves an absent header to the caller");
  return value;
}

/** All headers as an object with small names, for packages that take such an object. */
export function headerObject(request) {
  return Object.fromEntries(request.headers.map(([name]) => [name.toLowerCase(), header(request, name.toLowerCase())]));
}

/** The headers as Node's HTTP server hands them over: small names, the lines of one name joined. */
export function nodeHeaders(request) {
  const joined = {};
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    joined[key] = key in joined ? `${joined[key]}, ${value}` : value;
  }
  return joined;
}

/** The body as text, for packages that take no bytes. */
export function bodyText(request) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(request.body);
  } catch {
    throw new Unsupported("takes the body as text only");
  }
}

/** A secret as text, for packages that take no bytes. */
export function secretText(secret) {
  if (typeof secret !== "string") throw new Unsupported("takes the secret as text only");
  return secret;
}

/** The key bytes of a secret that is not text. */
export const secretBytes = (secret) => Buffer.from(secret.base64 ?? secret.hex, "base64" in secret ? "base64" : "hex");

/** Builds a verifier from a secret: whatever is thrown then is a refused secret. */
export function build(maker) {
  try {
    return maker();
  } catch (error) {
    throw error instanceof Unsupported ? error : new Refused("bad-secret");
  }
}

/** The version of an installed package. */
export function installed(url, name) {
  return JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, url))).version;
}

const latin1 = (value) => (typeof value === "string" ? value : Buffer.from(value.base64, "base64").toString("latin1"));

function body(line) {
  return line.repeat ? Buffer.from(line.repeat.repeat.repeat(line.repeat.times)) : Buffer.from(line.bodyBase64, "base64");
}

async function answer(line, verify, documented) {
  const request = { ...line, headers: line.headers.map(([name, value]) => [name, latin1(value)]), body: body(line) };
  Date.now = () => line.nowMs; // the packages read the clock here
  try {
    if (line.secrets.length === 0) throw new Unsupported("needs a secret");
    await verify(request);
    return { verdict: "accept" };
  } catch (error) {
    if (error instanceof Unsupported) return { verdict: "unsupported", reason: error.message };
    if (error instanceof Refused) return { verdict: "reject", reason: error.reason };
    if (documented(error)) return { verdict: "reject", reason: documented(error).reason };
    return { verdict: "reject", reason: `exception:${error?.constructor?.name}` };
  }
}

/**
 * Answers until the input ends. `verify` returns for an accepted request and throws for a refused one. `documented`
 * says whether an error is one that the package documents: an object, with `reason` where the error tells it.
 */
export async function serve(hello, verify, documented = () => undefined) {
  const print = (object) => process.stdout.write(`${JSON.stringify(object)}\n`);
  console.log = console.error; // a package that logs must not disturb the protocol
  const usual = { clock: "given", secrets: 1, options: [], maxBody: 1 << 25 };
  let first = true;
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (first) print({ ...usual, ...hello });
    else {
      const line = JSON.parse(text);
      print({ id: line.id, ...(await answer(line, verify, documented)) });
    }
    first = false;
  }
}
