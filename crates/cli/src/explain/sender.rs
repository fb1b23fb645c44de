//! Deliveries of another sender, another version or a weaker hash function.

use hookproof::{dangerous, providers};

use crate::explain::case::{Case, Variation};

/// The same request judged by other rules.
pub(super) fn variations(case: &Case) -> Vec<Variation> {
    let mut list = Vec::new();
    let own = case.provider.info();
    if own.options.iter().any(|option| option.name == "versions") {
        for version in ["v1", "v2", "v3"] {
            let message = format!(
                "it is signed by version {version}: list it in the option `versions` if you mean to accept it"
            );
            list.push(Variation::new(message, with_option(case, "versions", version)));
        }
    }
    if let Some(provider) = dangerous::relaxed(own.id, "legacySha1") {
        let message = "it is signed with SHA-1 only: have the sender sign with SHA-256, or accept it by the option `legacySha1`";
        list.push(Variation::new(message, Case { provider, ..case.clone() }));
    }
    for provider in providers::ALL.iter().copied().filter(|provider| provider.info().id != own.id) {
        let message = format!(
            "it is a delivery of {}: use --provider {}",
            provider.info().name,
            provider.info().id
        );
        list.push(Variation::new(message, Case { provider, options: Vec::new(), ..case.clone() }));
    }
    list
}

fn with_option(case: &Case, name: &str, value: &str) -> Case {
    Case { options: vec![(name.to_owned(), value.to_owned())], ..case.clone() }
}
