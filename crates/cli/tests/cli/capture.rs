//! Captured requests that are not quite as they should be.

use crate::support::{GITHUB, GITHUB_SECRET, Ran, Shell};

const SIGNATURE: &str =
    "X-Hub-Signature-256: sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

fn verify(file: impl AsRef<[u8]>) -> Ran {
    let shell = Shell::new();
    shell.file("a.http", file);
    shell.run(&["verify", "--provider", "github", "--secret", GITHUB_SECRET, "a.http"])
}

#[test]
fn line_ends_of_the_head_may_be_either() {
    let text = String::from_utf8(GITHUB.to_vec()).unwrap();
    verify(text.replace("\r\n", "\n")).ends(0);
    verify(GITHUB).ends(0);
    verify(text.replace("World!", "World!\n")).ends(1).says("signature-mismatch");
}

#[test]
fn a_long_body_is_cut_and_that_is_said() {
    let ran =
        verify(format!("POST / HTTP/1.1\n{SIGNATURE}\nContent-Length: 13\n\nHello, World!\n"))
            .ends(0);
    assert_eq!(
        ran.err,
        "warning: a.http: Content-Length says 13 bytes; 1 more in the file (a final newline) are left out\n"
    );
}

#[test]
fn a_short_body_is_refused() {
    verify(format!("POST / HTTP/1.1\n{SIGNATURE}\nContent-Length: 14\n\nHello, World!"))
        .ends(2)
        .complains("error: a.http: Content-Length says 14 bytes, but the file has 13");
}

#[test]
fn chunks_are_joined() {
    let chunked = format!("POST / HTTP/1.1\r\n{SIGNATURE}\r\nTransfer-Encoding: chunked\r\n\r\n");
    verify(format!("{chunked}7\r\nHello, \r\n6\r\nWorld!\r\n0\r\n\r\n")).ends(0);
    verify(format!("{chunked}Hello, World!")).ends(2).complains("remove that header from the file");
}

#[test]
fn what_is_no_request_is_refused() {
    verify("").ends(2).complains("error: a.http: line 1: the file is empty");
    verify("{}").ends(2).complains("not a captured request");
    verify("HTTP/1.1 200 OK\n\n").ends(2).complains("this is a response");
    verify("POST / HTTP/1.1\nX: 1").ends(2).complains("line 2: the file ends inside the head");
}

#[test]
fn repeated_and_strange_headers_reach_the_verifier() {
    let twice = format!("POST / HTTP/1.1\n{SIGNATURE}\n{SIGNATURE}\n\nHello, World!");
    verify(twice).ends(1).says("rejected  repeated-header");
    let bytes = [&b"POST / HTTP/1.1\nX-Hub-Signature-256: \xff\n\n"[..], b"Hello, World!"].concat();
    verify(bytes).ends(1).says("rejected  malformed-header");
}
