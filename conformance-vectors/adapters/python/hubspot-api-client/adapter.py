"""hubspot-api-client: `Signature.is_valid`, one version of the signature a call, chosen by the caller."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import hubspot.exceptions
import hubspot.utils.signature
from lines import Refused, Unsupported, body_text, header, present_header, secret_text, serve


def verify(request):
    version, *others = request["options"].get("versions", ["v3"])
    if others:
        raise Unsupported("checks one version a call")
    if request["toleranceSeconds"] not in (None, 300):
        raise Unsupported("has a tolerance of 300 s")
    if version != "v3" and header(request, "x-hubspot-signature-version") not in (None, version):
        raise Unsupported("leaves the version header to the caller")
    right = hubspot.utils.signature.Signature.is_valid(
        signature=present_header(request, "x-hubspot-signature-v3" if version == "v3" else "x-hubspot-signature"),
        client_secret=secret_text(request["secrets"][0]),
        request_body=body_text(request),
        http_uri=request["url"],
        **({} if request["method"] is None else {"http_method": request["method"]}),
        signature_version=version,
        timestamp=header(request, "x-hubspot-request-timestamp"),
    )
    if not right:
        raise Refused


if __name__ == "__main__":
    serve(
        "hubspot-api-client",
        ["hubspot"],
        verify,
        documented=hubspot.exceptions.InvalidSignatureTimestampError,
        clocks=[hubspot.utils.signature],
        options=["versions"],
    )
