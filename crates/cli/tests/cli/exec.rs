//! `hookproof vectors run --exec`: other implementations, good ones and broken ones.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Ran, Shell, acme_vectors, github_vectors};

const HELLO: &str = r#"{"implementation":"fake","version":"1","providers":["acme","github"],"clock":"given","secrets":"many","options":["versions"],"maxBody":2000000}"#;

/// A command in the language of the shell: says hello, then does `answer` for each case, whose id is `$id`.
fn adapter(hello: &str, answer: &str) -> String {
    format!(
        "read -r hello\necho '{hello}'\n\
         say() {{ echo \"{{\\\"id\\\":\\\"$1\\\",\\\"verdict\\\":\\\"$2\\\"}}\"; }}\n\
         right() {{ case $1 in *-good-*) say \"$1\" accept;; *) say \"$1\" reject;; esac; }}\n\
         while read -r line; do\nid=${{line#*'\"id\":\"'}}\nid=${{id%%'\"'*}}\n{answer}\ndone\n"
    )
}

fn run(shell: &Shell, more: &[&str]) -> Ran {
    shell.run(&[&["vectors", "run", "acme.json", "--exec", "sh adapter.sh"], more].concat())
}

/// Ten vectors, each answered by `answer`.
fn acme(answer: &str) -> Ran {
    run(&shell(answer), &[])
}

/// A limit that is long for a shell and short for a test.
const SHORT: [&str; 2] = ["--time-limit", "2"];

fn shell(answer: &str) -> Shell {
    let shell = Shell::new();
    shell.file("acme.json", acme_vectors(5).to_string()).file("adapter.sh", adapter(HELLO, answer));
    shell
}

#[test]
fn a_right_implementation_passes() {
    let ran = acme("right $id").ends(0);
    assert!(ran.out.starts_with("fake 1\nacme  10 passed, 0 failed\n"), "{}", ran.out);
    assert!(ran.out.contains("5 of the passed ones have another reason or none"), "{}", ran.out);
    assert!(ran.out.ends_with("\n10 passed, 0 failed\n"), "{}", ran.out);
    run(&shell("right $id"), &["--strict-reasons"])
        .ends(1)
        .says(
            "failed acme-bad-0: expected reject (signature-mismatch), got reject without a reason",
        )
        .says("\n5 passed, 5 failed\n");
}

#[test]
fn words_of_ones_own_are_other_reasons() {
    let shell = shell(
        r#"case $id in *-bad-*) echo '{"id":"'$id'","verdict":"reject","reason":"forged","more":1}';; *) right $id;; esac"#,
    );
    run(&shell, &[])
        .ends(0)
        .says("  5 other reason, expected reject (signature-mismatch), got reject (forged): acme-bad-0, acme-bad-1, ");
    run(&shell, &["--strict-reasons"]).ends(1).says("\n5 passed, 5 failed\n");
}

#[test]
fn words_from_elsewhere_cannot_steer_the_terminal() {
    let shell = shell(
        r#"case $id in *-bad-*) echo '{"id":"'$id'","verdict":"reject","reason":"\u001b[31m\u0007"}';; *) right $id;; esac"#,
    );
    let ran = run(&shell, &[]).ends(0).says(r"got reject (\u{1b}[31m\u{7})");
    assert!(!ran.out.contains('\u{1b}'), "{ran:?}");
}

#[test]
fn wrong_verdicts_fail() {
    acme("say $id accept")
        .ends(1)
        .says("failed acme-bad-4: expected reject (signature-mismatch), got accept");
    acme("say $id reject")
        .ends(1)
        .says("failed acme-good-0: expected accept, got reject without a reason");
}

#[test]
fn answers_may_come_in_any_order() {
    acme("ids=\"$id $ids\"; case $id in acme-bad-4) for i in $ids; do right $i; done;; esac")
        .ends(0);
}

#[test]
fn a_crash_is_an_error_of_its_case_only() {
    acme("case $id in acme-bad-2) exit 3;; esac; right $id")
        .ends(1)
        .says("failed acme-bad-2: expected reject (signature-mismatch), got error: the command ended (exit status: 3)")
        .says("\n9 passed, 1 failed\n");
    acme("exit 0").ends(1).says("\n0 passed, 10 failed\n");
}

