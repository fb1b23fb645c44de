//! The tables, each with what it takes to undo the present transaction.

use std::collections::BTreeMap;

use crate::chain::{Head, LedgerRow, LinkRow};
use crate::delivery::DeliveryRow;
use crate::error::{StoreError, StoreErrorKind};
use crate::event::{AttemptRow, EventRow, State};
use crate::id::{DeliveryId, Digest, EndpointId, EventId, Key, Token};
use crate::stream::{Standing, StreamId};

/// A table that can undo what was written since the last commit.
#[derive(Debug)]
pub(super) struct Table<K, V> {
    rows: BTreeMap<K, V>,
    undo: Vec<(K, Option<V>)>,
}

impl<K: Clone + Ord, V> Table<K, V> {
    const fn new() -> Self {
        Self { rows: BTreeMap::new(), undo: Vec::new() }
    }

    /// The rows.
    pub(super) const fn all(&self) -> &BTreeMap<K, V> {
        &self.rows
    }

    fn put(&mut self, key: K, row: Option<V>) {
        let before = match row {
            Some(row) => self.rows.insert(key.clone(), row),
            None => self.rows.remove(&key),
        };
        self.undo.push((key, before));
    }

    fn commit(&mut self) {
        self.undo.clear();
    }

    fn roll_back(&mut self) {
        for (key, before) in self.undo.drain(..).rev() {
            match before {
                Some(row) => self.rows.insert(key, row),
                None => self.rows.remove(&key),
            };
        }
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident, $put:ident: $key:ty => $row:ty;)*) => {
        /// All tables.
        #[derive(Debug)]
        pub(super) struct Rows {
            $($(#[$doc])* pub(super) $name: Table<$key, $row>,)*
            /// The head of a log without rows, if a log is kept.
            pub(super) log: Option<Head>,
            /// Numbers are never given twice, not even those of a transaction that was rolled back.
            next: u64,
            fuel: Option<u32>,
            broken: bool,
        }

        impl Rows {
            pub(super) const fn new(log: Option<Head>) -> Self {
                Self { $($name: Table::new(),)* log, next: 1, fuel: None, broken: false }
            }

            $(
                /// Writes a row, or removes it.
                pub(super) fn $put(&mut self, key: $key, row: Option<$row>) -> Result<(), StoreError> {
                    self.write()?;
                    self.$name.put(key, row);
                    Ok(())
                }
            )*

            pub(super) fn commit(&mut self) {
                $(self.$name.commit();)*
            }

            pub(super) fn roll_back(&mut self) {
                self.broken = false;
                $(self.$name.roll_back();)*
            }
        }
    };
}

tables! {
    /// Attempts that have ended.
    attempts, put_attempt: (EventId, Token) => AttemptRow;
    /// Unsigned ids by body, for the notice that one body came under two ids.
    bodies, put_body: (EndpointId, Digest, EventId) => ();
    /// The chain.
    chain, put_link: u64 => LinkRow;
    /// Payloads.
    deliveries, put_delivery: DeliveryId => DeliveryRow;
    /// Work.
    events, put_event: EventId => EventRow;
    /// Failures in a row.
    failures, put_failures: EndpointId => u32;
    /// The head of the log, once it has rows.
    heads, put_head: () => Head;
    /// Keys.
    keys, put_key: (EndpointId, Key) => EventId;
    /// Recorded entries.
    ledger, put_entry: EventId => LedgerRow;
    /// Where a recorded entry is in the chain.
    sealed, put_sealed: EventId => u64;
    /// What tests wrote down.
    notes, put_note: (Box<str>, u64) => Box<str>;
    /// Streams.
    streams, put_stream: StreamId => Standing;
    /// The events that are not done.
    unfinished, put_unfinished: EventId => ();
}

impl Rows {
    /// The next number.
    pub(super) const fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    pub(super) const fn set_fuel(&mut self, writes: Option<u32>) {
        self.fuel = writes;
    }

    /// Counts a write, and fails where the test wants a crash.
    pub(super) fn write(&mut self) -> Result<(), StoreError> {
        self.alive()?;
        match &mut self.fuel {
            None => Ok(()),
            Some(0) => {
                self.fuel = None;
                self.broken = true;
                self.alive()
            }
            Some(fuel) => {
                *fuel -= 1;
                Ok(())
            }
        }
    }

    /// After a crash everything fails until the transaction is rolled back.
    pub(super) fn alive(&self) -> Result<(), StoreError> {
        if self.broken {
            return Err(StoreError::new(
                StoreErrorKind::Unavailable,
                "the store broke off, as the test wished",
            ));
        }
        Ok(())
    }

    /// Where an entry stands: what has no row of work is done.
    pub(super) fn state(&self, id: EventId) -> State {
        self.events.all().get(&id).map_or(State::Done, |event| event.progress.state)
    }

    /// Writes an event and keeps the list of unfinished ones.
    pub(super) fn save(&mut self, event: EventRow) -> Result<(), StoreError> {
        let unfinished = (!event.progress.state.is_finished()).then_some(());
        self.put_unfinished(event.id, unfinished)?;
        self.put_event(event.id, Some(event))
    }
}
