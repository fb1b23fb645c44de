//! The stores of the receiver kit over [`sqlx`]: webhooks recorded once, inside your own transaction, on
//! [SQLite](SqliteInbox) or [PostgreSQL](postgres::PostgresInbox).
//!
//! What the verbs promise is said in [`hookproof_inbox`]; both stores pass its test kit. The verbs take a connection, in a
//! transaction that you began: what they write and what you write happens together or not at all.
//!
//! | type | what it is |
//! |---|---|
//! | [`SqliteStore`], [`PostgresStore`] | the verbs, on a connection or transaction of yours |
//! | [`SqliteInbox`], [`PostgresInbox`] | a store with a pool: migrations, transactions, upkeep, and what workers need |
//! | [`sqlite`], [`postgres`] | how to connect, and what only one of them has |
//! | [`purge`] | purges in bounded steps |
//!
//! The README has an example, how to set up each database, and its tables.
//!
//! # Features
//!
//! | feature | default | what it brings |
//! |---|---|---|
//! | `sqlite` | yes | [`sqlite`]; builds SQLite, which is written in C |
//! | `postgres` | no | [`postgres`] |
//! | `worker` | yes | `SqliteWake`, `PostgresWake`, and `Receiver` and `Worker` of [`hookproof_inbox`] |

#![cfg_attr(hookproof_docsrs, feature(doc_cfg))]
#![cfg_attr(hookproof_docsrs, doc(auto_cfg))]
#![cfg_attr(
    not(all(feature = "sqlite", feature = "postgres")),
    allow(rustdoc::broken_intra_doc_links, reason = "links to what a feature brings")
)]

#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod error;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod link;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod log;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod migrations;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod purge;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod rows;
mod shared;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod texts;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod verbs;

pub use hookproof_inbox;
pub use sqlx;

#[cfg(feature = "postgres")]
pub use postgres::{PostgresInbox, PostgresStore};
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteInbox, SqliteStore};

/// The README's example, compiled and run.
#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../README.md")]
struct Readme;
