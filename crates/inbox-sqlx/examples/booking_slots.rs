//! A second guard below the inbox: a slot can be booked once, says a unique constraint. A copy of a booking that gets past
//! the key is answered 200 as a duplicate; two different bookings for one slot are answered 200, too, and raise an alert,
//! since a retry would not free the slot.
//!
//! ```sh
//! cargo run --example booking_slots
//! ```
#![allow(clippy::print_stdout, reason = "an example that shows what happens")]

use hookproof::Verifier;
use hookproof::providers::CALENDLY;
use hookproof::testing::{NOW, SECRET, Sender};
use hookproof_inbox_sqlx::hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::hookproof_inbox::{Batch, EndpointId, Store, Work};
use hookproof_inbox_sqlx::{SqliteInbox, sqlite, sqlx};
use serde_json::{Value, json};

type Error = Box<dyn std::error::Error>;

#[derive(Debug, Eq, PartialEq)]
enum Outcome {
    Booked,
    Duplicate,
    /// Somebody else's booking has the slot: tell a person.
    SlotTaken {
        by: String,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let options = sqlite::connect_options(folder.path().join("bookings.db"));
    let inbox =
        SqliteInbox::new(sqlite::pool_options().connect_lazy_with(options), Prefix::DEFAULT);
    inbox.migrate().await?;
    sqlx::query("CREATE TABLE bookings (slot TEXT NOT NULL UNIQUE, invitee TEXT NOT NULL)")
        .execute(inbox.pool())
        .await?;

    let nine = "2026-12-01T09:00:00.000000Z";
    let ten = "2026-12-01T10:00:00.000000Z";
    let taken = Outcome::SlotTaken { by: "invitee-a".to_owned() };
    let deliveries = [
        ("bookings", "invitee-a", nine, Outcome::Booked),
        ("bookings", "invitee-a", nine, Outcome::Duplicate),
        // A second subscription of the same calendar: another endpoint, so the key does not tell, but the slot does.
        ("bookings-2", "invitee-a", nine, Outcome::Duplicate),
        ("bookings", "invitee-b", nine, taken),
        ("bookings", "invitee-c", ten, Outcome::Booked),
    ];
    for (endpoint, invitee, slot, expected) in deliveries {
        let outcome = receive(&inbox, endpoint, invitee, slot).await?;
        println!("200: {endpoint}, {invitee} at {slot}: {outcome:?}");
        if let Outcome::SlotTaken { by } = &outcome {
            println!("ALERT: {invitee} and {by} have booked {slot}");
        }
        assert_eq!(outcome, expected);
    }
    Ok(())
}

async fn receive(
    inbox: &SqliteInbox,
    endpoint: &str,
    invitee: &str,
    slot: &str,
) -> Result<Outcome, Error> {
    let body: Value = json!({
        "event": "invitee.created", "created_at": "2026-11-30T12:00:00.000000Z",
        "payload": {"uri": invitee, "scheduled_event": {"start_time": slot}},
    });
    let verifier = Verifier::builder(&CALENDLY).secret(SECRET).build()?;
    let sent = Sender::new(&CALENDLY).send(&serde_json::to_vec(&body)?)?;
    let verified = verifier.verify_at(&sent.delivery(), NOW)?;
    let batch = Batch::read(EndpointId::new(endpoint)?, &verified, NOW);

    let mut tx = inbox.transaction().await?;
    let recorded = inbox.store().record(&mut tx, &batch, Work::Here).await?;
    if !recorded.is_new() {
        tx.commit().await?;
        return Ok(Outcome::Duplicate);
    }
    // `DO NOTHING` keeps the transaction usable: on PostgreSQL a violated constraint would end it, and the record with it.
    let booked = sqlx::query(
        "INSERT INTO bookings (slot, invitee) VALUES ($1, $2) ON CONFLICT (slot) DO NOTHING",
    )
    .bind(slot)
    .bind(invitee)
    .execute(&mut *tx)
    .await?
    .rows_affected();
    let holder: String = sqlx::query_scalar("SELECT invitee FROM bookings WHERE slot = $1")
        .bind(slot)
        .fetch_one(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(match booked {
        1 => Outcome::Booked,
        _ if holder == invitee => Outcome::Duplicate,
        _ => Outcome::SlotTaken { by: holder },
    })
}
