//! A worker may be told to stop at any point, and never lies about what it left.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;
use tokio::time::{Duration, Instant, sleep};

use super::super::*;
use super::support::*;
use crate::event::{AttemptOutcome, State};

/// Runs a worker that is told to stop at this point of its talk with the store; whether it came to it.
async fn stop_at(scene: &Scene, point: u32, worker: Worker<Arc<Faulty>>) -> bool {
    let (stop, stopped) = oneshot::channel::<()>();
    let stop = Mutex::new(Some(stop));
    scene.store.fail(move |own, _| {
        if own == point {
            drop(stop.lock().unwrap().take());
        }
        None
    });
    let task = tokio::spawn(worker.run(async { drop(stopped.await) }));
    sleep(3600 * SECOND).await;
    let came = task.is_finished();
    if came {
        task.await.unwrap();
    } else {
        task.abort();
    }
    scene.store.mend();
    came
}

#[tokio::test(start_paused = true)]
async fn effects_inside_are_whole_wherever_it_stops() {
    let mut stops = 0;
    for (time, grace) in [(Duration::ZERO, 0), (SECOND, 10), (30 * SECOND, 10)] {
        for point in 0.. {
            let scene = Scene::new();
            scene.record(&["a", "b", "c"]).await;
            let settings = scene.settings().concurrency(2).grace(grace * SECOND);
            let worker = scene.transactional(settings.clone(), Notes(time));
            let came = stop_at(&scene, point, worker).await;
            let (states, notes) = (scene.states().await, scene.notes().await);
            let done = states.iter().filter(|state| **state == State::Done).count();
            assert_eq!(notes.len(), done, "{point}: {states:?} {notes:?}");
            let rest = states.iter().all(|state| matches!(state, State::Done | State::Waiting));
            assert!(rest, "{point}: all given back: {states:?}");
            assert!(scene.heard().is_empty(), "{point}: {:?}", scene.heard());
            scene.transactional(settings, Notes(time)).run_until_idle().await.unwrap();
            let mut notes = scene.notes().await;
            notes.sort();
            assert_eq!(notes, ["a", "b", "c"], "{point}");
            if !came {
                break;
            }
            stops += 1;
        }
    }
    assert!(stops > 60, "{stops}");
}

#[tokio::test(start_paused = true)]
async fn effects_elsewhere_are_not_denied_wherever_it_stops() {
    let (mut stops, mut abandoned) = (0, 0);
    for (time, grace) in [(0, 0), (1, 10), (60, 10)] {
        for point in 0.. {
            let scene = Scene::new();
            scene.record(&["a", "b", "c"]).await;
            let (begun, outside) = (Outside::default(), Outside::default());
            let (begins, effects) = (begun.clone(), outside.clone());
            let handler = move |job: Job| {
                let (begins, effects) = (begins.clone(), effects.clone());
                async move {
                    begins.happens(&job);
                    sleep(time * SECOND).await;
                    effects.happens(&job);
                    Ok(())
                }
            };
            let settings = scene.settings().concurrency(2).grace(grace * SECOND);
            let worker = scene.external(settings.clone(), handler.clone());
            let came = stop_at(&scene, point, worker).await;
            let mut left = 0;
            for event in scene.events().await {
                let key = event.key.as_ref().unwrap().as_str();
                match event.progress.state {
                    State::Done => assert_eq!(outside.times(key), 1, "{point}"),
                    State::Waiting => assert_eq!(begun.times(key), 0, "{point}: given back"),
                    State::InWork => left += 1,
                    state => panic!("{point}: {state}"),
                }
            }
            assert_eq!(scene.heard().len(), left, "{point}: {:?}", scene.heard());
            assert!(scene.heard().iter().all(|line| line.contains("was left to the end")));
            let interrupted: u32 =
                begun.counts().values().sum::<u32>() - outside.counts().values().sum::<u32>();
            assert!(interrupted <= u32::try_from(left).unwrap(), "{point}");
            abandoned += left;
            // What was left is taken up at the end of its lease, and nothing else is done twice.
            sleep(LEASE * 2).await;
            scene.external(settings, handler).run_until_idle().await.unwrap();
            assert!(scene.all_done().await);
            let total: u32 = outside.counts().values().sum();
            assert!(total <= 3 + u32::try_from(left).unwrap(), "{point}: {total}");
            if !came {
                break;
            }
            stops += 1;
        }
    }
    assert!(stops > 60 && abandoned > 10, "{stops} {abandoned}");
}

#[tokio::test(start_paused = true)]
async fn handlers_have_the_grace_and_no_more() {
    for (takes, done) in [(5, true), (15, false)] {
        let scene = Scene::new();
        scene.record(&["a"]).await;
        let worker = scene.external(scene.settings(), move |_: Job| async move {
            sleep(takes * SECOND).await;
            Ok(())
        });
        let running = Running::new(worker);
        sleep(SECOND).await;
        let told = Instant::now();
        running.stopped().await;
        let took = told.elapsed();
        assert_eq!(scene.all_done().await, done);
        assert_eq!(scene.heard().len(), usize::from(!done));
        let expected = if done { takes - 1 } else { 10 };
        assert_eq!(took.as_secs(), u64::from(expected), "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stopping_worker_claims_nothing_more() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let worker = scene.external(scene.settings(), async |_: Job| {
        sleep(5 * SECOND).await;
        Ok(())
    });
    let mut running = Running::new(worker);
    sleep(SECOND).await;
    running.stop();
    scene.record(&["b"]).await;
    scene.wake.wake();
    running.stopped().await;
    assert_eq!(scene.states().await, [State::Done, State::Waiting]);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_does_not_keep_it() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    // Somebody holds the database and does not let go.
    let holder = scene.tx().await;
    let running = Running::new(scene.external(scene.settings(), async |_: Job| Ok(())));
    sleep(SECOND).await;
    let told = Instant::now();
    running.stopped().await;
    assert_eq!(told.elapsed().as_secs(), 10, "the grace");
    drop(holder);
    assert_eq!(scene.states().await, [State::Waiting]);
}

#[tokio::test(start_paused = true)]
async fn what_is_given_back_is_an_attempt_that_does_not_count() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let running = Running::new(scene.transactional(scene.settings(), Notes(600 * SECOND)));
    sleep(SECOND).await;
    running.stopped().await;
    let events = scene.events().await;
    assert_eq!((events[0].progress.state, events[0].progress.attempts), (State::Waiting, 0));
    let outcomes: Vec<_> = scene.attempts("a").await.iter().map(|own| own.outcome).collect();
    assert_eq!(outcomes, [AttemptOutcome::Released]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_dropped_leaves_all_to_the_end_of_their_leases() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let dropped = Arc::new(AtomicU32::new(0));
    let guard = Arc::clone(&dropped);
    let worker = scene.external(scene.settings(), move |_: Job| {
        let guard = Guard(Arc::clone(&guard));
        async move {
            sleep(600 * SECOND).await;
            drop(guard);
            Ok(())
        }
    });
    let task = tokio::spawn(worker.run(core::future::pending()));
    sleep(SECOND).await;
    task.abort();
    sleep(SECOND).await;
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    assert_eq!(scene.states().await, [State::InWork]);
}
