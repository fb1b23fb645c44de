//! Zoom: the check of an endpoint, when it is entered and every 72 hours.

use hmac::Hmac;
use sha2::Sha256;

use super::body::{is, members, signed, text};
use super::challenge::echoed;
use super::error::HandshakeErrorKind;
use super::{Answer, HandshakeError};
use crate::mac::State;
use crate::secret::Secret;
use crate::verified::Verified;

/// Answers `endpoint.url_validation`: the `plainToken`, and as `encryptedToken` its HMAC-SHA256 under the secret token, in
/// hex. `None` for every other delivery. Zoom waits 3 s for it.
///
/// `secrets` are those of the verifier, in its order: the one that signed the request makes the answer.
/// <https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint>
///
/// The answer is a MAC under the very key that signs events, over a text of the request's choice. Who answers it unverified, or
/// for any text, signs whatever a stranger asks for: a `plainToken` that reads `v0:…` would be an event. So a proof is needed,
/// and a token with a colon in it is refused.
///
/// # Errors
///
/// [`UnsignedBody`](HandshakeErrorKind::UnsignedBody), [`RepeatedField`](HandshakeErrorKind::RepeatedField),
/// [`MissingField`](HandshakeErrorKind::MissingField), [`BadChallenge`](HandshakeErrorKind::BadChallenge) or
/// [`MissingSecret`](HandshakeErrorKind::MissingSecret).
pub fn url_validation(
    verified: &Verified<'_>,
    secrets: &[Secret],
) -> Result<Option<Answer>, HandshakeError> {
    answer(verified, secrets).map_err(|kind| HandshakeError::new(kind, "zoom"))
}

fn answer(
    verified: &Verified<'_>,
    secrets: &[Secret],
) -> Result<Option<Answer>, HandshakeErrorKind> {
    let Some(members) = members(signed(verified)?, &["event", "payload/plainToken"]) else {
        return Ok(None);
    };
    if !is(members.at("event"), "endpoint.url_validation")? {
        return Ok(None);
    }
    let token = text(members.at("payload/plainToken")).and_then(echoed)?;
    let secret = secrets.get(verified.key());
    let mut mac = secret
        .and_then(|secret| <Hmac<Sha256> as State>::keyed(secret.expose_bytes()))
        .ok_or(HandshakeErrorKind::MissingSecret)?;
    State::update(&mut mac, token.as_bytes());
    let encrypted = hex::encode(State::finish(mac));
    // No character of either needs an escape.
    let json = format!(r#"{{"plainToken":"{token}","encryptedToken":"{encrypted}"}}"#);
    Ok(Some(Answer::json(json)))
}
