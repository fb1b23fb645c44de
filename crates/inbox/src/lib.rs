//! The receiver kit.
