//! The senders: one module each, and the list of them all.

pub mod acuity;
pub mod anyhook;
pub mod calcom;
pub mod calendly;
pub mod github;
pub mod hubspot;
pub mod paymos;
pub mod shopify;
pub mod standard_webhooks;
pub mod stripe;

pub use acuity::ACUITY;
pub use anyhook::ANYHOOK;
pub use calcom::CALCOM;
pub use calendly::CALENDLY;
pub use github::GITHUB;
pub use hubspot::HUBSPOT;
pub use paymos::PAYMOS;
pub use shopify::SHOPIFY;
pub use standard_webhooks::STANDARD_WEBHOOKS;
pub use stripe::STRIPE;

use crate::provider::Provider;

/// Every sender, by id.
pub static ALL: &[&dyn Provider] = &[
    &ACUITY,
    &ANYHOOK,
    &CALCOM,
    &CALENDLY,
    &GITHUB,
    &HUBSPOT,
    &PAYMOS,
    &SHOPIFY,
    &STANDARD_WEBHOOKS,
    &STRIPE,
];

/// The sender with this id.
///
/// ```
/// let stripe = hookproof::providers::find("stripe");
/// assert_eq!(stripe.map(|provider| provider.info().name), Some("Stripe"));
/// assert!(hookproof::providers::find("unknown").is_none());
/// ```
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Provider> {
    ALL.iter().copied().find(|provider| provider.info().id == id)
}
