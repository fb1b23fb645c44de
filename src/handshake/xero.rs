//! Xero: intent to receive.

use http::StatusCode;

use super::Answer;
use super::body::{members, signed};
use crate::error::Error;
use crate::events::json::{Member, elements};
use crate::verified::Verified;

/// Answers the validation that Xero starts when a webhook is made, enabled again or moved: a series of deliveries without events,
/// some signed rightly and some wrongly. 200 for the right ones, 401 for the wrong ones, and never a body. `None` for a verified
/// delivery with events, which is for the handler.
///
/// A wrong one is answered as every other: the error's [`status`](Error::status).
/// <https://developer.xero.com/documentation/webhooks/configuring-your-server>
///
/// ```
/// use hookproof::handshake::xero;
/// use hookproof::{Delivery, UnixTime, Verifier, providers::STRIPE};
///
/// # let verifier = Verifier::builder(&STRIPE).secret("example").build()?;
/// # let headers = http::HeaderMap::new();
/// # let delivery = Delivery::new(&headers, b"{}");
/// let verdict = verifier.verify_at(&delivery, UnixTime::from_secs(1_700_000_000));
/// let answer = xero::intent_to_receive(&verdict);
/// assert_eq!(answer.map(|answer| answer.status().as_u16()), Some(401), "it is not signed");
/// # Ok::<(), hookproof::ConfigError>(())
/// ```
#[must_use]
pub fn intent_to_receive(verdict: &Result<Verified<'_>, Error>) -> Option<Answer> {
    match verdict {
        Ok(verified) => has_no_events(verified).then(|| Answer::empty(StatusCode::OK)),
        Err(error) => Some(Answer::empty(error.status())),
    }
}

fn has_no_events(verified: &Verified<'_>) -> bool {
    let members = signed(verified).ok().and_then(|body| members(body, &["events"]));
    let events = members.map(|members| members.at("events"));
    matches!(events, Some(Member::Value(text)) if elements(text, 0).is_some())
}
