//! Counting instructions: this program is run under valgrind's callgrind, case by case.

#![allow(unreachable_pub, clippy::unwrap_used, reason = "shared by test binaries and benches")]

use std::process::Command;

/// Whether valgrind can be run.
pub fn is_there() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok()
}

/// Runs this program with these arguments under callgrind, and returns the profile of each call of the function
/// `section`, which is named by its path. Nothing outside these calls is counted.
pub fn profiles(section: &str, arguments: &[&str], calls: usize) -> Vec<String> {
    let name = section.replace("::", "-");
    let folder = std::env::temp_dir().join(format!("hookproof-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .args(["--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--toggle-collect={section}"))
        .arg(format!("--dump-after={section}"))
        .arg(format!("--callgrind-out-file={}", folder.join("out").display()))
        .arg(std::env::current_exe().unwrap())
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let profile = |call| std::fs::read_to_string(folder.join(format!("out.{call}"))).unwrap();
    let profiles = (1..=calls).map(profile).collect();
    std::fs::remove_dir_all(&folder).unwrap();
    profiles
}
