"""The line protocol for Python: a hello line, then one case a line on stdin and one answer a line on stdout."""

import base64
import datetime
import json
import sys
import time
from importlib import metadata

# What the errors of the Standard Webhooks libraries say, in the words of the vectors.
REASONS = {
    "Missing required headers": "missing-header",
    "Message timestamp too old": "timestamp-too-old",
    "Message timestamp too new": "timestamp-in-future",
    "No matching signature found": "signature-mismatch",
}


class Unsupported(Exception):
    """Raised by an adapter for what its package cannot express."""


class Refused(Exception):
    """Raised by an adapter for a refusal that the package tells by a return value."""

    def __init__(self, reason=None):
        super().__init__(reason)
        self.reason = reason


class Clock(datetime.datetime):
    """The class `datetime` with a clock that is set; `serve` puts it into the modules that read the clock."""

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)


def header(request, name):
    """The one value of a header; None where it is absent."""
    lines = [value for own, value in request["headers"] if own.lower() == name]
    if len(lines) > 1:
        raise Unsupported("takes one value of a header, not its lines")
    return lines[0] if lines else None


def present_header(request, name):
    """The one value of a header, for packages whose parameter must be a text."""
    value = header(request, name)
    if value is None:
        raise Unsupported("leaves an absent header to the caller")
    return value


def header_dict(request):
    """All headers with small names, for packages that take a dictionary."""
    names = {name.lower() for name, _ in request["headers"]}
    return {name: header(request, name) for name in names}


def body_text(request):
    """The body as text, for packages that take no bytes."""
    try:
        return request["body"].decode("utf-8")
    except UnicodeDecodeError:
        raise Unsupported("takes the body as text only") from None


def secret_text(secret):
    """A secret as text, for packages that take no bytes."""
    if not isinstance(secret, str):
        raise Unsupported("takes the secret as text only")
    return secret


def secret_text_or_bytes(secret):
    if isinstance(secret, str):
        return secret
    return base64.b64decode(secret["base64"]) if "base64" in secret else bytes.fromhex(secret["hex"])


def build(maker):
    """Builds a verifier from a secret: whatever is raised then is a refused secret."""
    try:
        return maker()
    except Unsupported:
        raise
    except Exception:
        raise Refused("bad-secret") from None


def _latin1(value):
    """A header value as the WSGI of Python's frameworks hands it over."""
    return value if isinstance(value, str) else base64.b64decode(value["base64"]).decode("latin-1")


def _body(line):
    repeat = line.get("repeat")
    return repeat["repeat"].encode() * repeat["times"] if repeat else base64.b64decode(line["bodyBase64"])


def _answer(line, verify, documented):
    headers = [(name, _latin1(value)) for name, value in line["headers"]]
    time.time = lambda: line["nowMs"] / 1000  # the packages read the clock here
    try:
        if not line["secrets"]:
            raise Unsupported("needs a secret")
        verify({**line, "headers": headers, "body": _body(line)})
        return {"verdict": "accept"}
    except Unsupported as why:
        return {"verdict": "unsupported", "reason": str(why)}
    except Refused as refused:
        reason = refused.reason
    except documented as error:
        reason = REASONS.get(str(error))
    except Exception as error:
        reason = f"exception:{type(error).__name__}"
    return {"verdict": "reject", "reason": reason}


def serve(package, providers, verify, documented=(), clocks=(), options=()):
    """Answers until the input ends.

    `verify` returns for an accepted request and raises for a refused one. `documented` are the errors that the package
    documents for a refusal, `clocks` its modules that have imported the class `datetime`.
    """
    for module in clocks:
        module.datetime = Clock
    out, sys.stdout = sys.stdout, sys.stderr  # a package that prints must not disturb the protocol
    hello = {
        "implementation": f"{package} (Python)",
        "version": metadata.version(package),
        "providers": providers,
        "clock": "given",
        "secrets": 1,
        "options": list(options),
        "maxBody": 1 << 25,
    }
    next(sys.stdin)
    print(json.dumps(hello), file=out, flush=True)
    for line in map(json.loads, sys.stdin):
        print(json.dumps({"id": line["id"], **_answer(line, verify, documented)}), file=out, flush=True)
