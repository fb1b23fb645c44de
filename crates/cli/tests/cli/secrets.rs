//! The four ways to give a secret.

use crate::support::{GITHUB, GITHUB_SECRET, Ran, Shell};

fn verify(secrets: &[&str], stdin: &str) -> Ran {
    let shell = Shell::new();
    shell
        .file("github.http", GITHUB)
        .file("secret.txt", format!("{GITHUB_SECRET}\n"))
        .file("crlf.txt", format!("{GITHUB_SECRET}\r\n"));
    shell
        .file("two.txt", format!("{GITHUB_SECRET}\n\n"))
        .file("blank.txt", " \n")
        .file("latin1.txt", b"caf\xe9\n");
    let args = [&["verify", "--provider", "github"][..], secrets, &["github.http"]].concat();
    shell.run_with(&args, stdin.as_bytes(), &[("GITHUB_SECRET", GITHUB_SECRET), ("EMPTY", "")])
}

#[test]
fn all_four_forms_work() {
    verify(&["--secret", GITHUB_SECRET], "").ends(0);
    verify(&["--secret-env", "GITHUB_SECRET"], "").ends(0);
    verify(&["--secret-file", "secret.txt"], "").ends(0);
    verify(&["--secret-file", "crlf.txt"], "").ends(0);
    verify(&["--secret-stdin"], GITHUB_SECRET).ends(0);
    verify(&["--secret-stdin"], &format!("{GITHUB_SECRET}\n")).ends(0);
}

#[test]
fn the_order_is_that_of_the_command_line() {
    let forms: [&[&str]; 4] = [
        &["--secret", "a"],
        &["--secret-env", "GITHUB_SECRET"],
        &["--secret-stdin"],
        &["--secret-file", "latin1.txt"],
    ];
    verify(&[forms[0], forms[1], forms[2]].concat(), "b").ends(0).says("secret   2 of 3");
    verify(&[forms[1], forms[0], forms[2]].concat(), "b")
        .ends(0)
        .says("secret   1 of 3 (the current one)");
    verify(&[forms[2], forms[0], forms[1]].concat(), "b")
        .ends(0)
        .says("secret   3 of 3 (a previous one)");
    verify(&[forms[1], forms[3]].concat(), "")
        .ends(2)
        .complains("the secret in latin1.txt is not UTF-8");
}

#[test]
fn bad_secrets_are_explained_and_never_shown() {
    verify(&["--secret", ""], "").ends(2).complains("github: the secret is blank");
    verify(&["--secret-env", "EMPTY"], "").ends(2).complains("the secret is blank");
    verify(&["--secret-env", "NO_SUCH_VARIABLE"], "")
        .ends(2)
        .complains("NO_SUCH_VARIABLE is not set");
    verify(&["--secret-file", "no-such-file"], "")
        .ends(2)
        .complains("cannot read the secret from no-such-file");
    verify(&["--secret-file", "blank.txt"], "").ends(2).complains("blank");
    verify(&["--secret-stdin"], "").ends(2).complains("blank");
    let ran = verify(&["--secret-file", "two.txt"], "").ends(2).complains("white space");
    assert!(!ran.err.contains("Everybody"));
    let many: Vec<&str> = (0..9).flat_map(|_| ["--secret", "s"]).collect();
    verify(&many, "").ends(2).complains("more than 8");
}

#[test]
fn standard_input_serves_one_purpose() {
    let shell = Shell::new();
    let args = ["verify", "--provider", "github", "--secret-stdin", "-"];
    shell.run_with(&args, GITHUB, &[]).ends(2).complains("cannot give both");
    let args = ["verify", "--provider", "github", "--secret", GITHUB_SECRET, "-"];
    shell.run_with(&args, GITHUB, &[]).ends(0);
}
