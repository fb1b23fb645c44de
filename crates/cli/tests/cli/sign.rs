//! `hookproof sign`: requests that verify.

use crate::support::{STRIPE_SECRET, Shell};

const NOW: [&str; 2] = ["--now", "1700000000"];

#[test]
fn every_sender_can_be_signed_for_and_verified() {
    let shell = Shell::new();
    shell.file("body.json", b"{\"id\": \"\xc3\xa4\"}\n");
    let listed = shell.run(&["providers", "--json"]).ends(0).json();
    for sender in listed.as_array().unwrap() {
        let id = sender["id"].as_str().unwrap();
        let common = [
            "--provider",
            id,
            "--secret",
            "dGVzdA==",
            "--url",
            "https://example.com/a",
            NOW[0],
            NOW[1],
        ];
        let signed = shell.run(&[&["sign"], &common[..], &["body.json"]].concat()).ends(0);
        assert!(signed.out.starts_with("POST /a HTTP/1.1\r\nhost: example.com\r\n"), "{signed:?}");
        assert!(signed.out.contains("\r\ncontent-length: 13\r\n"), "{signed:?}");
        let verify = [&["verify"], &common[..], &["-"]].concat();
        shell.run_with(&verify, signed.out.as_bytes(), &[]).ends(0);
        shell.run_with(&verify, signed.out.replace("id", "iD").as_bytes(), &[]).ends(1);
    }
}

#[test]
fn headers_only() {
    let shell = Shell::new();
    shell.file("body.json", "{\n  \"id\": \"evt_test_webhook\",\n  \"object\": \"event\"\n}");
    let args = [
        "sign",
        "--provider",
        "stripe",
        "--secret",
        STRIPE_SECRET,
        NOW[0],
        NOW[1],
        "--headers",
        "body.json",
    ];
    shell.run(&args).ends(0).says(
        "stripe-signature: t=1700000000,v1=4f1cd7feda9826e746b7d482c4badebb657398df1099e1046364f6196a230150\r\n",
    );
}

#[test]
fn both_secrets_sign_during_a_rotation() {
    let shell = Shell::new();
    shell.file("body.json", "{}").file("old.txt", "old\n");
    let args = [
        "sign",
        "--provider",
        "paymos",
        "--secret",
        "new",
        "--secret-file",
        "old.txt",
        NOW[0],
        NOW[1],
        "body.json",
    ];
    let signed = shell.run(&args).ends(0);
    assert_eq!(signed.out.matches(",v1=").count(), 2, "{signed:?}");
    for secret in ["new", "old"] {
        let verify = ["verify", "--provider", "paymos", "--secret", secret, NOW[0], NOW[1], "-"];
        shell.run_with(&verify, signed.out.as_bytes(), &[]).ends(0);
    }
}

#[test]
fn curl_sends_the_bytes_of_the_file() {
    let shell = Shell::new();
    shell.file("it's.json", "{}").file("bytes", b"\xff");
    let sign = |more: &[&str]| {
        let args = [
            "sign",
            "--provider",
            "github",
            "--secret",
            "s",
            "--url",
            "https://example.com/a?b&c",
            "--curl",
        ];
        shell.run_with(&[&args, more].concat(), b"it's\n", &[])
    };
    sign(&["it's.json"])
        .ends(0)
        .says("curl -X POST --globoff 'https://example.com/a?b&c' \\\n")
        .says("  -H 'x-hub-signature-256: sha256=")
        .says(r"  --data-binary '@it'\''s.json'");
    sign(&["-"]).ends(0).says("  --data-raw 'it'\\''s\n'\n");
    sign(&["bytes"]).ends(0).says("--data-binary @bytes");
    let args = [
        "sign",
        "--provider",
        "github",
        "--secret",
        "s",
        "--url",
        "https://example.com/",
        "--curl",
        "-",
    ];
    shell.run_with(&args, b"\xff", &[]).ends(2).complains("not text");
}

#[test]
fn what_cannot_be_signed_is_explained() {
    let shell = Shell::new();
    shell.file("body.json", "{}");
    let sign = |provider: &str, more: &[&str]| {
        shell.run(
            &[&["sign", "--provider", provider, "--secret", "c2VjcmV0", "body.json"], more]
                .concat(),
        )
    };
    sign("hubspot", &[]).ends(2).complains("hubspot: the sender signs the method and the URL");
    sign("github", &["--curl"]).ends(2).complains("--url");
    sign("github", &["--url", "example.com"]).ends(2).complains("has to begin with http");
    sign("github", &["--curl", "--headers", "--url", "https://example.com"])
        .ends(2)
        .complains("cannot be used with");
    sign("standard-webhooks", &["--id", "a\nb"]).ends(2).complains("id of visible ASCII");
    sign("standard-webhooks", &["--id", "msg_1"]).ends(0).says("webhook-id: msg_1\r\n");
    sign("github", &["--secret-env", "NO_SUCH_VARIABLE"]).ends(2).complains("is not set");
}
