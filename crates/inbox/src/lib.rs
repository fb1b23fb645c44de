//! The receiver's side of webhooks: record once, work later, in order where it matters, lose nothing.
//!
//! # The guarantee
//!
//! **Effects inside your transaction happen once. Everything else happens at least once.** Nothing is in order unless you
//! ask for it.
//!
//! Senders deliver at least once, out of order and in batches, and only the receiver can make that harmless. `hookproof`
//! says who sent a delivery; this crate says what to do with it. It has no database driver: it holds the types, every
//! decision as a pure function, the verbs as traits, the SQL as text, and a test kit that a store has to pass.
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | [endpoint](EndpointId) | one URL that one sender's subscription points to; the scope of a key |
//! | [key](Key) | equal for every delivery of an event, and different for every other event |
//! | content | the event's own bytes, without what the sender changes on a retry |
//! | [batch](Batch) | a verified delivery and the events in it, one or a hundred |
//! | [state](State) | waiting, in work, done, parked (a person decides), dead (given up) |
//! | [claim](Claim) | a lease on an event, with a fencing token that grows with every claim |
//! | [stream](StreamId) | what one order holds within: an invoice, a booking, one property of a contact |
//! | payload | the delivery as it came; it may go long before the key does |
//!
//! # The verbs
//!
//! Each takes the caller's transaction; see [`Store`] for what it promises.
//!
//! - **[`record`](Store::record), [`record_many`](Store::record_many)** insert what is not there. The verdict is
//!   [`Recorded`]: new, duplicate with state and time, conflict (same key, other content: loud), unkeyed, faulty. A notice
//!   tells that the same body came under another unsigned id; nothing is dropped for it.
//! - **[`claim`](Store::claim), [`extend`](Store::extend), [`complete`](Store::complete), [`fail`](Store::fail),
//!   [`park`](Store::park), [`release`](Store::release)** are for effects that cannot roll back, such as a mail or a
//!   shipment. Whose lease was taken over cannot complete. What happens to an event whose worker went silent is [`Stale`],
//!   a choice without default.
//! - **[`advance`](Store::advance)** refuses what is old ([`Step::version`]) or illegal ([`Step::kind`], with tables for
//!   [Paymos invoices](PAYMOS_INVOICE), [withdrawals](PAYMOS_WITHDRAWAL) and [deposits](PAYMOS_DEPOSIT),
//!   [Calendly invitees](CALENDLY_INVITEE) and [Cal.com bookings](CALCOM_BOOKING)).
//! - **[`replay`](Store::replay), [`settle`](Store::settle), [`list`](Store::list), [`look_up`](Store::look_up),
//!   [`delivery`](Store::delivery), [`attempts`](Store::attempts)** are for operators.
//! - **[`purge_payloads`](Store::purge_payloads), [`purge_keys`](Store::purge_keys)** remove what is done. A
//!   [`KeyHorizon`] shorter than the sender's retries does not exist.
//! - **[`chain`]** and [`Log`] make the log tamper-evident.
//!
//! # Two ways to work
//!
//! **In the transaction** ([`Work::Here`]), if all effects are in your database:
//!
//! ```text
//! begin → record → new? → write the order → commit → 200
//!                → duplicate? → commit → 200
//! ```
//!
//! Copies at the same time wait for one another, and a crash leaves neither record nor order.
//!
//! **Later** ([`Work::Later`]), for everything else and for senders that want an answer soon:
//!
//! ```text
//! begin → record with its payload → commit → 200         begin → claim → commit → send the mail → begin → complete → commit
//! ```
//!
//! With the feature `worker` that is `Receiver` and `Worker`, which also retry, keep leases, wait without polling, and stop
//! in good order.
//!
//! A crash between effect and `complete` is what [`Stale`] decides over: the mail goes out twice, or the event is parked.
//! Give the effect the key or [`Claim::token`] where the other side can use it.
//!
//! A sender that delivers in batches is best recorded for later: an event without usable identity is then parked beside the
//! others, and neither loses nor holds back its batch.
//!
//! # What to answer
//!
//! [`answer`] is the one function. Nothing else is worth telling a sender.
//!
//! | what happened | status | why |
//! |---|---|---|
//! | all of it is stored: new, waiting, in work, done, parked, dead | 200 | a retry would change nothing |
//! | a conflict, or an event without identity | 200, and an alarm | a retry would bring the same; a person has to look |
//! | an unstored copy is in another transaction | 503, `Retry-After` | that transaction may still fail |
//! | the store is down, locked, full | 503, `Retry-After` | nothing is stored, so the sender has to come again |
//! | the verifier refused it | as it says (401, 413, 431, 500) | it is not the sender's, or the receiver is set up wrong |
//!
//! Never 409, which senders count as a failure although nothing is wrong, and never 410, with which Calendly deletes the
//! subscription.
//!
//! # Trust in keys
//!
//! An unsigned key ([`Trust::UnsignedHeader`](hookproof::Trust::UnsignedHeader): GitHub, Shopify, AnyHook) stops accidental
//! copies, not somebody who replays a delivery under another id. Where that matters, look at
//! [`same_bytes`](Recorded::New::same_bytes), and make the effect idempotent by what the body says.
//!
//! # What is kept
//!
//! Payloads keep all headers of a delivery as they came, credentials in them included. They can be verified again as of
//! their arrival ([`DeliveryRow::verify`]), and go with [`purge_payloads`](Store::purge_payloads).
//!
//! # Features
//!
//! | feature | default | what it brings |
//! |---|---|---|
//! | `test-kit` | no | `kit` and `memory`: the store test kit (unstable) and a store in memory, for tests only |
//! | `worker` | no | `Receiver` and `Worker`: the request's path and the work after it, on tokio |

