// @hubspot/api-client: `Signature.isValid`, one version of the signature a call, chosen by the caller.

import { Signature } from "@hubspot/api-client";
import { bodyText, header, installed, presentHeader, Refused, secretText, serve, Unsupported } from "../lines.mjs";

const hello = {
  implementation: "@hubspot/api-client (Node)",
  version: installed(import.meta.url, "@hubspot/api-client"),
  providers: ["hubspot"],
  options: ["versions"],
};

/** `timestamp` is typed as a number. */
function time(text) {
  if (text === undefined || String(Number(text)) === text) return text && Number(text);
  throw new Unsupported("takes the time as a number");
}

function verify(request) {
  const [version, ...others] = request.options.versions ?? ["v3"];
  if (others.length > 0) throw new Unsupported("checks one version a call");
  if ((request.toleranceSeconds ?? 300) !== 300) throw new Unsupported("has a tolerance of 300 s");
  const options = {
    clientSecret: secretText(request.secrets[0]),
    requestBody: bodyText(request),
    signatureVersion: version,
    signature: presentHeader(request, version === "v3" ? "x-hubspot-signature-v3" : "x-hubspot-signature"),
    method: request.method ?? undefined,
    url: request.url ?? undefined,
  };
  if (version === "v3") options.timestamp = time(header(request, "x-hubspot-request-timestamp"));
  else if (![undefined, version].includes(header(request, "x-hubspot-signature-version")))
    throw new Unsupported("leaves the version header to the caller");
  if (!Signature.isValid(options)) throw new Refused();
}

await serve(hello, verify, (error) => error.message === "Timestamp is invalid, reject request" && {});
