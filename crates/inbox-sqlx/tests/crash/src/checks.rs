//! What must hold after the kills, and the line that sums them up.

use std::collections::{BTreeMap, HashMap, HashSet};

use hookproof_inbox::chain::Status;
use hookproof_inbox::{Log as _, StoreError, verify_log};

use crate::args::Kind;
use crate::child::KEYS;
use crate::effects;
use crate::engine::Engine;
use crate::facts::{Facts, Name, name, recorded};
use crate::plan::Endpoint;
use crate::sender::Fate;
use crate::share::Share;

/// A batch is recorded as a whole or not at all: asked right after a kill, before anybody records it again.
pub(crate) fn halves<E: Engine>(share: &mut Share<E>, sent: &[usize]) {
    let keys = share.look(async |engine| {
        tables(engine).await;
        recorded(engine).await
    });
    let sent: HashSet<usize> = sent.iter().copied().collect();
    for place in sent {
        let delivery = &share.senders.deliveries[place];
        if delivery.endpoint != Endpoint::Crm || delivery.answered.is_some() {
            continue;
        }
        let own = &delivery.keys[..delivery.own];
        let there = own.iter().filter(|key| keys.contains(&name("crm", key))).count();
        if there != 0 && there != own.len() {
            let failure = format!("half-written: {there} of {} events of a batch", own.len());
            share.fail(failure);
        }
    }
}

/// What holds at any time when nobody is at work.
pub(crate) fn meanwhile<E: Engine>(share: &mut Share<E>) {
    let heads = share.heads.clone();
    let found = share.look(async |engine| {
        tables(engine).await;
        let mut found = engine.integrity().await;
        for (what, sql) in [
            ("events without their row", "SELECT 'x' FROM hookproof_events e WHERE NOT EXISTS \
              (SELECT 1 FROM hookproof_keys k WHERE k.id = e.id)"),
            ("events without delivery that are not done", "SELECT 'x' FROM hookproof_events e \
              WHERE e.state <> 2 AND NOT EXISTS (SELECT 1 FROM hookproof_deliveries d WHERE d.id = e.delivery)"),
            ("attempts without event", "SELECT 'x' FROM hookproof_attempts a WHERE NOT EXISTS \
              (SELECT 1 FROM hookproof_events e WHERE e.id = a.event)"),
        ] {
            let rows = engine.rows(sql).await.len();
            if rows > 0 {
                found.push(format!("{rows} {what}"));
            }
        }
        match audit(engine, heads).await {
            Ok(problems) => found.extend(problems),
            Err(error) => found.push(error.to_string()),
        }
        found
    });
    share.failures.extend(found);
}

async fn tables<E: Engine>(engine: &E) {
    // Whoever was to make them may have been killed.
    engine.migrate().await.expect("migrations");
    engine.make_tables().await.expect("tables");
}

/// Seals what is left, and verifies the log against all heads that were exported.
async fn audit<E: Engine>(
    engine: &E,
    heads: Vec<hookproof_inbox::chain::Head>,
) -> Result<Vec<String>, StoreError> {
    let mut connection = engine.connect().await?;
    let store = engine.store();
    loop {
        let mut open = engine.begin(&mut connection).await?;
        let now = hookproof::UnixTime::from_secs(0);
        let (sealed, _) = store.seal(E::tx(&mut open), 1000, now).await?;
        E::commit(open).await?;
        if sealed == 0 {
            break;
        }
    }
    let wanted = if heads.is_empty() { Status::Consistent } else { Status::Proven };
    let mut open = engine.begin(&mut connection).await?;
    let report = verify_log(store, E::tx(&mut open), heads).await?;
    if report.status() == wanted && report.unsealed == 0 {
        return Ok(Vec::new());
    }
    let findings = report.findings.iter().take(5).map(ToString::to_string);
    Ok(vec![format!(
        "the log is {:?}: {}",
        report.status(),
        findings.collect::<Vec<_>>().join("; ")
    )])
}

/// Counts for the line.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    events: usize,
    lost: usize,
    orders: usize,
    doubled_inside: usize,
    mails: usize,
    doubled_mails: usize,
    charges: usize,
    doubled_charges: usize,
    parked: usize,
    dead: usize,
}

