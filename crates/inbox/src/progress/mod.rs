//! The state machine of an event as pure functions: what is stored, what is asked and the time go in, what is to be
//! stored comes out.
//!
//! Every store decides by these functions, so that all give the same answers. The clock never decides who may finish an
//! event: the fencing token does. A clock that steps back lengthens leases; one that steps forward lets others take an
//! event over early, and then the token keeps the late worker from finishing it.

use core::fmt;
use core::time::Duration;

use hookproof::UnixTime;

use crate::backoff::Backoff;
use crate::event::{State, note};
use crate::id::Token;
use crate::time::{between, later};

/// What happens to an event whose worker went silent. There is no default: the price of a doubled effect decides.
///
/// It is fixed when the event is claimed, and binds whoever looks at the event later.
///
/// ```
/// use core::time::Duration;
/// use hookproof_inbox::Stale;
/// // A doubled mail is cheap.
/// let mail = Stale::Reclaim { after: Duration::from_secs(30) };
/// // A doubled charge is not: it stays, is listed, and raises an alert.
/// let charge = Stale::Park;
/// # let _ = (mail, charge);
/// ```
///
/// ```compile_fail
/// let unsaid = hookproof_inbox::Stale::default();
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "callers choose one of two, and stores must know both")]
pub enum Stale {
    /// Somebody else may claim it this long after the end of the lease.
    Reclaim {
        /// The time beyond the lease: room for clocks that differ.
        after: Duration,
    },
    /// It is parked at the end of the lease, since its effect may have happened.
    Park,
}

/// A lease on an event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Lease {
    /// When the event was claimed.
    pub claimed_at: UnixTime,
    /// When the lease ends.
    pub end: UnixTime,
    /// When somebody else may claim the event; `None` if it is to be parked instead.
    pub reclaim_at: Option<UnixTime>,
}

impl Lease {
    /// A lease as a store keeps it.
    #[must_use]
    pub const fn new(claimed_at: UnixTime, end: UnixTime, reclaim_at: Option<UnixTime>) -> Self {
        Self { claimed_at, end, reclaim_at }
    }
}

/// How far the work on an event is.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The state.
    pub state: State,
    /// The attempts since it was recorded or last replayed, the present one included.
    pub attempts: u32,
    /// The token of the latest claim.
    pub token: Token,
    /// When it is to be worked on.
    pub due: UnixTime,
    /// The lease, while it is in work.
    pub lease: Option<Lease>,
    /// How often it was replayed.
    pub replays: u32,
    /// What went wrong last, or why it is parked.
    pub error: Option<Box<str>>,
}

/// What to do with an event that somebody who looks for work has found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Ready {
    /// Claim it.
    Claim,
    /// Give it up: its last worker went silent, and it has had all its attempts.
    Die,
    /// Leave it.
    No,
    /// Park it.
    Park,
}

impl Progress {
    /// An event that is to be worked on at once.
    #[must_use]
    pub const fn waiting(now: UnixTime) -> Self {
        Self {
            state: State::Waiting,
            attempts: 0,
            token: Token::NEVER,
            due: now,
            lease: None,
            replays: 0,
            error: None,
        }
    }

    /// An event without usable identity: kept, listed, and left to a person.
    #[must_use]
    pub fn faulty(problem: &str, now: UnixTime) -> Self {
        Self { state: State::Parked, error: Some(note(problem)), ..Self::waiting(now) }
    }

    /// What to do with it now, if events may have this many attempts.
    #[must_use]
    pub fn ready(&self, attempts: u32, now: UnixTime) -> Ready {
        match (self.state, self.lease) {
            (State::Waiting, _) if self.due <= now => Ready::Claim,
            (State::InWork, Some(Lease { reclaim_at: None, end, .. })) if end <= now => Ready::Park,
            (State::InWork, Some(Lease { reclaim_at: Some(at), .. })) if at <= now => {
                if self.attempts >= attempts { Ready::Die } else { Ready::Claim }
            }
            _ => Ready::No,
        }
    }

    /// The moment from which on [`ready`](Self::ready) finds something to do with it; `None` if no time changes that.
    #[must_use]
    pub const fn ready_at(&self) -> Option<UnixTime> {
        match (self.state, self.lease) {
            (State::Waiting, _) => Some(self.due),
            (State::InWork, Some(Lease { reclaim_at: Some(at), .. } | Lease { end: at, .. })) => {
                Some(at)
            }
            _ => None,
        }
    }

    /// Claimed, with a new token.
    #[must_use]
    pub fn claim(&self, lease: Duration, stale: Stale, now: UnixTime) -> Self {
        let end = later(now, lease);
        let reclaim_at = match stale {
            Stale::Reclaim { after } => Some(later(end, after)),
            Stale::Park => None,
        };
        Self {
            state: State::InWork,
            attempts: self.attempts.saturating_add(1),
            token: self.token.next(),
            lease: Some(Lease { claimed_at: now, end, reclaim_at }),
            ..self.clone()
        }
    }

