//! What the events mean: payments, bookings, contacts.

use std::sync::{Arc, Mutex, PoisonError};

use hookproof::Verifier;
use hookproof::providers::{CALENDLY, HUBSPOT, PAYMOS};
use hookproof::testing::{SECRET, Sender, Sent};

use super::super::Checked;
use super::super::support::{Failure, ensure, ensure_eq};
use super::Effects;
use super::stage::{NOW, Stage, deliver, deliver_as, sent};
use crate::claim::Ordering;
use crate::event::State;
use crate::recorded::Recorded;
use crate::store::{Database, Store, Tx};
use crate::stream::{Advance, CALENDLY_INVITEE, PAYMOS_INVOICE, Step, StreamId, Transitions};
use crate::worker::{Job, NotDone, TransactionalHandler};

/// The warnings that handlers gave.
type Warnings = Arc<Mutex<Vec<String>>>;

fn warnings(warnings: &Warnings) -> Vec<String> {
    warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Moves the stream of an event on, warns of what the table refuses, and says whether the event has an effect.
async fn advance<S: Store>(
    scope: &str,
    job: &Job,
    table: &'static Transitions,
    store: &S,
    tx: &mut Tx<'_, S>,
    log: &Warnings,
) -> Result<bool, NotDone> {
    let event = job.event();
    let (Some(kind), Some(name)) = (&event.kind, &event.stream) else {
        return Err(NotDone::park("the event has no stream"));
    };
    let step = Step::kind(table, kind).ok_or_else(|| NotDone::park("not of this table"))?;
    let stream = StreamId::new(scope, name)?;
    let advance = store.advance(tx, &stream, &step, NOW).await?;
    if let Some(refusal) = advance.refusal(&stream) {
        log.lock().unwrap_or_else(PoisonError::into_inner).push(refusal.to_string());
    }
    Ok(matches!(advance, Advance::Advanced { .. }))
}

/// Makes one order of a paid invoice, whichever endpoint tells of it.
struct Shop<D, E> {
    stage: Stage<D, E>,
    warnings: Warnings,
}

impl<D, E> TransactionalHandler<D::Store> for Shop<D, E>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    async fn handle(
        &self,
        job: Job,
        store: &D::Store,
        tx: &mut Tx<'_, D::Store>,
    ) -> Result<(), NotDone> {
        let Self { stage, warnings } = self;
        // One scope for all endpoints of the merchant: they tell of the same invoices.
        let advanced = advance(stage.name, &job, &PAYMOS_INVOICE, store, tx, warnings).await?;
        let event = job.event();
        if advanced && event.kind.as_deref() == Some("invoice.paid") {
            let order = format!("order for {}", event.subject.as_deref().unwrap_or_default());
            stage.table.write(tx, stage.name, &order).await?;
        }
        Ok(())
    }
}

/// A delivery of an invoice; its header names the same id as its body.
fn invoice(secret: &str, id: &str, status: &str) -> Result<Sent, Failure> {
    let body = format!(
        r#"{{"event_id":"{id}","event_type":"invoice.{status}","version":1,"occurred_at":1700000000,"data":{{"invoice_id":"inv_1","status":"{status}","amount":"10.50","currency":"USDT"}}}}"#
    );
    Ok(Sender::new(&PAYMOS).secret(secret).id(id).at(NOW).send(body.as_bytes())?)
}

pub(super) async fn one_payment_over_two_endpoints<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let endpoints =
        [("shop", "evt_1", "whsec_of_the_shop"), ("books", "evt_2", "whsec_of_the_books")];
    for (endpoint, id, secret) in endpoints {
        let receiver = stage.receiver_with(&PAYMOS, endpoint, secret)?;
        let sent = invoice(secret, id, "paid")?;
        deliver_as(&receiver, &sent, None).await?;
        deliver_as(&receiver, &sent, Some(State::Waiting)).await?;
    }
    for (endpoint, ..) in endpoints {
        let shop = Shop { stage: stage.clone(), warnings: Warnings::default() };
        stage.work_here(endpoint, Ordering::PerStream, shop).await?;
        ensure_eq!(stage.states(endpoint).await?, [State::Done]);
        ensure_eq!(stage.effects().await?, ["order for inv_1"]);
    }
    let mut twins = Vec::new();
    for (endpoint, ..) in endpoints {
        twins.extend(stage.events(endpoint).await?.into_iter().map(|event| event.twin));
    }
    let [Some(first), Some(second)] = twins.as_slice() else {
        return Err(Failure::new(format!("two deliveries were recorded: {twins:?}")));
    };
    ensure_eq!(first, second);
    Ok(())
}

