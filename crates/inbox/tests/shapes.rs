//! The traits fit the drivers: a transaction that borrows its connection, and workers that are spawned.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test helpers outside `#[test]` functions"
)]

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hookproof::UnixTime;
use hookproof_inbox::memory::{MemoryStore, MemoryTx};
use hookproof_inbox::{
    Advance, AttemptRow, Backoff, Batch, Claim, ClaimRequest, Claimed, Database, DeliveryId,
    DeliveryRow, EndpointId, EventId, EventRow, Failed, Found, Key, KeyHorizon, Page, Purged,
    Recorded, Replayed, Selection, Stale, Step, Store, StoreError, StreamId, Work, kit,
};

/// A connection, and a transaction that borrows it, as with `tokio-postgres`.
#[derive(Debug)]
struct Connection {
    store: MemoryStore,
    statements: u32,
}

#[derive(Debug)]
struct Borrowed<'c> {
    connection: &'c mut Connection,
    tx: MemoryTx,
}

#[derive(Debug, Default)]
struct Borrowing {
    inner: MemoryStore,
}

macro_rules! delegate {
    ($($verb:ident($($argument:ident: $kind:ty),*) -> $output:ty;)*) => {$(
        async fn $verb(
            &self,
            tx: &mut Self::Tx<'_>,
            $($argument: $kind),*
        ) -> Result<$output, StoreError> {
            tx.connection.statements += 1;
            self.inner.$verb(&mut tx.tx, $($argument),*).await
        }
    )*};
}

impl Store for Borrowing {
    type Tx<'t> = Borrowed<'t>;

    delegate! {
        record(batch: &Batch, work: Work) -> Recorded;
        record_many(batch: &Batch, work: Work) -> Vec<Recorded>;
        claim(request: &ClaimRequest, now: UnixTime) -> Claimed;
        next_due(request: &ClaimRequest) -> Option<UnixTime>;
        extend(claim: &Claim, by: Duration, now: UnixTime) -> UnixTime;
        complete(claim: &Claim, now: UnixTime) -> ();
        fail(claim: &Claim, error: &str, backoff: &Backoff, seed: u64, now: UnixTime) -> Failed;
        park(claim: &Claim, reason: &str, now: UnixTime) -> ();
        release(claim: &Claim, now: UnixTime) -> ();
        advance(stream: &StreamId, step: &Step, now: UnixTime) -> Advance;
        replay(selection: &Selection, now: UnixTime) -> Replayed;
        settle(id: EventId, reason: &str, now: UnixTime) -> bool;
        look_up(endpoint: &EndpointId, key: &Key) -> Option<Found>;
        list(selection: &Selection, page: Page) -> Vec<EventRow>;
        delivery(id: DeliveryId) -> Option<DeliveryRow>;
        attempts(id: EventId) -> Vec<AttemptRow>;
        purge_payloads(before: UnixTime, limit: u32) -> Purged;
        purge_keys(endpoint: &EndpointId, horizon: &KeyHorizon, now: UnixTime, limit: u32) -> Purged;
    }
}

impl Database for Borrowing {
    type Store = Self;
    type Connection = Connection;
    type Open<'c> = Borrowed<'c>;

    fn store(&self) -> &Self {
        self
    }

    async fn connect(&self) -> Result<Connection, StoreError> {
        Ok(Connection { store: self.inner.clone(), statements: 0 })
    }

    async fn begin<'c>(
        &self,
        connection: &'c mut Connection,
    ) -> Result<Self::Open<'c>, StoreError> {
        let tx = connection.store.begin(&mut ()).await?;
        Ok(Borrowed { connection, tx })
    }

    fn tx<'o, 'c>(open: &'o mut Self::Open<'c>) -> &'o mut <Self as Store>::Tx<'c> {
        open
    }

    async fn commit(open: Self::Open<'_>) -> Result<(), StoreError> {
        MemoryStore::commit(open.tx).await
    }
}

#[test]
fn the_kit_takes_transactions_that_borrow() {
    for check in kit::checks::<Borrowing>() {
        if let Err(failure) = kit::block_on(check.run(&Borrowing::default())) {
            panic!("{}: {failure}", check.name());
        }
    }
}

