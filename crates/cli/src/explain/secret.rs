//! Secrets that are right but were given in another form.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use crate::explain::case::{Case, Key, Variation};

/// The prefix that two families of senders treat in opposite ways.
const PREFIX: &str = "whsec_";

/// The same case with each of its secrets in each other form.
pub(super) fn variations(case: &Case) -> Vec<Variation> {
    let mut list = Vec::new();
    for (index, key) in case.keys.iter().enumerate() {
        let Key::Text(text) = key else { continue };
        for (message, bytes) in forms(text) {
            let mut changed = case.clone();
            if let Some(slot) = changed.keys.get_mut(index) {
                *slot = Key::bytes(&bytes);
            }
            list.push(Variation::new(message, changed));
        }
    }
    list
}

fn forms(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let mut forms = Vec::new();
    let digits = text.strip_prefix(PREFIX).unwrap_or(text);
    let mut add = |message, bytes: Option<Vec<u8>>| {
        forms.extend(bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| (message, bytes)))
    };
    add("the sender's key is the whole text of the secret, and it was decoded", Some(text.into()));
    add(
        "the sender's key is the text after the prefix of the secret",
        text.strip_prefix(PREFIX).map(Into::into),
    );
    add(
        "the secret has lost its prefix `whsec_`, which belongs to the key",
        Some(format!("{PREFIX}{text}").into()),
    );
    let base64 = [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD]
        .iter()
        .find_map(|engine| engine.decode(digits).ok());
    add("the sender's key is what the secret is in base64, and the text was used", base64);
    add("the sender's key is what the secret is in hex, and the text was used", hex(digits));
    let blanks = "the sender's key has white space around it, which the secret has lost";
    for (before, after) in [("", "\n"), ("", "\r\n"), ("", " "), (" ", ""), (" ", " ")] {
        add(blanks, Some(format!("{before}{text}{after}").into()));
    }
    let quotes = ['"', '\'', '`'];
    let unquoted = quotes.iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    add("the secret stands in quotes that do not belong to it", unquoted.map(Into::into));
    forms
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    rest.is_empty().then(|| {
        pairs.iter().map(|[high, low]| Some((digit(*high)? << 4) | digit(*low)?)).collect()
    })?
}
