//! A store in memory, **for tests only**: it loses everything when the process ends.
//!
//! It keeps the promises of the verbs within one process: one transaction at a time, all of it or nothing. It can break off
//! after any number of writes, so that a test can see what a crash there leaves behind.

mod lock;
mod log;
mod rows;
mod steps;
mod verbs;

use std::sync::Arc;

use crate::error::{StoreError, StoreErrorKind};
use crate::store::{Database, Store};

use lock::{Acquire, Shared};
use rows::Rows;

/// A store in memory, **for tests only**. Clones share their rows, like two instances of a service on one database.
///
/// ```
/// use hookproof::{providers::STRIPE, testing::{NOW, Sender}};
/// use hookproof_inbox::{Batch, Database, EndpointId, Store, Work};
/// use hookproof_inbox::memory::MemoryStore;
///
/// # hookproof_inbox::kit::block_on(async {
/// let sent = Sender::new(&STRIPE).send(br#"{"id":"evt_1"}"#).unwrap();
/// let batch = Batch::read(EndpointId::new("billing")?, &sent.verified().as_verified(), NOW);
///
/// let store = MemoryStore::new();
/// let mut tx = store.begin(&mut ()).await?;
/// if store.record(&mut tx, &batch, Work::Here).await?.is_new() {
///     // The effect, in the same transaction.
/// }
/// MemoryStore::commit(tx).await?;
///
/// let mut tx = store.begin(&mut ()).await?;
/// assert!(!store.record(&mut tx, &batch, Work::Here).await?.is_new());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

impl MemoryStore {
    /// An empty store without log.
    #[must_use]
    pub fn new() -> Self {
        Self { shared: Arc::new(Shared::new(Rows::new(None))) }
    }

    /// An empty store that keeps a log of this name.
    ///
    /// # Errors
    ///
    /// [`Invalid`](StoreErrorKind::Invalid) if that is no name of a log.
    pub fn with_log(name: &str) -> Result<Self, StoreError> {
        let head = crate::chain::Head::start(name)
            .map_err(|error| StoreError::new(StoreErrorKind::Invalid, error.to_string()))?;
        Ok(Self { shared: Arc::new(Shared::new(Rows::new(Some(head)))) })
    }

    /// Breaks off at the write after this many more, as if the process had died there: the transaction that reaches it
    /// fails and leaves nothing. `None` takes it back.
    pub fn break_after(&self, writes: Option<u32>) {
        self.shared.set_fuel(writes);
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

/// An open transaction of a [`MemoryStore`]. Others wait until it is committed or dropped.
#[derive(Debug)]
pub struct MemoryTx {
    shared: Arc<Shared>,
    /// Taken only by `commit` and `drop`.
    rows: Option<Box<Rows>>,
}

impl MemoryTx {
    fn rows(&mut self) -> Result<&mut Rows, StoreError> {
        let gone = || StoreError::new(StoreErrorKind::Invalid, "the transaction has ended");
        let rows = self.rows.as_deref_mut().ok_or_else(gone)?;
        rows.alive()?;
        Ok(rows)
    }

    /// Writes a note under a name: a place for the effects of a test's handlers, which obey the transaction like the rest.
    ///
    /// ```
    /// use hookproof_inbox::Database;
    /// use hookproof_inbox::memory::MemoryStore;
    /// # hookproof_inbox::kit::block_on(async {
    /// let store = MemoryStore::new();
    /// let mut tx = store.begin(&mut ()).await?;
    /// tx.note("orders", "order 1")?;
    /// drop(tx);
    /// let mut tx = store.begin(&mut ()).await?;
    /// tx.note("orders", "order 2")?;
    /// MemoryStore::commit(tx).await?;
    /// assert_eq!(store.begin(&mut ()).await?.notes("orders")?, ["order 2".into()]);
    /// # Ok::<(), hookproof_inbox::StoreError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unavailable`](StoreErrorKind::Unavailable) where the test wants a crash.
    pub fn note(&mut self, name: &str, text: &str) -> Result<(), StoreError> {
        let rows = self.rows()?;
        let number = rows.number();
        rows.put_note((name.into(), number), Some(text.into()))
    }

    /// The notes under a name, in the order in which they were written.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](StoreErrorKind::Unavailable) after a crash that the test wanted.
    pub fn notes(&mut self, name: &str) -> Result<Vec<Box<str>>, StoreError> {
        let notes = self.rows()?.notes.all().iter();
        Ok(notes.filter(|((own, _), _)| &**own == name).map(|(_, text)| text.clone()).collect())
    }
}

impl Drop for MemoryTx {
    fn drop(&mut self) {
        if let Some(mut rows) = self.rows.take() {
            rows.roll_back();
            self.shared.give_back(rows);
        }
    }
}

impl Database for MemoryStore {
    type Store = Self;
    type Connection = ();
    type Open<'c> = MemoryTx;

    fn store(&self) -> &Self {
        self
    }

    async fn connect(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn begin<'c>(&self, (): &'c mut ()) -> Result<Self::Open<'c>, StoreError> {
        let rows = Acquire::new(&self.shared).await;
        Ok(MemoryTx { shared: Arc::clone(&self.shared), rows: Some(rows) })
    }

    fn tx<'o, 'c>(open: &'o mut Self::Open<'c>) -> &'o mut <Self as Store>::Tx<'c> {
        open
    }

    async fn commit(mut open: Self::Open<'_>) -> Result<(), StoreError> {
        open.rows()?.write()?;
        if let Some(mut rows) = open.rows.take() {
            rows.commit();
            open.shared.give_back(rows);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
