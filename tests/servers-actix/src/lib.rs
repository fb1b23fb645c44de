//! The quick start of actix-web, compiled, and a server of it for the tests.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

use std::net::SocketAddr;

use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer};

/// Starts a server with one worker; it ends with the runtime.
pub fn start(configure: impl Fn(&mut ServiceConfig) + Clone + Send + 'static) -> SocketAddr {
    let server = HttpServer::new(move || App::new().configure(configure.clone()))
        .workers(1)
        .disable_signals()
        .bind("127.0.0.1:0")
        .unwrap();
    let address = server.addrs()[0];
    actix_web::rt::spawn(server.run());
    address
}

#[cfg(doctest)]
#[doc = include_str!("../../../src/integrations/actix4/quickstart.md")]
struct Quickstart;
