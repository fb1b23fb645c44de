//! The senders: they sign, send in any order, send again what was not answered with 2xx, and sometimes what was.

use core::fmt::Write as _;

use hookproof::UnixTime;
use hookproof::testing::{Sender, URL};
use hookproof_inbox::{Batch, Key};
use http::Method;

use crate::handlers::{POISON, UNSURE};
use crate::plan::Endpoint;
use crate::wire::Request;

/// What a handler makes of an event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fate {
    Dead,
    Done,
    Parked,
}

/// A change of a property.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    object: u64,
    property: u64,
    pub(crate) occurred_at: i64,
    /// Not what the sender documents.
    faulty: bool,
}

impl Change {
    fn to_json(&self, attempt: u32) -> String {
        let Self { object, property, occurred_at, faulty } = self;
        if *faulty {
            return r#"{"no":"identity"}"#.to_owned();
        }
        format!(
            r#"{{"eventId":{occurred_at},"subscriptionId":1,"portalId":2,"occurredAt":{occurred_at},"#
        ) + &format!(
            r#""subscriptionType":"contact.propertyChange","attemptNumber":{attempt},"objectId":{object},"#
        ) + &format!(r#""propertyName":"p{property}","propertyValue":"{occurred_at}"}}"#)
    }
}

/// A delivery, sent until it is answered with 200.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub(crate) endpoint: Endpoint,
    pub(crate) fate: Fate,
    number: u64,
    changes: Vec<Change>,
    pub(crate) sent: u32,
    /// When it was first sent, by the clock of the round: it is not recorded before.
    pub(crate) first: Option<UnixTime>,
    /// When, by the clock of the round.
    pub(crate) answered: Option<UnixTime>,
    /// The keys of its events; those of changes that no other delivery has come first.
    pub(crate) keys: Vec<String>,
    /// How many of its keys no other delivery had when it was made.
    pub(crate) own: usize,
    /// For changes: the stream and place of each, alike to `keys`.
    pub(crate) places: Vec<(String, i64)>,
}

/// All senders.
#[derive(Debug)]
pub(crate) struct Senders {
    rng: fastrand::Rng,
    seed: u64,
    pub(crate) deliveries: Vec<Delivery>,
    changes: i64,
}

/// The first moment at which anything changes, in milliseconds.
const EPOCH: i64 = 1_700_000_000_000;

impl Senders {
    pub(crate) fn new(seed: u64) -> Self {
        let rng = fastrand::Rng::with_seed(seed);
        Self { rng, seed, deliveries: Vec::new(), changes: 0 }
    }

    /// Makes a delivery; its place.
    pub(crate) fn make(&mut self) -> usize {
        let endpoint = Endpoint::ALL[self.rng.usize(0..Endpoint::ALL.len())];
        let fate = match (endpoint, self.rng.u32(0..40)) {
            (Endpoint::Booking | Endpoint::Mail, 0) => Fate::Dead,
            (Endpoint::Booking | Endpoint::Charge, 1) => Fate::Parked,
            _ => Fate::Done,
        };
        let place = self.deliveries.len();
        let (mut changes, mut own) = (Vec::new(), 1);
        if endpoint == Endpoint::Crm {
            own = if self.rng.bool() { 1 } else { self.rng.usize(2..=30) };
            for _ in 0..own {
                changes.push(self.change());
            }
            changes.extend(self.regrouped());
            if self.rng.u32(0..20) == 0 {
                let faulty = Change { object: 0, property: 0, occurred_at: 0, faulty: true };
                changes.push(faulty);
            }
        }
        let number = u64::try_from(place).expect("a number");
        let mut delivery = Delivery {
            endpoint,
            fate,
            number,
            changes,
            sent: 0,
            first: None,
            answered: None,
            keys: Vec::new(),
            own,
            places: Vec::new(),
        };
        let now = UnixTime::from_millis(1_700_000_000_000);
        let sent = self.sign(&delivery, now);
        let batch = Batch::read(endpoint.id(), &sent.verified().as_verified(), now);
        for (at, event) in batch.entries().iter().enumerate() {
            let Some(event) = event.event() else { continue };
            delivery.keys.push(event.key.as_ref().map(Key::to_string).expect("a key"));
            if let Some(change) = delivery.changes.get(at) {
                let stream = event.stream.as_deref().expect("a stream").to_owned();
                delivery.places.push((stream, change.occurred_at));
            }
        }
        self.deliveries.push(delivery);
        place
    }

