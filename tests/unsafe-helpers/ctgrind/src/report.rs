//! What memcheck reported, and whether it is the verdict.

use core::fmt;

/// The one function that may branch on the comparison's result: the outcome is public. Built for this check, the library
/// keeps it apart.
const VERDICT: &str = "plan::MacPlan::verdict";
/// Where a key of nothing but zeros is refused at start-up: that answer is public, too.
const START_UP: &str = "secret::refuse_zeros";

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
    /// Whether it is in the verdict itself, or in code of the standard library that was inlined there. Nothing that the
    /// verdict calls is excused.
    pub fn is_verdict(&self) -> bool {
        self.is_in(VERDICT)
    }

    /// Whether it is where a key of nothing but zeros is refused.
    pub fn is_start_up(&self) -> bool {
        self.is_in(START_UP)
    }

    fn is_in(&self, function: &str) -> bool {
        let is_it = |frame: &&Frame| frame.function.ends_with(function);
        let own = self
            .frames
            .iter()
            .find(|frame| is_it(frame) || !frame.path.contains("/library/core/src/"));
        own.as_ref().is_some_and(is_it)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "     {}", self.what)?;
        for frame in self.frames.iter().take(8) {
            let function: String =
                frame.function.replace("&lt;", "<").replace("&gt;", ">").chars().take(80).collect();
            writeln!(f, "       {}:{} {function}", frame.path, frame.line)?;
        }
        Ok(())
    }
}

/// Reads valgrind's XML, as far as it is needed: each error's kind and its first stack.
pub fn parse(xml: &str) -> Vec<Report> {
    let errors =
        xml.split("<error>").skip(1).map(|rest| rest.split("</error>").next().unwrap_or(rest));
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
