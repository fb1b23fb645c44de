//! `hookproof vectors check`, `list` and `copy`.

use serde_json::json;

use crate::support::{Shell, github_vectors};

#[test]
fn the_embedded_files_have_no_fault() {
    Shell::new().run(&["vectors", "check"]).ends(0).says(" vectors, 0 faults\n");
}

#[test]
fn check_names_file_vector_and_field() {
    let shell = Shell::new();
    let mut file = github_vectors();
    shell.file("good/github.json", file.to_string());
    shell.run(&["vectors", "check", "good"]).ends(0).says("1 file, 3 vectors, 0 faults");
    shell.run(&["vectors", "check", "good/github.json"]).ends(0);

    file["testGroups"][0]["tests"][0]["tcId"] = json!("Github-Good");
    file["testGroups"][0]["options"] = json!({ "legacySHA1": true });
    shell.file("github.json", file.to_string());
    shell
        .run(&["vectors", "check", "github.json"])
        .ends(1)
        .says("fault github.json: Github-Good: tcId: schema: ")
        .says("fault github.json: /testGroups/0/options: schema: ")
        .says("2 faults");

    file["numberOfTests"] = json!(4);
    file["testGroups"][0]["tests"][1]["tcId"] = json!("Github-Good");
    shell.file("other.json", file.to_string());
    shell
        .run(&["vectors", "check", "other.json"])
        .ends(1)
        .says("other.json: numberOfTests: says 4, but the file has 3")
        .says("other.json: Github-Good: the id is already used in other.json")
        .says("other.json: provider: a file with this provider is called github.json");

    file["testGroups"][0]["tests"][1]["result"] = json!("perhaps");
    shell.file("worse.json", serde_json::to_string_pretty(&file).unwrap());
    shell
        .run(&["vectors", "check", "worse.json"])
        .ends(1)
        .says(": Github-Good: result: unknown variant `perhaps`");
    shell.file("bad.json", "{\n\n").file("latin1.json", b"\xe9");
    shell.run(&["vectors", "check", "bad.json"]).ends(1).says("bad.json:3: EOF while parsing");
    shell.run(&["vectors", "check", "latin1.json"]).ends(1).says("latin1.json: incomplete utf-8");
    shell.run(&["vectors", "check", "missing.json"]).ends(2).complains("cannot read missing.json");
    std::fs::create_dir(shell.path("empty")).unwrap();
    shell.run(&["vectors", "check", "empty"]).ends(2).complains("empty: the folder has no *.json");
}

#[test]
fn check_reads_policies_too() {
    let shell = Shell::new();
    let policy = |accepted: serde_json::Value| json!({ "schema": "../schema/policy-v1.json", "accepted": accepted });
    shell
        .file("good.json", policy(json!(["AnyCaseHex"])).to_string())
        .file("bad.json", policy(json!(["any case"])).to_string());
    shell.run(&["vectors", "check", "good.json"]).ends(0).says("1 file, 0 vectors, 0 faults");
    shell
        .run(&["vectors", "check", "bad.json"])
        .ends(1)
        .says("fault bad.json: /accepted/0: schema: ");
}

#[test]
fn list_prints_a_line_a_vector() {
    let shell = Shell::new();
    shell.file("github.json", github_vectors().to_string());
    let ran = shell.run(&["vectors", "list", "github.json"]).ends(0);
    let words: Vec<Vec<&str>> =
        ran.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        words,
        [
            ["github-good", "valid", "Basic"],
            ["github-forged", "signature-mismatch", "TamperedBody"],
            ["github-capitals", "acceptable", "AnyCaseHex"],
        ],
    );
    let ran =
        shell.run(&["vectors", "list", "github.json", "--filter", "*-forged", "--json"]).ends(0);
    assert_eq!(
        ran.json(),
        json!([{
            "id": "github-forged", "provider": "github", "comment": "A vector.", "flags": ["TamperedBody"],
            "result": "invalid", "reason": "signature-mismatch", "source": "constructed",
        }]),
    );
    let ran = shell.run(&["vectors", "list", "--provider", "stripe"]).ends(0);
    assert!(
        ran.out.lines().count() >= 40 && ran.out.lines().all(|line| line.starts_with("stripe-"))
    );
}

#[test]
fn copies_are_whole_and_nothing_is_overwritten() {
    let shell = Shell::new();
    shell.run(&["vectors", "copy", "a/b"]).ends(0).says(" files copied to a/b");
    shell.run(&["vectors", "check", "a/b"]).ends(0);
    for file in ["schema/v1.json", "policies/hookproof.json", "README.md", "LICENSE", "NOTICE"] {
        assert!(shell.path("a/b").join(file).is_file(), "{file}");
    }
    shell.run(&["vectors", "copy", "a/b"]).ends(0);
    shell.file("a/b/stripe.json", "{}");
    shell
        .run(&["vectors", "copy", "a/b"])
        .ends(2)
        .complains("stripe.json is there with other content");
    shell.file("file", "").run(&["vectors", "copy", "file"]).ends(2).complains("cannot");
}
