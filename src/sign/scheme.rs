//! Making the deliveries of a record: the same pieces as its check, and its grammar written instead of read.

use crate::config_error::ConfigError;
use crate::grammar::Grammar;
use crate::mac::MacKeys;
use crate::provider::Setup;
use crate::scheme::{Family, Part, Scheme, TimeSource};
use crate::sign::{Outgoing, Sign, SignError, Signed, time_text};
use crate::time::{TimeUnit, UnixTime};

/// Prepares a record to make deliveries.
pub(crate) fn scheme_signer(
    scheme: &Scheme,
    setup: &Setup<'_>,
) -> Result<Box<dyn Sign>, ConfigError> {
    let wanted = scheme.wanted(setup)?.unwrap_or_default();
    Ok(Box::new(SchemeSigner {
        scheme: *scheme,
        keys: MacKeys::new(scheme.algorithm, setup.secrets())?,
        wanted,
    }))
}

#[derive(Debug)]
struct SchemeSigner {
    scheme: Scheme,
    keys: MacKeys,
    wanted: usize,
}

impl Sign for SchemeSigner {
    fn sign(&self, outgoing: &Outgoing<'_>, at: UnixTime) -> Result<Signed, SignError> {
        let scheme = &self.scheme;
        let family = scheme.families.get(self.wanted).copied().unwrap_or(Family::new(""));
        let needs = scheme.needs();
        if needs.url && outgoing.url().is_none() {
            return Err(SignError::NO_TARGET);
        }
        let id = outgoing.id_at(at);
        let time = self.time_text(at)?;
        let message: Vec<&[u8]> = scheme
            .message
            .iter()
            .map(|part| match *part {
                Part::Body => outgoing.body(),
                Part::Id => id.as_bytes(),
                Part::Literal(text) => text.as_bytes(),
                Part::Method => outgoing.method().as_str().as_bytes(),
                Part::Timestamp => time.as_bytes(),
                Part::Url => outgoing.url().unwrap_or_default().as_bytes(),
            })
            .collect();
        let signatures: Vec<String> =
            self.keys.tags(&message).iter().map(|tag| scheme.encoding.encode(tag)).collect();

        let mut signed = Signed::new(outgoing);
        signed.samples(&scheme.info, &id, &time)?;
        if let Some(header) = family.id {
            signed.header(header, &id)?;
        }
        if let Some(header) = family.timestamp {
            signed.header(header, &time)?;
        }
        signed.header(family.signature, &written(&scheme.grammar, &time, &signatures))?;
        Ok(signed)
    }
}

impl SchemeSigner {
    fn time_text(&self, at: UnixTime) -> Result<String, SignError> {
        time_text(match self.scheme.time {
            Some(TimeSource::Header(TimeUnit::Millis) | TimeSource::Pairs(TimeUnit::Millis)) => {
                at.as_millis()
            }
            _ => at.as_secs(),
        })
    }
}

/// The value of the signature header.
fn written(grammar: &Grammar, time: &str, signatures: &[String]) -> String {
    let first = signatures.first().map(String::as_str).unwrap_or_default();
    match grammar {
        Grammar::Whole => first.to_owned(),
        Grammar::Prefixed(prefix) => format!("{prefix}{first}"),
        Grammar::Pairs { separator, time: time_key, signatures: keys } => {
            let key = keys.first().copied().unwrap_or_default();
            let items = core::iter::once(format!("{time_key}={time}"))
                .chain(signatures.iter().map(|text| format!("{key}={text}")));
            items.collect::<Vec<_>>().join(&char::from(*separator).to_string())
        }
        Grammar::List { separator, version } => {
            let items: Vec<String> =
                signatures.iter().map(|text| format!("{version},{text}")).collect();
            items.join(&char::from(*separator).to_string())
        }
    }
}
