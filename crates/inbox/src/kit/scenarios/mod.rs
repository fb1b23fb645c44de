//! What receivers live through, played from the signed request to the effect, on any database.
//!
//! The checks of [`kit::checks`](super::checks) test the verbs of a store. These test what the verbs are for: a sender's
//! deliveries come twice, at once, late and out of order, handlers stall and fail, and every effect happens once. Deliveries
//! are really signed, go through [`Receiver`](crate::Receiver) and are worked on by [`Worker`](crate::Worker).
//!
//! The effects go to a table of the test's own, see [`Effects`]. Scenarios have endpoints and streams of their
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
//! for scenario in scenarios::all() {
//!     let played = scenario.play(Arc::clone(&database), Arc::<scenarios::Notes>::default()).await;
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
use crate::store::{Database, Store, Tx};

/// Where the effects of the scenarios are written: a table of the test's own beside those of the store, in the same
/// transaction.
///
/// Two columns are enough: `INSERT INTO effects (scenario, effect)`, and `SELECT effect … WHERE scenario = … ORDER BY id`.
pub trait Effects<S: Store>: Send + Sync {
    /// Writes an effect of a scenario. It must obey the transaction.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn write(
        &self,
        tx: &mut Tx<'_, S>,
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
        tx: &mut Tx<'_, S>,
        scenario: &str,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;
}

/// Effects in the notes of a [`MemoryStore`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Notes(());

impl Effects<MemoryStore> for Notes {
    async fn write(
        &self,
        tx: &mut Tx<'_, MemoryStore>,
        scenario: &str,
        effect: &str,
    ) -> Result<(), StoreError> {
        tx.note(scenario, effect)
    }

    async fn read(
        &self,
        tx: &mut Tx<'_, MemoryStore>,
        scenario: &str,
    ) -> Result<Vec<String>, StoreError> {
        Ok(tx.notes(scenario)?.into_iter().map(String::from).collect())
    }
}

type Playing = Pin<Box<dyn Future<Output = Checked> + Send>>;

/// One scenario on a database `D`, with its effects in `E`.
pub struct Scenario<D, E> {
    name: &'static str,
    play: fn(Arc<D>, Arc<E>) -> Playing,
}

impl<D, E> Scenario<D, E> {
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
    pub async fn play(&self, database: Arc<D>, effects: Arc<E>) -> Checked {
        (self.play)(database, effects).await
    }
}

impl<D, E> fmt::Debug for Scenario<D, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scenario").field(&self.name).finish()
    }
}

macro_rules! scenarios {
    ($($group:ident: $($scenario:ident)+;)+) => {
        vec![$($(Scenario {
            name: concat!(stringify!($group), "::", stringify!($scenario)),
            play: |database, effects| {
                let stage = stage::Stage::new(database, effects, stringify!($scenario));
                Box::pin(async move { $group::$scenario(stage).await })
            },
        }),+),+]
    };
}

/// Every scenario.
#[must_use]
pub fn all<D, E>() -> Vec<Scenario<D, E>>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
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
