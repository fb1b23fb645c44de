//! Copies of one event: in a row, at once, and while the first is worked on.

use core::time::Duration;
use std::sync::Arc;

use hookproof::providers::STRIPE;
use tokio::sync::Notify;

use super::super::Checked;
use super::super::support::{Failure, at, ensure, ensure_eq, join_all};
use super::Effects;
use super::stage::{BILLING, NOW, PAID, Stage, again, deliver, deliver_as, sent};
use crate::answer::Outcome;
use crate::claim::Ordering;
use crate::event::State;
use crate::receiver::{Receipt, Receiver};
use crate::recorded::Recorded;
use crate::store::{Database, Tx};
use crate::worker::{Job, LocalWake, NotDone, TransactionalHandler, Worker};

/// Writes the subject of each event, in the transaction.
struct Orders<D, E>(Stage<D, E>);

impl<D, E> TransactionalHandler<D::Store> for Orders<D, E>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    async fn handle(
        &self,
        job: Job,
        _store: &D::Store,
        tx: &mut Tx<'_, D::Store>,
    ) -> Result<(), NotDone> {
        let subject = job.event().subject.as_deref().unwrap_or_default();
        Ok(self.0.table.write(tx, self.0.name, subject).await?)
    }
}

pub(super) async fn the_same_event_twice_in_a_row<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let receiver = stage.receiver(&STRIPE, BILLING)?;
    let copies = [sent(&STRIPE, PAID)?, again(&STRIPE, 60, PAID)?];
    for (sent, known) in copies.iter().zip([None, Some(State::Waiting)]) {
        deliver_as(&receiver, sent, known).await?;
    }
    for _worker in 0..2 {
        stage.work_here(BILLING, Ordering::None, Orders(stage.clone())).await?;
        ensure_eq!(stage.effects().await?, ["in_1"]);
        ensure_eq!(stage.states(BILLING).await?, [State::Done]);
        for sent in &copies {
            deliver_as(&receiver, sent, Some(State::Done)).await?;
        }
    }
    Ok(())
}

/// Delivers with the effect in the recording transaction, again for as long as the sender is told to come again.
async fn deliver_here<D, E>(
    stage: &Stage<D, E>,
    receiver: &Receiver<D>,
    body: &str,
) -> Result<Receipt, Failure>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let sent = sent(&STRIPE, body)?;
    let delivery = sent.delivery();
    for _attempt in 0..100 {
        let receipt = receiver.receive_here(&delivery, NOW, |tx, arrival| {
            Box::pin(async move {
                for event in arrival.new_events() {
                    let subject = event.subject().unwrap_or_default();
                    stage.table.write(tx, stage.name, subject).await?;
                }
                Ok(())
            })
        });
        let receipt = receipt.await;
        if !matches!(receipt.outcome(), Outcome::InFlight { .. }) {
            ensure!(receipt.status() == 200, "{receipt}");
            return Ok(receipt);
        }
    }
    Err(Failure::new("told to come again, a hundred times".to_owned()))
}

pub(super) async fn the_same_event_twice_in_the_transaction<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let receiver = stage.receiver(&STRIPE, BILLING)?;
    for copy in 0..3 {
        let receipt = deliver_here(&stage, &receiver, PAID).await?;
        let new = receipt.recorded().iter().all(Recorded::is_new);
        ensure!(new == (copy == 0), "{copy}: {:?}", receipt.recorded());
        ensure_eq!(stage.effects().await?, ["in_1"]);
    }
    ensure!(stage.events(BILLING).await?.is_empty(), "no work is left");
    Ok(())
}

/// One effect of so many copies at once, each at an instance of its own, and of as many workers at once.
async fn at_once<D, E>(stage: Stage<D, E>, copies: u32) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let later = join_all((0..copies).map(async |_| {
        let receiver = stage.receiver(&STRIPE, BILLING)?;
        let receipt = deliver(&receiver, &sent(&STRIPE, PAID)?).await?;
        Ok::<_, Failure>(receipt.recorded().iter().filter(|own| own.is_new()).count())
    }))
    .await;
    let new: usize = later.into_iter().sum::<Result<_, _>>()?;
    ensure_eq!(new, 1);
    let workers = (0..2).map(|_| stage.work_here(BILLING, Ordering::None, Orders(stage.clone())));
    join_all(workers).await.into_iter().collect::<Result<(), _>>()?;
    // One worker may have seen nothing to do while the other had it.
    ensure_eq!(stage.effects().await?, ["in_1"]);
    ensure_eq!(stage.states(BILLING).await?, [State::Done]);
    let other = PAID.replace("evt_1", "evt_2").replace("in_1", "in_2");
    let here = join_all((0..copies).map(async |_| {
        let receiver = stage.receiver(&STRIPE, BILLING)?;
        let receipt = deliver_here(&stage, &receiver, &other).await?;
        Ok::<_, Failure>(receipt.recorded().iter().filter(|own| own.is_new()).count())
    }))
    .await;
    let new: usize = here.into_iter().sum::<Result<_, _>>()?;
    ensure_eq!(new, 1);
    ensure_eq!(stage.effects().await?, ["in_1", "in_2"]);
    Ok(())
}

