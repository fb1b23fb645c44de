//! Compiles: what the other files change is the only thing wrong with them.

use hookproof::{
    Delivery, Encoding, Family, Grammar, Part, Scheme, Secret, TimeSource, TimeUnit, UnixTime,
    Verifier, providers,
};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature").with_timestamp("x-timestamp").with_id("x-id")])
    .grammar(Grammar::List { separator: b' ', version: "v1" })
    .encoding(Encoding::Base64)
    .message(&[Part::Id, Part::Literal("."), Part::Timestamp, Part::Literal("."), Part::Body])
    .time(TimeSource::Header(TimeUnit::Seconds), core::time::Duration::from_secs(300))
    .build();

fn main() {
    let secret = Secret::new("example").unwrap();
    println!("{secret:?}");
    let _ = Verifier::builder(&SCHEME).key(secret).build().unwrap();
    let verifier = Verifier::builder(&providers::GITHUB).secret("example").build().unwrap();
    let headers = http::HeaderMap::new();
    let _ = verifier.verify_at(&Delivery::new(&headers, b"{}"), UnixTime::from_secs(0));
}
