//! Asking for work, and finding events.

use core::time::Duration;

use hookproof::UnixTime;

use crate::event::{EventRow, State};
use crate::id::{EndpointId, EventId, Token};
use crate::progress::{ClaimLost, Stale};

/// Whether events of one stream are handled one after another.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Ordering {
    /// Any event that is due may be claimed, several of one stream at once.
    #[default]
    None,
    /// An event is claimed only if no earlier event of its endpoint and stream is waiting, in work or parked. A dead one
    /// does not hold up the others. Earlier is by [`EventRow::position`], then by number. Events without stream are free.
    PerStream,
}

/// Which events a worker takes, and on which terms.
///
/// ```
/// use core::time::Duration;
/// use hookproof_inbox::{ClaimRequest, EndpointId, Ordering, Stale};
/// let request = ClaimRequest::new(Duration::from_secs(60), Stale::Park, 12)
///     .endpoint(EndpointId::new("billing")?)
///     .ordering(Ordering::PerStream)
///     .limit(10);
/// assert_eq!(request.lease, Duration::from_secs(60));
/// # Ok::<(), hookproof_inbox::NameError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClaimRequest {
    /// How long the worker may be silent.
    pub lease: Duration,
    /// What happens to the event if it is silent for longer.
    pub stale: Stale,
    /// How many attempts an event has: one that silenced so many workers is dead.
    pub attempts: u32,
    /// The endpoint; `None` for all.
    pub endpoint: Option<EndpointId>,
    /// Whether events of one stream are handled one after another.
    pub ordering: Ordering,
    /// How many events to take at most.
    pub limit: u32,
}

impl ClaimRequest {
    /// One event of any endpoint, on these terms.
    #[must_use]
    pub const fn new(lease: Duration, stale: Stale, attempts: u32) -> Self {
        Self { lease, stale, attempts, endpoint: None, ordering: Ordering::None, limit: 1 }
    }

    /// Only events of this endpoint.
    #[must_use]
    pub fn endpoint(mut self, endpoint: EndpointId) -> Self {
        self.endpoint = Some(endpoint);
        self
    }

    /// In this ordering.
    #[must_use]
    pub const fn ordering(mut self, ordering: Ordering) -> Self {
        self.ordering = ordering;
        self
    }

    /// At most this many events.
    #[must_use]
    pub const fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }
}

/// A claimed event. Whoever finishes it shows the token.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub struct Claim {
    event: EventRow,
}

impl Claim {
    /// The claim on an event that is in work; `None` if it is not.
    #[must_use]
    pub fn new(event: EventRow) -> Option<Self> {
        (event.progress.state == State::InWork && event.progress.lease.is_some())
            .then_some(Self { event })
    }

    /// The event.
    #[must_use]
    pub const fn event(&self) -> &EventRow {
        &self.event
    }

    /// The number of the event.
    #[must_use]
    pub const fn id(&self) -> EventId {
        self.event.id
    }

    /// The fencing token: hand it on to systems that can refuse older ones.
    #[must_use]
    pub const fn token(&self) -> Token {
        self.event.progress.token
    }

    /// The number of this attempt, from 1.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.event.progress.attempts
    }

    /// How often the event was replayed. Above 0 this is a replay: its effect may have happened before.
    #[must_use]
    pub const fn replays(&self) -> u32 {
        self.event.progress.replays
    }

    /// What a store answers when the event is not there any more: somebody else has finished it, and it was purged.
    #[must_use]
    pub const fn gone(&self) -> ClaimLost {
        ClaimLost { state: State::Done, token: self.token().next() }
    }

    /// When the lease ends.
    #[must_use]
    pub const fn lease_end(&self) -> UnixTime {
        match self.event.progress.lease {
            Some(lease) => lease.end,
            // A claim is made with a lease only.
            None => UnixTime::from_millis(0),
        }
    }
}

/// What a worker that asked for work got, and what became of events whose workers went silent.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Claimed {
    /// The events to be worked on.
    pub claims: Vec<Claim>,
    /// The events that were parked: raise an alert for each.
    pub parked: Vec<EventRow>,
    /// The events that were given up, since the workers of all their attempts went silent.
    pub dead: Vec<EventRow>,
}

