//! Fresh databases for tests.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;

use bytes::Bytes;
use hookproof::UnixTime;
use hookproof_inbox::{
    Batch, Database, Digest, EndpointId, Entry, EventRow, Key, NewEvent, Page, Recorded, Selection,
    Store as _, StoreError, Work,
};

/// The group of the tests that need a PostgreSQL, while there is none.
pub const IGNORED: &str =
    "postgres (ignored: set HOOKPROOF_TEST_POSTGRES, or use tests/postgres/run)";

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

/// When the tests' deliveries arrive.
pub const NOW: UnixTime = UnixTime::from_secs(1_700_000_000);

pub fn endpoint() -> EndpointId {
    EndpointId::new("e").unwrap()
}

/// A delivery with events of these keys, and this body.
pub fn batch(keys: &[&str], body: impl Into<Bytes>) -> Batch {
    arrived(keys, body, NOW)
}

/// A delivery that arrived then.
pub fn arrived(keys: &[&str], body: impl Into<Bytes>, at: UnixTime) -> Batch {
    let empty = Batch::unread(endpoint(), "p", at, http::HeaderMap::new(), body.into());
    keys.iter().fold(empty, |batch, key| {
        let key = Key::new(*key).unwrap();
        batch.with_entry(Entry::new(NewEvent::new(Some(key), Digest::of(b"1"))))
    })
}

/// Records a delivery in a transaction of its own.
pub async fn record<D: Database>(
    database: &D,
    batch: &Batch,
    work: Work,
) -> Result<Vec<Recorded>, StoreError> {
    let mut connection = database.connect().await?;
    let mut open = database.begin(&mut connection).await?;
    let recorded = database.store().record_many(D::tx(&mut open), batch, work).await?;
    D::commit(open).await?;
    Ok(recorded)
}

/// All events that are worked on later.
pub async fn events<D: Database>(database: &D) -> Result<Vec<EventRow>, StoreError> {
    let mut connection = database.connect().await?;
    let mut open = database.begin(&mut connection).await?;
    let page = Page::FIRST.limit(10_000);
    database.store().list(D::tx(&mut open), &Selection::new(), page).await
}

/// Whether a key is stored.
pub async fn is_stored<D: Database>(database: &D, key: &str) -> bool {
    let mut connection = database.connect().await.unwrap();
    let mut open = database.begin(&mut connection).await.unwrap();
    let key = Key::new(key).unwrap();
    let found = database.store().look_up(D::tx(&mut open), &endpoint(), &key).await;
    found.unwrap().is_some()
}
