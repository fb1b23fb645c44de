//! What receivers live through, played from the signed request to the effect, on any database.
//!
//! The checks of [`kit::checks`](super::checks) test the verbs of a store. These test what the verbs are for: a sender's
//! deliveries come twice, at once, late and out of order, handlers stall and fail, and every effect happens once. Deliveries
//! are really signed, go through [`Receiver`](crate::Receiver) and are worked on by [`Worker`](crate::Worker).
//!
//! A database keeps the effects in a table of the test's own, see [`Effects`]. Scenarios have endpoints and streams of their
//! own, so that all can run on one database, at once or one after another. They need the runtime of tokio.
//!
//! ```
//! use std::sync::Arc;
//! use hookproof_inbox::kit::scenarios;
//! use hookproof_inbox::memory::MemoryStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let database = Arc::new(MemoryStore::new());
//! for scenario in scenarios::all::<MemoryStore>() {
//!     let played = scenario.play(Arc::clone(&database)).await;
//!     played.unwrap_or_else(|failure| panic!("{}: {failure}", scenario.name()));
//! }
//! # }
//! ```

mod business;
mod receiving;
mod recovering;
mod stage;

use core::fmt;
use core::pin::Pin;
use std::sync::Arc;

use super::Checked;
use crate::error::StoreError;
use crate::memory::MemoryStore;
use crate::store::{Database, Tx};

/// A database in which the effects of the scenarios can be written, in the transaction of the store.
///
/// A table of two columns is enough: `INSERT INTO effects (scenario, effect)`, and `SELECT effect … ORDER BY id`.
pub trait Effects: Database {
    /// Writes an effect of a scenario. It must obey the transaction.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn write(
        &self,
        tx: &mut Tx<'_, Self::Store>,
        scenario: &str,
        effect: &str,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// The effects of a scenario, in the order in which they were written.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn read(
        &self,
        tx: &mut Tx<'_, Self::Store>,
        scenario: &str,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;
}

impl Effects for MemoryStore {
    async fn write(
        &self,
        tx: &mut Tx<'_, Self>,
        scenario: &str,
        effect: &str,
    ) -> Result<(), StoreError> {
        tx.note(scenario, effect)
    }

    async fn read(&self, tx: &mut Tx<'_, Self>, scenario: &str) -> Result<Vec<String>, StoreError> {
        Ok(tx.notes(scenario)?.into_iter().map(String::from).collect())
    }
}

type Playing = Pin<Box<dyn Future<Output = Checked> + Send>>;

/// One scenario on a database `D`.
pub struct Scenario<D> {
    name: &'static str,
    play: fn(Arc<D>) -> Playing,
}

impl<D> Scenario<D> {
    /// The name: group and scenario.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Plays the scenario.
    ///
    /// # Errors
    ///
    /// A [`Failure`](super::Failure) that says what went otherwise.
    pub async fn play(&self, database: Arc<D>) -> Checked {
        (self.play)(database).await
    }
}

impl<D> fmt::Debug for Scenario<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scenario").field(&self.name).finish()
    }
}

macro_rules! scenarios {
    ($($group:ident: $($scenario:ident)+;)+) => {
        vec![$($(Scenario {
            name: concat!(stringify!($group), "::", stringify!($scenario)),
            play: |database| {
                let name = stringify!($scenario);
                Box::pin(async move { $group::$scenario(stage::Stage::new(database, name)).await })
            },
        }),+),+]
    };
}

/// Every scenario.
#[must_use]
pub fn all<D: Effects + 'static>() -> Vec<Scenario<D>> {
    scenarios! {
        receiving:
            the_same_event_twice_in_a_row
            the_same_event_twice_in_the_transaction
            twice_at_once_on_two_instances
            sixty_four_copies_at_once
            a_stalled_attempt_and_its_retry
            a_stalled_transaction_and_its_retry;
        recovering:
            a_replay_after_a_fix
            a_replay_of_what_was_done_by_hand
            a_worker_that_dies_after_its_effect
            reconciliation;
        business:
            one_payment_over_two_endpoints
            confirming_then_paid
            confirming_after_paid
            a_reschedule_frees_one_slot_and_takes_one
            two_properties_of_one_contact
            a_cancel_that_comes_before_its_create;
    }
}

#[cfg(test)]
mod tests;
