//! A private sender as a record: everything else, from strict headers to rotation, comes with it.
//!
//! `cargo run --example custom_provider`

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::time::Duration;

use hookproof::{
    Encoding, Family, Grammar, Part, Scheme, TimeSource, TimeUnit, UnixTime, Verifier,
};

/// Acme signs `{timestamp}.{body}` with HMAC-SHA256 and sends `acme-signature: t=<seconds>,v1=<hex>[,v1=<hex>]`.
static ACME: Scheme = Scheme::hmac_sha256("acme", "Acme")
    .families(&[Family::new("acme-signature")])
    .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
    .encoding(Encoding::Hex)
    .message(&[Part::Timestamp, Part::Literal("."), Part::Body])
    .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
    .build();

fn main() -> Result<(), Box<dyn Error>> {
    let verifier = Verifier::builder(&ACME).secret("example-secret").build()?;
    let request = http::Request::builder()
        .header(
            "Acme-Signature",
            "t=1700000000,v1=05509d6a1d7b18307b0ad32668d52ef5ddd5f26d6f7937c15546c30d2a275369",
        )
        .body(b"{}".to_vec())?;
    match verifier.verify_at(&(&request).into(), UnixTime::from_secs(1_700_000_000)) {
        Ok(verified) => println!("accepted, {} bytes", verified.body().len()),
        Err(error) => println!("rejected: {error}"),
    }
    Ok(())
}
