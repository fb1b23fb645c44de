//! The command line, as types. What the options mean stands in their help texts.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::secrets::SecretArgs;
use crate::time;

/// Verify and sign webhook deliveries from the shell, and run the conformance vectors.
#[derive(Debug, Parser)]
#[command(
    name = "hookproof",
    version,
    arg_required_else_help = true,
    after_help = "\
Exit codes:
  0  accepted, passed, done
  1  rejected, failed
  2  wrong usage or configuration

Examples:
  hookproof verify --provider github --secret-env GITHUB_SECRET delivery.http
  hookproof explain --provider stripe --secret-env STRIPE_SECRET delivery.http
  hookproof sign --provider stripe --secret whsec_test body.json
  hookproof vectors run
  hookproof inbox --database inbox.db parked
  hookproof help verify"
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Verify a captured raw HTTP request
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyArgs),
    /// Show what was signed, and the mistake that makes a genuine request fail
    #[command(after_help = EXPLAIN_HELP)]
    Explain(ExplainArgs),
    /// Make the request that a sender would send
    #[command(after_help = SIGN_HELP)]
    Sign(SignArgs),
    /// Run, check, list and copy the conformance vectors
    #[command(subcommand, arg_required_else_help = true, after_help = VECTORS_HELP)]
    Vectors(VectorsCommand),
    /// Look after the inbox of a receiver, in a SQLite file or on a PostgreSQL server
    #[cfg(feature = "inbox")]
    Inbox(crate::inbox::args::InboxArgs),
    /// Print the table of senders
    #[command(after_help = PROVIDERS_HELP)]
    Providers(ProvidersArgs),
}

const VERIFY_HELP: &str = "\
The file is the request as it came: request line, headers, an empty line, the body's bytes. Its head may have
LF or CRLF. Content-Length and chunked bodies are understood; a body longer than its Content-Length is cut, a
shorter one is refused. The method is that of the request line; the URL is never taken from the file.

Exit codes: 0 accepted, 1 rejected, 2 wrong usage or configuration.

Examples:
  hookproof verify --provider github --secret-env GITHUB_SECRET delivery.http
  hookproof verify --provider stripe --secret-file new.txt --secret-file old.txt --now 1700000000 delivery.http
  hookproof verify --provider hubspot --secret-env SECRET --url https://example.com/hooks?a=b delivery.http
  hookproof verify --provider hubspot --secret-env SECRET --option versions=v1 --json - < delivery.http";

const EXPLAIN_HELP: &str = "\
The file is the request as it came, as for `hookproof verify`. When the signature does not match, the mistakes that
people really make are undone one by one, and two at a time: a body that was parsed and written again, a lost final
newline, a secret in another form, another URL, another version, another sender. What makes it match is named.

The expected signature is never printed, unless the last option asks for it.

Exit codes: 0 accepted, 1 rejected, 2 wrong usage or configuration.

Examples:
  hookproof explain --provider stripe --secret-env STRIPE_SECRET delivery.http
  hookproof explain --provider hubspot --secret-env SECRET --url https://example.com/hooks --json - < delivery.http";

const SIGN_HELP: &str = "\
The first secret signs; senders that make one signature a secret make one for each. The options of a sender are
those of `hookproof providers`; with several `versions` of HubSpot each listed one is made.

Examples:
  hookproof sign --provider github --secret-env GITHUB_SECRET body.json > delivery.http
  hookproof sign --provider stripe --secret whsec_test --curl --url http://localhost:3000/hooks body.json
  hookproof sign --provider paymos --secret-file new.txt --secret-file old.txt --headers body.json
  echo -n '{}' | hookproof sign --provider calcom --secret test - | hookproof verify --provider calcom --secret test -";

const VECTORS_HELP: &str = "\
Examples:
  hookproof vectors run
  hookproof vectors list --provider stripe
  hookproof vectors copy vectors/
  hookproof vectors run --exec 'python3 adapter.py'";

