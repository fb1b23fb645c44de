//! The result of a run as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::output::plain;
use crate::vectors::grade::{Difference, Grade};
use crate::vectors::report::{Counts, Report, alike, some_of};

/// The document: tables of senders and families, each failure, what is unsupported or has another reason.
pub(crate) fn text(report: &Report<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(report, &mut text);
    text
}

fn write(report: &Report<'_>, text: &mut String) -> std::fmt::Result {
    let total = report.total();
    writeln!(text, "# {}\n", cell(report.name()))?;
    writeln!(text, "Conformance vectors {}.\n", hookproof_vectors::SUITE_VERSION)?;

    head(text, "sender")?;
    for (provider, graded) in report.parts() {
        row(text, provider, Counts::of(graded))?;
    }
    row(text, "all", total)?;

    let mut families: BTreeMap<&str, Counts> = BTreeMap::new();
    for graded in report.graded() {
        for flag in &graded.case.test.flags {
            families.entry(flag).or_default().add(graded);
        }
    }
    writeln!(text, "\n## Families\n\nA vector with several flags counts in each of them.\n")?;
    head(text, "family")?;
    for (family, counts) in families {
        row(text, family, counts)?;
    }

    if total.failed > 0 {
        writeln!(
            text,
            "\n## Failed\n\n| vector | differs in | expected | got | flags |\n|---|---|---|---|---|"
        )?;
    }
    for graded in report.graded() {
        if let Grade::Failed(Difference { point, expected, got }) = &graded.grade {
            let test = graded.case.test;
            let (expected, got) = (cell(expected), cell(got));
            let (id, flags) = (cell(&test.id), cell(test.flags.join(" ")));
            writeln!(text, "| {id} | {} | {expected} | {got} | {flags} |", point.as_str())?;
        }
    }

    let alike = alike(report.graded());
    if !alike.is_empty() {
        writeln!(
            text,
            "\n## Unsupported, and other reasons\n\n| what | count | vectors |\n|---|--:|---|"
        )?;
    }
    for (what, ids) in alike {
        writeln!(text, "| {} | {} | {} |", cell(what), ids.len(), cell(some_of(&ids)))?;
    }
    if total.other_reasons > 0 {
        let count = total.other_reasons;
        writeln!(text, "\nOf the passed vectors {count} have another reason or none.")?;
    }
    if total.events_not_told > 0 {
        let count = total.events_not_told;
        writeln!(
            text,
            "\nThe events of {count} accepted vectors are not compared: it does not say them."
        )?;
    }
    Ok(())
}

fn head(text: &mut String, name: &str) -> std::fmt::Result {
    writeln!(text, "| {name} | passed | failed | unsupported |\n|---|--:|--:|--:|")
}

fn row(text: &mut String, name: &str, counts: Counts) -> std::fmt::Result {
    let Counts { passed, failed, unsupported, .. } = counts;
    writeln!(text, "| {} | {passed} | {failed} | {unsupported} |", cell(name))
}

/// Text from elsewhere as the content of a cell: one line, and nothing in it is markup.
fn cell(text: impl std::fmt::Display) -> String {
    let mut cell = String::new();
    for char in plain(text).chars() {
        match char {
            '\n' => cell.push(' '),
            '&' => cell.push_str("&amp;"),
            '<' => cell.push_str("&lt;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' | '~' => cell.extend(['\\', char]),
            char => cell.push(char),
        }
    }
    cell
}
