//! The inbox without a store: the SQL of `hookproof_inbox::sql::postgres` over tokio-postgres. Diesel, SeaORM and others go
//! the same way: run the statements, and leave the decisions to the functions of the crate.
//!
//!     crates/inbox-sqlx/tests/postgres/run cargo run -p example-tokio-postgres
//!
//! It takes the URL of a database from `HOOKPROOF_TEST_POSTGRES`, makes its tables in a schema that it removes in the end,
//! books one order of two copies of a delivery, and works on another event later.

use core::time::Duration;

use hookproof::UnixTime;
use hookproof::providers::STRIPE;
use hookproof::testing::{NOW, Sender};
use hookproof_inbox::sql::{Prefix, postgres as sql};
use hookproof_inbox::time::{from_sql, to_sql};
use hookproof_inbox::{
    Batch, Digest, EndpointId, Entry, EventId, Found, Key, Lease, Plan, Progress, Recorded, Stale,
    State, Token, Work,
};
use tokio_postgres::{Client, NoTls, Transaction};

type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let url = std::env::var("HOOKPROOF_TEST_POSTGRES")
        .map_err(|_| "HOOKPROOF_TEST_POSTGRES is the URL of a PostgreSQL database; set it")?;
    let (mut client, connection) = tokio_postgres::connect(&url, NoTls).await?;
    let connection = tokio::spawn(connection);
    let done = run(&mut client).await;
    client.batch_execute("DROP SCHEMA IF EXISTS example_shop CASCADE").await?;
    drop(client);
    connection.await??;
    done
}

