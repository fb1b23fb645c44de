//! `hookproof vectors run`: every vector to an implementation, every answer against its vector.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use hookproof_vectors::{POLICIES, Policy};

use crate::args::RunArgs;
use crate::failure::{Ending, Failure, Outcome};
use crate::output::Screen;
use crate::vectors::exec::{self, Command};
use crate::vectors::grade::Rules;
use crate::vectors::progress::Progress;
use crate::vectors::report::{Graded, Report};
use crate::vectors::{builtin, junit, markdown, select};

/// The policy file of the built-in implementation.
const OUR_POLICY: &str = "policies/hookproof.json";

/// Runs the command.
pub(crate) fn run(args: &RunArgs, screen: &mut Screen) -> Outcome {
    let outcome = compare(args, screen);
    if let (true, Err(failure)) = (args.json, &outcome) {
        screen.json(&serde_json::json!({ "error": { "kind": failure.kind(), "message": failure.to_string() } }));
    }
    outcome
}

fn compare(args: &RunArgs, screen: &mut Screen) -> Outcome {
    let mut rules =
        Rules { policy: policy(args)?, strict_reasons: args.strict_reasons, events_offered: true };
    let files = select::load_checked(&args.selection)?;
    let cases = select::cases(&files, &args.selection)?;
    let junit = args.junit.as_deref().map(ReportFile::create).transpose()?;
    let markdown = args.markdown.as_deref().map(ReportFile::create).transpose()?;
    let progress = Progress::new(cases.len());
    let (implementation, answers): (_, Vec<_>) = match &args.exec {
        // Not worth several threads: most of the time goes into reading the files.
        None => {
            let answer = |case| {
                progress.step();
                builtin::answer(case)
            };
            (None, cases.iter().map(answer).collect())
        }
        Some(command) => {
            let command = Command {
                line: command.clone(),
                time_limit: args.time_limit,
                processes: args.jobs,
            };
            let asked = exec::ask(&command, &cases, &progress)?;
            rules.events_offered = asked.offers_events;
            (Some(asked.name), asked.answers)
        }
    };
    drop(progress);
    let graded = cases.iter().zip(&answers).map(|(case, answer)| Graded {
        case: *case,
        grade: rules.grade(case, answer),
        events: rules.events(case, answer),
    });
    let report = Report::new(implementation, graded.collect());
    if args.json {
        screen.json(&report.json());
    } else {
        report.text(screen);
    }
    if let Some(file) = junit {
        file.write(&junit::text(&report)?)?;
    }
    if let Some(file) = markdown {
        file.write(&markdown::text(&report))?;
    }
    Ok(Ending::good_if(report.is_good()))
}

/// A report that goes to a file. It is made, and emptied, before anything is run, so that a path that cannot be
/// written is said at once and no report of an earlier run is taken for this one's.
struct ReportFile<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> ReportFile<'a> {
    fn create(path: &'a Path) -> Result<Self, Failure> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(path));
        made.map(|file| Self { path, file }).map_err(|error| cannot_write(path, &error))
    }

    fn write(mut self, text: &str) -> Result<(), Failure> {
        self.file.write_all(text.as_bytes()).map_err(|error| cannot_write(self.path, &error))
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {error}", path.display()))
}

fn policy(args: &RunArgs) -> Result<Option<Policy>, Failure> {
    let read = |name: &str, text: &str| {
        Policy::parse(name, text)
            .map(Some)
            .map_err(|faults| Failure::of_kind("bad-policy", faults.to_string()))
    };
    match (&args.policy, &args.exec) {
        (Some(path), _) => read(&path.display().to_string(), &read_policy(path)?),
        (None, Some(_)) => Ok(None),
        (None, None) => match POLICIES.iter().find(|(name, _)| *name == OUR_POLICY) {
            Some((name, text)) => read(name, text),
            None => Ok(None),
        },
    }
}

fn read_policy(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| {
        Failure::of_kind("bad-policy", format!("cannot read {}: {error}", path.display()))
    })
}
