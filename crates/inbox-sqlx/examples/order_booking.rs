//! Effects inside your database: the order is booked in the transaction that records the event, so that both happen or
//! neither, and once.
//!
//! ```sh
//! cargo run --example order_booking
//! ```
#![allow(clippy::print_stdout, reason = "an example that shows what happens")]

use hookproof::Verifier;
use hookproof::providers::STRIPE;
use hookproof::testing::{NOW, SECRET, Sender};
use hookproof_inbox_sqlx::hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::hookproof_inbox::{Batch, EndpointId, Recorded, Store, Work};
use hookproof_inbox_sqlx::{SqliteInbox, sqlite, sqlx};

type Error = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let options = sqlite::connect_options(folder.path().join("shop.db"));
    let inbox =
        SqliteInbox::new(sqlite::pool_options().connect_lazy_with(options), Prefix::DEFAULT);
    inbox.migrate().await?;
    sqlx::query("CREATE TABLE orders (invoice TEXT NOT NULL)").execute(inbox.pool()).await?;
    let verifier = Verifier::builder(&STRIPE).secret(SECRET).build()?;

    // What the sender sends: the event, a copy of it since the first answer was lost, and another event.
    let first = br#"{"id":"evt_1","type":"invoice.paid","data":{"object":{"id":"in_1"}}}"#;
    let second = br#"{"id":"evt_2","type":"invoice.paid","data":{"object":{"id":"in_2"}}}"#;
    for body in [&first[..], first, second] {
        let sent = Sender::new(&STRIPE).send(body)?;
        let verified = verifier.verify_at(&sent.delivery(), NOW)?;
        let batch = Batch::read(EndpointId::new("billing")?, &verified, NOW);
        println!("200: {}", receive(&inbox, &batch).await?);
    }

    let orders: i64 =
        sqlx::query_scalar("SELECT count(*) FROM orders").fetch_one(inbox.pool()).await?;
    println!("{orders} orders after three deliveries");
    assert_eq!(orders, 2);
    Ok(())
}

/// Answer 503 with `Retry-After` if this fails: nothing was written, and the sender comes again.
async fn receive(inbox: &SqliteInbox, batch: &Batch) -> Result<&'static str, Error> {
    let mut tx = inbox.transaction().await?;
    let recorded = inbox.store().record(&mut tx, batch, Work::Here).await?;
    if recorded.is_new() {
        let invoice = batch
            .entries()
            .first()
            .and_then(|entry| entry.event()?.subject.as_deref())
            .ok_or("an event about nothing")?;
        sqlx::query("INSERT INTO orders (invoice) VALUES ($1)")
            .bind(invoice)
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await?;
    Ok(match recorded {
        Recorded::New { .. } => "booked",
        Recorded::Duplicate { .. } => "a copy: nothing to do",
        _ => "kept aside for a person",
    })
}
