//! Leases: kept while a handler runs, and what happens when they are not.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use tokio::time::{Duration, sleep};

use super::super::*;
use super::support::*;
use crate::error::StoreErrorKind;
use crate::event::{AttemptOutcome, State};
use crate::progress::Stale;

/// A handler that takes this long, and tells by the guard when its future is dropped before that.
fn slow(
    time: Duration,
    outside: &Outside,
    dropped: &Arc<AtomicU32>,
) -> impl ExternalHandler + Clone + use<> {
    let (outside, dropped) = (outside.clone(), Arc::clone(dropped));
    move |job: Job| {
        let (outside, guard) = (outside.clone(), Guard(Arc::clone(&dropped)));
        async move {
            sleep(time).await;
            core::mem::forget(guard);
            outside.happens(&job);
            Ok(())
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_take_longer_than_its_lease() {
    for stale in [RECLAIM, Stale::Park] {
        let scene = Scene::new();
        scene.record(&["a"]).await;
        let (outside, dropped) = (Outside::default(), Arc::default());
        let handler = slow(20 * LEASE, &outside, &dropped);
        let settings = Settings::new(LEASE, stale, BACKOFF).poll(SECOND);
        let workers =
            [0, 1].map(|_| Running::new(scene.external(settings.clone(), handler.clone())));
        sleep(21 * LEASE).await;
        assert!(scene.all_done().await);
        assert_eq!(outside.times("a"), 1);
        assert_eq!(scene.attempts("a").await.len(), 1);
        assert_eq!(dropped.load(Ordering::Relaxed), 0);
        // Three times within its length.
        assert_eq!(scene.store.count("extend"), 59);
        for worker in workers {
            worker.stopped().await;
        }
        assert!(scene.heard().is_empty(), "{:?}", scene.heard());
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_was_taken_over_cancels_the_handler() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let (outside, dropped) = (Outside::default(), Arc::default());
    let running =
        Running::new(scene.external(scene.settings(), slow(600 * SECOND, &outside, &dropped)));
    sleep(SECOND).await;
    assert_eq!(scene.states().await, [State::InWork]);
    // Somebody whose clock is ahead takes the event over.
    let stolen = scene.steal(40 * SECOND, Stale::Park).await;
    assert_eq!(stolen.claims.len(), 1);
    assert_eq!(dropped.load(Ordering::Relaxed), 0);
    sleep(LEASE / 3).await;
    assert_eq!(dropped.load(Ordering::Relaxed), 1, "at the next beat");
    assert_eq!(
        scene.heard(),
        [format!("the claim on event {} of e was lost", stolen.claims[0].id())]
    );
    running.stopped().await;
    assert_eq!(outside.times("a"), 0);
    assert_eq!(scene.states().await, [State::InWork], "it is the other one's");
}

#[tokio::test(start_paused = true)]
async fn whoever_lost_the_claim_completes_nothing() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let (outside, dropped) = (Outside::default(), Arc::default());
    let running =
        Running::new(scene.external(scene.settings(), slow(5 * SECOND, &outside, &dropped)));
    sleep(SECOND).await;
    let stolen = scene.steal(40 * SECOND, Stale::Park).await;
    // It is through before the next beat: the effect has happened, and the token keeps it from more.
    sleep(10 * SECOND).await;
    running.stopped().await;
    assert_eq!(outside.times("a"), 1);
    assert_eq!(scene.states().await, [State::InWork]);
    assert_eq!(
        scene.heard(),
        [format!("the claim on event {} of e was lost", stolen.claims[0].id())]
    );
    let outcomes: Vec<_> = scene.attempts("a").await.iter().map(|own| own.outcome).collect();
    assert_eq!(outcomes, [AttemptOutcome::Lost]);
}

#[tokio::test(start_paused = true)]
async fn a_transactional_handler_is_fenced_before_it_begins() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    // The store fails for so long after the claim that somebody else takes the event.
    scene.store.fail(|_, name| (name == "delivery").then_some(StoreErrorKind::Unavailable));
    // It has room for one, so that it is not this worker itself.
    let settings = scene.settings().concurrency(1);
    let running = Running::new(scene.transactional(settings, Notes(SECOND)));
    sleep(40 * SECOND).await;
    let stolen = scene.steal(Duration::ZERO, Stale::Park).await;
    assert_eq!(stolen.claims.len(), 1);
    scene.store.mend();
    sleep(60 * SECOND).await;
    running.stopped().await;
    assert!(scene.notes().await.is_empty());
    assert!(scene.heard()[0].contains("was lost"), "{:?}", scene.heard());
}

#[tokio::test(start_paused = true)]
async fn a_transaction_is_its_own_lease() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let settings = scene.settings().poll(SECOND);
    let workers =
        [0, 1].map(|_| Running::new(scene.transactional(settings.clone(), Notes(10 * LEASE))));
    sleep(25 * LEASE).await;
    for worker in workers {
        worker.stopped().await;
    }
    assert!(scene.all_done().await);
    assert_eq!(scene.notes().await, ["a"]);
    assert_eq!(scene.attempts("a").await.len(), 1);
}

/// Nothing is heard of the store while the handler runs.
async fn cut_off(stale: Stale) -> (Scene, Outside, u32) {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let (outside, dropped) = (Outside::default(), Arc::default());
    let settings = Settings::new(LEASE, stale, BACKOFF);
    let running = Running::new(scene.external(settings, slow(300 * SECOND, &outside, &dropped)));
    sleep(SECOND).await;
    scene.store.fail(|_, _| Some(StoreErrorKind::Unavailable));
    sleep(33 * SECOND).await;
    let early = dropped.load(Ordering::Relaxed);
    assert_eq!(early, 0, "nobody else may begin yet");
    sleep(2 * SECOND).await;
    let late = dropped.load(Ordering::Relaxed);
    sleep(300 * SECOND).await;
    scene.store.mend();
    sleep(400 * SECOND).await;
    running.stopped().await;
    (scene, outside, late)
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_is_cut_off_stops_when_others_may_begin() {
    let (scene, outside, dropped) = cut_off(RECLAIM).await;
    assert_eq!(dropped, 1, "at the end of the lease and the time after it");
    assert!(scene.all_done().await, "taken up again once the store was back");
    assert_eq!(outside.times("a"), 1);
    let outcomes: Vec<_> = scene.attempts("a").await.iter().map(|own| own.outcome).collect();
    assert_eq!(outcomes, [AttemptOutcome::Lost, AttemptOutcome::Done]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_nobody_relieves_goes_on() {
    let (scene, outside, dropped) = cut_off(Stale::Park).await;
    assert_eq!(dropped, 0);
    assert_eq!(outside.times("a"), 1);
    // Its own worker does not take it for silent when the store is back.
    assert_eq!(scene.states().await, [State::Done]);
    assert!(scene.heard().is_empty(), "{:?}", scene.heard());
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_died_is_relieved_at_the_very_end_of_its_time() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let dead = scene.steal(Duration::ZERO, RECLAIM).await;
    assert_eq!(dead.claims.len(), 1);
    let (outside, dropped) = (Outside::default(), Arc::default());
    let settings = scene.settings().poll(3600 * SECOND);
    let running = Running::new(scene.external(settings, slow(SECOND, &outside, &dropped)));
    sleep(60 * SECOND).await;
    running.stopped().await;
    let attempts = scene.attempts("a").await;
    let [lost, done] = &attempts[..] else { panic!("{attempts:?}") };
    assert_eq!((lost.outcome, done.outcome), (AttemptOutcome::Lost, AttemptOutcome::Done));
    assert_eq!(done.started_at, crate::time::later(lost.started_at, LEASE + 5 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_died_over_a_charge_raises_an_alarm_once() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let dead = scene.steal(Duration::ZERO, Stale::Park).await;
    let settings = scene.settings().poll(3600 * SECOND);
    let workers =
        [0, 1].map(|_| Running::new(scene.external(settings.clone(), async |_: Job| Ok(()))));
    sleep(60 * SECOND).await;
    for worker in workers {
        worker.stopped().await;
    }
    assert_eq!(scene.states().await, [State::Parked]);
    let id = dead.claims[0].id();
    assert_eq!(
        scene.heard(),
        [format!(
            "event {id} of e is parked: the worker went silent; its effect may have happened"
        )]
    );
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_steps_back_doubles_nothing() {
    let scene = Scene::new();
    scene.record(&["a", "b"]).await;
    let (outside, dropped) = (Outside::default(), Arc::default());
    let handler = slow(90 * SECOND, &outside, &dropped);
    let settings = scene.settings().concurrency(1).poll(10 * SECOND);
    let workers = [0, 1].map(|_| Running::new(scene.external(settings.clone(), handler.clone())));
    sleep(20 * SECOND).await;
    scene.step(-3600);
    sleep(200 * SECOND).await;
    assert_eq!((outside.times("a"), outside.times("b")), (1, 1));
    assert!(scene.all_done().await);
    assert_eq!(scene.attempts("a").await.len(), 1);
    assert_eq!(scene.attempts("a").await[0].duration(), Duration::ZERO, "by that clock");
    for worker in workers {
        worker.stopped().await;
    }
    assert!(scene.heard().is_empty(), "{:?}", scene.heard());
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_steps_forward_doubles_nothing_that_goes_on() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let (outside, dropped) = (Outside::default(), Arc::default());
    let handler = slow(90 * SECOND, &outside, &dropped);
    // One worker only: it does not take its own event over, since its slot is in use.
    let settings = scene.settings().concurrency(1).poll(SECOND);
    let running = Running::new(scene.external(settings, handler));
    sleep(20 * SECOND).await;
    scene.step(3600);
    sleep(100 * SECOND).await;
    running.stopped().await;
    assert_eq!(outside.times("a"), 1);
    assert!(scene.all_done().await);
}
