//! One attempt at an event, for each of the two kinds of handlers.

use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::desk::{Desk, Pauses, Payload, Phase, Word, cut, is_transient};
use super::incident::Incident;
use super::job::{ExternalHandler, Job, NotDone, TransactionalHandler};
use super::race::{First, catch_panic, race};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::progress::Stale;
use crate::store::{Database, Store};

/// A kind of handlers.
pub(super) struct Kind<D> {
    /// Makes an attempt at an event, and ends the claim as far as it still is the worker's.
    pub(super) attempt: Box<dyn Fn(Arc<Desk<D>>, Attempt) -> BoxFuture + Send + Sync>,
    /// Its attempts live by their leases, not by locks.
    pub(super) is_leased: bool,
}

type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Effects elsewhere.
pub(super) fn external<D, H>(handler: H) -> Kind<D>
where
    D: Database + 'static,
    H: ExternalHandler + 'static,
{
    let handler = Arc::new(handler);
    let attempt = move |desk: Arc<Desk<D>>, attempt| -> BoxFuture {
        let handler = Arc::clone(&handler);
        Box::pin(async move { attempt_external(&*handler, &desk, attempt).await })
    };
    Kind { attempt: Box::new(attempt), is_leased: true }
}

/// Effects inside the database.
pub(super) fn transactional<D, H>(handler: H) -> Kind<D>
where
    D: Database + 'static,
    H: TransactionalHandler<D::Store> + 'static,
{
    let handler = Arc::new(handler);
    let attempt = move |desk: Arc<Desk<D>>, attempt| -> BoxFuture {
        let handler = Arc::clone(&handler);
        Box::pin(async move { attempt_transactional(&*handler, &desk, attempt).await })
    };
    Kind { attempt: Box::new(attempt), is_leased: false }
}

/// An event that was claimed, and what an attempt needs to know.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) claim: Arc<Claim>,
    pub(super) payload: Payload,
    /// A moment before it was claimed.
    pub(super) since: Instant,
    pub(super) phase: watch::Receiver<Phase>,
}

fn unreadable(error: &StoreError) -> NotDone {
    NotDone::park(format!("the stored delivery cannot be read: {error}"))
}

fn panicked(said: &str) -> NotDone {
    NotDone::failed(format!("the handler panicked: {said}"))
}

async fn attempt_external<D, H>(handler: &H, desk: &Desk<D>, attempt: Attempt)
where
    D: Database,
    H: ExternalHandler,
{
    let Attempt { claim, payload, since, phase } = attempt;
    let begun = AtomicBool::new(false);
    let work = async {
        let delivery = match desk.load(&payload, claim.event().delivery).await {
            Ok(delivery) => delivery,
            Err(error) => return Err(unreadable(&error)),
        };
        begun.store(true, Ordering::Relaxed);
        let job = Job::new(Arc::clone(&claim), delivery);
        let handled = catch_panic(async { handler.handle(job).await }).await;
        handled.unwrap_or_else(|said| Err(panicked(&said)))
    };
    let ended = race(desk.keep(&claim, since), cut(phase.clone()));
    let word = match race(work, ended).await {
        First::Left(handled) => Word::from(handled),
        First::Right(First::Left(())) => {
            desk.hook.tell(&Incident::Lost { event: claim.event() });
            return;
        }
        // Its effect may have happened, or not: what to do then is for the terms of the claim to say.
        First::Right(First::Right(())) if begun.load(Ordering::Relaxed) => {
            desk.hook.tell(&Incident::Abandoned { event: claim.event() });
            return;
        }
        First::Right(First::Right(())) => Word::Release,
    };
    desk.end(&claim, word, phase).await;
}

