//! Workers on PostgreSQL: claim, commit, complete, commit.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use hookproof_inbox::{ClaimRequest, Database, Stale, Store, Work};
use hookproof_inbox_sqlx::sqlx;

use crate::Error;
use crate::hand::{Bed, NOW, Postgres, delivery};

const SPAN: Duration = Duration::from_secs(4);
const ROUNDS: u32 = 5;

pub(crate) async fn run(bed: &Postgres) -> Result<(), Error> {
    let (mut one, mut eight) = (0.0_f64, 0.0_f64);
    let mut ratios = Vec::new();
    let (mut looks, mut waits) = (0_u64, 0_u64);
    for round in 0..ROUNDS {
        fill(bed, round * 2).await?;
        let (alone, _) = measure(bed, 1).await?;
        fill(bed, round * 2 + 1).await?;
        let (together, seen) = measure(bed, 8).await?;
        (one, eight) = (one.max(alone), eight.max(together));
        ratios.push(together / alone);
        looks += seen.0;
        waits += seen.1;
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
    println!("| PostgreSQL | claims a second |\n|---|--:|");
    println!("| one worker | {one:.0} |\n| eight workers | {eight:.0} |");
    println!(
        "\neight to one: {:.2} by the best rates, {median:.2} in the median of rounds",
        eight / one
    );
    println!(
        "waits for rows, or for transactions that hold them, among eight: {waits} in {looks} looks"
    );
    Ok(())
}

async fn fill(bed: &Postgres, round: u32) -> Result<(), Error> {
    let pool = bed.inbox().pool();
    sqlx::query("TRUNCATE hookproof_events, hookproof_attempts").execute(pool).await?;
    let mut connection = bed.inbox().connect().await?;
    let mut tx = bed.inbox().begin(&mut connection).await?;
    for batch in 0..400 {
        let keys: Vec<String> =
            (0..100).map(|event| format!("claims/{round}_{batch}_{event}")).collect();
        let batch = delivery("claims", &keys)?;
        bed.inbox().store().record_many(Inbox::tx(&mut tx), &batch, Work::Later).await?;
    }
    Inbox::commit(tx).await?;
    sqlx::query("ANALYZE hookproof_events").execute(pool).await?;
    Ok(())
}

type Inbox = <Postgres as Bed>::Inbox;

/// Completed claims a second; and how often was looked for waits, and how many were seen.
async fn measure(bed: &Postgres, workers: u32) -> Result<(f64, (u64, u64)), Error> {
    let done = Arc::new(AtomicU64::new(0));
    let begin = Instant::now();
    let mut running = Vec::new();
    for _ in 0..workers {
        let (inbox, done) = (bed.inbox().clone(), Arc::clone(&done));
        running.push(tokio::spawn(async move {
            let mut connection = inbox.connect().await?;
            let request = ClaimRequest::new(Duration::from_secs(60), Stale::Park, 12);
            while begin.elapsed() < SPAN {
                let mut tx = inbox.begin(&mut connection).await?;
                let claimed = inbox.store().claim(Inbox::tx(&mut tx), &request, NOW).await?;
                Inbox::commit(tx).await?;
                for claim in &claimed.claims {
                    let mut tx = inbox.begin(&mut connection).await?;
                    inbox.store().complete(Inbox::tx(&mut tx), claim, NOW).await?;
                    Inbox::commit(tx).await?;
                    done.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok::<(), Error>(())
        }));
    }
    let (mut looks, mut waits) = (0, 0);
    while begin.elapsed() < SPAN {
        tokio::time::sleep(Duration::from_millis(25)).await;
        // Of rows and of the transactions that hold them; a table that grows has a lock of its own.
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
             AND wait_event IN ('tuple', 'transactionid')";
        let waiting: i64 = sqlx::query_scalar(sql).fetch_one(bed.inbox().pool()).await?;
        looks += 1;
        waits += u64::try_from(waiting)?;
    }
    for worker in running {
        worker.await??;
    }
    let count = u32::try_from(done.load(Ordering::Relaxed))?;
    Ok((f64::from(count) / begin.elapsed().as_secs_f64(), (looks, waits)))
}
