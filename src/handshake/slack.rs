//! Slack: the request URL of the Events API.

use super::body::{is, members, signed, text};
use super::challenge::echoed;
use super::error::HandshakeErrorKind;
use super::{Answer, HandshakeError};
use crate::verified::Verified;

/// Answers `url_verification`, which Slack sends when a request URL is entered: the challenge as plain text. `None` for every
/// other delivery.
///
/// It is signed as every request of Slack is; the `token` in it is a deprecated credential and not looked at.
/// <https://docs.slack.dev/reference/events/url_verification>
///
/// # Errors
///
/// [`UnsignedBody`](HandshakeErrorKind::UnsignedBody), [`RepeatedField`](HandshakeErrorKind::RepeatedField),
/// [`MissingField`](HandshakeErrorKind::MissingField) or [`BadChallenge`](HandshakeErrorKind::BadChallenge).
pub fn url_verification(verified: &Verified<'_>) -> Result<Option<Answer>, HandshakeError> {
    answer(verified).map_err(|kind| HandshakeError::new(kind, "slack"))
}

fn answer(verified: &Verified<'_>) -> Result<Option<Answer>, HandshakeErrorKind> {
    // Slash commands and interactions are forms, and nothing of ours.
    let Some(members) = members(signed(verified)?, &["type", "challenge"]) else { return Ok(None) };
    if !is(members.at("type"), "url_verification")? {
        return Ok(None);
    }
    text(members.at("challenge")).and_then(echoed).map(|challenge| Some(Answer::plain(challenge)))
}
