//! Requests of servers that have no adapter here.
