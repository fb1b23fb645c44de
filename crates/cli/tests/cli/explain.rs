//! `hookproof explain`: what was signed, the causes that are named, and what is never printed.
//!
//! That no output holds the signature that would be right is asserted for every run; see `Shell::run_with`.

use serde_json::{Value, json};

use crate::support::{GITHUB, GITHUB_SECRET, REVEAL, Ran, STRIPE, STRIPE_SECRET, Shell, revealed};

const SIGNATURE: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

fn github(request: impl AsRef<[u8]>, more: &[&str]) -> Ran {
    let shell = Shell::new();
    shell.file("a.http", request);
    let args = ["explain", "--provider", "github", "--secret", GITHUB_SECRET, "a.http"];
    shell.run(&[&args, more].concat())
}

fn stripe(request: impl AsRef<[u8]>, more: &[&str]) -> Ran {
    let shell = Shell::new();
    shell.file("a.http", request);
    let args = ["explain", "--provider", "stripe", "--secret", STRIPE_SECRET, "a.http"];
    shell.run(&[&args, more].concat())
}

fn causes(ran: &Ran) -> Vec<String> {
    let causes = ran.json()["causes"].as_array().unwrap().clone();
    causes.iter().map(|cause| cause.as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_accepted_request_shows_what_was_signed() {
    let ran = github(GITHUB, &[]).ends(0);
    assert_eq!(
        ran.out,
        "sender  GitHub\n  header   x-hub-signature-256\n  signed   13 bytes, {body}:\n           \
         \"Hello, World!\"\naccepted  by secret 1 of 1\n",
    );
    assert_eq!(ran.err, "");
    let ran = stripe(STRIPE, &["--now", "1700000100"]).ends(0);
    assert!(
        ran.out.contains("  signed   62 bytes, {t}.{body}:\n           \"1700000000.{\\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("accepted  by secret 1 of 1\n  age      100 s\n"), "{}", ran.out);
}

#[test]
fn a_mismatch_names_its_cause() {
    let request = String::from_utf8(GITHUB.to_vec()).unwrap();
    let ran = github(format!("{request}\n"), &[]).ends(1);
    assert!(
        ran.out.ends_with(
            "\n  cause    a newline was added to the end of the body: verify the raw bytes of the request\n"
        ),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\nrejected  signature-mismatch\n"), "{}", ran.out);
    assert_eq!(ran.out.matches("  cause    ").count(), 1, "{}", ran.out);
}

#[test]
fn a_forgery_has_none_of_the_usual_causes() {
    let forged = String::from_utf8(GITHUB.to_vec()).unwrap().replace("World", "world");
    github(&forged, &[])
        .ends(1)
        .says("  cause    none of the usual mistakes makes it match: the secret is another one, or it is a forgery\n");
    assert_eq!(causes(&github(&forged, &["--json"]).ends(1)), Vec::<String>::new());
}

#[test]
fn json_is_one_object() {
    let ran = stripe(STRIPE, &["--now", "1700000100", "--json"]).ends(0);
    let object = ran.json();
    let signed = &object["signedBytes"];
    assert_eq!(signed[0]["length"], 62);
    assert!(signed[0]["base64"].as_str().unwrap().starts_with("MTcwMDAwMDAwMC57"), "{signed}");
    assert_eq!(
        object,
        json!({
            "verdict": "accepted", "kind": null, "message": null, "key": 0, "signedAt": "2023-11-14T22:13:20Z",
            "signedBytes": signed, "causes": [], "notes": [],
        }),
    );
    let cut = String::from_utf8(STRIPE.to_vec()).unwrap();
    let ran = stripe(cut.replace("\n  ", ""), &["--now", "1700000100", "--json"]).ends(1);
    let object = ran.json();
    assert_eq!(
        (&object["verdict"], &object["kind"]),
        (&json!("rejected"), &json!("signature-mismatch"))
    );
    assert!(object["message"].as_str().unwrap().starts_with("stripe: "), "{object}");
    assert_eq!((&object["key"], &object["signedAt"]), (&Value::Null, &Value::Null));
    let causes = causes(&ran);
    assert!(causes[0].starts_with("the body was parsed and written again"), "{causes:?}");
}

#[test]
fn no_verdict_is_exit_code_2() {
    let shell = Shell::new();
    shell.file("a.http", GITHUB).file("short.http", "POST / HTTP/1.1\nContent-Length: 9\n\nabc");
    let with = |provider: &str, secret: &str, more: &[&str]| {
        let args = ["explain", "--provider", provider, "--secret", secret];
        let plain = shell.run(&[&args[..], more].concat()).ends(2);
        let object = shell.run(&[&args[..], more, &["--json"]].concat()).ends(2).json();
        assert_eq!(object["verdict"], "error");
        (plain, object["kind"].as_str().unwrap().to_owned())
    };
    let (ran, kind) = with("github", "", &["a.http"]);
    assert_eq!((kind.as_str(), ran.out.as_str()), ("bad-secret", ""));
    let (ran, kind) = with("gitlab", "s", &["a.http"]);
    assert_eq!(kind, "unknown-provider");
    ran.complains("error: unknown provider `gitlab`");
    let (_, kind) = with("github", "s", &["--option", "x=y", "a.http"]);
    assert_eq!(kind, "bad-option");
    let (ran, kind) = with("github", "s", &["missing.http"]);
    assert_eq!(kind, "usage");
    ran.complains("cannot read missing.http");
    // What verify says of a capture that is not whole.
    let (ran, kind) = with("github", "s", &["short.http"]);
    assert_eq!(kind, "bad-capture");
    let ran = ran.complains(
        "error: short.http: Content-Length says 9 bytes, but the file has 3 after the head: 6 bytes are missing;",
    );
    let verify = shell.run(&["verify", "--provider", "github", "--secret", "s", "short.http"]);
    assert_eq!((verify.ends(2).err, ran.out.as_str()), (ran.err.clone(), ""));
    shell.run(&["explain", "--provider", "github", "a.http"]).ends(2).complains("--secret");
    shell.run(&["explain", "--help"]).ends(0).says("Examples:").says(REVEAL);
}

#[test]
fn a_missing_url_is_no_verdict_and_is_hinted_at() {
    let shell = Shell::new();
    let request = "POST /hooks?a=b HTTP/1.1\nHost: example.com\nX-HubSpot-Signature-v3: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\
                   X-HubSpot-Request-Timestamp: 1700000000000\n\n[]";
    shell.file("a.http", request);
    let args = ["explain", "--provider", "hubspot", "--secret", "s", "a.http"];
    let ran = shell
        .run(&args)
        .ends(2)
        .says("\nno verdict  missing-target\n")
        .says("with --url; the request itself says https://example.com/hooks?a=b\n")
        .complains("error: hubspot: ");
    assert!(!ran.out.contains("rejected"), "{}", ran.out);
    let object = shell.run(&[&args[..], &["--json"]].concat()).ends(2).json();
    assert_eq!((&object["verdict"], &object["kind"]), (&json!("error"), &json!("missing-target")));
    assert_eq!(object["causes"].as_array().unwrap().len(), 1);
}

#[test]
fn another_configured_secret_is_said() {
    let shell = Shell::new();
    shell.file("a.http", GITHUB);
    let args =
        ["explain", "--provider", "github", "--secret", "new", "--secret", GITHUB_SECRET, "a.http"];
    let note = "another configured secret than the current one matches, number 2: the rotation is not finished at the \
                sender, or this secret is another endpoint's";
    shell.run(&args).ends(0).says(&format!("\naccepted  by secret 2 of 2\n  note     {note}\n"));
    let object = shell.run(&[&args[..], &["--json"]].concat()).ends(0).json();
    assert_eq!((&object["key"], &object["notes"]), (&json!(1), &json!([note])));
}

#[test]
fn a_body_longer_than_its_content_length_is_tried_whole() {
    let head = format!("POST / HTTP/1.1\nX-Hub-Signature-256: {SIGNATURE}\nContent-Length: 7\n\n");
    let ran = github(format!("{head}Hello, World!"), &[]).ends(1);
    assert_eq!(
        ran.err,
        "warning: a.http: Content-Length says 7 bytes; 6 more in the file are left out\n"
    );
    let ran = ran.says("  signed   7 bytes").says(
        "  cause    the body goes on after its Content-Length, and the sender signed all of it",
    );
    assert_eq!(ran.out.matches("  cause    ").count(), 1, "{}", ran.out);
    // The editor has added a newline as well.
    github(format!("{head}Hello, World!\n"), &[])
        .ends(1)
        .says("  cause    two things at once: the body goes on");
    // What is left over and was not signed is no cause.
    let head = head.replace(": 7", ": 13");
    github(format!("{head}Hello, World!\n"), &[]).ends(0);
    github(format!("{head}Hello, world!\n"), &[]).ends(1).says("none of the usual mistakes");
}

#[test]
fn the_clock_is_explained() {
    stripe(STRIPE, &["--now", "1700001000"])
        .ends(1)
        .says("rejected  timestamp-too-old")
        .says("  cause    the delivery is genuine and was signed 16 min 40 s before the time it is verified at; with --now 1700000000 it is accepted\n");
    let ran = stripe(STRIPE, &["--now", "1699999000", "--json"]).ends(1);
    assert_eq!(ran.json()["signedAt"], "2023-11-14T22:13:20Z");
    assert!(causes(&ran)[0].contains("ahead of the time"), "{ran:?}");
    github(GITHUB, &["--tolerance", "5"])
        .ends(0)
        .complains("warning: github signs no time, so --tolerance has no effect");
    let shell = Shell::new();
    shell.run(&["verify", "--help"]).ends(0).says("of no effect, with a warning, for");
}

#[test]
fn what_is_no_text_or_too_long_is_shown_in_part() {
    let head = format!("POST / HTTP/1.1\nX-Hub-Signature-256: {SIGNATURE}\n\n");
    github([head.as_bytes(), b"a\xff\x00"].concat(), &[])
        .ends(1)
        .says("  signed   3 bytes, {body}:\n           61 ff 00\n");
    let ran = github(format!("{head}{}\u{1b}[31m\u{7}", "x".repeat(1000)), &[]).ends(1);
    assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
    let ran = ran.says("  signed   1006 bytes").says("           … 766 bytes …\n");
    assert!(ran.out.len() < 1000, "{}", ran.out);
}

#[test]
fn the_signature_is_printed_on_demand_only() {
    let forged = String::from_utf8(GITHUB.to_vec()).unwrap().replace("World", "world");
    let ran = github(&forged, &[REVEAL]).ends(1);
    let signatures = revealed(&ran.out);
    assert!(!signatures.is_empty(), "{}", ran.out);
    let line = ran.out.lines().last().unwrap().trim().to_owned();
    let (name, signature) = line.split_once(": ").unwrap();
    assert_eq!(name, "x-hub-signature-256");
    // It is what it says: with it the request is genuine.
    let request = forged.replace(SIGNATURE, signature);
    assert_ne!(request, forged);
    github(&request, &[]).ends(0);
    github(&forged, &[REVEAL, "--json"]).ends(2).complains("cannot be used with");
    // An accepted request keeps its own signature to itself too.
    assert!(github(GITHUB, &[REVEAL]).ends(0).out.contains(SIGNATURE));
    assert!(!github(GITHUB, &[]).ends(0).out.contains("757107ea"));
}

/// Every sender, text and JSON, a mismatch and a match: no secret is printed, and nothing of the right signature.
#[test]
fn neither_secrets_nor_signatures_are_printed_for_any_sender() {
    const SECRET: &str = "whsec_bm90LXRvLWJlLXNlZW4tYW55d2hlcmU=";
    let shell = Shell::new();
    shell.file("body.json", "{\"id\":\"evt_1\"}\n");
    let senders = shell.run(&["providers", "--json"]).ends(0).json();
    for sender in senders.as_array().unwrap() {
        let id = sender["id"].as_str().unwrap();
        let all: &[&[&str]] = match id {
            "hubspot" => &[&[], &["--option", "versions=v1"], &["--option", "versions=v2"]],
            "github" => &[&[], &["--option", "legacySha1=true"]],
            _ => &[&[]],
        };
        for options in all {
            let common = ["--provider", id, "--secret", SECRET, "--url", "https://example.com/a"];
            let common = [&common[..], &["--now", "1700000000"], options].concat();
            let signed = shell.run(&[&["sign"], &common[..], &["body.json"]].concat()).ends(0).out;
            // Its length would tell that the newline is missing.
            let is_length = |line: &&str| line.to_ascii_lowercase().starts_with("content-length:");
            let signed: String =
                signed.split_inclusive('\n').filter(|line| !is_length(line)).collect();
            shell.file("good.http", &signed).file("cut.http", signed.trim_end());
            shell.file("bad.http", signed.replace("evt_1", "evt_2"));
            for (file, code) in [("good.http", 0), ("cut.http", 1), ("bad.http", 1)] {
                for json in [&[][..], &["--json"]] {
                    let args = [&["explain"], &common[..], json, &[file]].concat();
                    let ran = shell.run(&args).ends(code);
                    let named = ran.out.contains("the body has lost its final newline");
                    assert_eq!(named, file == "cut.http", "{id} {file}: {}", ran.out);
                    assert!(
                        !format!("{}{}", ran.out, ran.err).contains("bm90LXRv"),
                        "{id}: {ran:?}"
                    );
                }
            }
            let asked = [&["explain", REVEAL], &common[..], &["bad.http"]].concat();
            assert!(!revealed(&shell.run(&asked).ends(1).out).is_empty(), "{id}");
        }
    }
}
