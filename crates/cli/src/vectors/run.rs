//! `hookproof vectors run`: every vector to an implementation, every answer against its vector.

use std::fs;
use std::path::Path;

use hookproof_vectors::{POLICIES, Policy};

use crate::args::RunArgs;
use crate::failure::{Ending, Failure, Outcome};
use crate::output::Screen;
use crate::vectors::builtin;
use crate::vectors::exec::{self, Command};
use crate::vectors::grade::{Answer, Rules};
use crate::vectors::report::Report;
use crate::vectors::select::{self, Case};

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
    let rules = Rules { policy: policy(args)?, strict_reasons: args.strict_reasons };
    let files = select::load_checked(&args.selection)?;
    let cases = select::cases(&files, &args.selection)?;
    let (implementation, answers) = answers(args, &cases)?;
    let grades =
        cases.iter().zip(&answers).map(|(case, answer)| (*case, rules.grade(case, answer)));
    let report = Report::new(implementation, grades.collect());
    if args.json {
        screen.json(&report.json());
    } else {
        report.text(screen);
    }
    Ok(Ending::good_if(report.is_good()))
}

/// The name of the implementation, where it is not ours, and its answers in the order of the cases.
fn answers(args: &RunArgs, cases: &[Case<'_>]) -> Result<(Option<String>, Vec<Answer>), Failure> {
    match &args.exec {
        None => Ok((None, cases.iter().map(builtin::answer).collect())),
        Some(command) => {
            let command = Command { line: command.clone(), time_limit: args.time_limit };
            let (implementation, answers) = exec::ask(&command, cases)?;
            Ok((Some(implementation), answers))
        }
    }
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
