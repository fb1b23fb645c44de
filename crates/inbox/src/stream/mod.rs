//! Order: what keeps an old delivery from undoing a new one.
//!
//! A stream is what one order holds within, such as an invoice, a booking or one property of a contact. A [`Step`] moves it
//! on, under a version guard, a table of legal transitions, or both. The decision is a pure function, and is made inside
//! the transaction whose write it protects.

mod tables;
mod transitions;

use core::cmp::Ordering;
use core::fmt;

use hookproof::{Order, OrderUnit};

use crate::event::name;
use crate::id::NameError;

pub use tables::{
    CALCOM_BOOKING, CALENDLY_INVITEE, PAYMOS_DEPOSIT, PAYMOS_INVOICE, PAYMOS_WITHDRAWAL, TABLES,
};
pub use transitions::{Phase, Transitions};

/// A place in an order, with its unit.
///
/// Versions of different units are compared by the coarser of the two, so that one within the same second as a version in
/// seconds is equal to it, not older.
///
/// ```
/// use core::cmp::Ordering;
/// use hookproof_inbox::Version;
/// assert_eq!(Version::millis(1_500).compare(Version::secs(1)), Ordering::Equal);
/// assert_eq!(Version::millis(2_000).compare(Version::secs(1)), Ordering::Greater);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Version {
    value: i64,
    unit: OrderUnit,
}

impl Version {
    /// A version in seconds.
    #[must_use]
    pub const fn secs(value: i64) -> Self {
        Self { value, unit: OrderUnit::Seconds }
    }

    /// A version in milliseconds.
    #[must_use]
    pub const fn millis(value: i64) -> Self {
        Self { value, unit: OrderUnit::Millis }
    }

    /// A version in microseconds.
    #[must_use]
    pub const fn micros(value: i64) -> Self {
        Self { value, unit: OrderUnit::Micros }
    }

    /// A version that a store keeps with the unit's word; `None` if that is no unit.
    #[must_use]
    pub fn from_parts(value: i64, unit: &str) -> Option<Self> {
        let units = [OrderUnit::Micros, OrderUnit::Millis, OrderUnit::Seconds];
        let unit = units.into_iter().find(|own| own.as_str() == unit)?;
        Some(Self { value, unit })
    }

    /// The value, in its unit.
    #[must_use]
    pub const fn value(self) -> i64 {
        self.value
    }

    /// The unit.
    #[must_use]
    pub const fn unit(self) -> OrderUnit {
        self.unit
    }

    /// The value in microseconds; what is out of range becomes the nearest that is in it.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.value.saturating_mul(Self::micros_of(self.unit))
    }

    /// Compares two versions by the coarser of their units.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        let grain = Self::micros_of(self.unit).max(Self::micros_of(other.unit));
        let at = |version: Self| {
            let micros = i128::from(version.value) * i128::from(Self::micros_of(version.unit));
            micros.div_euclid(i128::from(grain))
        };
        at(self).cmp(&at(other))
    }

    const fn micros_of(unit: OrderUnit) -> i64 {
        match unit {
            OrderUnit::Millis => 1_000,
            OrderUnit::Seconds => 1_000_000,
            _ => 1,
        }
    }
}

impl From<Order> for Version {
    fn from(order: Order) -> Self {
        Self { value: order.value(), unit: order.unit() }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.value, self.unit.as_str())
    }
}

/// The name of a stream, and the scope within which it is unique.
///
/// The scope is the caller's choice: the endpoint, or one text for all endpoints that tell of the same things.
///
/// ```
/// use hookproof_inbox::StreamId;
/// // Two endpoints of one merchant tell of one invoice.
/// let stream = StreamId::new("paymos/live", "inv_1")?;
/// assert_eq!((stream.scope(), stream.name()), ("paymos/live", "inv_1"));
/// # Ok::<(), hookproof_inbox::NameError>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct StreamId {
    scope: Box<str>,
    name: Box<str>,
}

impl StreamId {
    /// A stream of this name, such as [`EventRow::stream`](crate::EventRow::stream). For a long name its digest stands.
    ///
    /// # Errors
    ///
    /// A [`NameError`] if the scope is empty or above 256 bytes, the name is empty, or one of them holds NUL.
    pub fn new(scope: &str, stream: &str) -> Result<Self, NameError> {
        if scope.is_empty() || scope.len() > 256 || stream.is_empty() {
            return Err(NameError::new(
                "the scope of a stream is 1 to 256 bytes, its name not empty",
            ));
        }
        if scope.contains('\0') || stream.contains('\0') {
            return Err(NameError::new("the scope and name of a stream hold no NUL"));
        }
        Ok(Self { scope: scope.into(), name: name(stream) })
    }

    /// The scope.
    #[must_use]
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// The name within the scope.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.scope, self.name)
    }
}

/// What an event wants of its stream.
///
/// ```
/// use hookproof_inbox::{PAYMOS_INVOICE, Step, Version};
/// let by_version = Step::version(Version::millis(1_700_000_000_123));
/// let by_table = Step::kind(&PAYMOS_INVOICE, "invoice.paid").unwrap();
/// let both = by_table.and_version(Version::secs(1_700_000_000));
/// # let _ = (by_version, both);
/// assert!(Step::kind(&PAYMOS_INVOICE, "withdrawal.created").is_none(), "not of this table");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Step {
    version: Option<Version>,
    to: Option<(&'static Transitions, &'static Phase)>,
}

impl Step {
    /// To this version, if it is not older than the stored one.
    #[must_use]
    pub const fn version(version: Version) -> Self {
        Self { version: Some(version), to: None }
    }

