//@ error: E0080: evaluation panicked: a sender has one or two families of headers

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-a"), Family::new("x-b"), Family::new("x-c")])
    .build();

fn main() {
    let _ = &SCHEME;
}
