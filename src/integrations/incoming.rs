//! The head of a request as every framework has it, and what is seen on the way to a verdict.

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http::request::Parts;
use http::{HeaderMap, Method};

use super::peer::Peer;
use super::proxy::ProxyFault;
use super::report::Accepted;
use super::standing::Standing;
use crate::delivery::Head;
use crate::time::{UnixTime, canonical_decimal};
use crate::verified::Genuine;

/// The head of a request, as every framework has it.
#[derive(Clone, Copy)]
pub(super) struct Incoming<'a> {
    pub(super) headers: &'a HeaderMap,
    pub(super) method: &'a Method,
    /// Path and query as they arrived.
    pub(super) path_and_query: &'a str,
    /// The least length that the body will have, as far as the framework knows it.
    pub(super) at_least: Option<u64>,
    /// Who is at the other end, as far as the framework knows it.
    pub(super) peer: Option<Peer>,
}

impl<'a> Incoming<'a> {
    pub(super) fn of(parts: &'a Parts, at_least: Option<u64>) -> Self {
        let path_and_query = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let peer = parts.extensions.get().copied();
        Self { headers: &parts.headers, method: &parts.method, path_and_query, at_least, peer }
    }

    /// The path as it arrived.
    #[cfg(feature = "_read")]
    pub(super) fn path(&self) -> &'a str {
        self.path_and_query.split_once('?').map_or(self.path_and_query, |(path, _)| path)
    }

    /// Whether the body will certainly be longer than this.
    pub(super) fn is_longer_than(&self, limit: usize) -> bool {
        let declared = self.headers.get(CONTENT_LENGTH);
        let declared = declared.and_then(|value| canonical_decimal(value.as_bytes()));
        let least = declared.unwrap_or(0).max(self.at_least.unwrap_or(0));
        u64::try_from(limit).is_ok_and(|limit| least > limit)
    }

    pub(super) fn head(&self, url: Option<&'a str>) -> Head<'a> {
        let head = Head::new(self.headers).with_method(self.method);
        match url {
            Some(url) => head.with_url(url),
            None => head,
        }
    }
}

/// What a report says beside the verdict, gathered on the way to it.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) url: Option<Box<str>>,
    pub(super) body_length: usize,
    pub(super) judged_at: Option<UnixTime>,
    pub(super) content_encoded: bool,
    pub(super) shadow: bool,
    pub(super) proxy: Option<ProxyFault>,
    pub(super) tenant: Option<Standing>,
}

impl Seen {
    pub(super) fn of(incoming: &Incoming<'_>) -> Self {
        let mut encodings = incoming.headers.get_all(CONTENT_ENCODING).into_iter();
        let content_encoded =
            encodings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"));
        Self { content_encoded, ..Self::default() }
    }

    /// What a report says of a delivery that was found genuine.
    #[cfg_attr(
        not(all(feature = "events", feature = "metrics")),
        expect(
            clippy::unused_self,
            unused_variables,
            reason = "only events say which attempt it is"
        )
    )]
    pub(super) fn accepted(&self, found: &Genuine, incoming: Incoming<'_>) -> Accepted {
        let accepted = Accepted::new(found.key(), found.signed_at());
        #[cfg(all(feature = "events", feature = "metrics"))]
        let accepted = Accepted {
            attempt: found.as_verified(incoming.head(self.url.as_deref())).attempt(),
            ..accepted
        };
        accepted
    }
}