/// Delivers these in this order, has them worked on one after another, and returns what was warned of.
async fn invoices<D, E>(stage: &Stage<D, E>, statuses: [&str; 2]) -> Result<Vec<String>, Failure>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let receiver = stage.receiver(&PAYMOS, "shop")?;
    let log = Warnings::default();
    for (number, status) in (1..).zip(statuses) {
        let id = format!("evt_{number}");
        deliver_as(&receiver, &invoice(SECRET, &id, status)?, None).await?;
        let shop = Shop { stage: stage.clone(), warnings: Arc::clone(&log) };
        stage.work_here("shop", Ordering::None, shop).await?;
    }
    ensure_eq!(stage.states("shop").await?, [State::Done, State::Done]);
    Ok(warnings(&log))
}

pub(super) async fn confirming_then_paid<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let warnings = invoices(&stage, ["confirming", "paid"]).await?;
    ensure!(warnings.is_empty(), "{warnings:?}");
    ensure_eq!(stage.effects().await?, ["order for inv_1"]);
    Ok(())
}

pub(super) async fn confirming_after_paid<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let warnings = invoices(&stage, ["paid", "confirming"]).await?;
    let [warning] = warnings.as_slice() else { return Err(Failure::new(format!("{warnings:?}"))) };
    ensure!(warning.contains("is paid, which is final,"), "{warning}");
    ensure_eq!(stage.effects().await?, ["order for inv_1"]);
    // Neither does another `paid`, which has an id of its own.
    let receiver = stage.receiver(&PAYMOS, "shop")?;
    deliver_as(&receiver, &invoice(SECRET, "evt_3", "paid")?, None).await?;
    let shop = Shop { stage: stage.clone(), warnings: Warnings::default() };
    stage.work_here("shop", Ordering::None, shop).await?;
    ensure_eq!(stage.effects().await?, ["order for inv_1"]);
    Ok(())
}

/// Takes and frees slots.
struct Calendar<D, E> {
    stage: Stage<D, E>,
    warnings: Warnings,
}

impl<D, E> TransactionalHandler<D::Store> for Calendar<D, E>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    async fn handle(
        &self,
        job: Job,
        store: &D::Store,
        tx: &mut Tx<'_, D::Store>,
    ) -> Result<(), NotDone> {
        let Self { stage, warnings } = self;
        let known = advance(stage.name, &job, &CALENDLY_INVITEE, store, tx, warnings).await?;
        let verifier = Verifier::builder(&CALENDLY).secret(SECRET).build()?;
        let event = job.verify(&verifier)?;
        let slot = text(event.raw(), "start_time")?;
        match event.kind() {
            Some("invitee.created") if known => {
                stage.table.write(tx, stage.name, &format!("take {slot}")).await?;
            }
            // A booking that was never taken frees nothing, and is a tombstone.
            Some("invitee.canceled") if known && self.has_taken(tx, &slot).await? => {
                stage.table.write(tx, stage.name, &format!("free {slot}")).await?;
            }
            _ => {}
        }
        Ok(())
    }
}

impl<D, E> Calendar<D, E>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    async fn has_taken(&self, tx: &mut Tx<'_, D::Store>, slot: &str) -> Result<bool, NotDone> {
        let effects = self.stage.table.read(tx, self.stage.name).await?;
        Ok(taken(&effects).contains(&slot.to_owned()))
    }
}

/// The slots that are taken after these effects.
fn taken(effects: &[String]) -> Vec<String> {
    let mut slots: Vec<String> = Vec::new();
    for effect in effects {
        match effect.split_once(' ') {
            Some(("take", slot)) => slots.push(slot.to_owned()),
            Some((_, slot)) => slots.retain(|own| own != slot),
            None => {}
        }
    }
    slots
}

/// The text of a member of the bodies of these scenarios: a plain string that occurs once.
fn text(body: &[u8], member: &str) -> Result<String, NotDone> {
    let body = core::str::from_utf8(body)?;
    let (_, rest) = body
        .split_once(&format!("\"{member}\":\""))
        .ok_or_else(|| NotDone::park(format!("no {member}")))?;
    Ok(rest.split('"').next().unwrap_or_default().to_owned())
}

const API: &str = "https://api.calendly.com/scheduled_events";

/// A booking of Calendly's, with its other half where it is one of a reschedule.
fn invitee(kind: &str, invitee: u32, slot: &str, other: Option<(&str, u32)>) -> String {
    let linked = other.map_or(String::new(), |(link, other)| {
        format!(r#","rescheduled":true,"{link}":"{API}/E{other}/invitees/I{other}""#)
    });
    format!(
        r#"{{"event":"invitee.{kind}","created_at":"2023-11-14T22:13:19.000000Z","created_by":"https://api.calendly.com/users/U1","payload":{{"uri":"{API}/E{invitee}/invitees/I{invitee}","scheduled_event":{{"start_time":"{slot}"}}{linked}}}}}"#
    )
}

async fn book<D, E>(
    stage: &Stage<D, E>,
    bodies: &[String],
    log: &Warnings,
) -> Result<Vec<String>, Failure>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let receiver = stage.receiver(&CALENDLY, "bookings")?;
    for body in bodies {
        deliver_as(&receiver, &sent(&CALENDLY, body)?, None).await?;
        let calendar = Calendar { stage: stage.clone(), warnings: Arc::clone(log) };
        stage.work_here("bookings", Ordering::None, calendar).await?;
    }
    let done = stage.states("bookings").await?;
    ensure!(done.iter().all(|state| *state == State::Done), "{done:?}");
    stage.effects().await
}

