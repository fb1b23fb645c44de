"""Runs the reference over the vector files and prints each difference.

python3 conformance-vectors/reference/check.py [FILES...]
"""

import base64
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from adapter import answer, request
from identity import Events
from verifier import Request, Verifier

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Vector:
    ident: str
    flags: list
    request: Request
    result: str  # valid, invalid; acceptable is resolved by the policy
    reason: str | None
    expect: dict
    events: list | None
    events_error: str | None


def policy_flags() -> set:
    path = ROOT / "policies" / "hookproof.json"
    if not path.exists():
        return set()
    return set(json.loads(path.read_text(encoding="utf-8"))["accepted"])


def load(paths: list[Path]) -> list[Vector]:
    listed, vectors = policy_flags(), []
    for path in paths:
        data = json.loads(path.read_text(encoding="utf-8"))
        policy = {flag for flag, note in data["notes"].items() if note.get("policy")}
        tests = [(group, test) for group in data["testGroups"] for test in group["tests"]]
        if len(tests) != data["numberOfTests"]:
            raise SystemExit(f"{path.name}: numberOfTests is {data['numberOfTests']}, found {len(tests)}")
        for group, test in tests:
            result = test["result"]
            if result == "acceptable":
                asked = policy & set(test["flags"])
                if not asked:
                    raise SystemExit(f"{path.name}: {test['tcId']}: acceptable without a policy flag")
                result = "valid" if asked <= listed else "invalid"
            shared = {name: group[name] for name in ("secrets", "toleranceSeconds", "options") if name in group}
            vectors.append(
                Vector(
                    ident=test["tcId"],
                    flags=test["flags"],
                    request=request({"provider": data["provider"], **shared, **test}),
                    result=result,
                    reason=test.get("reason"),
                    expect=test.get("expect", {}),
                    events=test.get("events"),
                    events_error=test.get("eventsError"),
                )
            )
    return vectors


def differences(vector: Vector, rules: Verifier, identity: Events) -> list[str]:
    """What the implementation answers otherwise than the vector expects."""
    with_events = vector.events is not None or vector.events_error is not None
    got = answer(vector.request, rules, identity, with_events)
    wanted = "accept" if vector.result == "valid" else "reject"
    if got["verdict"] != wanted:
        return [f"expected {wanted} {vector.reason or ''}, got {got['verdict']} {got.get('reason', '')}"]
    found = []
    if wanted == "reject" and vector.reason not in (None, got["reason"]):
        found.append(f"expected reason {vector.reason}, got {got['reason']}")
    if wanted == "accept":
        signed = vector.expect.get("signedBytesBase64")
        if signed is not None and base64.b64decode(signed) != got["signed"]:
            found.append(f"expected signed bytes {signed}, got {base64.b64encode(got['signed']).decode()}")
        if vector.expect.get("key") not in (None, got["key"]):
            found.append(f"expected key {vector.expect['key']}, got {got['key']}")
        if vector.events_error not in (None, got.get("eventsError")):
            found.append(f"expected events error {vector.events_error}, got {got}")
        if vector.events is not None and not same_events(vector.events, got.get("events")):
            found.append(f"expected events {vector.events}, got {got.get('events', got.get('eventsError'))}")
    return found


def same_events(wanted: list, got: list | None) -> bool:
    """A vector's event is complete: what it does not say must not be said."""
    return got == wanted


def main(names: list[str]) -> int:
    vectors = load([Path(name) for name in names] or sorted(ROOT.glob("*.json")))
    rules, identity, failed = Verifier(), Events(), 0
    for vector in vectors:
        found = differences(vector, rules, identity)
        failed += bool(found)
        for line in found:
            print(f"{vector.ident}: {line}")
    print(f"{len(vectors) - failed} passed, {failed} failed")
    return 1 if failed or not vectors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
