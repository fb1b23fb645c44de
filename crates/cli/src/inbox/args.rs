//! The command line of `hookproof inbox`, as types.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand};
use hookproof_inbox::{EndpointId, EventId, Key, Selection, State};

use super::database::DatabaseArgs;
use super::help;
use crate::failure::Failure;
use crate::secrets::OptionalSecrets;
use crate::time;

/// `hookproof inbox`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = help::INBOX)]
pub(crate) struct InboxArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    #[command(subcommand)]
    pub(crate) command: InboxCommand,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum InboxCommand {
    /// List events that were given up
    #[command(after_help = help::DEAD)]
    Dead(PageArgs),
    /// List events
    #[command(after_help = help::LIST)]
    List(ListArgs),
    /// Make the tables, or what is missing of them
    #[command(after_help = help::MIGRATE)]
    Migrate(MigrateArgs),
    /// List events that wait for a person, with the reason
    #[command(after_help = help::PARKED)]
    Parked(PageArgs),
    /// Remove payloads and keys that are no longer needed
    #[command(after_help = help::PURGE)]
    Purge(PurgeArgs),
    /// Compare with the sender's own list: what never came, is not done, or was done twice
    #[command(after_help = help::RECONCILE)]
    Reconcile(ReconcileArgs),
    /// Take an event from a worker that is known to be gone
    #[command(after_help = help::RELEASE)]
    Release(ReleaseArgs),
    /// Have events worked on again
    #[command(after_help = help::REPLAY)]
    Replay(ReplayArgs),
    /// Seal the log, and export its head
    #[command(after_help = help::SEAL)]
    Seal(SealArgs),
    /// Mark an event as done by hand
    #[command(after_help = help::SETTLE)]
    Settle(SettleArgs),
    /// Show an event, its attempts and its delivery
    #[command(after_help = help::SHOW)]
    Show(ShowArgs),
    /// Verify the log: which rows were changed, removed, inserted or cut off
    #[command(after_help = help::VERIFY)]
    Verify(VerifyArgs),
}

impl InboxCommand {
    /// Whether a program reads the output.
    pub(crate) const fn is_json(&self) -> bool {
        match self {
            Self::Dead(args) | Self::Parked(args) => args.json,
            Self::List(args) => args.page.json,
            Self::Migrate(_) => false,
            Self::Purge(args) => args.json,
            Self::Reconcile(args) => args.json,
            Self::Release(args) => args.json,
            Self::Replay(args) => args.json,
            Self::Seal(args) => args.json,
            Self::Settle(args) => args.json,
            Self::Show(args) => args.json,
            Self::Verify(args) => args.json,
        }
    }

    /// What clap cannot say; asked before the database is opened.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Purge(args) => args.check(),
            Self::Replay(args) => args.check(),
            _ => Ok(()),
        }
    }
}

/// Which events, whatever their state.
#[derive(Debug, Args, Clone)]
pub(crate) struct FilterArgs {
    /// Only events of this endpoint
    #[arg(long, value_name = "NAME", value_parser = endpoint)]
    pub(crate) endpoint: Option<EndpointId>,
    /// Only events of this kind, such as invoice.paid
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Only events about this, as it is listed
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// Only events that arrived at this time or later: seconds since 1970 or RFC 3339
    #[arg(long, value_name = "UNIX-SECONDS|RFC3339", value_parser = time::parse, allow_negative_numbers = true)]
    pub(crate) from: Option<u64>,
    /// Only events that arrived before this time
    #[arg(long, value_name = "UNIX-SECONDS|RFC3339", value_parser = time::parse, allow_negative_numbers = true)]
    pub(crate) until: Option<u64>,
}

impl FilterArgs {
    /// The events that are meant.
    pub(crate) fn selection(&self, state: Option<State>) -> Selection {
        let mut selection = Selection::new();
        selection.endpoint.clone_from(&self.endpoint);
        selection.kind = self.kind.as_deref().map(Into::into);
        selection.subject = self.subject.as_deref().map(Into::into);
        selection.state = state;
        selection.from = self.from.map(hookproof::UnixTime::from_millis);
        selection.until = self.until.map(hookproof::UnixTime::from_millis);
        selection
    }
}

