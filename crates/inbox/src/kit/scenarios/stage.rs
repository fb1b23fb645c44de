//! What the scenarios share: senders, receivers, workers and what they left.

use core::time::Duration;
use std::sync::Arc;

use hookproof::testing::{SECRET, Sender, Sent};
use hookproof::{Provider, UnixTime, Verifier};

use super::super::support::{Failure, at, ensure};
use super::Effects;
use crate::answer::Outcome;
use crate::backoff::Backoff;
use crate::claim::{Ordering, Page, Selection};
use crate::event::{EventRow, State};
use crate::id::EndpointId;
use crate::progress::Stale;
use crate::receiver::{Receipt, Receiver};
use crate::recorded::Recorded;
use crate::store::{Database, Store};
use crate::worker::{ExternalHandler, LocalWake, Settings, TransactionalHandler, Worker};

/// A delivery of a paid invoice.
pub(super) const PAID: &str = r#"{"id":"evt_1","object":"event","type":"invoice.paid","created":1700000000,"data":{"object":{"id":"in_1"}}}"#;
/// The endpoint at which it arrives.
pub(super) const BILLING: &str = "billing";
/// The moment at which everything happens, unless a scenario says otherwise.
pub(super) const NOW: UnixTime = at(0);

/// A scenario's own place in a database.
#[derive(Debug)]
pub(super) struct Stage<D, E> {
    pub(super) database: Arc<D>,
    /// The table of the effects.
    pub(super) table: Arc<E>,
    pub(super) name: &'static str,
}

impl<D, E> Clone for Stage<D, E> {
    fn clone(&self) -> Self {
        let (database, table) = (Arc::clone(&self.database), Arc::clone(&self.table));
        Self { database, table, name: self.name }
    }
}

impl<D, E> Stage<D, E>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    pub(super) const fn new(database: Arc<D>, table: Arc<E>, name: &'static str) -> Self {
        Self { database, table, name }
    }

    /// An endpoint of the scenario.
    pub(super) fn endpoint(&self, name: &str) -> Result<EndpointId, Failure> {
        Ok(EndpointId::new(format!("kit/{}/{name}", self.name))?)
    }

    /// A receiver, as each instance of a service makes its own.
    pub(super) fn receiver(
        &self,
        provider: &'static dyn Provider,
        endpoint: &str,
    ) -> Result<Receiver<D>, Failure> {
        self.receiver_with(provider, endpoint, SECRET)
    }

    pub(super) fn receiver_with(
        &self,
        provider: &'static dyn Provider,
        endpoint: &str,
        secret: &str,
    ) -> Result<Receiver<D>, Failure> {
        let verifier = Verifier::builder(provider).secret(secret).build()?;
        let (database, endpoint) = (Arc::clone(&self.database), self.endpoint(endpoint)?);
        // What is slow here is the machine.
        let minute = Duration::from_secs(60);
        Ok(Receiver::new(database, verifier, endpoint, LocalWake::new()).time_limit(minute))
    }

    /// Terms for workers of an endpoint: two attempts, and an event whose worker went silent is taken up again.
    pub(super) fn settings(&self, endpoint: &str) -> Result<Settings, Failure> {
        let second = Duration::from_secs(1);
        let stale = Stale::Reclaim { after: second };
        let settings = Settings::new(60 * second, stale, Backoff::new(second, second, 2));
        Ok(settings.endpoint(self.endpoint(endpoint)?))
    }

    /// Works on everything that is due at an endpoint at this time, with effects elsewhere.
    pub(super) async fn work(
        &self,
        endpoint: &str,
        now: UnixTime,
        handler: impl ExternalHandler + 'static,
    ) -> Result<(), Failure> {
        let (database, settings) = (Arc::clone(&self.database), self.settings(endpoint)?);
        let worker = Worker::external(database, handler, settings, LocalWake::new());
        Ok(worker.clock(move || now).run_until_idle().await?)
    }

    /// The same with effects in the database, one after another within a stream if so ordered.
    pub(super) async fn work_here(
        &self,
        endpoint: &str,
        ordering: Ordering,
        handler: impl TransactionalHandler<D::Store> + 'static,
    ) -> Result<(), Failure> {
        let database = Arc::clone(&self.database);
        let settings = self.settings(endpoint)?.ordering(ordering);
        let worker = Worker::transactional(database, handler, settings, LocalWake::new());
        Ok(worker.clock(|| NOW).run_until_idle().await?)
    }

    /// The effects that are left.
    pub(super) async fn effects(&self) -> Result<Vec<String>, Failure> {
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        Ok(self.table.read(D::tx(&mut open), self.name).await?)
    }

    /// Writes an effect in a transaction of its own, as a call to somebody else would.
    pub(super) async fn effect(&self, effect: &str) -> Result<(), Failure> {
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        self.table.write(D::tx(&mut open), self.name, effect).await?;
        Ok(D::commit(open).await?)
    }

    /// The events of an endpoint that were recorded for later.
    pub(super) async fn events(&self, endpoint: &str) -> Result<Vec<EventRow>, Failure> {
        let selection = Selection::new().endpoint(self.endpoint(endpoint)?);
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        Ok(self.database.store().list(D::tx(&mut open), &selection, Page::FIRST).await?)
    }

    pub(super) async fn states(&self, endpoint: &str) -> Result<Vec<State>, Failure> {
        let events = self.events(endpoint).await?;
        Ok(events.iter().map(|event| event.progress.state).collect())
    }

    /// Has the events of an endpoint in this state worked on again; how many.
    pub(super) async fn replay(&self, endpoint: &str, state: State) -> Result<u64, Failure> {
        let selection = Selection::new().endpoint(self.endpoint(endpoint)?).state(state);
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        let replayed = self.database.store().replay(D::tx(&mut open), &selection, NOW).await?;
        D::commit(open).await?;
        Ok(replayed.events)
    }
}

/// A signed delivery of this sender.
pub(super) fn sent(provider: &'static dyn Provider, body: &str) -> Result<Sent, Failure> {
    again(provider, 0, body)
}

/// A copy as the sender makes it when it tries again: the same body under a new time.
pub(super) fn again(
    provider: &'static dyn Provider,
    secs: u64,
    body: &str,
) -> Result<Sent, Failure> {
    Ok(Sender::new(provider).at(at(secs)).send(body.as_bytes())?)
}

/// Delivers, as a sender that comes again for as long as it is told to.
pub(super) async fn deliver<D>(receiver: &Receiver<D>, sent: &Sent) -> Result<Receipt, Failure>
where
    D: Database + 'static,
{
    for _attempt in 0..100 {
        let receipt = receiver.receive(&sent.delivery(), NOW).await;
        if !matches!(receipt.outcome(), Outcome::InFlight { .. }) {
            ensure!(receipt.status() == 200, "{receipt}");
            return Ok(receipt);
        }
    }
    Err(Failure::new("told to come again, a hundred times".to_owned()))
}

/// Delivers one event, which must be new, or else a duplicate in this state.
pub(super) async fn deliver_as<D>(
    receiver: &Receiver<D>,
    sent: &Sent,
    known: Option<State>,
) -> Result<(), Failure>
where
    D: Database + 'static,
{
    let receipt = deliver(receiver, sent).await?;
    let found = match receipt.recorded() {
        [Recorded::New { .. }] => known.is_none(),
        [Recorded::Duplicate { state, .. }] => known == Some(*state),
        _ => false,
    };
    ensure!(found, "recorded as {:?}, not {known:?}", receipt.recorded());
    Ok(())
}
