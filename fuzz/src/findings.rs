//! Inputs that have once found something, kept by hand: a fuzzer's corpus keeps what reaches new code, and a mended fault
//! reaches none.

use hookproof::providers;

use crate::input::Case;

/// The inputs, each with its target.
#[must_use]
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let mut all: Vec<(&str, Vec<u8>)> = Vec::new();
    // A control character in a member's name is not JSON.
    for sender in 0..providers::ALL.len() {
        let body = b"{\"a\x07\":1,\"id\":\"1\",\"event_id\":\"1\",\"type\":\"t\"}".to_vec();
        all.push(("events", Case { sender, body, ..Case::default() }.write()));
    }
    // A line feed in the extension of a chunk; lines without a digit.
    for chunks in ["1;a\nb\r\nc\r\n0\r\n\r\n", "\r\n", " \r\n", ";a\r\n"] {
        let head = "POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n";
        all.push(("http_file", format!("{head}{chunks}").into_bytes()));
    }
    // A URL without a host.
    all.push(("http_file", b"GET https:///a HTTP/1.1\n\n".to_vec()));
    // A key of zeros in place of the right one.
    let change = vec![b'a' + 7];
    all.push(("roundtrip", Case { change, other: vec![0; 3], ..Case::default() }.write()));
    // The word of a signature becomes another word of the same record: its byte in a head without a blank before it.
    for sender in 0..=u8::MAX {
        let change = vec![b'a' + 3, 14, 0];
        all.push(("scheme", Case { sender: sender.into(), change, ..Case::default() }.write()));
    }
    // Null for an absent member, a list for an object, an event without its key.
    let file = |member: &str, notes: &str, tests: &str| {
        let text = format!(
            r#"{{"schema":"","provider":"","numberOfTests":0,{member}"notes":{{{notes}}},"testGroups":[{tests}]}}"#
        );
        ("vector_json", text.into_bytes())
    };
    let test = |more: &str| {
        let source = r#"{"kind":"captured","name":"","retrieved":"","licence":""}"#;
        let test = format!(
            r#"{{"tcId":"","comment":"","flags":[],"nowMs":0,"headers":[],"body":"","result":"valid",{more}}}"#
        );
        file("", "", &format!(r#"{{"source":{source},"secrets":[],"tests":[{test}]}}"#))
    };
    all.extend([
        file(r#""noVendorExample":null,"#, "", ""),
        file("", r#""A":["","",[],true]"#, ""),
        test(r#""method":null"#),
        test(r#""events":[{}]"#),
        test(r#""events":[[null]]"#),
        test(r#""events":[{"key":null,"order":[1,"s"]}]"#),
        test(r#""expect":[]"#),
    ]);
    all
}
