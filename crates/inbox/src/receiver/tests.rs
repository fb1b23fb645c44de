use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;

use hookproof::providers::{GITHUB, HUBSPOT, STRIPE};
use hookproof::testing::{NOW, SECRET, Sender};
use tokio::time::sleep;

use super::*;
use crate::answer::Outcome;
use crate::backoff::Backoff;
use crate::claim::{ClaimRequest, Page, Selection};
use crate::error::StoreErrorKind;
use crate::event::State;
use crate::faulty::Faulty;
use crate::kit::join_all;
use crate::memory::MemoryStore;
use crate::progress::Stale;
use crate::worker::{Job, Settings, Worker};

const BODY: &[u8] = br#"{"id":"evt_1","type":"invoice.paid"}"#;
const SECOND: Duration = Duration::from_secs(1);

type Receives = Receiver<Arc<Faulty>>;

fn receiver(store: &Arc<Faulty>) -> Receives {
    of(store, &STRIPE)
}

fn of(store: &Arc<Faulty>, provider: &'static dyn hookproof::Provider) -> Receives {
    let verifier = Verifier::builder(provider).secret(SECRET).build().unwrap();
    let endpoint = EndpointId::new("e").unwrap();
    Receiver::new(Arc::new(Arc::clone(store)), verifier, endpoint, LocalWake::new())
}

async fn receive(receiver: &Receives, sender: &Sender, body: &[u8]) -> Receipt {
    let sent = sender.send(body).unwrap();
    receiver.receive(&sent.delivery(), NOW).await
}

async fn copy(receiver: &Receives) -> Receipt {
    receive(receiver, &Sender::new(&STRIPE), BODY).await
}

/// As [`copy`], with its effect in the transaction.
async fn copy_here(receiver: &Receives) -> Receipt {
    let sent = Sender::new(&STRIPE).send(BODY).unwrap();
    let delivery = sent.delivery();
    let receipt = receiver.receive_here(&delivery, NOW, |tx, arrival| {
        Box::pin(async move {
            for event in arrival.new_events() {
                tx.note("effects", event.key().unwrap())?;
                sleep(SECOND / 1000).await;
            }
            Ok(())
        })
    });
    receipt.await
}

async fn states(store: &Arc<Faulty>) -> Vec<State> {
    let mut tx = store.inner.begin(&mut ()).await.unwrap();
    let events = store.inner.list(&mut tx, &Selection::new(), Page::FIRST).await.unwrap();
    events.iter().map(|event| event.progress.state).collect()
}

async fn notes(store: &Arc<Faulty>) -> usize {
    store.inner.begin(&mut ()).await.unwrap().notes("effects").unwrap().len()
}

