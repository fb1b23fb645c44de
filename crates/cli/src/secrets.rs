//! Secrets from the command line, the environment, files and standard input, in the order in which they were given.

use std::fs;
use std::io::Read as _;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, FromArgMatches, value_parser};
use zeroize::Zeroizing;

use crate::failure::Failure;

/// Where a secret is to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// The environment variable of this name.
    Env(String),
    /// The file of this name.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// The text itself.
    Text(String),
}

/// The four options that give secrets. Clap keeps the order within one option only, so they are read by hand.
#[derive(Debug, Clone, Default)]
pub(crate) struct SecretArgs(Vec<Source>);

impl SecretArgs {
    /// Whether standard input is taken by a secret.
    pub(crate) fn take_stdin(&self) -> bool {
        self.0.contains(&Source::Stdin)
    }

    /// The secrets, the current one first.
    pub(crate) fn read(&self) -> Result<Vec<Zeroizing<String>>, Failure> {
        self.0.iter().map(read).collect()
    }
}

fn read(source: &Source) -> Result<Zeroizing<String>, Failure> {
    match source {
        Source::Text(text) => Ok(Zeroizing::new(text.clone())),
        Source::Env(name) => match std::env::var(name) {
            Ok(text) => Ok(Zeroizing::new(text)),
            Err(std::env::VarError::NotPresent) => {
                Err(bad(format!("the environment variable {name} is not set")))
            }
            Err(std::env::VarError::NotUnicode(_)) => {
                Err(bad(format!("the environment variable {name} is not UTF-8")))
            }
        },
        Source::File(path) => {
            let bytes = fs::read(path).map_err(|error| {
                bad(format!("cannot read the secret from {}: {error}", path.display()))
            })?;
            first_line(bytes)
                .ok_or_else(|| bad(format!("the secret in {} is not UTF-8", path.display())))
        }
        Source::Stdin => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| {
                bad(format!("cannot read the secret from standard input: {error}"))
            })?;
            first_line(bytes)
                .ok_or_else(|| bad("the secret on standard input is not UTF-8".to_owned()))
        }
    }
}

fn bad(message: String) -> Failure {
    Failure::of_kind("bad-secret", message)
}

/// The text without its one final newline, which editors and `echo` add.
fn first_line(mut bytes: Vec<u8>) -> Option<Zeroizing<String>> {
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some(Zeroizing::new(text)),
        Err(error) => {
            drop(Zeroizing::new(error.into_bytes()));
            None
        }
    }
}

impl FromArgMatches for SecretArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut sources = Vec::new();
        let texts = |name: &str| {
            let values = matches.get_many::<String>(name).into_iter().flatten().cloned();
            matches.indices_of(name).into_iter().flatten().zip(values).collect::<Vec<_>>()
        };
        sources
            .extend(texts("secret").into_iter().map(|(index, text)| (index, Source::Text(text))));
        sources.extend(
            texts("secret-env").into_iter().map(|(index, name)| (index, Source::Env(name))),
        );
        let files = matches.get_many::<PathBuf>("secret-file").into_iter().flatten().cloned();
        let indices = matches.indices_of("secret-file").into_iter().flatten();
        sources.extend(indices.zip(files).map(|(index, file)| (index, Source::File(file))));
        if matches.value_source("secret-stdin") == Some(ValueSource::CommandLine) {
            sources.extend(matches.index_of("secret-stdin").map(|index| (index, Source::Stdin)));
        }
        sources.sort_by_key(|(index, _)| *index);
        Ok(Self(sources.into_iter().map(|(_, source)| source).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for SecretArgs {
    fn group_id() -> Option<clap::Id> {
        Some("secrets".into())
    }

    fn augment_args(command: Command) -> Command {
        augment(command, true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The four options where a command works without a secret, too.
#[cfg(feature = "inbox")]
#[derive(Debug, Clone, Default)]
pub(crate) struct OptionalSecrets(pub(crate) SecretArgs);

#[cfg(feature = "inbox")]
impl FromArgMatches for OptionalSecrets {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        SecretArgs::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

#[cfg(feature = "inbox")]
impl clap::Args for OptionalSecrets {
    fn group_id() -> Option<clap::Id> {
        SecretArgs::group_id()
    }

    fn augment_args(command: Command) -> Command {
        augment(command, false)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn augment(command: Command, required: bool) -> Command {
    const HEADING: &str = "Secrets (repeatable; the current one first, then previous ones)";
    let form = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .help(help)
            .help_heading(HEADING)
            .action(ArgAction::Append)
    };
    command
            .arg(
                form("secret", "TEXT", "The secret itself; for tests only, since other users see it in the list of processes")
                    .allow_hyphen_values(true),
            )
            .arg(form("secret-env", "VAR", "The environment variable that holds the secret"))
            .arg(
                form("secret-file", "FILE", "The file that holds the secret; one final newline is dropped")
                    .value_parser(value_parser!(PathBuf)),
            )
            .arg(
                Arg::new("secret-stdin")
                    .long("secret-stdin")
                    .help("Read the secret from standard input; one final newline is dropped")
                    .help_heading(HEADING)
                    .action(ArgAction::SetTrue),
            )
            .group(
                ArgGroup::new("secrets")
                    .args(["secret", "secret-env", "secret-file", "secret-stdin"])
                    .multiple(true)
                    .required(required),
            )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::{Args as _, Command, FromArgMatches as _};

    use super::{SecretArgs, Source, first_line};

    fn parse(args: &[&str]) -> Result<SecretArgs, clap::Error> {
        let command = SecretArgs::augment_args(Command::new("test").no_binary_name(true));
        command
            .try_get_matches_from(args)
            .and_then(|matches| SecretArgs::from_arg_matches(&matches))
    }

    #[test]
    fn the_order_is_the_order_of_the_command_line() {
        let args = [
            "--secret-file",
            "f",
            "--secret",
            "a",
            "--secret-env=B",
            "--secret-stdin",
            "--secret",
            "-c",
        ];
        let sources = parse(&args).unwrap().0;
        let wanted = [
            Source::File(PathBuf::from("f")),
            Source::Text("a".into()),
            Source::Env("B".into()),
            Source::Stdin,
            Source::Text("-c".into()),
        ];
        assert_eq!(sources, wanted);
    }

    #[test]
    fn at_least_one_is_needed_and_stdin_serves_once() {
        assert!(parse(&[]).is_err());
        assert!(parse(&["--secret-stdin", "--secret-stdin"]).is_err());
        assert!(!parse(&["--secret", ""]).unwrap().take_stdin());
    }

    #[test]
    fn one_final_newline_is_dropped() {
        for (bytes, text) in [
            ("a\n", "a"),
            ("a\r\n", "a"),
            ("a\n\n", "a\n"),
            ("a", "a"),
            ("a\r", "a\r"),
            (" a \n", " a "),
            ("", ""),
        ] {
            assert_eq!(
                first_line(bytes.into()).as_deref().map(String::as_str),
                Some(text),
                "{bytes:?}"
            );
        }
        assert!(first_line(vec![0xff]).is_none());
    }
}
