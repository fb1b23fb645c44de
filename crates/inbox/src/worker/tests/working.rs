//! Handlers: how many at once, failures, panics, order, and what a job can reach.

use core::sync::atomic::{AtomicU32, Ordering as Atomic};
use std::sync::{Arc, Mutex};

use hookproof::Verifier;
use hookproof::providers::{HUBSPOT, STRIPE};
use hookproof::testing::{SECRET, Sender};
use tokio::time::{Duration, sleep};

use super::super::*;
use super::support::*;
use crate::backoff::{ALARMS, Backoff};
use crate::batch::{Batch, Work};
use crate::claim::{Ordering, Selection};
use crate::event::{AttemptOutcome, State};
use crate::id::EndpointId;
use crate::memory::MemoryStore;
use crate::store::Store;

fn outcomes(attempts: &[crate::event::AttemptRow]) -> Vec<AttemptOutcome> {
    attempts.iter().map(|attempt| attempt.outcome).collect()
}

#[tokio::test(start_paused = true)]
async fn effects_inside_happen_with_the_completion() {
    let scene = Scene::new();
    scene.record(&["a", "b"]).await;
    scene.transactional(scene.settings(), Notes(SECOND)).run_until_idle().await.unwrap();
    assert!(scene.all_done().await);
    assert_eq!(scene.notes().await, ["a", "b"]);
    assert_eq!(scene.store.count("delivery"), 1, "events of one delivery read it once");
    let [attempt] = &scene.attempts("a").await[..] else { panic!("not one attempt") };
    assert_eq!((attempt.number, attempt.outcome), (1, AttemptOutcome::Done));
    assert_eq!(attempt.duration(), SECOND);
    assert!(scene.heard().is_empty() && scene.faults() == 0, "{:?}", scene.heard());
}

