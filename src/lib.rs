//! Verify webhooks of many senders from raw bytes.
//!
//! hookproof answers one question for a server: did this request really come from that sender, whole and fresh? It does
//! not receive requests, parse payloads or store events.
//!
//! ```
//! use hookproof::{Delivery, UnixTime, Verifier, providers::STRIPE};
//!
//! let verifier = Verifier::builder(&STRIPE)
//!     .secret("whsec_test_secret")
//!     .previous("whsec_before")
//!     .build()?;
//!
//! let mut headers = http::HeaderMap::new();
//! headers.insert(
//!     "stripe-signature",
//!     "t=1700000000,v1=4f1cd7feda9826e746b7d482c4badebb657398df1099e1046364f6196a230150".parse()?,
//! );
//! let body = b"{\n  \"id\": \"evt_test_webhook\",\n  \"object\": \"event\"\n}";
//!
//! // `verify` takes the system clock; `verify_at` takes any.
//! let now = UnixTime::from_secs(1_700_000_100);
//! let verified = verifier.verify_at(&Delivery::new(&headers, body), now)?;
//! assert_eq!(verified.body(), body);
//! assert_eq!(verified.key(), 0, "signed with the current secret");
//! assert_eq!(verified.signed_at(), Some(UnixTime::from_secs(1_700_000_000)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a request flows
//!
//! [`Delivery`] → the head is read, strictly, before any byte of the body → one MAC for each key over the raw body →
//! all keys against all signatures in constant time → [`Evidence`] → freshness → [`Verified`], a proof that cannot be made
//! otherwise. A body that is still arriving takes the same path: [`Verifier::streaming`] and [`Verifier::collect`].
//!
//! # What holds for every sender
//!
//! - Bodies are bytes. They are neither copied, decoded nor re-serialised.
//! - A secret cannot be blank, prints nothing and is wiped. Up to eight count at a time; the result names the one that
//!   matched.
//! - A missing, repeated or malformed header is an error, never a skip. One unusable signature never spoils a good one.
//! - The text of the sender never chooses the algorithm.
//! - Signed times count within the tolerance both ways, the limit included. The signature is judged first, so "stale" is
//!   only ever said of a genuine delivery.
//! - The work is bounded: at most 32 signatures, 64 items and 8 KiB of a header are looked at, and the body is hashed once
//!   for each key and documented reading, whatever the header says.
//! - Errors name the sender and the header, say whose fault it is, and hold no secret and no byte of the request.
//! - What weakens a check lives in [`dangerous`].
//!
//! # Senders
//!
//! [`providers`] has one module each; [`Scheme`] describes a private sender in about ten lines, and [`Provider`] takes
//! what no record can describe.
//!
//! # Pages
//!
//! [`manual`]: coming from other code, replacing secrets, running behind proxies, platforms.
//!
//! # Features
//!
//! | feature | default | what it brings |
//! |---|---|---|
//! | `events` | yes | `Verified::events()`: the key, subject and order of each event of a delivery; the [`handshake`]s in JSON |
//! | `sign` | no | `Signer` and `testing`: the requests that a sender would send |
//! | `tower` | no | [`tower`]: layers for hyper, axum, tonic and all that speaks `tower` |
//! | `axum08` | no | [`axum08`]: extractors for axum 0.8 |
//! | `actix4` | no | [`actix4`]: extractors and middleware for actix-web 4 |
//! | `tracing` | no | events of each verdict, see [`Report`] |
//! | `metrics` | no | [`metrics`]: counters of verdicts |
//! | `sha1` | no | HMAC-SHA1 for private records, and `dangerous::GITHUB_SHA1` |

#![cfg_attr(hookproof_docsrs, feature(doc_cfg))]
#![cfg_attr(hookproof_docsrs, doc(auto_cfg))]

mod builder;
mod chunks;
mod config_error;
pub mod dangerous;
mod delivery;
mod encoding;
mod error;
#[cfg(feature = "events")]
mod events;
mod evidence;
mod form;
mod grammar;
pub mod handshake;
mod header;
mod identity;
mod info;
mod integrations;
mod mac;
pub mod manual;
mod plan;
mod provider;
pub mod providers;
mod scheme;
mod secret;
#[cfg(feature = "sign")]
mod sign;
mod stream;
#[cfg(feature = "sign")]
pub mod testing;
mod time;
mod verified;
mod verifier;

pub use builder::Builder;
pub use config_error::{ConfigError, ConfigErrorKind};
pub use delivery::{Delivery, Head};
pub use encoding::Encoding;
pub use error::{Error, ErrorKind, Fault};
#[cfg(feature = "events")]
pub use events::{Event, EventError, EventErrorKind, Events, Order, key_parts};
pub use evidence::{Coverage, Evidence};
pub use grammar::Grammar;
pub use identity::{Document, Field, Identity, OrderFormat, OrderUnit, Place, Trust, ValueKind};
pub use info::{Confirmation, Fact, Info, OptionInfo, Sample};
#[cfg(feature = "actix4")]
pub use integrations::actix4;
#[cfg(feature = "axum08")]
pub use integrations::axum08;
#[cfg(feature = "metrics")]
pub use integrations::metrics;
#[cfg(feature = "tower")]
pub use integrations::tower;
pub use integrations::{
    Accepted, Endpoint, EndpointBuilder, NoEndpoint, Peer, ProxyFault, ProxyHeaders, PublicUrl,
    Reloadable, Report, Standing, TrustedProxy, raw,
};
#[cfg(any(feature = "actix4", feature = "tower"))]
pub use integrations::{
    Endpoints, EndpointsBuilder, Refusal, Resolve, ResolveError, ResolveFailure, Tenant, Tenants,
    TenantsBuilder, UnverifiedBody, UnverifiedTenant,
};
pub use mac::Algorithm;
pub use provider::{BodyCheck, Checker, Needs, Provider, Session, Setup, WholeCheck};
pub use scheme::{Family, Part, Presence, Scheme, SchemeBuilder, TimeSource};
pub use secret::{KeyFormat, Secret};
#[cfg(feature = "sign")]
pub use sign::{Outgoing, Sign, SignError, Signed, Signer, SignerBuilder};
pub use stream::{Collector, Stream, Streaming};
pub use time::{SignedTime, TimeUnit, UnixTime};
pub use verified::{Verified, VerifiedBuf, VerifiedStream};
pub use verifier::Verifier;

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
