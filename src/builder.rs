//! The set-up of a verifier: every fault of the configuration is found here, at start-up.

use core::time::Duration;

use crate::config_error::ConfigError;
use crate::dangerous::DangerousBuilder;
use crate::plan::MAX_KEYS;
use crate::provider::{Provider, Setup};
use crate::secret::Secret;
use crate::verifier::{Freshness, Verifier};

/// The ids of a verifier's keys, in their order.
pub(crate) type KeyIds = Box<[Option<Box<str>>]>;

/// Secrets and options as they are given, for verifiers and signers alike.
#[derive(Debug)]
pub(crate) struct Keyring {
    provider: &'static dyn Provider,
    secrets: Vec<Result<Secret, ConfigError>>,
    options: Vec<(String, String)>,
}

impl Keyring {
    pub(crate) fn new(provider: &'static dyn Provider) -> Self {
        Self { provider, secrets: Vec::new(), options: Vec::new() }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.secrets.push(Secret::new(text));
    }

    pub(crate) fn key(&mut self, secret: Secret) {
        self.secrets.push(Ok(secret));
    }

    pub(crate) fn option(&mut self, name: &str, value: &str) {
        self.options.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn provider(&self) -> &'static dyn Provider {
        self.provider
    }

    /// Decodes the secrets by the sender's rule and hands them, with the options, to `prepare`.
    pub(crate) fn prepare<T>(
        self,
        prepare: impl FnOnce(&Setup<'_>) -> Result<T, ConfigError>,
    ) -> Result<(T, KeyIds), ConfigError> {
        let id = self.provider.info().id;
        let secrets = self
            .secrets
            .into_iter()
            .map(|secret| decode(self.provider, secret?))
            .collect::<Result<Vec<_>, _>>();
        let secrets = secrets.map_err(|error| error.with_provider(id))?;
        if secrets.is_empty() {
            return Err(ConfigError::secret(
                "no secret was given; give the one that the sender's console shows",
            )
            .with_provider(id));
        }
        if secrets.len() > MAX_KEYS {
            return Err(ConfigError::secret(
                "more than 8 secrets were given; leave out those that are no longer in use",
            )
            .with_provider(id));
        }
        let options: Vec<(&str, &str)> =
            self.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let prepared =
            prepare(&Setup::new(&secrets, &options)).map_err(|error| error.with_provider(id))?;
        Ok((prepared, secrets.iter().map(|secret| secret.id().map(Into::into)).collect()))
    }
}

/// Text becomes key bytes by the sender's rule; bytes stay as they are.
fn decode(provider: &dyn Provider, secret: Secret) -> Result<Secret, ConfigError> {
    let Some(text) = secret.text() else { return Ok(secret) };
    let decoded = provider.secret(text)?;
    Ok(match secret.id() {
        Some(id) => decoded.with_id(id),
        None => decoded,
    })
}

/// Sets up a [`Verifier`]; see [`Verifier::builder`].
///
/// ```
/// use core::time::Duration;
/// use hookproof::{Secret, Verifier, providers::HUBSPOT};
///
/// let verifier = Verifier::builder(&HUBSPOT)
///     .secret("current-secret")
///     .previous("secret-before")
///     .key(Secret::from_bytes(b"the one before that")?.with_id("2025"))
///     .option("versions", "v3,v1")
///     .tolerance(Duration::from_secs(120))
///     .build()?;
/// assert!(verifier.needs().url);
/// # Ok::<(), hookproof::ConfigError>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Builder {
    keyring: Keyring,
    tolerance: Option<Duration>,
    any_age: bool,
}

impl Builder {
    pub(crate) fn new(provider: &'static dyn Provider) -> Self {
        Self { keyring: Keyring::new(provider), tolerance: None, any_age: false }
    }

    /// Adds a secret, as the sender's console shows it. Results name secrets by the order in which they were added,
    /// from 0; add the current one first, since it is tried first.
    pub fn secret(mut self, text: &str) -> Self {
        self.keyring.text(text);
        self
    }

    /// Adds a secret that was current before and still counts while it is being replaced.
    pub fn previous(self, text: &str) -> Self {
        self.secret(text)
    }

    /// Adds a secret of any form, with its id if it has one.
    pub fn key(mut self, secret: Secret) -> Self {
        self.keyring.key(secret);
        self
    }

    /// Sets an option of the sender, as [`Info::options`](crate::Info::options) lists them.
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.keyring.option(name, value);
        self
    }

    /// How far a signed time may be from now, both ways, the limit included; cut down to the sender's unit. Zero means
    /// "within the same unit", never "off". The default is the sender's, see [`Info::tolerance`](crate::Info::tolerance).
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Relaxations that make the check weaker than what the sender offers.
    pub fn dangerous(self) -> DangerousBuilder {
        DangerousBuilder::new(self)
    }

    pub(crate) fn accept_any_age(mut self) -> Self {
        self.any_age = true;
        self
    }

    /// Checks the configuration and prepares the keys.
    ///
    /// # Errors
    ///
    /// [`BadSecret`](crate::ConfigErrorKind::BadSecret) for secrets that cannot be right, [`BadOption`](crate::ConfigErrorKind::BadOption)
    /// for options that the sender does not have.
    pub fn build(self) -> Result<Verifier, ConfigError> {
        let provider = self.keyring.provider();
        let info = provider.info();
        let freshness = match (self.any_age, self.tolerance, info.tolerance) {
            (true, ..) => Freshness::AnyAge,
            (_, Some(given), _) => Freshness::Within(given),
            (_, None, default) => Freshness::Within(default.unwrap_or(DEFAULT_TOLERANCE)),
        };
        let (checker, ids) = self.keyring.prepare(|setup| provider.prepare(setup))?;
        Ok(Verifier::new(provider, checker, freshness, ids))
    }
}

/// For private senders that sign a time and state no tolerance: what most senders use.
const DEFAULT_TOLERANCE: Duration = Duration::from_secs(300);