/// What a worker does, for any database: it can be spawned.
async fn work<D: Database>(database: Arc<D>, now: UnixTime) -> Result<usize, StoreError> {
    let mut connection = database.connect().await?;
    let request = ClaimRequest::new(Duration::from_secs(60), Stale::Park, 3).limit(10);
    let mut open = database.begin(&mut connection).await?;
    let claimed = database.store().claim(D::tx(&mut open), &request, now).await?;
    D::commit(open).await?;
    for claim in &claimed.claims {
        let mut open = database.begin(&mut connection).await?;
        database.store().complete(D::tx(&mut open), claim, now).await?;
        D::commit(open).await?;
    }
    Ok(claimed.claims.len())
}

fn spawn<F: Future<Output = Result<usize, StoreError>> + Send + 'static>(future: F) -> usize {
    std::thread::spawn(move || kit::block_on(future)).join().unwrap().unwrap()
}

fn spawned<D: Database + 'static>(database: D) -> usize {
    spawn(work(Arc::new(database), UnixTime::from_secs(1)))
}

#[test]
fn workers_can_be_spawned() {
    assert_eq!(spawned(MemoryStore::new()), 0);
    assert_eq!(spawned(Borrowing::default()), 0);
}

/// Workers and receivers over a transaction that borrows its connection, spawned as a server spawns them.
#[cfg(feature = "worker")]
mod working {
    use hookproof::testing::{NOW, SECRET, Sender};
    use hookproof::{Verifier, providers::STRIPE};
    use hookproof_inbox::{
        Job, LocalWake, NotDone, Receiver, Settings, TransactionalHandler, Tx, Worker,
    };

    use super::*;

    struct Notes;

    impl TransactionalHandler<Borrowing> for Notes {
        async fn handle(
            &self,
            job: Job,
            store: &Borrowing,
            tx: &mut Tx<'_, Borrowing>,
        ) -> Result<(), NotDone> {
            let endpoint = &job.event().endpoint;
            if let Some(key) = &job.event().key {
                assert!(store.look_up(tx, endpoint, key).await?.is_some());
                tx.tx.note("worker", key.as_str())?;
            }
            Ok(())
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn workers_and_receivers_take_transactions_that_borrow() {
        let database = Arc::new(Borrowing::default());
        let verifier = Verifier::builder(&STRIPE).secret(SECRET).build().unwrap();
        let (endpoint, wake) = (EndpointId::new("e").unwrap(), LocalWake::new());
        let receiver =
            Arc::new(Receiver::new(Arc::clone(&database), verifier, endpoint, wake.clone()));
        let second = Duration::from_secs(1);
        let settings =
            Settings::new(60 * second, Stale::Park, Backoff::new(second, second, 1)).poll(second);
        let external = settings.clone();
        let transactional =
            Worker::transactional(Arc::clone(&database), Notes, settings, wake.clone());
        let handler = async |_: Job| Ok(());
        let external = Worker::external(Arc::clone(&database), handler, external, wake);
        let requests: Vec<_> = ["evt_1", "evt_2"]
            .into_iter()
            .map(|id| {
                let receiver = Arc::clone(&receiver);
                tokio::spawn(async move {
                    let body = format!(r#"{{"id":"{id}","type":"invoice.paid"}}"#);
                    let sent = Sender::new(&STRIPE).send(body.as_bytes()).unwrap();
                    let delivery = sent.delivery();
                    let name = id;
                    if id == "evt_1" {
                        return receiver.receive(&delivery, NOW).await;
                    }
                    let receipt = receiver.receive_here(&delivery, NOW, |tx, _| {
                        // What surrounds the effect may be borrowed.
                        let name = &name;
                        Box::pin(async move { Ok(tx.tx.note("here", name)?) })
                    });
                    receipt.await
                })
            })
            .collect();
        for request in requests {
            assert_eq!(request.await.unwrap().status(), 200);
        }
        tokio::spawn(transactional.run_until_idle()).await.unwrap().unwrap();
        tokio::spawn(external.run_until_idle()).await.unwrap().unwrap();
        let mut tx = database.inner.begin(&mut ()).await.unwrap();
        assert_eq!(tx.notes("worker").unwrap(), ["stripe/evt_1".into()]);
        assert_eq!(tx.notes("here").unwrap(), ["evt_2".into()]);
    }
}
