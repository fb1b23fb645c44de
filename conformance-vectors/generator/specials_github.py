"""GitHub: the old SHA-1 header in all combinations, and the largest body that it sends."""

import model
from model import Repeat

_OLD = "X-Hub-Signature"
_LEGACY = {"legacySha1": True}


def github_family(bench):
    _combinations(bench)
    _sha1_texts(bench)
    bench.test(
        "body-25-megabytes", "The largest body that GitHub sends: 25 MiB.", "BigBody", body=Repeat("a", 26214400)
    )
    bench.test("option-false", "The option legacySha1 given as false.", "Sha1", options={"legacySha1": False})
    for name in ("X-GitHub-Event", "X-GitHub-Hook-ID", "X-GitHub-Delivery"):
        bench.test(
            "without-" + name.lower(),
            "The unsigned header %s is absent." % name,
            "MissingRoutingHeader",
            headers=lambda lines, n=name: [(k, v) for k, v in lines if k != n],
            acceptable=True,
        )
    bench.test(
        "delivery-id-twice",
        "An unsigned header twice; the signature does not read it.",
        "Basic",
        headers=lambda lines: lines + [("X-GitHub-Delivery", "00000000-0000-0000-0000-000000000000")],
    )
    bench.test(
        "ping",
        "The ping that GitHub sends first is signed like any delivery.",
        "Basic",
        body=b'{"zen":"Keep it logically awesome.","hook_id":292430182,"hook":{"type":"Repository"}}',
    )
    bench.test(
        "form",
        "The form content type: the whole form is signed.",
        "AnyBody",
        body=b"payload=%7B%22zen%22%3A%22Keep+it+logically+awesome.%22%7D",
        headers=lambda lines: [("Content-Type", "application/x-www-form-urlencoded")] + lines,
    )
    bench.test(
        "form-inner",
        "The form content type, signed over the JSON inside.",
        ["WrongPrimitive", "TamperedBody"],
        body=b"payload=%7B%22a%22%3A1%7D",
        signed_body=b'{"a":1}',
        reason="signature-mismatch",
    )


def _sha1(bench, secret=None, body=None):
    s = bench.sender
    return model.hmac_sha1(s.key(secret or s.secret), s.body if body is None else body).hex()


def _combinations(bench):
    s = bench.sender
    new = {
        "absent": (None, "missing-header"),
        "good": ("sha256=G", None),
        "wrong": ("sha256=" + "f" * 64, "signature-mismatch"),
        "no-word": ("G", "malformed-header"),
        "other-word": ("sha1=" + _sha1(bench), "unsupported-version"),
        "undecodable": ("sha256=zz", "bad-encoding"),
        "empty": ("", "missing-header"),
        "twice": (("sha256=G", "sha256=G"), "repeated-header"),
    }
    old = {
        "absent": (None, "missing-header"),
        "good": ("sha1=" + _sha1(bench), None),
        "wrong": ("sha1=" + "f" * 40, "signature-mismatch"),
        "no-word": (_sha1(bench), "malformed-header"),
        "other-word": ("sha256=G", "unsupported-version"),
        "undecodable": ("sha1=zz", "bad-encoding"),
        "empty": ("", "missing-header"),
        "twice": (("sha1=" + _sha1(bench),) * 2, "repeated-header"),
    }
    for legacy in (False, True):
        for new_name, (new_value, new_reason) in new.items():
            for old_name, (old_value, old_reason) in old.items():
                if not legacy and new_name in ("empty", "no-word") and old_name != "good":
                    continue
                if not legacy and old_name == "absent" and new_name in ("absent", "good", "wrong", "twice"):
                    continue  # ordinary deliveries, in other families
                reason = new_reason
                if legacy and new_name in ("absent", "empty"):
                    reason = old_reason
                flags = ["Sha1"]
                if reason == "missing-header":
                    flags.append("MissingHeader")
                if reason == "repeated-header":
                    flags.append("RepeatedHeader")
                if reason == "unsupported-version":
                    flags.append("UnknownVersionOnly")

                def headers(lines, new_value=new_value, old_value=old_value):
                    good = [v for n, v in lines if n == s.header][0][len(s.prefix) :]
                    out = [(n, v) for n, v in lines if n != s.header]
                    for name, value in ((s.header, new_value), (_OLD, old_value)):
                        if value is None:
                            continue
                        for one in value if isinstance(value, tuple) else (value,):
                            out.append((name, one.replace("G", good)))
                    return out

                bench.test(
                    "sha1-%s-new-%s-old-%s" % ("on" if legacy else "off", new_name, old_name),
                    "legacySha1 %s; the SHA-256 header: %s; the SHA-1 header: %s."
                    % ("on" if legacy else "off", new_name.replace("-", " "), old_name.replace("-", " ")),
                    flags,
                    headers=headers,
                    reason=reason,
                    options=_LEGACY if legacy else None,
                )


