//! Extractors and middleware for actix-web 4.
//!
#![cfg_attr(not(doctest), doc = include_str!("quickstart.md"))]

mod extract;
mod handshake;
mod middleware;
mod rejection;
mod request;

pub use extract::{Select, Webhook, WebhookFuture};
pub use handshake::{Handshake, HandshakeFuture, HandshakeMiddleware};
pub use middleware::{Verify, VerifyFuture, VerifyMiddleware};
pub use rejection::WebhookRejection;
