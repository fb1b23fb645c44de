//! A request from its headers to the commit, beside the raw insert of what it brought.

use std::sync::Arc;

use hookproof::Verifier;
use hookproof::providers::STRIPE;
use hookproof::testing::{SECRET, Sender};
use hookproof_inbox::{Database, EndpointId, LocalWake, Receiver, headers_to_bytes};

use crate::Error;
use crate::hand::{Bed, NOW, Sqlite};
use crate::rounds::{ROUNDS, Rounds, timed};

const EACH: usize = 100;

/// Verify, read and store beside one insert by hand of headers and body, each in a transaction of its own.
pub(crate) async fn run(bed: &Sqlite, synchronous: &str) -> Result<(), Error> {
    let verifier = Verifier::builder(&STRIPE).secret(SECRET).build()?;
    let inbox = Arc::new(bed.inbox().clone());
    let receiver = Receiver::new(inbox, verifier, EndpointId::new("bench")?, LocalWake::new());
    let mut rounds = Rounds::new(["insert by hand of the raw request", "verify, read and store"]);
    for round in 0..=ROUNDS {
        let sent: Vec<_> = (0..EACH)
            .map(|number| {
                let filler = "x".repeat(900);
                let body = format!(
                    r#"{{"id":"evt_{round:05}_{number:05}","type":"invoice.paid","created":1700000000,"data":{{"object":{{"id":"in_1","memo":"{filler}"}}}}}}"#
                );
                Sender::new(&STRIPE).send(body.as_bytes())
            })
            .collect::<Result<_, _>>()?;
        let mut times = [Default::default(); 2];
        for contender in rounds.order() {
            let work = async {
                for (number, sent) in sent.iter().enumerate() {
                    if contender == 1 {
                        let receipt = receiver.receive(&sent.delivery(), NOW).await;
                        if receipt.status() != 200 {
                            return Err(receipt.to_string().into());
                        }
                        continue;
                    }
                    let mut tx = bed.inbox().begin(&mut ()).await?;
                    let delivery = sent.delivery();
                    let headers = headers_to_bytes(delivery.head().headers());
                    let key = format!("stripe/evt_{round:05}_{number:05}");
                    Sqlite::payload(&mut tx, &key, &headers, delivery.body()).await?;
                    <Sqlite as Bed>::Inbox::commit(tx).await?;
                }
                Ok(())
            };
            if let Some(place) = times.get_mut(contender) {
                *place = timed(work).await?;
            }
        }
        if round > 0 {
            rounds.push(times);
        }
    }
    rounds.print(&format!("SQLite, WAL, synchronous={synchronous}: a request of 1 KiB"), 100);
    println!("\nrate: {:.0} % of the raw insert's", 100.0 / rounds.ratio(1));
    Ok(())
}
