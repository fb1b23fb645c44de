//! The worker: what does the work that was recorded for later.

mod desk;
mod incident;
mod job;
mod kinds;
mod race;
mod run;
mod settings;
mod wake;

use core::fmt;
use core::pin::pin;
use std::sync::Arc;
use std::time::SystemTime;

use hookproof::UnixTime;

use desk::Desk;
use kinds::Kind;
use run::Crew;

use crate::error::StoreError;
use crate::store::Database;

pub use incident::Incident;
pub use job::{ExternalHandler, Job, JobError, NotDone, TransactionalHandler};
pub use settings::Settings;
pub use wake::{LocalListener, LocalWake, Wake};

pub(crate) use incident::Hook;

/// Works on events that were recorded for later: claims them, hands them to a handler, and ends their claims.
///
/// Any number of workers may run on one database, in one process or many.
///
/// - **When:** at once when new work is announced ([`Wake`]), at the moment when something is due, and otherwise not: an idle
///   worker sleeps. When the store cannot, it is asked again after pauses that grow to 30 s.
/// - **How many:** [`Settings::concurrency`] events at once, claimed as many as there is room for.
/// - **Failures:** an error of the handler, or its panic, is a failed attempt, tried again after the back-off; after the last
///   one the event is dead. Each attempt is a row ([`Store::attempts`](crate::Store::attempts)).
/// - **Leases:** extended while a handler runs. When a claim is lost, or nothing was heard of the store for so long that
///   somebody else may have begun, the handler is cancelled. Whatever it does, the token keeps it from completing.
/// - **To stop:** no more claims, then up to [`Settings::grace`] for the handlers that run. After it, what a transactional
///   handler wrote is rolled back and its event given back; an external one is cancelled and its event left to the end of
///   its lease, since nobody knows how far it came. That takes up to two seconds more. A worker whose future is dropped
///   leaves all to the end of their leases.
/// - **Who hears of it:** [`on_incident`](Self::on_incident).
///
/// It needs the runtime of tokio, with its time enabled, and panics without.
///
#[cfg_attr(feature = "test-kit", doc = "```")]
#[cfg_attr(not(feature = "test-kit"), doc = "```ignore")]
/// use core::time::Duration;
/// use hookproof_inbox::memory::MemoryStore;
/// use hookproof_inbox::{Backoff, Job, LocalWake, NotDone, Settings, Stale, Worker};
///
/// async fn send_mail(job: Job) -> Result<(), NotDone> {
///     # let _ = job;
///     Ok(())
/// }
///
/// # async fn start(database: std::sync::Arc<MemoryStore>) {
/// let second = Duration::from_secs(1);
/// let backoff = Backoff::new(second, 3600 * second, 12);
/// let settings = Settings::new(30 * second, Stale::Reclaim { after: 10 * second }, backoff);
/// let wake = LocalWake::new(); // a clone of the receiver's
/// let worker = Worker::external(database, send_mail, settings, wake)
///     .on_incident(|incident| eprintln!("{incident}"));
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// let running = tokio::spawn(worker.run(async { drop(stopped.await) }));
/// // When the process is to end:
/// drop(stop);
/// running.await.unwrap();
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(start(Default::default()));
/// ```
pub struct Worker<D, W = LocalWake> {
    desk: Desk<D>,
    kind: Kind<D>,
    wake: W,
}

impl<D, W> Worker<D, W>
where
    D: Database + 'static,
    W: Wake<D::Store>,
{
    /// A worker whose handler has its effects inside this database: they happen once.
    ///
    /// As those of a worker that crashed are rolled back, [`Stale::Reclaim`](crate::Stale::Reclaim) doubles nothing.
    #[must_use]
    pub fn transactional<H>(database: Arc<D>, handler: H, settings: Settings, wake: W) -> Self
    where
        H: TransactionalHandler<D::Store> + 'static,
    {
        Self::new(database, kinds::transactional(handler), settings, wake)
    }

    /// A worker whose handler has its effects elsewhere: they happen at least once.
    #[must_use]
    pub fn external<H>(database: Arc<D>, handler: H, settings: Settings, wake: W) -> Self
    where
        H: ExternalHandler + 'static,
    {
        Self::new(database, kinds::external(handler), settings, wake)
    }

    fn new(database: Arc<D>, kind: Kind<D>, settings: Settings, wake: W) -> Self {
        let clock = Arc::new(|| UnixTime::from(SystemTime::now()));
        let desk = Desk { database, settings, clock, hook: Hook::default() };
        Self { desk, kind, wake }
    }

    /// Calls this for everything that somebody should hear of. It is called on the worker's own tasks: it must not block.
    #[must_use]
    pub fn on_incident(mut self, hook: impl Fn(&Incident<'_>) + Send + Sync + 'static) -> Self {
        self.desk.hook = Hook::new(hook);
        self
    }

    /// Takes the time from this clock instead of the system's.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> UnixTime + Send + Sync + 'static) -> Self {
        self.desk.clock = Arc::new(clock);
        self
    }

    /// Works until `stop` is through, then ends as the [type](Self) says.
    pub fn run(self, stop: impl Future<Output = ()> + Send) -> impl Future<Output = ()> + Send {
        let Self { desk, kind, wake } = self;
        async move {
            let crew = Crew::new(Arc::new(desk), kind);
            run::run(crew, &wake, pin!(stop)).await;
        }
    }

    /// Works on everything that is due now or becomes due while it works, and returns when there is nothing more: for jobs
    /// that a timer starts, and for tests.
    ///
    /// # Errors
    ///
    /// The first error of the store when claiming. Attempts that run then are dropped, and their events left to the end of
    /// their leases.
    pub fn run_until_idle(self) -> impl Future<Output = Result<(), StoreError>> + Send {
        let Self { desk, kind, .. } = self;
        async move { run::until_idle(Crew::new(Arc::new(desk), kind)).await }
    }
}

impl<D, W> fmt::Debug for Worker<D, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("settings", &self.desk.settings).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
