//! GitHub: the first delivery of a hook.

use http::StatusCode;

use super::body::{members, signed};
use super::{Answer, HandshakeError};
use crate::events::json::{Member, decoded, is_integer};
use crate::form;
use crate::verified::Verified;

/// Answers the `ping` that GitHub sends when a hook is made: 200 and no body. `None` for every other delivery.
///
/// GitHub wants nothing but a 2xx, so this is for those whose handler should not see it. The event's name is in a header that is
/// not signed; a delivery counts as a ping only if its signed body is one too, with a `zen` and a `hook_id`, so that no event
/// can be made to vanish by a change of the header. Bodies of both content types are read.
/// <https://docs.github.com/en/webhooks/webhook-events-and-payloads#ping>
///
/// ```
/// # #[cfg(feature = "sign")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hookproof::{handshake::github, providers::GITHUB, testing::Sender};
///
/// let sent = Sender::new(&GITHUB).send(br#"{"zen":"Design for failure.","hook_id":1}"#)?;
/// let answer = github::ping(&sent.verified().as_verified())?;
/// assert_eq!(answer.map(|answer| answer.status().as_u16()), Some(200));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "sign"))]
/// # fn main() {}
/// ```
///
/// # Errors
///
/// [`UnsignedBody`](super::HandshakeErrorKind::UnsignedBody) if the proof does not cover the body.
pub fn ping(verified: &Verified<'_>) -> Result<Option<Answer>, HandshakeError> {
    let body = signed(verified).map_err(|kind| HandshakeError::new(kind, "github"))?;
    let mut lines = verified.headers().get_all("x-github-event").into_iter();
    let named = lines.next().is_some_and(|name| name.as_bytes() == b"ping");
    let once = lines.next().is_none();
    Ok((named && once && is_ping(body)).then(|| Answer::empty(StatusCode::OK)))
}

fn is_ping(body: &[u8]) -> bool {
    let mut payloads = form::values(body, "payload");
    match (payloads.next(), payloads.next()) {
        (None, _) => is_ping_document(body),
        (Some(payload), None) => is_ping_document(&payload),
        (Some(_), Some(_)) => false,
    }
}

fn is_ping_document(document: &[u8]) -> bool {
    let Some(members) = members(document, &["zen", "hook_id"]) else { return false };
    let zen = matches!(members.at("zen"), Member::Value(text) if decoded(text).is_some());
    zen && matches!(members.at("hook_id"), Member::Value(text) if is_integer(text))
}
