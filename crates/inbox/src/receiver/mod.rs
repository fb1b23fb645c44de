//! The path of a request: verify, store, wake, answer.

mod receipt;

use core::fmt;
use core::marker::PhantomData;
use core::pin::Pin;
use core::time::Duration;
use std::sync::Arc;

use hookproof::{Delivery, Event, UnixTime, Verified, Verifier};
use tokio::time::timeout;

use crate::answer::RetryAfter;
use crate::batch::{Batch, Work};
use crate::error::StoreError;
use crate::id::EndpointId;
use crate::recorded::Recorded;
use crate::store::{Database, Store, Tx};
use crate::worker::{Hook, Incident, LocalWake, Wake};

pub use receipt::{Receipt, ReceiveError};

/// How long the store may take, unless told otherwise. The shortest limit that a sender of this crate publishes is 5 s for
/// the whole request (Shopify, HubSpot).
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// Receives the deliveries of one endpoint: verifies, stores the raw request and its events in one transaction, wakes the
/// workers, and says what to answer. The work is done later, so that the answer is quick whatever the work is.
///
/// Make one for each endpoint at start-up, and share it.
///
#[cfg_attr(feature = "test-kit", doc = "```")]
#[cfg_attr(not(feature = "test-kit"), doc = "```ignore")]
/// use core::time::Duration;
/// use std::sync::Arc;
/// use hookproof::{Verifier, providers::STRIPE, testing::{NOW, SECRET, Sender}};
/// use hookproof_inbox::memory::MemoryStore;
/// use hookproof_inbox::{EndpointId, LocalWake, Receiver};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let verifier = Verifier::builder(&STRIPE).secret(SECRET).build()?;
/// let wake = LocalWake::new(); // give clones to the workers
/// let receiver = Receiver::new(Arc::new(MemoryStore::new()), verifier, EndpointId::new("billing")?, wake);
///
/// // For each request, with the headers and raw body as they came:
/// let sent = Sender::new(&STRIPE).send(br#"{"id":"evt_1","type":"invoice.paid"}"#)?;
/// let receipt = receiver.receive(&sent.delivery(), NOW).await;
/// assert_eq!(receipt.status(), 200);
/// assert_eq!(receipt.to_string(), "200: 1 events, 1 new, 0 to look at");
///
/// // A copy, whatever became of the first:
/// assert_eq!(receiver.receive(&sent.delivery(), NOW).await.status(), 200);
/// # Ok(())
/// # }
/// ```
///
/// What it answers is [`answer`](crate::answer) of what happened: 200 if everything is stored, now or before; 503 with
/// `Retry-After` if it is not; what the verifier says if it refused. Never 409 and never 410.
pub struct Receiver<D, W = LocalWake> {
    database: Arc<D>,
    verifier: Verifier,
    endpoint: EndpointId,
    wake: Arc<W>,
    limit: Duration,
    retry_after: RetryAfter,
    hook: Hook,
}

