"""The line protocol: a hello line, then one case a line on stdin and one answer a line on stdout."""

import base64
import json
import sys

from identity import Events, EventsError
from senders import SENDERS
from verifier import Request, Verifier

HELLO = {
    "implementation": "hookproof-reference",
    "version": "1.0.0",
    "providers": list(SENDERS),
    "clock": "given",
    "secrets": "many",
    "options": sorted({option for sender in SENDERS.values() for option in sender.options}),
    "maxBody": 1 << 28,
    "events": True,
}


def body_bytes(case: dict) -> bytes:
    """The body of a case or of a vector: base64, text, or a text repeated."""
    if case.get("bodyBase64") is not None:
        return base64.b64decode(case["bodyBase64"], validate=True)
    body = case.get("body", "")
    if "repeat" in case:
        body = case["repeat"] if isinstance(case["repeat"], dict) else case
    return body["repeat"].encode() * body["times"] if isinstance(body, dict) else body.encode()


def value_bytes(value) -> bytes:
    return base64.b64decode(value["base64"], validate=True) if isinstance(value, dict) else value.encode()


def request(case: dict) -> Request:
    return Request(
        provider=case["provider"],
        secrets=case["secrets"],
        now_ms=case["nowMs"],
        headers=[(name, value_bytes(value)) for name, value in case["headers"]],
        body=body_bytes(case),
        method=case.get("method"),
        url=case.get("url"),
        tolerance=case.get("toleranceSeconds"),
        options=case.get("options") or {},
    )


def answer(asked: Request, rules: Verifier, identity: Events, with_events: bool = True) -> dict:
    verdict = rules.check(asked)
    if not verdict.accept:
        return {"verdict": "reject", "reason": verdict.reason}
    told = {"verdict": "accept", "key": verdict.key, "signed": verdict.signed}
    if verdict.time is not None:
        told["time"] = verdict.time
    if with_events:
        try:
            told["events"] = identity.events(asked)
        except EventsError as fault:
            told["eventsError"], told["eventsField"] = fault.args
    return told


def serve(rules: Verifier, identity: Events) -> None:
    next(sys.stdin)
    print(json.dumps(HELLO), flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        if case["provider"] in SENDERS:
            told = answer(request(case), rules, identity)
            told.pop("signed", None)
        else:
            told = {"verdict": "unsupported"}
        print(json.dumps({"id": case["id"], **told}), flush=True)


if __name__ == "__main__":
    serve(Verifier(), Events())
