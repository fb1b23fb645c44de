//! On which terms a worker works.

use core::time::Duration;

use crate::backoff::Backoff;
use crate::claim::{ClaimRequest, Ordering};
use crate::id::EndpointId;
use crate::progress::Stale;

/// The longest time that a worker waits for anything: sums with it stay in range.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// On which terms a worker works. Times above a year are taken as a year.
///
/// ```
/// use core::time::Duration;
/// use hookproof_inbox::{Backoff, EndpointId, Ordering, Settings, Stale};
///
/// let hour = Duration::from_secs(3600);
/// let settings = Settings::new(
///     Duration::from_secs(30),
///     Stale::Reclaim { after: Duration::from_secs(10) },
///     Backoff::new(Duration::from_secs(1), hour, 12),
/// )
/// .endpoint(EndpointId::new("billing")?)
/// .ordering(Ordering::PerStream)
/// .concurrency(16)
/// .poll(Duration::from_secs(60))
/// .grace(Duration::from_secs(20));
/// # let _ = settings;
/// # Ok::<(), hookproof_inbox::NameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    pub(super) lease: Duration,
    pub(super) stale: Stale,
    pub(super) backoff: Backoff,
    pub(super) endpoint: Option<EndpointId>,
    pub(super) ordering: Ordering,
    pub(super) concurrency: u32,
    pub(super) poll: Duration,
    pub(super) grace: Duration,
}

impl Settings {
    /// Leases of this length, this fate for events whose worker goes silent, and this back-off for those that fail, with
    /// its number of attempts.
    ///
    /// The lease is how long a worker that crashed keeps its events from the others. One that runs extends it three times
    /// within its length, so that a handler may take longer. Below a second it is taken as a second.
    ///
    /// The rest, unless told otherwise: all endpoints, no order, 8 events at once, a look every 60 s, 20 s of grace.
    #[must_use]
    pub fn new(lease: Duration, stale: Stale, backoff: Backoff) -> Self {
        Self {
            lease: lease.clamp(Duration::from_secs(1), LONGEST),
            stale,
            backoff,
            endpoint: None,
            ordering: Ordering::None,
            concurrency: 8,
            poll: Duration::from_secs(60),
            grace: Duration::from_secs(20),
        }
    }

    /// Only events of this endpoint.
    #[must_use]
    pub fn endpoint(mut self, endpoint: EndpointId) -> Self {
        self.endpoint = Some(endpoint);
        self
    }

    /// In this ordering. All workers of an endpoint must have the same.
    #[must_use]
    pub const fn ordering(mut self, ordering: Ordering) -> Self {
        self.ordering = ordering;
        self
    }

    /// At most this many events at once; 0 is taken as 1.
    #[must_use]
    pub const fn concurrency(mut self, events: u32) -> Self {
        self.concurrency = if events == 0 { 1 } else { events };
        self
    }

    /// How long an idle worker sleeps at most. It wakes by itself when something is due and when new work is announced;
    /// this bounds what a lost announcement costs, or another worker that died while this one slept. Below a second it is
    /// taken as a second.
    #[must_use]
    pub fn poll(mut self, interval: Duration) -> Self {
        self.poll = interval.clamp(Duration::from_secs(1), LONGEST);
        self
    }

    /// How long handlers that run may go on once the worker is to stop. Keep it below the time after which the process is
    /// killed, such as 30 s on Kubernetes.
    #[must_use]
    pub fn grace(mut self, time: Duration) -> Self {
        self.grace = time.min(LONGEST);
        self
    }

    /// What the worker asks the store for.
    pub(crate) fn request(&self, limit: u32) -> ClaimRequest {
        let mut request = ClaimRequest::new(self.lease, self.stale, self.backoff.attempts())
            .ordering(self.ordering)
            .limit(limit);
        request.endpoint.clone_from(&self.endpoint);
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_would_spin_are_mended() {
        let nothing = Duration::ZERO;
        let backoff = Backoff::new(nothing, nothing, 7);
        let settings = Settings::new(nothing, Stale::Park, backoff).concurrency(0).poll(nothing);
        assert_eq!(settings.concurrency, 1);
        assert_eq!((settings.lease.as_secs(), settings.poll.as_secs()), (1, 1));
        let request = settings.endpoint(EndpointId::new("e").unwrap()).request(3);
        assert_eq!((request.limit, request.attempts, request.stale), (3, 7, Stale::Park));
        assert_eq!(request.endpoint.unwrap().as_str(), "e");
    }
}
