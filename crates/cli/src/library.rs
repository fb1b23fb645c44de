//! From texts to the library: senders, secrets and options, for the commands and for the vectors.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use hookproof::{ConfigError, Info, OptionInfo, Provider, Secret, dangerous, providers};

use zeroize::Zeroizing;

use crate::args::SenderArgs;
use crate::failure::Failure;
use crate::http_file::{self, Captured};
use crate::output;

/// Options by name, as the library takes them.
pub(crate) type Options = Vec<(String, String)>;

/// A sender that is set up: which one, its secrets and its options.
pub(crate) struct Sender {
    pub(crate) provider: &'static dyn Provider,
    pub(crate) secrets: Vec<Secret>,
    pub(crate) options: Options,
}

/// Options that select a relaxed sender, with the id of the usual one.
const RELAXATIONS: &[(&str, OptionInfo)] = &[(
    "github",
    OptionInfo::new(
        "legacySha1",
        "true, false",
        "false",
        "weaker: without the SHA-256 header, the SHA-1 header serves",
    ),
)];

/// The options of a sender, those that relax it included.
pub(crate) fn options(info: &Info) -> impl Iterator<Item = &OptionInfo> {
    let relaxations = RELAXATIONS.iter().filter(|(id, _)| *id == info.id);
    info.options.iter().chain(relaxations.map(|(_, option)| option))
}

/// A sender, its options and the texts of its secrets, as a command line names them.
pub(crate) struct Named {
    pub(crate) provider: &'static dyn Provider,
    pub(crate) options: Options,
    pub(crate) texts: Vec<Zeroizing<String>>,
}

/// Reads what a command line names.
pub(crate) fn named(args: &SenderArgs) -> Result<Named, Failure> {
    let mut options = args.options.clone();
    let provider = provider(&args.provider, &mut options)?;
    known_options(provider.info(), &options)?;
    Ok(Named { provider, options, texts: args.secrets.read()? })
}

/// Refuses an option that the sender does not have.
pub(crate) fn known_options(info: &Info, options: &Options) -> Result<(), Failure> {
    let known: Vec<&str> = self::options(info).map(|option| option.name).collect();
    if let Some((name, _)) = options.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        let known = if known.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has {}", known.join(", "))
        };
        let message = format!("{}: there is no option `{name}`; {known}", info.id);
        return Err(Failure::of_kind("bad-option", message));
    }
    Ok(())
}

/// The sender of a command line.
pub(crate) fn sender(args: &SenderArgs) -> Result<Sender, Failure> {
    let Named { provider, options, texts } = named(args)?;
    let secrets = texts.iter().map(|text| Secret::new(text)).collect::<Result<_, _>>();
    let secrets =
        secrets.map_err(|error| configuration(&error.with_provider(provider.info().id)))?;
    Ok(Sender { provider, secrets, options })
}

/// The sender of this id. An option that selects a relaxed sender is taken out of the list.
pub(crate) fn provider(id: &str, options: &mut Options) -> Result<&'static dyn Provider, Failure> {
    let Some(mut provider) = providers::find(id) else {
        let known: Vec<&str> = providers::ALL.iter().map(|provider| provider.info().id).collect();
        return Err(Failure::of_kind(
            "unknown-provider",
            format!("unknown provider `{id}`; the providers are {}", known.join(", ")),
        ));
    };
    let mut kept = Options::new();
    for (name, value) in options.drain(..) {
        match (dangerous::relaxed(id, &name), value.as_str()) {
            (Some(relaxed), "true") => provider = relaxed,
            (Some(_), "false") => {}
            (Some(_), _) => {
                let message = format!("{id}: the option `{name}` is true or false");
                return Err(Failure::of_kind("bad-option", message));
            }
            (None, _) => kept.push((name, value)),
        }
    }
    *options = kept;
    Ok(provider)
}

/// A fault of the configuration as the command's failure.
pub(crate) fn configuration(error: &ConfigError) -> Failure {
    Failure::of_kind(error.kind().as_str(), error.to_string())
}

/// Says when a tolerance is given for a sender that signs no time.
pub(crate) fn note_tolerance(info: &Info, tolerance: Option<u64>) {
    if tolerance.is_some() && info.tolerance.is_none() {
        output::warn(format_args!("{} signs no time, so --tolerance has no effect", info.id));
    }
}

/// Whether a path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A captured request; what a person should know of it is said.
pub(crate) fn capture(path: &Path, stdin_taken: bool) -> Result<Captured, Failure> {
    let file = read_input(path, stdin_taken)?;
    let shown =
        if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() };
    let captured = http_file::parse(&file)
        .map_err(|bad| Failure::of_kind("bad-capture", format!("{shown}: {bad}")))?;
    for note in &captured.notes {
        output::warn(format_args!("{shown}: {note}"));
    }
    Ok(captured)
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn read_input(path: &Path, stdin_taken: bool) -> Result<Vec<u8>, Failure> {
    if !is_stdin(path) {
        return fs::read(path)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())));
    }
    if stdin_taken {
        return Err(Failure::new("standard input cannot give both the secret and the file"));
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
    Ok(bytes)
}
