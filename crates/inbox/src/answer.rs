//! The HTTP answer as one function of the outcome.

use core::time::Duration;

use http::{HeaderValue, StatusCode};

use crate::error::{StoreError, StoreErrorKind};
use crate::recorded::Recorded;

/// What became of a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Another transaction holds the same event, and nothing of this request is stored: the sender must come again.
    InFlight {
        /// When the other one should be through.
        retry_after: RetryAfter,
    },
    /// The verifier refused it.
    Refused(hookproof::Error),
    /// Everything that it brought is stored or was stored before, in whatever state: waiting, in work, done, parked, dead.
    Stored,
    /// The store could not take it, and nothing of it is stored.
    Unavailable {
        /// When to come again.
        retry_after: RetryAfter,
    },
}

impl Outcome {
    /// The outcome of a recording **after its transaction was committed**, or of the error that kept it from that.
    ///
    /// Duplicates, conflicts and faulty entries are stored too: sending them again would change nothing. That a conflict
    /// or a faulty entry needs a person is for an alarm to say, not for the sender's retries; see
    /// [`Recorded::is_alarming`].
    #[must_use]
    pub fn of(recorded: &Result<Vec<Recorded>, StoreError>, retry_after: RetryAfter) -> Self {
        match recorded {
            Ok(_) => Self::Stored,
            Err(error) => Self::of_error(error, retry_after),
        }
    }

    /// The outcome where the store could not take a delivery.
    #[must_use]
    pub const fn of_error(error: &StoreError, retry_after: RetryAfter) -> Self {
        match error.kind() {
            StoreErrorKind::Busy => Self::InFlight { retry_after },
            _ => Self::Unavailable { retry_after },
        }
    }
}

/// The answer to a request: status, and `Retry-After` where the sender is to come again. Bodies stay empty.
///
/// Never 409, which some senders take for good, and never 410, with which some delete the subscription.
///
/// ```
/// use core::time::Duration;
/// use hookproof_inbox::{Outcome, RetryAfter, answer};
/// let (status, retry_after) = answer(&Outcome::Stored);
/// assert_eq!((status.as_u16(), retry_after), (200, None));
/// let busy = Outcome::InFlight { retry_after: RetryAfter::new(Duration::from_millis(1500)) };
/// let (status, retry_after) = answer(&busy);
/// assert_eq!(status.as_u16(), 503);
/// assert_eq!(retry_after.unwrap().to_header_value(), "2");
/// ```
#[must_use]
pub fn answer(outcome: &Outcome) -> (StatusCode, Option<RetryAfter>) {
    match outcome {
        Outcome::InFlight { retry_after } | Outcome::Unavailable { retry_after } => {
            (StatusCode::SERVICE_UNAVAILABLE, Some(*retry_after))
        }
        Outcome::Refused(error) => (error.status(), None),
        Outcome::Stored => (StatusCode::OK, None),
    }
}

/// The value of `Retry-After`: whole seconds, at least one.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RetryAfter(u64);

impl RetryAfter {
    /// So long, rounded up to seconds.
    #[must_use]
    pub const fn new(time: Duration) -> Self {
        let more = if time.subsec_nanos() > 0 { 1 } else { 0 };
        let secs = time.as_secs().saturating_add(more);
        Self(if secs == 0 { 1 } else { secs })
    }

    /// The seconds.
    #[must_use]
    pub const fn as_secs(self) -> u64 {
        self.0
    }

    /// The header's value.
    #[must_use]
    pub fn to_header_value(self) -> HeaderValue {
        HeaderValue::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use hookproof::{Error, ErrorKind, UnixTime};

    use super::*;
    use crate::event::State;
    use crate::id::{Digest, EventId};

    const SOON: RetryAfter = RetryAfter::new(Duration::from_secs(5));

    #[test]
    fn anything_stored_is_200() {
        let (id, first_seen) = (EventId::from_u64(1), UnixTime::from_secs(0));
        for state in State::ALL {
            let stored = Digest::of(b"");
            let recorded = vec![
                Recorded::Duplicate { id, state, first_seen },
                Recorded::Conflict { id, parked: id, state, first_seen, stored, offered: stored },
                Recorded::New { id, same_bytes: None },
                Recorded::Unkeyed { id },
            ];
            let answer = answer(&Outcome::of(&Ok(recorded), SOON));
            assert_eq!(answer, (StatusCode::OK, None));
        }
    }

    #[test]
    fn what_is_not_stored_is_503() {
        use StoreErrorKind::{Busy, ClaimLost, Corrupt, Invalid, Unavailable};
        for kind in [Busy, ClaimLost, Corrupt, Invalid, Unavailable] {
            let failed = Err(StoreError::new(kind, "x"));
            let outcome = Outcome::of(&failed, SOON);
            // Who reads logs wants to tell a copy in another transaction from a database that is down.
            assert_eq!(matches!(outcome, Outcome::InFlight { .. }), kind == Busy, "{kind}");
            let answer = answer(&outcome);
            assert_eq!(answer, (StatusCode::SERVICE_UNAVAILABLE, Some(SOON)), "{kind}");
        }
    }

    #[test]
    fn a_refusal_keeps_the_verifiers_status() {
        let refused = Outcome::Refused(Error::new(ErrorKind::SignatureMismatch, "stripe"));
        assert_eq!(answer(&refused), (StatusCode::UNAUTHORIZED, None));
        assert_eq!(RetryAfter::new(Duration::ZERO).as_secs(), 1);
        assert_eq!(RetryAfter::new(Duration::MAX).as_secs(), u64::MAX);
        assert_eq!(RetryAfter::new(Duration::from_secs(7)).to_header_value(), "7");
        assert_eq!(RetryAfter::new(Duration::from_millis(7001)).to_header_value(), "8");
    }
}
