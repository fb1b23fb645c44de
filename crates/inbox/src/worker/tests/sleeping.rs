//! An idle worker sleeps, and wakes when it has to.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use tokio::time::{Duration, sleep};

use super::super::*;
use super::support::*;
use crate::backoff::Backoff;
use crate::error::StoreErrorKind;
use crate::memory::MemoryStore;
use crate::progress::Stale;
use crate::store::Tx;

async fn nothing(_: Job) -> Result<(), NotDone> {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_idle_worker_asks_only_as_often_as_it_was_told() {
    let scene = Scene::new();
    let running = Running::new(scene.external(scene.settings().poll(600 * SECOND), nothing));
    sleep(3600 * SECOND + SECOND).await;
    running.stopped().await;
    assert_eq!(scene.store.count("claim"), 7, "at once, and every ten minutes");
}

#[tokio::test(start_paused = true)]
async fn times_without_end_are_no_trouble() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let max = Duration::MAX;
    for stale in [Stale::Park, Stale::Reclaim { after: max }] {
        let settings = Settings::new(max, stale, Backoff::new(max, max, u32::MAX));
        let worker = scene.external(settings.poll(max).grace(max), async |job: Job| {
            sleep(SECOND).await;
            if job.attempt() == 1 { Err(NotDone::failed("x")) } else { Ok(()) }
        });
        let running = Running::new(worker);
        sleep(3600 * SECOND).await;
        running.stopped().await;
    }
    // After a back-off of ages it waits still.
    assert_eq!(scene.states().await, [crate::event::State::Waiting]);
}

