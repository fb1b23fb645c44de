//! The store fails at any point, and the process goes on.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use tokio::time::sleep;

use super::super::*;
use super::support::*;
use crate::backoff::{Backoff, mix};
use crate::error::StoreErrorKind;
use crate::event::{AttemptOutcome, State};
use crate::memory::MemoryStore;
use crate::progress::Stale;
use crate::store::Store;

/// The two kinds of handlers, each with the same effect.
#[derive(Clone, Copy, Debug)]
enum Kind {
    External,
    Transactional,
}

fn start(scene: &Scene, kind: Kind, outside: &Outside) -> Running {
    // A completion that the store does not take is a failed attempt, and here are many of them.
    let backoff = Backoff::new(SECOND, 60 * SECOND, 12);
    let settings = Settings::new(LEASE, RECLAIM, backoff).concurrency(2).grace(10 * SECOND);
    start_with(scene, kind, settings, outside)
}

fn start_with(scene: &Scene, kind: Kind, settings: Settings, outside: &Outside) -> Running {
    let outside = outside.clone();
    Running::new(match kind {
        Kind::Transactional => scene.transactional(settings, Notes(SECOND)),
        Kind::External => scene.external(settings, move |job: Job| {
            let outside = outside.clone();
            async move {
                sleep(SECOND).await;
                outside.happens(&job);
                Ok(())
            }
        }),
    })
}

/// Three events are worked on while this fault is there; the worker must get over it by itself.
async fn once_each(kind: Kind, what: &str, fault: impl FnOnce(&Scene)) -> Scene {
    let scene = Scene::new();
    scene.record(&["a", "b", "c"]).await;
    fault(&scene);
    let outside = Outside::default();
    let running = start(&scene, kind, &outside);
    sleep(600 * SECOND).await;
    running.stopped().await;
    assert!(scene.all_done().await, "{what}: {:?}", scene.events().await);
    match kind {
        Kind::External => {
            let counts = outside.counts();
            assert!(
                counts.len() == 3 && counts.values().all(|own| *own == 1),
                "{what}: {counts:?}"
            );
        }
        Kind::Transactional => {
            let mut notes = scene.notes().await;
            notes.sort();
            assert_eq!(notes, ["a", "b", "c"], "{what}");
        }
    }
    scene
}

