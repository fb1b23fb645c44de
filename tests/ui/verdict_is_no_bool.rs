//@ error: E0308: mismatched types

use hookproof::{Delivery, UnixTime, Verifier};

fn accept(verifier: &Verifier, delivery: &Delivery<'_>) -> bool {
    if verifier.verify_at(delivery, UnixTime::from_secs(0)) { true } else { false }
}

fn main() {}
