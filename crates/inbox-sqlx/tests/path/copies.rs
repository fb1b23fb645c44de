//! Copies of one delivery at once, on several instances, and while its event is in work.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;

use hookproof::UnixTime;
use hookproof::providers::{GITHUB, STRIPE};
use hookproof_inbox::kit::join_all;
use hookproof_inbox::{
    Backoff, Database, Job, LocalWake, NotDone, Recorded, Settings, Stale, State, Store,
    TransactionalHandler, Worker,
};
use tokio::sync::Notify;

use crate::databases::{Path, Tx};
use crate::support::{NOW, events};
use crate::{receiver, sent};

/// How long a sender waits for an answer; none of this crate's says that it waits longer.
const LIMIT: Duration = Duration::from_secs(10);
const INSTANCES: usize = 8;
const COPIES: usize = 8;
const BODY: &[u8] = br#"{"id":"evt_1","type":"invoice.paid"}"#;

fn settings() -> Settings {
    let second = Duration::from_secs(1);
    let stale = Stale::Reclaim { after: 10 * second };
    Settings::new(60 * second, stale, Backoff::new(second, second, 3))
}

pub async fn copies_at_once_with_the_effect_in_the_transaction<P: Path>(path: &P) {
    let sent = sent(&STRIPE, "evt_1", BODY);
    let instances: Vec<_> = (0..INSTANCES).map(|_| receiver(path.another(), &STRIPE)).collect();
    let sent = &sent;
    let copies = instances.iter().flat_map(|receiver| (0..COPIES).map(move |_| receiver));
    let new = join_all(copies.map(async |receiver| {
        let mut new = 0;
        // What was answered with 503 comes again, as a sender's retries do.
        for _ in 0..50 {
            let delivery = sent.delivery();
            let receipt = receiver.receive_here(&delivery, NOW, |tx, _| {
                Box::pin(async move { Ok(P::note(tx, "an order").await?) })
            });
            let receipt = receipt.await;
            new += receipt.recorded().iter().filter(|recorded| recorded.is_new()).count();
            match receipt.status().as_u16() {
                200 => return new,
                503 => assert!(receipt.retry_after().is_some()),
                other => panic!("{other}: {receipt}"),
            }
        }
        panic!("never stored");
    }))
    .await;
    assert_eq!((new.len(), new.iter().sum::<usize>()), (INSTANCES * COPIES, 1));
    assert_eq!(path.notes().await, 1);
}

/// Writes a note for each event.
struct Notes<P>(core::marker::PhantomData<fn() -> P>);

impl<P: Path> TransactionalHandler<<P::Inbox as Database>::Store> for Notes<P> {
    async fn handle(
        &self,
        job: Job,
        _store: &<P::Inbox as Database>::Store,
        tx: &mut Tx<'_, P>,
    ) -> Result<(), NotDone> {
        let key = job.event().key.as_ref().map(ToString::to_string);
        P::note(tx, &key.unwrap_or_default()).await?;
        Ok(())
    }
}

pub async fn copies_at_once_with_workers<P: Path>(path: &P) {
    let sent = sent(&GITHUB, "1-2-3", b"{}");
    let instances: Vec<_> = (0..INSTANCES).map(|_| path.another()).collect();
    let sent = &sent;
    join_all(instances.iter().map(async |inbox| {
        let receiver = receiver(inbox.clone(), &GITHUB);
        for _ in 0..COPIES {
            let receipt = receiver.receive(&sent.delivery(), NOW).await;
            assert!(matches!(receipt.status().as_u16(), 200 | 503), "{receipt}");
            // Whoever looks for work meanwhile finds it once.
            let handler = Notes::<P>(core::marker::PhantomData);
            let worker = Worker::transactional(
                Arc::new(inbox.clone()),
                handler,
                settings(),
                LocalWake::new(),
            );
            let _ = worker.clock(|| NOW).run_until_idle().await;
        }
    }))
    .await;
    let states: Vec<State> =
        events(&path.another()).await.unwrap().iter().map(|event| event.progress.state).collect();
    assert_eq!(states, [State::Done]);
    assert_eq!(path.notes().await, 1);
}

