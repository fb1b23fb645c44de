//! `hookproof vectors run --exec`: other implementations, good ones and broken ones.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Ran, Shell, acme_vectors, github_vectors};

const HELLO: &str = r#"{"implementation":"fake","version":"1","providers":["unheard-of","github"],"clock":"given","secrets":"many","options":["versions"],"maxBody":2000000}"#;

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
    shell.run(&[&["vectors", "run", "unheard-of.json", "--exec", "sh adapter.sh"], more].concat())
}

/// Ten vectors, each answered by `answer`.
fn acme(answer: &str) -> Ran {
    run(&shell(answer), &[])
}

/// A limit that is long for a shell and short for a test.
const SHORT: [&str; 2] = ["--time-limit", "2"];

fn shell(answer: &str) -> Shell {
    let shell = Shell::new();
    shell
        .file("unheard-of.json", acme_vectors(5).to_string())
        .file("adapter.sh", adapter(HELLO, answer));
    shell
}

#[test]
fn a_right_implementation_passes() {
    let ran = acme("right $id").ends(0);
    assert!(ran.out.starts_with("fake 1\nunheard-of  10 passed, 0 failed\n"), "{}", ran.out);
    assert!(ran.out.contains("5 of the passed ones have another reason or none"), "{}", ran.out);
    assert!(ran.out.ends_with("\n10 passed, 0 failed\n"), "{}", ran.out);
    run(&shell("right $id"), &["--strict-reasons"])
        .ends(1)
        .says(
            "failed unheard-of-bad-0: expected reject (signature-mismatch), got reject without a reason",
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
        .says("  5 other reason, expected reject (signature-mismatch), got reject (forged): unheard-of-bad-0, unheard-of-bad-1, ");
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
        .says("failed unheard-of-bad-4: expected reject (signature-mismatch), got accept");
    acme("say $id reject")
        .ends(1)
        .says("failed unheard-of-good-0: expected accept, got reject without a reason");
}

#[test]
fn answers_may_come_in_any_order() {
    acme("ids=\"$id $ids\"; case $id in unheard-of-bad-4) for i in $ids; do right $i; done;; esac")
        .ends(0);
}

#[test]
fn a_crash_is_an_error_of_its_case_only() {
    acme("case $id in unheard-of-bad-2) exit 3;; esac; right $id")
        .ends(1)
        .says("failed unheard-of-bad-2: expected reject (signature-mismatch), got error: the command ended (exit status: 3)")
        .says("\n9 passed, 1 failed\n");
    acme("exit 0").ends(1).says("\n0 passed, 10 failed\n");
}

#[test]
fn a_silence_is_an_error_of_its_case_only() {
    let started = Instant::now();
    let shell = shell("case $id in unheard-of-bad-2) echo $$ > pid; sleep 600;; esac; right $id");
    run(&shell, &SHORT)
        .ends(1)
        .says("failed unheard-of-bad-2: expected reject (signature-mismatch), got error: no answer within 2s")
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
    run(&shell("case $id in unheard-of-good-1) ;; *) right $id;; esac"), &SHORT)
        .ends(1)
        .says("failed unheard-of-good-1: expected accept, got error: no answer within 2s")
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
        let answer = format!("case $id in unheard-of-good-3) {answer};; *) right $id;; esac");
        acme(&answer)
            .ends(1)
            .says(&format!("failed unheard-of-good-3: expected accept, {message}"))
            .says("\n9 passed, 1 failed\n");
    }
}

#[test]
fn two_answers_to_one_case_are_an_error() {
    acme("right $id; case $id in unheard-of-good-1 | unheard-of-bad-4) say $id reject;; esac")
        .ends(1)
        .says("failed unheard-of-good-1: expected accept, got error: it was answered more than once")
        .says("failed unheard-of-bad-4: expected reject (signature-mismatch), got error: it was answered more than once")
        .says("\n8 passed, 2 failed\n");
}

#[test]
fn a_crash_that_does_not_come_again_is_still_an_error() {
    acme("case $id in unheard-of-good-1) [ -e crashed ] || { touch crashed; exit 1; };; esac; right $id")
        .ends(1)
        .says("failed unheard-of-good-1: expected accept, got error: the command ended (exit status: 1) before it answered; the ")
        .says("\n9 passed, 1 failed\n");
}

