//! What the tests of the integrations share: vectors as requests over a socket, a client that sends any bytes, servers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

pub mod body;
pub mod client;
pub mod github;
pub mod handshakes;
pub mod layered;
pub mod server;
pub mod tenants;
pub mod vectors;

/// The quick start of each framework, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../src/integrations/tower/quickstart.md")]
struct TowerQuickstart;

#[cfg(doctest)]
#[doc = include_str!("../../../src/integrations/axum08/quickstart.md")]
struct AxumQuickstart;