#[test]
fn a_silence_is_an_error_of_its_case_only() {
    let started = Instant::now();
    let shell = shell("case $id in acme-bad-2) echo $$ > pid; sleep 600;; esac; right $id");
    run(&shell, &SHORT)
        .ends(1)
        .says("failed acme-bad-2: expected reject (signature-mismatch), got error: no answer within 2s")
        .says("\n9 passed, 1 failed\n");
    assert!(started.elapsed() < Duration::from_secs(60));
    let pid = std::fs::read_to_string(shell.path("pid")).unwrap();
    assert!(ends_soon(pid.trim()), "the silent command still runs");
}

/// Whether a process is gone, or dead and not yet collected by its new parent, before five seconds are over.
fn ends_soon(pid: &str) -> bool {
    let stat = Path::new("/proc").join(pid).join("stat");
    let ended = || {
        std::fs::read_to_string(&stat)
            .map_or(true, |text| text.contains(") Z ") || text.contains(") X "))
    };
    (0..100).any(|_| {
        ended() || {
            std::thread::sleep(Duration::from_millis(50));
            false
        }
    })
}

#[test]
fn a_case_that_is_left_out_is_an_error() {
    run(&shell("case $id in acme-good-1) ;; *) right $id;; esac"), &SHORT)
        .ends(1)
        .says("failed acme-good-1: expected accept, got error: no answer within 2s")
        .says("\n9 passed, 1 failed\n");
}

#[test]
fn answers_that_cannot_be_read_are_errors() {
    for (answer, message) in [
        ("echo DEBUG; right $id", "got error: it answered with no JSON: \"DEBUG\""),
        ("echo {}; right $id", "got error: it answered without the id of a case"),
        ("say other accept", "got error: it answered for \"other\", which is not asked"),
        ("say $id yes", "got error: its answer cannot be read: unknown variant `yes`"),
        (
            "echo \"{\\\"id\\\":\\\"$id\\\"}\"",
            "got error: its answer cannot be read: missing field `verdict`",
        ),
        (
            "head -c 1100000 /dev/zero; echo; right $id",
            "got error: it answered with a line longer than 1 MiB",
        ),
    ] {
        let answer = format!("case $id in acme-good-3) {answer};; *) right $id;; esac");
        acme(&answer)
            .ends(1)
            .says(&format!("failed acme-good-3: expected accept, {message}"))
            .says("\n9 passed, 1 failed\n");
    }
}

#[test]
fn two_answers_to_one_case_are_an_error() {
    acme("right $id; case $id in acme-good-1 | acme-bad-4) say $id reject;; esac")
        .ends(1)
        .says("failed acme-good-1: expected accept, got error: it was answered more than once")
        .says("failed acme-bad-4: expected reject (signature-mismatch), got error: it was answered more than once")
        .says("\n8 passed, 2 failed\n");
}

#[test]
fn a_crash_that_does_not_come_again_is_still_an_error() {
    acme("case $id in acme-good-1) [ -e crashed ] || { touch crashed; exit 1; };; esac; right $id")
        .ends(1)
        .says("failed acme-good-1: expected accept, got error: the command ended (exit status: 1) before it answered; the ")
        .says("\n9 passed, 1 failed\n");
}

#[test]
fn a_command_that_never_works_is_given_up() {
    let shell = Shell::new();
    shell
        .file("acme.json", acme_vectors(50).to_string())
        .file("adapter.sh", adapter(HELLO, "exit 1"));
    run(&shell, &[])
        .ends(1)
        .says("got error: not asked: the command failed too often in a row")
        .says("\n0 passed, 100 failed\n");
    // It starts once only.
    let once = format!("[ -e ran ] && exit 9\ntouch ran\n{}", adapter(HELLO, "right $id; exit 1"));
    shell.file("adapter.sh", once);
    run(&shell, &[])
        .ends(1)
        .complains("ended (exit status: 9) before its hello line")
        .says("\n1 passed, 99 failed\n");
}

