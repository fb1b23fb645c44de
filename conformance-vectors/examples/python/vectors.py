import base64, json, pathlib

def run(folder, policy, accepts):
    """accepts(provider, group, test, headers, body) -> true, false, or None for what the verifier does not offer"""
    failed = unsupported = 0
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        suite = json.loads(path.read_text("utf-8"))
        for group in suite["testGroups"]:
            for test in group["tests"]:
                headers = [(name, content(value)) for name, value in test["headers"]]
                body = content(test["body"] if "body" in test else {"base64": test["bodyBase64"]})
                wanted = test["result"] == "valid"
                if test["result"] == "acceptable":  # your policy decides
                    wanted = all(flag in policy for flag in test["flags"] if suite["notes"][flag].get("policy"))
                got = accepts(suite["provider"], group, test, headers, body)
                if got is None:
                    unsupported += 1
                elif got != wanted:
                    failed += 1
                    print(test["tcId"], "expected", test["result"], test.get("reason", ""))
    return failed, unsupported

def content(value):
    if isinstance(value, dict):
        return base64.b64decode(value["base64"]) if "base64" in value else value["repeat"].encode() * value["times"]
    return value.encode()
