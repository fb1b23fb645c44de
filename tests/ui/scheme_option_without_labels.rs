//@ error: E0080: evaluation panicked: families chosen by an option need labels and share no time

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-a"), Family::new("x-b")])
    .presence(Presence::EveryPresent { option: "headers" })
    .build();

fn main() {
    let _ = &SCHEME;
}
