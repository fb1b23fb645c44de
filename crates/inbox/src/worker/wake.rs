//! How a worker that sleeps hears of new work.

use tokio::sync::watch;

use crate::error::StoreError;
use crate::store::Store;

/// How a worker that sleeps hears of new work: one half announces it, the other listens.
///
/// A wake-up that is lost costs time, not events: a worker also looks when something is due, and from time to time.
///
/// # For those who implement it
///
/// - [`announce`](Self::announce) is for databases that tell others when a transaction commits, such as PostgreSQL with
///   [`sql::postgres::WAKE`](crate::sql::postgres::WAKE); [`announced`](Self::announced) is for everything else.
/// - The future of [`woken`](Self::woken) may be dropped at any time, and nothing is lost with it: what was announced since
///   [`listen`](Self::listen), and was not yet returned, is returned by the next one. Several announcements may be one.
/// - A listener that was cut off and mended itself returns once, since it may have missed something.
pub trait Wake<S: Store>: Send + Sync {
    /// What one worker listens with.
    type Listener: Send;

    /// Announces new work in the transaction that records it, to be heard when it commits.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn announce(&self, tx: &mut S::Tx<'_>) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Whether [`announce`](Self::announce) does anything. Where it does not, a database may store deliveries in
    /// transactions of its own ([`Intake`](crate::Intake)), within which nothing is announced.
    fn announces_within(&self) -> bool {
        true
    }

    /// Announces new work that was just committed.
    fn announced(&self);

    /// Begins to listen.
    ///
    /// # Errors
    ///
    /// A fault of the database. The worker tries again later, and goes by time meanwhile.
    fn listen(&self) -> impl Future<Output = Result<Self::Listener, StoreError>> + Send;

    /// Waits for an announcement.
    ///
    /// # Errors
    ///
    /// The listener hears nothing any more. The worker makes another.
    fn woken(
        &self,
        listener: &mut Self::Listener,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Wakes the workers of one process. Clones belong together: give one to the receiver and one to each
/// worker.
///
/// ```
/// use hookproof_inbox::LocalWake;
/// let wake = LocalWake::new();
/// let workers = wake.clone();
/// wake.wake();
/// # drop(workers);
/// ```
#[derive(Clone, Debug)]
pub struct LocalWake {
    sender: watch::Sender<()>,
}

impl LocalWake {
    /// A way to wake workers, with nobody listening yet.
    #[must_use]
    pub fn new() -> Self {
        Self { sender: watch::Sender::new(()) }
    }

    /// Wakes every worker that listens, for example after a replay.
    pub fn wake(&self) {
        self.sender.send_replace(());
    }
}

impl Default for LocalWake {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Store> Wake<S> for LocalWake {
    type Listener = LocalListener;

    async fn announce(&self, _tx: &mut S::Tx<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn announces_within(&self) -> bool {
        false
    }

    fn announced(&self) {
        self.wake();
    }

    async fn listen(&self) -> Result<LocalListener, StoreError> {
        Ok(LocalListener { receiver: self.sender.subscribe() })
    }

    async fn woken(&self, listener: &mut LocalListener) -> Result<(), StoreError> {
        if listener.receiver.changed().await.is_err() {
            // The other end is in `self`: it is never gone while this runs. If it were, nothing would be announced.
            core::future::pending::<()>().await;
        }
        Ok(())
    }
}

/// What a worker listens to [`LocalWake`] with.
#[derive(Debug)]
pub struct LocalListener {
    receiver: watch::Receiver<()>,
}
