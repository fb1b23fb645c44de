//! What sender and receiver say to each other: lines over pipes.

use std::io::{Write as _, stdout};

use serde::{Deserialize, Serialize};

/// A request, as a line of JSON.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) endpoint: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// What a receiver is told.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum Told {
    Deliver(Request),
    Stop,
}

/// What a receiver says.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum Said {
    /// The status of an answer; 503 has a `Retry-After`.
    Answer { id: u64, status: u16, retry: bool },
    /// It stands at the point at which it is to be killed.
    At(String),
    /// The claim on an event was lost.
    Lost,
    /// A head of the log, exported.
    Head(String),
    /// The store could not do what was asked.
    Problem { kind: String, message: String },
    /// It receives from now on.
    Ready,
}

impl Said {
    /// Says it. A line is written at once or not at all.
    pub(crate) fn say(&self) {
        let mut line = serde_json::to_string(self).expect("a line");
        line.push('\n');
        // Nobody listens any more: the parent has gone, and so will this process.
        let _ = stdout().lock().write_all(line.as_bytes());
    }
}
