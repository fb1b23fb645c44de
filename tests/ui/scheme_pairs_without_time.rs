//@ error: E0080: evaluation panicked: a grammar of pairs and a time in it go together

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
    .build();

fn main() {
    let _ = &SCHEME;
}
