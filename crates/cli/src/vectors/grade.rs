//! From an answer to a grade: does it agree with the vector?

use hookproof_vectors::{Event, Outcome, Policy, Test};
use serde_json::{Map, Value};

use crate::vectors::select::Case;

/// What an implementation makes of a case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// The request is genuine.
    Accept(Accepted),
    /// No verdict: a crash, a silence, an answer that cannot be read.
    Error(String),
    /// The request is refused, for a reason where it says one.
    Reject(Option<String>),
    /// The implementation does not offer what the case needs.
    Unsupported(String),
}

/// What an implementation may add when it accepts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Accepted {
    /// The index of the secret that matched.
    pub(crate) key: Option<usize>,
    /// The events of the delivery, as the vectors write them, or why it has no usable identity.
    pub(crate) events: Option<Result<Vec<Value>, String>>,
}

/// How an answer compares with the vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Grade {
    /// It differs.
    Failed(Difference),
    /// The verdict is right, and the reason is another one or none.
    OtherReason(Difference),
    /// It agrees.
    Passed,
    /// The implementation does not offer what the case needs.
    Unsupported(String),
}

/// What became of the events that a vector gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Events {
    /// They were held against the answer.
    Compared,
    /// The implementation accepted and says nothing of events.
    NotTold,
}

/// How a rejection without a reason is told.
pub(crate) const NO_REASON: &str = "reject without a reason";

/// What was expected and what came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) point: Point,
    pub(crate) expected: String,
    pub(crate) got: String,
}

/// What an answer differs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// There is no answer that can be read.
    Error,
    /// What the delivery says, or that it says nothing usable.
    Events,
    /// The secret that matched.
    Key,
    /// Why it is refused.
    Reason,
    /// Accepted or refused.
    Verdict,
}

impl Point {
    /// The word in the outputs.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Events => "events",
            Self::Key => "key",
            Self::Reason => "reason",
            Self::Verdict => "verdict",
        }
    }
}

/// How strict a run is.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// The answers to acceptable vectors; none: either passes.
    pub(crate) policy: Option<Policy>,
    /// Whether another reason is a failure.
    pub(crate) strict_reasons: bool,
    /// Whether an acceptance has to say the events, because the implementation offers them.
    pub(crate) events_offered: bool,
}

impl Rules {
    /// Compares an answer with its vector.
    pub(crate) fn grade(&self, case: &Case<'_>, answer: &Answer) -> Grade {
        let point = if matches!(answer, Answer::Error(_)) { Point::Error } else { Point::Verdict };
        let differs =
            |expected: String| Grade::Failed(Difference { point, expected, got: describe(answer) });
        match (answer, self.expected(case)) {
            (Answer::Unsupported(why), _) => Grade::Unsupported(why.clone()),
            (Answer::Accept(accepted), Expected::Accept | Expected::Either) => {
                self.details(case.test, accepted).map_or(Grade::Passed, Grade::Failed)
            }
            (Answer::Reject(_), Expected::Reject(None) | Expected::Either) => Grade::Passed,
            (Answer::Reject(got), Expected::Reject(Some(reason))) => {
                if got.as_deref() == Some(reason) {
                    return Grade::Passed;
                }
                let difference = Difference {
                    point: Point::Reason,
                    expected: format!("reject ({reason})"),
                    got: describe(answer),
                };
                if self.strict_reasons {
                    Grade::Failed(difference)
                } else {
                    Grade::OtherReason(difference)
                }
            }
            (_, Expected::Accept) => differs("accept".to_owned()),
            (_, Expected::Either) => differs("accept or reject".to_owned()),
            (_, Expected::Reject(None)) => differs("reject".to_owned()),
            (_, Expected::Reject(Some(reason))) => differs(format!("reject ({reason})")),
        }
    }

    /// What becomes of the vector's events, where it gives some and the request is accepted.
    pub(crate) fn events(&self, case: &Case<'_>, answer: &Answer) -> Option<Events> {
        let Answer::Accept(accepted) = answer else { return None };
        let compared = self.events_offered || accepted.events.is_some();
        expected_events(case.test)
            .map(|_| if compared { Events::Compared } else { Events::NotTold })
    }

