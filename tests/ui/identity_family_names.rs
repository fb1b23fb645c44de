//@ error: E0080: evaluation panicked: a header of the family has a name in each family

#![allow(unused_imports)]

use hookproof::{Document, Family, Field, Identity, Scheme, Trust};

static SCHEME: Scheme = Scheme::hmac_sha256("example", "Example")
    .families(&[Family::new("x-signature")])
    .identity(Identity::new(Document::Json, &[Field::family_header(&[], Trust::UnsignedHeader)]))
    .build();

fn main() {}
