//@ error: E0080: evaluation panicked: a separator is a character that a header can hold

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .grammar(Grammar::Pairs { separator: 0xa7, time: "t", signatures: &["v1"] })
    .message(&[Part::Timestamp, Part::Body])
    .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
    .build();

fn main() {
    let _ = &SCHEME;
}