/// A state, by its word.
#[derive(Debug, Args, Clone)]
pub(crate) struct StateArgs {
    /// Only events in this state
    #[arg(long, value_parser = PossibleValuesParser::new(State::ALL.map(State::as_str)).try_map(|word| State::from_word(&word).ok_or("a state")))]
    pub(crate) state: Option<State>,
}

/// A page of a list.
#[derive(Debug, Args, Clone)]
pub(crate) struct PageArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// At most this many events
    #[arg(long, value_name = "N", default_value = "100")]
    pub(crate) limit: NonZeroU32,
    /// Only events after this one: the last of the page before
    #[arg(long, value_name = "ID", value_parser = event)]
    pub(crate) after: Option<EventId>,
    /// Print a JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof inbox list`.
#[derive(Debug, Args, Clone)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) state: StateArgs,
    #[command(flatten)]
    pub(crate) page: PageArgs,
}

/// `hookproof inbox migrate`.
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Also the tables of the tamper-evident log, and begin a log of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) log: Option<String>,
}

/// `hookproof inbox show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The number of the event
    #[arg(value_name = "ID", value_parser = event, required_unless_present = "key", conflicts_with_all = ["key", "endpoint"])]
    pub(crate) id: Option<EventId>,
    /// The event of this key, such as stripe/evt_1, instead of a number
    #[arg(long, value_parser = key, requires = "endpoint")]
    pub(crate) key: Option<Key>,
    /// The endpoint at which the key arrived
    #[arg(long, value_name = "NAME", value_parser = endpoint, requires = "key")]
    pub(crate) endpoint: Option<EndpointId>,
    /// Print the values of headers with credentials and signatures, and the query of the URL
    #[arg(long)]
    pub(crate) reveal_headers: bool,
    /// Print at most so many bytes of the body
    #[arg(long, value_name = "BYTES", default_value = "4096")]
    pub(crate) body_limit: usize,
    /// Write the whole body to a file that is not there yet, or to standard output and nothing else with -
    #[arg(long, value_name = "FILE|-", conflicts_with = "json")]
    pub(crate) body: Option<PathBuf>,
    /// Verify the delivery again, as of its arrival
    #[arg(long, requires = "secrets", conflicts_with = "body")]
    pub(crate) verify: bool,
    /// With --verify: the sender's id [default: the one that was stored]
    #[arg(long, value_name = "ID", requires = "verify")]
    pub(crate) provider: Option<String>,
    /// With --verify: an option of the sender, such as versions=v1,v2 (repeatable)
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = crate::args::key_value, requires = "verify")]
    pub(crate) options: Vec<(String, String)>,
    /// With --verify: how far the signed time may be from the arrival, both ways [default: the sender's]
    #[arg(long, value_name = "SECONDS", requires = "verify")]
    pub(crate) tolerance: Option<u64>,
    #[command(flatten)]
    pub(crate) secrets: OptionalSecrets,
    /// Print one JSON object: event, attempts, delivery, verified
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof inbox replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The number of one event
    #[arg(value_name = "ID", value_parser = event)]
    pub(crate) id: Option<EventId>,
    #[command(flatten)]
    pub(crate) state: StateArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// All events of the database
    #[arg(long)]
    pub(crate) all: bool,
    /// Only say what would be worked on again
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object: events, skipped, dryRun
    #[arg(long)]
    pub(crate) json: bool,
}

impl ReplayArgs {
    /// The events that are meant.
    pub(crate) fn selection(&self) -> Selection {
        let mut selection = self.filter.selection(self.state.state);
        selection.event = self.id;
        selection
    }

    fn check(&self) -> Result<(), Failure> {
        let filtered = self.selection() != Selection::new();
        match (filtered, self.all) {
            (false, false) => Err(Failure::new(
                "which events? Give a number, a filter such as --state dead, or --all for every event of the database",
            )),
            (true, true) => {
                Err(Failure::new("--all means every event: leave it out, or the filters"))
            }
            _ => Ok(()),
        }
    }
}

