//! What is in the database, and in the log of effects outside of it.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::effects::Line;
use crate::engine::{Engine, Row};

/// The key of an event within its endpoint.
pub(crate) type Name = (String, String);

pub(crate) fn name(endpoint: &str, key: &str) -> Name {
    (endpoint.to_owned(), key.to_owned())
}

fn text(row: &Row, at: usize) -> &str {
    row[at].as_deref().unwrap_or_default()
}

fn number(row: &Row, at: usize) -> u64 {
    text(row, at).parse().expect("a number")
}

/// What is recorded under a key.
pub(crate) async fn recorded<E: Engine>(engine: &E) -> HashSet<Name> {
    let rows = engine.rows("SELECT endpoint, key FROM hookproof_keys WHERE key IS NOT NULL").await;
    rows.iter().map(|row| name(text(row, 0), text(row, 1))).collect()
}

/// An event that is worked on later.
pub(crate) struct Event {
    pub(crate) state: u64,
    pub(crate) token: u64,
    pub(crate) error: String,
}

/// What is in the database and in the logs outside of it.
pub(crate) struct Facts {
    pub(crate) keys: HashSet<Name>,
    pub(crate) events: HashMap<Name, Event>,
    /// The attempts that completed an event: token and time.
    pub(crate) done: HashMap<Name, Vec<(u64, u64)>>,
    /// Attempts that were lost, by their tokens.
    pub(crate) lost: HashSet<(Name, u64)>,
    /// The tokens of the orders.
    pub(crate) orders: HashMap<Name, Vec<u64>>,
    pub(crate) properties: BTreeMap<String, i64>,
    pub(crate) effects: HashMap<Name, Vec<Line>>,
    /// Who began to work on an event under a token.
    pub(crate) begun: HashMap<(Name, u64), String>,
}

impl Facts {
    pub(crate) async fn read<E: Engine>(engine: &E, lines: Vec<Line>) -> Self {
        let keys = recorded(engine).await;
        let sql = "SELECT endpoint, key, CAST(state AS TEXT), CAST(token AS TEXT), error FROM hookproof_events \
            WHERE key IS NOT NULL";
        let events = engine.rows(sql).await;
        let events = events.iter().map(|row| {
            let error = text(row, 4).to_owned();
            let event = Event { state: number(row, 2), token: number(row, 3), error };
            (name(text(row, 0), text(row, 1)), event)
        });
        let events = events.collect();
        let sql = "SELECT e.endpoint, e.key, CAST(a.token AS TEXT), CAST(a.ended_at AS TEXT), a.outcome \
            FROM hookproof_attempts a JOIN hookproof_events e ON e.id = a.event WHERE e.key IS NOT NULL";
        let (mut done, mut lost) = (HashMap::<_, Vec<_>>::new(), HashSet::new());
        for row in engine.rows(sql).await {
            let (name, token) = (name(text(&row, 0), text(&row, 1)), number(&row, 2));
            match text(&row, 4) {
                "done" => done.entry(name).or_default().push((token, number(&row, 3))),
                "lost" => drop(lost.insert((name, token))),
                _ => {}
            }
        }
        let mut orders = HashMap::<_, Vec<_>>::new();
        for row in engine.rows("SELECT endpoint, key, CAST(token AS TEXT) FROM orders").await {
            orders.entry(name(text(&row, 0), text(&row, 1))).or_default().push(number(&row, 2));
        }
        let sql = "SELECT stream, CAST(at AS TEXT) FROM properties";
        let properties = engine.rows(sql).await;
        let properties = properties
            .iter()
            .map(|row| (text(row, 0).to_owned(), text(row, 1).parse().expect("a time")));
        let properties = properties.collect();
        let (mut effects, mut begun) = (HashMap::<_, Vec<_>>::new(), HashMap::new());
        for line in lines {
            let name = name(&line.endpoint, &line.key);
            if line.effect {
                effects.entry(name).or_default().push(line);
            } else {
                begun.insert((name, line.token), line.process);
            }
        }
        Self { keys, events, done, lost, orders, properties, effects, begun }
    }
}
