//! What became of each entry of a batch.

use std::collections::HashMap;

use hookproof::{EventError, UnixTime};

use crate::batch::{Batch, Entry, Work};
use crate::event::State;
use crate::id::{Digest, EventId, Key};

/// What became of an entry that was to be recorded.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
#[non_exhaustive]
pub enum Recorded {
    /// The key is stored with other content: tell somebody. It was recorded under a key of its own and parked, with its
    /// delivery; copies of it are not kept again.
    ///
    /// Either the sender broke its own rule, or somebody uses an id that is not signed for another body.
    Conflict {
        /// The event that is stored under the key.
        id: EventId,
        /// The number under which this one is listed.
        parked: EventId,
        /// Where it stands.
        state: State,
        /// When it was recorded.
        first_seen: UnixTime,
        /// Its content.
        stored: Digest,
        /// The content of this entry.
        offered: Digest,
    },
    /// It was recorded before, or stands earlier in the same batch.
    Duplicate {
        /// The event that is stored.
        id: EventId,
        /// Where it stands.
        state: State,
        /// When it was recorded.
        first_seen: UnixTime,
    },
    /// It has no usable identity. It was recorded under a key of its own and parked, with its delivery; copies of it are
    /// not kept again.
    Faulty {
        /// The number under which it is listed.
        id: EventId,
        /// What is wrong with it.
        error: EventError,
    },
    /// It is new, and recorded.
    New {
        /// Its number.
        id: EventId,
        /// The notice that the same signed bytes are stored under this other key. It is given only where the id is not
        /// signed: a replay under another id looks like this, and so do two events with equal bodies, which is why
        /// nothing is dropped.
        same_bytes: Option<Key>,
    },
    /// It has no key, since nothing tells two events of its kind apart, and was recorded once more: fetch the object,
    /// then write idempotently.
    Unkeyed {
        /// Its number.
        id: EventId,
    },
}

impl Recorded {
    /// The number of the event that is stored under the key.
    #[must_use]
    pub const fn id(&self) -> EventId {
        match self {
            Self::Conflict { id, .. }
            | Self::Duplicate { id, .. }
            | Self::Faulty { id, .. }
            | Self::New { id, .. }
            | Self::Unkeyed { id } => *id,
        }
    }

    /// Whether the event's effect is to happen in the transaction that recorded it with [`Work::Here`].
    #[must_use]
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::New { .. } | Self::Unkeyed { .. })
    }

    /// Whether somebody should be told.
    #[must_use]
    pub const fn is_alarming(&self) -> bool {
        matches!(
            self,
            Self::Conflict { .. } | Self::Faulty { .. } | Self::New { same_bytes: Some(_), .. }
        )
    }
}

/// What a store found at an entry that it tried to insert.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The number of the event that is stored.
    pub id: EventId,
    /// It was inserted just now.
    pub inserted: bool,
    /// Its content.
    pub content: Digest,
    /// When it was recorded.
    pub first_seen: UnixTime,
    /// Where it stands.
    pub state: State,
    /// Another key of the endpoint with an unsigned id and the same body.
    pub same_bytes: Option<Key>,
}

impl Found {
    /// An entry that was inserted just now.
    #[must_use]
    pub const fn inserted(id: EventId, content: Digest, first_seen: UnixTime, work: Work) -> Self {
        let state = match work {
            Work::Here => State::Done,
            Work::Later => State::Waiting,
        };
        Self { id, inserted: true, content, first_seen, state, same_bytes: None }
    }

    /// An entry that was there before.
    #[must_use]
    pub const fn stored(id: EventId, content: Digest, first_seen: UnixTime, state: State) -> Self {
        Self { id, inserted: false, content, first_seen, state, same_bytes: None }
    }

    /// With the notice that the same body is stored under another key.
    #[must_use]
    pub fn with_same_bytes(mut self, key: Option<Key>) -> Self {
        self.same_bytes = key;
        self
    }
}

/// Which entries of a batch a store inserts: the first of every key, and all without key. What it finds there decides
/// over the others, so that duplicates within a batch get the same answer on every store.
#[derive(Clone, Debug)]
pub struct Plan<'b> {
    batch: &'b Batch,
    inserts: Vec<usize>,
    /// For every entry, the place in `inserts` that decides over it.
    decides: Vec<usize>,
}

impl<'b> Plan<'b> {
    /// The plan for a batch.
    #[must_use]
    pub fn new(batch: &'b Batch) -> Self {
        let mut first: HashMap<&Key, usize> = HashMap::new();
        let (mut inserts, mut decides) = (Vec::new(), Vec::new());
        for (index, entry) in batch.entries().iter().enumerate() {
            let own = inserts.len();
            let place = entry.key().map_or(own, |key| *first.entry(key).or_insert(own));
            if place == own {
                inserts.push(index);
            }
            decides.push(place);
        }
        Self { batch, inserts, decides }
    }

    /// The places of the entries to be inserted, in order.
    #[must_use]
    pub fn inserts(&self) -> &[usize] {
        &self.inserts
    }

    /// The entries whose keys are stored with other content, as a batch that is recorded in the same way after this one:
    /// each has a key of its own and is parked. `None` if there is none, as nearly always.
    #[must_use]
    pub fn conflicts(&self, found: &[Found]) -> Option<Batch> {
        let entries: Vec<Entry> = self
            .decided(found)
            .filter_map(|(entry, found, own)| conflict(entry, found, own))
            .collect();
        (!entries.is_empty()).then(|| self.batch.with_entries(entries))
    }

    /// The number of every entry, from what was found for each of [`inserts`](Self::inserts).
    #[must_use]
    pub fn ids(&self, found: &[Found]) -> Vec<EventId> {
        self.decided(found).map(|(_, found, _)| found.id).collect()
    }