#![cfg_attr(hookproof_docsrs, feature(doc_cfg))]
#![cfg_attr(hookproof_docsrs, doc(auto_cfg))]

mod answer;
mod backoff;
mod batch;
pub mod chain;
mod claim;
mod delivery;
mod error;
mod event;
#[cfg(test)]
#[cfg(feature = "worker")]
mod faulty;
mod id;
mod intake;
#[cfg(any(test, feature = "test-kit"))]
pub mod kit;
#[cfg(any(test, feature = "test-kit"))]
pub mod memory;
mod progress;
mod purge;
#[cfg(feature = "worker")]
mod receiver;
mod recorded;
pub mod sql;
mod store;
mod stream;
pub mod time;
#[cfg(feature = "worker")]
mod worker;

pub use answer::{Outcome, RetryAfter, answer};
pub use backoff::{ALARMS, Backoff, alarm};
pub use batch::{Batch, Entry, NewEvent, Work};
pub use chain::LedgerRow;
pub use claim::{Claim, ClaimRequest, Claimed, Failed, Ordering, Page, Replayed, Selection};
pub use delivery::{DeliveryRow, HeadersError, headers_from_bytes, headers_to_bytes};
pub use error::{StoreError, StoreErrorKind};
pub use event::{AttemptOutcome, AttemptRow, EventRow, State, note, position};
pub use id::{DeliveryId, Digest, EndpointId, EventId, Key, NameError, Token};
pub use intake::{Committed, Intake, Storing};
pub use progress::{ClaimLost, Lease, Progress, Ready, Stale};
pub use purge::{HorizonError, KeyHorizon, Purged, Sealed, may_purge_key, may_purge_payload};
#[cfg(feature = "worker")]
pub use receiver::{Arrival, Effect, EffectError, Receipt, ReceiveError, Receiver};
pub use recorded::{Found, Plan, Recorded};
pub use store::{Database, Log, Store, Tx, verify_log};
pub use stream::{
    Advance, CALCOM_BOOKING, CALENDLY_INVITEE, Decision, PAYMOS_DEPOSIT, PAYMOS_INVOICE,
    PAYMOS_WITHDRAWAL, Phase, Refusal, Standing, Step, StreamId, TABLES, Transitions, Version,
};
#[cfg(feature = "worker")]
pub use worker::{
    ExternalHandler, Incident, Job, JobError, LocalListener, LocalWake, NotDone, Settings,
    TransactionalHandler, Wake, Worker,
};

/// The README's example, compiled.
#[cfg(doctest)]
#[cfg(all(feature = "test-kit", feature = "worker"))]
#[doc = include_str!("../README.md")]
struct Readme;