/// Everything, and what was counted.
pub(crate) fn all<E: Engine>(share: &mut Share<E>) -> Counts {
    meanwhile(share);
    let lines = effects::read(&share.effects);
    let facts = share.look(async |engine| Facts::read(engine, lines).await);
    let mut counts = Counts { events: facts.keys.len(), ..Counts::default() };
    let mut failures = Vec::new();
    nothing_is_lost(share, &facts, &mut counts, &mut failures);
    everything_ends(share, &facts, &mut counts, &mut failures);
    nothing_is_doubled(share, &facts, &mut counts, &mut failures);
    tokens_fence(&facts, &mut failures);
    newest_wins(share, &facts, &mut failures);
    share.failures.extend(failures);
    counts
}

/// Every delivery that was answered with 200 is recorded, or was done and old enough to be purged.
fn nothing_is_lost<E: Engine>(
    share: &Share<E>,
    facts: &Facts,
    counts: &mut Counts,
    failures: &mut Vec<String>,
) {
    for delivery in &share.senders.deliveries {
        let (Some(first), Some(_)) = (delivery.first, delivery.answered) else { continue };
        for key in &delivery.keys {
            let name = name(delivery.endpoint.as_str(), key);
            if facts.keys.contains(&name) {
                continue;
            }
            let age = hookproof_inbox::time::between(first, share.now());
            let was_done = facts.effects.contains_key(&name);
            if delivery.endpoint == Endpoint::Mail && age > KEYS && was_done {
                continue;
            }
            counts.lost += 1;
            failures.push(format!("lost: {name:?} was answered with 200 and is not recorded"));
        }
    }
}

/// Every recorded event is done, or parked or dead as its fate or the policy of its endpoint says.
fn everything_ends<E: Engine>(
    share: &Share<E>,
    facts: &Facts,
    counts: &mut Counts,
    failures: &mut Vec<String>,
) {
    let mut fates: HashMap<Name, Fate> = HashMap::new();
    for delivery in &share.senders.deliveries {
        for key in &delivery.keys {
            fates.insert(name(delivery.endpoint.as_str(), key), delivery.fate);
        }
    }
    for own in &facts.keys {
        // What has no usable identity is stored under its place in its body, which changes with each sending.
        let faulty = own.1.starts_with("~faulty/").then_some(&Fate::Parked);
        let Some(fate) = fates.get(own).or(faulty) else {
            failures.push(format!("nobody sent {own:?}"));
            continue;
        };
        let (orders, effects) =
            (facts.orders.get(own).map_or(0, Vec::len), facts.effects.get(own).map_or(0, Vec::len));
        let Some(event) = facts.events.get(own) else {
            if own.0 != "here" {
                failures.push(format!("lost: {own:?} is recorded, and there is no work"));
            } else if orders != 1 {
                failures.push(format!("not once: {orders} orders of {own:?}"));
            }
            continue;
        };
        let wanted = match fate {
            Fate::Dead => 4,
            Fate::Done => 2,
            Fate::Parked => 3,
        };
        let silent = event.state == 3 && event.error.contains("went silent");
        match event.state {
            3 => counts.parked += 1,
            4 => counts.dead += 1,
            _ => {}
        }
        let inside = matches!(own.0.as_str(), "booking" | "crm");
        let agrees = match (event.state, inside) {
            (3, false) if own.0 == "charge" && silent => {
                // Parked by the policy: only if the process that had begun it was killed or stopped.
                let begun = facts.begun.get(&(own.clone(), event.token));
                begun.is_none_or(|process| share.ended.contains(process)) && effects <= 1
            }
            (2, true) => wanted == 2 && orders == 1,
            (2, false) => wanted == 2 && effects >= 1,
            (state, _) => state == wanted && orders == 0 && effects == 0,
        };
        if !agrees {
            failures.push(format!(
                "not as it should end: {own:?} is in state {} ({}), {orders} orders, {effects} effects",
                event.state, event.error
            ));
        }
    }
}