#[test]
fn a_hello_is_needed() {
    let start = |script: &str| {
        let shell = shell("");
        shell.file("adapter.sh", script);
        run(&shell, &["--time-limit", "0.5"]).ends(2)
    };
    start("exit 7")
        .complains("error: `sh adapter.sh`: ended (exit status: 7) before its hello line");
    start("sleep 600").complains("said nothing within 1.5s");
    start("echo hello; sleep 600").complains("its hello line cannot be read");
    start("echo '{\"implementation\":\"fake\"}'").complains("missing field `version`");
    let many = HELLO.replace("\"many\"", "\"some\"");
    start(&format!("echo '{many}'")).complains("expected 1 or \"many\"");
    let shell = shell("");
    shell
        .run(&["vectors", "run", "acme.json", "--exec", "no-such-command-here"])
        .ends(2)
        .complains("exit status: 127");
}

#[test]
fn what_is_not_offered_is_skipped_without_being_asked() {
    let hello = r#"{"implementation":"fake","version":"1","providers":["github"],"clock":"fixed","secrets":1,"options":["versions"],"maxBody":13}"#;
    let shell = Shell::new();
    let mut file = github_vectors();
    let test = |file: &Value, id: &str, change: &dyn Fn(&mut Value)| {
        let mut test = file["testGroups"][0]["tests"][0].clone();
        test["tcId"] = json!(id);
        change(&mut test);
        test
    };
    let mut group = file["testGroups"][0].clone();
    group["tests"] = json!([test(&file, "github-two", &|_| {})]);
    group["secrets"] = json!(["a", "b"]);
    let mut with_option = group.clone();
    with_option["secrets"] = json!(["a"]);
    with_option["options"] = json!({ "legacySha1": true });
    with_option["tests"] = json!([test(&file, "github-option", &|_| {})]);
    let long = test(&file, "github-long", &|test| test["body"] = json!("Hello, World!!"));
    let clock = test(&file, "github-clock", &|test| {
        test["nowMs"] = json!(5);
        test["flags"] = json!(["Basic", "OtherClock"]);
    });
    file["testGroups"][0]["tests"].as_array_mut().unwrap().extend([long, clock]);
    file["testGroups"].as_array_mut().unwrap().extend([group, with_option]);
    file["notes"]["OtherClock"] = json!({ "bugType": "BASIC", "description": "x" });
    file["numberOfTests"] = json!(7);
    shell.file("github.json", file.to_string()).file("acme.json", acme_vectors(1).to_string());
    // An answer for a case that is not offered would show as an error.
    shell.file("adapter.sh", adapter(hello, "case $id in github-good) say $id accept;; github-capitals) say $id unsupported;; *) say $id reject;; esac"));
    let args = ["vectors", "run", "github.json", "acme.json", "--exec", "sh adapter.sh"];
    let ran = shell
        .run(&args)
        .ends(0)
        .says("  1 skipped, it says so: github-capitals\n")
        .says("  1 skipped, it takes bodies of at most 13 bytes: github-long\n")
        .says("  1 skipped, the clock cannot be set: github-clock\n")
        .says("  1 skipped, it takes 1 secret at a time: github-two\n")
        .says("  1 skipped, the option legacySha1 is not offered: github-option\n")
        .says("  2 skipped, the provider acme is not offered: acme-good-0, acme-bad-0\n");
    assert!(ran.out.ends_with("\n2 passed, 0 failed, 7 skipped\n"), "{}", ran.out);
    let object = shell.run(&[&args[..], &["--json"]].concat()).ends(0).json();
    assert_eq!((&object["implementation"], &object["skipped"]), (&json!("fake 1"), &json!(7)));
    assert_eq!(object["unsupported"].as_array().unwrap().len(), 7);
    // Nothing offered at all is no success.
    shell
        .run(&["vectors", "run", "acme.json", "--exec", "sh adapter.sh"])
        .ends(1)
        .says("nothing was run");
}

