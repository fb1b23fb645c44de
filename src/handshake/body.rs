//! Members of a body that a signature covers.

use super::error::HandshakeErrorKind;
use crate::events::json::{self, Member, Members};
use crate::evidence::Coverage;
use crate::verified::Verified;

/// The body, if the proof covers it.
pub(super) fn signed<'a>(verified: &Verified<'a>) -> Result<&'a [u8], HandshakeErrorKind> {
    match verified.coverage() {
        Coverage::Body | Coverage::BodyAndTarget => Ok(verified.body()),
        _ => Err(HandshakeErrorKind::UnsignedBody),
    }
}

/// What stands at these paths; `None` if the body is no JSON object.
pub(super) fn members<'a>(body: &'a [u8], paths: &[&'static str]) -> Option<Members<'a>> {
    let members = Members::read(json::text(body)?, paths.iter().copied())?;
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object.then_some(members)
}

/// Whether a member is this text. One that is there twice can be read as either.
pub(super) fn is(member: Member<'_>, wanted: &str) -> Result<bool, HandshakeErrorKind> {
    match member {
        Member::Repeated => Err(HandshakeErrorKind::RepeatedField),
        Member::Value(text) => Ok(json::decoded(text).is_some_and(|text| text == wanted)),
        Member::Absent | Member::Misplaced { .. } => Ok(false),
    }
}

/// The text of a member that has to be there.
pub(super) fn text(member: Member<'_>) -> Result<Vec<u8>, HandshakeErrorKind> {
    match member {
        Member::Absent | Member::Misplaced { .. } => Err(HandshakeErrorKind::MissingField),
        Member::Repeated => Err(HandshakeErrorKind::RepeatedField),
        Member::Value(text) => {
            json::decoded(text).map(String::into_bytes).ok_or(HandshakeErrorKind::BadChallenge)
        }
    }
}