#[tokio::test(start_paused = true)]
async fn one_effect_each_whichever_call_fails() {
    for kind in [Kind::External, Kind::Transactional] {
        for error in [StoreErrorKind::Unavailable, StoreErrorKind::Busy] {
            let mut failures = 0;
            for point in 0.. {
                let hits = Arc::new(AtomicU32::new(0));
                let count = Arc::clone(&hits);
                let what = format!("{kind:?} {error} {point}");
                let scene = once_each(kind, &what, |scene| {
                    scene.store.fail(move |own, name| {
                        let committed = name == "committed";
                        (own == point).then(|| {
                            count.fetch_add(1, Ordering::Relaxed);
                            // What is written although nobody heard of it is never merely busy.
                            if committed { StoreErrorKind::Unavailable } else { error }
                        })
                    });
                })
                .await;
                if hits.load(Ordering::Relaxed) == 0 {
                    break;
                }
                assert!(scene.faults() > 0, "{what}: nobody was told");
                let lost = scene.heard().iter().any(|line| line.contains("was lost"));
                assert!(!lost, "{what}: {:?}", scene.heard());
                failures += 1;
            }
            assert!(failures > 30, "{failures}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_effect_each_whichever_write_breaks_off() {
    for kind in [Kind::External, Kind::Transactional] {
        for write in 0..60 {
            let what = format!("{kind:?} {write}");
            once_each(kind, &what, |scene| scene.store.inner.break_after(Some(write))).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_effect_each_while_many_calls_fail() {
    for kind in [Kind::External, Kind::Transactional] {
        let scene = once_each(kind, "many", |scene| {
            scene.store.fail(|own, name| {
                // One in four, in no rhythm that a transaction could have.
                let fails = mix(u64::from(own)).is_multiple_of(4) && name != "committed";
                fails.then_some(StoreErrorKind::Unavailable)
            });
        })
        .await;
        assert!(scene.faults() > 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_was_written_unheard_is_not_written_again() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let worker = scene.external(scene.settings(), |job: Job| async move {
        match job.attempt() {
            1 => Err(NotDone::failed("no route")),
            _ => Err(NotDone::park("who knows")),
        }
    });
    let saying = AtomicU32::new(0);
    scene.store.fail(move |_, name| {
        if matches!(name, "fail" | "park") {
            saying.store(1, Ordering::Relaxed);
        }
        let unheard = name == "committed" && saying.swap(0, Ordering::Relaxed) == 1;
        unheard.then_some(StoreErrorKind::Unavailable)
    });
    let running = Running::new(worker);
    sleep(60 * SECOND).await;
    running.stopped().await;
    let outcomes: Vec<_> = scene.attempts("a").await.iter().map(|own| own.outcome).collect();
    assert_eq!(outcomes, [AttemptOutcome::Failed, AttemptOutcome::Parked]);
    let heard = scene.heard();
    assert_eq!(heard.len(), 1, "parked, and not lost: {heard:?}");
    assert!(heard[0].ends_with("is parked: who knows"));
}

#[tokio::test(start_paused = true)]
async fn what_somebody_else_wrote_is_not_taken_for_the_own_word() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let outside = Outside::default();
    scene.store.fail(|_, name| (name == "complete").then_some(StoreErrorKind::Unavailable));
    let running = start(&scene, Kind::External, &outside);
    sleep(2 * SECOND).await;
    // The effect has happened, and the store does not take it. Somebody else takes the event over, and completes it.
    let stolen = scene.steal(40 * SECOND, Stale::Park).await;
    let mut tx = scene.tx().await;
    scene.store.inner.complete(&mut tx, &stolen.claims[0], scene.now()).await.unwrap();
    MemoryStore::commit(tx).await.unwrap();
    scene.store.mend();
    sleep(60 * SECOND).await;
    running.stopped().await;
    assert_eq!(scene.states().await, [State::Done]);
    let heard = scene.heard();
    assert!(heard.len() == 1 && heard[0].contains("was lost"), "done twice, and told: {heard:?}");
}

#[tokio::test(start_paused = true)]
async fn a_payload_that_cannot_be_read_holds_up_nobody() {
    for kind in [Kind::External, Kind::Transactional] {
        let scene = Scene::new();
        scene.record(&["bad"]).await;
        let bad = scene.events().await[0].delivery;
        scene.record(&["good"]).await;
        let reads = AtomicU32::new(0);
        scene.store.fail(move |_, name| {
            let first = name == "delivery" && reads.fetch_add(1, Ordering::Relaxed) == 0;
            first.then_some(StoreErrorKind::Corrupt)
        });
        let outside = Outside::default();
        let running = start(&scene, kind, &outside);
        sleep(60 * SECOND).await;
        running.stopped().await;
        for event in scene.events().await {
            let (state, error) = (event.progress.state, event.progress.error);
            if event.delivery == bad {
                assert_eq!(state, State::Parked);
                assert!(error.unwrap().contains("cannot be read"));
            } else {
                assert_eq!(state, State::Done);
            }
        }
        assert_eq!(scene.heard().len(), 1, "{:?}", scene.heard());
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_store_will_never_take_is_told_and_left() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    scene.store.fail(|_, name| (name == "complete").then_some(StoreErrorKind::Corrupt));
    let outside = Outside::default();
    let running = start(&scene, Kind::External, &outside);
    sleep(10 * SECOND).await;
    assert_eq!((scene.faults(), scene.store.count("complete")), (1, 1), "once, and no more");
    assert!(running.is_running());
    assert_eq!(scene.states().await, [State::InWork]);
    running.stopped().await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_panics_does_not_end_the_worker() {
    for name in ["begin", "extend", "delivery", "complete", "commit"] {
        for kind in [Kind::External, Kind::Transactional] {
            let scene = Scene::new();
            scene.record(&["a", "b", "c"]).await;
            let (claimed, hits) = (AtomicU32::new(0), Arc::new(AtomicU32::new(0)));
            let count = Arc::clone(&hits);
            scene.store.fail(move |_, own| {
                // After the first claim was committed, and so within an attempt.
                if own == "committed" {
                    claimed.store(1, Ordering::Relaxed);
                }
                let now = claimed.load(Ordering::Relaxed) == 1 && own == name;
                assert!(!now || count.fetch_add(1, Ordering::Relaxed) > 0, "of the store");
                None
            });
            let outside = Outside::default();
            let settings = scene.settings().concurrency(2).poll(SECOND);
            let running = start_with(&scene, kind, settings, &outside);
            sleep(600 * SECOND).await;
            running.stopped().await;
            let extends = matches!((kind, name), (Kind::External, "extend"));
            assert_eq!(hits.load(Ordering::Relaxed) > 0, !extends, "{name}: no lease was that old");
            assert!(scene.all_done().await, "{name} {kind:?}: {:?}", scene.events().await);
            assert_eq!(scene.faults(), usize::from(!extends), "{name} {kind:?}");
            assert!(scene.heard().is_empty(), "{name} {kind:?}: {:?}", scene.heard());
            // As if the process had died there: once inside, at least once elsewhere.
            let (notes, counts) = (scene.notes().await, outside.counts());
            match kind {
                Kind::Transactional => assert_eq!(notes.len(), 3, "{name}: {notes:?}"),
                Kind::External => assert_eq!(counts.len(), 3, "{name}: {counts:?}"),
            }
        }
    }
}
