//! Times as senders write them, and the window in which a signed time counts as fresh.

use core::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::ErrorKind;

/// A moment: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// ```
/// use hookproof::UnixTime;
/// assert_eq!(UnixTime::from_secs(1_700_000_000).as_millis(), 1_700_000_000_000);
/// let now: UnixTime = std::time::SystemTime::now().into();
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UnixTime {
    millis: u64,
}

impl UnixTime {
    /// From whole seconds. Values beyond the range become the latest moment.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self { millis: secs.saturating_mul(1000) }
    }

    /// From milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self { millis }
    }

    /// Whole seconds; the rest is cut off.
    #[must_use]
    pub const fn as_secs(self) -> u64 {
        self.millis / 1000
    }

    /// Milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.millis
    }
}

impl From<SystemTime> for UnixTime {
    /// Times before 1970 become 1970, so that every delivery is then refused as being in the future.
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Self { millis: u64::try_from(since.as_millis()).unwrap_or(u64::MAX) }
    }
}

/// The unit in which a sender writes a time.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum TimeUnit {
    /// Milliseconds since 1970.
    Millis,
    /// Seconds since 1970.
    Seconds,
}

impl TimeUnit {
    const fn millis(self) -> u64 {
        match self {
            Self::Millis => 1,
            Self::Seconds => 1000,
        }
    }
}

/// A signed time in the sender's own unit, in which it is compared.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct SignedTime {
    value: u64,
    unit: TimeUnit,
}

impl SignedTime {
    /// A time of this many units since 1970.
    #[must_use]
    pub const fn new(value: u64, unit: TimeUnit) -> Self {
        Self { value, unit }
    }

    /// The number as the sender wrote it.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.value
    }

    /// The sender's unit.
    #[must_use]
    pub const fn unit(self) -> TimeUnit {
        self.unit
    }

    /// As a moment. Values beyond the range become the latest moment.
    #[must_use]
    pub const fn to_unix_time(self) -> UnixTime {
        UnixTime { millis: self.value.saturating_mul(self.unit.millis()) }
    }

    /// Whether this time is within `tolerance` of `now`, both ways, the limit itself included. `now` and the tolerance
    /// are cut down to the sender's unit first, so a tolerance of zero means "within the same unit".
    pub(crate) fn judge(self, now: UnixTime, tolerance: Duration) -> Result<(), ErrorKind> {
        let now = now.millis / self.unit.millis();
        let limit = match self.unit {
            TimeUnit::Millis => u64::try_from(tolerance.as_millis()).unwrap_or(u64::MAX),
            TimeUnit::Seconds => tolerance.as_secs(),
        };
        if now.abs_diff(self.value) <= limit {
            Ok(())
        } else if self.value < now {
            Err(ErrorKind::TimestampTooOld)
        } else {
            Err(ErrorKind::TimestampInFuture)
        }
    }
}

/// Reads a canonical decimal: 1 to 19 ASCII digits without sign, blank, fraction or leading zero.
///
/// Nineteen digits always fit 64 bits. Only the canonical text is read, so the signed text and the number cannot differ.
#[inline]
pub(crate) fn canonical_decimal(text: &[u8]) -> Option<u64> {
    let (&first, rest) = text.split_first()?;
    if text.len() > 19 || (first == b'0' && !rest.is_empty()) {
        return None;
    }
    let mut value = 0u64;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_decimals_are_read() {
        assert_eq!(canonical_decimal(b"0"), Some(0));
        assert_eq!(canonical_decimal(b"1700000000"), Some(1_700_000_000));
        assert_eq!(canonical_decimal(b"9999999999999999999"), Some(9_999_999_999_999_999_999));
        for bad in [
            "",
            "00",
            "01",
            "+1",
            "-1",
            "1.0",
            "1 ",
            " 1",
            "1e3",
            "0x1",
            "1_0",
            "10000000000000000000",
            "NaN",
            "１",
        ] {
            assert_eq!(canonical_decimal(bad.as_bytes()), None, "{bad:?}");
        }
    }

    #[test]
    fn the_window_is_inclusive_both_ways_and_never_overflows() {
        let limit = Duration::from_secs(300);
        let at = |secs| SignedTime::new(secs, TimeUnit::Seconds);
        let now = UnixTime::from_millis(1_700_000_000_999);
        assert_eq!(at(1_699_999_700).judge(now, limit), Ok(()));
        assert_eq!(at(1_699_999_699).judge(now, limit), Err(ErrorKind::TimestampTooOld));
        assert_eq!(at(1_700_000_300).judge(now, limit), Ok(()));
        assert_eq!(at(1_700_000_301).judge(now, limit), Err(ErrorKind::TimestampInFuture));
        assert_eq!(at(1_700_000_000).judge(now, Duration::ZERO), Ok(()));
        assert_eq!(at(u64::MAX).judge(UnixTime::from_millis(0), Duration::MAX), Ok(()));
        assert_eq!(
            at(u64::MAX).judge(UnixTime::from_millis(0), limit),
            Err(ErrorKind::TimestampInFuture)
        );
        assert_eq!(
            at(0).judge(UnixTime::from_millis(u64::MAX), limit),
            Err(ErrorKind::TimestampTooOld)
        );
        let millis = SignedTime::new(1_700_000_000_999, TimeUnit::Millis);
        assert_eq!(millis.judge(now, Duration::ZERO), Ok(()));
    }
}
