//! What somebody should hear of.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::error::StoreError;
use crate::event::EventRow;
use crate::id::EndpointId;
use crate::recorded::Recorded;

/// What somebody should hear of: the argument of the hooks of workers and receivers.
///
/// A hook is called once for each, by whoever caused or found it, after the transaction that wrote it was committed. A
/// process that dies in between has told nobody; parked and dead events are listed by [`Store::list`](crate::Store::list)
/// all the same. As text it is one line for a log; reasons are the handler's own words.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Incident<'a> {
    /// The grace of a worker that was to stop ended while a handler with effects elsewhere ran. Nothing was written: when
    /// the lease ends, the event has the fate of those whose worker went silent.
    Abandoned {
        /// The event, as it was claimed.
        event: &'a EventRow,
    },
    /// An event was given up.
    Dead {
        /// The event, as it was claimed or found.
        event: &'a EventRow,
        /// Why.
        reason: &'a str,
    },
    /// So many attempts at events of one endpoint have failed in a row; called at each of [`ALARMS`](crate::ALARMS).
    Failing {
        /// The endpoint.
        endpoint: &'a EndpointId,
        /// How many.
        in_a_row: u32,
        /// Why the latest failed.
        reason: &'a str,
    },
    /// A claim was lost while its handler ran, and the handler was cancelled; or after it, and nothing was written.
    Lost {
        /// The event, as it was claimed.
        event: &'a EventRow,
    },
    /// An event was parked: a person decides.
    Parked {
        /// The event, as it was claimed or found.
        event: &'a EventRow,
        /// Why.
        reason: &'a str,
    },
    /// Something was recorded that a person has to look at; see [`Recorded::is_alarming`].
    Recorded {
        /// The endpoint.
        endpoint: &'a EndpointId,
        /// What.
        recorded: &'a Recorded,
    },
    /// The store could not do what was asked. The worker goes on, and tries again.
    Store {
        /// Its error.
        error: &'a StoreError,
    },
}

impl fmt::Display for Incident<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = |event: &EventRow| format!("event {} of {}", event.id, event.endpoint);
        match self {
            Self::Abandoned { event } => {
                write!(
                    f,
                    "{} was left to the end of its lease by a worker that stops",
                    about(event)
                )
            }
            Self::Dead { event, reason } => write!(f, "{} is dead: {reason}", about(event)),
            Self::Failing { endpoint, in_a_row, reason } => {
                write!(f, "{in_a_row} attempts in a row have failed at {endpoint}: {reason}")
            }
            Self::Lost { event } => write!(f, "the claim on {} was lost", about(event)),
            Self::Parked { event, reason } => write!(f, "{} is parked: {reason}", about(event)),
            Self::Recorded { endpoint, recorded } => {
                let what = match recorded {
                    Recorded::Conflict { .. } => "came again with other content, which is parked",
                    Recorded::Faulty { .. } => "has no usable identity and is parked",
                    _ => "has the same bytes as another with an unsigned id",
                };
                write!(f, "event {} of {endpoint} {what}", recorded.id())
            }
            Self::Store { error } => write!(f, "{error}"),
        }
    }
}

/// Whom to tell.
#[derive(Clone, Default)]
pub(crate) struct Hook(Option<Arc<Called>>);

type Called = dyn Fn(&Incident<'_>) + Send + Sync;

impl Hook {
    pub(crate) fn new(hook: impl Fn(&Incident<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hook)))
    }

    /// Tells. A hook that panics has been told.
    pub(crate) fn tell(&self, incident: &Incident<'_>) {
        if let Some(hook) = &self.0 {
            let _panic = catch_unwind(AssertUnwindSafe(|| hook(incident)));
        }
    }

    /// Tells of an error of the store.
    pub(crate) fn store(&self, error: &StoreError) {
        self.tell(&Incident::Store { error });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use hookproof::UnixTime;

    use super::*;
    use crate::error::StoreErrorKind;
    use crate::event::State;
    use crate::id::{DeliveryId, Digest, EventId};
    use crate::progress::Progress;

    #[test]
    fn each_is_one_line_that_names_the_event() {
        let (endpoint, now) = (EndpointId::new("billing").unwrap(), UnixTime::from_secs(1));
        let (id, delivery) = (EventId::from_u64(7), DeliveryId::from_u64(1));
        let event = &EventRow::new(id, endpoint.clone(), delivery, now, Progress::waiting(now));
        let endpoint = &endpoint;
        let (state, digest) = (State::Done, Digest::of(b""));
        let conflict = Recorded::Conflict {
            id,
            parked: id,
            state,
            first_seen: now,
            stored: digest,
            offered: digest,
        };
        let reason = "no route";
        for incident in [
            Incident::Abandoned { event },
            Incident::Dead { event, reason },
            Incident::Lost { event },
            Incident::Parked { event, reason },
            Incident::Recorded { endpoint, recorded: &conflict },
        ] {
            let line = incident.to_string();
            assert!(line.contains("event 7 of billing") && !line.contains('\n'), "{line}");
        }
        let failing = Incident::Failing { endpoint, in_a_row: 5, reason }.to_string();
        assert_eq!(failing, "5 attempts in a row have failed at billing: no route");
    }

    #[test]
    fn a_hook_may_panic() {
        let calls = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&calls);
        let hook = Hook::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            panic!("of the hook");
        });
        hook.store(&StoreError::new(StoreErrorKind::Busy, "x"));
        hook.clone().store(&StoreError::new(StoreErrorKind::Busy, "x"));
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        Hook::default().store(&StoreError::new(StoreErrorKind::Busy, "nobody listens"));
    }
}
