//@ error: E0080: evaluation panicked: a separator cannot be told from what it separates

#![allow(unused_imports)]

use core::time::Duration;
use hookproof::{
    Encoding, Family, Grammar, KeyFormat, Part, Presence, Scheme, TimeSource, TimeUnit,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .grammar(Grammar::List { separator: b'=', version: "v1" })
    .encoding(Encoding::Base64)
    .build();

fn main() {
    let _ = &SCHEME;
}
