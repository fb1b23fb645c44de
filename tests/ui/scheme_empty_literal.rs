//@ error: E0080: evaluation panicked: a literal part is empty

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .message(&[Part::Literal(""), Part::Body])
    .build();

fn main() {
    let _ = &SCHEME;
}
