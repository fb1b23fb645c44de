//! Streams.

use super::Checked;
use super::support::{Desk, Failure, at, drop_after, ensure, ensure_eq, join_all, transact};
use crate::store::{Database, Store};
use crate::stream::{Advance, CALENDLY_INVITEE, PAYMOS_INVOICE, Step, StreamId, Version};

pub(super) async fn versions<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "versions").await?;
    let stream = StreamId::new("kit/versions", "contact-1/name")?;
    let steps = [
        (Version::millis(2_000), true),
        (Version::millis(1_999), false),
        (Version::millis(2_000), true),
        (Version::secs(2), true),
        (Version::millis(2_001), true),
        (Version::millis(2_000), false),
        (Version::secs(1), false),
    ];
    let mut answers = Vec::new();
    for (version, applies) in steps {
        let step = Step::version(version);
        let answer = transact!(&mut desk, |store, tx| store.advance(tx, &stream, &step, at(0)));
        ensure!(answer.applies() == applies, "{version}: {answer:?}");
        answers.push(answer);
    }
    ensure_eq!(answers.first(), Some(&Advance::Advanced { from: None }));
    ensure_eq!(answers.get(1), Some(&Advance::Stale { current: Version::millis(2_000) }));
    ensure_eq!(answers.get(2), Some(&Advance::Same));
    ensure_eq!(answers.last(), Some(&Advance::Stale { current: Version::millis(2_001) }));
    Ok(())
}

pub(super) async fn transitions_and_tombstones<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "transitions").await?;
    let booking = StreamId::new("kit/transitions", "invitee-1")?;
    let invoice = StreamId::new("kit/transitions", "inv_1")?;
    let steps = [
        (&booking, Step::kind(&CALENDLY_INVITEE, "invitee.canceled"), true),
        (&booking, Step::kind(&CALENDLY_INVITEE, "invitee.created"), false),
        (&booking, Step::kind(&CALENDLY_INVITEE, "invitee.canceled"), true),
        (&invoice, Step::kind(&PAYMOS_INVOICE, "invoice.confirming"), true),
        (&invoice, Step::kind(&PAYMOS_INVOICE, "invoice.awaiting_payment"), true),
        (&invoice, Step::kind(&PAYMOS_INVOICE, "invoice.paid"), true),
        (&invoice, Step::kind(&PAYMOS_INVOICE, "invoice.confirming"), false),
        (&invoice, Step::kind(&PAYMOS_INVOICE, "invoice.awaiting_payment"), false),
    ];
    for (number, (stream, step, applies)) in steps.into_iter().enumerate() {
        let Some(step) = step else { return Err(Failure::new(format!("no step {number}"))) };
        let answer = transact!(&mut desk, |store, tx| store.advance(tx, stream, &step, at(0)));
        ensure!(answer.applies() == applies, "{number}: {answer:?}");
        let refused = answer.refusal(stream).map(|refusal| refusal.to_string());
        ensure!(refused.is_some() != applies, "{number}: {refused:?}");
    }
    Ok(())
}

pub(super) async fn scopes<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "scopes").await?;
    let step = Step::version(Version::secs(5));
    for scope in ["kit/scope/1", "kit/scope/2"] {
        let stream = StreamId::new(scope, "x")?;
        drop_after!(&mut desk, |store, tx| store.advance(tx, &stream, &step, at(0)));
        let answer = transact!(&mut desk, |store, tx| store.advance(tx, &stream, &step, at(0)));
        ensure_eq!(answer, Advance::Advanced { from: None });
    }
    Ok(())
}

pub(super) async fn concurrent_versions<D: Database>(database: &D) -> Checked {
    let stream = StreamId::new("kit/concurrent", "x")?;
    // 32 versions in an order that is not theirs, at once, each read and written in its own transaction.
    let versions = (0..32u32).map(|number| i64::from(number * 13 % 32));
    let answers = join_all(versions.map(async |version| {
        let mut desk = Desk::new(database, "concurrent").await?;
        let step = Step::version(Version::secs(version));
        let answer = transact!(&mut desk, |store, tx| store.advance(tx, &stream, &step, at(0)));
        Ok::<_, Failure>((version, answer))
    }))
    .await;
    let mut firsts = 0;
    for answer in answers {
        let (version, answer) = answer?;
        match answer {
            Advance::Advanced { from: None } => firsts += 1,
            Advance::Advanced { from: Some(from) } => {
                let older = from.version.is_some_and(|from| from.value() < version);
                ensure!(older, "{version} after {from:?}");
            }
            Advance::Stale { current } => ensure!(current.value() > version, "{version} {current}"),
            other => return Err(Failure::new(format!("{version}: {other:?}"))),
        }
    }
    ensure_eq!(firsts, 1);
    let mut desk = Desk::new(database, "concurrent").await?;
    let last = Step::version(Version::secs(31));
    let answer = transact!(&mut desk, |store, tx| store.advance(tx, &stream, &last, at(0)));
    ensure_eq!(answer, Advance::Same);
    Ok(())
}
