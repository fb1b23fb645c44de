//! `hookproof verify`: verdicts.

use serde_json::json;

use crate::support::{GITHUB, GITHUB_SECRET, STRIPE, STRIPE_SECRET, Shell};

fn github(shell: &Shell, more: &[&str]) -> crate::support::Ran {
    let args = ["verify", "--provider", "github", "--secret", GITHUB_SECRET];
    shell.run(&[&args, more].concat())
}

fn stripe(shell: &Shell, more: &[&str]) -> crate::support::Ran {
    shell.file("stripe.http", STRIPE);
    let args = ["verify", "--provider", "stripe", "--secret", STRIPE_SECRET, "stripe.http"];
    shell.run(&[&args, more].concat())
}

#[test]
fn a_genuine_delivery_is_accepted() {
    let shell = Shell::new();
    shell.file("github.http", GITHUB);
    let ran = github(&shell, &["github.http"]).ends(0);
    assert_eq!(
        ran.out,
        "accepted  github\n  secret   1 of 1\n  signed   no time: an old delivery cannot be told from a new one\n  \
         covered  body; method, URL and other headers are not signed\n",
    );
    assert_eq!(ran.err, "");
}

#[test]
fn a_changed_byte_is_rejected_with_the_reason() {
    let shell = Shell::new();
    let changed = String::from_utf8(GITHUB.to_vec()).unwrap().replace("World", "world");
    shell.file("github.http", changed);
    let ran =
        github(&shell, &["github.http"]).ends(1).says("rejected  signature-mismatch\n  github: ");
    assert_eq!(ran.err, "");
}

#[test]
fn json_is_one_object() {
    let shell = Shell::new();
    let ran = stripe(&shell, &["--now", "1700000001", "--json"]).ends(0);
    assert_eq!(
        ran.json(),
        json!({
            "verdict": "accepted", "kind": null, "message": null, "key": 0,
            "signedAt": "2023-11-14T22:13:20Z", "coverage": "body",
        }),
    );
    let ran = stripe(&shell, &["--now", "1700000301", "--json"]).ends(1);
    let object = ran.json();
    assert_eq!(object["verdict"], "rejected");
    assert_eq!(object["kind"], "timestamp-too-old");
    assert_eq!((&object["key"], &object["coverage"]), (&json!(null), &json!(null)));
    assert_eq!(object["signedAt"], "2023-11-14T22:13:20Z");
    assert!(object["message"].as_str().unwrap().ends_with("with --now 1700000000 it is accepted"));
    let ran = stripe(&shell, &["--option", "x=y", "--json"]).ends(2).complains("error: stripe: ");
    assert_eq!(
        (&ran.json()["verdict"], &ran.json()["kind"]),
        (&json!("error"), &json!("bad-option"))
    );
}

#[test]
fn a_stale_capture_says_which_now_would_accept_it() {
    let shell = Shell::new();
    stripe(&shell, &[])
        .ends(1)
        .says("rejected  timestamp-too-old")
        .says("with --now 1700000000 it is accepted")
        .says("signed   2023-11-14T22:13:20Z, ");
    stripe(&shell, &["--now", "1699999699.999"])
        .ends(1)
        .says("timestamp-in-future")
        .says("after now");
    for now in [
        "1700000000",
        "1700000300.999",
        "1699999700",
        "2023-11-14T22:18:20Z",
        "2023-11-14T23:08:20.5+01:00",
    ] {
        stripe(&shell, &["--now", now]).ends(0);
    }
    stripe(&shell, &["--now", "1700000010", "--tolerance", "9"]).ends(1).says("timestamp-too-old");
    stripe(&shell, &["--now", "1700000010", "--tolerance", "10"]).ends(0);
    stripe(&shell, &["--now", "1700000000.999", "--tolerance", "0"]).ends(0);
}

#[test]
fn times_that_are_none_are_explained() {
    let shell = Shell::new();
    stripe(&shell, &["--now", "1700000000000"]).ends(2).complains("not in milliseconds");
    stripe(&shell, &["--now", "yesterday"]).ends(2).complains("RFC 3339");
    stripe(&shell, &["--now", "-5"]).ends(2).complains("RFC 3339");
    stripe(&shell, &["--tolerance", "-5"]).ends(2);
}