    /// Parked, since its worker went silent.
    #[must_use]
    pub fn park_stale(&self) -> Self {
        let error = "the worker went silent; its effect may have happened";
        Self { state: State::Parked, lease: None, error: Some(error.into()), ..self.clone() }
    }

    /// Dead, since its last worker went silent.
    #[must_use]
    pub fn die(&self) -> Self {
        let error = "the worker of the last attempt went silent";
        Self { state: State::Dead, lease: None, error: Some(error.into()), ..self.clone() }
    }

    /// With a longer lease. A lease never gets shorter, whatever the clock does.
    ///
    /// # Errors
    ///
    /// [`ClaimLost`] if the token is not that of the present claim.
    pub fn extend(&self, token: Token, by: Duration, now: UnixTime) -> Result<Self, ClaimLost> {
        let lease = self.held(token)?;
        let end = lease.end.max(later(now, by));
        let reclaim_at = lease.reclaim_at.map(|at| later(end, between(lease.end, at)));
        Ok(Self { lease: Some(Lease { end, reclaim_at, ..lease }), ..self.clone() })
    }

    /// Done. A lease that has ended does not matter as long as nobody took the event over.
    ///
    /// # Errors
    ///
    /// [`ClaimLost`] if the token is not that of the present claim.
    pub fn complete(&self, token: Token) -> Result<Self, ClaimLost> {
        self.held(token)?;
        Ok(Self { state: State::Done, lease: None, error: None, ..self.clone() })
    }

    /// Failed: waiting for the next attempt, or dead if it has had all of them.
    ///
    /// # Errors
    ///
    /// [`ClaimLost`] if the token is not that of the present claim.
    pub fn fail(
        &self,
        token: Token,
        error: &str,
        backoff: &Backoff,
        seed: u64,
        now: UnixTime,
    ) -> Result<Self, ClaimLost> {
        self.held(token)?;
        let (state, due) = match backoff.after(self.attempts, seed) {
            Some(delay) => (State::Waiting, later(now, delay)),
            None => (State::Dead, self.due),
        };
        Ok(Self { state, due, lease: None, error: Some(note(error)), ..self.clone() })
    }

    /// Parked by its worker.
    ///
    /// # Errors
    ///
    /// [`ClaimLost`] if the token is not that of the present claim.
    pub fn park(&self, token: Token, reason: &str) -> Result<Self, ClaimLost> {
        self.held(token)?;
        let error = Some(note(reason));
        Ok(Self { state: State::Parked, lease: None, error, ..self.clone() })
    }

    /// Given back unworked: waiting again, and the attempt does not count.
    ///
    /// # Errors
    ///
    /// [`ClaimLost`] if the token is not that of the present claim.
    pub fn release(&self, token: Token) -> Result<Self, ClaimLost> {
        self.held(token)?;
        let attempts = self.attempts.saturating_sub(1);
        Ok(Self { state: State::Waiting, attempts, lease: None, ..self.clone() })
    }

    /// To be worked on again, with all its attempts, marked as a replay; `None` if it is waiting or in work anyway.
    #[must_use]
    pub fn replay(&self, now: UnixTime) -> Option<Self> {
        let replays = self.replays.saturating_add(1);
        match self.state {
            State::Done | State::Parked | State::Dead => {
                Some(Self { state: State::Waiting, attempts: 0, due: now, replays, ..self.clone() })
            }
            State::InWork | State::Waiting => None,
        }
    }

    /// Done by a person's word, with a note; `None` if it is in work or done anyway.
    #[must_use]
    pub fn settle(&self, reason: &str) -> Option<Self> {
        match self.state {
            State::Dead | State::Parked | State::Waiting => {
                Some(Self { state: State::Done, error: Some(note(reason)), ..self.clone() })
            }
            State::Done | State::InWork => None,
        }
    }

    fn held(&self, token: Token) -> Result<Lease, ClaimLost> {
        match self.lease {
            Some(lease) if self.state == State::InWork && self.token == token => Ok(lease),
            _ => Err(ClaimLost { state: self.state, token: self.token }),
        }
    }
}

/// The claim is no longer its worker's: roll back whatever was written with it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ClaimLost {
    /// The event's state now.
    pub state: State,
    /// The token of its latest claim.
    pub token: Token,
}

impl fmt::Display for ClaimLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the claim was lost: the event is {} under token {}; roll back",
            self.state, self.token
        )
    }
}

impl core::error::Error for ClaimLost {}

#[cfg(test)]
mod tests;
