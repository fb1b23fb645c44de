//! Futures side by side, and futures that panic.

use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Which of two futures was first.
#[derive(Debug)]
pub(crate) enum First<A, B> {
    Left(A),
    Right(B),
}

/// Runs two futures until one is through, and drops the other. If both are, the left one counts.
pub(crate) async fn race<A: Future, B: Future>(left: A, right: B) -> First<A::Output, B::Output> {
    let (mut left, mut right) = (pin!(left), pin!(right));
    poll_fn(|context| {
        if let Poll::Ready(output) = left.as_mut().poll(context) {
            return Poll::Ready(First::Left(output));
        }
        right.as_mut().poll(context).map(First::Right)
    })
    .await
}

/// Runs a future; if it panics, what it said.
///
/// Nothing of the future is used after a panic, so that only what it shares with others can be left half-done, as with any
/// thread that panics.
pub(crate) async fn catch_panic<F: Future>(future: F) -> Result<F::Output, Box<str>> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(said(&*panic))),
    })
    .await
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> Box<str> {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message").into()
}

#[cfg(test)]
mod tests {
    use core::future::{pending, ready};

    use super::*;
    use crate::kit::block_on;

    #[test]
    fn the_left_one_counts_if_both_are_through() {
        let first = block_on(race(ready(1), ready(2)));
        assert!(matches!(first, First::Left(1)), "{first:?}");
        let first = block_on(race(pending::<u8>(), ready(2)));
        assert!(matches!(first, First::Right(2)), "{first:?}");
    }

    #[test]
    fn panics_are_told() {
        assert_eq!(block_on(catch_panic(ready(3))), Ok(3));
        let literal = block_on(catch_panic(async { panic!("boom") }));
        assert_eq!(literal, Err::<(), _>("boom".into()));
        let formatted = block_on(catch_panic(async { panic!("boom {}", 1) }));
        assert_eq!(formatted, Err::<(), _>("boom 1".into()));
        let other = block_on(catch_panic(async { std::panic::panic_any(7) }));
        assert_eq!(other, Err::<(), _>("without a message".into()));
    }
}