impl<D: Database> Desk<D> {
    /// Extends a lease for as long as it is polled; returns when the claim is not the worker's any more, or somebody else
    /// may begin the event.
    async fn keep(&self, claim: &Claim, mut since: Instant) {
        let lease = self.settings.lease;
        // An event that nobody takes over is worked on for as long as the store does not say that it was parked.
        let freed = |since: Instant| match self.settings.stale {
            Stale::Park => None,
            Stale::Reclaim { after } => since.checked_add(lease.saturating_add(after)),
        };
        let never = Duration::from_secs(86_400 * 365);
        let mut gap = lease / 3;
        loop {
            let end = freed(since).unwrap_or_else(|| Instant::now() + never);
            sleep_until(end.min(Instant::now() + gap)).await;
            let asked = Instant::now();
            match timeout_at(end, self.extend(claim)).await {
                Ok(Ok(())) => (since, gap) = (asked, lease / 3),
                Ok(Err(error)) if error.lost().is_some() => return,
                Ok(Err(error)) if Instant::now() < end => {
                    self.hook.store(&error);
                    gap = lease / 12;
                }
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }
}

/// What became of one transaction of a transactional attempt.
enum Once {
    /// Effects and completion are committed.
    Done,
    /// It was not begun: the store could not.
    Unopened(StoreError),
    /// The claim is not this worker's any more.
    Lost,
    /// The handler has not done its work, and what it wrote is rolled back.
    NotDone(NotDone),
    /// The store could not go on, and what was written is rolled back; if it failed at the commit, that is not known.
    Broken(StoreError),
}

async fn once<D, H>(handler: &H, desk: &Desk<D>, claim: &Claim, job: Job) -> Once
where
    D: Database,
    H: TransactionalHandler<D::Store>,
{
    let (database, store) = (&desk.database, desk.database.store());
    let mut connection = match database.connect().await {
        Ok(connection) => connection,
        Err(error) => return Once::Unopened(error),
    };
    let mut open = match database.begin(&mut connection).await {
        Ok(open) => open,
        Err(error) => return Once::Unopened(error),
    };
    // Shows the token and locks the row: from here on nobody takes the event over, whatever its lease says.
    let lease = desk.settings.lease;
    match store.extend(D::tx(&mut open), claim, lease, desk.now()).await {
        Ok(_) => {}
        Err(error) if error.lost().is_some() => return Once::Lost,
        Err(error) => return Once::Unopened(error),
    }
    let tx = D::tx(&mut open);
    match catch_panic(async { handler.handle(job, store, tx).await }).await {
        Ok(Ok(())) => {}
        Ok(Err(not_done)) => return Once::NotDone(not_done),
        Err(said) => return Once::NotDone(panicked(&said)),
    }
    if let Err(error) = store.complete(D::tx(&mut open), claim, desk.now()).await {
        return Once::Broken(error);
    }
    match D::commit(open).await {
        Ok(()) => Once::Done,
        Err(error) => Once::Broken(error),
    }
}

/// The word with which the claim is to end; `None` if it has ended.
async fn work<D, H>(
    handler: &H,
    desk: &Desk<D>,
    claim: &Arc<Claim>,
    payload: &Payload,
) -> Option<Word>
where
    D: Database,
    H: TransactionalHandler<D::Store>,
{
    let delivery = match desk.load(payload, claim.event().delivery).await {
        Ok(delivery) => delivery,
        Err(error) => return Some(Word::from(Err(unreadable(&error)))),
    };
    let mut pauses = Pauses::of_store();
    loop {
        let job = Job::new(Arc::clone(claim), delivery.clone());
        match once(handler, desk, claim, job).await {
            Once::Done => return None,
            Once::Lost => {
                desk.hook.tell(&Incident::Lost { event: claim.event() });
                return None;
            }
            Once::NotDone(not_done) => return Some(Word::from(Err(not_done))),
            Once::Broken(error) => {
                desk.hook.store(&error);
                return Some(Word::Fail(error.to_string().into()));
            }
            Once::Unopened(error) => {
                desk.hook.store(&error);
                if !is_transient(&error) {
                    return None;
                }
                sleep(pauses.next()).await;
            }
        }
    }
}

async fn attempt_transactional<D, H>(handler: &H, desk: &Desk<D>, attempt: Attempt)
where
    D: Database,
    H: TransactionalHandler<D::Store>,
{
    let Attempt { claim, payload, phase, .. } = attempt;
    let word = match race(work(handler, desk, &claim, &payload), cut(phase.clone())).await {
        First::Left(None) => return,
        First::Left(Some(word)) => word,
        // What the handler wrote is rolled back, so that it was not begun.
        First::Right(()) => Word::Release,
    };
    desk.end(&claim, word, phase).await;
}
