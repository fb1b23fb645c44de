//! What a handler is given, and what it answers.

use core::fmt;
use std::sync::Arc;

use hookproof::{Error, Event, EventError, Verifier};

use crate::claim::Claim;
use crate::delivery::DeliveryRow;
use crate::event::EventRow;
use crate::id::Token;
use crate::store::Store;

/// An event to be worked on. Clones are cheap.
#[derive(Clone, Debug)]
pub struct Job {
    claim: Arc<Claim>,
    delivery: Option<Arc<DeliveryRow>>,
}

impl Job {
    pub(super) const fn new(claim: Arc<Claim>, delivery: Option<Arc<DeliveryRow>>) -> Self {
        Self { claim, delivery }
    }

    /// The claim.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> &EventRow {
        self.claim.event()
    }

    /// The fencing token: hand it on to systems that can refuse older ones.
    #[must_use]
    pub fn token(&self) -> Token {
        self.claim.token()
    }

    /// The number of this attempt, from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.claim.attempt()
    }

    /// Whether this is a replay: the effect may have happened before, by a handler or by hand. Look before it is made
    /// again.
    #[must_use]
    pub fn is_replay(&self) -> bool {
        self.claim.replays() > 0
    }

    /// The delivery that brought the event, headers and raw body as they came; `None` if it was purged, which happens only
    /// to events that were done, and so only before a replay.
    #[must_use]
    pub fn delivery(&self) -> Option<&DeliveryRow> {
        self.delivery.as_deref()
    }

    /// Verifies the delivery again, as of the moment of its arrival, and gives the event as the sender wrote it:
    /// [`Event::raw`] is its own bytes.
    ///
    /// ```
    /// use hookproof::Verifier;
    /// use hookproof_inbox::{Job, NotDone};
    ///
    /// fn amount(job: &Job, verifier: &Verifier) -> Result<u64, NotDone> {
    ///     let event = job.verify(verifier)?;
    ///     let json: serde_json::Value = serde_json::from_slice(event.raw())?;
    ///     json["data"]["amount"].as_u64().ok_or_else(|| NotDone::park("no amount"))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// A [`JobError`]: the delivery was purged, it is not what was stored, the secret was changed since, or the event
    /// never had a usable identity.
    pub fn verify(&self, verifier: &Verifier) -> Result<Event<'_>, JobError> {
        let delivery = self.delivery().ok_or(JobError::Purged)?;
        let verified = delivery.verify(verifier).map_err(JobError::Refused)?;
        let mut events = verified.events().map_err(JobError::Faulty)?;
        let index = usize::try_from(self.event().index).unwrap_or(usize::MAX);
        events.nth(index).ok_or(JobError::Absent)?.map_err(JobError::Faulty)
    }
}

/// Why the event of a job cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum JobError {
    /// The delivery does not hold so many events: the row was changed, or is of another version of the sender's rules.
    Absent,
    /// It has no usable identity.
    Faulty(EventError),
    /// The delivery was purged.
    Purged,
    /// The delivery does not verify: the secret was changed since, or the row was.
    Refused(Error),
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("the stored delivery does not hold this event"),
            Self::Faulty(_) => f.write_str("the event has no usable identity"),
            Self::Purged => {
                f.write_str("the delivery was purged; fetch the object from the sender")
            }
            Self::Refused(_) => f.write_str("the stored delivery does not verify"),
        }
    }
}

impl core::error::Error for JobError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Absent | Self::Purged => None,
            Self::Faulty(error) => Some(error),
            Self::Refused(error) => Some(error),
        }
    }
}

/// Why a handler has not done its work. Any error becomes [`Failed`](Self::Failed) by `?`.
///
/// ```
/// use hookproof_inbox::NotDone;
/// fn ship(address: &str) -> Result<(), NotDone> {
///     let parcels: u32 = address.parse()?;
///     match parcels {
///         0 => Err(NotDone::park("the carrier does not say whether it took the parcel")),
///         _ => Ok(()),
///     }
/// }
/// assert!(matches!(ship("x"), Err(NotDone::Failed(_))));
/// assert!(matches!(ship("0"), Err(NotDone::Park(_))));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum NotDone {
    /// The attempt failed: again after the back-off, and dead after the last attempt.
    Failed(Box<str>),
    /// It is not known whether the effect happened, or no further attempt will help: a person decides.
    Park(Box<str>),
}

