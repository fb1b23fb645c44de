//! What the tests share: a clock that steps, workers on a store that fails, and what was heard.

use core::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use hookproof::UnixTime;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::super::*;
use crate::backoff::Backoff;
use crate::batch::{Batch, Entry, NewEvent, Work};
use crate::claim::{ClaimRequest, Claimed, Page, Selection};
use crate::event::{AttemptRow, EventRow, State};
use crate::id::{Digest, EndpointId, Key};
use crate::memory::{MemoryStore, MemoryTx};
use crate::progress::Stale;
use crate::recorded::Recorded;
use crate::store::{Store, Tx};
use crate::stream::Version;

pub(super) use crate::faulty::Faulty;

pub(super) const SECOND: Duration = Duration::from_secs(1);
pub(super) const LEASE: Duration = Duration::from_secs(30);
pub(super) const RECLAIM: Stale = Stale::Reclaim { after: Duration::from_secs(5) };
pub(super) const BACKOFF: Backoff = Backoff::new(SECOND, Duration::from_secs(60), 3);
/// The time at which the tests begin.
pub(super) const START: u64 = 1_700_000_000;

/// A store, its clock, and what was heard.
#[derive(Clone)]
pub(super) struct Scene {
    pub(super) store: Arc<Faulty>,
    pub(super) wake: LocalWake,
    origin: Instant,
    offset: Arc<AtomicI64>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Scene {
    pub(super) fn new() -> Self {
        Self {
            store: Arc::default(),
            wake: LocalWake::new(),
            origin: Instant::now(),
            offset: Arc::default(),
            heard: Arc::default(),
        }
    }

    /// The time by the scene's clock.
    pub(super) fn now(&self) -> UnixTime {
        let passed = i64::try_from(self.origin.elapsed().as_millis()).unwrap();
        let millis = i64::try_from(START * 1000).unwrap() + passed;
        let millis = millis + self.offset.load(Ordering::Relaxed);
        UnixTime::from_millis(u64::try_from(millis).unwrap())
    }

    /// Steps the clock.
    pub(super) fn step(&self, secs: i64) {
        self.offset.fetch_add(secs * 1000, Ordering::Relaxed);
    }

    pub(super) fn settings(&self) -> Settings {
        Settings::new(LEASE, RECLAIM, BACKOFF).concurrency(4).grace(10 * SECOND)
    }

    fn dress<W: Wake<Faulty>>(&self, worker: Worker<Arc<Faulty>, W>) -> Worker<Arc<Faulty>, W> {
        let (scene, heard) = (self.clone(), Arc::clone(&self.heard));
        worker
            .clock(move || scene.now())
            .on_incident(move |incident| heard.lock().unwrap().push(incident.to_string()))
    }

    pub(super) fn external(
        &self,
        settings: Settings,
        handler: impl ExternalHandler + 'static,
    ) -> Worker<Arc<Faulty>> {
        let database = Arc::new(Arc::clone(&self.store));
        self.dress(Worker::external(database, handler, settings, self.wake.clone()))
    }

    pub(super) fn external_with<W: Wake<Faulty>>(
        &self,
        settings: Settings,
        handler: impl ExternalHandler + 'static,
        wake: W,
    ) -> Worker<Arc<Faulty>, W> {
        let database = Arc::new(Arc::clone(&self.store));
        self.dress(Worker::external(database, handler, settings, wake))
    }

    pub(super) fn transactional(
        &self,
        settings: Settings,
        handler: impl TransactionalHandler<Faulty> + 'static,
    ) -> Worker<Arc<Faulty>> {
        let database = Arc::new(Arc::clone(&self.store));
        self.dress(Worker::transactional(database, handler, settings, self.wake.clone()))
    }

    /// What was heard, without the errors of the store.
    pub(super) fn heard(&self) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        heard.iter().filter(|line| !line.starts_with("inbox:")).cloned().collect()
    }

    /// How many errors of the store were heard of.
    pub(super) fn faults(&self) -> usize {
        self.heard.lock().unwrap().iter().filter(|line| line.starts_with("inbox:")).count()
    }

    /// A transaction that no fault reaches.
    pub(super) async fn tx(&self) -> MemoryTx {
        self.store.inner.begin(&mut ()).await.unwrap()
    }

