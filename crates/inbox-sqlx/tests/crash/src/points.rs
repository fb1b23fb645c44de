//! The points at which a receiver can be made to stop, so that it is killed exactly there.

use core::future::pending;
use core::time::Duration;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::time::timeout;

use crate::wire::Said;

/// A point.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Point {
    /// The handler of an effect elsewhere begins.
    BeforeEffect,
    /// The handler is through; the worker completes the event meanwhile.
    Completing,
    /// The transaction has committed, and the sender has no answer yet.
    Committed,
    /// `COMMIT` of a recording is on its way.
    Committing,
    /// An effect elsewhere has happened, and the event is not completed.
    EffectElsewhere,
    /// An effect in the transaction is written, and not committed.
    EffectInside,
    /// The transaction of a recording has begun.
    Begun,
    /// Within the migrations.
    Migrating,
    /// Within a purge.
    Purging,
    /// Recorded, and nothing else of the transaction is done.
    Recorded,
    /// Within the statements that record a delivery.
    Recording,
    /// Sealed, and not committed.
    Sealed,
    /// Within the statements that seal.
    Sealing,
}

impl Point {
    pub(crate) const ALL: [Self; 13] = [
        Self::BeforeEffect,
        Self::Begun,
        Self::Committed,
        Self::Committing,
        Self::Completing,
        Self::EffectElsewhere,
        Self::EffectInside,
        Self::Migrating,
        Self::Purging,
        Self::Recorded,
        Self::Recording,
        Self::Sealed,
        Self::Sealing,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::BeforeEffect => "before-effect",
            Self::Begun => "begun",
            Self::Committed => "committed",
            Self::Committing => "committing",
            Self::Completing => "completing",
            Self::EffectElsewhere => "effect-elsewhere",
            Self::EffectInside => "effect-inside",
            Self::Migrating => "migrating",
            Self::Purging => "purging",
            Self::Recorded => "recorded",
            Self::Recording => "recording",
            Self::Sealed => "sealed",
            Self::Sealing => "sealing",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.as_str() == word)
    }
}

/// Where a process is to stop: at the nth arrival at a point.
#[derive(Debug)]
pub(crate) struct Points {
    point: Option<Point>,
    left: AtomicU32,
    seed: u64,
}

impl Points {
    pub(crate) fn new(point: Option<Point>, nth: u32, seed: u64) -> Self {
        Self { point, left: AtomicU32::new(nth.max(1)), seed }
    }

    /// Whether this arrival at a point is the one.
    pub(crate) fn hit(&self, point: Point) -> bool {
        self.point == Some(point) && self.left.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// A number for this process alone.
    pub(crate) fn random(&self, below: u64) -> u64 {
        fastrand::Rng::with_seed(self.seed).u64(0..below)
    }

    /// Stops here, if this is the point.
    pub(crate) async fn at(&self, point: Point) {
        if self.hit(point) {
            stop::<()>(point).await;
        }
    }

    /// Stops within this future, if this is the point: after a random time, however far it is.
    pub(crate) async fn during<F: Future>(&self, point: Point, future: F) -> F::Output {
        if !self.hit(point) {
            return future.await;
        }
        self.within(point, future).await
    }

    /// As [`during`](Self::during), for an arrival that is the one.
    pub(crate) async fn within<F: Future>(&self, point: Point, future: F) -> F::Output {
        let mut future = core::pin::pin!(future);
        let time = Duration::from_micros(self.random(4000));
        // It stays as it is until the process is killed.
        let _ = timeout(time, &mut future).await;
        stop(point).await
    }
}

async fn stop<T>(point: Point) -> T {
    announce(point);
    pending().await
}

/// Says that the point is reached.
pub(crate) fn announce(point: Point) {
    Said::At(point.as_str().to_owned()).say();
}
