//! One event in one transaction, by the number of keys that are there.

use hookproof_inbox::{Database, Store, Work};

use crate::Error;
use crate::hand::{Bed, delivery};
use crate::plot::Line;
use crate::rounds::timed;

const EACH: u32 = 500;
const ROUNDS: u32 = 9;

pub(crate) async fn run<B: Bed>(bed: &B, keys: u64) -> Result<Line, Error> {
    println!("\n| {}: keys | µs | of the first | bytes a key |\n|--:|--:|--:|--:|", B::NAME);
    let (mut filled, mut first, mut points) = (0, None, Vec::new());
    let mut target = 10_000.min(keys);
    loop {
        bed.fill(filled, target).await?;
        filled = target;
        let mut least = f64::INFINITY;
        for round in 0..ROUNDS {
            let time = timed(record(bed, filled, round)).await?;
            least = least.min(time.as_secs_f64() * 1e6 / f64::from(EACH));
        }
        let of_first = least / *first.get_or_insert(least);
        println!("| {filled} | {least:.1} | {of_first:.2} | {} |", bed.size().await? / filled);
        points.push((filled, of_first));
        if target == keys {
            return Ok(Line { name: B::NAME, points });
        }
        target = (target * 10).min(keys);
    }
}

async fn record<B: Bed>(bed: &B, filled: u64, round: u32) -> Result<(), Error> {
    let inbox = bed.inbox();
    let mut connection = inbox.connect().await?;
    for number in 0..EACH {
        // Spread over the whole index, as the ids of senders are.
        let spread = (u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ filled;
        let batch = delivery("bench", &[format!("stripe/evt_{spread:016x}_{round}")])?;
        let mut tx = inbox.begin(&mut connection).await?;
        let _ = inbox.store().record(B::Inbox::tx(&mut tx), &batch, Work::Here).await?;
        B::Inbox::commit(tx).await?;
    }
    Ok(())
}
