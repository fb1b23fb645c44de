//! `hookproof vectors run` with the built-in implementation.

use std::io::Read as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Shell, acme_vectors, github_vectors};

fn changed(change: impl FnOnce(&mut Value)) -> Shell {
    let shell = Shell::new();
    let mut file = github_vectors();
    change(&mut file);
    shell.file("github.json", file.to_string());
    shell
}

#[test]
fn the_embedded_vectors_pass() {
    let ran = Shell::new().run(&["vectors", "run", "--strict-reasons"]).ends(0);
    let last = ran.out.lines().last().unwrap();
    let passed: usize = last.strip_suffix(" passed, 0 failed").unwrap().parse().unwrap();
    assert!(passed >= 400, "{last}");
    let files = hookproof_vectors::FILES.len();
    assert_eq!(
        ran.out.lines().count(),
        files + 1,
        "a line for each sender, then the sum: {}",
        ran.out
    );
}

#[test]
fn files_are_run_by_path() {
    let shell = changed(|_| {});
    let ran = shell.run(&["vectors", "run", "github.json"]).ends(0);
    assert_eq!(ran.out, "github  3 passed, 0 failed\n3 passed, 0 failed\n");
    shell.run(&["vectors", "run", "."]).ends(0).says("\n3 passed, 0 failed\n");
}

#[test]
fn failures_say_id_expected_and_got() {
    let shell = changed(|file| {
        file["testGroups"][0]["secrets"] = json!(["another secret"]);
        file["testGroups"][0]["tests"][0]["expect"] = json!({ "key": 0 });
    });
    let ran = shell.run(&["vectors", "run", "github.json"]).ends(1);
    assert_eq!(
        ran.out,
        "github  1 passed, 2 failed\n  failed github-good: expected accept, got reject (signature-mismatch)\n  \
         failed github-capitals: expected accept, got reject (signature-mismatch)\n1 passed, 2 failed\n",
    );
    let object = shell.run(&["vectors", "run", "github.json", "--json"]).ends(1).json();
    assert_eq!(
        (&object["passed"], &object["failed"], &object["skipped"]),
        (&json!(1), &json!(2), &json!(0))
    );
    assert_eq!(
        object["providers"],
        json!([{ "provider": "github", "passed": 1, "failed": 2, "skipped": 0 }])
    );
    assert_eq!(
        object["failures"][0],
        json!({
            "id": "github-good", "provider": "github", "flags": ["Basic"],
            "expected": "accept", "got": "reject (signature-mismatch)", "differsIn": "verdict",
        }),
    );
}

#[test]
fn the_key_that_matched_is_compared() {
    let shell = changed(|file| {
        file["testGroups"][0]["secrets"].as_array_mut().unwrap().push(json!("another secret"));
        file["testGroups"][0]["tests"][0]["expect"] = json!({ "key": 1 });
    });
    shell
        .run(&["vectors", "run", "."])
        .ends(1)
        .says("expected accept with secret 1, got accept with secret 0");
}

#[test]
fn another_reason_fails_only_when_reasons_are_strict() {
    let shell = changed(|file| file["testGroups"][0]["tests"][1]["reason"] = json!("bad-encoding"));
    shell
        .run(&["vectors", "run", "."])
        .ends(0)
        .says("  1 other reason, expected reject (bad-encoding), got reject (signature-mismatch): github-forged\n")
        .says("1 of the passed ones have another reason or none")
        .says("\n3 passed, 0 failed\n");
    shell.run(&["vectors", "run", ".", "--strict-reasons"]).ends(1).says("\n2 passed, 1 failed\n");
    let object = shell.run(&["vectors", "run", ".", "--json"]).ends(0).json();
    assert_eq!(object["differentReasons"][0]["id"], "github-forged");
}

#[test]
fn the_events_of_the_library_are_compared() {
    let with = |expected: Value| {
        let shell = changed(|file| {
            let test = file["testGroups"][0]["tests"][0].as_object_mut().unwrap();
            test.extend(expected.as_object().unwrap().clone());
            let headers = test["headers"].as_array_mut().unwrap();
            headers.push(json!(["X-GitHub-Delivery", "1"]));
            headers.push(json!(["X-GitHub-Event", "ping"]));
        });
        shell.run(&["vectors", "run", "github.json"])
    };
    with(json!({ "events": [{ "key": "github//1", "kind": "ping" }] })).ends(0);
    with(json!({ "events": [{ "key": "github//1" }] })).ends(1).says(
        "failed github-good: expected event 0 with no kind, got event 0 with kind \"ping\"\n",
    );
    with(json!({ "events": [{ "key": "github//1", "kind": "ping", "attempt": 0 }] }))
        .ends(1)
        .says("expected event 0 with attempt 0, got event 0 with no attempt");
    with(json!({ "eventsError": "missing-field" }))
        .ends(1)
        .says("expected accept with events error missing-field, got accept with 1 event");
    let object = Shell::new().run(&["vectors", "run", "--json"]).ends(0).json();
    assert!(object["events"]["compared"].as_u64().unwrap() >= 200, "{}", object["events"]);
    assert_eq!(object["events"]["notTold"], 0);
}

