//! Verification inside servers: one core, and thin adapters for frameworks.
//!
//! `Endpoint` says what one address accepts and knows no socket; `read` feeds it from a body that arrives. What a framework adds (`tower`, `axum08`, `actix4`) is a translation of requests and answers.

#[cfg(feature = "actix4")]
pub mod actix4;
#[cfg(feature = "axum08")]
pub mod axum08;
mod endpoint;
#[cfg(any(feature = "actix4", feature = "tower"))]
mod handshake;
mod incoming;
#[cfg(feature = "metrics")]
pub mod metrics;
mod proxy;
pub mod raw;
#[cfg(feature = "_read")]
mod read;
mod report;
#[cfg(feature = "tower")]
mod shadow;
#[cfg(feature = "tower")]
pub mod tower;
mod url;

pub use endpoint::{Endpoint, EndpointBuilder, NoEndpoint};
pub use proxy::{ProxyHeaders, TrustedProxy};
pub use report::{Accepted, Report};
pub use url::PublicUrl;
