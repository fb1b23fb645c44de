//@ error: E0080: evaluation panicked: a list needs a version

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .grammar(Grammar::List { separator: b' ', version: "" })
    .build();

fn main() {
    let _ = &SCHEME;
}
