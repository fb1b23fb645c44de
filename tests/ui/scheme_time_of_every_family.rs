//@ error: E0080: evaluation panicked: families chosen by an option need labels and share no time

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[
        Family::new("x-a").with_label("a").with_timestamp("x-at"),
        Family::new("x-b").with_label("b").with_timestamp("x-bt"),
    ])
    .presence(Presence::EveryPresent { option: "headers" })
    .message(&[Part::Timestamp, Part::Body])
    .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
    .build();

fn main() {
    let _ = &SCHEME;
}
