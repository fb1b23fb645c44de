//! The command `hookproof`: verify and sign webhook deliveries, look after an inbox, run the conformance vectors.

mod args;
mod explain;
mod failure;
mod http_file;
#[cfg(feature = "inbox")]
mod inbox;
mod library;
mod output;
mod providers;
mod secrets;
mod sign;
mod time;
mod vectors;
mod verify;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::failure::{Ending, Outcome};
use crate::output::Screen;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut screen = Screen::stdout();
    let outcome = run(&cli.command, &mut screen);
    let outcome = outcome.and_then(|ending| screen.finish().map(|()| ending));
    match outcome {
        Ok(Ending::Good) => ExitCode::SUCCESS,
        Ok(Ending::Bad) => ExitCode::from(1),
        Err(failure) => {
            output::error(failure);
            ExitCode::from(2)
        }
    }
}

fn run(command: &Command, screen: &mut Screen) -> Outcome {
    match command {
        Command::Verify(args) => verify::run(args, screen),
        Command::Explain(args) => explain::run(args, screen),
        Command::Sign(args) => sign::run(args, screen),
        Command::Vectors(command) => vectors::run(command, screen),
        #[cfg(feature = "inbox")]
        Command::Inbox(args) => inbox::run(args, screen),
        Command::Providers(args) => providers::run(args, screen),
    }
}
