//! Fresh databases for tests.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;

use hookproof_inbox::Database;

/// A database of a test's own.
pub trait Fresh: Sized + 'static {
    /// The inbox in it.
    type Inbox: Database + 'static;

    /// A fresh one, with or without a log.
    async fn new(log: bool) -> Self;

    /// The inbox.
    fn inbox(&self) -> &Self::Inbox;

    /// Removes it.
    async fn end(self);
}

/// Runs a future on a runtime of its own.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}
