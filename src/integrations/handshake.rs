//! Handshakes in front of a handler: what is answered, and what goes on to it.

use http::StatusCode;

use crate::handshake::{Answer, HandshakeError};
use crate::verified::{Verified, VerifiedBuf};

/// What a handshake makes of a verified delivery.
pub(super) type Outcome = Result<Option<Answer>, HandshakeError>;

/// The answer to a delivery that is not for the handler. Without a proof nothing verifies before: that is a fault of the set-up,
/// and no delivery goes on.
pub(super) fn answer(
    proof: Option<&VerifiedBuf>,
    handshake: impl FnOnce(&Verified<'_>) -> Outcome,
) -> Option<Answer> {
    let Some(proof) = proof else {
        #[cfg(feature = "tracing")]
        tracing::error!(
            target: "hookproof",
            "handshake not judged: nothing verifies the delivery before it is asked for"
        );
        return Some(Answer::empty(StatusCode::INTERNAL_SERVER_ERROR));
    };
    match handshake(&proof.as_verified()) {
        Ok(answer) => answer,
        Err(error) => {
            #[cfg(feature = "tracing")]
            tracing::warn!(
                target: "hookproof",
                provider = proof.provider().info().id,
                reason = %error,
                "handshake refused"
            );
            Some(Answer::empty(error.status()))
        }
    }
}
