//@ error: E0080: evaluation panicked: the labels of families are unlike each other and unlike `any`

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-a").with_label("a"), Family::new("x-b").with_label("a")])
    .presence(Presence::EveryPresent { option: "headers" })
    .build();

fn main() {
    let _ = &SCHEME;
}
