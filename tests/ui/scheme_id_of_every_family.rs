//@ error: E0080: evaluation panicked: families that are all read cannot each have an id

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[
        Family::new("x-a").with_label("a").with_id("x-aid"),
        Family::new("x-b").with_label("b").with_id("x-bid"),
    ])
    .presence(Presence::EveryPresent { option: "headers" })
    .message(&[Part::Id, Part::Body])
    .build();

fn main() {
    let _ = &SCHEME;
}
