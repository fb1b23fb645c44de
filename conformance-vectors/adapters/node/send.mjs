// What the `sign.mjs` of each package shares: it signs deliveries as the sender would and sends them to servers.
//
//     node sign.mjs SECRET PUBLIC-URL SERVER...
//
// Each body goes to each server three times: as it was signed, with a byte more, and under the signature of another secret. One
// line of JSON an answer: {"case", "server", "status", "text"}.

const BODIES = {
  event: JSON.stringify({ id: "evt_1", type: "invoice.paid", amount: 100 }),
  unicode: JSON.stringify({ name: "Zoë 🎉 \u2028", html: "<a href=\"b\">&'" }),
  large: JSON.stringify({ text: "a".repeat(300_000) }),
  text: "no JSON \r\n\t\u0000",
};

/// `sign(body, secret, publicUrl)` gives the headers of a delivery, or nothing for a body that the package does not sign.
export async function send(sign) {
  const [secret, publicUrl, ...servers] = process.argv.slice(2);
  // Of the same form, and of other bytes.
  const other = secret.replace(/....$/, "AAAA");
  for (const server of servers) {
    for (const [name, body] of Object.entries(BODIES)) {
      const headers = await sign(body, secret, publicUrl);
      if (!headers) continue;
      await deliver(`genuine ${name}`, server, headers, body);
      await deliver(`changed ${name}`, server, headers, `${body} `);
      await deliver(`forged ${name}`, server, await sign(body, other, publicUrl), body);
    }
  }
}

async function deliver(name, server, headers, body) {
  const answer = await fetch(server, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });
  console.log(JSON.stringify({ case: name, server, status: answer.status, text: await answer.text() }));
}
