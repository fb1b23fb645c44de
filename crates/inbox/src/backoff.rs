//! When to try again, and when to tell somebody.

use core::time::Duration;

/// Exponential back-off with jitter, and the number of attempts after which an event is given up.
///
/// ```
/// use core::time::Duration;
/// use hookproof_inbox::Backoff;
/// // After 1 s, 2 s, 4 s … up to an hour, each less up to a half; given up after 12 attempts.
/// let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(3600), 12);
/// let delay = backoff.after(3, 42).unwrap();
/// assert!(Duration::from_secs(2) <= delay && delay <= Duration::from_secs(4));
/// assert_eq!(backoff.after(12, 42), None);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    attempts: u32,
}

impl Backoff {
    /// Waits `first` after the first failure, twice as long after each further one, at most `longest`, and gives up after
    /// this many attempts; 0 means one.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration, attempts: u32) -> Self {
        Self { first, longest, attempts: if attempts == 0 { 1 } else { attempts } }
    }

    /// How many attempts an event has.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// How long to wait after this attempt failed, counted from 1; `None` if it was the last.
    ///
    /// Half of the time is fixed and half depends on the seed, so that events that failed together are not tried together.
    /// Equal seeds give equal delays: use random ones, and fixed ones in tests.
    #[must_use]
    pub fn after(&self, attempt: u32, seed: u64) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let doubled = 1u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let whole = self.first.saturating_mul(doubled).min(self.longest);
        let half = whole / 2;
        let millis = u64::try_from(half.as_millis()).unwrap_or(u64::MAX);
        let part = mix(seed ^ u64::from(attempt)) % millis.saturating_add(1).max(1);
        Some((whole - half).saturating_add(Duration::from_millis(part)))
    }
}

/// Spreads a seed over all bits (SplitMix64).
pub(crate) const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The numbers of failures in a row of one endpoint at which somebody is told.
pub const ALARMS: [u32; 3] = [1, 5, 20];

/// The highest number of [`ALARMS`] that was reached when the failures in a row went from `before` to `now`.
///
/// ```
/// use hookproof_inbox::alarm;
/// assert_eq!(alarm(0, 1), Some(1));
/// assert_eq!(alarm(1, 2), None);
/// assert_eq!(alarm(3, 25), Some(20));
/// assert_eq!(alarm(7, 0), None, "a success ends the row");
/// ```
#[must_use]
pub fn alarm(before: u32, now: u32) -> Option<u32> {
    ALARMS.into_iter().rev().find(|&number| before < number && number <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_within_their_bounds() {
        let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60), 100);
        for attempt in 1..100 {
            let whole =
                Duration::from_secs(1u64 << (attempt - 1).min(20)).min(Duration::from_secs(60));
            let delays: Vec<Duration> =
                (0..200).map(|seed| backoff.after(attempt, seed).unwrap()).collect();
            let (least, most) = (delays.iter().min().unwrap(), delays.iter().max().unwrap());
            assert!(*least >= whole / 2 && *most <= whole, "{attempt}: {least:?} to {most:?}");
            assert!(*most - *least > whole / 4, "{attempt}: spread");
        }
        assert_eq!(backoff.after(100, 1), None);
        assert_eq!(backoff.after(4, 9), backoff.after(4, 9));
    }

    #[test]
    fn extremes_do_not_overflow() {
        let backoff = Backoff::new(Duration::MAX, Duration::MAX, u32::MAX);
        assert!(backoff.after(u32::MAX - 1, u64::MAX).unwrap() >= Duration::MAX / 2);
        let nothing = Backoff::new(Duration::ZERO, Duration::ZERO, 0);
        assert_eq!(nothing.attempts(), 1);
        assert_eq!(nothing.after(0, 5), Some(Duration::ZERO));
        assert_eq!(nothing.after(1, 5), None);
    }

    /// The first numbers of SplitMix64 from the states 0 and 1, as its reference implementation gives them.
    #[test]
    fn seeds_are_spread_by_splitmix() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(1), 0x910a_2dec_8902_5cc1);
    }

    #[test]
    fn the_last_attempt_is_the_given_one() {
        let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60), 7);
        assert_eq!(backoff.attempts(), 7);
        assert!(backoff.after(6, 1).is_some());
        assert_eq!(backoff.after(7, 1), None);
    }

    #[test]
    fn alarms_are_given_once() {
        let given: Vec<(u32, u32)> =
            (0..30).filter_map(|count| Some((count + 1, alarm(count, count + 1)?))).collect();
        assert_eq!(given, ALARMS.map(|number| (number, number)));
        for (before, now, expected) in
            [(0, 0, None), (0, 4, Some(1)), (3, 25, Some(20)), (20, 30, None), (7, 0, None)]
        {
            assert_eq!(alarm(before, now), expected, "{before} to {now}");
        }
    }
}
