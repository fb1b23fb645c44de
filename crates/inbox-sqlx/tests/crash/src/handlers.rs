//! What the receiver does with its events.

use core::marker::PhantomData;
use core::time::Duration;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use hookproof::UnixTime;
use hookproof_inbox::{
    ExternalHandler, Job, NotDone, Step, Store as _, StreamId, TransactionalHandler, time,
};
use tokio::task::spawn_blocking;

use crate::args::Fault;
use crate::effects::Line;
use crate::engine::{Engine, Order, Property, Tx};
use crate::points::{Point, Points};

/// A body with this word fails at every attempt.
pub(crate) const POISON: &str = "poison";
/// A body with this word is parked by its handler.
pub(crate) const UNSURE: &str = "unsure";

/// What everything in the process knows.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) process: String,
    pub(crate) effects: PathBuf,
    /// Milliseconds by which the clock is ahead.
    pub(crate) clock: i64,
    pub(crate) points: Points,
    pub(crate) fault: Option<Fault>,
}

impl Shared {
    pub(crate) fn now(&self) -> UnixTime {
        let real = UnixTime::from(SystemTime::now());
        let by = Duration::from_millis(self.clock.unsigned_abs());
        if self.clock < 0 { time::earlier(real, by) } else { time::later(real, by) }
    }

    /// The worker completes the event as soon as its handler is through. Stops while it does.
    fn completing(self: &Arc<Self>) {
        if self.points.hit(Point::Completing) {
            let shared = Arc::clone(self);
            tokio::spawn(async move {
                shared.points.within(Point::Completing, core::future::pending::<()>()).await;
            });
        }
    }
}

fn refusal(job: &Job) -> Result<(), NotDone> {
    let body = job.delivery().map(|delivery| String::from_utf8_lossy(&delivery.body).into_owned());
    let body = body.unwrap_or_default();
    if body.contains(POISON) {
        return Err(NotDone::failed("poison"));
    }
    if body.contains(UNSURE) {
        return Err(NotDone::park("unsure"));
    }
    Ok(())
}

fn key(job: &Job) -> String {
    job.event().key.as_ref().map_or_else(|| format!("#{}", job.event().id), ToString::to_string)
}

/// Sends mails, or charges cards.
#[derive(Debug)]
pub(crate) struct Elsewhere(pub(crate) Arc<Shared>);

impl ExternalHandler for Elsewhere {
    async fn handle(&self, job: Job) -> Result<(), NotDone> {
        let shared = &self.0;
        let (endpoint, token) = (job.event().endpoint.as_str(), job.token().as_u64());
        let line = Line::new(endpoint, &key(&job), token, &shared.process, shared.now());
        append(shared, line.clone()).await?;
        shared.points.at(Point::BeforeEffect).await;
        refusal(&job)?;
        if shared.fault == Some(Fault::CompleteFirst) {
            let shared = Arc::clone(shared);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(5)).await;
                let _ =
                    append(&shared, Line { effect: true, at: shared.now().as_millis(), ..line })
                        .await;
            });
            return Ok(());
        }
        append(shared, Line { effect: true, at: shared.now().as_millis(), ..line }).await?;
        shared.points.at(Point::EffectElsewhere).await;
        shared.completing();
        Ok(())
    }
}

async fn append(shared: &Arc<Shared>, line: Line) -> Result<(), NotDone> {
    let shared = Arc::clone(shared);
    Ok(spawn_blocking(move || line.append(&shared.effects)).await?)
}

/// Writes orders and properties, in the worker's transaction.
#[derive(Debug)]
pub(crate) struct Inside<E> {
    shared: Arc<Shared>,
    engine: PhantomData<fn() -> E>,
}

impl<E> Inside<E> {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared, engine: PhantomData }
    }
}

impl<E: Engine> TransactionalHandler<E::Store> for Inside<E> {
    async fn handle(&self, job: Job, store: &E::Store, tx: &mut Tx<'_, E>) -> Result<(), NotDone> {
        let (shared, event) = (&self.shared, job.event());
        refusal(&job)?;
        let (endpoint, key) = (event.endpoint.as_str(), key(&job));
        let (token, process) = (job.token().as_u64(), shared.process.as_str());
        E::write_order(tx, Order { endpoint, key: &key, token, process }).await?;
        // The property of a contact, as the newest of its changes says.
        if let (Some(name), Some(order), "crm") = (&event.stream, event.order, endpoint) {
            let stream = StreamId::new(endpoint, name)?;
            let step = Step::version(order);
            if store.advance(tx, &stream, &step, shared.now()).await?.applies() {
                let (value, at) = (key.as_str(), order.value());
                E::write_property(tx, Property { stream: name, value, at }).await?;
            }
        }
        shared.points.at(Point::EffectInside).await;
        shared.completing();
        Ok(())
    }
}