impl NotDone {
    /// A failed attempt, for this reason.
    #[must_use]
    pub fn failed(reason: impl Into<Box<str>>) -> Self {
        Self::Failed(reason.into())
    }

    /// To be parked, for this reason.
    #[must_use]
    pub fn park(reason: impl Into<Box<str>>) -> Self {
        Self::Park(reason.into())
    }
}

impl<E: core::error::Error> From<E> for NotDone {
    fn from(error: E) -> Self {
        let mut reason = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            reason = format!("{reason}: {error}");
            source = error.source();
        }
        Self::failed(reason)
    }
}

/// A handler whose effects are **inside this database**. They happen once.
///
/// It writes into the transaction that is given to it. The event is completed in the same transaction, so that both happen
/// or neither. While the transaction is open its lock keeps the event from other workers, however long it takes.
///
/// It must not begin, commit or roll back anything, and nothing outside of the database: an effect there would happen again
/// when the transaction fails. A panic is a failed attempt.
///
#[cfg_attr(feature = "test-kit", doc = "```")]
#[cfg_attr(not(feature = "test-kit"), doc = "```ignore")]
/// use hookproof_inbox::memory::MemoryStore;
/// use hookproof_inbox::{Job, NotDone, Step, Store, StreamId, TransactionalHandler, Tx};
///
/// struct Bookings;
///
/// impl TransactionalHandler<MemoryStore> for Bookings {
///     async fn handle(
///         &self,
///         job: Job,
///         store: &MemoryStore,
///         tx: &mut Tx<'_, MemoryStore>,
///     ) -> Result<(), NotDone> {
///         let event = job.event();
///         let (Some(name), Some(order)) = (&event.stream, event.order) else { return Ok(()) };
///         let stream = StreamId::new(event.endpoint.as_str(), name)?;
///         if store.advance(tx, &stream, &Step::version(order), event.received_at).await?.applies() {
///             // Write the booking, with `tx`.
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait TransactionalHandler<S: Store>: Send + Sync {
    /// Works on an event, in this transaction.
    ///
    /// # Errors
    ///
    /// [`NotDone`] if it could not: everything that was written is rolled back.
    fn handle(
        &self,
        job: Job,
        store: &S,
        tx: &mut S::Tx<'_>,
    ) -> impl Future<Output = Result<(), NotDone>> + Send;
}

/// A handler whose effects are **elsewhere**: a mail, a shipment, a call. They happen at least once.
///
/// The claim is committed before it begins, and the event is completed after it. When the worker dies in between,
/// [`Stale`](crate::Stale) decides. Give the effect [`Job::token`] or the event's key where the other side can use it, and look
/// before making it again when [`Job::attempt`] is above 1 or [`Job::is_replay`].
///
/// It is dropped at its next `await` when its claim is lost, and when the grace of a stopping worker ends. A panic is a
/// failed attempt.
///
/// Functions from a job to a future are handlers:
///
/// ```
/// use hookproof_inbox::{ExternalHandler, Job, NotDone};
///
/// async fn send_mail(job: Job) -> Result<(), NotDone> {
///     // Send it, with the key as its id.
///     # let _ = job;
///     Ok(())
/// }
/// fn takes(handler: impl ExternalHandler) {}
/// takes(send_mail);
/// takes(|job: Job| async move { if job.is_replay() { Ok(()) } else { Err(NotDone::failed("no route")) } });
/// ```
pub trait ExternalHandler: Send + Sync {
    /// Works on an event.
    ///
    /// # Errors
    ///
    /// [`NotDone`] if it could not, or does not know.
    fn handle(&self, job: Job) -> impl Future<Output = Result<(), NotDone>> + Send;
}

impl<F, W> ExternalHandler for F
where
    F: Fn(Job) -> W + Send + Sync,
    W: Future<Output = Result<(), NotDone>> + Send,
{
    fn handle(&self, job: Job) -> impl Future<Output = Result<(), NotDone>> + Send {
        self(job)
    }
}
