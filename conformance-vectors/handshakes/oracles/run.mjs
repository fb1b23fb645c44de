// The senders' own receivers answer the vectors: @slack/bolt and @zoom/rivet.
//
//     npm ci --ignore-scripts && node run.mjs
//
// They have to answer what the vectors answer, and nothing that is not verified. Where they are laxer than the vectors, the vector
// has to be listed below.

import { readFileSync } from "node:fs";
import bolt from "@slack/bolt";
import { AwsLambdaReceiver as Zoom } from "@zoom/rivet/chatbot";

const { AwsLambdaReceiver: Slack } = bolt;
const file = JSON.parse(readFileSync(new URL("../handshakes.json", import.meta.url)));

// They echo whatever text was signed, or no text, and take the last of two members.
const LAXER = new Set(["bad-challenge", "missing-field", "repeated-field"]);

// Of bodies that are not JSON, and of several secrets, these receivers know nothing.
const ASKED = { "slack-url-verification": slack, "zoom-url-validation": zoom };

async function slack(test, secret) {
  const silent = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel() {}, setName() {} };
  const receiver = new Slack({ signingSecret: secret, logger: silent });
  let passedOn = false;
  receiver.init({
    processEvent: async (event) => {
      passedOn = true;
      await event.ack();
    },
  });
  const handler = await receiver.start();
  const answer = await handler(event(test), {}, () => {});
  if (passedOn) return { result: "pass-on" };
  if (answer.statusCode !== 200) return { result: "refuse" };
  return { result: "answer", answer: JSON.parse(answer.body).challenge };
}

async function zoom(test, secret) {
  const receiver = new Zoom({ webhooksSecretToken: secret });
  let passedOn = false;
  receiver.init({ eventEmitter: { emit: async () => (passedOn = true) } });
  const answer = await receiver.start()(event(test), {});
  if (passedOn) return { result: "pass-on" };
  if (answer.statusCode !== 200) return { result: "refuse" };
  return { result: "answer", answer: JSON.parse(answer.body) };
}

function event(test) {
  return { httpMethod: test.method, headers: Object.fromEntries(test.headers), body: test.body, isBase64Encoded: false };
}

/// Whether both say the same, whatever form the challenge is in.
function agrees(test, got) {
  if (test.result !== got.result) return false;
  if (test.result !== "answer") return true;
  const wanted = test.contentType === "application/json" ? JSON.parse(test.answer) : test.answer;
  return typeof wanted === "string"
    ? wanted === got.answer
    : Object.keys({ ...wanted, ...got.answer }).every((name) => wanted[name] === got.answer[name]);
}

const counts = {};
const faults = [];
console.debug = console.error = () => {};
for (const group of file.testGroups) {
  const ask = ASKED[group.handshake];
  if (!ask || group.secrets.length > 1) continue;
  for (const test of group.tests) {
    if (test.flags.includes("NotJson") || test.flags.includes("EscapedText")) continue;
    Date.now = () => test.nowMs;
    const got = await ask(test, group.secrets[0]).catch((error) => ({ result: "refuse", error: String(error) }));
    const count = (counts[group.handshake] ??= { agree: 0, laxer: 0, differ: 0 });
    if (agrees(test, got)) count.agree += 1;
    else if (test.result === "refuse" && LAXER.has(test.reason)) count.laxer += 1;
    else {
      count.differ += 1;
      faults.push(`${test.tcId}: expected ${test.result}, got ${JSON.stringify(got)}`);
    }
  }
}
console.log(JSON.stringify(counts));
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 || Object.keys(counts).length !== 2 ? 1 : 0;