def _sha1_texts(bench):
    s = bench.sender
    good = _sha1(bench)

    def send(name, comment, flags, value, reason=None, **rest):
        bench.test(
            "sha1-text-" + name,
            comment,
            ["Sha1"] + flags,
            headers=lambda lines: [(n, v) for n, v in lines if n != s.header] + [(_OLD, value)],
            options=_LEGACY,
            reason=reason,
            **rest
        )

    send("upper-case", "SHA-1 in capital letters.", ["AnyCaseHex"], "sha1=" + good.upper(), acceptable=True)
    send("capital-word", "SHA1= in capitals.", ["UnknownVersionOnly"], "SHA1=" + good, "unsupported-version")
    send("39-digits", "The last digit missing.", ["TruncatedTag"], "sha1=" + good[:-1], "bad-encoding")
    send("41-digits", "One digit more.", ["TruncatedTag"], "sha1=" + good + "0", "bad-encoding")
    send("19-bytes", "The last octet missing.", ["TruncatedTag"], "sha1=" + good[:-2], "bad-encoding")
    send(
        "sha256-digits",
        "The right SHA-256 signature after sha1=.",
        ["WrongPrimitive"],
        "sha1=" + s.mac(s.secret, s.body).hex(),
        "bad-encoding",
    )
    send(
        "sha256-cut",
        "The start of the right SHA-256 signature after sha1=.",
        ["WrongPrimitive", "TruncatedTag"],
        "sha1=" + s.mac(s.secret, s.body).hex()[:40],
        "signature-mismatch",
    )
    send("base64", "SHA-1 in base64.", ["WrongEncoding"], "sha1=" + model.b64(bytes.fromhex(good)), "bad-encoding")
    send(
        "long",
        "A SHA-1 header of 8193 bytes.",
        ["LongHeader", "MalformedHeader"],
        "sha1=" + "a" * 8188,
        "malformed-header",
    )
    send(
        "blanks",
        "Blanks around the SHA-1 header's value.",
        ["OuterWhiteSpace"],
        " sha1=" + good + "\t",
        acceptable=True,
    )
    send("tampered", "A changed body.", ["TamperedBody"], "sha1=" + _sha1(bench, body=b"{}"), "signature-mismatch")
    send(
        "wrong-secret",
        "A key that is not configured.",
        ["WrongSecret"],
        "sha1=" + _sha1(bench, secret="other"),
        "signature-mismatch",
    )
    send(
        "rotated",
        "The previous secret signed.",
        ["RotatedSecret"],
        "sha1=" + _sha1(bench, secret=s.old),
        secrets=[s.secret, s.old],
        key=1,
    )
    send("empty-body", "An empty body.", ["EmptyBody"], "sha1=" + _sha1(bench, body=b""), body=b"")
    send("not-utf8", "A body that is not UTF-8.", ["NonUtf8Body"], "sha1=" + _sha1(bench, body=b"\xff"), body=b"\xff")
