import json, sys

from github import accepts  # your verifier in its place
from vectors import content

HELLO = {"implementation": "my-webhooks", "version": "1.0", "providers": ["github"], "clock": "given",
         "secrets": "many", "options": [], "maxBody": 32 << 20}

sys.stdin.readline()  # the runner's hello
print(json.dumps(HELLO), flush=True)
for line in sys.stdin:
    case = json.loads(line)
    headers = [(name, content(value)) for name, value in case["headers"]]
    body = content(case["repeat"] if "repeat" in case else {"base64": case["bodyBase64"]})
    good = accepts(case["provider"], case, case, headers, body)  # secrets, options, nowMs, … are members of the case
    print(json.dumps({"id": case["id"], "verdict": "accept" if good else "reject"}), flush=True)
