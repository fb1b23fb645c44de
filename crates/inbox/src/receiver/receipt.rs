//! What became of a request, for the answer and for the log.

use core::fmt;

use http::header::RETRY_AFTER;
use http::{HeaderMap, Response, StatusCode};

use super::EffectError;
use crate::answer::{Outcome, RetryAfter, answer};
use crate::error::StoreError;
use crate::recorded::Recorded;

/// What became of a request: the answer to send, and what to log.
#[derive(Debug)]
#[must_use]
pub struct Receipt {
    outcome: Outcome,
    recorded: Vec<Recorded>,
    error: Option<ReceiveError>,
}

impl Receipt {
    pub(super) const fn refused(error: hookproof::Error) -> Self {
        Self { outcome: Outcome::Refused(error), recorded: Vec::new(), error: None }
    }

    pub(super) fn of(result: Result<Vec<Recorded>, ReceiveError>, retry_after: RetryAfter) -> Self {
        match result {
            Ok(recorded) => Self { outcome: Outcome::Stored, recorded, error: None },
            Err(error) => {
                let outcome = match &error {
                    ReceiveError::Store(error) => Outcome::of_error(error, retry_after),
                    _ => Outcome::Unavailable { retry_after },
                };
                Self { outcome, recorded: Vec::new(), error: Some(error) }
            }
        }
    }

    /// What became of the request.
    #[must_use]
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// What was recorded, or had been before: one for each event, in the order of the body. Empty if nothing is stored.
    pub fn recorded(&self) -> &[Recorded] {
        &self.recorded
    }

    /// Why nothing is stored, unless the verifier refused it.
    #[must_use]
    pub const fn error(&self) -> Option<&ReceiveError> {
        self.error.as_ref()
    }

    /// The status to answer with; see [`answer`].
    #[must_use]
    pub fn status(&self) -> StatusCode {
        answer(&self.outcome).0
    }

    /// When the sender is to come again.
    #[must_use]
    pub fn retry_after(&self) -> Option<RetryAfter> {
        answer(&self.outcome).1
    }

    /// The headers to answer with: `Retry-After`, where the sender is to come again.
    #[must_use]
    pub fn headers(&self) -> HeaderMap {
        let again = self.retry_after().map(|after| (RETRY_AFTER, after.to_header_value()));
        again.into_iter().collect()
    }

    /// The answer, with this body; an empty one is best.
    #[must_use]
    pub fn to_response<B>(&self, body: B) -> Response<B> {
        let mut response = Response::new(body);
        *response.status_mut() = self.status();
        *response.headers_mut() = self.headers();
        response
    }
}

/// One line for a log: the status, and why.
impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.status().as_u16())?;
        match (&self.outcome, &self.error) {
            (Outcome::Refused(error), _) => write!(f, "{error}"),
            (_, Some(error)) => write!(f, "{error}"),
            _ => {
                let new = self.recorded.iter().filter(|recorded| recorded.is_new()).count();
                let alarming = self.recorded.iter().filter(|own| own.is_alarming()).count();
                write!(f, "{} events, {new} new, {alarming} to look at", self.recorded.len())
            }
        }
    }
}

/// Why nothing of a genuine delivery is known to be stored.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReceiveError {
    /// The effect that was to happen in the transaction failed.
    Effect(EffectError),
    /// The store could not take it.
    Store(StoreError),
    /// The store took longer than the time limit.
    TimeLimit,
}

impl fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effect(error) => write!(f, "the effect failed: {error}"),
            Self::Store(error) => write!(f, "{error}"),
            Self::TimeLimit => f.write_str("the store took longer than the time limit"),
        }
    }
}

impl core::error::Error for ReceiveError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Effect(error) => error.source(),
            Self::Store(error) => error.source(),
            Self::TimeLimit => None,
        }
    }
}

impl From<StoreError> for ReceiveError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
