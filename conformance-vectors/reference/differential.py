"""Random changes of the vectors, with the reference's answers as expectations, for another implementation to be run on.

python3 conformance-vectors/reference/differential.py DIR [--seed N] [--count N]

Writes vector files into DIR. Half of the requests are changed in head, target or clock; the other half get another body
and the right signature for it, so that what events are read from is changed too. Then, for instance:
hookproof vectors run --strict-reasons DIR
"""

import argparse
import base64
import copy
import hashlib
import hmac
import json
import random
from pathlib import Path

from adapter import answer, request
from identity import Events
from verifier import Verifier

ROOT = Path(__file__).resolve().parent.parent
GROUP = ("secrets", "toleranceSeconds", "options")
EXPECTED = ("result", "reason", "events", "eventsError", "expect")
LARGEST = 20_000  # characters of a vector; larger ones say nothing more here

HEADER_PIECES = [b"=", b",", b" ", b"\t", b";", b".", b"0", b"1", b"9", b"a", b"F", b"+", b"/", b"-", b"_", b"t=", b"v1="]
HEADER_PIECES += [b"v1,", b"v0=", b"sha256=", b"sha1=", b"\x80", b'"', b"%3A", b"1700000000"]
BODY_PIECES = [b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"true", b"1.0", b"-0", b"01", b"1e3", b'"id":"x",', b" "]
BODY_PIECES += [b"\\ud800", b"\\u0061", b"\xff", b'{"id":1}', b"12345678901234567890", b'""', b"%41", b"&id=2", b"\xc3\xa9"]
URL_PIECES = [b"%3A", b"%2f", b"/", b"%", b"%25", b"?", b"a"]
STEPS = [-1, 1, 999, -999, 1000, -1000, 300_000, -300_000, 301_000, -301_000, 10**12]


def changed(rng: random.Random, data: bytes, pieces: list[bytes], times: int) -> bytes:
    """The bytes with pieces put in, taken out or replaced."""
    out = bytearray(data)
    for _ in range(times):
        at = rng.randrange(len(out) + 1)
        kind = rng.choice(["in", "in", "out", "replace"])
        if kind == "in":
            out[at:at] = rng.choice(pieces)
        elif kind == "out":
            del out[at : at + rng.randrange(1, 4)]
        else:
            out[at : at + 1] = rng.choice(pieces)
    return bytes(out)


def value_bytes(value) -> bytes:
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])


def value_json(raw: bytes):
    """A header's value as vectors write it: outer blanks are off."""
    raw = raw.strip(b" \t")
    if all(byte == 9 or 32 <= byte < 127 for byte in raw):
        return raw.decode("ascii")
    return {"base64": base64.b64encode(raw).decode()}


def body_bytes(test: dict) -> bytes:
    if "bodyBase64" in test:
        return base64.b64decode(test["bodyBase64"])
    body = test["body"]
    return body.encode() if isinstance(body, str) else body["repeat"].encode() * body["times"]


def keys(provider: str, secrets: list) -> list[bytes]:
    """Every key that these secrets may stand for."""
    found = []
    for secret in secrets:
        if isinstance(secret, dict):
            kind, text = next(iter(secret.items()))
            found.append(base64.b64decode(text) if kind == "base64" else bytes.fromhex(text))
            continue
        found.append(secret.encode())
        if provider == "standard-webhooks":
            digits = secret.removeprefix("whsec_")
            found.append(base64.b64decode(digits + "=" * (-len(digits) % 4)))
    return found


def signed_anew(test: dict, group: dict, provider: str, old: bytes, new: bytes) -> bool:
    """Replaces the signature of the old message by that of the new one, wherever it stands."""
    done = False
    for key in keys(provider, group["secrets"]):
        for digest in (lambda text: hmac.digest(key, text, "sha256"), lambda text: hashlib.sha256(key + text).digest()):
            for write in (lambda tag: tag.hex().encode(), base64.b64encode):
                before, after = write(digest(old)), write(digest(new))
                for header in test["headers"]:
                    value = value_bytes(header[1])
                    if before in value:
                        header[1] = value_json(value.replace(before, after))
                        done = True
    return done


