//! The command as its users run it: arguments and files in, exit code, output and errors out.

// Helpers outside `#[test]` functions.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod capture;
#[cfg(unix)]
mod documents;
#[cfg(unix)]
mod exec;
mod explain;
#[cfg(feature = "inbox")]
mod inbox;
mod providers;
mod run;
mod secrets;
mod sign;
mod support;
mod vectors;
mod verify;