/// Effects in the database exactly once; charges at most once; mails again only where a process was killed or stopped
/// between the effect and its completion.
fn nothing_is_doubled<E: Engine>(
    share: &Share<E>,
    facts: &Facts,
    counts: &mut Counts,
    failures: &mut Vec<String>,
) {
    for (own, tokens) in &facts.orders {
        counts.orders += tokens.len();
        if tokens.len() > 1 {
            counts.doubled_inside += tokens.len() - 1;
            failures.push(format!("doubled: {} orders of {own:?}", tokens.len()));
        }
        if !facts.keys.contains(own) {
            failures.push(format!("an order without its event: {own:?}"));
        }
    }
    for (own, lines) in &facts.effects {
        let again = lines.len() - 1;
        if own.0 == "charge" {
            counts.charges += lines.len();
            counts.doubled_charges += again;
            if again > 0 {
                failures.push(format!("doubled: {} charges of {own:?}", lines.len()));
            }
            continue;
        }
        counts.mails += lines.len();
        counts.doubled_mails += again;
        let done: HashSet<u64> =
            facts.done.get(own).into_iter().flatten().map(|(token, _)| *token).collect();
        for line in lines {
            let excused = share.ended.contains(&line.process)
                && (facts.lost.contains(&(own.clone(), line.token))
                    || !facts.events.contains_key(own));
            let last = done.contains(&line.token) || !facts.events.contains_key(own);
            if again > 0 && !excused && !last {
                failures.push(format!("doubled: mails of {own:?}, and {} lived on", line.process));
            }
        }
    }
}

/// Each event is completed once, by the holder of its latest token, after its effect under that token.
fn tokens_fence(facts: &Facts, failures: &mut Vec<String>) {
    for (own, event) in &facts.events {
        let done = facts.done.get(own).map(Vec::as_slice).unwrap_or_default();
        match (event.state, done) {
            (2, [(token, at)]) => {
                let inside =
                    facts.orders.get(own).into_iter().flatten().any(|order| order == token);
                let elsewhere = facts.effects.get(own).into_iter().flatten();
                let elsewhere =
                    elsewhere.filter(|line| line.token == *token).any(|line| line.at <= *at);
                if event.token != *token || !(inside || elsewhere) {
                    failures
                        .push(format!("completed under token {token} without its effect: {own:?}"));
                }
            }
            (2, _) => failures.push(format!("completed {} times: {own:?}", done.len())),
            (_, []) => {}
            _ => failures.push(format!("completed, and not done: {own:?}")),
        }
    }
    for (own, lines) in &facts.effects {
        let tokens: HashSet<u64> = lines.iter().map(|line| line.token).collect();
        if tokens.len() < lines.len() {
            failures.push(format!("two effects under one token: {own:?}"));
        }
    }
}

/// Each property is as the newest of its changes says.
fn newest_wins<E: Engine>(share: &Share<E>, facts: &Facts, failures: &mut Vec<String>) {
    let mut newest = BTreeMap::<String, i64>::new();
    for delivery in share.senders.deliveries.iter().filter(|delivery| delivery.answered.is_some()) {
        for (stream, at) in &delivery.places {
            let newest = newest.entry(stream.clone()).or_insert(*at);
            *newest = (*newest).max(*at);
        }
    }
    if newest != facts.properties {
        failures.push("the properties are not those of the newest changes".to_owned());
    }
}

/// The share in one line.
pub(crate) fn line<E: Engine>(share: &Share<E>, counts: &Counts, database: Kind) -> String {
    let settings = share.look(async |engine| engine.settings().await);
    let figures = &share.figures;
    let mut points: Vec<String> =
        figures.at_points.iter().map(|(point, count)| format!("{point}:{count}")).collect();
    points.sort();
    let mut problems: Vec<String> =
        figures.problems.iter().map(|(kind, count)| format!("{kind}:{count}")).collect();
    problems.sort();
    let at: u32 = figures.at_points.values().sum();
    format!(
        "{} {settings} seed={} kills={} at-points={at} stopped={} broken-off={} requests={} unavailable={} \
         deliveries={} events={} lost={} orders={} doubled-inside={} mails={} doubled-mails={} charges={} \
         doubled-charges={} parked={} dead={} refused-by-token={} heads={} problems=[{}] points=[{}] failures={}",
        database.as_str(),
        share.seed,
        figures.kills,
        figures.stopped,
        figures.broken,
        figures.requests,
        figures.unavailable,
        share.senders.deliveries.len(),
        counts.events,
        counts.lost,
        counts.orders,
        counts.doubled_inside,
        counts.mails,
        counts.doubled_mails,
        counts.charges,
        counts.doubled_charges,
        counts.parked,
        counts.dead,
        figures.fenced,
        share.heads.len(),
        problems.join(" "),
        points.join(" "),
        share.failures.len(),
    )
}
