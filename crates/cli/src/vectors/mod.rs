//! `hookproof vectors`: the conformance vectors, run, checked, listed and copied.

mod builtin;
mod check;
mod copy;
mod exec;
mod grade;
mod junit;
mod list;
mod markdown;
mod progress;
mod report;
mod run;
mod select;

use crate::args::VectorsCommand;
use crate::failure::Outcome;
use crate::output::Screen;

/// Runs the command.
pub(crate) fn run(command: &VectorsCommand, screen: &mut Screen) -> Outcome {
    match command {
        VectorsCommand::Run(args) => run::run(args, screen),
        VectorsCommand::Check(args) => check::run(args, screen),
        VectorsCommand::List(args) => list::run(args, screen),
        VectorsCommand::Copy(args) => copy::run(args, screen),
    }
}