    fn change(&mut self) -> Change {
        self.changes += 1;
        // Every place is taken once, and in no order.
        let occurred_at = EPOCH + self.changes * 1000 + self.rng.i64(-500_000..500_000) * 1000;
        let occurred_at = occurred_at * 1000 + self.changes % 1000;
        let (object, property) = (self.rng.u64(1..40), self.rng.u64(1..4));
        Change { object, property, occurred_at: occurred_at / 1000, faulty: false }
    }

    /// Some changes that were delivered before, in another grouping.
    fn regrouped(&mut self) -> Vec<Change> {
        if self.rng.u32(0..5) > 0 || self.deliveries.is_empty() {
            return Vec::new();
        }
        let from = &self.deliveries[self.rng.usize(0..self.deliveries.len())];
        if from.answered.is_none() {
            return Vec::new();
        }
        from.changes.iter().filter(|change| !change.faulty).take(20).cloned().collect()
    }

    fn sign(&self, delivery: &Delivery, now: UnixTime) -> hookproof::testing::Sent {
        let Delivery { endpoint, number, .. } = delivery;
        let id = format!("{}-{number}", self.seed);
        let sender = Sender::new(endpoint.provider()).target(Method::POST, URL).at(now);
        let sender = match endpoint {
            Endpoint::Crm => sender,
            Endpoint::Charge => sender.id(&format!("evt_{id}")),
            _ => sender.id(&id),
        };
        sender.send(self.body(delivery).as_bytes()).expect("a secret")
    }

    fn body(&self, delivery: &Delivery) -> String {
        let Delivery { endpoint, number, changes, sent, fate, .. } = delivery;
        let id = format!("{}-{number}", self.seed);
        let note = match fate {
            Fate::Dead => POISON,
            Fate::Done => "",
            Fate::Parked => UNSURE,
        };
        match endpoint {
            Endpoint::Crm => {
                let mut body = String::from("[");
                for (at, change) in changes.iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    let _ = write!(body, "{comma}{}", change.to_json(*sent));
                }
                body.push(']');
                body
            }
            Endpoint::Charge => {
                format!(
                    r#"{{"event_id":"evt_{id}","event_type":"invoice.paid","version":1,"occurred_at":1700000000,"#
                ) + &format!(r#""data":{{"invoice_id":"inv_{number}","note":"{note}"}}}}"#)
            }
            Endpoint::Mail => format!(r#"{{"number":{number},"note":"{note}"}}"#),
            Endpoint::Booking | Endpoint::Here => {
                format!(r#"{{"id":"evt_{id}","type":"invoice.paid","created":1700000000,"#)
                    + &format!(r#""data":{{"object":{{"id":"in_{number}","note":"{note}"}}}}}}"#)
            }
        }
    }

    /// A delivery as it is sent now.
    pub(crate) fn request(&mut self, id: u64, place: usize, now: UnixTime) -> Request {
        let delivery = &self.deliveries[place];
        let sent = self.sign(delivery, now);
        let headers = sent
            .signed()
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().expect("ASCII").to_owned()));
        let request = Request {
            id,
            endpoint: delivery.endpoint.as_str().to_owned(),
            headers: headers.collect(),
            body: String::from_utf8(sent.signed().body().to_vec()).expect("text"),
        };
        let delivery = &mut self.deliveries[place];
        delivery.sent += 1;
        delivery.first.get_or_insert(now);
        request
    }

    /// The deliveries that nobody has answered with 200.
    pub(crate) fn pending(&self) -> Vec<usize> {
        let open = self.deliveries.iter().enumerate();
        open.filter(|(_, delivery)| delivery.answered.is_none()).map(|(place, _)| place).collect()
    }
}