    /// The verdicts of all entries in their order, from what was found for each of [`inserts`](Self::inserts), and the
    /// numbers that the [`conflicts`](Self::conflicts) got, in their order.
    ///
    /// Entries for which nothing is given have no verdict, so a store that loses one returns too few.
    #[must_use]
    pub fn verdicts(&self, found: &[Found], parked: &[EventId]) -> Vec<Recorded> {
        let mut parked = parked.iter();
        self.decided(found)
            .filter_map(|(entry, found, own)| {
                let id = found.id;
                let Some(event) = entry.event() else {
                    return entry.error().map(|error| Recorded::Faulty { id, error });
                };
                if event.key.is_none() {
                    return Some(Recorded::Unkeyed { id });
                }
                let (state, first_seen, stored) = (found.state, found.first_seen, found.content);
                Some(if own {
                    Recorded::New { id, same_bytes: found.same_bytes.clone() }
                } else if stored == event.content {
                    Recorded::Duplicate { id, state, first_seen }
                } else {
                    let (parked, offered) = (*parked.next()?, event.content);
                    Recorded::Conflict { id, parked, state, first_seen, stored, offered }
                })
            })
            .collect()
    }

    /// Every entry with what was found for its key, and whether it is the one that was inserted just now.
    fn decided<'f>(
        &'f self,
        found: &'f [Found],
    ) -> impl Iterator<Item = (&'b Entry, &'f Found, bool)> {
        let entries = self.batch.entries().iter().zip(&self.decides).enumerate();
        entries.filter_map(|(index, (entry, &place))| {
            let found = found.get(place)?;
            let own = found.inserted && self.inserts.get(place) == Some(&index);
            Some((entry, found, own))
        })
    }
}

/// The entry to be kept aside, if its key is stored with other content.
fn conflict(entry: &Entry, found: &Found, own: bool) -> Option<Entry> {
    let event = entry.event()?;
    (!own && event.content != found.content).then(|| entry.conflict(found.id))?
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderMap;

    use super::*;
    use crate::batch::{Entry, NewEvent};
    use crate::id::EndpointId;

    const NOW: UnixTime = UnixTime::from_secs(5);

    fn batch(events: &[(Option<&str>, &str)]) -> Batch {
        let endpoint = EndpointId::new("e").unwrap();
        let empty = Batch::unread(endpoint, "p", NOW, HeaderMap::new(), Bytes::new());
        events.iter().fold(empty, |batch, (key, content)| {
            let key = key.map(|key| Key::new(key).unwrap());
            batch.with_entry(Entry::new(NewEvent::new(key, Digest::of(content.as_bytes()))))
        })
    }

    fn inserted(id: u64, content: &str) -> Found {
        let content = Digest::of(content.as_bytes());
        Found::inserted(EventId::from_u64(id), content, NOW, Work::Later)
    }

    #[test]
    fn duplicates_within_a_batch_follow_the_first() {
        let batch = batch(&[
            (Some("a"), "1"),
            (Some("b"), "1"),
            (Some("a"), "1"),
            (None, "1"),
            (Some("a"), "2"),
            (None, "1"),
        ]);
        let plan = Plan::new(&batch);
        assert_eq!(plan.inserts(), [0, 1, 3, 5]);
        let found = [inserted(7, "1"), inserted(8, "1"), inserted(9, "1"), inserted(10, "1")];
        let conflicts = plan.conflicts(&found).unwrap();
        assert_eq!(conflicts.entries().len(), 1);
        assert_eq!(conflicts.entries()[0].index(), 4);
        let key = conflicts.entries()[0].key().unwrap().as_str();
        assert_eq!(key, format!("a~{}", Digest::of(b"2")));
        assert!(conflicts.entries()[0].problem().unwrap().contains("event 7"));
        let again = Plan::new(&conflicts);
        let parked = again.ids(&[inserted(11, "2")]);
        let verdicts = plan.verdicts(&found, &parked);
        let id = EventId::from_u64;
        let (first_seen, state) = (NOW, State::Waiting);
        assert_eq!(
            verdicts,
            [
                Recorded::New { id: id(7), same_bytes: None },
                Recorded::New { id: id(8), same_bytes: None },
                Recorded::Duplicate { id: id(7), state, first_seen },
                Recorded::Unkeyed { id: id(9) },
                Recorded::Conflict {
                    id: id(7),
                    parked: id(11),
                    state,
                    first_seen,
                    stored: Digest::of(b"1"),
                    offered: Digest::of(b"2")
                },
                Recorded::Unkeyed { id: id(10) },
            ]
        );
        assert!(verdicts[4].is_alarming() && !verdicts[2].is_alarming());
        assert_eq!(verdicts.iter().filter(|verdict| verdict.is_new()).count(), 4);
    }

    #[test]
    fn what_is_stored_decides() {
        let batch = batch(&[(Some("a"), "2"), (Some("a"), "1")]);
        let plan = Plan::new(&batch);
        let stored = Found::stored(EventId::from_u64(3), Digest::of(b"1"), NOW, State::Dead);
        let parked = [EventId::from_u64(4)];
        let verdicts = plan.verdicts(std::slice::from_ref(&stored), &parked);
        assert!(matches!(verdicts[0], Recorded::Conflict { state: State::Dead, .. }));
        assert!(matches!(verdicts[1], Recorded::Duplicate { state: State::Dead, .. }));
        assert_eq!(
            plan.verdicts(&[stored], &[]).len(),
            1,
            "a conflict that was not kept has no verdict"
        );
        assert!(plan.verdicts(&[], &parked).is_empty());
        assert!(plan.conflicts(&[]).is_none());
    }
}
