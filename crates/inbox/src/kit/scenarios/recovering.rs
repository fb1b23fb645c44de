//! Failures: replays, a worker that dies, and what the sender's list shows.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use hookproof::Verifier;
use hookproof::providers::STRIPE;
use hookproof::testing::SECRET;

use super::super::Checked;
use super::super::support::{Failure, at, ensure, ensure_eq, is_lost};
use super::Effects;
use super::stage::{BILLING, NOW, PAID, Stage, deliver_as, sent};
use crate::claim::Claim;
use crate::event::{AttemptOutcome, State};
use crate::id::Key;
use crate::receiver::Receiver;
use crate::store::{Database, Store};
use crate::worker::{Job, NotDone};

/// A handler that looks before it ships, since a replay may come after the effect.
async fn ship<D, E>(stage: Stage<D, E>, job: Job) -> Result<(), NotDone>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let failed = |failure: Failure| NotDone::failed(failure.to_string());
    let verifier = Verifier::builder(&STRIPE).secret(SECRET).build()?;
    let event = job.verify(&verifier)?;
    let parcel = format!("parcel for {}", event.subject().unwrap_or_default());
    if job.is_replay() && stage.effects().await.map_err(failed)?.contains(&parcel) {
        return Ok(());
    }
    stage.effect(&parcel).await.map_err(failed)
}

/// An event that died of a fault in the handler.
async fn dead<D, E>(stage: &Stage<D, E>) -> Result<Receiver<D>, Failure>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let receiver = stage.receiver(&STRIPE, BILLING)?;
    deliver_as(&receiver, &sent(&STRIPE, PAID)?, None).await?;
    for attempt in 0..2 {
        let broken = async |_: Job| Err(NotDone::failed("no carrier"));
        stage.work(BILLING, at(10 * attempt), broken).await?;
    }
    ensure_eq!(stage.states(BILLING).await?, [State::Dead]);
    ensure!(stage.effects().await?.is_empty(), "nothing was shipped");
    Ok(receiver)
}

/// The outcomes of the attempts at the only event.
async fn outcomes<D, E>(stage: &Stage<D, E>) -> Result<Vec<AttemptOutcome>, Failure>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let events = stage.events(BILLING).await?;
    let [event] = events.as_slice() else { return Err(Failure::new(format!("{events:?}"))) };
    let mut connection = stage.database.connect().await?;
    let mut open = stage.database.begin(&mut connection).await?;
    let attempts = stage.database.store().attempts(D::tx(&mut open), event.id).await?;
    Ok(attempts.iter().map(|attempt| attempt.outcome).collect())
}

pub(super) async fn a_replay_after_a_fix<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    use AttemptOutcome::{Done, Failed};
    let receiver = dead(&stage).await?;
    // The sender comes again: it is known, and stays dead until somebody decides.
    deliver_as(&receiver, &sent(&STRIPE, PAID)?, Some(State::Dead)).await?;
    let fixed = || {
        let stage = stage.clone();
        move |job| ship(stage.clone(), job)
    };
    stage.work(BILLING, at(100), fixed()).await?;
    ensure!(stage.effects().await?.is_empty(), "dead is not worked on");
    ensure_eq!(stage.replay(BILLING, State::Dead).await?, 1);
    stage.work(BILLING, at(100), fixed()).await?;
    ensure_eq!(stage.effects().await?, ["parcel for in_1"]);
    ensure_eq!(stage.states(BILLING).await?, [State::Done]);
    ensure_eq!(outcomes(&stage).await?, [Failed, Failed, Done]);
    ensure_eq!(stage.replay(BILLING, State::Dead).await?, 0);
    Ok(())
}

pub(super) async fn a_replay_of_what_was_done_by_hand<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    dead(&stage).await?;
    stage.effect("parcel for in_1").await?;
    // Somebody who does not know of it replays.
    ensure_eq!(stage.replay(BILLING, State::Dead).await?, 1);
    let fixed = || {
        let stage = stage.clone();
        move |job| ship(stage.clone(), job)
    };
    stage.work(BILLING, at(100), fixed()).await?;
    ensure_eq!(stage.effects().await?, ["parcel for in_1"]);
    ensure_eq!(stage.states(BILLING).await?, [State::Done]);
    // And once more, now that it is done.
    ensure_eq!(stage.replay(BILLING, State::Done).await?, 1);
    stage.work(BILLING, at(200), fixed()).await?;
    ensure_eq!(stage.effects().await?, ["parcel for in_1"]);
    ensure_eq!(stage.states(BILLING).await?, [State::Done]);
    Ok(())
}

