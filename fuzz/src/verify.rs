//! The target `verify`: the library answers what the naive verifier answers, however the body comes.

use crate::input::Case;
use crate::library::{self, Received};
use crate::naive::{self, Answer, Slip};
use crate::placeholder::fill;
use crate::{Finding, same};

/// Runs the target. The answer is both sides'; there is none for an empty input.
///
/// # Errors
///
/// What the sides differ over.
pub fn run(data: &[u8]) -> Result<Option<Answer>, Finding> {
    run_with(data, Slip::None)
}

/// Runs the target with a fault planted in the naive side.
///
/// # Errors
///
/// What the sides differ over.
pub fn run_with(data: &[u8], slip: Slip) -> Result<Option<Answer>, Finding> {
    Case::read(data).map(|case| check(&case, slip)).transpose()
}

/// Holds both sides against each other over one case.
///
/// # Errors
///
/// What the sides differ over.
pub fn check(case: &Case, slip: Slip) -> Result<Answer, Finding> {
    let sender = case.sender();
    let label = || sender.label();
    let built = library::verifier(sender, &case.secrets, case.tolerance);
    let (verifier, keys) = match (built, naive::keys(sender, &case.secrets)) {
        (Ok(verifier), Ok(keys)) => (verifier, keys),
        (Err(error), Err(reason)) => {
            same(|| format!("{}: configuration", label()), &reason, &error.kind().as_str())?;
            return Ok(Err(reason));
        }
        (built, keys) => {
            let secrets = &case.secrets;
            let (built, keys) = (built.map(|_| ()), keys.map(|_| ()));
            return Err(format!(
                "{}: secrets {secrets:?}: expected {keys:?}, got {built:?}",
                label()
            ));
        }
    };
    let request = fill(case, &keys);
    let received = Received::new(&request)?;
    let now = case.now();
    let expected = naive::judge(sender, &keys, &request, (now, case.tolerance), slip);
    let about = |way: &str| {
        let tolerance = case.tolerance;
        format!("{}: {way}, now {now}, tolerance {tolerance:?}: {request:?}", label())
    };

    let whole = library::whole(&verifier, &received, now)?;
    same(|| about("whole"), &expected, &whole)?;

    let chunks = case.chunked();
    let streamed = library::streamed(&verifier, &received, &chunks, now)?;
    same(|| about("streamed"), &expected, &streamed)?;
    let length = case.body.len();
    let collected = library::collected(&verifier, &received, &chunks, (length, now))?;
    same(|| about("collected"), &expected, &collected)?;

    if length > 0 {
        // A fault of the head comes before the body, and so before its length.
        let expected = match library::begin(&verifier, &received)? {
            Ok(()) => Err("body-too-large"),
            Err(reason) => Err(reason),
        };
        let cut = library::collected(&verifier, &received, &chunks, (length - 1, now))?;
        same(|| about("collected, one byte below the length"), &expected, &cut)?;
    }
    Ok(expected)
}
