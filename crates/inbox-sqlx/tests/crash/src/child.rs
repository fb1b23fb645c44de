//! The receiver: a process that verifies, records, works, seals and purges until it is told to stop, or killed.

use core::time::Duration;
use std::io::{BufRead as _, stdin};
use std::sync::Arc;

use hookproof::providers::GITHUB;
use hookproof::testing::{SECRET, URL};
use hookproof::{Delivery, Provider as _, Verifier};
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::time::earlier;
use hookproof_inbox::{
    Backoff, Batch, ExternalHandler, Incident, Key, KeyHorizon, Log as _, Outcome, Receiver,
    Recorded, RetryAfter, Settings, Stale, Store as _, StoreError, StoreErrorKind,
    TransactionalHandler, Wake as _, Work, Worker, answer,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::args::{ChildArgs, Fault};
use crate::engine::{Engine, Order};
use crate::handlers::{Elsewhere, Inside, Shared};
use crate::plan::Endpoint;
use crate::points::{Point, Points};
use crate::wire::{Request, Said, Told};

/// Leases are longer than a process that lives is ever silent, and shorter than the clock goes on between rounds.
const LEASE: Duration = Duration::from_secs(60);
/// How old a payload, and a key of the endpoint whose sender states no horizon, are when they are purged.
pub(crate) const PAYLOADS: Duration = Duration::from_secs(20 * 60);
pub(crate) const KEYS: Duration = Duration::from_secs(40 * 60);

/// What receives.
struct Service<E: Engine> {
    engine: E,
    shared: Arc<Shared>,
    wake: E::Wake,
}

pub(crate) fn run<E: Engine>(args: &ChildArgs) -> bool {
    let point = args.point.as_deref().and_then(Point::from_word);
    let shared = Shared {
        process: args.name.clone(),
        effects: args.effects.clone().into(),
        clock: args.clock,
        points: Points::new(point, args.nth, args.seed),
        fault: args.fault,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .enable_io()
        .build()
        .expect("a runtime");
    runtime.block_on(receive::<E>(args, Arc::new(shared)));
    // What is still running is cut off, as by a process that ends.
    runtime.shutdown_background();
    true
}

async fn receive<E: Engine>(args: &ChildArgs, shared: Arc<Shared>) {
    let engine = E::open(&args.place, &args.name, Prefix::DEFAULT);
    if args.point.as_deref() == Some(Point::Migrating.as_str()) {
        // The tables of another inbox, since those of this one are there already.
        let prefix = Prefix::new(&args.name).expect("a prefix");
        let other = E::open(&args.place, &args.name, prefix);
        other.stop_within(1 + shared.points.random(4000), Point::Migrating).await;
        shared.points.during(Point::Migrating, other.migrate()).await.expect("migrations");
    }
    // Another process may be in the way, or have been killed or stopped there.
    while let Err(error) = begin(&engine).await {
        problem(&error);
        assert!(is_transient(&error), "{error:?}");
    }
    let wake = engine.waker();
    let receiver = Arc::new(Service { engine, shared: Arc::clone(&shared), wake });
    let (stop, stopped) = watch::channel(false);
    let mut crew = JoinSet::new();
    for endpoint in Endpoint::ALL {
        receiver.hire(endpoint, &mut crew, &stopped);
    }
    let keeper = tokio::spawn(keep(Arc::clone(&receiver), stopped.clone()));
    Said::Ready.say();
    let mut told = listen();
    let (room, mut open) = (Arc::new(Semaphore::new(16)), JoinSet::new());
    while let Some(Told::Deliver(request)) = told.recv().await {
        let (receiver, room) = (Arc::clone(&receiver), Arc::clone(&room));
        open.spawn(async move {
            let _permit = room.acquire().await;
            receiver.answer(&request).await;
        });
    }
    while open.join_next().await.is_some() {}
    stop.send_replace(true);
    while crew.join_next().await.is_some() {}
    keeper.await.expect("the keeper");
    receiver.engine.close().await;
}

async fn begin<E: Engine>(engine: &E) -> Result<(), StoreError> {
    engine.migrate().await?;
    engine.make_tables().await
}

fn is_transient(error: &StoreError) -> bool {
    matches!(error.kind(), StoreErrorKind::Busy | StoreErrorKind::Unavailable)
}

/// Lines from the parent, until it closes the pipe.
fn listen() -> mpsc::UnboundedReceiver<Told> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in stdin().lock().lines() {
            let Ok(line) = line else { return };
            let told = serde_json::from_str(&line).expect("a line");
            if sender.send(told).is_err() {
                return;
            }
        }
    });
    receiver
}

fn problem(error: &StoreError) {
    let kind = error.kind().as_str().to_owned();
    let mut message = error.to_string();
    let mut source = core::error::Error::source(error);
    while let Some(error) = source {
        message = format!("{message}: {error}");
        source = error.source();
    }
    Said::Problem { kind, message }.say();
}

