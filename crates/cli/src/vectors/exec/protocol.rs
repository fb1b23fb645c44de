//! The lines of the protocol, version 1: one JSON object each.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hookproof_vectors::{Body, HeaderValue, SUITE_VERSION, Secret, USUAL_NOW_MS};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::vectors::grade::{Accepted, Answer};
use crate::vectors::select::Case;

/// No line is longer, in either direction.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// Our first line.
pub(crate) fn hello() -> Vec<u8> {
    json!({ "protocol": 1, "suite": SUITE_VERSION }).to_string().into_bytes()
}

/// What an implementation says of itself in its first line.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capabilities {
    implementation: String,
    version: String,
    providers: Vec<String>,
    clock: Clock,
    secrets: SecretCount,
    options: Vec<String>,
    max_body: u64,
    /// Whether it says the events of what it accepts.
    #[serde(default)]
    events: bool,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Clock {
    /// It takes the time of each case.
    Given,
    /// It always stands at the usual time of the vectors.
    Fixed,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged, expecting = "expected 1 or \"many\"")]
enum SecretCount {
    Number(u64),
    Word(Many),
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Many {
    Many,
}

impl Capabilities {
    /// The implementation's name and version.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.implementation, self.version)
    }

    /// Whether an acceptance has to say the events.
    pub(crate) const fn offers_events(&self) -> bool {
        self.events
    }

    /// What the case needs and the implementation does not offer.
    pub(crate) fn lacks(&self, case: &Case<'_>) -> Option<String> {
        let (provider, group, test) = (&case.file.provider, case.group, case.test);
        if !self.providers.contains(provider) {
            return Some(format!("the provider {provider} is not offered"));
        }
        if self.clock == Clock::Fixed && test.now_ms != USUAL_NOW_MS {
            return Some("the clock cannot be set".to_owned());
        }
        if let SecretCount::Number(limit) = self.secrets
            && usize::try_from(limit).is_ok_and(|limit| group.secrets.len() > limit)
        {
            return Some(format!("it takes {limit} secret at a time"));
        }
        let offered = |name: &String| {
            self.options.iter().any(|own| own == name || *own == format!("{provider}.{name}"))
        };
        if let Some(option) = group.options.keys().find(|name| !offered(name)) {
            return Some(format!("the option {option} is not offered"));
        }
        let length = u64::try_from(test.body.len()).unwrap_or(u64::MAX);
        (length > self.max_body)
            .then(|| format!("it takes bodies of at most {} bytes", self.max_body))
    }
}

/// Reads the first line of an implementation.
pub(crate) fn capabilities(line: &[u8]) -> Result<Capabilities, String> {
    serde_json::from_slice(line)
        .map_err(|error| format!("its hello line cannot be read: {error}: {}", shown(line)))
}

/// The line of a case.
pub(crate) fn case(case: &Case<'_>) -> Result<Vec<u8>, String> {
    let line = written(case, false)?;
    if line.len() <= MAX_LINE {
        return Ok(line);
    }
    let line =
        if matches!(case.test.body, Body::Repeat { .. }) { written(case, true)? } else { line };
    if line.len() <= MAX_LINE {
        Ok(line)
    } else {
        Err("the case does not fit into a line of 1 MiB".to_owned())
    }
}

fn written(case: &Case<'_>, repeat: bool) -> Result<Vec<u8>, String> {
    let (group, test) = (case.group, case.test);
    let (body_base64, repeat) = match &test.body {
        Body::Repeat { unit, times, .. } if repeat => {
            (None, Some(Repeat { repeat: unit, times: *times }))
        }
        // Not even tried where it cannot fit: base64 is longer than what it holds.
        body if body.len() > MAX_LINE && matches!(body, Body::Repeat { .. }) => {
            return written(case, true);
        }
        body => (Some(STANDARD.encode(body.bytes())), None),
    };
    let line = CaseLine {
        id: &test.id,
        provider: &case.file.provider,
        secrets: &group.secrets,
        tolerance_seconds: group.tolerance_seconds,
        options: &group.options,
        now_ms: test.now_ms,
        method: test.method.as_deref(),
        url: test.url.as_deref(),
        headers: &test.headers,
        body_base64,
        repeat,
    };
    serde_json::to_vec(&line).map_err(|error| error.to_string())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CaseLine<'a> {
    id: &'a str,
    provider: &'a str,
    secrets: &'a [Secret],
    tolerance_seconds: Option<u64>,
    options: &'a BTreeMap<String, Value>,
    now_ms: u64,
    method: Option<&'a str>,
    url: Option<&'a str>,
    headers: &'a [(String, HeaderValue)],
    #[serde(skip_serializing_if = "Option::is_none")]
    body_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<Repeat<'a>>,
}

/// A body that would not fit.
#[derive(Serialize)]
struct Repeat<'a> {
    repeat: &'a str,
    times: usize,
}

/// Reads an answer: the id of its case and what it says. Members that are not known are left alone.
///
/// A line without an id cannot be put down to a case and is an error; a bad answer with one is an answer.
pub(crate) fn answer(line: &[u8]) -> Result<(String, Answer), String> {
    let value: Value = serde_json::from_slice(line)
        .map_err(|_| format!("it answered with no JSON: {}", shown(line)))?;
    let id = value.get("id").and_then(Value::as_str);
    let id = id
        .ok_or_else(|| format!("it answered without the id of a case: {}", shown(line)))?
        .to_owned();
    let answer = match AnswerLine::deserialize(&value) {
        Ok(line) => line.into_answer(),
        Err(error) => Answer::Error(format!("its answer cannot be read: {error}")),
    };
    Ok((id, answer))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnswerLine {
    verdict: Verdict,
    reason: Option<String>,
    events: Option<Vec<Value>>,
    events_error: Option<String>,
    key: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Accept,
    Reject,
    Unsupported,
}

impl AnswerLine {
    fn into_answer(self) -> Answer {
        match (self.verdict, self.reason) {
            (Verdict::Accept, None) => {
                let events = match (self.events, self.events_error) {
                    (Some(_), Some(_)) => {
                        return Answer::Error(
                            "its answer gives events and an events error".to_owned(),
                        );
                    }
                    (events, error) => events.map(Ok).or_else(|| error.map(Err)),
                };
                Answer::Accept(Accepted { key: self.key, events })
            }
            (Verdict::Accept, Some(_)) => {
                Answer::Error("its answer accepts and gives a reason".to_owned())
            }
            (Verdict::Reject, reason) => Answer::Reject(reason),
            (Verdict::Unsupported, why) => {
                Answer::Unsupported(why.unwrap_or_else(|| "it says so".to_owned()))
            }
        }
    }
}

/// The beginning of a line, to be told to a person.
fn shown(line: &[u8]) -> String {
    let start: String = String::from_utf8_lossy(line).chars().take(80).collect();
    format!("{start:?}")
}
