//! The senders under test, and what the naive side knows of each.
//!
//! The list starts from [`providers::ALL`]; options that change what counts, and relaxed senders, add variants. What the
//! naive side knows is a table keyed by the sender's id, written from the senders' documentation and not from the records
//! of the library.

use std::sync::OnceLock;

use hookproof::{Part, Provider, dangerous, providers};

use crate::input::UNRELATED;
use crate::records::{self, Row};

/// A sender with its options, and the rules by which the naive side judges it.
#[derive(Debug)]
pub struct Sender {
    /// The sender.
    pub provider: &'static dyn Provider,
    /// Its options.
    pub options: Vec<(&'static str, &'static str)>,
    /// What the naive side knows of it.
    pub rules: Rules,
    names: Vec<&'static str>,
}

impl Sender {
    pub(crate) fn new(
        provider: &'static dyn Provider,
        options: Vec<(&'static str, &'static str)>,
        rules: Rules,
    ) -> Self {
        let names = provider.info().headers.iter().copied().chain([UNRELATED]).collect();
        Self { provider, options, rules, names }
    }

    /// The headers that the sender reads, and one that it does not read.
    #[must_use]
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// The sender's id and options, for messages.
    #[must_use]
    pub fn label(&self) -> String {
        let options: Vec<String> =
            self.options.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        format!("{}{}", self.provider.info().id, options.concat())
    }
}

impl Sender {
    /// The headers of a request with this signature and this time.
    #[must_use]
    pub fn sample(&self, signature: &[u8], time: &[u8]) -> Vec<(String, Vec<u8>)> {
        let header = |name: &str, parts: &[&[u8]]| (name.to_owned(), parts.concat());
        match self.rules.shape {
            Shape::Bare(name, _) => vec![header(name, &[signature])],
            Shape::Twins { first, second } => {
                vec![header(first, &[signature]), header(second, &[signature])]
            }
            Shape::Named(name) => vec![header(name, &[b"sha256=", signature])],
            Shape::NamedOrOld(_, old) => vec![header(old, &[b"sha1=", signature])],
            Shape::Dated(name) => vec![header(name, &[b"t=", time, b",v1=", signature])],
            Shape::Messages(family, _) => vec![
                header(&format!("{family}-id"), &[b"msg_1"]),
                header(&format!("{family}-timestamp"), &[time]),
                header(&format!("{family}-signature"), &[b"v1,", signature]),
            ],
            Shape::Versions if self.signs_newest() => vec![
                header("x-hubspot-signature-v3", &[signature]),
                header("x-hubspot-request-timestamp", &[time]),
            ],
            Shape::Versions => vec![header("x-hubspot-signature", &[signature])],
            Shape::Record(row) => {
                row.sample(self.options.first().map(|(_, label)| *label), signature, time)
            }
        }
    }

    /// Whether a request of this sender may do without a header that it carries: an older signature then serves, or
    /// every listed version is tried.
    #[must_use]
    pub fn can_do_without(&self, name: &str) -> bool {
        matches!(self.rules.shape, Shape::Versions)
            && match name {
                "x-hubspot-signature-v3" => self
                    .options
                    .iter()
                    .any(|(_, listed)| listed.contains("v1") || listed.contains("v2")),
                _ => name == "x-hubspot-signature-version",
            }
    }

    /// Whether the URL is also read with some escapes decoded.
    #[must_use]
    pub fn decodes_url(&self) -> bool {
        matches!(self.rules.shape, Shape::Versions) && self.signs_newest()
    }

    /// Whether a signature with this coverage is over the method, and whether it is over the URL.
    #[must_use]
    pub fn signs_target(&self, coverage: &str) -> (bool, bool) {
        match self.rules.shape {
            Shape::Record(row) => {
                (row.message.contains(&Part::Method), row.message.contains(&Part::Url))
            }
            _ => (coverage == "body-and-target", coverage == "body-and-target"),
        }
    }

    fn signs_newest(&self) -> bool {
        self.options.is_empty() || self.options.iter().any(|(_, listed)| listed.contains("v3"))
    }
}

