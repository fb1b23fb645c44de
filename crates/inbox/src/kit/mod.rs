//! The store test kit: checks that any [`Store`](crate::Store) must pass, for those who write one.
//!
//! **Unstable:** checks are added in any release, so a store that passes one release may fail the next. A check that fails
//! is a fault of the store, or a promise that this crate did not keep; say so.
//!
//! A store is tested through its [`Database`]. Every check has endpoints and scopes of its own, so that all can run on one
//! database, at once or one after another; those of [`log_checks`] need a database for each. Connections stand for the
//! instances of a service. Time is given, none of the checks waits for a clock.
//!
//! ```
//! use hookproof_inbox::kit;
//! use hookproof_inbox::memory::MemoryStore;
//!
//! let store = MemoryStore::new();
//! for check in kit::checks::<MemoryStore>() {
//!     // In a store's own tests: a runtime of its driver.
//!     kit::block_on(check.run(&store)).unwrap_or_else(|failure| panic!("{}: {failure}", check.name()));
//! }
//! ```

mod claiming;
mod concurrency;
mod logging;
mod operating;
mod recording;
#[cfg(feature = "worker")]
pub mod scenarios;
mod streams;
mod support;

use core::fmt;
use core::pin::Pin;

use crate::store::{Database, Log};

pub use support::{Failure, block_on, join_all};

/// What a check returns.
pub type Checked = Result<(), Failure>;

type Running<'d> = Pin<Box<dyn Future<Output = Checked> + 'd>>;

/// One check of a database `D`.
pub struct Check<D> {
    name: &'static str,
    run: fn(&D) -> Running<'_>,
}

impl<D> Check<D> {
    /// The name: group and check.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the check.
    ///
    /// # Errors
    ///
    /// A [`Failure`] that says what the store got wrong.
    pub async fn run(&self, database: &D) -> Checked {
        (self.run)(database).await
    }
}

impl<D> fmt::Debug for Check<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.name).finish()
    }
}

macro_rules! checks {
    ($($group:ident: $($check:ident)+;)+) => {
        vec![$($(Check {
            name: concat!(stringify!($group), "::", stringify!($check)),
            run: |database| Box::pin($group::$check(database)),
        }),+),+]
    };
}

/// The checks of the verbs.
#[must_use]
pub fn checks<D: Database>() -> Vec<Check<D>> {
    checks! {
        recording:
            new_then_duplicate
            state_of_a_duplicate
            endpoints_are_scopes
            other_content_is_a_conflict
            copies_take_no_room
            verdicts_of_a_batch
            large_batches_in_other_groupings
            retries_are_not_conflicts
            unsigned_ids_with_equal_bytes
            events_without_key
            faulty_elements_are_kept
            deliveries_come_back_as_they_arrived
            hostile_texts
            one_event_only;
        claiming:
            claim_once_and_complete
            takeover_is_fenced
            a_claim_on_a_purged_event_is_lost
            an_ended_lease_may_complete
            stale_claims_are_parked
            the_claims_own_terms_hold
            extending
            failing_backs_off_until_dead
            silent_workers_use_up_attempts
            parking_and_releasing
            limits_and_endpoints
            streams_in_order
            a_stale_claim_waits_for_its_turn
            the_next_moment
            the_next_moment_in_order;
        streams:
            versions
            transitions_and_tombstones
            scopes
            concurrent_versions;
        operating:
            lists_and_pages
            replays
            settling
            payloads_of_unfinished_events_stay
            keys_outlive_the_horizon;
        concurrency:
            sixty_four_copies
            a_winner_that_dies
            workers_share_the_events
            a_dropped_transaction_leaves_nothing
            overlapping_batches;
    }
}

/// The checks of the log. Each needs a fresh database that keeps a log.
#[must_use]
pub fn log_checks<D: Database>() -> Vec<Check<D>>
where
    D::Store: Log,
{
    checks! {
        logging:
            sealed_in_batches
            purged_below_a_checkpoint
            a_dropped_seal_leaves_nothing;
    }
}

#[cfg(test)]
mod tests;
