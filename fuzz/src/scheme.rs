//! The target `scheme`: records of many shapes answer what a naive reading of their public meaning answers.
//!
//! An input is one of `verify` whose first byte picks a record of [`records`](crate::records). What the record's signer
//! makes is accepted, and with a change (`z`) refused as in `roundtrip`.

use crate::input::Case;
use crate::naive::{Answer, Slip};
use crate::{Finding, roundtrip, verify};

/// What a run saw: the answer to the request, and to what was signed and then changed.
pub type Seen = (Answer, roundtrip::Seen);

/// Runs the target; there is no answer for an empty input.
///
/// # Errors
///
/// What the sides differ over.
pub fn run(data: &[u8]) -> Result<Option<Seen>, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What the sides differ over.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Option<Seen>, Finding> {
    let Some(case) = Case::read_record(data) else { return Ok(None) };
    let answer = verify::check(&case, slip)?;
    let changed = if case.change.is_empty() { None } else { roundtrip::check(case, slip)? };
    Ok(Some((answer, changed)))
}
