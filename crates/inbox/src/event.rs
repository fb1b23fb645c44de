//! A recorded event, where it stands, and what was tried with it.

use core::fmt;

use hookproof::UnixTime;

use crate::id::{DeliveryId, EndpointId, EventId, Key, Token};
use crate::progress::Progress;
use crate::stream::Version;

/// Where an event stands.
///
/// Waiting → in work → done is the usual way. Parked and dead events wait for a person; see
/// [`Store::replay`](crate::Store::replay) and [`Store::settle`](crate::Store::settle).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum State {
    /// To be worked on, at once or when it is due.
    Waiting,
    /// Claimed: somebody holds a lease.
    InWork,
    /// Its effect happened.
    Done,
    /// Nobody knows whether its effect happened, or it has no usable identity: a person decides.
    Parked,
    /// Given up after too many attempts.
    Dead,
}

impl State {
    /// Every state, in order.
    pub const ALL: [Self; 5] = [Self::Waiting, Self::InWork, Self::Done, Self::Parked, Self::Dead];

    /// The state as a kebab-case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::InWork => "in-work",
            Self::Done => "done",
            Self::Parked => "parked",
            Self::Dead => "dead",
        }
    }

    /// The state of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// The state's number in a database.
    #[must_use]
    pub const fn code(self) -> i16 {
        match self {
            Self::Waiting => 0,
            Self::InWork => 1,
            Self::Done => 2,
            Self::Parked => 3,
            Self::Dead => 4,
        }
    }

    /// The state of this number.
    #[must_use]
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.code() == code)
    }

    /// Whether nothing is left to do. Only finished events, their payloads and their keys are ever purged.
    #[must_use]
    pub const fn is_finished(self) -> bool {
        matches!(self, Self::Done)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A recorded event that is worked on later, as a store keeps it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct EventRow {
    /// Its number.
    pub id: EventId,
    /// The endpoint at which it arrived.
    pub endpoint: EndpointId,
    /// Its key; `None` if nothing tells two events of this kind apart, or if it has no usable identity.
    pub key: Option<Key>,
    /// Its kind, such as `invoice.paid`.
    pub kind: Option<Box<str>>,
    /// What it is about.
    pub subject: Option<Box<str>>,
    /// What its order holds within.
    pub stream: Option<Box<str>>,
    /// Its place in the order of the stream.
    pub order: Option<Version>,
    /// The key of the change, where one change can arrive under two ids.
    pub twin: Option<Box<str>>,
    /// The stored delivery that holds it. Its payload may be purged already.
    pub delivery: DeliveryId,
    /// Its place in the delivery: 0 for senders that do not send batches.
    pub index: u32,
    /// When the delivery arrived.
    pub received_at: UnixTime,
    /// How far the work on it is.
    pub progress: Progress,
}

impl EventRow {
    /// A row with only what every event has.
    #[must_use]
    pub const fn new(
        id: EventId,
        endpoint: EndpointId,
        delivery: DeliveryId,
        received_at: UnixTime,
        progress: Progress,
    ) -> Self {
        Self {
            id,
            endpoint,
            key: None,
            kind: None,
            subject: None,
            stream: None,
            order: None,
            twin: None,
            delivery,
            index: 0,
            received_at,
            progress,
        }
    }

    /// The place of the event among those of its stream when they are handled one after another: its order in
    /// microseconds, or the time of its arrival where the sender gives no order. Equal places are taken in the order of
    /// [`EventId`].
    #[must_use]
    pub fn position(&self) -> i64 {
        position(self.order, self.received_at)
    }
}

/// See [`EventRow::position`].
#[must_use]
pub fn position(order: Option<Version>, received_at: UnixTime) -> i64 {
    let arrival = || crate::time::to_sql(received_at).saturating_mul(1000);
    order.map_or_else(arrival, Version::as_micros)
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum AttemptOutcome {
    /// The event was completed.
    Done,
    /// It failed, and is tried again or dead.
    Failed,
    /// The lease ran out: somebody else took the event over, or it was parked.
    Lost,
    /// The worker parked it.
    Parked,
    /// The worker gave it back unworked.
    Released,
}

impl AttemptOutcome {
    /// Every outcome.
    pub const ALL: [Self; 5] = [Self::Done, Self::Failed, Self::Lost, Self::Parked, Self::Released];

    /// The outcome as a word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Lost => "lost",
            Self::Parked => "parked",
            Self::Released => "released",
        }
    }

    /// The outcome of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == word)
    }
}

/// One attempt at an event, once it has ended.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct AttemptRow {
    /// The event.
    pub event: EventId,
    /// The token of its claim: one event has no two attempts of one token.
    pub token: Token,
    /// The number of the attempt, from 1; it starts again with a replay.
    pub number: u32,
    /// How often the event had been replayed.
    pub replays: u32,
    /// When it was claimed.
    pub started_at: UnixTime,
    /// When it ended, or was found to have been lost.
    pub ended_at: UnixTime,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// What went wrong.
    pub error: Option<Box<str>>,
}

