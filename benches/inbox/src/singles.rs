//! One event in one transaction.

use hookproof_inbox::{Database, Store, Work};

use crate::Error;
use crate::hand::{Bed, delivery};
use crate::rounds::{ROUNDS, Rounds, timed};

const EACH: u32 = 300;

/// `record` beside the insert by hand: begin, one statement, commit.
pub(crate) async fn run<B: Bed>(bed: &B) -> Result<(), Error> {
    let mut rounds = Rounds::new(["by hand", "`record`", "`record` of a duplicate"]);
    for round in 0..=ROUNDS {
        let mut times = [Default::default(); 3];
        for contender in rounds.order() {
            let time = timed(one(bed, contender, round)).await?;
            if let Some(place) = times.get_mut(contender) {
                *place = time;
            }
        }
        // The first round prepares statements and fills caches.
        if round > 0 {
            rounds.push(times);
        }
    }
    rounds.print(&format!("{}: one event in one transaction", B::NAME), EACH);
    Ok(())
}

async fn one<B: Bed>(bed: &B, contender: usize, round: usize) -> Result<(), Error> {
    let inbox = bed.inbox();
    let mut connection = inbox.connect().await?;
    for number in 0..EACH {
        let round = if contender == 2 { 0 } else { round };
        let key = format!("stripe/evt_{contender}_{round:05}_{number:05}");
        let mut tx = inbox.begin(&mut connection).await?;
        if contender == 0 {
            B::insert(B::Inbox::tx(&mut tx), &key).await?;
        } else {
            let batch = delivery("bench", &[key])?;
            let _ = inbox.store().record(B::Inbox::tx(&mut tx), &batch, Work::Here).await?;
        }
        B::Inbox::commit(tx).await?;
    }
    Ok(())
}