pub async fn a_copy_while_the_work_takes_longer_than_the_sender_waits<P: Path>(path: &P) {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let effects = Arc::new(AtomicU32::new(0));
    let clock = Arc::new(AtomicU64::new(NOW.as_millis()));
    let handler = {
        let (begun, go_on, effects) =
            (Arc::clone(&begun), Arc::clone(&go_on), Arc::clone(&effects));
        move |_: Job| {
            let (begun, go_on, effects) =
                (Arc::clone(&begun), Arc::clone(&go_on), Arc::clone(&effects));
            async move {
                begun.notify_one();
                go_on.notified().await;
                effects.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        }
    };
    let receiver = receiver(path.another(), &STRIPE);
    let sent = sent(&STRIPE, "evt_1", BODY);
    assert_eq!(receiver.receive(&sent.delivery(), NOW).await.status(), 200);
    let own = Arc::clone(&clock);
    let worker = Worker::external(Arc::new(path.another()), handler, settings(), LocalWake::new())
        .clock(move || UnixTime::from_millis(own.load(Ordering::Relaxed)));
    let copies = async {
        begun.notified().await;
        // The sender has given up, and comes again.
        for copy in 1..=3u32 {
            let now = hookproof_inbox::time::later(NOW, LIMIT * copy);
            clock.store(now.as_millis(), Ordering::Relaxed);
            let receipt = receiver.receive(&sent.delivery(), now).await;
            assert_eq!(receipt.status(), 200, "{receipt}");
            let [Recorded::Duplicate { state, .. }] = receipt.recorded() else {
                panic!("{receipt}");
            };
            assert_eq!(*state, State::InWork);
        }
        go_on.notify_one();
    };
    let (worked, ()) = tokio::join!(worker.run_until_idle(), copies);
    worked.unwrap();
    let receipt = receiver.receive(&sent.delivery(), NOW).await;
    let [Recorded::Duplicate { state, .. }] = receipt.recorded() else { panic!("{receipt}") };
    assert_eq!((*state, receipt.status().as_u16()), (State::Done, 200));
    assert_eq!(effects.load(Ordering::Relaxed), 1);
}

/// Back: nobody takes the event over early, and nothing gets shorter. Forward: somebody does, and the first is refused.
pub async fn a_clock_that_steps_while_work_is_done<P: Path>(path: &P) {
    let inbox = path.another();
    let store = inbox.store();
    let mut connection = inbox.connect().await.unwrap();
    let at = |secs: i64| UnixTime::from_secs(NOW.as_secs().checked_add_signed(secs).unwrap());
    let sent = sent(&STRIPE, "evt_1", BODY);
    let receipt = receiver(path.another(), &STRIPE).receive(&sent.delivery(), NOW).await;
    assert_eq!(receipt.status(), 200, "{receipt}");
    let lease = Duration::from_secs(60);
    let stale = Stale::Reclaim { after: Duration::from_secs(5) };
    let request = hookproof_inbox::ClaimRequest::new(lease, stale, 5);
    let mut held = None;
    // Claimed, an hour back, to and fro, up to the moment before the end of the lease and its room; then beyond it.
    for (secs, claims) in [(0, 1), (-3600, 0), (30, 0), (-86_400, 0), (64, 0), (65, 1), (-3600, 0)]
    {
        let mut open = inbox.begin(&mut connection).await.unwrap();
        let claimed = store.claim(P::Inbox::tx(&mut open), &request, at(secs)).await.unwrap();
        P::Inbox::commit(open).await.unwrap();
        assert_eq!((secs, claimed.claims.len()), (secs, claims));
        assert!(claimed.parked.is_empty() && claimed.dead.is_empty());
        let Some(claim) = claimed.claims.into_iter().next() else { continue };
        if let Some(first) = held.replace(claim) {
            let mut open = inbox.begin(&mut connection).await.unwrap();
            let late = store.complete(P::Inbox::tx(&mut open), &first, at(10)).await;
            assert!(late.unwrap_err().lost().is_some());
        }
    }
    let claim = held.unwrap();
    assert_eq!(claim.token().as_u64(), 2);
    let mut open = inbox.begin(&mut connection).await.unwrap();
    let end = store.extend(P::Inbox::tx(&mut open), &claim, lease, at(-3600)).await.unwrap();
    assert_eq!(end, at(125), "a lease never gets shorter");
    store.complete(P::Inbox::tx(&mut open), &claim, at(-7200)).await.unwrap();
    P::Inbox::commit(open).await.unwrap();
    assert_eq!(events(&inbox).await.unwrap()[0].progress.state, State::Done);
}
