//! The command line.

use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};

/// Kills a receiver at every point, or loads one.
#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Kill a receiver again and again, then check what it has done.
    Kill(KillArgs),
    /// Send 50,000 notifications of HubSpot in shuffled batches.
    Load(LoadArgs),
    /// The receiver. The other commands start it.
    #[command(hide = true)]
    Child(ChildArgs),
}

impl Command {
    pub(crate) const fn database(&self) -> Kind {
        match self {
            Self::Kill(args) => args.database,
            Self::Load(args) => args.database,
            Self::Child(args) => args.database,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Kind {
    /// The server of `HOOKPROOF_TEST_POSTGRES`; `tests/postgres/run` starts one.
    Postgres,
    /// A file in a temporary folder.
    Sqlite,
}

impl Kind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }
}

/// A fault that is put into the receiver on purpose, to see that a check finds it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Fault {
    /// It answers before it commits.
    AnswerFirst,
    /// It changes a row that is sealed.
    ChangeRow,
    /// It completes the event before the effect.
    CompleteFirst,
    /// It writes the order in a transaction of its own.
    EffectApart,
    /// It records a batch in two transactions.
    HalfBatches,
    /// It reclaims charges, which are to be parked.
    ReclaimCharges,
    /// It does not ask whether an order is new.
    WriteDuplicates,
}

impl Fault {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::AnswerFirst => "answer-first",
            Self::CompleteFirst => "complete-first",
            Self::EffectApart => "effect-apart",
            Self::HalfBatches => "half-batches",
            Self::ChangeRow => "change-row",
            Self::ReclaimCharges => "reclaim-charges",
            Self::WriteDuplicates => "write-duplicates",
        }
    }

    /// How the failure begins by which its check tells of it.
    pub(crate) const fn found_as(self) -> &'static str {
        match self {
            Self::AnswerFirst => "lost: ",
            Self::CompleteFirst => "completed under token ",
            Self::EffectApart => "not once: 0 orders ",
            Self::HalfBatches => "half-written: ",
            Self::ChangeRow => "the log is Broken: ",
            Self::ReclaimCharges | Self::WriteDuplicates => "doubled: ",
        }
    }
}

#[derive(Arguments, Debug)]
pub(crate) struct KillArgs {
    #[arg(long)]
    pub(crate) database: Kind,
    /// How many processes to kill.
    #[arg(long, default_value_t = 50)]
    pub(crate) kills: u32,
    /// The seed of everything that is random; one by the clock unless given.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Put this fault into the receiver. The command then passes if the check that is to find it does.
    #[arg(long)]
    pub(crate) fault: Option<Fault>,
    /// Only kill at this point.
    #[arg(long)]
    pub(crate) point: Option<String>,
    /// Say what happens in each round.
    #[arg(long)]
    pub(crate) verbose: bool,
}

#[derive(Arguments, Debug)]
pub(crate) struct LoadArgs {
    #[arg(long)]
    pub(crate) database: Kind,
    /// How many notifications.
    #[arg(long, default_value_t = 50_000)]
    pub(crate) notifications: usize,
    /// The seed of everything that is random; one by the clock unless given.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Fail if an answer takes longer than so many milliseconds.
    #[arg(long)]
    pub(crate) bound: Option<u64>,
    /// How many deliveries the sender has under way at once.
    #[arg(long, default_value_t = 4)]
    pub(crate) senders: usize,
}

#[derive(Arguments, Clone, Debug)]
pub(crate) struct ChildArgs {
    #[arg(long)]
    pub(crate) database: Kind,
    /// The file or the schema.
    #[arg(long)]
    pub(crate) place: String,
    /// The log of the mail server and the payment provider.
    #[arg(long)]
    pub(crate) effects: String,
    /// The name of this process.
    #[arg(long)]
    pub(crate) name: String,
    /// How far its clock is ahead, in milliseconds.
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) clock: i64,
    #[arg(long)]
    pub(crate) seed: u64,
    /// The point at which it stops and waits to be killed.
    #[arg(long)]
    pub(crate) point: Option<String>,
    /// At which arrival there.
    #[arg(long, default_value_t = 1)]
    pub(crate) nth: u32,
    #[arg(long)]
    pub(crate) fault: Option<Fault>,
}
