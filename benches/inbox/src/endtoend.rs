//! A request from its headers to the commit, beside the raw insert of what it brought.

use std::sync::Arc;

use hookproof::Verifier;
use hookproof::providers::STRIPE;
use hookproof::testing::{SECRET, Sender, Sent};
use hookproof_inbox::{Database, EndpointId, LocalWake, Receiver, headers_to_bytes};
use hookproof_inbox_sqlx::SqliteInbox;
use tokio::task::JoinSet;

use crate::Error;
use crate::hand::{Bed, NOW, Sqlite};
use crate::rounds::{ROUNDS, Rounds, timed};

/// Requests in a round.
const EACH: u32 = 128;
/// Requests at once, where several are.
const AT_ONCE: u32 = 32;

/// How a request is stored.
#[derive(Clone, Copy)]
enum How {
    /// By hand: one row of key, headers and body, by a statement that is a transaction by itself.
    Insert,
    /// By hand: the same, between `BEGIN IMMEDIATE` and `COMMIT`.
    Transaction,
    /// Verified, read and stored.
    Receiver,
}

struct Contest {
    inbox: Arc<SqliteInbox>,
    receiver: Receiver<SqliteInbox>,
}

/// Verify, read and store beside one insert by hand of key, headers and body: one request after another, and many at once.
pub(crate) async fn run(bed: &Sqlite, synchronous: &str) -> Result<(), Error> {
    let verifier = Verifier::builder(&STRIPE).secret(SECRET).build()?;
    let inbox = Arc::new(bed.inbox().clone());
    let endpoint = EndpointId::new("bench")?;
    let receiver = Receiver::new(Arc::clone(&inbox), verifier, endpoint, LocalWake::new());
    let contest = Arc::new(Contest { inbox, receiver });
    for at_once in [1, AT_ONCE] {
        let mut rounds = Rounds::new([
            "insert by hand of the raw request",
            "the same, in a transaction that is begun and committed",
            "verify, read and store",
        ]);
        let contenders = [How::Insert, How::Transaction, How::Receiver];
        for round in 0..=ROUNDS {
            let mut times = [Default::default(); 3];
            for contender in rounds.order() {
                let Some(how) = contenders.get(contender) else { continue };
                let sent = requests(&format!("{at_once}_{contender}_{round}"))?;
                if let Some(place) = times.get_mut(contender) {
                    *place = timed(several(&contest, *how, sent, at_once)).await?;
                }
            }
            if round > 0 {
                rounds.push(times);
            }
        }
        let title = format!("SQLite, WAL, synchronous={synchronous}: 1 KiB, {at_once} at once");
        rounds.print(&title, EACH);
        println!("\nrate: {:.0} % of the raw insert's", 100.0 / rounds.ratio(2));
    }
    Ok(())
}

/// Requests with their keys.
fn requests(name: &str) -> Result<Vec<(String, Sent)>, Error> {
    let one = |number| {
        let filler = "x".repeat(900);
        let id = format!("evt_{name}_{number:05}");
        let body = format!(
            r#"{{"id":"{id}","type":"invoice.paid","created":1700000000,"data":{{"object":{{"id":"in_1","memo":"{filler}"}}}}}}"#
        );
        Ok((format!("stripe/{id}"), Sender::new(&STRIPE).send(body.as_bytes())?))
    };
    (0..EACH).map(one).collect()
}

/// Stores requests, so many at once, in tasks as those of a server.
async fn several(
    contest: &Arc<Contest>,
    how: How,
    sent: Vec<(String, Sent)>,
    at_once: u32,
) -> Result<(), Error> {
    let sent = Arc::new(sent);
    let mut tasks = JoinSet::new();
    for task in 0..at_once {
        let (contest, sent) = (Arc::clone(contest), Arc::clone(&sent));
        tasks.spawn(async move {
            let own = sent.iter().skip(usize::try_from(task)?).step_by(usize::try_from(at_once)?);
            for (key, sent) in own {
                one(&contest, how, key, sent).await?;
            }
            Ok::<(), Error>(())
        });
    }
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    Ok(())
}

async fn one(contest: &Contest, how: How, key: &str, sent: &Sent) -> Result<(), Error> {
    let delivery = sent.delivery();
    let headers = || headers_to_bytes(delivery.head().headers());
    match how {
        How::Insert => {
            let mut connection = contest.inbox.pool().acquire().await?;
            Sqlite::payload(&mut connection, key, &headers(), delivery.body()).await
        }
        How::Transaction => {
            let mut tx = contest.inbox.transaction().await?;
            Sqlite::payload(&mut tx, key, &headers(), delivery.body()).await?;
            Ok(SqliteInbox::commit(tx).await?)
        }
        How::Receiver => {
            let receipt = contest.receiver.receive(&delivery, NOW).await;
            if receipt.status() != 200 {
                return Err(receipt.to_string().into());
            }
            Ok(())
        }
    }
}