impl<D, W> Receiver<D, W>
where
    D: Database + 'static,
    W: Wake<D::Store> + 'static,
{
    /// A receiver of this endpoint.
    #[must_use]
    pub fn new(database: Arc<D>, verifier: Verifier, endpoint: EndpointId, wake: W) -> Self {
        Self {
            database,
            verifier,
            endpoint,
            wake: Arc::new(wake),
            limit: TIME_LIMIT,
            retry_after: RetryAfter::new(Duration::from_secs(5)),
            hook: Hook::default(),
        }
    }

    /// How long the store may take before the answer is 503; 3 s unless told otherwise. Keep it below the sender's
    /// [`response_limit`](hookproof::Info::response_limit).
    #[must_use]
    pub const fn time_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// When a sender is to come again whose delivery could not be stored; 5 s unless told otherwise. Few senders read it.
    #[must_use]
    pub const fn retry_after(mut self, time: Duration) -> Self {
        self.retry_after = RetryAfter::new(time);
        self
    }

    /// Calls this for each recorded event that a person has to look at, and for each error of the store.
    #[must_use]
    pub fn on_incident(mut self, hook: impl Fn(&Incident<'_>) + Send + Sync + 'static) -> Self {
        self.hook = Hook::new(hook);
        self
    }

    /// The verifier, for integrations that collect a body.
    #[must_use]
    pub const fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// The endpoint.
    #[must_use]
    pub const fn endpoint(&self) -> &EndpointId {
        &self.endpoint
    }

    /// Verifies a delivery as of `now`, and stores it to be worked on later.
    pub fn receive(
        &self,
        delivery: &Delivery<'_>,
        now: UnixTime,
    ) -> impl Future<Output = Receipt> + Send {
        let verified = self.verifier.verify_at(delivery, now);
        async move {
            match verified {
                Ok(verified) => self.receive_verified(&verified, now).await,
                Err(error) => Receipt::refused(error),
            }
        }
    }

    /// Stores a delivery that was verified before, such as by a layer, to be worked on later.
    pub fn receive_verified(
        &self,
        verified: &Verified<'_>,
        now: UnixTime,
    ) -> impl Future<Output = Receipt> + Send {
        let batch = Batch::read(self.endpoint.clone(), verified, now);
        async move {
            let result = match timeout(self.limit, self.store(batch)).await {
                Ok(stored) => stored.map_err(ReceiveError::from),
                Err(_) => Err(ReceiveError::TimeLimit),
            };
            self.receipt(result)
        }
    }

    async fn store(&self, batch: Batch) -> Result<Vec<Recorded>, StoreError> {
        if let (false, Some(intake)) = (self.wake.announces_within(), self.database.intake()) {
            let wake = Arc::clone(&self.wake);
            return intake.store(batch, Box::new(move || wake.announced())).await;
        }
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        let store = self.database.store();
        let recorded = store.record_many(D::tx(&mut open), &batch, Work::Later).await?;
        let mut announces = None;
        if recorded.iter().any(Recorded::is_new) {
            self.wake.announce(D::tx(&mut open)).await?;
            announces = Some(Announces::<D::Store, W>::new(&self.wake));
        }
        D::commit(open).await?;
        drop(announces);
        Ok(recorded)
    }

    /// Verifies a delivery as of `now`, and makes its effect **in the transaction that records it**: both or neither. It is
    /// for effects in this database that are quick and hardly ever fail, since the sender waits for them and its retries are
    /// all there is; otherwise use [`receive`](Self::receive) and a worker.
    ///
    /// The effect is called once for a delivery with new events, and not at all for a copy. When it fails, all is rolled back
    /// and the answer is 503.
    ///
    #[cfg_attr(feature = "test-kit", doc = "```")]
    #[cfg_attr(not(feature = "test-kit"), doc = "```ignore")]
    /// # use std::sync::Arc;
    /// # use hookproof::{Verifier, providers::STRIPE, testing::{NOW, SECRET, Sender}};
    /// # use hookproof_inbox::memory::MemoryStore;
    /// # use hookproof_inbox::{Database, EndpointId, LocalWake, Receiver};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let verifier = Verifier::builder(&STRIPE).secret(SECRET).build()?;
    /// # let store = Arc::new(MemoryStore::new());
    /// # let receiver = Receiver::new(store.clone(), verifier, EndpointId::new("billing")?, LocalWake::new());
    /// # let sent = Sender::new(&STRIPE).send(br#"{"id":"evt_1","type":"invoice.paid"}"#)?;
    /// for _copy in 0..2 {
    ///     let delivery = sent.delivery();
    ///     let receipt = receiver.receive_here(&delivery, NOW, |tx, arrival| {
    ///         Box::pin(async move {
    ///             for event in arrival.new_events() {
    ///                 // Write the order, with `tx`.
    ///                 tx.note("orders", event.key().unwrap_or_default())?;
    ///             }
    ///             Ok(())
    ///         })
    ///     });
    ///     assert_eq!(receipt.await.status(), 200);
    /// }
    /// assert_eq!(store.begin(&mut ()).await?.notes("orders")?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn receive_here<'env, F>(
        &self,
        delivery: &Delivery<'_>,
        now: UnixTime,
        effect: F,
    ) -> impl Future<Output = Receipt> + Send
    where
        F: for<'e, 't> FnOnce(&'e mut Tx<'t, D::Store>, &'e Arrival<'e, 't, 'env>) -> Effect<'e>
            + Send
            + 'env,
    {
        let verified = self.verifier.verify_at(delivery, now);
        async move {
            match verified {
                Ok(verified) => self.receive_verified_here(&verified, now, effect).await,
                Err(error) => Receipt::refused(error),
            }
        }
    }

    /// As [`receive_here`](Self::receive_here), for a delivery that was verified before.
    pub fn receive_verified_here<'env, F>(
        &self,
        verified: &Verified<'_>,
        now: UnixTime,
        effect: F,
    ) -> impl Future<Output = Receipt> + Send
    where
        F: for<'e, 't> FnOnce(&'e mut Tx<'t, D::Store>, &'e Arrival<'e, 't, 'env>) -> Effect<'e>
            + Send
            + 'env,
    {
        let batch = Batch::read(self.endpoint.clone(), verified, now);
        async move {
            let result = timeout(self.limit, self.store_here(verified, &batch, effect)).await;
            self.receipt(result.unwrap_or(Err(ReceiveError::TimeLimit)))
        }
    }

    async fn store_here<'env, F>(
        &self,
        verified: &Verified<'_>,
        batch: &Batch,
        effect: F,
    ) -> Result<Vec<Recorded>, ReceiveError>
    where
        F: for<'e, 't> FnOnce(&'e mut Tx<'t, D::Store>, &'e Arrival<'e, 't, 'env>) -> Effect<'e>
            + Send
            + 'env,
    {
        let mut connection = self.database.connect().await?;
        let mut open = self.database.begin(&mut connection).await?;
        let store = self.database.store();
        let recorded = store.record_many(D::tx(&mut open), batch, Work::Here).await?;
        if recorded.iter().any(Recorded::is_new) {
            let arrival = Arrival { verified: *verified, recorded: &recorded, env: PhantomData };
            effect(D::tx(&mut open), &arrival).await.map_err(ReceiveError::Effect)?;
        }
        D::commit(open).await?;
        Ok(recorded)
    }

    fn receipt(&self, result: Result<Vec<Recorded>, ReceiveError>) -> Receipt {
        match &result {
            Ok(recorded) => {
                for recorded in recorded.iter().filter(|recorded| recorded.is_alarming()) {
                    let endpoint = &self.endpoint;
                    self.hook.tell(&Incident::Recorded { endpoint, recorded });
                }
            }
            Err(ReceiveError::Store(error)) => self.hook.store(error),
            Err(_) => {}
        }
        Receipt::of(result, self.retry_after)
    }
}

