//! How long payloads and keys are kept.
//!
//! A payload may go as soon as nobody needs to look at it or work on it. A key must stay as long as the sender may send
//! the event again, or a late copy is taken for a new event.

use core::fmt;
use core::time::Duration;

use hookproof::{Info, UnixTime};

use crate::event::State;
use crate::time::earlier;

/// For how long the keys of a sender's events are kept. It is never shorter than the sender's retries.
///
/// ```
/// use core::time::Duration;
/// use hookproof::{Provider, providers::STRIPE};
/// use hookproof_inbox::KeyHorizon;
/// let day = Duration::from_secs(24 * 3600);
/// assert!(KeyHorizon::new(STRIPE.info(), 90 * day).is_ok());
/// let error = KeyHorizon::new(STRIPE.info(), day).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "stripe sends an event again for up to 259200 s, so its keys cannot be purged after 86400 s",
/// );
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeyHorizon {
    keep: Duration,
}

impl KeyHorizon {
    /// Keeps the keys of this sender's events for so long.
    ///
    /// Where a sender states no horizon, any is taken; add the days for which it offers to send an event again by hand.
    ///
    /// # Errors
    ///
    /// [`HorizonError`] if the sender may send an event again after that time.
    pub fn new(info: &Info, keep: Duration) -> Result<Self, HorizonError> {
        match info.retry_horizon {
            Some(needed) if keep <= needed => {
                Err(HorizonError { provider: info.id, given: keep, needed })
            }
            _ => Ok(Self { keep }),
        }
    }

    /// The time for which keys are kept.
    #[must_use]
    pub const fn keep(&self) -> Duration {
        self.keep
    }

    /// Keys recorded before this moment may go.
    #[must_use]
    pub fn before(&self, now: UnixTime) -> UnixTime {
        earlier(now, self.keep)
    }
}

/// The keys of a sender would be purged while it may still send their events again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct HorizonError {
    /// The id of the sender.
    pub provider: &'static str,
    /// The time for which keys were to be kept.
    pub given: Duration,
    /// The time for which the sender tries again: keys must be kept for longer.
    pub needed: Duration,
}

impl fmt::Display for HorizonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} sends an event again for up to {} s, so its keys cannot be purged after {} s",
            self.provider,
            self.needed.as_secs(),
            self.given.as_secs()
        )
    }
}

impl core::error::Error for HorizonError {}

/// Whether a delivery that arrived then may be purged, given the states of its events.
///
/// What waits, is in work, parked or dead keeps its payload, however old it is.
#[must_use]
pub fn may_purge_payload(
    received_at: UnixTime,
    before: UnixTime,
    events: impl IntoIterator<Item = State>,
) -> bool {
    received_at < before && events.into_iter().all(State::is_finished)
}

/// Whether a key recorded then may be purged, given where its event stands and whether the log is sealed beyond it.
///
/// `sealed` is `None` where no log is kept, else whether a checkpoint lies above the key's row of the log.
#[must_use]
pub fn may_purge_key(
    first_seen: UnixTime,
    before: UnixTime,
    state: State,
    sealed: Option<Sealed>,
) -> bool {
    first_seen < before && state.is_finished() && sealed != Some(Sealed::Open)
}

/// Where a row stands to the latest checkpoint of the log.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Sealed {
    /// Below it: the row may go.
    Below,
    /// Above it, or not in the log yet: the row must stay.
    Open,
}

/// What one bounded step of a purge did.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Purged {
    /// How many rows are gone.
    pub rows: u64,
    /// The limit was reached: purge again.
    pub more: bool,
}

impl Purged {
    /// A step that removed so many rows.
    pub const fn new(rows: u64, more: bool) -> Self {
        Self { rows, more }
    }
}

#[cfg(test)]
mod tests {
    use hookproof::Provider;
    use hookproof::providers::{self, GITHUB};

    use super::*;

    #[test]
    fn keys_outlive_every_senders_retries() {
        for provider in providers::ALL {
            let info = provider.info();
            let Some(needed) = info.retry_horizon else { continue };
            let error = KeyHorizon::new(info, needed).unwrap_err();
            assert_eq!((error.provider, error.needed), (info.id, needed));
            assert!(error.to_string().contains(&needed.as_secs().to_string()));
            assert!(KeyHorizon::new(info, needed + Duration::from_secs(1)).is_ok());
        }
        assert!(KeyHorizon::new(GITHUB.info(), Duration::ZERO).is_ok());
        let horizon = KeyHorizon::new(GITHUB.info(), Duration::from_secs(10)).unwrap();
        assert_eq!(horizon.before(UnixTime::from_secs(30)), UnixTime::from_secs(20));
    }

    #[test]
    fn only_what_is_finished_goes() {
        let (old, before) = (UnixTime::from_secs(1), UnixTime::from_secs(2));
        for state in State::ALL {
            assert_eq!(may_purge_payload(old, before, [State::Done, state]), state == State::Done);
            assert_eq!(may_purge_key(old, before, state, None), state == State::Done);
        }
        assert!(may_purge_payload(old, before, []));
        assert!(!may_purge_payload(before, before, []));
        assert!(may_purge_key(old, before, State::Done, Some(Sealed::Below)));
        assert!(!may_purge_key(old, before, State::Done, Some(Sealed::Open)));
    }
}
