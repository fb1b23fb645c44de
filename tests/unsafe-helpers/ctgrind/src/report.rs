//! What memcheck reported, and whether it is the verdict.

use core::fmt;
use core::ops::RangeInclusive;
use std::sync::LazyLock;

const PLAN: &str = include_str!("../../../../src/plan.rs");

/// The lines of the one function that may branch on the comparison's result: the outcome is public.
static VERDICT: LazyLock<RangeInclusive<usize>> = LazyLock::new(|| {
    let lines = || PLAN.lines().enumerate().map(|(index, line)| (index + 1, line));
    let starts: Vec<usize> = lines().filter(|(_, line)| line.contains("fn verdict")).map(|(line, _)| line).collect();
    let [start] = starts[..] else { panic!("src/plan.rs has not one function `verdict`; tell this check what is public") };
    let end = lines().find(|(line, text)| *line > start && *text == "    }").map(|(line, _)| line);
    start..=end.expect("the function `verdict` ends")
});

#[derive(Debug)]
struct Frame {
    function: String,
    /// Folder and file.
    path: String,
    line: usize,
}

/// One place where a branch, an address or a system call depends on a secret.
#[derive(Debug)]
pub struct Report {
    what: String,
    frames: Vec<Frame>,
}

impl Report {
    /// Whether the innermost code that is not the standard library's, inlined functions apart, is the verdict.
    pub fn is_verdict(&self) -> bool {
        let own = self.frames.iter().find(|frame| !frame.path.contains("/library/core/src/"));
        own.is_some_and(|frame| {
            frame.path.ends_with("/src/plan.rs")
                && !frame.path.contains("unsafe-helpers")
                && VERDICT.contains(&frame.line)
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "     {}", self.what)?;
        for frame in self.frames.iter().take(8) {
            let function: String = frame.function.replace("&lt;", "<").replace("&gt;", ">").chars().take(80).collect();
            writeln!(f, "       {}:{} {function}", frame.path, frame.line)?;
        }
        Ok(())
    }
}

/// Reads valgrind's XML, as far as it is needed: each error's kind and its first stack.
pub fn parse(xml: &str) -> Vec<Report> {
    let errors = xml.split("<error>").skip(1).map(|rest| rest.split("</error>").next().unwrap_or(rest));
    errors
        .map(|error| {
            let stack = error.split("<stack>").nth(1).unwrap_or_default();
            let stack = stack.split("</stack>").next().unwrap_or_default();
            let frames = stack.split("<frame>").skip(1).map(|frame| Frame {
                function: tag(frame, "fn"),
                path: format!("{}/{}", tag(frame, "dir"), tag(frame, "file")),
                line: tag(frame, "line").parse().unwrap_or_default(),
            });
            Report { what: tag(error, "kind"), frames: frames.collect() }
        })
        .collect()
}

fn tag(text: &str, name: &str) -> String {
    let rest = text.split_once(&format!("<{name}>")).map_or("", |(_, rest)| rest);
    rest.split_once(&format!("</{name}>")).map_or("", |(value, _)| value).to_owned()
}
