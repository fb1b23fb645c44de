//! A hundred events: in one statement, in a hundred statements, in a hundred transactions.

use hookproof_inbox::{Database, Store, Work};

use crate::Error;
use crate::hand::{Bed, delivery};
use crate::rounds::{ROUNDS, Rounds, timed};

const EVENTS: u32 = 100;
const EACH: u32 = 5;

pub(crate) async fn run<B: Bed>(bed: &B) -> Result<(), Error> {
    let mut rounds = Rounds::new([
        "`record_many`, 100 events, effects here",
        "`record_many`, 100 events with their delivery, worked on later",
        "100 inserts by hand in one transaction",
        "100 transactions of one insert by hand",
    ]);
    for round in 0..=ROUNDS {
        let mut times = [Default::default(); 4];
        for contender in rounds.order() {
            let time = timed(several(bed, contender, round)).await?;
            if let Some(place) = times.get_mut(contender) {
                *place = time;
            }
        }
        if round > 0 {
            rounds.push(times);
        }
    }
    rounds.print(&format!("{}: 100 events", B::NAME), EACH);
    Ok(())
}

async fn several<B: Bed>(bed: &B, contender: usize, round: usize) -> Result<(), Error> {
    let inbox = bed.inbox();
    let mut connection = inbox.connect().await?;
    for number in 0..EACH {
        let keys: Vec<String> = (0..EVENTS)
            .map(|event| format!("hubspot/{contender}_{round:05}_{number:03}_{event:03}"))
            .collect();
        let mut tx = inbox.begin(&mut connection).await?;
        match contender {
            0 | 1 => {
                let work = if contender == 0 { Work::Here } else { Work::Later };
                let batch = delivery("bench", &keys)?;
                inbox.store().record_many(B::Inbox::tx(&mut tx), &batch, work).await?;
            }
            2 => {
                for key in &keys {
                    B::insert(B::Inbox::tx(&mut tx), key).await?;
                }
            }
            _ => {
                for key in &keys {
                    B::insert(B::Inbox::tx(&mut tx), key).await?;
                    B::Inbox::commit(tx).await?;
                    tx = inbox.begin(&mut connection).await?;
                }
            }
        }
        B::Inbox::commit(tx).await?;
    }
    Ok(())
}
