//! Fuzz targets of hookproof as ordinary functions, and the naive verifier that they compare it with.
//!
//! Each target takes an [input](input::Case) and returns what it saw or a [`Finding`]; the binaries in `fuzz_targets/` only
//! turn a finding into a crash, so that every seed also runs on stable in `cargo test`. No target names a sender: they
//! take them from [`senders::all`], which starts from the library's own list.

#![forbid(unsafe_code)]

pub mod chunks;
pub mod corpus;
pub mod events;
pub mod findings;
pub mod genuine;
pub mod header;
pub mod http_file;
pub mod input;
pub mod key_text;
pub mod library;
pub mod naive;
pub mod placeholder;
pub mod records;
pub mod roundtrip;
pub mod scheme;
pub mod seed;
pub mod senders;
pub mod url;
pub mod vector_json;
pub mod verify;

use std::process::ExitCode;

/// What contradicts a property, in words: a fault of the library or of the naive side.
pub type Finding = String;

/// A target: takes an input, and says in words what it saw.
pub type Target = fn(&[u8]) -> Result<String, Finding>;

macro_rules! targets {
    ($($name:ident),*) => {
        /// Every target, by name.
        pub const TARGETS: &[(&str, Target)] = &[$((stringify!($name), |data| {
            $name::run(data).map(|seen| format!("{seen:?}"))
        })),*];
    };
}

targets!(chunks, events, header, http_file, key_text, roundtrip, scheme, url, vector_json, verify);

/// Runs a target on an input and panics on a finding, which is what a fuzzer reports.
///
/// # Panics
///
/// If the target finds something.
pub fn fail_on_finding<T>(data: &[u8], target: impl FnOnce(&[u8]) -> Result<T, Finding>) {
    if let Err(finding) = target(data) {
        panic!("{finding}");
    }
}

/// Runs a target on every file that the command line names and prints what it saw: for reproducing a finding on stable.
pub fn replay<T: core::fmt::Debug>(target: impl Fn(&[u8]) -> Result<T, Finding>) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args_os().skip(1) {
        let seen =
            std::fs::read(&path).map_err(|error| error.to_string()).and_then(|data| target(&data));
        match seen {
            Ok(seen) => println!("{}: {seen:?}", path.display()),
            Err(finding) => {
                println!("{}: FINDING: {finding}", path.display());
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// Runs `work` on an input of this length, and holds the most memory that it had at a time against the length: `factor`
/// bytes for each byte, and 64 KiB.
///
/// # Errors
///
/// If it had more.
pub fn bounded<T>(
    what: &str,
    length: usize,
    factor: usize,
    work: impl FnOnce() -> T,
) -> Result<T, Finding> {
    let mut done = None;
    let used = allocation_counter::measure(|| done = Some(work())).bytes_max;
    let limit = (length * factor + (64 << 10)) as u64;
    match done {
        Some(done) if used <= limit => Ok(done),
        _ => {
            Err(format!("{what} of {length} bytes took {used} bytes of memory, more than {limit}"))
        }
    }
}

/// An error unless the two are equal.
///
/// # Errors
///
/// A finding that shows both.
pub fn same<T: core::fmt::Debug + PartialEq>(
    what: impl FnOnce() -> String,
    expected: &T,
    got: &T,
) -> Result<(), Finding> {
    if expected == got {
        return Ok(());
    }
    Err(format!("{}: expected {expected:?}, got {got:?}", what()))
}
