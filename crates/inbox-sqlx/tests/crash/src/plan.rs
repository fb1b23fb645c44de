//! What a round is to be: everything that is random, from one seed.

use hookproof::Provider;
use hookproof::providers::{GITHUB, HUBSPOT, PAYMOS, STRIPE};
use hookproof_inbox::{EndpointId, Work};

use crate::points::Point;

/// An endpoint, and how its events are worked on.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Endpoint {
    /// Orders that a worker writes in its transaction.
    Booking,
    /// Charges: effects elsewhere that must not be doubled.
    Charge,
    /// Batches of changes, applied in a transaction, newest wins.
    Crm,
    /// Orders that are written in the transaction that records.
    Here,
    /// Mails: effects elsewhere that may be doubled.
    Mail,
}

impl Endpoint {
    pub(crate) const ALL: [Self; 5] =
        [Self::Booking, Self::Charge, Self::Crm, Self::Here, Self::Mail];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Booking => "booking",
            Self::Charge => "charge",
            Self::Crm => "crm",
            Self::Here => "here",
            Self::Mail => "mail",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|endpoint| endpoint.as_str() == word)
    }

    pub(crate) fn id(self) -> EndpointId {
        EndpointId::new(self.as_str()).expect("a name")
    }

    pub(crate) fn provider(self) -> &'static dyn Provider {
        match self {
            Self::Booking | Self::Here => &STRIPE,
            Self::Charge => &PAYMOS,
            Self::Crm => &HUBSPOT,
            Self::Mail => &GITHUB,
        }
    }

    pub(crate) const fn work(self) -> Work {
        match self {
            Self::Here => Work::Here,
            _ => Work::Later,
        }
    }
}

/// When a process is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim {
    /// So many milliseconds after it was started, ready or not.
    Early(u64),
    /// So many milliseconds after it was sent its first delivery.
    Later(u64),
    /// At this arrival at a point.
    Point(Point, u32),
}

/// A round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// By how many milliseconds the clock steps before it.
    pub(crate) step: i64,
    pub(crate) aim: Aim,
    /// Another process works beside it.
    pub(crate) companion: bool,
    /// That one is killed, too.
    pub(crate) both: bool,
    /// It is stopped, taken over from, and goes on for a while before it is killed.
    pub(crate) stopped: bool,
    /// Its connections to the server are broken off before.
    pub(crate) broken: bool,
    /// How many deliveries are new.
    pub(crate) new: usize,
    pub(crate) seed: u64,
}

impl Round {
    pub(crate) fn random(rng: &mut fastrand::Rng, only: Option<Point>) -> Self {
        // The clock of whoever takes over is ahead, and a third process would be taken over from as well.
        let stopped = rng.u32(0..10) == 0;
        let companion = !stopped && rng.u32(0..10) < 3;
        // The clock steps back now and then; then leases last longer.
        let step = if rng.u32(0..10) == 0 { -60_000 } else { 120_000 };
        let aim = match (only, rng.u32(0..10)) {
            (None, 0) => Aim::Early(rng.u64(0..60)),
            (None, 1..=3) => Aim::Later(rng.u64(0..250)),
            _ => {
                let point = only.unwrap_or_else(|| Point::ALL[rng.usize(0..Point::ALL.len())]);
                let most = match point {
                    Point::Migrating | Point::Purging => 1,
                    Point::Sealed | Point::Sealing => 4,
                    _ => 8,
                };
                Aim::Point(point, rng.u32(1..=most))
            }
        };
        Self {
            step,
            aim,
            companion,
            both: companion && rng.u32(0..3) == 0,
            stopped,
            broken: rng.u32(0..10) == 0,
            new: rng.usize(10..30),
            seed: rng.u64(..),
        }
    }
}
