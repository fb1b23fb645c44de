//! The snapshot of what the crate says about its senders.

#![cfg(all(feature = "events", feature = "sign"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use hookproof::providers;

/// The facts and identity rules of every sender are those of `tests/facts.txt`: a change of one shows in a review.
/// `UPDATE=1 cargo test --all-features --test facts` rewrites the file.
#[test]
fn facts_are_as_recorded() {
    let mut facts = String::new();
    for sender in providers::ALL {
        facts += &format!("{:#?}\n", sender.info());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/facts.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &facts).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap();
    let first = recorded.lines().zip(facts.lines()).position(|(left, right)| left != right);
    let line = first.unwrap_or_else(|| recorded.lines().count().min(facts.lines().count())) + 1;
    assert!(
        recorded == facts,
        "the facts are no longer those of tests/facts.txt, from line {line} on; if that is meant, run \
         `UPDATE=1 cargo test --all-features --test facts`"
    );
}
