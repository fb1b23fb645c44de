//! What the documents show is what happens: the console blocks of this package's README, and the loops for adopters in
//! the README of the vectors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{GITHUB, GITHUB_SECRET};

/// The folder of the vectors, where the repository is at hand.
fn suite() -> Option<PathBuf> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance-vectors");
    suite.join("examples").is_dir().then_some(suite)
}

fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Runs a line of a shell in a folder, with this build's binary first on the path.
fn sh(line: &str, folder: &Path) -> Output {
    let bin = Path::new(env!("CARGO_BIN_EXE_hookproof")).parent().unwrap().display().to_string();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap());
    let line = format!("{{ {line}\n}} 2>&1");
    Command::new("sh").args(["-c", &line]).current_dir(folder).env("PATH", path).output().unwrap()
}

#[test]
fn the_console_blocks_of_the_readme_are_true() {
    let Some(suite) = suite().filter(|_| has("python3")) else {
        eprintln!("skipped: the README needs the repository and python3");
        return;
    };
    #[cfg(feature = "inbox")]
    let place = crate::inbox::place::Place::readme();
    #[cfg(feature = "inbox")]
    let shell = &place.shell;
    #[cfg(not(feature = "inbox"))]
    let shell = &crate::support::Shell::new();
    shell.file("github.http", GITHUB).file("body.json", r#"{"id":"evt_1","type":"invoice.paid"}"#);
    for name in ["adapter.py", "github.py", "vectors.py"] {
        shell.file(name, fs::read(suite.join("examples/python").join(name)).unwrap());
    }
    let readme =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    assert!(readme.contains(&format!("--secret \"{GITHUB_SECRET}\"")));
    let mut commands = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for session in block.split("$ ").filter(|session| !session.is_empty()) {
            let (line, expected) = session.split_once('\n').unwrap();
            if cfg!(not(feature = "inbox")) && line.contains("hookproof inbox") {
                continue;
            }
            let got = String::from_utf8(sh(line, &shell.path(".")).stdout).unwrap();
            assert!(
                alike(expected.trim_end(), got.replace('\r', "").trim_end(), line),
                "{line}\n{got}"
            );
            commands += 1;
        }
    }
    assert!(commands >= 15, "{commands}");
    for command in [
        "verify",
        "explain",
        "sign",
        "providers",
        "vectors run",
        "vectors list",
        "vectors check",
        "vectors copy",
        "inbox --database inbox.db list",
        "inbox --database inbox.db parked",
        "inbox --database inbox.db show",
        "inbox --database inbox.db settle",
        "inbox --database inbox.db replay",
        "inbox --database inbox.db reconcile",
        "inbox --database inbox.db seal",
        "inbox --database inbox.db verify",
        "inbox --database inbox.db purge",
    ] {
        assert!(readme.contains(&format!("\n$ hookproof {command}")), "no example of {command}");
    }
}

/// Whether an output is as printed: `…` stands for the rest of a line, on a line of its own for any lines. Numbers of
/// vectors may change.
fn alike(expected: &str, got: &str, command: &str) -> bool {
    let counts = |text: &str| match command.contains("vectors") {
        true => text.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect(),
        false => text.to_owned(),
    };
    let mut rest: Vec<String> = got.lines().map(counts).collect();
    let mut anywhere = false;
    for line in expected.lines() {
        if line == "…" {
            anywhere = true;
            continue;
        }
        let is_it = |own: &String| match line.strip_suffix('…') {
            Some(start) => own.starts_with(&counts(start)),
            None => *own == counts(line),
        };
        match rest.iter().position(is_it).filter(|place| anywhere || *place == 0) {
            Some(place) => drop(rest.drain(..=place)),
            None => return false,
        }
        anywhere = false;
    }
    anywhere || rest.is_empty()
}

/// The loops: the file in the examples, the language of its block, what begins the 25 lines.
const LOOPS: &[(&str, &str, &str)] = &[
    ("python/vectors.py", "python", "def run("),
    ("javascript/vectors.mjs", "js", "export async function run("),
    ("go/vectors.go", "go", "func run("),
    ("java/Vectors.java", "java", "  static int[] run("),
    ("php/vectors.php", "php", "function run("),
    ("ruby/vectors.rb", "ruby", "def run("),
];

#[test]
fn the_loops_of_the_vectors_readme_are_the_files_and_short() {
    let Some(suite) = suite() else {
        eprintln!("skipped: the loops need the repository");
        return;
    };
    let readme = fs::read_to_string(suite.join("README.md")).unwrap();
    let others =
        [("python/adapter.py", "python"), ("ci/python.yml", "yaml"), ("ci/node.yml", "yaml")];
    let all = LOOPS.iter().map(|(file, language, _)| (*file, *language)).chain(others);
    for (file, language) in all {
        let text = fs::read_to_string(suite.join("examples").join(file)).unwrap();
        let block = format!("```{language}\n{text}```\n");
        assert!(readme.contains(&block), "README.md differs from examples/{file}");
    }
    for (file, _, start) in LOOPS {
        let text = fs::read_to_string(suite.join("examples").join(file)).unwrap();
        let lines = text.lines().skip_while(|line| !line.starts_with(start));
        let lines = lines.filter(|line| !line.trim().is_empty()).count();
        assert!((10..=25).contains(&lines), "{file}: {lines} lines from `{start}` on");
    }
}

/// The two that start at once; `examples/run` has all six.
#[test]
fn the_loops_pass_a_right_verifier_and_catch_a_broken_one() {
    let Some(suite) = suite().filter(|_| has("python3")) else {
        eprintln!("skipped: the loops need the repository and python3");
        return;
    };
    let run = suite.join("examples/run");
    let output = Command::new("python3").arg(run).args(["python", "javascript"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("python      0 failed, "), "{text}");
    assert!(!has("node") || text.contains("javascript  0 failed, "), "{text}");
}

#[test]
fn the_vectors_of_handshakes_are_of_their_schema() {
    let Some(suite) = suite() else { return };
    let read = |path| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(suite.join(path)).unwrap()).unwrap()
    };
    let schema = jsonschema::draft7::new(&read("schema/handshakes-v1.json")).unwrap();
    let vectors = read("handshakes/handshakes.json");
    let faults: Vec<String> = schema
        .iter_errors(&vectors)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
    for (change, value) in [
        ("/testGroups/0/handshake", serde_json::json!("acme")),
        ("/testGroups/0/tests/0/result", serde_json::json!("pass-on")),
        ("/testGroups/0/tests/0/status", serde_json::json!(404)),
        ("/testGroups/0/tests/0/method", serde_json::json!("POST")),
    ] {
        let mut changed = vectors.clone();
        *changed.pointer_mut(change).unwrap() = value;
        assert!(!schema.is_valid(&changed), "{change}");
    }
}