#[tokio::test(start_paused = true)]
async fn what_is_stored_is_200_whatever_became_of_it() {
    let store = Arc::<Faulty>::default();
    let receiver = receiver(&store);
    let first = copy(&receiver).await;
    assert!(first.status() == 200 && first.recorded()[0].is_new(), "{first}");
    assert!(first.headers().is_empty() && first.error().is_none());
    let backoff = Backoff::new(SECOND, SECOND, 1);
    for state in [State::Waiting, State::InWork, State::Dead, State::Waiting, State::Done] {
        let mut tx = store.inner.begin(&mut ()).await.unwrap();
        let request = ClaimRequest::new(SECOND, Stale::Park, 9);
        match state {
            State::InWork => {
                assert_eq!(
                    store.inner.claim(&mut tx, &request, NOW).await.unwrap().claims.len(),
                    1
                );
            }
            State::Dead => {
                let mut rows =
                    store.inner.list(&mut tx, &Selection::new(), Page::FIRST).await.unwrap();
                let claim = crate::Claim::new(rows.pop().unwrap()).unwrap();
                let _failed =
                    store.inner.fail(&mut tx, &claim, "x", &backoff, 1, NOW).await.unwrap();
            }
            State::Done => {
                let id = first.recorded()[0].id();
                store.inner.settle(&mut tx, id, "by hand", NOW).await.unwrap();
            }
            _ => {
                store.inner.replay(&mut tx, &Selection::new(), NOW).await.unwrap();
            }
        }
        MemoryStore::commit(tx).await.unwrap();
        assert_eq!(states(&store).await, [state]);
        let again = copy(&receiver).await;
        assert_eq!(again.status(), 200, "{state}");
        let found =
            matches!(again.recorded(), [Recorded::Duplicate { state: own, .. }] if *own == state);
        assert!(found, "{state}: {:?}", again.recorded());
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_held_longer_than_the_senders_limit_and_the_copy_gets_200() {
    let store = Arc::<Faulty>::default();
    let wake = LocalWake::new();
    let verifier = Verifier::builder(&STRIPE).secret(SECRET).build().unwrap();
    let endpoint = EndpointId::new("e").unwrap();
    let database = Arc::new(Arc::clone(&store));
    let receiver = Receiver::new(Arc::clone(&database), verifier, endpoint, wake.clone());
    let effects = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&effects);
    let handler = move |_: Job| {
        let count = Arc::clone(&count);
        async move {
            // Calendly waits for 15 s, all others for less.
            sleep(60 * SECOND).await;
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    };
    let settings = Settings::new(10 * SECOND, Stale::Park, Backoff::new(SECOND, SECOND, 1));
    let worker = Worker::external(database, handler, settings, wake).clock(|| NOW);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(worker.run(async { drop(stopped.await) }));
    sleep(SECOND).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(copy(&receiver).await.status(), 200);
    for _ in 0..10 {
        sleep(5 * SECOND).await;
        assert_eq!(states(&store).await, [State::InWork], "held");
        let asked = tokio::time::Instant::now();
        assert_eq!(copy(&receiver).await.status(), 200);
        assert_eq!(asked.elapsed(), Duration::ZERO, "nothing waits for the worker");
    }
    assert!(begun.elapsed() >= 45 * SECOND, "longer than any sender waits");
    sleep(60 * SECOND).await;
    assert_eq!((states(&store).await, effects.load(Ordering::Relaxed)), (vec![State::Done], 1));
    assert_eq!(copy(&receiver).await.status(), 200);
    drop(stop);
    running.await.unwrap();
    assert_eq!(effects.load(Ordering::Relaxed), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_copies_at_once_have_one_effect() {
    let store = Arc::<Faulty>::default();
    let receiver = Arc::new(receiver(&store).time_limit(600 * SECOND));
    let copies: Vec<_> = (0..64)
        .map(|_| {
            let receiver = Arc::clone(&receiver);
            tokio::spawn(async move { copy_here(&receiver).await })
        })
        .collect();
    let mut new = 0;
    for copy in copies {
        let receipt = copy.await.unwrap();
        assert_eq!(receipt.status(), 200, "{receipt}");
        new += receipt.recorded().iter().filter(|recorded| recorded.is_new()).count();
    }
    assert_eq!((new, notes(&store).await), (1, 1));
    assert!(states(&store).await.is_empty(), "no work is left");
    let later = join_all((0..64).map(|_| copy(&receiver))).await;
    assert!(later.iter().all(|receipt| receipt.status() == 200));
    assert!(states(&store).await.is_empty(), "known from before");
}

#[tokio::test(start_paused = true)]
async fn sixty_four_copies_for_later_are_one_event() {
    let store = Arc::<Faulty>::default();
    let receiver = receiver(&store);
    let receipts = join_all((0..64).map(|_| copy(&receiver))).await;
    assert!(receipts.iter().all(|receipt| receipt.status() == 200));
    assert_eq!(states(&store).await, [State::Waiting]);
}

#[tokio::test(start_paused = true)]
async fn whatever_fails_is_503_until_it_is_stored() {
    for here in [false, true] {
        let mut failures = 0;
        for point in 0.. {
            let store = Arc::<Faulty>::default();
            let receiver = receiver(&store);
            store.fail(move |own, _| (own == point).then_some(StoreErrorKind::Unavailable));
            let receive = async || {
                if here { copy_here(&receiver).await } else { copy(&receiver).await }
            };
            let receipt = receive().await;
            if receipt.status() == 200 {
                break;
            }
            failures += 1;
            assert_eq!(receipt.status(), 503);
            assert_eq!(receipt.retry_after().unwrap().as_secs(), 5);
            assert_eq!(receipt.to_response(()).headers()["retry-after"], "5");
            assert!(matches!(receipt.error(), Some(ReceiveError::Store(_))), "{receipt}");
            assert!(receipt.recorded().is_empty());
            let again = receive().await;
            assert_eq!(again.status(), 200);
            assert_eq!(notes(&store).await, usize::from(here), "{point}");
            assert_eq!(states(&store).await.len(), usize::from(!here), "{point}");
        }
        assert!(failures >= 5, "{failures}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_that_breaks_off_leaves_nothing() {
    for here in [false, true] {
        let mut breaks = 0;
        for write in 0.. {
            let store = Arc::<Faulty>::default();
            let receiver = receiver(&store);
            store.inner.break_after(Some(write));
            let receipt = if here { copy_here(&receiver).await } else { copy(&receiver).await };
            store.inner.break_after(None);
            if receipt.status() == 200 {
                break;
            }
            breaks += 1;
            assert_eq!(receipt.status(), 503);
            assert_eq!((states(&store).await.len(), notes(&store).await), (0, 0), "{write}");
            let mut tx = store.inner.begin(&mut ()).await.unwrap();
            let key = crate::Key::new("stripe/evt_1").unwrap();
            let found = store.inner.look_up(&mut tx, receiver.endpoint(), &key).await.unwrap();
            assert_eq!(found, None, "{write}");
        }
        assert!(breaks > 3, "{breaks}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_locked_store_is_in_flight_and_a_slow_one_meets_the_limit() {
    let store = Arc::<Faulty>::default();
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let receiver = receiver(&store)
        .retry_after(Duration::from_millis(1500))
        .on_incident(move |incident| heard.lock().unwrap().push(incident.to_string()));
    store.fail(|_, name| (name == "record_many").then_some(StoreErrorKind::Busy));
    let receipt = copy(&receiver).await;
    assert!(matches!(receipt.outcome(), Outcome::InFlight { .. }), "{receipt}");
    assert_eq!((receipt.status().as_u16(), receipt.retry_after().unwrap().as_secs()), (503, 2));
    assert_eq!(told.lock().unwrap().len(), 1);
    store.mend();
    let holder = store.inner.begin(&mut ()).await.unwrap();
    let asked = tokio::time::Instant::now();
    let receipt = copy(&receiver).await;
    assert_eq!(asked.elapsed(), TIME_LIMIT);
    assert_eq!(receipt.to_string(), "503: the store took longer than the time limit");
    drop(holder);
    assert_eq!(copy(&receiver).await.status(), 200);
}

#[tokio::test(start_paused = true)]
async fn an_effect_that_fails_is_made_when_the_sender_comes_again() {
    let store = Arc::<Faulty>::default();
    let receiver = receiver(&store);
    let sent = Sender::new(&STRIPE).send(BODY).unwrap();
    let delivery = sent.delivery();
    let receipt = receiver
        .receive_here(&delivery, NOW, |tx, arrival| {
            Box::pin(async move {
                tx.note("effects", arrival.verified().provider().info().id)?;
                "x".parse::<u32>()?;
                Ok(())
            })
        })
        .await;
    assert_eq!(receipt.status(), 503);
    assert_eq!(receipt.to_string(), "503: the effect failed: invalid digit found in string");
    assert_eq!(notes(&store).await, 0);
    for _copy in 0..2 {
        assert_eq!(copy_here(&receiver).await.status(), 200);
        assert_eq!(notes(&store).await, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_effect_is_made_of_what_is_new_in_a_batch() {
    let store = Arc::<Faulty>::default();
    let receiver = of(&store, &HUBSPOT);
    let element = |id: u32| {
        format!(
            r#"{{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":4,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":{id}}}"#
        )
    };
    let calls = AtomicU32::new(0);
    // A new one, the same in another grouping with a faulty one, and nothing new.
    for (ids, bad, new) in [(vec![1], "", 1), (vec![1, 2], ",7", 1), (vec![2, 1], "", 0)] {
        let elements: Vec<String> = ids.iter().map(|id| element(*id)).collect();
        let body = format!("[{}{bad}]", elements.join(","));
        let sent = Sender::new(&HUBSPOT).send(body.as_bytes()).unwrap();
        let delivery = sent.delivery();
        let before = notes(&store).await;
        let receipt = receiver.receive_here(&delivery, NOW, |tx, arrival| {
            let calls = &calls;
            Box::pin(async move {
                calls.fetch_add(1, Ordering::Relaxed);
                assert_eq!(arrival.recorded().len(), arrival.verified().events()?.len());
                for event in arrival.new_events() {
                    tx.note("effects", event.subject().unwrap())?;
                }
                Ok(())
            })
        });
        assert_eq!(receipt.await.status(), 200);
        assert_eq!(notes(&store).await - before, new, "{ids:?}");
    }
    assert_eq!(calls.load(Ordering::Relaxed), 2, "not for copies");
    assert_eq!(states(&store).await, [State::Parked], "the faulty one");
}

#[tokio::test(start_paused = true)]
async fn what_the_verifier_refuses_does_not_reach_the_store() {
    let store = Arc::<Faulty>::default();
    let receiver = receiver(&store);
    let forged = Sender::new(&STRIPE).secret("whsec_other").send(BODY).unwrap();
    let receipt = receiver.receive(&forged.delivery(), NOW).await;
    assert_eq!((receipt.status().as_u16(), receipt.retry_after()), (401, None));
    assert!(receipt.to_string().starts_with("401: stripe"), "{receipt}");
    let (headers, delivery) = (http::HeaderMap::new(), Sender::new(&STRIPE).send(BODY).unwrap());
    let bare = Delivery::new(&headers, delivery.delivery().body());
    let receipt = receiver.receive_here(&bare, NOW, |_, _| panic!("called")).await;
    assert_eq!(receipt.status(), 401);
    // The operator's fault: HubSpot signs a URL, and none is given.
    let sent = Sender::new(&HUBSPOT).send(b"[]").unwrap();
    let without = Delivery::new(sent.signed().headers(), b"[]");
    assert_eq!(of(&store, &HUBSPOT).receive(&without, NOW).await.status(), 500);
    assert_eq!(store.count("connect"), 0);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_has_to_look_at_is_200_and_told_once() {
    let store = Arc::<Faulty>::default();
    let told = Arc::new(Mutex::new(Vec::new()));
    let hooked = |provider| {
        let heard = Arc::clone(&told);
        of(&store, provider)
            .on_incident(move |incident| heard.lock().unwrap().push(incident.to_string()))
    };
    let stripe = hooked(&STRIPE);
    assert_eq!(copy(&stripe).await.status(), 200);
    let other = br#"{"id":"evt_1","type":"invoice.voided"}"#;
    assert_eq!(receive(&stripe, &Sender::new(&STRIPE), other).await.status(), 200);
    let good = r#"{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":4,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":5}"#;
    let batch = format!("[{good},7]");
    let receipt = receive(&hooked(&HUBSPOT), &Sender::new(&HUBSPOT), batch.as_bytes()).await;
    assert_eq!(receipt.to_string(), "200: 2 events, 1 new, 1 to look at");
    let github = hooked(&GITHUB);
    for id in ["1-2-3", "4-5-6"] {
        let receipt = receive(&github, &Sender::new(&GITHUB).id(id), b"{}").await;
        assert_eq!(receipt.status(), 200);
    }
    assert_eq!(
        states(&store).await,
        [
            State::Waiting,
            State::Parked,
            State::Waiting,
            State::Parked,
            State::Waiting,
            State::Waiting
        ]
    );
    let told = told.lock().unwrap();
    let [conflict, faulty, same] = &told[..] else { panic!("{told:?}") };
    assert!(conflict.ends_with("came again with other content, which is parked"));
    assert!(faulty.ends_with("has no usable identity and is parked"));
    assert!(same.ends_with("has the same bytes as another with an unsigned id"));
}

#[tokio::test(start_paused = true)]
async fn workers_hear_of_what_is_new_and_of_nothing_else() {
    let store = Arc::<Faulty>::default();
    let receiver = receiver(&store);
    let mut listener = Wake::<Faulty>::listen(&*receiver.wake).await.unwrap();
    let heard = async |listener: &mut _| {
        timeout(SECOND, Wake::<Faulty>::woken(&*receiver.wake, listener)).await.is_ok()
    };
    assert!(!heard(&mut listener).await);
    assert_eq!(copy(&receiver).await.status(), 200);
    assert!(heard(&mut listener).await);
    assert_eq!(copy(&receiver).await.status(), 200);
    assert!(!heard(&mut listener).await, "a duplicate is no work");
    // Committed, and the request was given up before anybody heard of it.
    let other = br#"{"id":"evt_2","type":"invoice.paid"}"#;
    store.fail(|_, name| (name == "committed").then_some(StoreErrorKind::Unavailable));
    assert_eq!(receive(&receiver, &Sender::new(&STRIPE), other).await.status(), 503);
    assert!(heard(&mut listener).await);
    assert_eq!(states(&store).await.len(), 2);
}

/// Nothing that can happen is answered with a status that hurts.
#[tokio::test(start_paused = true)]
async fn never_409_and_never_410() {
    let kinds = [
        StoreErrorKind::Busy,
        StoreErrorKind::ClaimLost,
        StoreErrorKind::Corrupt,
        StoreErrorKind::Invalid,
        StoreErrorKind::Unavailable,
    ];
    for kind in kinds {
        let store = Arc::<Faulty>::default();
        let receiver = receiver(&store);
        store.fail(move |own, _| (own == 2).then_some(kind));
        assert_eq!(copy(&receiver).await.status(), 503, "{kind}");
    }
    for kind in hookproof::ErrorKind::ALL {
        let status = Receipt::refused(hookproof::Error::new(*kind, "stripe")).status();
        assert!([401, 413, 431, 500].contains(&status.as_u16()), "{kind}: {status}");
    }
}
