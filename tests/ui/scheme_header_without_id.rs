//@ error: E0080: evaluation panicked: a signed id and the families' id headers go together

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature").with_id("x-id")])
    .build();

fn main() {
    let _ = &SCHEME;
}
