//! Verify webhooks of many senders from raw bytes.

mod builder;
mod config_error;
pub mod dangerous;
mod delivery;
mod encoding;
mod error;
mod evidence;
mod grammar;
mod header;
mod info;
mod mac;
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
pub use evidence::{Coverage, Evidence};
pub use grammar::Grammar;
pub use info::{Confirmation, Fact, Info, OptionInfo, Sample};
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
