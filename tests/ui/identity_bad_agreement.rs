//@ error: E0080: evaluation panicked: a header's name is not lower case, or not a header's name

#![allow(unused_imports)]

use hookproof::{Document, Family, Field, Identity, Scheme, Trust};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .identity(Identity::new(Document::Json, &[Field::body("id")]).agrees("X Bad"))
    .build();

fn main() {}