#[test]
fn a_command_that_never_works_is_given_up() {
    let shell = Shell::new();
    shell
        .file("unheard-of.json", acme_vectors(50).to_string())
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
        .run(&["vectors", "run", "unheard-of.json", "--exec", "no-such-command-here"])
        .ends(2)
        .complains("exit status: 127");
}

#[test]
fn what_is_not_offered_is_unsupported_without_being_asked() {
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
    shell
        .file("github.json", file.to_string())
        .file("unheard-of.json", acme_vectors(1).to_string());
    // An answer for a case that is not offered would show as an error.
    shell.file("adapter.sh", adapter(hello, "case $id in github-good) say $id accept;; github-capitals) say $id unsupported;; *) say $id reject;; esac"));
    let args = ["vectors", "run", "github.json", "unheard-of.json", "--exec", "sh adapter.sh"];
    let ran = shell
        .run(&args)
        .ends(0)
        .says("  1 unsupported, it says so: github-capitals\n")
        .says("  1 unsupported, it takes bodies of at most 13 bytes: github-long\n")
        .says("  1 unsupported, the clock cannot be set: github-clock\n")
        .says("  1 unsupported, it takes 1 secret at a time: github-two\n")
        .says("  1 unsupported, the option legacySha1 is not offered: github-option\n")
        .says("  2 unsupported, the provider unheard-of is not offered: unheard-of-good-0, unheard-of-bad-0\n");
    assert!(ran.out.ends_with("\n2 passed, 0 failed, 7 unsupported\n"), "{}", ran.out);
    let object = shell.run(&[&args[..], &["--json"]].concat()).ends(0).json();
    assert_eq!((&object["implementation"], &object["skipped"]), (&json!("fake 1"), &json!(7)));
    assert_eq!(object["unsupported"].as_array().unwrap().len(), 7);
    // Nothing offered at all is no success.
    shell
        .run(&["vectors", "run", "unheard-of.json", "--exec", "sh adapter.sh"])
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

/// What the vector `github-good` says of its events, and a command that accepts it and adds `more` to its answer.
fn told(shell: &Shell, expected: &Value, offers: bool, more: &str) -> Ran {
    let mut file = github_vectors();
    file["testGroups"][0]["tests"][0]
        .as_object_mut()
        .unwrap()
        .extend(expected.as_object().unwrap().clone());
    let hello = if offers { HELLO.replace('}', r#","events":true}"#) } else { HELLO.to_owned() };
    let answer = format!(
        "echo \"{{\\\"id\\\":\\\"$id\\\",\\\"verdict\\\":\\\"accept\\\"{}}}\"",
        more.replace('"', "\\\"")
    );
    shell.file("github.json", file.to_string()).file("adapter.sh", adapter(&hello, &answer));
    let args = ["vectors", "run", "github.json", "--filter", "*-good", "--exec", "sh adapter.sh"];
    shell.run(&args)
}

#[test]
fn events_have_to_be_the_same_to_the_last_member() {
    let shell = Shell::new();
    let event = json!({ "key": "github/1", "kind": "a", "order": { "value": 1, "unit": "s" } });
    let expected = json!({ "events": [event] });
    let with = |more: &str| told(&shell, &expected, false, more);
    with(r#","events":[{"order":{"unit":"s","value":1},"kind":"a","key":"github/1"}]"#).ends(0);
    for (events, difference) in [
        (
            r#"[{"key":"github/2","kind":"a","order":{"value":1,"unit":"s"}}]"#,
            r#"expected event 0 with key "github/1", got event 0 with key "github/2""#,
        ),
        (
            r#"[{"key":"github/1","kind":"a","twin":null,"order":{"value":1,"unit":"s"}}]"#,
            "expected event 0 with no twin, got event 0 with twin null",
        ),
        (
            r#"[{"key":"github/1","subject":"x","order":{"value":1,"unit":"s"}}]"#,
            r#"expected event 0 with kind "a", no subject, got event 0 with no kind, subject "x""#,
        ),
        (
            r#"[{"key":"github/1","kind":"a","order":{"value":1,"unit":"s","grain":1}}]"#,
            r#"got event 0 with order {"value":1,"unit":"s","grain":1}"#,
        ),
        (
            r#"[{"key":"github/1","kind":"a","order":{"value":1.0,"unit":"s"}}]"#,
            r#"got event 0 with order {"value":1.0,"unit":"s"}"#,
        ),
        ("[7]", "got event 0 with 7"),
        ("[]", "expected accept with 1 event, got accept with 0 events"),
    ] {
        with(&format!(r#","events":{events}"#)).ends(1).says(difference);
    }
    with(r#","eventsError":"missing-field""#)
        .ends(1)
        .says("expected accept with 1 event, got accept with events error missing-field");
    with(r#","events":[],"eventsError":"missing-field""#)
        .ends(1)
        .says("got error: its answer gives events and an events error");
    // A key that is null is said, not left out.
    let unkeyed = json!({ "events": [{ "key": null }] });
    told(&shell, &unkeyed, false, r#","events":[{"key":null}]"#).ends(0);
    told(&shell, &unkeyed, false, r#","events":[{}]"#)
        .ends(1)
        .says("expected event 0 with key null, got event 0 with no key");
}

#[test]
fn faults_of_the_identity_are_compared() {
    let shell = Shell::new();
    let expected = json!({ "eventsError": "missing-field" });
    let with = |more: &str| told(&shell, &expected, false, more);
    with(r#","eventsError":"missing-field""#).ends(0);
    with(r#","eventsError":"malformed-body""#)
        .ends(1)
        .says("expected accept with events error missing-field, got accept with events error malformed-body");
    with(r#","events":[{"key":"a"}]"#)
        .ends(1)
        .says("expected accept with events error missing-field, got accept with 1 event");
}

#[test]
fn events_that_are_not_offered_are_not_judged() {
    let shell = Shell::new();
    for expected in
        [json!({ "events": [{ "key": "github/1" }] }), json!({ "eventsError": "missing-field" })]
    {
        told(&shell, &expected, false, "")
            .ends(0)
            .says("\nthe events of 1 accepted ones are not compared: it does not say them\n");
        told(&shell, &expected, true, "").ends(1).says("got accept without a word of events");
    }
    // Where the vector says nothing, nothing is compared.
    let ran = told(&shell, &json!({}), true, "").ends(0);
    assert!(!ran.out.contains("events"), "{}", ran.out);
    told(&shell, &json!({}), false, r#","events":[{"key":"other"}]"#).ends(0);
}

#[test]
fn several_processes_share_the_cases() {
    // Each process writes a file of its own.
    let shell = shell("echo $id >> seen-$$; right $id");
    shell.file("unheard-of.json", acme_vectors(200).to_string());
    let text = |args: &[&str]| run(&shell, args).ends(0).out;
    let one = text(&[]);
    assert_eq!(text(&["--jobs", "3"]), one);
    assert!(one.ends_with("\n400 passed, 0 failed\n"), "{one}");
    let mut seen: Vec<Vec<String>> = std::fs::read_dir(shell.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("seen-"))
        .map(|path| std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect())
        .collect();
    seen.sort_by_key(Vec::len);
    assert_eq!(seen.pop().unwrap().len(), 400, "the run with one process");
    assert!((1..=3).contains(&seen.len()), "{}", seen.len());
    let mut ids = seen.concat();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), seen.concat().len()), (400, 400), "each case is asked once");
    for jobs in ["0", "257", "many"] {
        run(&shell, &["--jobs", jobs]).ends(2).complains("--jobs");
    }
    shell.run(&["vectors", "run", "unheard-of.json", "--jobs", "2"]).ends(2).complains("--exec");
}

#[test]
fn faults_stay_with_their_cases_when_several_processes_are_asked() {
    let with = |answer: &str, more: &[&str]| {
        let shell = shell(answer);
        shell.file("unheard-of.json", acme_vectors(60).to_string());
        run(&shell, &[&["--jobs", "3"], more].concat())
    };
    with("case $id in unheard-of-bad-2 | unheard-of-good-40) exit 3;; esac; right $id", &[])
        .ends(1)
        .says("failed unheard-of-bad-2: expected reject (signature-mismatch), got error: the command ended (exit status: 3)")
        .says("failed unheard-of-good-40: expected accept, got error: the command ended (exit status: 3)")
        .says("\n118 passed, 2 failed\n");
    with("case $id in unheard-of-bad-2) sleep 600;; esac; right $id", &SHORT)
        .ends(1)
        .says("failed unheard-of-bad-2: expected reject (signature-mismatch), got error: no answer within 2s")
        .says("\n119 passed, 1 failed\n");
    with("say $id accept", &[]).ends(1).says("\n60 passed, 60 failed\n");
    with("exit 1", &[])
        .ends(1)
        .says("got error: not asked: the command failed too often in a row")
        .says("\n0 passed, 120 failed\n");
}

/// A process that does not start again leaves its cases to the others.
#[test]
fn one_process_that_fails_for_good_leaves_the_rest_to_the_others() {
    let shell = shell("");
    shell.file("unheard-of.json", acme_vectors(60).to_string());
    // `mkdir` succeeds for one process only, which then crashes; whoever starts late is refused.
    let script = format!(
        "[ -e closed ] && exit 9\n{}",
        adapter(HELLO, "if mkdir crashed 2>/dev/null; then touch closed; exit 1; fi; right $id")
    );
    shell.file("adapter.sh", script);
    let ran = run(&shell, &["--jobs", "2"]).ends(1);
    let answered =
        ran.out.lines().last().unwrap().split(' ').next().unwrap().parse::<usize>().unwrap();
    // Either the second process had started and took over, or nobody was left.
    assert!(answered >= 100 || answered == 0, "{}", ran.out);
    assert!(ran.err.contains("ended (exit status: 9) before its hello line"), "{}", ran.err);
}

#[test]
fn junit_has_a_suite_a_sender_and_a_case_a_vector() {
    let hello = HELLO.replace("2000000", "13");
    let shell = Shell::new();
    let mut file = github_vectors();
    let mut long = file["testGroups"][0]["tests"][0].clone();
    long["tcId"] = json!("github-long");
    long["body"] = json!("Hello, World!!");
    file["testGroups"][0]["tests"].as_array_mut().unwrap().push(long);
    file["numberOfTests"] = json!(4);
    shell
        .file("github.json", file.to_string())
        .file("unheard-of.json", acme_vectors(1).to_string());
    let answer = r#"case $id in github-forged) echo '{"id":"'$id'","verdict":"reject","reason":"<\u001b&\"]]>"}';; github-good) say $id reject;; unheard-of-good-0) echo '{"id":"unheard-of-good-0"}';; *) right $id;; esac"#;
    shell.file("adapter.sh", adapter(&hello, answer));
    let args = [
        "vectors",
        "run",
        "github.json",
        "unheard-of.json",
        "--exec",
        "sh adapter.sh",
        "--junit",
        "out/junit.xml",
    ];
    let printed = shell.run(&args).ends(1);
    assert!(printed.out.ends_with("\n3 passed, 2 failed, 1 unsupported\n"), "{}", printed.out);
    let xml = std::fs::read_to_string(shell.path("out/junit.xml")).unwrap();
    for piece in [
        r#"<testsuites name="fake 1" tests="6" skipped="1" failures="1" errors="1">"#,
        r#"<testsuite name="github" tests="4" skipped="1" errors="0" failures="1">"#,
        r#"<testsuite name="unheard-of" tests="2" skipped="0" errors="1" failures="0">"#,
        r#"<testcase name="github-good" classname="github">"#,
        r#"<failure message="expected accept, got reject without a reason" type="verdict">"#,
        r#"<skipped message="it takes bodies of at most 13 bytes"/>"#,
        r#"<error message="expected accept, got error: its answer cannot be read: missing field `verdict`" type="error">"#,
        r"<system-out>expected reject (signature-mismatch), got reject (&lt;\u{1b}&amp;",
        r#"<testcase name="unheard-of-bad-0" classname="unheard-of"/>"#,
    ] {
        assert!(xml.contains(piece), "no {piece} in {xml}");
    }
    assert!(!xml.contains('\u{1b}'));
    well_formed(&shell.path("out/junit.xml"));
    // The other outputs and the exit code do not change.
    let without = shell.run(&args[..6]).ends(1);
    assert_eq!(without.out, printed.out);
    shell.run(&[&args[..], &["--json"]].concat()).ends(1).json();
}

/// Another parser's word, where there is one.
fn well_formed(path: &Path) {
    let code = "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])";
    if let Ok(status) = std::process::Command::new("python3").args(["-c", code]).arg(path).status()
    {
        assert!(status.success(), "{}", path.display());
    }
}

#[test]
fn markdown_has_senders_families_failures_and_what_is_unsupported() {
    let hello = HELLO.replace("fake", "fa|ke <b>").replace("2000000", "12");
    let shell = shell("");
    shell.file("github.json", github_vectors().to_string());
    shell.file(
        "adapter.sh",
        adapter(&hello, "case $id in unheard-of-good-1) say $id reject;; *) right $id;; esac"),
    );
    let args = ["--markdown", "report.md"];
    run(&shell, &args).ends(1);
    let text = std::fs::read_to_string(shell.path("report.md")).unwrap();
    assert!(text.starts_with("# fa\\|ke &lt;b> 1\n"), "{text}");
    assert!(text.contains("\n| unheard-of | 0 | 0 | 10 |\n| all | 0 | 0 | 10 |\n"), "{text}");
    shell.file(
        "adapter.sh",
        adapter(HELLO, "case $id in unheard-of-good-1) say $id reject;; *) right $id;; esac"),
    );
    run(&shell, &args).ends(1);
    let text = std::fs::read_to_string(shell.path("report.md")).unwrap();
    for piece in [
        "# fake 1\n\nConformance vectors 1.0.0.\n",
        "| sender | passed | failed | unsupported |\n|---|--:|--:|--:|\n| unheard-of | 9 | 1 | 0 |\n| all | 9 | 1 | 0 |\n",
        "| Basic | 4 | 1 | 0 |\n| TamperedBody | 5 | 0 | 0 |\n",
        "| unheard-of-good-1 | verdict | accept | reject without a reason | Basic |\n",
        "\nOf the passed vectors 5 have another reason or none.\n",
    ] {
        assert!(text.contains(piece), "no {piece:?} in {text}");
    }
    // Every row of a table has the columns of its head.
    for table in text.split("\n\n").filter(|part| part.starts_with('|')) {
        let columns: Vec<usize> = table.lines().map(|line| line.matches('|').count()).collect();
        assert!(columns.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
    }
}

#[test]
fn reports_that_cannot_be_written_are_said_before_anything_is_run() {
    let shell = shell("touch ran; right $id");
    shell.file("file", "");
    for option in ["--junit", "--markdown"] {
        run(&shell, &[option, "file/report"]).ends(2).complains("cannot write file/report");
        run(&shell, &[option, "."]).ends(2).complains("cannot write .");
    }
    assert!(!shell.path("ran").exists());
    // A run without a result leaves no earlier report behind.
    shell.file("report.xml", "earlier").file("adapter.sh", "exit 1");
    run(&shell, &["--junit", "report.xml"]).ends(2);
    assert_eq!(std::fs::read(shell.path("report.xml")).unwrap(), b"");
}

#[test]
fn the_object_says_what_differs() {
    let shell = shell(
        r#"case $id in unheard-of-good-1) say $id reject;; unheard-of-bad-1) exit 1;; *) right $id;; esac"#,
    );
    let object = run(&shell, &["--json"]).ends(1).json();
    let failures = &object["failures"];
    assert_eq!(
        (&failures[0]["id"], &failures[0]["differsIn"]),
        (&json!("unheard-of-good-1"), &json!("verdict"))
    );
    assert_eq!(
        (&failures[1]["id"], &failures[1]["differsIn"]),
        (&json!("unheard-of-bad-1"), &json!("error"))
    );
    assert_eq!(object["differentReasons"][0]["differsIn"], "reason");
    assert_eq!(object["events"], json!({ "compared": 0, "notTold": 0 }));
}

/// A terminal of its own, where the system has `script`.
#[test]
fn a_terminal_sees_a_bar_and_a_file_does_not() {
    let shell = shell("right $id");
    let ran = run(&shell, &[]).ends(0);
    assert_eq!(ran.err, "");
    let command = format!(
        "{} vectors run unheard-of.json --exec 'sh adapter.sh'",
        env!("CARGO_BIN_EXE_hookproof")
    );
    let script = std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(shell.path("."))
        .stdin(std::process::Stdio::null())
        .env("TERM", "xterm")
        .output();
    let Ok(output) = script else {
        eprintln!("skipped: there is no `script` here");
        return;
    };
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{seen}");
    assert!(seen.contains(" of 10 vectors"), "{seen}");
    // The bar is gone before the result is written.
    let after = seen.rsplit(" of 10 vectors").next().unwrap();
    assert!(after.contains("10 passed") && after.contains("\u{1b}[2K"), "{seen}");
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
    let args = ["vectors", "run", "--strict-reasons", "--exec", &command, "--json", "--jobs", "2"];
    let object = Shell::new().run(&args).ends(0).json();
    assert_eq!((&object["failed"], &object["skipped"]), (&json!(0), &json!(0)));
    assert!(object["passed"].as_u64().unwrap() >= 1000, "{object}");
    assert_eq!(object["events"]["notTold"], 0);
    assert!(object["events"]["compared"].as_u64().unwrap() >= 200, "{object}");
}