impl<E: Engine> Service<E> {
    fn hire(
        self: &Arc<Self>,
        endpoint: Endpoint,
        crew: &mut JoinSet<()>,
        stopped: &watch::Receiver<bool>,
    ) {
        let backoff = Backoff::new(Duration::from_millis(5), Duration::from_millis(50), 12);
        let stale = match endpoint {
            Endpoint::Here => return,
            Endpoint::Charge if self.shared.fault == Some(Fault::ReclaimCharges) => {
                Stale::Reclaim { after: Duration::from_secs(1) }
            }
            Endpoint::Charge => Stale::Park,
            _ => Stale::Reclaim { after: Duration::from_secs(1) },
        };
        let settings = Settings::new(LEASE, stale, backoff)
            .endpoint(endpoint.id())
            .concurrency(4)
            .grace(Duration::from_secs(5));
        match endpoint {
            Endpoint::Here => {}
            Endpoint::Mail | Endpoint::Charge => {
                let handler = Elsewhere(Arc::clone(&self.shared));
                self.external(handler, settings, crew, stopped);
            }
            Endpoint::Booking | Endpoint::Crm => {
                let handler = Inside::<E>::new(Arc::clone(&self.shared));
                self.transactional(handler, settings, crew, stopped);
            }
        }
    }

    fn external(
        &self,
        handler: impl ExternalHandler + 'static,
        settings: Settings,
        crew: &mut JoinSet<()>,
        stopped: &watch::Receiver<bool>,
    ) {
        let database = Arc::new(self.engine.clone());
        self.start(Worker::external(database, handler, settings, self.wake.clone()), crew, stopped);
    }

    fn transactional(
        &self,
        handler: impl TransactionalHandler<E::Store> + 'static,
        settings: Settings,
        crew: &mut JoinSet<()>,
        stopped: &watch::Receiver<bool>,
    ) {
        let database = Arc::new(self.engine.clone());
        let worker = Worker::transactional(database, handler, settings, self.wake.clone());
        self.start(worker, crew, stopped);
    }

    fn start(
        &self,
        worker: Worker<E, E::Wake>,
        crew: &mut JoinSet<()>,
        stopped: &watch::Receiver<bool>,
    ) {
        let shared = Arc::clone(&self.shared);
        let worker = worker.clock(move || shared.now()).on_incident(|incident| match incident {
            Incident::Lost { .. } => Said::Lost.say(),
            Incident::Store { error } => problem(error),
            _ => {}
        });
        let mut stopped = stopped.clone();
        crew.spawn(worker.run(async move {
            let _ = stopped.wait_for(|stopped| *stopped).await;
        }));
    }

    async fn answer(&self, request: &Request) {
        let outcome = self.take(request).await;
        let (status, retry) = answer(&outcome);
        Said::Answer { id: request.id, status: status.as_u16(), retry: retry.is_some() }.say();
    }