    /// Records events now; a key is `stream.position` if it has a stream.
    pub(super) async fn record(&self, keys: &[&str]) {
        let empty = Batch::unread(
            EndpointId::new("e").unwrap(),
            "test",
            self.now(),
            http::HeaderMap::new(),
            bytes::Bytes::from_static(b"body"),
        );
        let batch = keys.iter().fold(empty, |batch, key| {
            let mut event = NewEvent::new(Some(Key::new(*key).unwrap()), Digest::of(b"1"));
            if let Some((stream, position)) = key.split_once('.') {
                event.stream = Some(stream.into());
                event.order = Some(Version::secs(position.parse().unwrap()));
            }
            batch.with_entry(Entry::new(event))
        });
        let mut tx = self.tx().await;
        let recorded = self.store.inner.record_many(&mut tx, &batch, Work::Later).await.unwrap();
        assert!(recorded.iter().all(Recorded::is_new));
        MemoryStore::commit(tx).await.unwrap();
    }

    pub(super) async fn events(&self) -> Vec<EventRow> {
        let mut tx = self.tx().await;
        self.store.inner.list(&mut tx, &Selection::new(), Page::FIRST.limit(1000)).await.unwrap()
    }

    pub(super) async fn states(&self) -> Vec<State> {
        self.events().await.iter().map(|event| event.progress.state).collect()
    }

    pub(super) async fn all_done(&self) -> bool {
        self.states().await.iter().all(|state| *state == State::Done)
    }

    /// The attempts at the event of this key.
    pub(super) async fn attempts(&self, key: &str) -> Vec<AttemptRow> {
        let events = self.events().await;
        let event = events.iter().find(|event| event.key.as_ref().unwrap().as_str() == key);
        let mut tx = self.tx().await;
        self.store.inner.attempts(&mut tx, event.unwrap().id).await.unwrap()
    }

    pub(super) async fn notes(&self) -> Vec<String> {
        let notes = self.tx().await.notes("effects").unwrap();
        notes.into_iter().map(String::from).collect()
    }

    /// Claims an event as somebody else would, this long after now.
    pub(super) async fn steal(&self, later: Duration, stale: Stale) -> Claimed {
        let request = ClaimRequest::new(LEASE, stale, 9).limit(10);
        let mut tx = self.tx().await;
        let now = crate::time::later(self.now(), later);
        let claimed = self.store.inner.claim(&mut tx, &request, now).await.unwrap();
        MemoryStore::commit(tx).await.unwrap();
        claimed
    }
}

/// A worker that runs.
pub(super) struct Running {
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Running {
    pub(super) fn new<W: Wake<Faulty> + 'static>(worker: Worker<Arc<Faulty>, W>) -> Self {
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let task = tokio::spawn(worker.run(async { drop(stopped.await) }));
        Self { stop: Some(stop), task }
    }

    /// Tells it to stop, without waiting.
    pub(super) fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Tells it to stop, and waits until it has.
    pub(super) async fn stopped(mut self) {
        self.stop();
        self.task.await.unwrap();
    }

    pub(super) fn is_running(&self) -> bool {
        !self.task.is_finished()
    }
}

/// How often each effect happened outside of the database.
#[derive(Clone, Default)]
pub(super) struct Outside(Arc<Mutex<BTreeMap<String, u32>>>);

impl Outside {
    pub(super) fn happens(&self, job: &Job) {
        *self.0.lock().unwrap().entry(key(job)).or_default() += 1;
    }

    pub(super) fn counts(&self) -> BTreeMap<String, u32> {
        self.0.lock().unwrap().clone()
    }

    pub(super) fn times(&self, key: &str) -> u32 {
        self.counts().get(key).copied().unwrap_or(0)
    }
}

/// The key of a job's event.
pub(super) fn key(job: &Job) -> String {
    job.event().key.as_ref().unwrap().to_string()
}

/// Writes a note for each event, in the transaction, after this time.
pub(super) struct Notes(pub(super) Duration);

impl TransactionalHandler<Faulty> for Notes {
    async fn handle(
        &self,
        job: Job,
        _store: &Faulty,
        tx: &mut Tx<'_, Faulty>,
    ) -> Result<(), NotDone> {
        tx.note("effects", &key(&job))?;
        tokio::time::sleep(self.0).await;
        Ok(())
    }
}

/// Counts the drops of a handler's future.
pub(super) struct Guard(pub(super) Arc<AtomicU32>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
