//@ error: E0080: evaluation panicked: the body must be signed, exactly once

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .message(&[Part::Body, Part::Body])
    .build();

fn main() {
    let _ = &SCHEME;
}