#[tokio::test(start_paused = true)]
async fn an_announcement_wakes_at_once() {
    let scene = Scene::new();
    let settings = scene.settings().poll(3600 * SECOND);
    let workers = [0, 1].map(|_| Running::new(scene.external(settings.clone(), nothing)));
    sleep(100 * SECOND).await;
    let asked = scene.store.count("claim");
    scene.record(&["a"]).await;
    let recorded = scene.now();
    sleep(100 * SECOND).await;
    assert_eq!(scene.store.count("claim"), asked, "nobody said so");
    scene.wake.wake();
    let announced = scene.now();
    sleep(SECOND).await;
    assert_ne!(recorded, announced);
    assert_eq!(scene.attempts("a").await[0].started_at, announced);
    for worker in workers {
        worker.stopped().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_announcement_while_it_looks_is_not_lost() {
    let scene = Scene::new();
    let (own, wake) = (scene.clone(), scene.wake.clone());
    // Recorded and announced after the worker has looked, and before it sleeps.
    let worker = scene.external(scene.settings().poll(3600 * SECOND), nothing);
    let late = Arc::new(AtomicU32::new(0));
    let once = Arc::clone(&late);
    scene.store.fail(move |_, name| {
        if name == "committed" && once.fetch_add(1, Ordering::Relaxed) == 0 {
            wake.wake();
        }
        None
    });
    let running = Running::new(worker);
    sleep(SECOND).await;
    assert_eq!(own.store.count("claim"), 2, "looked again");
    running.stopped().await;
}

#[tokio::test(start_paused = true)]
async fn a_lost_announcement_costs_no_more_than_the_poll() {
    let scene = Scene::new();
    let running = Running::new(scene.external(scene.settings().poll(60 * SECOND), nothing));
    sleep(10 * SECOND).await;
    scene.record(&["a"]).await;
    sleep(60 * SECOND).await;
    running.stopped().await;
    assert!(scene.all_done().await);
}

#[tokio::test(start_paused = true)]
async fn what_is_due_later_is_begun_when_it_is_due() {
    let scene = Scene::new();
    scene.step(90);
    scene.record(&["a"]).await;
    scene.step(-90);
    let running = Running::new(scene.external(scene.settings().poll(3600 * SECOND), nothing));
    sleep(120 * SECOND).await;
    running.stopped().await;
    let started = scene.attempts("a").await[0].started_at;
    assert_eq!(started.as_millis(), START * 1000 + 90_000);
    assert_eq!(scene.store.count("claim"), 3, "at first, then, and once more after it");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_steps_back_over_the_due_time_makes_it_late_not_busy() {
    let scene = Scene::new();
    scene.step(90);
    scene.record(&["a"]).await;
    scene.step(-90);
    let running = Running::new(scene.external(scene.settings().poll(3600 * SECOND), nothing));
    sleep(60 * SECOND).await;
    scene.step(-600);
    sleep(700 * SECOND).await;
    running.stopped().await;
    assert!(scene.all_done().await);
    assert!(scene.store.count("claim") <= 4, "{}", scene.store.count("claim"));
}

#[tokio::test(start_paused = true)]
async fn what_another_transaction_holds_is_not_asked_for_all_the_time() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    scene.store.passes_over.store(true, Ordering::Relaxed);
    let running = Running::new(scene.external(scene.settings(), nothing));
    sleep(600 * SECOND).await;
    let asked = scene.store.count("claim");
    assert!((600..=1300).contains(&asked), "{asked}: every half to whole second in the end");
    scene.store.passes_over.store(false, Ordering::Relaxed);
    sleep(SECOND).await;
    assert!(scene.all_done().await);
    running.stopped().await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_down_is_left_alone() {
    let scene = Scene::new();
    let running = Running::new(scene.external(scene.settings(), nothing));
    sleep(SECOND).await;
    scene.store.fail(|_, name| (name == "connect").then_some(StoreErrorKind::Unavailable));
    let before = scene.store.count("connect");
    scene.record(&["a"]).await;
    // Announcements do not make it busy.
    for _ in 0..36_000 {
        scene.wake.wake();
        sleep(SECOND / 10).await;
    }
    let asked = scene.store.count("connect") - before;
    assert!((100..=300).contains(&asked), "{asked} in an hour");
    assert_eq!(u32::try_from(scene.faults()).unwrap(), asked, "each was told");
    scene.store.mend();
    sleep(31 * SECOND).await;
    assert!(scene.all_done().await);
    running.stopped().await;
}

/// A way to be woken that is deaf for a while.
struct Deaf {
    inner: LocalWake,
    listens: AtomicU32,
    deaf: u32,
}

impl Wake<Faulty> for Deaf {
    type Listener = (LocalListener, bool);

    async fn announce(&self, _tx: &mut Tx<'_, Faulty>) -> Result<(), StoreError> {
        Ok(())
    }

    fn announced(&self) {
        self.inner.wake();
    }

    async fn listen(&self) -> Result<Self::Listener, StoreError> {
        let listens = self.listens.fetch_add(1, Ordering::Relaxed);
        let error = || StoreError::new(StoreErrorKind::Unavailable, "nothing to hear");
        match listens {
            own if own < self.deaf && own.is_multiple_of(2) => Err(error()),
            own => Ok((Wake::<MemoryStore>::listen(&self.inner).await?, own < self.deaf)),
        }
    }

    async fn woken(&self, (listener, breaks): &mut Self::Listener) -> Result<(), StoreError> {
        if *breaks {
            sleep(SECOND / 100).await;
            return Err(StoreError::new(StoreErrorKind::Unavailable, "cut off"));
        }
        Wake::<MemoryStore>::woken(&self.inner, listener).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_deaf_worker_goes_by_time_and_listens_again() {
    let scene = Scene::new();
    let wake = Arc::new(Deaf { inner: LocalWake::new(), listens: AtomicU32::new(0), deaf: 7 });
    let settings = scene.settings().poll(3600 * SECOND);
    let worker = scene.external_with(settings, nothing, Shared(Arc::clone(&wake)));
    let running = Running::new(worker);
    sleep(600 * SECOND).await;
    assert_eq!(wake.listens.load(Ordering::Relaxed), 8, "with pauses that grow");
    assert_eq!(scene.faults(), 7);
    // It looked after each time that it began to listen, since it may have missed something.
    assert!(scene.store.count("claim") >= 8);
    scene.record(&["a"]).await;
    wake.announced();
    sleep(Duration::from_millis(1)).await;
    assert!(scene.all_done().await);
    running.stopped().await;
}

struct Shared(Arc<Deaf>);

impl Wake<Faulty> for Shared {
    type Listener = (LocalListener, bool);

    async fn announce(&self, tx: &mut Tx<'_, Faulty>) -> Result<(), StoreError> {
        self.0.announce(tx).await
    }

    fn announced(&self) {
        self.0.announced();
    }

    async fn listen(&self) -> Result<Self::Listener, StoreError> {
        self.0.listen().await
    }

    async fn woken(&self, listener: &mut Self::Listener) -> Result<(), StoreError> {
        self.0.woken(listener).await
    }
}
