//! The mail server and the payment provider: whatever they do they log first, and nothing rolls it back.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use hookproof::UnixTime;
use serde::{Deserialize, Serialize};

/// A line of their log.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Line {
    /// Whether it is the effect, or only a handler that begins.
    pub(crate) effect: bool,
    pub(crate) endpoint: String,
    pub(crate) key: String,
    pub(crate) token: u64,
    /// The process that had it done.
    pub(crate) process: String,
    /// When, by the clock of that process, in milliseconds.
    pub(crate) at: u64,
}

impl Line {
    pub(crate) fn new(endpoint: &str, key: &str, token: u64, process: &str, at: UnixTime) -> Self {
        Self {
            effect: false,
            endpoint: endpoint.to_owned(),
            key: key.to_owned(),
            token,
            process: process.to_owned(),
            at: at.as_millis(),
        }
    }

    /// Appends it, by one write, and waits for the disk if it is the effect.
    pub(crate) fn append(&self, file: &Path) {
        let mut file = OpenOptions::new().append(true).create(true).open(file).expect("the log");
        let mut line = serde_json::to_string(self).expect("a line");
        line.push('\n');
        file.write_all(line.as_bytes()).expect("the log");
        if self.effect {
            file.sync_data().expect("the log");
        }
    }
}

/// The log.
pub(crate) fn read(file: &Path) -> Vec<Line> {
    let Ok(file) = File::open(file) else { return Vec::new() };
    let lines = BufReader::new(file).lines();
    lines.map(|line| serde_json::from_str(&line.expect("text")).expect("a line")).collect()
}