impl AttemptRow {
    /// An attempt as a store keeps it: the first one of an event that was not replayed, without error.
    #[must_use]
    pub const fn new(
        event: EventId,
        token: Token,
        started_at: UnixTime,
        ended_at: UnixTime,
        outcome: AttemptOutcome,
    ) -> Self {
        Self { event, token, number: 1, replays: 0, started_at, ended_at, outcome, error: None }
    }

    /// The attempt that this claimed event is in, ended now; `None` if it is not in work.
    #[must_use]
    pub fn of(
        event: EventId,
        progress: &Progress,
        outcome: AttemptOutcome,
        error: Option<&str>,
        now: UnixTime,
    ) -> Option<Self> {
        let lease = progress.lease?;
        Some(Self {
            event,
            token: progress.token,
            number: progress.attempts,
            replays: progress.replays,
            started_at: lease.claimed_at,
            ended_at: now,
            outcome,
            error: error.map(note),
        })
    }

    /// How long it took; zero if the clock stepped back.
    #[must_use]
    pub const fn duration(&self) -> core::time::Duration {
        crate::time::between(self.started_at, self.ended_at)
    }
}

/// The longest text of an error that is kept, in bytes.
const MAX_NOTE: usize = 2000;
/// The longest kind, in bytes.
const MAX_KIND: usize = 256;
/// The longest subject, stream or twin that is kept as it is, in bytes: databases index them.
const MAX_NAME: usize = 1024;

/// A text of an error or reason as every database can keep it: bounded, and without NUL.
#[must_use]
pub fn note(text: &str) -> Box<str> {
    cut(text, MAX_NOTE, |char| char == '\0')
}

/// A kind as it is kept: bounded, and without control characters.
pub(crate) fn kind(text: &str) -> Box<str> {
    cut(text, MAX_KIND, char::is_control)
}

/// A subject, stream or twin as it is kept: if it is too long, its digest stands for it.
pub(crate) fn name(text: &str) -> Box<str> {
    if text.len() <= MAX_NAME {
        return text.into();
    }
    // Parts of names are percent-encoded, so that no name has a colon.
    format!("sha256:{}", crate::id::Digest::of(text.as_bytes())).into()
}

fn cut(text: &str, limit: usize, bad: impl Fn(char) -> bool) -> Box<str> {
    let mut kept = String::new();
    for char in text.chars() {
        let char = if bad(char) { char::REPLACEMENT_CHARACTER } else { char };
        if kept.len() + char.len_utf8() > limit {
            break;
        }
        kept.push(char);
    }
    kept.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_codes_are_one_to_one() {
        for state in State::ALL {
            assert_eq!(State::from_word(state.as_str()), Some(state));
            assert_eq!(State::from_code(state.code()), Some(state));
            assert_eq!(state.to_string(), state.as_str());
        }
        assert_eq!(State::ALL.map(State::code), [0, 1, 2, 3, 4]);
        let words = ["waiting", "in-work", "done", "parked", "dead"];
        assert_eq!(State::ALL.map(State::as_str), words);
        let finished = State::ALL.map(State::is_finished);
        assert_eq!(finished, [false, false, true, false, false]);
        assert_eq!(State::from_word("Done"), None);
        assert_eq!(State::from_code(5), None);
        for outcome in AttemptOutcome::ALL {
            assert_eq!(AttemptOutcome::from_word(outcome.as_str()), Some(outcome));
        }
        let words = ["done", "failed", "lost", "parked", "released"];
        assert_eq!(AttemptOutcome::ALL.map(AttemptOutcome::as_str), words);
        assert_eq!(AttemptOutcome::from_word("Done"), None);
    }

    #[test]
    fn texts_fit_every_database() {
        assert_eq!(&*note("a\0b"), "a\u{fffd}b");
        assert!(note(&"é".repeat(5000)).len() <= MAX_NOTE);
        assert_eq!(&*kind("a\u{1}\nb"), "a\u{fffd}\u{fffd}b");
        assert_eq!(kind(&"k".repeat(1000)).len(), MAX_KIND);
        assert_eq!(&*name("in_1"), "in_1");
        let long = name(&"s".repeat(1025));
        assert!(long.starts_with("sha256:") && long.len() == 71);
        assert_ne!(long, name(&"s".repeat(1026)));
    }

    #[test]
    fn positions_are_total() {
        let arrival = UnixTime::from_millis(5);
        assert_eq!(position(None, arrival), 5000);
        assert_eq!(position(Some(Version::millis(4)), arrival), 4000);
        assert_eq!(position(Some(Version::secs(i64::MAX)), arrival), i64::MAX);
        assert_eq!(position(None, UnixTime::from_millis(u64::MAX)), i64::MAX);
    }
}
