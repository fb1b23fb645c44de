//! The worker.

#[cfg_attr(not(test), expect(dead_code, reason = "for what follows"))]
mod race;
mod wake;

pub use wake::{LocalListener, LocalWake, Wake};
