//! From an answer to a grade: does it agree with the vector?

use hookproof_vectors::{Event, Outcome, Policy};
use serde_json::Value;

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
    /// The events of the delivery, as the vectors write them.
    pub(crate) events: Option<Vec<Value>>,
    /// Why a genuine delivery has no usable identity.
    pub(crate) events_error: Option<String>,
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
    Skipped(String),
}

/// How a rejection without a reason is told.
pub(crate) const NO_REASON: &str = "reject without a reason";

/// What was expected and what came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) expected: String,
    pub(crate) got: String,
}

/// How strict a run is.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// The answers to acceptable vectors; none: either passes.
    pub(crate) policy: Option<Policy>,
    /// Whether another reason is a failure.
    pub(crate) strict_reasons: bool,
}

impl Rules {
    /// Compares an answer with its vector.
    pub(crate) fn grade(&self, case: &Case<'_>, answer: &Answer) -> Grade {
        let differs =
            |expected: String| Grade::Failed(Difference { expected, got: describe(answer) });
        match (answer, self.expected(case)) {
            (Answer::Unsupported(why), _) => Grade::Skipped(why.clone()),
            (Answer::Accept(accepted), Expected::Accept | Expected::Either) => {
                details(case, accepted)
            }
            (Answer::Reject(_), Expected::Reject(None) | Expected::Either) => Grade::Passed,
            (Answer::Reject(got), Expected::Reject(Some(reason))) => {
                if got.as_deref() == Some(reason) {
                    return Grade::Passed;
                }
                let difference =
                    Difference { expected: format!("reject ({reason})"), got: describe(answer) };
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
}

enum Expected<'a> {
    Accept,
    Either,
    Reject(Option<&'a str>),
}

/// Compares what an implementation says beyond the verdict, as far as both sides say it.
fn details(case: &Case<'_>, accepted: &Accepted) -> Grade {
    let failed = |expected: String, got: String| Grade::Failed(Difference { expected, got });
    let test = case.test;
    let key = test.expect.as_ref().and_then(|expect| expect.key);
    if let (Some(expected), Some(got)) = (key, accepted.key)
        && expected != got
    {
        return failed(
            format!("accept with secret {expected}"),
            format!("accept with secret {got}"),
        );
    }
    if let (Some(expected), Some(got)) = (&test.events, &accepted.events)
        && !same_events(expected, got)
    {
        return failed(format!("events {}", as_json(expected)), format!("events {}", as_json(got)));
    }
    match (&test.events_error, &accepted.events_error, &accepted.events) {
        (Some(expected), Some(got), _) if expected != got => failed(
            format!("accept with events error {expected}"),
            format!("accept with events error {got}"),
        ),
        (Some(expected), None, Some(_)) => {
            failed(format!("accept with events error {expected}"), "accept with events".to_owned())
        }
        (None, Some(got), _) if test.events.is_some() => {
            failed("accept with events".to_owned(), format!("accept with events error {got}"))
        }
        _ => Grade::Passed,
    }
}

/// Equal as far as the vector says something.
fn same_events(expected: &[Event], got: &[Value]) -> bool {
    let agrees = |(expected, got): (&Event, &Value)| match serde_json::to_value(expected) {
        Ok(Value::Object(members)) => {
            members.iter().all(|(name, value)| got.get(name).unwrap_or(&Value::Null) == value)
        }
        _ => false,
    };
    expected.len() == got.len() && expected.iter().zip(got).all(agrees)
}

fn as_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
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