#[tokio::test(start_paused = true)]
async fn no_more_at_once_than_there_is_room_for() {
    let scene = Scene::new();
    let keys: Vec<String> = (0..20).map(|number| format!("k{number}")).collect();
    scene.record(&keys.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let (now, most, outside) =
        (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)), Outside::default());
    let (running, peak, effects) = (Arc::clone(&now), Arc::clone(&most), outside.clone());
    let worker = scene.external(scene.settings().concurrency(3), move |job: Job| {
        let (running, peak, effects) = (Arc::clone(&running), Arc::clone(&peak), effects.clone());
        async move {
            peak.fetch_max(running.fetch_add(1, Atomic::Relaxed) + 1, Atomic::Relaxed);
            sleep(SECOND).await;
            effects.happens(&job);
            running.fetch_sub(1, Atomic::Relaxed);
            Ok(())
        }
    });
    let running = Running::new(worker);
    sleep(60 * SECOND).await;
    running.stopped().await;
    assert!(scene.all_done().await);
    assert_eq!(most.load(Atomic::Relaxed), 3);
    assert_eq!(outside.counts().len(), 20);
    assert!(outside.counts().values().all(|times| *times == 1));
    assert_eq!(now.load(Atomic::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn failures_wait_longer_and_end_in_death() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let worker = scene.external(scene.settings(), async |_: Job| {
        "x".parse::<u32>()?;
        Ok(())
    });
    let running = Running::new(worker);
    sleep(300 * SECOND).await;
    running.stopped().await;
    assert_eq!(scene.states().await, [State::Dead]);
    let attempts = scene.attempts("a").await;
    assert_eq!(outcomes(&attempts), [AttemptOutcome::Failed; 3]);
    for (number, pair) in (1..).zip(attempts.windows(2)) {
        let [before, after] = pair else { unreachable!() };
        let gap = crate::time::between(before.ended_at, after.started_at);
        let whole = SECOND * number;
        assert!(whole / 2 <= gap && gap <= whole, "the worker slept for {gap:?} of {whole:?}");
    }
    let reason = "invalid digit found in string";
    assert_eq!(attempts[0].error.as_deref(), Some(reason));
    let dead = format!("event {} of e is dead: {reason}", scene.events().await[0].id);
    let failing = format!("1 attempts in a row have failed at e: {reason}");
    assert_eq!(scene.heard(), [failing, dead]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failed_attempt_and_nothing_more() {
    let scene = Scene::new();
    scene.record(&["early", "late", "fine"]).await;
    let outside = Outside::default();
    let effects = outside.clone();
    let worker = scene.external(scene.settings(), move |job: Job| {
        assert!(!(key(&job) == "early" && job.attempt() == 1), "before it is a future");
        let effects = effects.clone();
        async move {
            sleep(SECOND).await;
            assert!(!(key(&job) == "late" && job.attempt() == 1), "in the middle");
            effects.happens(&job);
            Ok(())
        }
    });
    let running = Running::new(worker);
    sleep(60 * SECOND).await;
    assert!(running.is_running());
    running.stopped().await;
    assert!(scene.all_done().await);
    for (key, said) in [("early", "before it is a future"), ("late", "in the middle")] {
        let attempts = scene.attempts(key).await;
        assert_eq!(outcomes(&attempts), [AttemptOutcome::Failed, AttemptOutcome::Done]);
        assert_eq!(attempts[0].error.as_deref(), Some(&*format!("the handler panicked: {said}")));
    }
    assert!(outside.counts().values().all(|times| *times == 1));
}

struct Panics;

impl TransactionalHandler<Faulty> for Panics {
    async fn handle(
        &self,
        job: Job,
        _store: &Faulty,
        tx: &mut crate::store::Tx<'_, Faulty>,
    ) -> Result<(), NotDone> {
        tx.note("effects", &format!("{} {}", key(&job), job.attempt()))?;
        match job.attempt() {
            1 => panic!("boom"),
            2 => Err(NotDone::park("who knows")),
            _ => Ok(()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_transactional_handler_wrote_goes_with_its_failure() {
    let scene = Scene::new();
    scene.record(&["a"]).await;
    let running = Running::new(scene.transactional(scene.settings(), Panics));
    sleep(60 * SECOND).await;
    running.stopped().await;
    assert_eq!(scene.states().await, [State::Parked]);
    assert!(scene.notes().await.is_empty(), "rolled back");
    let attempts = scene.attempts("a").await;
    assert_eq!(outcomes(&attempts), [AttemptOutcome::Failed, AttemptOutcome::Parked]);
    let [_, parked] = &scene.heard()[..] else { panic!("{:?}", scene.heard()) };
    assert!(parked.ends_with("of e is parked: who knows"), "{parked}");
}

#[tokio::test(start_paused = true)]
async fn alarms_are_given_once_however_many_workers_fail() {
    let scene = Scene::new();
    let keys: Vec<String> = (0..25).map(|number| format!("k{number}")).collect();
    scene.record(&keys.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let once = Backoff::new(SECOND, SECOND, 1);
    let workers: Vec<Running> = (0..3)
        .map(|_| {
            let settings = Settings::new(LEASE, RECLAIM, once).concurrency(2);
            Running::new(scene.external(settings, async |_: Job| {
                sleep(SECOND).await;
                Err(NotDone::failed("no route"))
            }))
        })
        .collect();
    sleep(60 * SECOND).await;
    for worker in workers {
        worker.stopped().await;
    }
    let heard = scene.heard();
    let dead = heard.iter().filter(|line| line.contains("is dead")).count();
    assert_eq!(dead, 25);
    let failing: Vec<&String> = heard.iter().filter(|line| line.contains("in a row")).collect();
    let expected =
        ALARMS.map(|count| format!("{count} attempts in a row have failed at e: no route"));
    assert_eq!(failing, expected.iter().collect::<Vec<_>>());
    assert_eq!(heard.len(), 28);
}

#[tokio::test(start_paused = true)]
async fn events_of_one_stream_go_one_after_another() {
    let scene = Scene::new();
    scene.record(&["s.3", "t.2", "s.1", "u.1", "s.2", "t.1", "s.4"]).await;
    let log = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&log);
    let handler = move |job: Job| {
        let log = Arc::clone(&written);
        async move {
            log.lock().unwrap().push(format!("{} begins", key(&job)));
            sleep(Duration::from_millis(job.event().id.as_u64() * 70 % 300)).await;
            log.lock().unwrap().push(format!("{} ends", key(&job)));
            // The first of a stream holds up the others until it is through.
            if key(&job) == "s.1" && job.attempt() == 1 {
                return Err(NotDone::failed("not yet"));
            }
            Ok(())
        }
    };
    let settings = scene.settings().ordering(Ordering::PerStream).concurrency(8);
    let workers = [handler.clone(), handler]
        .map(|handler| Running::new(scene.external(settings.clone(), handler)));
    sleep(60 * SECOND).await;
    for worker in workers {
        worker.stopped().await;
    }
    assert!(scene.all_done().await);
    let log = log.lock().unwrap();
    let of = |stream: &str| -> Vec<&str> {
        log.iter().filter_map(|line| line.strip_prefix(stream)).collect()
    };
    let expected: Vec<String> = [1, 1, 2, 3, 4]
        .iter()
        .flat_map(|n| [format!(".{n} begins"), format!(".{n} ends")])
        .collect();
    assert_eq!(of("s"), expected);
    assert_eq!(of("t"), [".1 begins", ".1 ends", ".2 begins", ".2 ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_job_reaches_its_own_element_verified_again() {
    let scene = Scene::new();
    let element = |id: u32| {
        format!(
            r#"{{"eventId":{id},"subscriptionId":2,"portalId":3,"occurredAt":{id},"subscriptionType":"contact.creation","attemptNumber":0,"objectId":5}}"#
        )
    };
    let bodies: [(&'static dyn hookproof::Provider, String); 2] = [
        (&HUBSPOT, format!("[{},{}]", element(7), element(8))),
        (&STRIPE, r#"{"id":"evt_1","type":"invoice.paid"}"#.to_owned()),
    ];
    for (provider, body) in &bodies {
        let sent = Sender::new(*provider).at(scene.now()).send(body.as_bytes()).unwrap();
        let batch =
            Batch::read(EndpointId::new("e").unwrap(), &sent.verified().as_verified(), scene.now());
        let mut tx = scene.tx().await;
        scene.store.inner.record_many(&mut tx, &batch, Work::Later).await.unwrap();
        MemoryStore::commit(tx).await.unwrap();
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let handler = move |job: Job| {
        let log = Arc::clone(&log);
        async move {
            let delivery = job.delivery().ok_or(JobError::Purged)?;
            let provider = if &*delivery.provider == "stripe" {
                bodies_of(&STRIPE)
            } else {
                bodies_of(&HUBSPOT)
            };
            let event = job.verify(&provider)?;
            let mine = Verifier::builder(&STRIPE).secret("another secret").build()?;
            assert!(matches!(job.verify(&mine), Err(JobError::Refused(_))));
            log.lock()
                .unwrap()
                .push((String::from_utf8_lossy(event.raw()).into_owned(), job.is_replay()));
            Ok(())
        }
    };
    // Years later.
    scene.step(100_000_000);
    scene
        .external(scene.settings().concurrency(1), handler.clone())
        .run_until_idle()
        .await
        .unwrap();
    assert!(scene.all_done().await, "{:?}", scene.events().await);
    let expected = [element(7), element(8), bodies[1].1.clone()];
    let seen = || core::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(seen(), expected.clone().map(|raw| (raw, false)));
    let replay = async || {
        let mut tx = scene.tx().await;
        scene.store.inner.replay(&mut tx, &Selection::new(), scene.now()).await.unwrap();
        MemoryStore::commit(tx).await.unwrap();
    };
    replay().await;
    scene
        .external(scene.settings().concurrency(1), handler.clone())
        .run_until_idle()
        .await
        .unwrap();
    assert_eq!(seen(), expected.map(|raw| (raw, true)));
    // What was purged cannot be read, and the handler is told so.
    let mut tx = scene.tx().await;
    let gone = scene.store.inner.purge_payloads(&mut tx, scene.now(), 10).await.unwrap();
    assert_eq!(gone.rows, 2);
    MemoryStore::commit(tx).await.unwrap();
    replay().await;
    scene.external(scene.settings(), handler).run_until_idle().await.unwrap();
    let errors: Vec<_> =
        scene.events().await.into_iter().map(|event| event.progress.error).collect();
    assert!(errors.iter().all(|error| error.as_ref().unwrap().contains("purged")), "{errors:?}");
}

fn bodies_of(provider: &'static dyn hookproof::Provider) -> Verifier {
    Verifier::builder(provider).secret(SECRET).build().unwrap()
}
