//! A batch in disorder: HubSpot sends up to a hundred changes at once, in no order, and older ones may come after newer ones.
//! Each property of a contact is a stream of its own, and what is older than what it holds is refused.
//!
//! ```sh
//! cargo run --example hubspot_batch
//! ```
#![allow(clippy::print_stdout, reason = "an example that shows what happens")]

use std::collections::BTreeMap;

use hookproof::Verifier;
use hookproof::providers::HUBSPOT;
use hookproof::testing::{NOW, SECRET, Sender};
use hookproof_inbox_sqlx::hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::hookproof_inbox::{Batch, EndpointId, Step, Store, StreamId, Work};
use hookproof_inbox_sqlx::{SqliteInbox, sqlite, sqlx};
use serde_json::{Value, json};

type Error = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let options = sqlite::connect_options(folder.path().join("crm.db"));
    let inbox =
        SqliteInbox::new(sqlite::pool_options().connect_lazy_with(options), Prefix::DEFAULT);
    inbox.migrate().await?;
    sqlx::query(
        "CREATE TABLE contacts (id INTEGER, property TEXT, value TEXT, PRIMARY KEY (id, property))",
    )
    .execute(inbox.pool())
    .await?;
    let verifier = Verifier::builder(&HUBSPOT).secret(SECRET).build()?;

    // A hundred changes of ten contacts, each of two properties five times, shuffled by a fixed step.
    let changes: Vec<Value> = (0..100_u64).map(|number| change((number * 37) % 100)).collect();
    let mut newest = BTreeMap::new();
    for number in 0..100_u64 {
        newest.insert((number % 10, (number / 10) % 2), number);
    }

    let body = serde_json::to_vec(&changes)?;
    let sender = Sender::new(&HUBSPOT);
    for _copy in 0..2 {
        let sent = sender.send(&body)?;
        let verified = verifier.verify_at(&sent.delivery(), NOW)?;
        let batch = Batch::read(EndpointId::new("crm")?, &verified, NOW);
        let (new, applied) = receive(&inbox, &batch, &changes).await?;
        println!("200: {} changes, {new} new, {applied} applied", batch.entries().len());
    }

    let rows: Vec<(i64, String, String)> =
        sqlx::query_as("SELECT id, property, value FROM contacts ORDER BY id, property")
            .fetch_all(inbox.pool())
            .await?;
    let expected: Vec<(i64, String, String)> = newest
        .into_iter()
        .map(|((contact, property), number)| {
            Ok((contact.try_into()?, property_name(property).to_owned(), format!("v{number}")))
        })
        .collect::<Result<_, Error>>()?;
    assert_eq!(rows, expected, "each property holds its newest value");
    println!("{} properties, each with its newest value", rows.len());
    Ok(())
}

const fn property_name(property: u64) -> &'static str {
    if property == 0 { "email" } else { "phone" }
}

fn change(number: u64) -> Value {
    json!({
        "eventId": number % 7, "subscriptionId": 1, "portalId": 1, "attemptNumber": 0,
        "subscriptionType": "contact.propertyChange", "objectId": number % 10,
        "propertyName": property_name((number / 10) % 2), "propertyValue": format!("v{number}"),
        "occurredAt": 1_700_000_000_000_u64 + number,
    })
}

/// One transaction for the batch: how many changes were new, and how many were newer than what is there.
async fn receive(
    inbox: &SqliteInbox,
    batch: &Batch,
    changes: &[Value],
) -> Result<(usize, usize), Error> {
    let store = inbox.store();
    let mut tx = inbox.transaction().await?;
    let recorded = store.record_many(&mut tx, batch, Work::Here).await?;
    let (mut new, mut applied) = (0, 0);
    for ((recorded, entry), change) in recorded.iter().zip(batch.entries()).zip(changes) {
        let Some(event) = entry.event().filter(|_| recorded.is_new()) else { continue };
        new += 1;
        let (Some(stream), Some(order)) = (&event.stream, event.order) else { continue };
        let stream = StreamId::new("crm", stream)?;
        if !store.advance(&mut tx, &stream, &Step::version(order), NOW).await?.applies() {
            continue; // an older change that came late
        }
        applied += 1;
        sqlx::query("INSERT OR REPLACE INTO contacts (id, property, value) VALUES ($1, $2, $3)")
            .bind(change["objectId"].as_i64())
            .bind(change["propertyName"].as_str())
            .bind(change["propertyValue"].as_str())
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await?;
    Ok((new, applied))
}