/// What became of an event that failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Failed {
    /// When it is tried again; `None` if it is dead.
    pub due: Option<UnixTime>,
    /// How many attempts at events of this endpoint have now failed in a row; see [`alarm`](crate::alarm).
    pub in_a_row: u32,
}

impl Failed {
    /// A failure with its consequences.
    pub const fn new(due: Option<UnixTime>, in_a_row: u32) -> Self {
        Self { due, in_a_row }
    }
}

/// Which events are meant, for lists and replays. Everything that is given must hold.
///
/// ```
/// use hookproof::UnixTime;
/// use hookproof_inbox::{Selection, State};
/// let yesterday = Selection::new()
///     .received(UnixTime::from_secs(1_700_000_000), UnixTime::from_secs(1_700_086_400))
///     .state(State::Dead)
///     .kind("invoice.paid");
/// # let _ = yesterday;
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Selection {
    /// One event.
    pub event: Option<EventId>,
    /// The endpoint.
    pub endpoint: Option<EndpointId>,
    /// The kind.
    pub kind: Option<Box<str>>,
    /// What it is about.
    pub subject: Option<Box<str>>,
    /// The state.
    pub state: Option<State>,
    /// The first moment of arrival.
    pub from: Option<UnixTime>,
    /// The moment of arrival before which events must have arrived.
    pub until: Option<UnixTime>,
}

impl Selection {
    /// All events.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            event: None,
            endpoint: None,
            kind: None,
            subject: None,
            state: None,
            from: None,
            until: None,
        }
    }

    /// Only this event.
    #[must_use]
    pub const fn event(mut self, id: EventId) -> Self {
        self.event = Some(id);
        self
    }

    /// Only events of this endpoint.
    #[must_use]
    pub fn endpoint(mut self, endpoint: EndpointId) -> Self {
        self.endpoint = Some(endpoint);
        self
    }

    /// Only events of this kind.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<Box<str>>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Only events about this.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<Box<str>>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Only events in this state.
    #[must_use]
    pub const fn state(mut self, state: State) -> Self {
        self.state = Some(state);
        self
    }

    /// Only events that arrived from `from` on and before `until`.
    #[must_use]
    pub const fn received(mut self, from: UnixTime, until: UnixTime) -> Self {
        self.from = Some(from);
        self.until = Some(until);
        self
    }

    /// Whether an event is meant.
    #[must_use]
    pub fn matches(&self, event: &EventRow) -> bool {
        self.event.is_none_or(|id| id == event.id)
            && self.endpoint.as_ref().is_none_or(|endpoint| *endpoint == event.endpoint)
            && self.kind.as_ref().is_none_or(|kind| Some(kind) == event.kind.as_ref())
            && self.subject.as_ref().is_none_or(|about| Some(about) == event.subject.as_ref())
            && self.state.is_none_or(|state| state == event.progress.state)
            && self.from.is_none_or(|from| from <= event.received_at)
            && self.until.is_none_or(|until| event.received_at < until)
    }
}

/// A page of a list: the events after this one, at most so many.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The last event of the page before; `None` for the first page.
    pub after: Option<EventId>,
    /// The most events of the page.
    pub limit: u32,
}

impl Page {
    /// The first page, of at most 100 events.
    pub const FIRST: Self = Self { after: None, limit: 100 };

    /// The page after this event.
    #[must_use]
    pub const fn after(self, id: EventId) -> Self {
        Self { after: Some(id), limit: self.limit }
    }

    /// With at most this many events.
    #[must_use]
    pub const fn limit(self, limit: u32) -> Self {
        Self { after: self.after, limit }
    }
}

/// What a replay did.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// How many events are to be worked on again.
    pub events: u64,
    /// How many matched but wait or are in work anyway.
    pub skipped: u64,
}

impl Replayed {
    /// A replay of so many events.
    #[must_use]
    pub const fn new(events: u64, skipped: u64) -> Self {
        Self { events, skipped }
    }
}