#[test]
fn reports_are_written_for_the_library_too() {
    let shell = changed(|_| {});
    let args = ["vectors", "run", "github.json", "--junit", "a.xml", "--markdown", "a.md"];
    let ran = shell.run(&args).ends(0);
    assert_eq!(ran.out, "github  3 passed, 0 failed\n3 passed, 0 failed\n");
    let read = |name: &str| std::fs::read_to_string(shell.path(name)).unwrap();
    assert!(read("a.xml").contains(" tests=\"3\" skipped=\"0\" failures=\"0\" errors=\"0\">"));
    assert!(read("a.md").starts_with("# hookproof "), "{}", read("a.md"));
}

#[test]
fn a_policy_decides_acceptable_vectors() {
    let shell = changed(|_| {});
    let policy = |accepted: Value| {
        json!({ "schema": "../schema/policy-v1.json", "accepted": accepted }).to_string()
    };
    shell
        .file("p/none.json", policy(json!([])))
        .file("p/case.json", policy(json!(["AnyCaseHex"])))
        .file("p/bad.json", "{}");
    let run = |policy: &str| shell.run(&["vectors", "run", "github.json", "--policy", policy]);
    run("p/case.json").ends(0);
    run("p/none.json").ends(1).says("failed github-capitals: expected reject, got accept");
    run("p/bad.json").ends(2).complains("p/bad.json:1: missing field `schema`");
    run("p/missing.json").ends(2).complains("cannot read p/missing.json");
}

#[test]
fn an_unknown_provider_is_a_failure() {
    let shell = Shell::new();
    shell.file("unheard-of.json", acme_vectors(2).to_string());
    shell
        .run(&["vectors", "run", "unheard-of.json"])
        .ends(1)
        .says("failed unheard-of-good-0: expected accept, got error: unknown provider `unheard-of`")
        .says(
            "failed unheard-of-bad-1: expected reject (signature-mismatch), got error: unknown provider",
        )
        .says("\n0 passed, 4 failed\n");
}

#[test]
fn an_unknown_option_is_a_failure() {
    let shell = changed(|file| file["testGroups"][0]["options"] = json!({ "newOption": ["a"] }));
    shell
        .run(&["vectors", "run", "."])
        .ends(1)
        .says("got error: github: ")
        .says("\n0 passed, 3 failed\n");
}

#[test]
fn a_broken_file_is_named_and_not_run() {
    let shell = changed(|file| file["testGroups"][0]["tests"][1]["nowMs"] = json!("now"));
    let ran = shell.run(&["vectors", "run", "github.json"]).ends(2);
    let ran = ran.complains("error: github.json:1: github-forged: nowMs: invalid type");
    assert_eq!(ran.out, "");
    let object = shell.run(&["vectors", "run", "github.json", "--json"]).ends(2).json();
    assert_eq!(object["error"]["kind"], "bad-vectors");
    let shell = changed(|file| file["numberOfTests"] = json!(2));
    shell
        .run(&["vectors", "run", "github.json"])
        .ends(2)
        .complains("numberOfTests: says 2, but the file has 3");
    shell.run(&["vectors", "run", "missing.json"]).ends(2).complains("missing.json: No such file");
}

#[test]
fn vectors_are_selected_by_provider_and_pattern() {
    let shell = changed(|_| {});
    shell
        .run(&["vectors", "run", ".", "--filter", "*-{good,forged}"])
        .ends(0)
        .says("\n2 passed, 0 failed\n");
    shell
        .run(&["vectors", "run", ".", "--filter", "good"])
        .ends(2)
        .complains("no vector has an id that matches `good`");
    shell.run(&["vectors", "run", ".", "--filter", "{a"]).ends(2).complains("--filter");
    shell.run(&["vectors", "run", ".", "--provider", "github"]).ends(0);
    shell
        .run(&["vectors", "run", ".", "--provider", "stripe"])
        .ends(2)
        .complains("no file has the provider `stripe`");
    shell.run(&["vectors", "run", ".", "--time-limit", "3"]).ends(2).complains("--exec");
}

#[test]
fn a_reader_that_goes_away_changes_no_verdict() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hookproof"))
        .args(["vectors", "list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}
