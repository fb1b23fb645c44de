//! What an endpoint tells its operator about a delivery: to a callback, as `tracing` events, and to counters.

use super::proxy::ProxyFault;
use super::standing::Standing;
use crate::error::Error;
use crate::time::UnixTime;

/// What became of one delivery, for logs and counters. See [`EndpointBuilder::on_verdict`](crate::EndpointBuilder::on_verdict).
///
/// It holds no secret, no signature and no byte of the body.
///
/// # Events
///
/// With the feature `tracing` each report is also an event of the target `hookproof`, whose message is `delivery accepted`
/// (level DEBUG), `delivery refused` (WARN) or `delivery not judged: this server is set up wrongly` (ERROR). Target,
/// levels and the names of the fields are as stable as the interface of this crate; fields may be added.
///
/// With the feature `metrics` each report is counted as well.
///
/// In the adapters for frameworks it happens within a span of that target, `verify` (level INFO), which has `provider` and
/// `endpoint`.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `provider` | text | the sender's id |
/// | `verdict` | text | `accepted`, the word of [`ErrorKind`](crate::ErrorKind), or `no-endpoint` (then alone; see [`NoEndpoint`](crate::NoEndpoint)) |
/// | `endpoint` | text | the name of the endpoint, where it has one |
/// | `key` | number | the index of the key that matched; above 0, a previous one |
/// | `age_ms` | number | how long ago the signed time was, in milliseconds; negative if it is ahead |
/// | `body_bytes` | number | how much of the body arrived |
/// | `header` | text | the header at fault |
/// | `url` | text | the public URL that was signed against, without its query, where the sender signs it |
/// | `query_bytes` | number | the length of that URL's query |
/// | `content_encoded` | bool | true if the body arrived with a `Content-Encoding`: it was hashed as it arrived |
/// | `shadow` | bool | true if the verdict was only logged |
/// | `proxy` | text | why a trusted proxy did not name the URL, in words |
/// | `tenant` | text | `fresh`, `stale` or `unknown`, where the endpoint was found by tenant |
/// | `reason` | text | the error in words, where there is one |
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Report<'a> {
    /// The name of the endpoint, where it was given one.
    pub endpoint: Option<&'a str>,
    /// The id of the sender.
    pub provider: &'static str,
    /// What was found, or why the delivery was refused.
    pub verdict: Result<Accepted, Error>,
    /// When the verdict was reached; `None` if it needed no clock.
    pub judged_at: Option<UnixTime>,
    /// How many bytes of the body arrived.
    pub body_length: usize,
    /// The public URL that was signed against, for senders that sign it. Its query is as the request had it.
    pub url: Option<&'a str>,
    /// Whether the body arrived with a `Content-Encoding`. Signatures are over what the sender sent, so a mismatch may
    /// come from something in between that compressed it.
    pub content_encoded: bool,
    /// Whether the verdict was only logged, and the request went on whatever it was.
    pub shadow: bool,
    /// Why a trusted proxy did not name the URL, for senders that sign it.
    pub proxy: Option<ProxyFault>,
    /// How well the tenant is known, where the endpoint was found by one: `Tenants` of the features for servers. A delivery that
    /// is otherwise genuine and for an unknown one is [`UnknownKey`](crate::ErrorKind::UnknownKey).
    pub tenant: Option<Standing>,
}

/// What the proof of an accepted delivery says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Accepted {
    /// The index of the key that matched.
    pub key: usize,
    /// The time that the sender signed.
    pub signed_at: Option<UnixTime>,
    /// How often the sender had tried before, where it says so and it was read.
    #[cfg(feature = "metrics")]
    pub(super) attempt: Option<u64>,
}

impl Accepted {
    pub(super) const fn new(key: usize, signed_at: Option<UnixTime>) -> Self {
        Self {
            key,
            signed_at,
            #[cfg(feature = "metrics")]
            attempt: None,
        }
    }
}

impl Report<'_> {
    /// The verdict as a word: `accepted`, or that of the error's kind.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match &self.verdict {
            Ok(_) => "accepted",
            Err(error) => error.kind().as_str(),
        }
    }

    /// How long before the verdict the sender signed, in milliseconds; negative if the signed time is ahead. `None` if no
    /// time was signed or the signature is not known to be right.
    #[must_use]
    pub fn age_millis(&self) -> Option<i64> {
        let signed_at = match &self.verdict {
            Ok(accepted) => accepted.signed_at,
            Err(error) => error.signed_at(),
        }?;
        let difference =
            i128::from(self.judged_at?.as_millis()) - i128::from(signed_at.as_millis());
        i64::try_from(difference).ok()
    }

    /// Emits the event, and counts.
    #[cfg(any(feature = "metrics", feature = "tracing"))]
    pub(super) fn emit(&self) {
        #[cfg(feature = "tracing")]
        self.trace();
        #[cfg(feature = "metrics")]
        super::metrics::count(self);
    }

    #[cfg(feature = "tracing")]
    fn trace(&self) {
        use crate::error::Fault;

        // The query may hold what is no business of a log.
        let (url, query) = match self.url.map(|url| url.split_once('?').unwrap_or((url, ""))) {
            Some((url, query)) => (Some(url), Some(query.len())),
            None => (None, None),
        };
        let error = self.verdict.as_ref().err();
        let key = self.verdict.as_ref().ok().map(|accepted| accepted.key);
        macro_rules! event {
            ($level:ident, $message:literal) => {
                tracing::event!(
                    target: "hookproof",
                    tracing::Level::$level,
                    provider = self.provider,
                    verdict = self.word(),
                    endpoint = self.endpoint,
                    key,
                    age_ms = self.age_millis(),
                    body_bytes = self.body_length,
                    header = error.and_then(Error::header),
                    url,
                    query_bytes = query,
                    content_encoded = self.content_encoded,
                    shadow = self.shadow,
                    proxy = self.proxy.as_ref().map(tracing::field::display),
                    tenant = self.tenant.map(Standing::as_str),
                    reason = error.map(tracing::field::display),
                    $message
                )
            };
        }
        match error.map(Error::fault) {
            None => event!(DEBUG, "delivery accepted"),
            Some(Fault::Sender) => event!(WARN, "delivery refused"),
            Some(Fault::Operator) => {
                event!(ERROR, "delivery not judged: this server is set up wrongly");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn age_is_signed_and_never_overflows() {
        let report = |signed_at, judged_at| Report {
            endpoint: None,
            provider: "stripe",
            verdict: Ok(Accepted::new(0, signed_at)),
            judged_at,
            body_length: 0,
            url: None,
            content_encoded: false,
            shadow: false,
            proxy: None,
            tenant: None,
        };
        let at = |millis| Some(UnixTime::from_millis(millis));
        assert_eq!(report(at(1_000), at(3_500)).age_millis(), Some(2_500));
        assert_eq!(report(at(3_500), at(1_000)).age_millis(), Some(-2_500));
        assert_eq!(report(at(u64::MAX), at(0)).age_millis(), None);
        assert_eq!(report(None, at(0)).age_millis(), None);
        assert_eq!(report(at(0), None).age_millis(), None);
        let refused = Report {
            verdict: Err(Error::new(ErrorKind::TimestampTooOld, "stripe")
                .with_signed_at(UnixTime::from_millis(5))),
            ..report(None, at(25))
        };
        assert_eq!((refused.age_millis(), refused.word()), (Some(20), "timestamp-too-old"));
    }
}
