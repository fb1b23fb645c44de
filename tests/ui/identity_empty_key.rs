//@ error: E0080: evaluation panicked: a key has a field that must be there

#![allow(unused_imports)]

use hookproof::{Document, Family, Field, Identity, Scheme, Trust};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .identity(Identity::new(Document::Json, &[]))
    .build();

fn main() {}