const PROVIDERS_HELP: &str = "\
Examples:
  hookproof providers
  hookproof providers --json";

const RUN_HELP: &str = "\
Without PATH the embedded vectors are run. A folder stands for every *.json at its top.

With --exec the command is started once and asked over the line protocol, one JSON object a line on its standard
input and output; the README of the vectors describes it. What the command says it does not offer is not asked, and
is listed and counted as unsupported. A crash, a silence or an answer that cannot be read is an error of the case and
counts as failed. Events are compared where the command says them; one whose hello line has \"events\": true has to.
On a terminal a bar on standard error shows how far the run is.

Acceptable vectors pass with either answer. --policy FILE holds them against a list of policy flags; without --exec
the list of hookproof itself is used.

The exit code is the verdict, whatever is written where: 0 all passed that is supported, 1 some failed or none was
run, 2 wrong usage, a broken vector file or a file that cannot be written.

Examples:
  hookproof vectors run --provider stripe
  hookproof vectors run --filter '*-rotat*' --strict-reasons
  hookproof vectors run my-vectors/ extra.json
  hookproof vectors run --exec 'python3 adapter.py' --policy my-policy.json --json
  hookproof vectors run --exec 'node adapter.mjs' --jobs 4 --junit report.xml --markdown report.md";

const CHECK_HELP: &str = "\
Checks files against the JSON Schema, and what a schema cannot say: counts, unique ids, flags and their notes, names
of files. Without PATH the embedded files are checked, policies included.

Exit codes: 0 no fault, 1 faults, 2 wrong usage.

Examples:
  hookproof vectors check
  hookproof vectors check conformance-vectors/ my-vectors/acme.json";

const LIST_HELP: &str = "\
Prints one line a vector: id, result or reason, flags.

Examples:
  hookproof vectors list
  hookproof vectors list --provider hubspot --filter '*url*'
  hookproof vectors list --json";

const COPY_HELP: &str = "\
The folder is made if it does not exist. A file that is there with other content is not overwritten.

Examples:
  hookproof vectors copy tests/webhook-vectors";

/// A sender with its secrets and options.
#[derive(Debug, Args)]
pub(crate) struct SenderArgs {
    /// The sender's id, one of those that `hookproof providers` prints
    #[arg(long, value_name = "ID")]
    pub(crate) provider: String,
    #[command(flatten)]
    pub(crate) secrets: SecretArgs,
    /// An option of the sender, such as versions=v1,v2 (repeatable)
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) options: Vec<(String, String)>,
}

/// A captured request and what it is verified with.
#[derive(Debug, Args)]
pub(crate) struct CaptureArgs {
    #[command(flatten)]
    pub(crate) sender: SenderArgs,
    /// The public URL that the sender calls, exactly as configured there; for senders that sign it
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// The method, where it is another than that of the request line
    #[arg(long)]
    pub(crate) method: Option<http::Method>,
    /// The time to verify at: seconds since 1970 or RFC 3339, fractions allowed [default: the system clock]
    #[arg(long, value_name = "UNIX-SECONDS|RFC3339", value_parser = time::parse, allow_negative_numbers = true)]
    pub(crate) now: Option<u64>,
    /// How far the signed time may be from now, both ways [default: the sender's]; of no effect, with a warning, for
    /// senders that sign no time
    #[arg(long, value_name = "SECONDS")]
    pub(crate) tolerance: Option<u64>,
    /// The captured request; - for standard input
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,
}

/// `hookproof verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) capture: CaptureArgs,
    /// Print one JSON object: verdict, kind, message, key, signedAt, coverage
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) capture: CaptureArgs,
    /// Print one JSON object: verdict, kind, message, key, signedAt, signedBytes, causes, notes
    #[arg(long)]
    pub(crate) json: bool,
    /// Also print the signature that the sender would make, which lets whoever sees it pass this request off as genuine
    #[arg(long, conflicts_with = "json")]
    pub(crate) reveal_expected_signature: bool,
}

