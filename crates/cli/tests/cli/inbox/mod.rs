//! `hookproof inbox`, on a SQLite file and, with `HOOKPROOF_TEST_POSTGRES`, on PostgreSQL.

mod log;
mod look;
mod open;
mod operate;
pub(crate) mod place;
mod purge;
mod reconcile;
