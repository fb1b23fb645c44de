//! The worker on the memory store, with tokio's paused time.

mod faults;
mod leases;
mod sleeping;
mod stopping;
mod support;
mod working;