pub(super) async fn a_reschedule_frees_one_slot_and_takes_one<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let log = Warnings::default();
    let booked = invitee("created", 1, "10:00", None);
    ensure_eq!(taken(&book(&stage, &[booked], &log).await?), ["10:00"]);
    let halves = [
        invitee("canceled", 1, "10:00", Some(("new_invitee", 2))),
        invitee("created", 2, "11:00", Some(("old_invitee", 1))),
    ];
    let effects = book(&stage, &halves, &log).await?;
    ensure_eq!(effects, ["take 10:00", "free 10:00", "take 11:00"]);
    // The next one arrives the other way round.
    let halves = [
        invitee("created", 3, "12:00", Some(("old_invitee", 2))),
        invitee("canceled", 2, "11:00", Some(("new_invitee", 3))),
    ];
    let effects = book(&stage, &halves, &log).await?;
    ensure_eq!(taken(&effects), ["12:00"]);
    ensure_eq!(effects.len(), 5);
    ensure!(warnings(&log).is_empty(), "{:?}", warnings(&log));
    Ok(())
}

pub(super) async fn a_cancel_that_comes_before_its_create<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let log = Warnings::default();
    let cancel = invitee("canceled", 1, "10:00", None);
    ensure!(book(&stage, &[cancel], &log).await?.is_empty(), "nothing to free");
    ensure!(warnings(&log).is_empty(), "{:?}", warnings(&log));
    let create = invitee("created", 1, "10:00", None);
    let effects = book(&stage, &[create], &log).await?;
    ensure!(effects.is_empty(), "the tombstone holds: {effects:?}");
    let warnings = warnings(&log);
    let [warning] = warnings.as_slice() else { return Err(Failure::new(format!("{warnings:?}"))) };
    ensure!(warning.contains("is cancelled, which is final,"), "{warning}");
    Ok(())
}

/// Applies changes of properties.
struct Contacts<D, E>(Stage<D, E>);

impl<D, E> TransactionalHandler<D::Store> for Contacts<D, E>
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    async fn handle(
        &self,
        job: Job,
        store: &D::Store,
        tx: &mut Tx<'_, D::Store>,
    ) -> Result<(), NotDone> {
        let Self(stage) = self;
        let event = job.event();
        let (Some(name), Some(order)) = (&event.stream, event.order) else {
            return Err(NotDone::park("the event has no order"));
        };
        let stream = StreamId::new(stage.name, name)?;
        if store.advance(tx, &stream, &Step::version(order), NOW).await?.applies() {
            let verifier = Verifier::builder(&HUBSPOT).secret(SECRET).build()?;
            let own = job.verify(&verifier)?;
            let (name, value) =
                (text(own.raw(), "propertyName")?, text(own.raw(), "propertyValue")?);
            stage.table.write(tx, stage.name, &format!("{name}={value}")).await?;
        }
        Ok(())
    }
}

fn property(name: &str, value: &str, occurred_at: u64) -> String {
    format!(
        r#"{{"eventId":100,"subscriptionId":25,"portalId":33,"appId":1,"occurredAt":{occurred_at},"subscriptionType":"contact.propertyChange","attemptNumber":0,"objectId":501,"propertyName":"{name}","propertyValue":"{value}"}}"#
    )
}

pub(super) async fn two_properties_of_one_contact<D, E>(stage: Stage<D, E>) -> Checked
where
    D: Database + 'static,
    E: Effects<D::Store> + 'static,
{
    let receiver = stage.receiver(&HUBSPOT, "crm")?;
    let batches = [
        vec![property("email", "new@example.com", 1_700_000_000_002)],
        // Older, and of another property: it applies. Older, and of the same: it does not.
        vec![
            property("firstname", "Ada", 1_700_000_000_001),
            property("email", "old@example.com", 1_700_000_000_000),
        ],
    ];
    for batch in &batches {
        let receipt =
            deliver(&receiver, &sent(&HUBSPOT, &format!("[{}]", batch.join(",")))?).await?;
        ensure_eq!(receipt.recorded().len(), batch.len());
        ensure!(receipt.recorded().iter().all(Recorded::is_new), "{receipt}");
        stage.work_here("crm", Ordering::PerStream, Contacts(stage.clone())).await?;
    }
    ensure_eq!(stage.states("crm").await?, [State::Done; 3]);
    ensure_eq!(stage.effects().await?, ["email=new@example.com", "firstname=Ada"]);
    Ok(())
}
