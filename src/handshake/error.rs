//! Why a handshake is refused.

use core::fmt;

use http::StatusCode;

use crate::error::Fault;

/// Why a handshake is refused. The order of the variants is the order of precedence.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum HandshakeErrorKind {
    /// The proof does not cover the body, so a challenge in it is nobody's. The operator's fault: the sender's record.
    UnsignedBody,
    /// The body is not the document that the sender documents.
    MalformedBody,
    /// What must be there once is there more than once.
    RepeatedField,
    /// The request asks for something else, or nothing.
    NotAHandshake,
    /// The verify token is absent or another one.
    WrongToken,
    /// The challenge is absent.
    MissingField,
    /// The challenge is not a text of 1 to [`MAX_CHALLENGE`](super::MAX_CHALLENGE) letters, digits and `-_.~+/=`.
    BadChallenge,
    /// The secret that signed the delivery is not among those that were given. The operator's fault.
    MissingSecret,
}

impl HandshakeErrorKind {
    /// The kind as the kebab-case word of the vectors of handshakes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnsignedBody => "unsigned-body",
            Self::MalformedBody => "malformed-body",
            Self::RepeatedField => "repeated-field",
            Self::NotAHandshake => "not-a-handshake",
            Self::WrongToken => "wrong-token",
            Self::MissingField => "missing-field",
            Self::BadChallenge => "bad-challenge",
            Self::MissingSecret => "missing-secret",
        }
    }

    /// Who has to act: the operator of this server or the sender of the request.
    #[must_use]
    pub const fn fault(self) -> Fault {
        match self {
            Self::UnsignedBody | Self::MissingSecret => Fault::Operator,
            _ => Fault::Sender,
        }
    }

    /// The HTTP status to answer with: 403 for a wrong token, as the sender's own samples do, 400 for what cannot be answered,
    /// 500 for the operator's faults.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::UnsignedBody | Self::MissingSecret => StatusCode::INTERNAL_SERVER_ERROR,
            Self::WrongToken => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

impl fmt::Display for HandshakeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A handshake that is not answered. Holds no byte of the request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HandshakeError {
    kind: HandshakeErrorKind,
    sender: &'static str,
}

impl HandshakeError {
    pub(super) const fn new(kind: HandshakeErrorKind, sender: &'static str) -> Self {
        Self { kind, sender }
    }

    /// What kind of fault it is.
    #[must_use]
    pub const fn kind(&self) -> HandshakeErrorKind {
        self.kind
    }

    /// Who has to act.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        self.kind.fault()
    }

    /// The HTTP status to answer with, under an empty body.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.kind.status()
    }
}

impl fmt::Display for HandshakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self.kind {
            HandshakeErrorKind::UnsignedBody => {
                "the proof does not cover the body; answer only what a signature over the body vouches for"
            }
            HandshakeErrorKind::MalformedBody => {
                "the body of the handshake is not the sender's JSON; the sender has to send it as documented"
            }
            HandshakeErrorKind::RepeatedField => {
                "what must be there once is there more than once; the sender has to send it once"
            }
            HandshakeErrorKind::NotAHandshake => {
                "the request asks for nothing that is answered; it is likely not the sender's"
            }
            HandshakeErrorKind::WrongToken => {
                "the verify token is absent or another one; enter the same token at the sender and on this server"
            }
            HandshakeErrorKind::MissingField => {
                "the challenge is absent; the sender has to send it"
            }
            HandshakeErrorKind::BadChallenge => {
                "the challenge is not a short text of letters, digits and -_.~+/=; it is not echoed, whoever sent it"
            }
            HandshakeErrorKind::MissingSecret => {
                "the secret that signed the delivery is not among those that were given; give all of the verifier's, in its order"
            }
        };
        write!(f, "{}: {problem}", self.sender)
    }
}

impl core::error::Error for HandshakeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_operator_is_tried_again_and_one_of_the_sender_is_not_believed() {
        for kind in [
            HandshakeErrorKind::UnsignedBody,
            HandshakeErrorKind::MalformedBody,
            HandshakeErrorKind::RepeatedField,
            HandshakeErrorKind::NotAHandshake,
            HandshakeErrorKind::WrongToken,
            HandshakeErrorKind::MissingField,
            HandshakeErrorKind::BadChallenge,
            HandshakeErrorKind::MissingSecret,
        ] {
            assert_eq!(kind.status().is_server_error(), kind.fault() == Fault::Operator, "{kind}");
            assert_eq!(kind.status().is_client_error(), kind.fault() == Fault::Sender, "{kind}");
            let text = HandshakeError::new(kind, "acme").to_string();
            assert!(text.starts_with("acme: ") && text.contains("; "), "{text}");
        }
    }
}
