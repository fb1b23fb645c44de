//! What the issue of this crate's speed asks for, and what was measured.

use crate::contenders::{ASYNC_STRIPE, BARE, OURS, PEERS, STANDARD_WEBHOOKS, SVIX, WEBHOOK_VERIFY};
use crate::grid;
use crate::measure::Times;
use crate::report::Report;
use crate::{SIZES, size_name};

/// A ratio that must not exceed, or must reach, a bound.
pub struct Promise {
    pub what: String,
    pub bound: String,
    pub measured: f64,
    pub at: String,
    pub kept: bool,
}

/// The largest of these ratios against a bound.
fn at_most(what: &str, bound: f64, ratios: impl Iterator<Item = (String, f64)>) -> Promise {
    let (at, measured) = ratios.max_by(|left, right| left.1.total_cmp(&right.1)).unwrap();
    Promise {
        what: what.into(),
        bound: format!("≤ {bound}"),
        measured,
        at,
        kept: measured <= bound,
    }
}

/// The least of these ratios against a bound.
fn at_least(what: &str, bound: f64, ratios: impl Iterator<Item = (String, f64)>) -> Promise {
    let (at, measured) = ratios.min_by(|left, right| left.1.total_cmp(&right.1)).unwrap();
    Promise {
        what: what.into(),
        bound: format!("≥ {bound}"),
        measured,
        at,
        kept: measured >= bound,
    }
}

/// Every peer at the sizes of which `counts` is true: its time over ours.
fn of_peers<'a>(
    report: &'a Report,
    peers: &'a [&str],
    counts: impl Fn(usize) -> bool + 'a,
) -> impl Iterator<Item = (String, f64)> + 'a {
    let sizes = move |times: &'a [Times]| {
        let counted = SIZES.into_iter().zip(times).filter(|(size, _)| counts(*size));
        counted.collect::<Vec<_>>()
    };
    report.peers.iter().flat_map(move |(scheme, times)| {
        sizes(times).into_iter().flat_map(move |(size, times)| {
            peers.iter().filter(|peer| times.has(peer)).map(move |peer| {
                (format!("{peer}, {scheme}, {}", size_name(size)), times.ratio(peer, OURS))
            })
        })
    })
}

/// Every sender at the sizes from `least` on: one way of verifying over another.
fn of_senders<'a>(
    report: &'a Report,
    what: &'a [&str],
    to: &'a str,
    least: usize,
) -> impl Iterator<Item = (String, f64)> + 'a {
    report.senders.iter().flat_map(move |(sender, times)| {
        SIZES.into_iter().zip(times).filter(move |(size, _)| *size >= least).flat_map(
            move |(size, times)| {
                what.iter().filter(|what| times.has(what)).map(move |what| {
                    (format!("{sender}, {what}, {}", size_name(size)), times.ratio(what, to))
                })
            },
        )
    })
}

pub fn promises(report: &Report) -> Vec<Promise> {
    let kib = |scheme: usize| {
        let (name, times) = &report.peers[scheme];
        std::iter::once((format!("{name}, 1 KiB"), times[2].ratio(OURS, BARE)))
    };
    // Who signs the body as a part of a longer text, and copies it for that.
    let copying = [ASYNC_STRIPE, STANDARD_WEBHOOKS, SVIX];
    let of_stripe = |(at, _): &(String, f64)| !at.contains("GitHub");
    let chunks = grid::CHUNKS.map(|(name, _)| name);
    vec![
        at_most("Stripe, 1 KiB, of the bare MAC", 1.3, kib(0)),
        at_most("the same, the goal", 1.15, kib(0)),
        at_most("GitHub, 1 KiB, of the bare MAC", 1.2, kib(2)),
        at_most("the same, the goal", 1.1, kib(2)),
        at_most(
            "every sender, 64 KiB and up, of the bare MAC",
            1.02,
            of_senders(report, &[grid::WHOLE], grid::BARE, 64 << 10),
        ),
        // From 64 KiB on, those who do not copy the body are equal, and noise may decide.
        at_least("every peer at every size, of ours", 1.0, of_peers(report, &PEERS, |_| true)),
        at_least(
            "webhook-verify, Stripe, 1 KiB, of ours",
            1.4,
            of_peers(report, &[WEBHOOK_VERIFY], |size| size == 1 << 10)
                .filter(|(at, _)| at.contains("Stripe")),
        ),
        at_least("svix, 1 KiB, of ours", 4.0, of_peers(report, &[SVIX], |size| size == 1 << 10)),
        at_least(
            "peers that copy the body, 16 MiB, of ours",
            1.15,
            of_peers(report, &copying, |size| size == 16 << 20).chain(
                of_peers(report, &[WEBHOOK_VERIFY], |size| size == 16 << 20).filter(of_stripe),
            ),
        ),
        at_most(
            "streamed, 64 KiB and up, of whole",
            1.02,
            of_senders(report, &chunks, grid::WHOLE, 64 << 10),
        ),
        // Not a promise: how much of the one before is the MAC's own.
        at_most(
            "*the same of the bare MAC alone, in chunks of 1,400 B*",
            1.02,
            of_senders(report, &[grid::BARE_CHUNKS], grid::BARE, 64 << 10),
        ),
        at_most(
            "last of 32 signatures, 64 KiB and up, of one",
            1.05,
            of_senders(report, &[grid::MANY], grid::WHOLE, 64 << 10),
        ),
    ]
}
