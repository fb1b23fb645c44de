//! Tables of a run, in Markdown.

use std::fmt::Write as _;

use crate::contenders::BARE;
use crate::measure::Times;
use crate::promises::promises;
use crate::{SIZES, contenders, grid, size_name};

const BEGIN: &str = "<!-- written by benches/peers -->\n";
const END: &str = "<!-- until here -->";

type BySize = [Times; SIZES.len()];

/// What was measured, by sender.
#[derive(Default)]
pub struct Report {
    pub peers: Vec<(&'static str, BySize)>,
    pub senders: Vec<(&'static str, BySize)>,
}

impl Report {
    pub fn text(&self) -> String {
        let mut text = String::new();
        text.push_str(
            "### What must hold\n\n| | bound | measured | worst case |\n|---|---:|---:|---|\n",
        );
        for promise in promises(self) {
            let mark = if promise.kept { "" } else { ", **missed**" };
            let _ = writeln!(
                text,
                "| {} | {} | {:.3}{mark} | {} |",
                promise.what, promise.bound, promise.measured, promise.at
            );
        }
        text.push_str("\n## Beside peers, in bare MACs\n");
        for (scheme, times) in &self.peers {
            let _ = writeln!(text, "\n### {scheme}\n");
            header(&mut text);
            for name in contenders::order(&times[0]) {
                row(&mut text, &name, times, |times| format!("{:.2}", times.ratio(&name, BARE)));
            }
            let name = "*the bare MAC on this machine*";
            row(&mut text, name, times, |times| format!("{:.2} µs", times.of(BARE) / 1000.0));
        }
        let ways = [
            ("Every sender, one secret and one signature, in bare MACs", grid::WHOLE, grid::BARE),
            (
                "The second of 2 secrets is right, in verifications by one",
                grid::TWO_SECRETS,
                grid::WHOLE,
            ),
            (
                "The last of 32 signatures is right, in verifications of one",
                grid::MANY,
                grid::WHOLE,
            ),
        ];
        let streamed = grid::CHUNKS.map(|(name, _)| (name, name, grid::WHOLE));
        for (title, what, to) in ways.into_iter().chain(streamed) {
            let title = match title.strip_prefix("chunks") {
                Some(rest) => {
                    format!("Streamed in chunks{rest}, in verifications of the whole body")
                }
                None => title.to_owned(),
            };
            let _ = writeln!(text, "\n### {title}\n");
            header(&mut text);
            for (sender, times) in self.senders.iter().filter(|(_, times)| times[0].has(what)) {
                row(&mut text, sender, times, |times| format!("{:.2}", times.ratio(what, to)));
            }
        }
        text
    }
}

fn header(text: &mut String) {
    let _ = writeln!(text, "| | {} |", SIZES.map(size_name).join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(SIZES.len()));
}

fn row(text: &mut String, name: &str, times: &BySize, cell: impl Fn(&Times) -> String) {
    let cells: Vec<String> = times.iter().map(cell).collect();
    let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
}

/// Puts the tables into the place that README.md has for them.
pub fn write(folder: &str, text: &str) {
    let path = format!("{folder}/README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(BEGIN).expect("README.md has no place for the tables");
    let (_, after) = rest.split_once(END).expect("README.md has no place for the tables");
    std::fs::write(path, format!("{before}{BEGIN}\n{text}\n{END}{after}")).unwrap();
}