    /// To the phase that an event of this kind tells of, if the table allows it; `None` if the table has no such kind.
    #[must_use]
    pub fn kind(table: &'static Transitions, kind: &str) -> Option<Self> {
        Some(Self { version: None, to: Some((table, table.phase_of(kind)?)) })
    }

    /// To this phase, if the table allows it; `None` if the table has no such phase.
    #[must_use]
    pub fn phase(table: &'static Transitions, phase: &str) -> Option<Self> {
        Some(Self { version: None, to: Some((table, table.phase(phase)?)) })
    }

    /// And only if this version is not older than the stored one.
    #[must_use]
    pub const fn and_version(mut self, version: Version) -> Self {
        self.version = Some(version);
        self
    }

    /// What becomes of a stream that stands there, or that no event was seen of.
    ///
    /// The first event makes the row, whatever its kind: a cancellation that comes first leaves a tombstone. Then the
    /// table decides before the version does, since what is final stays so; equal versions are not stale.
    #[must_use]
    pub fn decide(&self, stored: Option<&Standing>) -> Decision {
        let to = self.to.map(|(_, phase)| phase.name);
        let Some(stored) = stored else {
            let standing = Standing { version: self.version, phase: to.map(Into::into) };
            return Decision { advance: Advance::Advanced { from: None }, write: Some(standing) };
        };
        let stay = |advance| Decision { advance, write: None };
        let from = stored.phase.as_deref();
        let same_phase = from == to || to.is_none();
        if let (Some((table, phase)), Some(from)) = (self.to, from) {
            // A phase that the table does not have was written under another table: nothing is known to be legal.
            let is_final = table.phase(from).is_none_or(Phase::is_final);
            if from != phase.name && (is_final || !table.allows(from, phase.name)) {
                let (from, to) = (from.into(), phase.name);
                return stay(Advance::Refused { from, to, is_final });
            }
        }
        let order = match (self.version, stored.version) {
            (Some(version), Some(current)) => version.compare(current),
            (Some(_), None) => Ordering::Greater,
            (None, _) => Ordering::Equal,
        };
        match (order, stored.version) {
            (Ordering::Less, Some(current)) => stay(Advance::Stale { current }),
            (Ordering::Equal, _) if same_phase => stay(Advance::Same),
            _ => {
                let version =
                    if order == Ordering::Greater { self.version } else { stored.version };
                let phase = to.map(Into::into).or_else(|| stored.phase.clone());
                let advance = Advance::Advanced { from: Some(stored.clone()) };
                Decision { advance, write: Some(Standing { version, phase }) }
            }
        }
    }
}

/// Where a stream stands.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// Its version, once a step had one.
    pub version: Option<Version>,
    /// Its phase, once a step had one.
    pub phase: Option<Box<str>>,
}

impl Standing {
    /// A standing as a store keeps it.
    #[must_use]
    pub const fn new(version: Option<Version>, phase: Option<Box<str>>) -> Self {
        Self { version, phase }
    }
}

/// What a step leads to: the answer, and what is to be written.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// The answer.
    pub advance: Advance,
    /// Where the stream stands now; `None` if that has not changed.
    pub write: Option<Standing>,
}

/// What became of a step.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
#[non_exhaustive]
pub enum Advance {
    /// The stream moved on: write what the event says.
    Advanced {
        /// Where it stood; `None` if this is its first event.
        from: Option<Standing>,
    },
    /// The table does not allow it: write nothing, and warn. [`Refusal`] is the sentence.
    Refused {
        /// The phase in which the stream stands.
        from: Box<str>,
        /// The phase to which the event would move it.
        to: &'static str,
        /// Nothing ever leaves the phase.
        is_final: bool,
    },
    /// The stream stands there already. Versions of whole seconds tie, so this is not stale: write idempotently, or fetch
    /// the object.
    Same,
    /// The event is older than what is stored: write nothing.
    Stale {
        /// The stored version.
        current: Version,
    },
}

impl Advance {
    /// Whether the event's state is to be written: the stream advanced, or the event is as new as what is stored.
    #[must_use]
    pub const fn applies(&self) -> bool {
        matches!(self, Self::Advanced { .. } | Self::Same)
    }

    /// The warning, if the table refused the step.
    ///
    /// ```
    /// use hookproof_inbox::{CALENDLY_INVITEE, Step, StreamId};
    /// let stream = StreamId::new("bookings", "invitee-1")?;
    /// let cancelled = Step::kind(&CALENDLY_INVITEE, "invitee.canceled").unwrap();
    /// let created = Step::kind(&CALENDLY_INVITEE, "invitee.created").unwrap();
    /// // The cancellation came first, and leaves a tombstone.
    /// let tombstone = cancelled.decide(None).write;
    /// let late = created.decide(tombstone.as_ref()).advance;
    /// assert!(!late.applies());
    /// assert_eq!(
    ///     late.refusal(&stream).unwrap().to_string(),
    ///     "refused: bookings invitee-1 is cancelled, which is final, and stays so instead of becoming active",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn refusal<'a>(&'a self, stream: &'a StreamId) -> Option<Refusal<'a>> {
        match self {
            Self::Refused { from, to, is_final } => {
                Some(Refusal { stream, from, to, is_final: *is_final })
            }
            _ => None,
        }
    }
}

/// The warning about a refused step: from where, to where, and which stream.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Refusal<'a> {
    /// The stream.
    pub stream: &'a StreamId,
    /// The phase in which it stands.
    pub from: &'a str,
    /// The phase to which the event would move it.
    pub to: &'static str,
    /// Nothing ever leaves the phase.
    pub is_final: bool,
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stream, from, to, is_final } = self;
        let why = if *is_final { ", which is final," } else { "" };
        write!(f, "refused: {stream} is {from}{why} and stays so instead of becoming {to}")
    }
}

#[cfg(test)]
mod tests;
