//! The stores of the receiver kit over sqlx.

mod error;
mod link;
mod log;
mod migrations;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod purge;
mod rows;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod texts;
mod verbs;

pub use hookproof_inbox;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresInbox, PostgresStore};
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteInbox, SqliteStore};
pub use sqlx;
