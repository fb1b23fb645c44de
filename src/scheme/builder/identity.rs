//! The checks of a record's identity rules.

use crate::identity::{Field, Identity, Place, Trust};
use crate::scheme::Family;
use crate::scheme::builder::{is_header, same_text};

/// Panics on rules that make no sense: keys of nothing, places that cannot be, headers that are not signed and said to be.
#[expect(clippy::panic, reason = "evaluated at compile time in a static or const")]
pub(super) const fn check(identity: &Identity, families: &[Family]) {
    let mut required = false;
    let mut rest = identity.key;
    while let [field, others @ ..] = rest {
        check_field(field, families);
        required = required || field.required;
        rest = others;
    }
    if !required {
        panic!("a key has a field that must be there");
    }
    if matches!(identity.agrees, Some(name) if !is_header(name)) {
        panic!("a header's name is not lower case, or not a header's name");
    }
    check_optional(&identity.kind, families);
    check_optional(&identity.tenant, families);
    check_optional(&identity.stream, families);
    check_optional(&identity.attempt, families);
    let mut slots = identity.subject;
    while let [alternatives, others @ ..] = slots {
        let mut rest = *alternatives;
        if rest.is_empty() {
            panic!("a part of the subject has no field");
        }
        while let [field, more @ ..] = rest {
            check_field(field, families);
            rest = more;
        }
        slots = others;
    }
    let mut orders = identity.order;
    while let [(field, _), others @ ..] = orders {
        check_field(field, families);
        orders = others;
    }
}

const fn check_optional(field: &Option<Field>, families: &[Family]) {
    if let Some(field) = field {
        check_field(field, families);
    }
}

#[expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "evaluated at compile time in a static or const"
)]
const fn check_field(field: &Field, families: &[Family]) {
    match field.place {
        Place::Body(path) => {
            if !is_path(path) {
                panic!("a path of the body is names joined by single slashes");
            }
        }
        Place::Header(name) => {
            if !is_header(name) {
                panic!("a header's name is not lower case, or not a header's name");
            }
        }
        Place::FamilyHeader(names) => {
            if names.len() != families.len() {
                panic!("a header of the family has a name in each family");
            }
            let mut index = 0;
            while index < names.len() {
                if !is_header(names[index]) {
                    panic!("a header's name is not lower case, or not a header's name");
                }
                if matches!(field.trust, Trust::SignedHeader)
                    && !is_signed(names[index], &families[index])
                {
                    panic!("a signed header is the family's id or time");
                }
                index += 1;
            }
        }
    }
}

const fn is_signed(name: &str, family: &Family) -> bool {
    matches!(family.id, Some(id) if same_text(id, name))
        || matches!(family.timestamp, Some(time) if same_text(time, name))
}

/// Names joined by single slashes.
const fn is_path(path: &str) -> bool {
    let mut after_slash = true;
    let mut rest = path.as_bytes();
    while let [byte, others @ ..] = rest {
        if *byte == b'/' && after_slash {
            return false;
        }
        after_slash = *byte == b'/';
        rest = others;
    }
    !after_slash
}
