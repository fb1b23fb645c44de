//! From the sender's ids to what is stored: keys and subjects.

use std::fmt::Write as _;

use hookproof_inbox::Key;

use crate::failure::Failure;
use crate::library;

/// The senders whose keys are one id, as their interfaces and dashboards show it.
const OF_ONE_ID: &[&str] = &["anyhook", "paymos", "shopify", "standard-webhooks", "stripe"];

/// The key of an id. What begins with the sender's own word and a slash is a key already.
pub(crate) fn key(id: &str, provider: Option<&str>) -> Result<Key, String> {
    let text = match provider {
        Some(provider) if !id.starts_with(&format!("{provider}/")) => {
            format!("{provider}/{}", encoded(id))
        }
        _ => id.to_owned(),
    };
    Key::new(text).map_err(|error| format!("{id}: {error}"))
}

/// Refuses a sender whose keys cannot be made of one id.
pub(crate) fn check(provider: &str, ids: &[String]) -> Result<(), Failure> {
    library::provider(provider, &mut Vec::new())?;
    let own = format!("{provider}/");
    if OF_ONE_ID.contains(&provider) || ids.iter().all(|id| id.starts_with(&own)) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "a key of {provider} has several parts, and one id does not make it: give whole keys, as `hookproof inbox list --json` \
         shows them, or ids of what the events are about with --by subject"
    )))
}

/// The subjects that an id may be: as it is given, or as one part of a subject is stored.
pub(crate) fn subjects(id: &str) -> [String; 2] {
    [id.to_owned(), encoded(id)]
}

/// A part of a key or subject, as it is stored.
fn encoded(part: &str) -> String {
    let mut text = String::new();
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a `String` does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn ids_become_keys() {
        for (id, provider, wanted) in [
            ("evt_1", Some("stripe"), "stripe/evt_1"),
            ("a/é", Some("paymos"), "paymos/a%2F%C3%A9"),
            ("stripe/evt_1", Some("stripe"), "stripe/evt_1"),
            ("stripe/evt_1", None, "stripe/evt_1"),
        ] {
            assert_eq!(key(id, provider).unwrap().as_str(), wanted);
        }
        assert!(key("a b", None).is_err());
        assert_eq!(subjects("https://x/y"), ["https://x/y", "https%3A%2F%2Fx%2Fy"]);
    }

    /// The list of senders against every key of the vectors: those on it have one part, the others have not.
    #[test]
    fn the_senders_of_one_id_are_those_whose_keys_have_one_part() {
        let mut parts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for file in hookproof_vectors::suite().unwrap() {
            for (_, test) in file.tests() {
                for event in test.events.iter().flatten() {
                    let Some(key) = &event.key else { continue };
                    parts.entry(file.provider.clone()).or_default().push(key.matches('/').count());
                }
            }
        }
        assert!(parts.len() >= 10, "{:?}", parts.keys());
        for (provider, parts) in parts {
            let one = parts.iter().all(|slashes| *slashes == 1);
            assert_eq!(one, OF_ONE_ID.contains(&provider.as_str()), "{provider}");
        }
    }
}