/// `hookproof sign`.
#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    #[command(flatten)]
    pub(crate) sender: SenderArgs,
    /// The public URL of the receiver; needed by --curl and by senders that sign it
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// The method
    #[arg(long, default_value = "POST")]
    pub(crate) method: http::Method,
    /// The id of the delivery, for senders that give one in a header [default: made from the time]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// The time of sending: seconds since 1970 or RFC 3339, fractions allowed [default: the system clock]
    #[arg(long, value_name = "UNIX-SECONDS|RFC3339", value_parser = time::parse, allow_negative_numbers = true)]
    pub(crate) now: Option<u64>,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    /// The body; - for standard input
    #[arg(value_name = "BODY-FILE|-")]
    pub(crate) file: PathBuf,
}

/// The form of a signed request.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct FormArgs {
    /// Print raw HTTP (the default)
    #[arg(long)]
    pub(crate) http: bool,
    /// Print a curl command
    #[arg(long, requires = "url")]
    pub(crate) curl: bool,
    /// Print the headers only
    #[arg(long)]
    pub(crate) headers: bool,
}

/// `hookproof providers`.
#[derive(Debug, Args)]
pub(crate) struct ProvidersArgs {
    /// Print a JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof vectors`.
#[derive(Debug, Subcommand)]
pub(crate) enum VectorsCommand {
    /// Run the vectors against this program or, with --exec, another one
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// Check vector files
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// List vectors
    #[command(after_help = LIST_HELP)]
    List(ListArgs),
    /// Copy the embedded files into a folder
    #[command(after_help = COPY_HELP)]
    Copy(CopyArgs),
}

/// Which vectors.
#[derive(Debug, Args)]
pub(crate) struct SelectionArgs {
    /// Files or folders [default: the embedded vectors]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only the vectors of this sender
    #[arg(long, value_name = "ID")]
    pub(crate) provider: Option<String>,
    /// Only the vectors whose id matches this pattern (* ? [a-z] {a,b})
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Option<globset::Glob>,
}

/// `hookproof vectors run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// Ask this shell command instead of the built-in verifier
    #[arg(long, value_name = "CMD")]
    pub(crate) exec: Option<String>,
    /// With --exec: how long the command may be silent while a case is open
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = time_limit, requires = "exec")]
    pub(crate) time_limit: Duration,
    /// The policy flags that the implementation accepts
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Count a rejection for another reason, or without one, as a failure
    #[arg(long)]
    pub(crate) strict_reasons: bool,
    /// With --exec: how many processes of the command to ask at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = jobs, requires = "exec")]
    pub(crate) jobs: NonZeroUsize,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a JUnit report, a test suite for each sender
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Also write Markdown: tables of senders and families, failures, what is unsupported
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}

/// `hookproof vectors check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files or folders [default: the embedded files]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// `hookproof vectors list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// Print a JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hookproof vectors copy`.
#[derive(Debug, Args)]
pub(crate) struct CopyArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

pub(crate) fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    const MOST: usize = 256;
    let jobs = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= MOST);
    jobs.ok_or_else(|| format!("expected a number from 1 to {MOST}"))
}

fn time_limit(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|limit| !limit.is_zero() && *limit <= Duration::from_secs(86_400))
        .ok_or_else(|| "expected a number of seconds above 0, at most 86400".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{jobs, time_limit};

    #[test]
    fn numbers_have_bounds() {
        for (text, fits) in [("0", false), ("1", true), ("256", true), ("257", false), ("x", false)]
        {
            assert_eq!(jobs(text).is_ok(), fits, "{text}");
        }
        for text in ["0.001", "1", "86400"] {
            assert!(time_limit(text).is_ok(), "{text}");
        }
        for text in ["", "0", "-1", "nan", "inf", "86400.001", "86401", "1 s"] {
            assert!(time_limit(text).is_err(), "{text}");
        }
    }
}