async fn run(client: &mut Client) -> Result<(), Error> {
    // The tables, with a prefix of your own. Do this with whatever runs your migrations.
    client.batch_execute("CREATE SCHEMA example_shop; SET search_path = example_shop").await?;
    client.batch_execute("SET lock_timeout = '2s'; CREATE TABLE orders (invoice TEXT)").await?;
    let prefix = Prefix::new("shop")?;
    client.batch_execute(&prefix.apply(sql::MIGRATIONS[0].sql)).await?;

    let sent = Sender::new(&STRIPE).send(br#"{"id":"evt_1","type":"invoice.paid"}"#)?;
    for copy in 1..=2 {
        let batch = Batch::read(EndpointId::new("billing")?, &sent.verified().as_verified(), NOW);
        let tx = client.transaction().await?;
        let recorded = record(&tx, &prefix, &batch).await?;
        if recorded.is_new() {
            tx.execute("INSERT INTO orders (invoice) VALUES ('in_1')", &[]).await?;
        }
        tx.commit().await?;
        assert_eq!(recorded.is_new(), copy == 1);
    }
    // The same id with another body: nothing is done, and nothing is lost.
    let other = Sender::new(&STRIPE).send(br#"{"id":"evt_1","type":"invoice.void"}"#)?;
    let batch = Batch::read(EndpointId::new("billing")?, &other.verified().as_verified(), NOW);
    let tx = client.transaction().await?;
    let recorded = record(&tx, &prefix, &batch).await?;
    tx.commit().await?;
    assert!(matches!(recorded, Recorded::Conflict { .. }), "loud");
    let orders = client.query_one("SELECT count(*) FROM orders", &[]).await?;
    assert_eq!(orders.get::<_, i64>(0), 1, "two copies, one order");

    let sent = Sender::new(&STRIPE).send(br#"{"id":"evt_2","type":"invoice.sent"}"#)?;
    let batch = Batch::read(EndpointId::new("billing")?, &sent.verified().as_verified(), NOW);
    let tx = client.transaction().await?;
    record_for_later(&tx, &prefix, &batch).await?;
    tx.commit().await?;
    let tx = client.transaction().await?;
    let claimed = claim(&tx, &prefix, NOW).await?;
    tx.commit().await?;
    let (id, progress) = claimed.ok_or("nothing is due")?;
    // The effect is outside of the database: a mail, say. Then:
    let tx = client.transaction().await?;
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
        [&number(id.as_u64())?, &number(progress.token.as_u64())?, &to_sql(NOW)];
    let held = tx.query_opt(prefix.apply(sql::COMPLETE).as_ref(), &values).await?;
    held.ok_or("the claim was lost: roll back")?;
    tx.commit().await?;
    Ok(())
}

/// One event, with its effect in the same transaction.
async fn record(tx: &Transaction<'_>, prefix: &Prefix, batch: &Batch) -> Result<Recorded, Error> {
    let entry = batch.entries().first().ok_or("no event")?;
    let event = entry.event().ok_or("an event without identity: record it for later")?;
    let (endpoint, key) = (batch.endpoint().as_str(), entry.key().map(Key::as_str));
    let (content, body) = (event.content, batch.body_digest());
    let row = tx
        .query_opt(
            prefix.apply(sql::RECORD).as_ref(),
            &[
                &endpoint,
                &key,
                &&content.as_bytes()[..],
                &&body.as_bytes()[..],
                &event.unsigned,
                &to_sql(batch.received_at()),
            ],
        )
        .await?;
    let found = match row {
        Some(row) => {
            let id = EventId::from_u64(row.get::<_, i64>(0).try_into()?);
            Found::inserted(id, content, batch.received_at(), Work::Here)
        }
        // Recorded before, or by a transaction that this one has just waited for.
        None => {
            let row = tx.query_one(prefix.apply(sql::FIND).as_ref(), &[&endpoint, &key]).await?;
            let stored = Digest::from_bytes(row.get::<_, &[u8]>(1).try_into()?);
            let state = State::from_code(row.get(3)).ok_or("no state")?;
            let id = EventId::from_u64(row.get::<_, i64>(0).try_into()?);
            Found::stored(id, stored, from_sql(row.get(2)), state)
        }
    };
    let (plan, found) = (Plan::new(batch), [found]);
    // Other content under a key that is stored: kept aside and parked, for a person to look at.
    let parked = match plan.conflicts(&found) {
        None => Vec::new(),
        Some(conflicts) => record_for_later(tx, prefix, &conflicts).await?,
    };
    Ok(plan.verdicts(&found, &parked).pop().ok_or("no verdict")?)
}

/// A delivery and its events, in one statement.
async fn record_for_later(
    tx: &Transaction<'_>,
    prefix: &Prefix,
    batch: &Batch,
) -> Result<Vec<EventId>, Error> {
    let plan = Plan::new(batch);
    let entries: Vec<&Entry> =
        plan.inserts().iter().filter_map(|index| batch.entries().get(*index)).collect();
    let events = || entries.iter().map(|entry| entry.event());
    let texts = |of: fn(&hookproof_inbox::NewEvent) -> Option<&str>| -> Vec<Option<&str>> {
        events().map(|event| event.and_then(of)).collect()
    };
    let orders: Vec<_> = events().map(|event| event.and_then(|event| event.order)).collect();
    let elements: Vec<i32> =
        entries.iter().map(|entry| entry.index().try_into()).collect::<Result<_, _>>()?;
    let digest = batch.body_digest();
    let contents: Vec<&[u8]> = events()
        .map(|event| &event.map_or(&digest, |event| &event.content).as_bytes()[..])
        .collect();
    let unsigned: Vec<bool> = events().map(|event| event.is_some_and(|own| own.unsigned)).collect();
    let values: Vec<Option<i64>> = orders.iter().map(|own| own.map(|own| own.value())).collect();
    let units: Vec<Option<&str>> =
        orders.iter().map(|own| own.map(|own| own.unit().as_str())).collect();
    let position = |own| hookproof_inbox::position(own, batch.received_at());
    let positions: Vec<i64> = orders.iter().map(|own| position(*own)).collect();
    let errors: Vec<Option<String>> = entries.iter().map(|entry| entry.problem()).collect();
    let keys: Vec<Option<&str>> =
        entries.iter().map(|entry| entry.key().map(Key::as_str)).collect();
    let rows = tx
        .query(
            prefix.apply(sql::RECORD_MANY).as_ref(),
            &[
                &batch.endpoint().as_str(),
                &batch.provider(),
                &to_sql(batch.received_at()),
                &batch.method().map(|method| method.as_str()),
                &batch.url(),
                &hookproof_inbox::headers_to_bytes(batch.headers()),
                &&batch.body()[..],
                &&digest.as_bytes()[..],
                &batch.is_stored(Work::Later),
                &true,
                &elements,
                &keys,
                &contents,
                &unsigned,
                &texts(|event| event.kind.as_deref()),
                &texts(|event| event.subject.as_deref()),
                &texts(|event| event.stream.as_deref()),
                &values,
                &units,
                &positions,
                &texts(|event| event.twin.as_deref()),
                &errors,
            ],
        )
        .await?;
    let ids = rows.iter().map(|row| {
        // Null where another transaction has just recorded the key: ask `FIND_MANY` for it.
        let id: Option<i64> = row.get(1);
        Ok(EventId::from_u64(id.ok_or("recorded by another transaction")?.try_into()?))
    });
    ids.collect()
}

/// The event that is due first, claimed for a minute.
async fn claim(
    tx: &Transaction<'_>,
    prefix: &Prefix,
    now: UnixTime,
) -> Result<Option<(EventId, Progress)>, Error> {
    let (any, limit) = (None::<&str>, 1_i64);
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&to_sql(now), &any, &limit];
    let Some(row) = tx.query_opt(prefix.apply(sql::READY).as_ref(), &values).await? else {
        return Ok(None);
    };
    let id: i64 = row.get("id");
    let mut waiting = Progress::waiting(from_sql(row.get("due")));
    waiting.attempts = row.get::<_, i32>("attempts").try_into()?;
    waiting.token = Token::from_u64(row.get::<_, i64>("token").try_into()?);
    let progress = waiting.claim(Duration::from_secs(60), Stale::Park, now);
    let lease = progress.lease;
    let time = |of: fn(Lease) -> Option<UnixTime>| lease.and_then(of).map(to_sql);
    tx.execute(
        prefix.apply(sql::SAVE).as_ref(),
        &[
            &id,
            &progress.state.code(),
            &i32::try_from(progress.attempts)?,
            &number(progress.token.as_u64())?,
            &to_sql(progress.due),
            &time(|lease| Some(lease.claimed_at)),
            &time(|lease| Some(lease.end)),
            &time(|lease| lease.reclaim_at),
            &i32::try_from(progress.replays)?,
            &progress.error.as_deref(),
        ],
    )
    .await?;
    Ok(Some((EventId::from_u64(id.try_into()?), progress)))
}

fn number(number: u64) -> Result<i64, Error> {
    Ok(number.try_into()?)
}