/// What the naive side knows of a sender.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How its requests are signed.
    pub shape: Shape,
    /// How far a signed time may be from the clock unless the receiver says otherwise, in milliseconds.
    pub tolerance: u64,
    /// The beginning that may stand before the text of a secret that is base64; nothing if the text is the key.
    pub base64_secret: Option<&'static str>,
    /// Beginnings of keys of another kind, which are no webhook secrets.
    pub foreign_keys: &'static [&'static str],
}

/// How a sender signs.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// One header, the value is the signature of the body: base64 or hexadecimal.
    Bare(&'static str, Digits),
    /// Two such headers, base64, each of which counts if it is there; the option's value that asks for the second.
    Twins {
        /// The header that the option's value `x` asks for.
        first: &'static str,
        /// The header that the option's value `events` asks for.
        second: &'static str,
    },
    /// One header `sha256=<hex>` over the body.
    Named(&'static str),
    /// The same, or, where that is absent, another header `sha1=<hex>`.
    NamedOrOld(&'static str, &'static str),
    /// One header `t=<seconds>,v1=<hex>,…` over time, full stop, body.
    Dated(&'static str),
    /// Headers `<family>-id`, `<family>-timestamp`, `<family>-signature: v1,<base64> …` of one of two families.
    Messages(&'static str, &'static str),
    /// Versions 1 to 3 in headers of their own, with method and URL.
    Versions,
    /// As a record says.
    Record(&'static Row),
}

/// How a signature is spelled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Digits {
    /// Base64, padded, of the standard alphabet.
    Base64,
    /// Hexadecimal digits of either case.
    Hex,
}

/// Rules with what most senders share.
const fn rules(shape: Shape) -> Rules {
    Rules { shape, tolerance: 300_000, base64_secret: None, foreign_keys: &[] }
}

/// The table: the sender's id, the option that relaxes it or nothing, the rules.
const TABLE: &[(&str, &str, Rules)] = &[
    ("acuity", "", rules(Shape::Bare("x-acuity-signature", Digits::Base64))),
    ("anyhook", "", rules(Shape::Dated("anyhook-signature"))),
    ("calcom", "", rules(Shape::Bare("x-cal-signature-256", Digits::Hex))),
    (
        "calendly",
        "",
        Rules { tolerance: 180_000, ..rules(Shape::Dated("calendly-webhook-signature")) },
    ),
    ("github", "", rules(Shape::Named("x-hub-signature-256"))),
    ("github", "legacySha1", rules(Shape::NamedOrOld("x-hub-signature-256", "x-hub-signature"))),
    ("hubspot", "", Rules { foreign_keys: &["pat-"], ..rules(Shape::Versions) }),
    ("paymos", "", rules(Shape::Dated("x-webhook-signature"))),
    (
        "shopify",
        "",
        Rules {
            foreign_keys: &["shpat_", "shpca_", "shppa_"],
            ..rules(Shape::Twins { first: "x-shopify-hmac-sha256", second: "shopify-hmac-sha256" })
        },
    ),
    (
        "standard-webhooks",
        "",
        Rules {
            base64_secret: Some("whsec_"),
            foreign_keys: &["whpk_", "whsk_"],
            ..rules(Shape::Messages("webhook", "svix"))
        },
    ),
    (
        "stripe",
        "",
        Rules {
            foreign_keys: &["sk_", "pk_", "rk_", "we_"],
            ..rules(Shape::Dated("stripe-signature"))
        },
    ),
];

/// Options that change what counts: the sender's id, the option, its values beside the default.
const VARIANTS: &[(&str, &str, &[&str])] = &[
    ("hubspot", "versions", &["v1", "v2", "v1,v2", "v1,v3", "v2,v3", "v1,v2,v3"]),
    ("shopify", "headers", &["x", "events"]),
];

/// Every sender of the library, then the variants and the relaxed senders.
///
/// # Panics
///
/// If the library has a sender that the table lacks.
pub fn all() -> &'static [Sender] {
    static SENDERS: OnceLock<Vec<Sender>> = OnceLock::new();
    SENDERS.get_or_init(|| {
        let mut senders: Vec<Sender> =
            providers::ALL.iter().map(|provider| sender(*provider, "", Vec::new())).collect();
        for (id, option, values) in VARIANTS {
            let provider = providers::find(id)
                .unwrap_or_else(|| panic!("VARIANTS has `{id}`, which the library has not"));
            senders
                .extend(values.iter().map(|value| sender(provider, "", vec![(*option, *value)])));
        }
        for (id, relaxation, _) in TABLE.iter().filter(|(_, relaxation, _)| !relaxation.is_empty())
        {
            let provider = dangerous::relaxed(id, relaxation)
                .unwrap_or_else(|| panic!("the library has no relaxed `{id}`, `{relaxation}`"));
            senders.push(sender(provider, relaxation, Vec::new()));
        }
        senders
    })
}

/// The sender with this index: those of [`all`], then the records.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn get(index: usize) -> &'static Sender {
    let all = all();
    all.get(index).unwrap_or_else(|| &records::all()[index - all.len()])
}

