//@ error: E0080: evaluation panicked: a header's name is not lower case, or not a header's name

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature").with_timestamp("X-Timestamp")])
    .message(&[Part::Timestamp, Part::Body])
    .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
    .build();

fn main() {
    let _ = &SCHEME;
}
