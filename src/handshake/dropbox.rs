//! Dropbox: the check of a webhook URI.

use super::challenge::echoed;
use super::error::HandshakeErrorKind;
use super::query::parameter;
use super::{Answer, HandshakeError};

/// Answers the GET that Dropbox sends when a webhook URI is entered: the challenge as plain text. Dropbox waits 10 s.
///
/// `query` is that of the request as it arrived, without the question mark. Anyone can send this request, and the answer shows
/// nothing but that this server answers it.
/// <https://www.dropbox.com/developers/reference/webhooks>
///
/// # Errors
///
/// [`RepeatedField`](HandshakeErrorKind::RepeatedField), [`NotAHandshake`](HandshakeErrorKind::NotAHandshake) without a
/// challenge, or [`BadChallenge`](HandshakeErrorKind::BadChallenge).
pub fn challenge(query: &str) -> Result<Answer, HandshakeError> {
    let challenge = parameter(query, "challenge");
    challenge
        .and_then(|challenge| challenge.ok_or(HandshakeErrorKind::NotAHandshake))
        .and_then(echoed)
        .map(Answer::plain)
        .map_err(|kind| HandshakeError::new(kind, "dropbox"))
}
