//! The target `vector_json`: the loader of the vectors on any text.

use hookproof_vectors::{Event, HeaderValue, Secret, VectorFile, parse};

use crate::naive::Slip;
use crate::naive::vector;
use crate::{Finding, bounded, same};

/// The number of vectors of a file; nothing for what is none.
pub type Seen = Option<usize>;

/// Runs the target.
///
/// # Errors
///
/// What the sides differ over.
pub fn run(data: &[u8]) -> Result<Seen, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What the sides differ over.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Seen, Finding> {
    let Ok(text) = core::str::from_utf8(data) else { return Ok(None) };
    let loaded = bounded("loading a vector file", text.len(), 400, || parse("input.json", text))?;
    let shown = match &loaded {
        Ok(file) => Ok(file.tests().count()),
        Err(faults) => Err(faults.to_string()),
    };
    let expected = vector::count(text, slip);
    if expected != shown.as_ref().ok().copied() {
        return Err(format!("expected {expected:?} vectors, got {shown:?} from {text}"));
    }
    match loaded {
        Ok(file) => written_again(&file)?,
        Err(faults) => {
            if faults.iter().next().is_none() {
                return Err("refused for no fault".into());
            }
            if let Some(fault) = faults.iter().find(|fault| fault.message.is_empty()) {
                return Err(format!("a fault without a message: {fault:?}"));
            }
        }
    }
    Ok(expected)
}

/// What can be written is written as it was read.
fn written_again(file: &VectorFile) -> Result<(), Finding> {
    for (group, test) in file.tests() {
        for secret in &group.secrets {
            again::<Secret>(secret)?;
        }
        for (_, value) in &test.headers {
            again::<HeaderValue>(value)?;
        }
        for event in test.events.iter().flatten() {
            again::<Event>(event)?;
        }
    }
    Ok(())
}

fn again<T>(value: &T) -> Result<(), Finding>
where
    T: core::fmt::Debug + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
{
    let text = serde_json::to_string(value).map_err(|error| format!("{value:?}: {error}"))?;
    let read: T = serde_json::from_str(&text).map_err(|error| format!("{text}: {error}"))?;
    same(|| format!("written as {text}"), value, &read)
}
