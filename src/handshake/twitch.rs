//! Twitch EventSub: the challenge to a callback.

use super::body::{members, signed, text};
use super::challenge::echoed;
use super::error::HandshakeErrorKind;
use super::{Answer, HandshakeError};
use crate::verified::Verified;

/// Answers `webhook_callback_verification`, the first message of a subscription: the challenge as plain text, nothing around
/// it, with its length. `None` for every other message.
///
/// The message's type is in a header that is not signed; the challenge is in the signed body.
/// <https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#responding-to-a-challenge-request>
///
/// # Errors
///
/// [`UnsignedBody`](HandshakeErrorKind::UnsignedBody), [`MalformedBody`](HandshakeErrorKind::MalformedBody),
/// [`RepeatedField`](HandshakeErrorKind::RepeatedField), [`MissingField`](HandshakeErrorKind::MissingField) or
/// [`BadChallenge`](HandshakeErrorKind::BadChallenge).
pub fn callback_verification(verified: &Verified<'_>) -> Result<Option<Answer>, HandshakeError> {
    answer(verified).map_err(|kind| HandshakeError::new(kind, "twitch"))
}

fn answer(verified: &Verified<'_>) -> Result<Option<Answer>, HandshakeErrorKind> {
    let body = signed(verified)?;
    let mut types = verified.headers().get_all("twitch-eventsub-message-type").into_iter();
    let first = types.next();
    if types.next().is_some() {
        return Err(HandshakeErrorKind::RepeatedField);
    }
    if first.is_none_or(|name| name.as_bytes() != b"webhook_callback_verification") {
        return Ok(None);
    }
    let members = members(body, &["challenge"]).ok_or(HandshakeErrorKind::MalformedBody)?;
    text(members.at("challenge")).and_then(echoed).map(|challenge| Some(Answer::plain(challenge)))
}