fn sender(
    provider: &'static dyn Provider,
    relaxation: &str,
    options: Vec<(&'static str, &'static str)>,
) -> Sender {
    let id = provider.info().id;
    let row = TABLE.iter().find(|(row, relaxed, _)| (*row, *relaxed) == (id, relaxation));
    let Some((.., rules)) = row else {
        panic!(
            "the fuzz targets do not know the sender `{id}`: add its rules to TABLE in fuzz/src/senders.rs"
        );
    };
    Sender::new(provider, options, *rules)
}

/// The index in [`all`] of a sender with these options, given as the vectors write them.
///
/// # Errors
///
/// Says what is not known.
pub fn find(id: &str, options: &[(String, String)]) -> Result<usize, String> {
    // `legacySha1` is a relaxed sender, not an option; a default that is written out is no variant.
    let relaxed = options.iter().any(|(name, value)| name == "legacySha1" && value == "true");
    let wanted: Vec<(&str, String)> = options
        .iter()
        .filter(|(name, _)| name != "legacySha1")
        .map(|(name, value)| {
            let mut parts: Vec<&str> = value.split(',').collect();
            parts.sort_unstable();
            (name.as_str(), parts.join(","))
        })
        .filter(|(name, value)| {
            !matches!((*name, value.as_str()), ("headers", "any") | ("versions", "v3"))
        })
        .collect();
    let matches = |sender: &Sender| {
        sender.provider.info().id == id
            && matches!(sender.rules.shape, Shape::NamedOrOld(..)) == relaxed
            && sender
                .options
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .eq(wanted.iter().cloned())
    };
    all().iter().position(matches).ok_or_else(|| {
        format!("no variant of `{id}` has the options {options:?}: add it to fuzz/src/senders.rs")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loop closed both ways: [`all`] panics for a sender without rules, this for rules without a sender.
    #[test]
    fn rules_and_senders_are_the_same_list() {
        let senders = all();
        for (id, relaxation, _) in TABLE {
            let known = senders.iter().any(|sender| sender.provider.info().id == *id);
            assert!(
                known,
                "TABLE in fuzz/src/senders.rs has `{id}` {relaxation}, which the library has not"
            );
        }
        assert!(senders.len() < 100, "the first byte of an input picks the sender");
    }

    #[test]
    fn variants_are_found_by_the_options_of_the_vectors() {
        let find = |id: &str, name: &str, value: &str| {
            let index = super::find(id, &[(name.to_owned(), value.to_owned())]).unwrap();
            all()[index].label()
        };
        assert_eq!(find("hubspot", "versions", "v3,v1"), "hubspot versions=v1,v3");
        assert_eq!(find("shopify", "headers", "any"), "shopify");
        assert_eq!(find("github", "legacySha1", "false"), "github");
        assert!(super::find("github", &[("other".into(), "1".into())]).is_err());
    }
}