def change_body(rng: random.Random, test: dict, group: dict, provider: str, got: dict) -> bool:
    body, old = body_bytes(test), got["signed"]
    new_body = changed(rng, body, BODY_PIECES, rng.choice([1, 1, 2, 3]))
    at = old.rfind(body)
    new = old[:at] + new_body + old[at + len(body) :]
    test.pop("body", None)
    test["bodyBase64"] = base64.b64encode(new_body).decode()
    return bool(body) and signed_anew(test, group, provider, old, new)


def change_head(rng: random.Random, test: dict) -> None:
    headers = test["headers"]
    for _ in range(rng.choice([1, 1, 2])):
        kind = rng.random()
        if headers and kind < 0.65:
            header = rng.choice(headers)
            header[1] = value_json(changed(rng, value_bytes(header[1]), HEADER_PIECES, rng.choice([1, 1, 2, 4])))
        elif headers and kind < 0.75:
            headers.insert(rng.randrange(len(headers) + 1), copy.deepcopy(rng.choice(headers)))
        elif headers and kind < 0.82:
            headers.remove(rng.choice(headers))
        elif kind < 0.9:
            test["nowMs"] = max(0, test["nowMs"] + rng.choice(STEPS))
        elif test.get("url"):
            test["url"] = changed(rng, test["url"].encode(), URL_PIECES, 1).decode("ascii", "ignore")
        else:
            test.pop("method", None)


def vectors_of(path: Path, rng: random.Random, count: int, seed: int) -> dict:
    data = json.loads(path.read_text("utf-8"))
    provider, rules, identity = data["provider"], Verifier(), Events()
    pool = [(group, test) for group in data["testGroups"] for test in group["tests"] if len(json.dumps(test)) < LARGEST]
    with_events = [pair for pair in pool if "events" in pair[1] or "eventsError" in pair[1]]
    groups = []
    for number in range(count):
        with_body = rng.random() < 0.5
        group, test = rng.choice(with_events if with_body else pool)
        shared, test = {name: group[name] for name in GROUP if name in group}, copy.deepcopy(test)

        def ask(with_events: bool) -> dict:
            return answer(request({"provider": provider, **shared, **test}), rules, identity, with_events)

        if with_body:
            got = ask(False)
            if got["verdict"] != "accept" or not change_body(rng, test, group, provider, got):
                continue
        else:
            change_head(rng, test)
        test["headers"] = [[name, value_json(value_bytes(value))] for name, value in test["headers"]]
        for name in EXPECTED:
            test.pop(name, None)
        test |= {"tcId": f"{provider}-changed-{seed}-{number}", "comment": "A random change.", "flags": ["Changed"]}
        got = ask(True)
        if got["verdict"] == "accept":
            test |= {"result": "valid", "expect": {"key": got["key"]}}
            test |= {name: got[name] for name in ("events", "eventsError") if got.get(name) is not None}
        else:
            test |= {"result": "invalid", "reason": got["reason"]}
        source = {"kind": "constructed", "name": "reference/differential.py", "retrieved": "2026-11-30", "licence": "CC0-1.0"}
        groups.append({"source": source, **shared, "tests": [test]})
    notes = {"Changed": {"bugType": "UNKNOWN", "description": "A random change of a vector."}}
    head = {"schema": "schema/v1.json", "provider": provider, "numberOfTests": len(groups)}
    return {**head, "noVendorExample": "Random changes.", "notes": notes, "testGroups": groups}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, help="requests a sender")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    rng, total = random.Random(args.seed), 0
    for path in sorted(ROOT.glob("*.json")):
        data = vectors_of(path, rng, args.count, args.seed)
        total += data["numberOfTests"]
        (args.folder / path.name).write_text(json.dumps(data), "utf-8")
    print(f"{total} requests")


if __name__ == "__main__":
    main()
