//! What one verifier answers to vectors that allow both answers.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::error::{Fault, Faults};
use crate::load::SourceText;
use crate::model::{Test, VectorFile};
use crate::strict;

/// The policy flags that a verifier accepts.
///
/// A vector whose result is `acceptable` is accepted exactly when all its policy flags are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    accepted: BTreeSet<String>,
}

impl Policy {
    /// The schema that a policy file names, as seen from its folder.
    pub const SCHEMA: &str = "../schema/policy-v1.json";

    /// Reads a policy file; `name` is what a fault calls it.
    ///
    /// # Errors
    ///
    /// The first fault of the file.
    pub fn parse(name: &str, text: &str) -> Result<Self, Faults> {
        let source = SourceText::new(name, text);
        let form: PolicyForm = source.read(text, None)?;
        if form.schema != Self::SCHEMA {
            let message = format!("expected {:?}, found {:?}", Self::SCHEMA, form.schema);
            return Err(Fault::new(name, message).in_field("schema").into());
        }
        Ok(Self { accepted: form.accepted.into_iter().collect() })
    }

    /// Whether the verifier accepts an acceptable vector of this file.
    #[must_use]
    pub fn accepts(&self, file: &VectorFile, test: &Test) -> bool {
        file.policy_flags(test).all(|flag| self.accepted.contains(flag))
    }

    /// The flags, in alphabetical order.
    pub fn accepted(&self) -> impl Iterator<Item = &str> {
        self.accepted.iter().map(String::as_str)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyForm {
    schema: String,
    #[serde(deserialize_with = "strict::set")]
    accepted: Vec<String>,
}
