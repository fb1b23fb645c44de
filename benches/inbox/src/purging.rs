//! A purge beside 1,500 records a second: do the tables and the slowest answers stay as they are?

use core::time::Duration;
use std::time::Instant;

use hookproof::{Provider, UnixTime, providers::GITHUB};
use hookproof_inbox::{
    Batch, Database, Digest, EndpointId, Entry, Key, KeyHorizon, NewEvent, Store, Work,
};
use tokio::time::{MissedTickBehavior, interval};

use crate::Error;
use crate::hand::{Bed, NOW};

const A_SECOND: u64 = 1_500;
/// Records are sent as deliveries of so many events.
const EVENTS: u64 = 15;
/// For how long keys and payloads are kept, on the clock of the bench.
const KEEP: Duration = Duration::from_secs(60);

pub(crate) async fn run<B: Bed>(bed: &B, seconds: u64) -> Result<(), Error> {
    println!(
        "\n| {}: minute | records | p50 ms | p99 ms | slowest ms | purged | MiB |\n|--:|--:|--:|--:|--:|--:|--:|",
        B::NAME
    );
    let begin = Instant::now();
    let clock = || NOW.as_millis() + u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    let inbox = bed.inbox();
    let mut ticks = interval(Duration::from_micros(1_000_000 * EVENTS / A_SECOND));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut connection = inbox.connect().await?;
    let (mut times, mut number, mut purged, mut minute) = (Vec::new(), 0_u64, 0_u64, 1_u64);
    let horizon = KeyHorizon::new(GITHUB.info(), KEEP)?;
    let endpoint = EndpointId::new("purge")?;
    let mut next_purge = Duration::from_secs(1);
    while begin.elapsed() < Duration::from_secs(seconds) {
        // Late deliveries wait for their turn, as they would at a server: the time counts from when they were due.
        let due = ticks.tick().await.into_std();
        let now = UnixTime::from_millis(clock());
        let batch = delivery(&endpoint, number, now)?;
        number += EVENTS;
        let mut tx = inbox.begin(&mut connection).await?;
        inbox.store().record_many(B::Inbox::tx(&mut tx), &batch, Work::Here).await?;
        B::Inbox::commit(tx).await?;
        times.push(due.elapsed().as_secs_f64() * 1e3);
        if begin.elapsed() >= next_purge {
            next_purge = begin.elapsed() + Duration::from_millis(100);
            let mut tx = inbox.begin(&mut connection).await?;
            let step = inbox
                .store()
                .purge_keys(B::Inbox::tx(&mut tx), &endpoint, &horizon, now, 200)
                .await?;
            B::Inbox::commit(tx).await?;
            purged += step.rows;
        }
        if begin.elapsed() >= Duration::from_secs(60) * u32::try_from(minute)? {
            times.sort_by(f64::total_cmp);
            let at =
                |share: usize| times.get(times.len() * share / 1000).copied().unwrap_or(f64::NAN);
            println!(
                "| {minute} | {number} | {:.1} | {:.1} | {:.1} | {purged} | {:.1} |",
                at(500),
                at(990),
                times.last().copied().unwrap_or(f64::NAN),
                f64::from(u32::try_from(bed.size().await? >> 10)?) / 1024.0
            );
            times.clear();
            minute += 1;
        }
    }
    Ok(())
}

fn delivery(endpoint: &EndpointId, number: u64, now: UnixTime) -> Result<Batch, Error> {
    let body = number.to_string().into_bytes().into();
    let mut batch = Batch::unread(endpoint.clone(), "github", now, Default::default(), body);
    for event in number..number + EVENTS {
        let key = format!("github//{:016x}", event.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let event = NewEvent::new(Some(Key::new(key.as_str())?), Digest::of(key.as_bytes()));
        batch = batch.with_entry(Entry::new(event));
    }
    Ok(batch)
}
