//@ error: E0080: evaluation panicked: the id is not lower-case letters, digits and hyphens

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme =
    Scheme::hmac_sha256("Example", "Example").families(&[Family::new("x-signature")]).build();

fn main() {
    let _ = &SCHEME;
}
