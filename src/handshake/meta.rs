//! Meta: WhatsApp, Messenger, Instagram, Facebook.

use sha2::{Digest, Sha256};

use super::challenge::echoed;
use super::error::HandshakeErrorKind;
use super::query::parameter;
use super::{Answer, HandshakeError};
use crate::encoding::equal;
use crate::secret::Secret;

/// Answers the GET that Meta sends when a callback URL is entered: the challenge as plain text, to those that know the verify
/// token, which the operator has chosen.
///
/// `query` is that of the request as it arrived, without the question mark. Other parameters are ignored. The token is compared
/// in constant time, as a digest, so that its length does not show either. It says nothing about deliveries, which are signed with
/// the app secret: use another text for it.
/// <https://developers.facebook.com/docs/graph-api/webhooks/getting-started>
///
/// # Errors
///
/// [`RepeatedField`](HandshakeErrorKind::RepeatedField), [`NotAHandshake`](HandshakeErrorKind::NotAHandshake),
/// [`WrongToken`](HandshakeErrorKind::WrongToken), [`MissingField`](HandshakeErrorKind::MissingField) or
/// [`BadChallenge`](HandshakeErrorKind::BadChallenge).
pub fn subscribe(query: &str, verify_token: &Secret) -> Result<Answer, HandshakeError> {
    answer(query, verify_token).map_err(|kind| HandshakeError::new(kind, "meta"))
}

fn answer(query: &str, verify_token: &Secret) -> Result<Answer, HandshakeErrorKind> {
    let mode = parameter(query, "hub.mode")?;
    let token = parameter(query, "hub.verify_token")?;
    let challenge = parameter(query, "hub.challenge")?;
    if mode.as_deref() != Some(b"subscribe") {
        return Err(HandshakeErrorKind::NotAHandshake);
    }
    let digest = |bytes: &[u8]| <[u8; 32]>::from(Sha256::digest(bytes));
    let given = digest(token.as_deref().unwrap_or_default());
    if !bool::from(equal(&given, &digest(verify_token.expose_bytes()))) {
        return Err(HandshakeErrorKind::WrongToken);
    }
    challenge.ok_or(HandshakeErrorKind::MissingField).and_then(echoed).map(Answer::plain)
}
