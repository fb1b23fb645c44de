//! What a genuine delivery says, by the table and the rules of "Events" in `conformance-vectors/README.md`.

use sha2::{Digest, Sha256};

use super::json::{Node, Value};
use super::{Request, Slip, form, key, time, trim};

/// The reasons why an event has no usable identity, in the order in which they are told.
const RANK: [&str; 4] = ["malformed-body", "missing-field", "repeated-field", "id-mismatch"];
const MALFORMED: &str = "malformed-body";
const REPEATED: &str = "repeated-field";
/// The most events of a batch.
const MAX_EVENTS: usize = 1000;
/// The most digits of an order and an attempt.
const MAX_DIGITS: usize = 18;

/// One event.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Event {
    /// The key.
    pub key: Option<String>,
    /// The key of the change.
    pub twin: Option<String>,
    /// The kind.
    pub kind: Option<String>,
    /// The account.
    pub tenant: Option<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// What the order holds within.
    pub stream: Option<String>,
    /// The order, and its unit.
    pub order: Option<(i64, &'static str)>,
    /// The attempt.
    pub attempt: Option<u64>,
}

/// What a delivery says: its events, each of which may be faulty, or the fault of them all.
pub type Answer = Result<Vec<Result<Event, &'static str>>, &'static str>;

/// Reads the events of a genuine delivery; `family` is the index of the family of headers that was verified.
///
/// # Errors
///
/// The fault of a body that has no events.
///
/// # Panics
///
/// If there are no rules for this sender.
pub fn read(sender: &str, request: &Request, family: usize, slip: Slip) -> Answer {
    let text = core::str::from_utf8(&request.body).ok();
    let document = text.and_then(Node::read);
    let from = |node| From { sender, request, node, family, slip };
    let from_whole = from(document.as_ref());
    let one = |event: Result<Event, &'static str>| Ok(vec![event]);
    let with_body = |event: fn(&From<'_>) -> Result<Event, &'static str>| match &document {
        Some(_) => one(event(&from_whole)),
        None => one(Err(MALFORMED)),
    };
    match sender {
        "acuity" => one(acuity(&from_whole)),
        "anyhook" => one(anyhook(&from_whole)),
        "calcom" => with_body(calcom),
        "calendly" => with_body(calendly),
        "github" => one(github(&from_whole)),
        "hubspot" => match document.as_ref().map(|node| &node.value) {
            Some(Value::List(items))
                if items.len() <= MAX_EVENTS || slip == Slip::AnyLengthBatch =>
            {
                Ok(items.iter().map(|node| hubspot(&from(Some(node)))).collect())
            }
            _ => Err(MALFORMED),
        },
        "paymos" => with_body(paymos),
        "shopify" => one(shopify(&from_whole)),
        "standard-webhooks" => one(standard(&from_whole)),
        "stripe" => with_body(stripe),
        other => panic!(
            "the fuzz targets do not know what `{other}` says: add its rules to fuzz/src/naive/events.rs"
        ),
    }
}

/// Whether the sender's body is a form.
#[must_use]
pub fn is_form(sender: &str) -> bool {
    sender == "acuity"
}

/// What was found of a field.
#[derive(Clone, Debug)]
enum Got {
    Absent,
    Null,
    Fault(&'static str),
    Bytes(Vec<u8>),
}

use Got::{Absent, Bytes, Fault, Null};

/// Where fields are read from.
struct From<'a> {
    sender: &'a str,
    request: &'a Request,
    node: Option<&'a Node<'a>>,
    family: usize,
    slip: Slip,
}

/// A slot of a key.
type Slot = Result<Vec<u8>, &'static str>;

impl From<'_> {
    /// The member at a path, its value read by `as_wanted`, which gives nothing for another type.
    fn member(&self, path: &str, as_wanted: impl Fn(&Node<'_>) -> Option<String>) -> Got {
        let Some(mut node) = self.node else { return Absent };
        for name in path.split('/') {
            match &node.value {
                Value::Object(_) => {}
                Value::Null => return Null,
                _ => return Fault(MALFORMED),
            }
            node = match node.members(name)[..] {
                [] => return Absent,
                [only] => only,
                [.., last] if self.slip == Slip::LastMemberWins => last,
                _ => return Fault(REPEATED),
            };
        }
        match &node.value {
            Value::Null if self.slip == Slip::NullIsAbsent => Absent,
            Value::Null => Null,
            _ => as_wanted(node).map_or(Fault(MALFORMED), |text| Bytes(text.into_bytes())),
        }
    }

    fn text(&self, path: &str) -> Got {
        self.member(path, |node| node.as_text().map(str::to_owned))
    }

    fn number(&self, path: &str) -> Got {
        self.member(path, |node| node.as_integer().map(str::to_owned))
    }

    fn header(&self, name: &str) -> Got {
        let lines = self.request.headers.iter().filter(|(own, _)| own == name);
        let values: Vec<&[u8]> = lines.map(|(_, value)| trim(value)).collect();
        match values[..] {
            _ if values.iter().all(|value| value.is_empty()) => Absent,
            [value] => Bytes(value.to_vec()),
            _ => Fault(REPEATED),
        }
    }

    /// A header whose name begins with `x-` in the first family.
    fn of_family(&self, name: &str) -> Got {
        self.header(if self.family == 0 { name } else { name.trim_start_matches("x-") })
    }

    fn field(&self, name: &str) -> Got {
        match &form::values(&self.request.body, name, self.slip)[..] {
            [] => Absent,
            [value] => Bytes(value.clone()),
            _ => Fault(REPEATED),
        }
    }

    fn needed(&self, got: Got) -> Slot {
        match got {
            Bytes(bytes) if !bytes.is_empty() => Ok(bytes),
            Fault(fault) => Err(fault),
            Null => Err(MALFORMED),
            Absent | Bytes(_) => Err("missing-field"),
        }
    }

    fn optional(&self, got: Got) -> Slot {
        match got {
            Bytes(bytes) => Ok(bytes),
            Fault(fault) => Err(fault),
            Null | Absent => Ok(Vec::new()),
        }
    }

    /// The key of these slots, or the first fault in rank; `more` are faults beside those of the slots.
    fn key(&self, slots: Vec<Slot>, more: &[&'static str]) -> Result<Option<String>, &'static str> {
        let mut faults: Vec<&str> = more.to_vec();
        let mut parts = vec![self.sender.as_bytes().to_vec()];
        for slot in slots {
            parts.push(slot.unwrap_or_else(|fault| {
                faults.push(fault);
                Vec::new()
            }));
        }
        let text = key::encode(&parts, self.slip);
        if text.len() > key::MAX_KEY && self.slip != Slip::NoKeyLimit {
            faults.push(MALFORMED);
        }
        match RANK.into_iter().find(|fault| faults.contains(fault)) {
            Some(fault) => Err(fault),
            None => Ok(Some(text)),
        }
    }

    fn twin(&self, subject: Option<&Vec<String>>, kind: Option<&String>) -> Option<String> {
        let mut parts = vec![self.sender.to_owned()];
        parts.extend(subject?.iter().cloned());
        parts.push(kind?.clone());
        Some(key::encode(&parts, self.slip))
    }

    fn joined(&self, parts: Option<&Vec<String>>) -> Option<String> {
        parts.map(|parts| key::encode(parts, self.slip))
    }
}

/// The first of the alternatives that is there, where none before it is faulty.
fn first(alternatives: impl IntoIterator<Item = Got>) -> Option<String> {
    for got in alternatives {
        match got {
            Bytes(bytes) if !bytes.is_empty() => return String::from_utf8(bytes).ok(),
            Fault(_) => return None,
            _ => {}
        }
    }
    None
}

fn soft(got: Got) -> Option<String> {
    first([got])
}

/// What stands before the first such character.
fn before(got: Got, end: u8) -> Got {
    match got {
        Bytes(bytes) => Bytes(bytes.iter().copied().take_while(|byte| *byte != end).collect()),
        other => other,
    }
}

/// The order by a number.
fn number_order(text: Option<String>, unit: &'static str) -> Option<(i64, &'static str)> {
    let text = text?;
    let digits = text.trim_start_matches('-').len();
    Some((text.parse().ok().filter(|_| digits <= MAX_DIGITS)?, unit))
}

/// The order by a date.
fn date_order(text: Option<String>) -> Option<(i64, &'static str)> {
    Some((time::rfc3339_micros(&text?)?, "us"))
}

fn acuity(from: &From<'_>) -> Result<Event, &'static str> {
    let action = from.needed(from.field("action"))?;
    let keyed = action == b"scheduled" || action == b"canceled";
    let id = from.field("id");
    let key = if keyed { from.key(vec![Ok(action), from.needed(id.clone())], &[])? } else { None };
    let subject = soft(id).map(|id| vec![id]);
    let subject = from.joined(subject.as_ref());
    let kind = soft(from.field("action"));
    Ok(Event { key, kind, stream: subject.clone(), subject, ..Event::default() })
}

fn anyhook(from: &From<'_>) -> Result<Event, &'static str> {
    let key = from.key(vec![from.needed(from.header("x-anyhook-delivery"))], &[])?;
    Ok(Event { key, ..Event::default() })
}

fn calcom(from: &From<'_>) -> Result<Event, &'static str> {
    let (trigger, uid) = (from.text("triggerEvent"), from.text("payload/uid"));
    let seat = from.text("payload/attendeeSeatId");
    let slots =
        [from.needed(trigger.clone()), from.needed(uid.clone()), from.optional(seat.clone())];
    let key = from.key(slots.to_vec(), &[])?;
    let subject = soft(uid).map(|uid| vec![uid]);
    let stream = subject.clone().map(|mut parts| {
        parts.extend(soft(seat));
        parts
    });
    Ok(Event {
        key,
        kind: soft(trigger),
        subject: from.joined(subject.as_ref()),
        stream: from.joined(stream.as_ref()),
        order: date_order(soft(from.text("createdAt"))),
        ..Event::default()
    })
}

fn calendly(from: &From<'_>) -> Result<Event, &'static str> {
    let (uri, event) = (from.text("payload/uri"), from.text("event"));
    let created = from.text("created_at");
    let kind = soft(event.clone());
    let one_of_a_kind = matches!(kind.as_deref(), Some("invitee.created" | "invitee.canceled"));
    let time = if one_of_a_kind { Ok(Vec::new()) } else { from.needed(created.clone()) };
    let key = from.key(vec![from.needed(uri.clone()), from.needed(event), time], &[])?;
    let subject = from.joined(soft(uri).map(|uri| vec![uri]).as_ref());
    let order = date_order(soft(created));
    Ok(Event { key, kind, stream: subject.clone(), subject, order, ..Event::default() })
}

fn github(from: &From<'_>) -> Result<Event, &'static str> {
    let hook = from.optional(from.header("x-github-hook-id"));
    let key = from.key(vec![hook, from.needed(from.header("x-github-delivery"))], &[])?;
    Ok(Event { key, kind: soft(from.header("x-github-event")), ..Event::default() })
}

fn hubspot(from: &From<'_>) -> Result<Event, &'static str> {
    let digest = |node: &Node<'_>| {
        let digest = Sha256::digest(node.as_text()?.as_bytes());
        Some(hex::encode(digest)[..32].to_owned())
    };
    let boolean = |node: &Node<'_>| match node.value {
        Value::Bool(_) => Some(node.text.to_owned()),
        _ => None,
    };
    let numbers = |node: &Node<'_>| match &node.value {
        Value::List(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Node::as_integer).collect();
            texts.map(|texts| texts.join(","))
        }
        _ => None,
    };
    let object = from.optional(from.number("objectId"));
    let source = from.optional(from.number("fromObjectId"));
    let target = from.optional(from.number("toObjectId"));
    let primary = from.optional(from.number("primaryObjectId"));
    let merged = from.optional(from.member("mergedObjectIds", numbers));
    let about = [&object, &source, &target, &primary, &merged];
    let nothing = about.iter().all(|slot| slot.as_ref().is_ok_and(Vec::is_empty));
    let slots = vec![
        from.needed(from.number("portalId")),
        from.optional(from.number("appId")),
        from.needed(from.text("subscriptionType")),
        from.optional(from.text("objectTypeId")),
        object,
        from.optional(from.text("associationType")),
        source,
        target,
        from.optional(from.member("associationRemoved", boolean)),
        primary,
        merged,
        from.optional(from.text("propertyName")),
        from.optional(from.member("propertyValue", digest)),
        from.needed(from.number("occurredAt")),
    ];
    let key = from.key(slots, if nothing { &["missing-field"] } else { &[] })?;
    let kind_of_object =
        first([from.text("objectTypeId"), before(from.text("subscriptionType"), b'.')]);
    let subject = match (kind_of_object, soft(from.number("objectId"))) {
        (Some(kind), Some(id)) => Some(vec![kind, id]),
        _ => None,
    };
    let stream = subject.clone().map(|mut parts| {
        parts.extend(soft(from.text("propertyName")));
        parts
    });
    let attempt = number_order(soft(from.number("attemptNumber")), "");
    Ok(Event {
        key,
        twin: None,
        kind: soft(from.text("subscriptionType")),
        tenant: soft(from.number("portalId")),
        subject: from.joined(subject.as_ref()),
        stream: from.joined(stream.as_ref()),
        order: number_order(soft(from.number("occurredAt")), "ms"),
        attempt: attempt.and_then(|(number, _)| u64::try_from(number).ok()),
    })
}

fn paymos(from: &From<'_>) -> Result<Event, &'static str> {
    let id = from.needed(from.text("event_id"));
    let mut faults = Vec::new();
    match from.header("x-webhook-id") {
        Fault(fault) => faults.push(fault),
        Bytes(bytes) if id.as_ref() != Ok(&bytes) => faults.push("id-mismatch"),
        _ => {}
    }
    let key = from.key(vec![id], &faults)?;
    let kind = soft(from.text("event_type"));
    let ids = ["data/withdrawal_id", "data/invoice_id", "data/id"].map(|path| from.text(path));
    let subject = first(ids).map(|id| vec![id]);
    let order = first(["data/updated_at", "occurred_at"].map(|path| from.number(path)));
    Ok(Event {
        key,
        twin: from.twin(subject.as_ref(), kind.as_ref()),
        kind,
        subject: from.joined(subject.as_ref()),
        stream: from.joined(subject.as_ref()),
        order: number_order(order, "s"),
        ..Event::default()
    })
}

fn shopify(from: &From<'_>) -> Result<Event, &'static str> {
    let key = from.key(vec![from.needed(from.of_family("x-shopify-webhook-id"))], &[])?;
    let topic = from.of_family("x-shopify-topic");
    let id =
        from.member("id", |node| node.as_integer().or_else(|| node.as_text()).map(str::to_owned));
    let subject = match (soft(before(topic.clone(), b'/')), soft(id)) {
        (Some(topic), Some(id)) => Some(vec![topic, id]),
        _ => None,
    };
    let times = [from.text("updated_at"), from.of_family("x-shopify-triggered-at")];
    Ok(Event {
        key,
        kind: soft(topic),
        tenant: soft(from.of_family("x-shopify-shop-domain")),
        subject: from.joined(subject.as_ref()),
        stream: from.joined(subject.as_ref()),
        order: date_order(first(times)),
        ..Event::default()
    })
}

fn standard(from: &From<'_>) -> Result<Event, &'static str> {
    let id = from.header(if from.family == 0 { "webhook-id" } else { "svix-id" });
    let key = from.key(vec![from.needed(id)], &[])?;
    Ok(Event { key, kind: soft(from.text("type")), ..Event::default() })
}

fn stripe(from: &From<'_>) -> Result<Event, &'static str> {
    let key = from.key(vec![from.needed(from.text("id"))], &[])?;
    let kind = soft(from.text("type"));
    let ids = ["data/object/id", "related_object/id"].map(|path| from.text(path));
    let subject = first(ids).map(|id| vec![id]);
    let order = match from.number("created") {
        Fault(_) => date_order(soft(from.text("created"))),
        number => number_order(soft(number), "s"),
    };
    Ok(Event {
        key,
        twin: from.twin(subject.as_ref(), kind.as_ref()),
        kind,
        tenant: soft(from.text("account")),
        subject: from.joined(subject.as_ref()),
        stream: from.joined(subject.as_ref()),
        order,
        ..Event::default()
    })
}
