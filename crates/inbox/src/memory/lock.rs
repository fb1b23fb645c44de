//! One transaction at a time, without blocking a thread.

use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::rows::Rows;

/// The rows while no transaction has them, and who waits for them.
#[derive(Debug)]
pub(super) struct Shared {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    rows: Option<Box<Rows>>,
    waiting: Vec<Waker>,
    fuel: Option<Option<u32>>,
}

impl Shared {
    pub(super) fn new(rows: Rows) -> Self {
        let inner = Inner { rows: Some(Box::new(rows)), waiting: Vec::new(), fuel: None };
        Self { inner: Mutex::new(inner) }
    }

    /// Sets after how many writes the next transaction breaks off.
    pub(super) fn set_fuel(&self, writes: Option<u32>) {
        self.inner().fuel = Some(writes);
    }

    /// Ends a transaction.
    pub(super) fn give_back(&self, rows: Box<Rows>) {
        let mut inner = self.inner();
        inner.rows = Some(rows);
        let waiting = core::mem::take(&mut inner.waiting);
        drop(inner);
        waiting.into_iter().for_each(Waker::wake);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics while it is held, and rows are given back whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for the rows.
#[derive(Debug)]
pub(super) struct Acquire<'s> {
    shared: &'s Shared,
}

impl<'s> Acquire<'s> {
    pub(super) const fn new(shared: &'s Shared) -> Self {
        Self { shared }
    }
}

impl Future for Acquire<'_> {
    type Output = Box<Rows>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Box<Rows>> {
        let mut inner = self.shared.inner();
        match inner.rows.take() {
            Some(mut rows) => {
                if let Some(fuel) = inner.fuel.take() {
                    rows.set_fuel(fuel);
                }
                Poll::Ready(rows)
            }
            None => {
                inner.waiting.push(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
