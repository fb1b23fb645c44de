//! Sums of times, and times as databases keep them.

use core::time::Duration;

use hookproof::UnixTime;

/// This much later. Beyond the range it is the latest moment.
///
/// ```
/// use core::time::Duration;
/// use hookproof::UnixTime;
/// let then = hookproof_inbox::time::later(UnixTime::from_secs(10), Duration::from_millis(1500));
/// assert_eq!(then.as_millis(), 11_500);
/// ```
#[must_use]
pub fn later(time: UnixTime, by: Duration) -> UnixTime {
    let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
    UnixTime::from_millis(time.as_millis().saturating_add(by))
}

/// This much earlier, at the earliest 1970.
#[must_use]
pub fn earlier(time: UnixTime, by: Duration) -> UnixTime {
    let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
    UnixTime::from_millis(time.as_millis().saturating_sub(by))
}

/// How long after `start` this `end` is; zero if the clock stepped back between them.
#[must_use]
pub const fn between(start: UnixTime, end: UnixTime) -> Duration {
    Duration::from_millis(end.as_millis().saturating_sub(start.as_millis()))
}

/// A time as databases keep it: milliseconds in a signed 64-bit number.
#[must_use]
pub fn to_sql(time: UnixTime) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// A time from a database. Negative numbers, which [`to_sql`] never writes, become 1970.
#[must_use]
pub fn from_sql(millis: i64) -> UnixTime {
    UnixTime::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// The day of a time, in days since 1970: the unit of partitions.
#[must_use]
pub const fn day(time: UnixTime) -> u64 {
    time.as_secs() / 86_400
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_in_range() {
        let latest = UnixTime::from_millis(u64::MAX);
        assert_eq!(later(latest, Duration::MAX), latest);
        assert_eq!(earlier(UnixTime::from_secs(1), Duration::MAX), UnixTime::from_secs(0));
        assert_eq!(between(UnixTime::from_secs(2), UnixTime::from_secs(1)), Duration::ZERO);
        assert_eq!(to_sql(latest), i64::MAX);
        assert_eq!(from_sql(-1), UnixTime::from_secs(0));
        assert_eq!(from_sql(to_sql(UnixTime::from_secs(7))), UnixTime::from_secs(7));
        assert_eq!(day(UnixTime::from_secs(86_399)), 0);
        assert_eq!(day(UnixTime::from_secs(86_400)), 1);
    }
}
