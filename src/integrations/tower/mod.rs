//! Layers for servers on `tower` and `http`: hyper, axum, tonic, warp.
//!
#![cfg_attr(not(doctest), doc = include_str!("quickstart.md"))]

mod body;
mod handshake;
mod layer;
mod shadow;

#[cfg(feature = "axum08")]
pub(in crate::integrations) use body::Frames;
pub use body::VerifiedBody;
pub use handshake::{Handshake, HandshakeFuture, HandshakeLayer};
pub use layer::{Verify, VerifyFuture, VerifyLayer};
pub use shadow::{Shadow, ShadowBody, ShadowLayer};