/// `hookproof inbox settle`.
#[derive(Debug, Args)]
pub(crate) struct SettleArgs {
    /// The number of the event
    #[arg(value_name = "ID", value_parser = event)]
    pub(crate) id: EventId,
    /// How it was done, for those who look later
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(crate) reason: String,
    /// Print one JSON object: the event
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof inbox release`.
#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// The number of the event
    #[arg(value_name = "ID", value_parser = event)]
    pub(crate) id: EventId,
    /// Print one JSON object: the event
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof inbox seal`.
#[derive(Debug, Args)]
pub(crate) struct SealArgs {
    /// Also write the head to this file, once the head that is in it is known to agree
    #[arg(long, value_name = "FILE")]
    pub(crate) head: Option<PathBuf>,
    /// Also add a checkpoint, below which keys can be purged
    #[arg(long)]
    pub(crate) checkpoint: bool,
    /// Print one JSON object: log, sealed, checkpoint, seq, link, at, head
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof inbox verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Files with heads that were exported and kept elsewhere, one a line
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) head: Vec<PathBuf>,
    /// Print one JSON object: status, log, rows, first, last, provenTo, unsealed, faults, findings
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof inbox purge`.
#[derive(Debug, Args)]
pub(crate) struct PurgeArgs {
    /// Remove deliveries that arrived longer ago and whose events are all done
    #[arg(long, value_name = "TIME", value_parser = time::span)]
    pub(crate) payloads: Option<Duration>,
    /// Remove keys that were recorded longer ago and whose events are done, with their events and attempts
    #[arg(long, value_name = "TIME", value_parser = time::span, requires_all = ["endpoint", "provider"])]
    pub(crate) keys: Option<Duration>,
    /// With --keys: the endpoint whose keys are meant
    #[arg(long, value_name = "NAME", value_parser = endpoint, requires = "keys")]
    pub(crate) endpoint: Option<EndpointId>,
    /// With --keys: the sender of that endpoint, whose retries the keys must outlive
    #[arg(long, value_name = "ID", requires = "keys")]
    pub(crate) provider: Option<String>,
    /// With --keys, where a log is kept: the file to which the head of the checkpoint is written before anything goes
    #[arg(long, value_name = "FILE", requires = "keys")]
    pub(crate) head: Option<PathBuf>,
    /// How many rows go in one transaction
    #[arg(long, value_name = "N", default_value = "1000")]
    pub(crate) batch: NonZeroU32,
    /// Only say how much would go, counted up to 10,000 rows
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object: payloads, days, keys, links, more, head, dryRun
    #[arg(long)]
    pub(crate) json: bool,
}

impl PurgeArgs {
    fn check(&self) -> Result<(), Failure> {
        if self.payloads.is_none() && self.keys.is_none() {
            return Err(Failure::new("what is to go? Give --payloads TIME, --keys TIME or both"));
        }
        Ok(())
    }
}

/// By what the sender's list is compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum By {
    /// Ids of events or deliveries: the keys
    Key,
    /// Ids of what events are about: the subjects
    Subject,
}

/// `hookproof inbox reconcile`.
#[derive(Debug, Args)]
pub(crate) struct ReconcileArgs {
    /// The sender's list: ids one a line, a JSON array, or a CSV file with --column; - for standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) ids: PathBuf,
    /// The column of a CSV file that holds the ids, by its name in the first line
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,
    /// The endpoint at which they should have arrived
    #[arg(long, value_name = "NAME", value_parser = endpoint)]
    pub(crate) endpoint: EndpointId,
    /// What the ids are
    #[arg(long, value_enum, default_value = "key")]
    pub(crate) by: By,
    /// The sender, whose ids are made keys: evt_1 of stripe is stripe/evt_1; without it the ids are keys
    #[arg(long, value_name = "ID")]
    pub(crate) provider: Option<String>,
    /// Print one JSON object: ids, neverReceived, notDone, doneTwice
    #[arg(long)]
    pub(crate) json: bool,
}

fn endpoint(text: &str) -> Result<EndpointId, String> {
    EndpointId::new(text).map_err(|error| error.to_string())
}

fn key(text: &str) -> Result<Key, String> {
    Key::new(text).map_err(|error| error.to_string())
}

fn event(text: &str) -> Result<EventId, String> {
    text.parse()
        .map(EventId::from_u64)
        .map_err(|_| "expected the number of an event, as it is listed".to_owned())
}

fn reason(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("say how it was done".to_owned());
    }
    Ok(text.to_owned())
}
