//! A stored delivery, verified again as of its arrival.

use std::time::Duration;

use hookproof::{Fault, Secret, Verifier};
use hookproof_inbox::DeliveryRow;
use serde_json::{Value, json};

use super::args::ShowArgs;
use crate::failure::Failure;
use crate::library;
use crate::output::{BAD, GOOD, paint};

/// What came of it.
pub(crate) enum Verdict {
    /// It is genuine, by the secret of this index.
    Accepted(usize),
    /// It is not: kind and message.
    Rejected(&'static str, String),
}

/// Verifies a delivery with the sender, secrets and options of a command line.
pub(crate) fn verify(args: &ShowArgs, row: &DeliveryRow) -> Result<Verdict, Failure> {
    let id = args.provider.as_deref().unwrap_or(&row.provider);
    let mut options = args.options.clone();
    let provider = library::provider(id, &mut options)?;
    library::known_options(provider.info(), &options)?;
    let mut builder = Verifier::builder(provider);
    for text in args.secrets.0.read()? {
        let secret = Secret::new(&text);
        builder =
            builder.key(secret.map_err(|error| {
                library::configuration(&error.with_provider(provider.info().id))
            })?);
    }
    for (name, value) in &options {
        builder = builder.option(name, value);
    }
    if let Some(seconds) = args.tolerance {
        builder = builder.tolerance(Duration::from_secs(seconds));
    }
    library::note_tolerance(provider.info(), args.tolerance);
    let verifier = builder.build().map_err(|error| library::configuration(&error))?;
    match row.verify(&verifier) {
        Ok(verified) => Ok(Verdict::Accepted(verified.key())),
        Err(error) if error.fault() == Fault::Operator => Err(Failure::of_kind(
            error.kind().as_str(),
            format!("{error}; it was not stored with the delivery"),
        )),
        Err(error) => Ok(Verdict::Rejected(error.kind().as_str(), error.to_string())),
    }
}

impl Verdict {
    /// Whether the delivery is genuine.
    pub(crate) const fn is_good(&self) -> bool {
        matches!(self, Self::Accepted(_))
    }

    /// The verdict in words.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Accepted(key) => {
                format!("{}  by secret {}, as of its arrival", paint(GOOD, "accepted"), key + 1)
            }
            Self::Rejected(kind, message) => {
                format!("{}  {kind}: {message}", paint(BAD, "rejected"))
            }
        }
    }

    /// The verdict as JSON.
    pub(crate) fn object(&self) -> Value {
        match self {
            Self::Accepted(key) => {
                json!({ "verdict": "accepted", "kind": null, "message": null, "key": key })
            }
            Self::Rejected(kind, message) => {
                json!({ "verdict": "rejected", "kind": kind, "message": message, "key": null })
            }
        }
    }
}
