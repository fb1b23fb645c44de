//@ error: E0080: evaluation panicked: a signed header is the family's id or time

#![allow(unused_imports)]

use hookproof::{Document, Family, Field, Identity, Scheme, Trust};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .identity(Identity::new(Document::Json, &[Field::family_header(&["x-lie"], Trust::SignedHeader)]))
    .build();

fn main() {}