#[test]
fn acceptable_vectors_pass_either_way_without_a_policy() {
    let shell = Shell::new();
    shell.file("github.json", github_vectors().to_string());
    let with = |capitals: &str| {
        shell.file("adapter.sh", adapter(HELLO, &format!("case $id in *-good) say $id accept;; *-capitals) say $id {capitals};; *) say $id reject;; esac")));
        shell.run(&["vectors", "run", "github.json", "--exec", "sh adapter.sh"])
    };
    with("accept").ends(0);
    with("reject").ends(0);
    let policy = json!({ "schema": "../schema/policy-v1.json", "accepted": ["AnyCaseHex"] });
    shell.file("policy.json", policy.to_string());
    let args =
        ["vectors", "run", "github.json", "--exec", "sh adapter.sh", "--policy", "policy.json"];
    shell
        .run(&args)
        .ends(1)
        .says("failed github-capitals: expected accept, got reject without a reason");
}

#[test]
fn the_lines_of_a_case_are_as_documented() {
    let shell = Shell::new();
    let mut file = github_vectors();
    let test = &mut file["testGroups"][0]["tests"][0];
    test["headers"] = json!([["X-A", { "base64": "/w==" }]]);
    test["method"] = json!("POST");
    file["testGroups"][0]["toleranceSeconds"] = json!(5);
    file["testGroups"][0]["tests"][1]["body"] = json!({ "repeat": "ab", "times": 1_000_000 });
    file["testGroups"][0]["tests"][2]["body"] = json!({ "repeat": "ab", "times": 2 });
    shell.file("github.json", file.to_string());
    shell.file(
        "adapter.sh",
        adapter(HELLO, "echo \"$line\" >> lines; say $id accept")
            .replace("echo '{", "echo \"$hello\" >> lines; echo '{"),
    );
    shell.run(&["vectors", "run", "github.json", "--exec", "sh adapter.sh"]).ends(1);
    let lines = std::fs::read_to_string(shell.path("lines")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], json!({ "protocol": 1, "suite": "1.0.0" }));
    assert_eq!(
        lines[1],
        json!({
            "id": "github-good", "provider": "github", "secrets": ["It's a Secret to Everybody"],
            "toleranceSeconds": 5, "options": {}, "nowMs": 1_700_000_000_000_u64, "method": "POST", "url": null,
            "headers": [["X-A", { "base64": "/w==" }]], "bodyBase64": "SGVsbG8sIFdvcmxkIQ==",
        }),
    );
    assert_eq!(lines[2]["repeat"], json!({ "repeat": "ab", "times": 1_000_000 }));
    assert_eq!(lines[2].get("bodyBase64"), None);
    assert_eq!(lines[3]["bodyBase64"], "YWJhYg==");
}

#[test]
fn events_are_compared_where_both_sides_say_them() {
    let shell = Shell::new();
    let mut file = github_vectors();
    file["testGroups"][0]["tests"][0]["events"] =
        json!([{ "key": "github/1", "order": { "value": 1, "unit": "s" } }]);
    shell.file("github.json", file.to_string());
    let with = |more: &str| {
        let answer = format!(
            "echo \"{{\\\"id\\\":\\\"$id\\\",\\\"verdict\\\":\\\"accept\\\"{}}}\"",
            more.replace('"', "\\\"")
        );
        shell.file("adapter.sh", adapter(HELLO, &answer));
        shell.run(&[
            "vectors",
            "run",
            "github.json",
            "--filter",
            "*-good",
            "--exec",
            "sh adapter.sh",
        ])
    };
    with("").ends(0);
    with(r#","events":[{"key":"github/1","kind":"x","order":{"value":1,"unit":"s"}}]"#).ends(0);
    with(r#","events":[{"key":"github/2","order":{"value":1,"unit":"s"}}]"#)
        .ends(1)
        .says("failed github-good: expected events [");
    with(r#","events":[]"#).ends(1);
    with(r#","eventsError":"missing-field""#)
        .ends(1)
        .says("got accept with events error missing-field");
}

/// The reference in Python, where the repository and Python are at hand.
#[test]
fn the_reference_agrees() {
    let adapter = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance-vectors/reference/adapter.py");
    let python = std::process::Command::new("python3").arg("--version").output();
    if !adapter.is_file() || !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: the reference needs the repository and python3");
        return;
    }
    let command = format!("python3 '{}'", adapter.display());
    let ran = Shell::new().run(&["vectors", "run", "--strict-reasons", "--exec", &command]).ends(0);
    assert!(ran.out.ends_with(" passed, 0 failed\n"), "{}", ran.out);
}