pub(super) async fn twice_at_once_on_two_instances<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    at_once(stage, 2).await
}

pub(super) async fn sixty_four_copies_at_once<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    at_once(stage, 64).await
}

pub(super) async fn a_stalled_attempt_and_its_retry<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let receiver = stage.receiver(&STRIPE, BILLING)?;
    deliver_as(&receiver, &sent(&STRIPE, PAID)?, None).await?;
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = {
        let (stage, begun, go_on) = (stage.clone(), Arc::clone(&begun), Arc::clone(&go_on));
        move |job: Job| {
            let (stage, begun, go_on) = (stage.clone(), Arc::clone(&begun), Arc::clone(&go_on));
            async move {
                begun.notify_one();
                go_on.notified().await;
                let subject = job.event().subject.as_deref().unwrap_or_default();
                stage.effect(subject).await.map_err(|failure| NotDone::failed(failure.to_string()))
            }
        }
    };
    let (database, settings) = (Arc::clone(&stage.database), stage.settings(BILLING)?);
    let worker = Worker::external(database, handler, settings, LocalWake::new()).clock(|| NOW);
    let running = tokio::spawn(worker.run_until_idle());
    begun.notified().await;
    // The sender has waited long enough, and so has another instance, which finds nothing to do.
    for retry in 1..4 {
        let copy = again(&STRIPE, 60 * retry, PAID)?;
        let receipt = receiver.receive(&copy.delivery(), at(60 * retry)).await;
        ensure!(receipt.status() == 200, "{retry}: {receipt}");
        let known =
            matches!(receipt.recorded(), [Recorded::Duplicate { state: State::InWork, .. }]);
        ensure!(known, "{retry}: {:?}", receipt.recorded());
        stage.work_here(BILLING, Ordering::None, Orders(stage.clone())).await?;
        ensure!(stage.effects().await?.is_empty(), "{retry}: not yet");
    }
    go_on.notify_one();
    running.await??;
    ensure_eq!(stage.effects().await?, ["in_1"]);
    ensure_eq!(stage.states(BILLING).await?, [State::Done]);
    deliver_as(&receiver, &sent(&STRIPE, PAID)?, Some(State::Done)).await?;
    Ok(())
}

pub(super) async fn a_stalled_transaction_and_its_retry<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let first = {
        let (stage, begun, go_on) = (stage.clone(), Arc::clone(&begun), Arc::clone(&go_on));
        async move {
            let receiver = stage.receiver(&STRIPE, BILLING)?;
            let sent = sent(&STRIPE, PAID)?;
            let delivery = sent.delivery();
            let receipt = receiver.receive_here(&delivery, NOW, |tx, _| {
                let (stage, begun, go_on) = (&stage, &begun, &go_on);
                Box::pin(async move {
                    begun.notify_one();
                    go_on.notified().await;
                    Ok(stage.table.write(tx, stage.name, "in_1").await?)
                })
            });
            let receipt = receipt.await;
            ensure!(receipt.status() == 200, "the stalled one: {receipt}");
            Ok::<(), Failure>(())
        }
    };
    let running = tokio::spawn(first);
    begun.notified().await;
    // It is not known whether the other transaction commits, so the sender is to come again.
    let impatient = stage.receiver(&STRIPE, BILLING)?.time_limit(Duration::from_millis(100));
    let copy = sent(&STRIPE, PAID)?;
    let receipt = impatient.receive(&copy.delivery(), NOW).await;
    ensure!(receipt.status() == 503 && receipt.retry_after().is_some(), "{receipt}");
    go_on.notify_one();
    running.await??;
    let receipt = deliver_here(&stage, &stage.receiver(&STRIPE, BILLING)?, PAID).await?;
    let known = matches!(receipt.recorded(), [Recorded::Duplicate { state: State::Done, .. }]);
    ensure!(known, "{:?}", receipt.recorded());
    ensure_eq!(stage.effects().await?, ["in_1"]);
    Ok(())
}
