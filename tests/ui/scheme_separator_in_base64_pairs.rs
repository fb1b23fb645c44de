//@ error: E0080: evaluation panicked: a separator cannot be told from what it separates

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .grammar(Grammar::Pairs { separator: b'/', time: "t", signatures: &["v1"] })
    .encoding(Encoding::Base64)
    .message(&[Part::Timestamp, Part::Body])
    .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
    .build();

fn main() {
    let _ = &SCHEME;
}
