//! Verification inside servers: one core, and thin adapters for frameworks.
//!
//! `Endpoint` says what one address accepts and knows no socket; `read` feeds it from a body that arrives. `Endpoints` says
//! which of several a request is for, and `choose` asks it. What a framework adds (`tower`, `axum08`, `actix4`) is a translation of requests and answers.

#[cfg(feature = "actix4")]
pub mod actix4;
#[cfg(feature = "axum08")]
pub mod axum08;
#[cfg(feature = "_read")]
mod choose;
mod endpoint;
#[cfg(feature = "_read")]
mod endpoints;
#[cfg(any(feature = "actix4", feature = "tower"))]
mod handshake;
mod incoming;
#[cfg(feature = "metrics")]
pub mod metrics;
mod peer;
mod proxy;
pub mod raw;
#[cfg(feature = "_read")]
mod read;
mod reload;
mod report;
#[cfg(feature = "tower")]
mod shadow;
mod standing;
#[cfg(feature = "_read")]
mod tenants;
#[cfg(feature = "tower")]
pub mod tower;
mod url;

#[cfg(any(feature = "actix4", feature = "tower"))]
pub use choose::Refusal;
pub use endpoint::{Endpoint, EndpointBuilder, NoEndpoint};
#[cfg(any(feature = "actix4", feature = "tower"))]
pub use endpoints::{Endpoints, EndpointsBuilder};
pub use peer::Peer;
pub use proxy::{ProxyFault, ProxyHeaders, TrustedProxy};
pub use reload::Reloadable;
pub use report::{Accepted, Report};
pub use standing::Standing;
#[cfg(any(feature = "actix4", feature = "tower"))]
pub use tenants::{
    Resolve, ResolveError, ResolveFailure, Tenant, Tenants, TenantsBuilder, UnverifiedBody,
    UnverifiedTenant,
};
pub use url::PublicUrl;
