//! PostgreSQL: faults of the server, the tables and partitions, and waking. Needs a URL in `HOOKPROOF_TEST_POSTGRES`;
//! without one all of it is ignored, and said to be.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

#[cfg(feature = "postgres")]
#[path = "postgres/server.rs"]
mod server;

#[cfg(not(feature = "postgres"))]
const fn main() {}

#[cfg(feature = "postgres")]
fn main() -> std::process::ExitCode {
    server::main()
}
