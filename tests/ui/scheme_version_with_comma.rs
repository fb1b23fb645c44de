//@ error: E0080: evaluation panicked: a key or a version is a word of at most 16 bytes

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .grammar(Grammar::List { separator: b' ', version: "v1,x" })
    .build();

fn main() {
    let _ = &SCHEME;
}