pub(super) async fn a_worker_that_dies_after_its_effect<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let receiver = stage.receiver(&STRIPE, BILLING)?;
    deliver_as(&receiver, &sent(&STRIPE, PAID)?, None).await?;
    // It claims, ships, and is heard of no more.
    let claims = {
        let request = stage.settings(BILLING)?.request(1);
        let mut connection = stage.database.connect().await?;
        let mut open = stage.database.begin(&mut connection).await?;
        let claimed = stage.database.store().claim(D::tx(&mut open), &request, NOW).await?;
        D::commit(open).await?;
        claimed.claims
    };
    let [claim] = claims.as_slice() else { return Err(Failure::new(format!("{claims:?}"))) };
    stage.effect(&format!("parcel under {}", claim.token())).await?;
    let relief = |attempts: Arc<AtomicU32>| {
        let stage = stage.clone();
        move |job: Job| {
            let (stage, attempts) = (stage.clone(), Arc::clone(&attempts));
            async move {
                attempts.store(job.attempt(), Ordering::Relaxed);
                let parcel = format!("parcel under {}", job.token());
                stage.effect(&parcel).await.map_err(|failure| NotDone::failed(failure.to_string()))
            }
        }
    };
    // Nobody takes it over before its time.
    let attempts = Arc::new(AtomicU32::new(0));
    stage.work(BILLING, at(60), relief(Arc::clone(&attempts))).await?;
    ensure_eq!((attempts.load(Ordering::Relaxed), stage.effects().await?.len()), (0, 1));
    stage.work(BILLING, at(61), relief(Arc::clone(&attempts))).await?;
    // At least once: the second attempt says so, and its token is higher.
    ensure_eq!(attempts.load(Ordering::Relaxed), 2);
    ensure_eq!(stage.effects().await?, ["parcel under 1", "parcel under 2"]);
    ensure_eq!(outcomes(&stage).await?, [AttemptOutcome::Lost, AttemptOutcome::Done]);
    ensure!(is_refused(&stage, claim).await?, "the first one completes nothing");
    Ok(())
}

async fn is_refused<D, E>(stage: &Stage<D, E>, claim: &Claim) -> Result<bool, Failure>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let mut connection = stage.database.connect().await?;
    let mut open = stage.database.begin(&mut connection).await?;
    let completed = stage.database.store().complete(D::tx(&mut open), claim, at(62)).await;
    Ok(is_lost(&completed))
}

/// Which of these ids were never received, and which are not done.
async fn reconcile<D, E>(
    stage: &Stage<D, E>,
    ids: &[&str],
) -> Result<(Vec<String>, Vec<String>), Failure>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let (mut missing, mut unfinished) = (Vec::new(), Vec::new());
    let endpoint = stage.endpoint(BILLING)?;
    for id in ids {
        let key = Key::new(format!("stripe/{id}"))?;
        let mut connection = stage.database.connect().await?;
        let mut open = stage.database.begin(&mut connection).await?;
        match stage.database.store().look_up(D::tx(&mut open), &endpoint, &key).await? {
            None => missing.push((*id).to_owned()),
            Some(found) if found.state != State::Done => unfinished.push((*id).to_owned()),
            Some(_) => {}
        }
    }
    Ok((missing, unfinished))
}

pub(super) async fn reconciliation<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let ids = ["evt_1", "evt_2", "evt_3", "evt_4"];
    let body = |id: &str| PAID.replace("evt_1", id).replace("in_1", &id.replace("evt", "in"));
    let receiver = stage.receiver(&STRIPE, BILLING)?;
    // The second never arrived; the third died.
    for id in ["evt_1", "evt_3", "evt_4"] {
        deliver_as(&receiver, &sent(&STRIPE, &body(id))?, None).await?;
    }
    let handler = |broken: bool| {
        let stage = stage.clone();
        move |job: Job| {
            let stage = stage.clone();
            async move {
                let is_third = job.event().subject.as_deref() == Some("in_3");
                if broken && is_third {
                    return Err(NotDone::failed("no carrier"));
                }
                ship(stage, job).await
            }
        }
    };
    for attempt in 0..2 {
        stage.work(BILLING, at(10 * attempt), handler(true)).await?;
    }
    let (missing, unfinished) = reconcile(&stage, &ids).await?;
    ensure_eq!((missing, unfinished), (vec!["evt_2".to_owned()], vec!["evt_3".to_owned()]));
    // Fetched from the sender, and replayed.
    deliver_as(&receiver, &sent(&STRIPE, &body("evt_2"))?, None).await?;
    ensure_eq!(stage.replay(BILLING, State::Dead).await?, 1);
    stage.work(BILLING, at(100), handler(false)).await?;
    let (missing, unfinished) = reconcile(&stage, &ids).await?;
    ensure!(missing.is_empty() && unfinished.is_empty(), "{missing:?} {unfinished:?}");
    let mut effects = stage.effects().await?;
    effects.sort();
    let expected: Vec<String> = (1..=4).map(|number| format!("parcel for in_{number}")).collect();
    ensure_eq!(effects, expected);
    Ok(())
}