#[test]
fn the_secret_that_matched_is_named() {
    let shell = Shell::new();
    shell.file("github.http", GITHUB);
    let args = [
        "verify",
        "--provider",
        "github",
        "--secret",
        "new",
        "--secret",
        GITHUB_SECRET,
        "github.http",
    ];
    shell.run(&args).ends(0).says("secret   2 of 2 (a previous one)");
    let ran = shell.run(&[&args[..], &["--json"]].concat()).ends(0);
    assert_eq!(ran.json()["key"], 1);
}

#[test]
fn senders_that_sign_the_url_need_it() {
    let shell = Shell::new();
    shell.file("body.json", "[]");
    let url = "https://example.com/hooks?a=%3A";
    let args = [
        "sign",
        "--provider",
        "hubspot",
        "--secret",
        "s",
        "--url",
        url,
        "--now",
        "1700000000",
        "body.json",
    ];
    let signed = shell.run(&args).ends(0).out;
    shell.file("hubspot.http", signed);
    let verify =
        ["verify", "--provider", "hubspot", "--secret", "s", "--now", "1700000000", "hubspot.http"];
    let ran = shell
        .run(&verify)
        .ends(2)
        .complains("here with --url; the request says https://example.com/hooks?a=%3A");
    assert_eq!(ran.out, "");
    let ran = shell.run(&[&verify[..], &["--json"]].concat()).ends(2);
    assert_eq!(
        (&ran.json()["verdict"], &ran.json()["kind"]),
        (&json!("error"), &json!("missing-target"))
    );
    shell
        .run(&[&verify[..], &["--url", url]].concat())
        .ends(0)
        .says("covered  body, method and URL");
    shell
        .run(&[&verify[..], &["--url", url, "--method", "PUT"]].concat())
        .ends(1)
        .says("signature-mismatch");
    shell
        .run(&[&verify[..], &["--url", "https://example.com/"]].concat())
        .ends(1)
        .says("signature-mismatch");
}

#[test]
fn options_reach_the_sender() {
    let shell = Shell::new();
    shell.file("body.json", "{}");
    let sign = [
        "sign",
        "--provider",
        "github",
        "--secret",
        "s",
        "--option",
        "legacySha1=true",
        "body.json",
    ];
    let signed = shell.run(&sign).ends(0).out;
    let only_sha1: String = signed
        .split_inclusive("\r\n")
        .filter(|line| !line.starts_with("x-hub-signature-256"))
        .collect();
    assert!(only_sha1.contains("x-hub-signature: sha1="), "{only_sha1}");
    shell.file("sha1.http", only_sha1);
    let verify = ["verify", "--provider", "github", "--secret", "s", "sha1.http"];
    shell.run(&verify).ends(1).says("missing-header");
    shell
        .run(&[&verify[..], &["--option", "legacySha1=false"]].concat())
        .ends(1)
        .says("missing-header");
    shell.run(&[&verify[..], &["--option", "legacySha1=true"]].concat()).ends(0);
    shell
        .run(&[&verify[..], &["--option", "legacySha1=yes"]].concat())
        .ends(2)
        .complains("true or false");
    shell.run(&[&verify[..], &["--option", "legacySha1"]].concat()).ends(2).complains("KEY=VALUE");
    shell
        .run(&[&verify[..], &["--option", "headers=x"]].concat())
        .ends(2)
        .complains("github: there is no option `headers`; it has legacySha1");
}

#[test]
fn wrong_usage_is_explained() {
    let shell = Shell::new();
    shell.file("github.http", GITHUB);
    shell
        .run(&["verify", "--provider", "no-such-sender", "--secret", "s", "github.http"])
        .ends(2)
        .complains("unknown provider `no-such-sender`; the providers are ")
        .complains(" github, ");
    shell.run(&["verify", "--secret", "s", "github.http"]).ends(2).complains("--provider");
    shell.run(&["verify", "--provider", "github", "github.http"]).ends(2).complains("--secret");
    github(&shell, &["missing.http"]).ends(2).complains("cannot read missing.http");
    github(&shell, &["."]).ends(2).complains("cannot read .: ");
    github(&shell, &[]).ends(2).complains("FILE");
    github(&shell, &["--method", "P ST", "github.http"]).ends(2).complains("--method");
    shell.run(&[]).ends(2).complains("Usage");
    shell.run(&["--help"]).ends(0).says("Examples:");
    for command in ["verify", "sign", "providers", "vectors"] {
        shell.run(&[command, "--help"]).ends(0).says("Examples:");
    }
    for command in ["run", "check", "list", "copy"] {
        shell.run(&["vectors", command, "--help"]).ends(0).says("Examples:");
    }
}