    async fn take(&self, request: &Request) -> Outcome {
        let endpoint = Endpoint::from_word(&request.endpoint).expect("an endpoint");
        let mut headers = HeaderMap::new();
        for (name, value) in &request.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
            headers.append(name, HeaderValue::from_str(value).expect("a value"));
        }
        let now = self.shared.now();
        let verifier = Verifier::builder(endpoint.provider()).secret(SECRET).build();
        let delivery = Delivery::new(&headers, request.body.as_bytes())
            .with_method(&Method::POST)
            .with_url(URL);
        let verifier = verifier.expect("a secret");
        if self.shared.fault.is_none() && matches!(endpoint, Endpoint::Booking | Endpoint::Mail) {
            // As a service does it. The others do it by hand, with points between.
            let database = Arc::new(self.engine.clone());
            let receiver = Receiver::new(database, verifier, endpoint.id(), self.wake.clone());
            let receiver = receiver.on_incident(|incident| {
                if let Incident::Store { error } = incident {
                    problem(error);
                }
            });
            return receiver.receive(&delivery, now).await.outcome().clone();
        }
        let batch = match verifier.verify_at(&delivery, now) {
            Ok(verified) => Batch::read(endpoint.id(), &verified, now),
            Err(error) => return Outcome::Refused(error),
        };
        if self.shared.fault == Some(Fault::AnswerFirst) {
            Said::Answer { id: request.id, status: 200, retry: false }.say();
        }
        let recorded = match (endpoint, self.shared.fault) {
            (Endpoint::Crm, Some(Fault::HalfBatches)) => self.record_halves(&batch).await,
            _ => self.record(&batch, endpoint.work()).await,
        };
        if let Err(error) = &recorded {
            problem(error);
        }
        Outcome::of(&recorded, RetryAfter::new(Duration::from_secs(1)))
    }

    async fn record(&self, batch: &Batch, work: Work) -> Result<Vec<Recorded>, StoreError> {
        let points = &self.shared.points;
        let mut connection = self.engine.connect().await?;
        let mut open = self.engine.begin(&mut connection).await?;
        points.at(Point::Begun).await;
        let store = self.engine.store();
        let recorded = if points.hit(Point::Recording) {
            let steps = 1 + points.random(2000);
            E::stop_transaction_within(E::tx(&mut open), steps, Point::Recording).await;
            let recording = store.record_many(E::tx(&mut open), batch, work);
            points.within(Point::Recording, recording).await?
        } else {
            store.record_many(E::tx(&mut open), batch, work).await?
        };
        points.at(Point::Recorded).await;
        if work == Work::Here {
            for (entry, recorded) in batch.entries().iter().zip(&recorded) {
                let wanted = recorded.is_new() || self.shared.fault == Some(Fault::WriteDuplicates);
                let key = entry.key().map(Key::as_str).expect("a key");
                let (endpoint, process) = (batch.endpoint().as_str(), self.shared.process.as_str());
                let order = Order { endpoint, key, token: 0, process };
                match self.shared.fault {
                    _ if !wanted => {}
                    Some(Fault::EffectApart) => self.write_apart(order).await?,
                    _ => E::write_order(E::tx(&mut open), order).await?,
                }
            }
            points.at(Point::EffectInside).await;
        } else {
            self.wake.announce(E::tx(&mut open)).await?;
        }
        points.during(Point::Committing, E::commit(open)).await?;
        self.wake.announced();
        points.at(Point::Committed).await;
        Ok(recorded)
    }

    /// A fault: after the commit, in another transaction.
    async fn write_apart(&self, order: Order<'_>) -> Result<(), StoreError> {
        let (engine, process) = (self.engine.clone(), self.shared.process.clone());
        let (endpoint, key) = (order.endpoint.to_owned(), order.key.to_owned());
        tokio::spawn(async move {
            let order = Order { endpoint: &endpoint, key: &key, token: 0, process: &process };
            let mut connection = engine.connect().await?;
            let mut open = engine.begin(&mut connection).await?;
            E::write_order(E::tx(&mut open), order).await?;
            E::commit(open).await
        });
        Ok(())
    }

    /// A fault: a batch in two transactions.
    async fn record_halves(&self, batch: &Batch) -> Result<Vec<Recorded>, StoreError> {
        let (first, second) = batch.entries().split_at(batch.entries().len() / 2);
        let mut recorded = Vec::new();
        for half in [first, second] {
            let empty = Batch::unread(
                batch.endpoint().clone(),
                batch.provider(),
                batch.received_at(),
                batch.headers().clone(),
                batch.body().clone(),
            );
            let half = half.iter().cloned().fold(empty, Batch::with_entry);
            recorded.extend(self.record(&half, Work::Later).await?);
        }
        Ok(recorded)
    }

    /// Seals, and now and then sets a checkpoint and purges; exports the head.
    async fn keep_once(&self, turn: u32) -> Result<(), StoreError> {
        let (shared, store) = (&self.shared, self.engine.store());
        let now = shared.now();
        let mut connection = self.engine.connect().await?;
        let mut open = self.engine.begin(&mut connection).await?;
        let head = if turn % 4 == 3 {
            store.checkpoint(E::tx(&mut open), now).await?
        } else if shared.points.hit(Point::Sealing) {
            let steps = 1 + shared.points.random(1000);
            E::stop_transaction_within(E::tx(&mut open), steps, Point::Sealing).await;
            let sealing = store.seal(E::tx(&mut open), 200, now);
            shared.points.within(Point::Sealing, sealing).await?.1
        } else {
            store.seal(E::tx(&mut open), 200, now).await?.1
        };
        shared.points.at(Point::Sealed).await;
        E::commit(open).await?;
        Said::Head(head.to_string()).say();
        if turn % 4 != 3 {
            return Ok(());
        }
        self.engine.maintain_tables(now).await?;
        let horizon = KeyHorizon::new(GITHUB.info(), KEYS).expect("no horizon");
        let mut open = self.engine.begin(&mut connection).await?;
        let purging = async {
            let tx = E::tx(&mut open);
            let _ = store.purge_payloads(tx, earlier(now, PAYLOADS), 100).await?;
            let _ = store.purge_keys(tx, &Endpoint::Mail.id(), &horizon, now, 100).await?;
            let _ = store.purge_links(tx, 100).await?;
            Ok::<_, StoreError>(())
        };
        shared.points.during(Point::Purging, purging).await?;
        E::commit(open).await
    }
}

async fn keep<E: Engine>(receiver: Arc<Service<E>>, mut stopped: watch::Receiver<bool>) {
    for turn in 0.. {
        if turn == 6 && receiver.shared.fault == Some(Fault::ChangeRow) {
            let sql = "UPDATE hookproof_keys SET first_seen = first_seen + 1 WHERE id = (SELECT MIN(c.entry) FROM hookproof_chain c \
                JOIN hookproof_keys k ON k.id = c.entry WHERE k.endpoint = 'here') RETURNING endpoint";
            receiver.engine.rows(sql).await;
        }
        if let Err(error) = receiver.keep_once(turn).await {
            problem(&error);
        }
        tokio::select! {
            () = sleep(Duration::from_millis(15)) => {}
            _ = stopped.wait_for(|stopped| *stopped) => return,
        }
    }
}
