//! The receiver kit.

mod answer;
mod backoff;
mod batch;
pub mod chain;
mod claim;
mod content;
mod delivery;
mod error;
mod event;
mod id;
#[cfg(any(test, feature = "test-kit"))]
pub mod kit;
#[cfg(any(test, feature = "test-kit"))]
pub mod memory;
mod progress;
mod purge;
mod recorded;
pub mod sql;
mod store;
mod stream;
pub mod time;

pub use answer::{Outcome, RetryAfter, answer};
pub use backoff::{ALARMS, Backoff, alarm};
pub use batch::{Batch, Entry, NewEvent, Work};
pub use chain::LedgerRow;
pub use claim::{Claim, ClaimRequest, Claimed, Failed, Ordering, Page, Replayed, Selection};
pub use delivery::{DeliveryRow, HeadersError, headers_from_bytes, headers_to_bytes};
pub use error::{StoreError, StoreErrorKind};
pub use event::{AttemptOutcome, AttemptRow, EventRow, State, note, position};
pub use id::{DeliveryId, Digest, EndpointId, EventId, Key, NameError, Token};
pub use progress::{ClaimLost, Lease, Progress, Ready, Stale};
pub use purge::{HorizonError, KeyHorizon, Purged, Sealed, may_purge_key, may_purge_payload};
pub use recorded::{Found, Plan, Recorded};
pub use store::{Database, Log, Store, verify_log};
pub use stream::{
    Advance, CALCOM_BOOKING, CALENDLY_INVITEE, Decision, PAYMOS_DEPOSIT, PAYMOS_INVOICE,
    PAYMOS_WITHDRAWAL, Phase, Refusal, Standing, Step, StreamId, TABLES, Transitions, Version,
};