impl<D, W> fmt::Debug for Receiver<D, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// Why an effect in the recording transaction failed: any error.
pub type EffectError = Box<dyn core::error::Error + Send + Sync>;

/// An effect in the recording transaction, as it runs: a boxed future, since it borrows the transaction.
pub type Effect<'e> = Pin<Box<dyn Future<Output = Result<(), EffectError>> + Send + 'e>>;

/// A delivery whose effect is to happen in the transaction that recorded it.
///
/// `'env` is what the effect may borrow from its surroundings, as with [`std::thread::scope`]; it outlives the transaction
/// `'t`. No caller has to write these.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'e, 't: 'e, 'env: 't> {
    verified: Verified<'e>,
    recorded: &'e [Recorded],
    env: PhantomData<&'e &'t &'env ()>,
}

impl<'e> Arrival<'e, '_, '_> {
    /// The delivery.
    #[must_use]
    pub const fn verified(&self) -> &Verified<'e> {
        &self.verified
    }

    /// What was recorded: one for each event, in the order of the body.
    pub const fn recorded(&self) -> &'e [Recorded] {
        self.recorded
    }

    /// The events whose effects are to happen now: those that are new. Duplicates are not among them, and neither is what
    /// has no usable identity, which is parked.
    pub fn new_events(&self) -> impl Iterator<Item = Event<'e>> + use<'e> {
        let events = self.verified.events().into_iter().flatten();
        let both = events.zip(self.recorded);
        both.filter(|(_, recorded)| recorded.is_new()).filter_map(|(event, _)| event.ok())
    }
}

/// Announces new work when it is dropped, which is after the commit or where the request was given up during it: what was
/// committed all the same is then not found by chance only.
struct Announces<'w, S: Store, W: Wake<S>> {
    wake: &'w W,
    store: PhantomData<fn() -> S>,
}

impl<'w, S: Store, W: Wake<S>> Announces<'w, S, W> {
    const fn new(wake: &'w W) -> Self {
        Self { wake, store: PhantomData }
    }
}

impl<S: Store, W: Wake<S>> Drop for Announces<'_, S, W> {
    fn drop(&mut self) {
        self.wake.announced();
    }
}

#[cfg(test)]
mod tests;
