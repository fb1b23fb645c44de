"""Tries the loop with a verifier for GitHub: python3 github.py FOLDER [broken]."""

import base64
import hashlib
import hmac
import json
import pathlib
import re
import sys

from vectors import run

BLANK = "\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def key(secret):
    if isinstance(secret, dict):
        return bytes.fromhex(secret["hex"]) if "hex" in secret else base64.b64decode(secret["base64"])
    return b"" if re.search(f"^[{BLANK}]|[{BLANK}]$", secret) else secret.encode()


def accepts(provider, group, test, headers, body):
    if provider != "github" or group.get("options", {}).get("legacySha1"):
        return None
    keys = [key(secret) for secret in group["secrets"]]
    if not 1 <= len(keys) <= 8 or not all(any(key) for key in keys):
        return False
    lines = [value.strip(b" \t") for name, value in headers if name.lower() == "x-hub-signature-256"]
    found = re.fullmatch(rb"sha256=([0-9a-fA-F]{64})", lines[0]) if len(lines) == 1 else None
    if found is None:
        return False
    signature = bytes.fromhex(found[1].decode())
    return any([hmac.compare_digest(hmac.digest(key, body, hashlib.sha256), signature) for key in keys])


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    policy = json.loads((folder / "policies/hookproof.json").read_text("utf-8"))["accepted"]
    broken = sys.argv[2:] == ["broken"]
    failed, unsupported = run(folder, policy, (lambda *_: True) if broken else accepts)
    print(f"{failed} failed, {unsupported} unsupported")
    sys.exit(failed > 0)
