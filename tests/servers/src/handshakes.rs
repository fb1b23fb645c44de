//! The vectors of GitHub's `ping` as requests, and what a server has to answer.

use std::net::SocketAddr;

use hookproof::{Endpoint, Verifier, providers};

use crate::client;

const VECTORS: &str = include_str!("../../../conformance-vectors/handshakes/handshakes.json");

/// What the handler answers that must see no handshake.
pub const HANDLER: &[u8] = b"handler";

/// An endpoint for the vectors.
pub fn endpoint() -> Endpoint {
    let secret = group()["secrets"][0].as_str().unwrap().to_owned();
    let verifier = Verifier::builder(&providers::GITHUB).secret(&secret).build().unwrap();
    Endpoint::new(verifier).unwrap()
}

fn group() -> serde_json::Value {
    let file: serde_json::Value = serde_json::from_str(VECTORS).unwrap();
    let groups = file["testGroups"].as_array().unwrap();
    groups.iter().find(|group| group["handshake"] == "github-ping").unwrap().clone()
}

/// Sends every vector to a server whose handler answers [`HANDLER`]. How many there were of each result.
pub async fn replay(address: SocketAddr) -> [usize; 3] {
    let mut counts = [0; 3];
    for test in group()["tests"].as_array().unwrap() {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let headers: Vec<(String, String)> = test["headers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| (text(&line[0]), text(&line[1])))
            .collect();
        let headers: Vec<(&str, &[u8])> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        let body = text(&test["body"]);
        let answer = client::send(address, "POST", "/", &headers, body.as_bytes()).await;
        let (index, status, body): (_, _, &[u8]) = match test["result"].as_str().unwrap() {
            "answer" => (0, 200, b""),
            "pass-on" => (1, 200, HANDLER),
            _ => (2, 401, b""),
        };
        counts[index] += 1;
        assert_eq!((answer.status, &answer.body[..]), (status, body), "{}", test["tcId"]);
    }
    counts
}

/// What an answer with a body says to a browser.
pub fn is_plain(answer: &client::Answer) -> bool {
    let head = answer.head.to_ascii_lowercase();
    let has = |line: &str| head.lines().filter(|own| *own == line).count() == 1;
    has("content-type: text/plain")
        && has("x-content-type-options: nosniff")
        && has(&format!("content-length: {}", answer.body.len()))
}
