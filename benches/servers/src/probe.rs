//! How long a connection keeps its thread to itself, in processor time: what neighbours on the machine do is no part of it.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use rustix::time::{ClockId, clock_gettime};

static LONGEST: AtomicU64 = AtomicU64::new(0);

/// The longest turn since the last call, in nanoseconds.
pub(crate) fn take_longest() -> u64 {
    LONGEST.swap(0, Ordering::Relaxed)
}

/// A future whose turns are measured.
pub(crate) struct Probed<F>(pub(crate) Pin<Box<F>>);

impl<F: Future> Future for Probed<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let begin = now();
        let poll = self.0.as_mut().poll(cx);
        LONGEST.fetch_max(now().saturating_sub(begin), Ordering::Relaxed);
        poll
    }
}

/// The processor time of this thread, in nanoseconds.
fn now() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}
