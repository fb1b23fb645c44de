//! Handshakes: requests by which a sender asks, before its first event or now and then, whether this server wants its
//! deliveries.
//!
//! Each is a pure function from a request that has been read to an answer that is data: no socket, no clock, no framework.
//! `tower::HandshakeLayer` and `actix4::HandshakeMiddleware` put one that comes as a signed delivery in front of a handler. Those
//! whose body is JSON need the feature `events`, which has the reader.
//!
//! | function | request | trusted | answer |
//! |---|---|---|---|
//! | [`dropbox::challenge`] | GET, `challenge` | by nobody | the challenge |
//! | [`github::ping`] | delivery, event `ping` | verified | empty |
//! | [`meta::subscribe`] | GET, `hub.mode`, `hub.verify_token`, `hub.challenge` | verify token | the challenge |
//! | [`slack::url_verification`] | delivery, `type` | verified | the challenge |
//! | [`twitch::callback_verification`] | delivery, message type | verified | the challenge |
//! | [`xero::intent_to_receive`] | delivery without events | either way | empty: 200 or 401 |
//! | [`zoom::url_validation`] | delivery, `event` | verified | the token, and its MAC |
//!
//! Those that come as deliveries take a [`Verified`](crate::Verified): a challenge that nobody has signed is not answered.
//! They read nothing but what the signature covers, but for the event's name of GitHub and the message type of Twitch,
//! without which nothing is answered and with which alone nothing is either.
//!
//! A challenge is echoed as `text/plain` under `nosniff`, and only if it is a text of 1 to [`MAX_CHALLENGE`] letters, digits
//! and `-_.~+/=`: whoever it comes from, it can be neither markup nor a message that something else would sign.
//!
//! ```
//! use hookproof::Secret;
//! use hookproof::handshake::meta;
//!
//! let token = Secret::new("meatyhamhock")?;
//! let query = "hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock";
//! let answer = meta::subscribe(query, &token)?;
//! assert_eq!((answer.status().as_u16(), &answer.body()[..]), (200, &b"1158201444"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
#[cfg(feature = "events")]
mod body;
mod challenge;
pub mod dropbox;
mod error;
#[cfg(feature = "events")]
pub mod github;
pub mod meta;
mod query;
#[cfg(feature = "events")]
pub mod slack;
#[cfg(feature = "events")]
pub mod twitch;
#[cfg(feature = "events")]
pub mod xero;
#[cfg(feature = "events")]
pub mod zoom;

pub use answer::Answer;
pub use challenge::MAX_CHALLENGE;
pub use error::{HandshakeError, HandshakeErrorKind};
