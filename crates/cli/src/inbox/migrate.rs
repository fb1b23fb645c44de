//! `hookproof inbox migrate`: the tables.

use super::args::MigrateArgs;
use super::database::Inbox;
use crate::failure::{Ending, Outcome};
use crate::output::Screen;

/// Runs the command.
pub(crate) async fn run<I: Inbox>(inbox: &I, args: &MigrateArgs, screen: &mut Screen) -> Outcome {
    inbox.make_tables(args.log.as_deref()).await?;
    let prefix = inbox.prefix();
    match &args.log {
        Some(name) => {
            screen.line(format_args!("the tables {prefix}_* are there, with the log {name}"))
        }
        None => screen.line(format_args!("the tables {prefix}_* are there")),
    }
    Ok(Ending::Good)
}