    fn expected<'a>(&self, case: &Case<'a>) -> Expected<'a> {
        match &case.test.outcome {
            Outcome::Invalid { reason, .. } => Expected::Reject(Some(reason)),
            Outcome::Acceptable => match &self.policy {
                None => Expected::Either,
                Some(policy) if policy.accepts(case.file, case.test) => Expected::Accept,
                Some(_) => Expected::Reject(None),
            },
            _ => Expected::Accept,
        }
    }

    /// Compares what an implementation says beyond the verdict.
    fn details(&self, test: &Test, accepted: &Accepted) -> Option<Difference> {
        let key = test.expect.as_ref().and_then(|expect| expect.key);
        if let (Some(expected), Some(got)) = (key, accepted.key)
            && expected != got
        {
            return Some(Difference {
                point: Point::Key,
                expected: format!("accept with secret {expected}"),
                got: format!("accept with secret {got}"),
            });
        }
        let (expected, got) = match (expected_events(test)?, &accepted.events) {
            (_, None) if !self.events_offered => return None,
            (Ok(expected), Some(Ok(got))) => different_events(expected, got)?,
            (Err(expected), Some(Err(got))) if expected == got => return None,
            (expected, got) => {
                let got =
                    got.as_ref().map(|got| got.as_ref().map(Vec::len).map_err(String::as_str));
                (summary(Some(expected.map(<[Event]>::len))), summary(got))
            }
        };
        Some(Difference { point: Point::Events, expected, got })
    }
}

enum Expected<'a> {
    Accept,
    Either,
    Reject(Option<&'a str>),
}

/// What the vector says of events, if it does.
fn expected_events(test: &Test) -> Option<Result<&[Event], &str>> {
    match (&test.events, &test.events_error) {
        (_, Some(error)) => Some(Err(error)),
        (events, None) => events.as_deref().map(Ok),
    }
}

/// The first difference between two lists of events. An event of a vector is complete: what it does not have must not
/// be there.
fn different_events(expected: &[Event], got: &[Value]) -> Option<(String, String)> {
    if expected.len() != got.len() {
        return Some((summary(Some(Ok(expected.len()))), summary(Some(Ok(got.len())))));
    }
    expected.iter().zip(got).enumerate().find_map(|(index, (expected, got))| {
        let expected = serde_json::to_value(expected).unwrap_or_default();
        (expected != *got).then(|| {
            let (expected, got) = different_members(&expected, got);
            (format!("event {index} with {expected}"), format!("event {index} with {got}"))
        })
    })
}

/// The members that differ, on either side.
fn different_members(expected: &Value, got: &Value) -> (String, String) {
    let (Some(expected), Some(members)) = (expected.as_object(), got.as_object()) else {
        return (shown(expected), shown(got));
    };
    let added = members.keys().filter(|name| !expected.contains_key(*name));
    let names: Vec<&String> = expected
        .keys()
        .chain(added)
        .filter(|name| expected.get(*name) != members.get(*name))
        .collect();
    let side = |members: &Map<String, Value>| {
        let member = |name: &&String| match members.get(*name) {
            Some(value) => format!("{name} {}", shown(value)),
            None => format!("no {name}"),
        };
        names.iter().map(member).collect::<Vec<_>>().join(", ")
    };
    (side(expected), side(members))
}

/// A value as JSON, cut to what a person reads.
fn shown(value: &Value) -> String {
    const KEEP: usize = 200;
    let text = value.to_string();
    match text.char_indices().nth(KEEP) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn summary(events: Option<Result<usize, &str>>) -> String {
    match events {
        None => "accept without a word of events".to_owned(),
        Some(Ok(1)) => "accept with 1 event".to_owned(),
        Some(Ok(count)) => format!("accept with {count} events"),
        Some(Err(error)) => format!("accept with events error {error}"),
    }
}

fn describe(answer: &Answer) -> String {
    match answer {
        Answer::Accept(_) => "accept".to_owned(),
        Answer::Error(message) => format!("error: {message}"),
        Answer::Reject(None) => NO_REASON.to_owned(),
        Answer::Reject(Some(reason)) => format!("reject ({reason})"),
        Answer::Unsupported(why) => format!("unsupported: {why}"),
    }
}
