import { readdirSync, readFileSync } from "node:fs";

/** accepts(provider, group, test, headers, body): true, false, or undefined for what the verifier does not offer */
export async function run(folder, policy, accepts) {
  let [failed, unsupported] = [0, 0];
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const suite = JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
    for (const group of suite.testGroups) {
      for (const test of group.tests) {
        const headers = test.headers.map(([name, value]) => [name, content(value)]);
        const body = content(test.body ?? { base64: test.bodyBase64 });
        const flags = test.flags.filter((flag) => suite.notes[flag].policy); // your policy decides acceptable ones
        const ours = test.result === "acceptable" && flags.every((flag) => policy.includes(flag));
        const wanted = ours || test.result === "valid";
        const got = await accepts(suite.provider, group, test, headers, body);
        if (got === undefined) unsupported++;
        else if (got !== wanted && ++failed) console.log(test.tcId, "expected", test.result, test.reason ?? "");
      }
    }
  }
  return { failed, unsupported };
}

function content(value) { // text, {"base64": …} or {"repeat": …, "times": …}
  if (value.base64 !== undefined) return Buffer.from(value.base64, "base64");
  return Buffer.from(value.times ? value.repeat.repeat(value.times) : value);
}
