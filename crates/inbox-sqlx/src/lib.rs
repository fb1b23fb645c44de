//! The stores of the receiver kit over sqlx.

mod error;
mod link;
mod log;
mod migrations;
mod rows;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod texts;
mod verbs;

pub use hookproof_inbox;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteInbox, SqliteStore};
pub use sqlx;
