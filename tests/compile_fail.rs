//! What must not compile does not, and for the reason that is meant.
//!
//! Each file of `tests/ui` is a program. It begins with the errors that it must have, one a line: `//@ error: ` and a code
//! with its message, or a part of the message. It must have these and no others. A file without such a line must compile. The messages are given here
//! and not as whole outputs, since those name lines of this crate.

#![cfg(all(feature = "events", feature = "sign"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn programs(folder: &Path) -> BTreeMap<String, PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    paths.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path)).collect()
}

/// The errors that a program says it must have.
fn expected(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("//@ error: ")).map(str::to_owned).collect()
}

/// A package outside the workspace with every program as an example.
fn package(root: &Path, folder: &Path, programs: &BTreeMap<String, PathBuf>) {
    let mut manifest = format!(
        r#"[package]
name = "ui"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
hookproof = {{ path = {root:?}, features = ["sign", "sha1"] }}
http = "1"
serde = "1"
"#
    );
    for (name, path) in programs {
        let _ = write!(manifest, "[[example]]\nname = {name:?}\npath = {path:?}\n");
    }
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/lib.rs"), "").unwrap();
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // The versions that this workspace has chosen, so that nothing is fetched.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
}

/// The errors of each program, by name: code and message.
fn errors(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "check",
            "--examples",
            "--keep-going",
            "--offline",
            "--message-format=json",
            "--quiet",
        ])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut built = 0;
    for line in text.lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        if message["reason"] == "compiler-artifact" {
            built += 1;
        }
        let diagnostic = &message["message"];
        if message["reason"] != "compiler-message" || diagnostic["level"] != "error" {
            continue;
        }
        let text = diagnostic["message"].as_str().unwrap();
        if text.starts_with("aborting due to") {
            continue;
        }
        let error = match diagnostic["code"]["code"].as_str() {
            Some(code) => format!("{code}: {text}"),
            None => text.to_owned(),
        };
        errors
            .entry(message["target"]["name"].as_str().unwrap().to_owned())
            .or_default()
            .push(error);
    }
    assert!(built > 0, "nothing was built: {}", String::from_utf8_lossy(&output.stderr));
    errors
}

#[test]
fn what_must_not_compile_does_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = programs(&root.join("tests/ui"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    package(root, &folder, &programs);
    let errors = errors(&folder);
    let mut faults = String::new();
    let mut checked = 0;
    for (name, path) in &programs {
        let expected = expected(path);
        let found = errors.get(name).cloned().unwrap_or_default();
        let right = expected.len() == found.len()
            && expected
                .iter()
                .all(|wanted| found.iter().any(|error| error.contains(wanted.as_str())));
        if !right {
            let _ = writeln!(faults, "{name}: expected {expected:#?}, found {found:#?}");
        }
        checked += usize::from(!expected.is_empty());
    }
    assert!(faults.is_empty(), "{faults}");
    assert!(checked > 40 && programs.len() > checked, "{checked} of {} programs", programs.len());
}
