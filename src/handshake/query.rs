//! Parameters of a query that anyone can send.

use super::error::HandshakeErrorKind;
use crate::form;

/// The value of a parameter, decoded; `None` where it is absent.
pub(super) fn parameter(query: &str, name: &str) -> Result<Option<Vec<u8>>, HandshakeErrorKind> {
    let mut values = form::values(query.as_bytes(), name);
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(HandshakeErrorKind::RepeatedField),
        (value, None) => Ok(value),
    }
}
