//@ error: E0080: evaluation panicked: a prefix is a word

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .grammar(Grammar::Prefixed("a-word-that-is-too-long="))
    .build();

fn main() {
    let _ = &SCHEME;
}
