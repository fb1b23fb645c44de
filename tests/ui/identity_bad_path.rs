//@ error: E0080: evaluation panicked: a path of the body is names joined by single slashes

#![allow(unused_imports)]

use hookproof::{Document, Family, Field, Identity, Scheme, Trust};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .identity(Identity::new(Document::Json, &[Field::body("a//b")]))
    .build();

fn main() {}
