//! Many endpoints that are found one by one: in a map at hand, or by a resolver whose answers are kept.

mod answers;
mod cache;
mod key;
mod resolve;

use core::fmt;
use core::time::Duration;
use std::sync::Arc;

pub use key::{Tenant, UnverifiedBody, UnverifiedTenant};
pub use resolve::{Resolve, ResolveError, ResolveFailure};

use answers::{Answer, Answers, Lookup, OnFailure, Policy};
use key::is_key;

use super::endpoint::{Endpoint, NoEndpoint};
use super::standing::{Chosen, Standing};

/// The endpoints of many tenants, found by what a request names: a part of its path, or a member of its body. Cheap to clone.
///
/// ```
/// use std::collections::HashMap;
/// use hookproof::{Endpoint, Endpoints, Tenant, Tenants, Verifier, providers::GITHUB};
///
/// let endpoint = |secret| Endpoint::new(Verifier::builder(&GITHUB).secret(secret).build()?);
/// let known = HashMap::from([("acme".to_owned(), endpoint("acme's secret")?)]);
/// let tenants = Tenants::lookup(endpoint("a secret of nobody")?, move |tenant: &Tenant| {
///     known.get(tenant.as_str()).cloned()
/// });
/// let endpoints = Endpoints::builder().at("/github/{tenant}", tenants).build()?;
/// # Ok::<(), hookproof::ConfigError>(())
/// ```
///
/// # Who is unknown
///
/// Requests for tenants that nobody knows are judged by an endpoint that is given for it, and refused whatever it finds: with
/// the status that it finds or, were it content, with 401. Make it as those of tenants are made, with a secret of nobody. Then
/// a tenant that is not known and one whose signature is wrong cannot be told apart by status, headers and body of the answer,
/// by when the body is asked for, or by how long it is hashed.
///
/// What can be told from outside: tenants that differ from that endpoint in their sender, their options, their limit or the
/// number of their secrets; and, where a resolver answers faster for some, how long the first request of one takes. While
/// the resolver fails, whoever is not kept is answered 503, and who is kept is not.
///
/// # Resolvers
///
/// A [`Resolve`] is asked once for all requests that wait for the same tenant, and no longer than a time; its answers are kept.
/// It is asked in a task of its own, so a request that goes away takes nothing with it. While it fails, the old answer is used
/// for a time ([`Report::tenant`](crate::Report::tenant) says so), then, and for those who are not kept, the answer is
/// [`Unavailable`](NoEndpoint::Unavailable), 503. What it said of unknown tenants is kept apart and briefly, so that invented
/// ones neither fill the memory nor take the place of others. The times are those of [`TenantsBuilder`] and pass by
/// tokio's clock.
///
/// The task needs a tokio runtime with time enabled; without one the request panics.
#[derive(Clone)]
pub struct Tenants(Arc<Inner>);

struct Inner {
    unknown: Endpoint,
    found: Found,
}

/// How an endpoint is found.
enum Found {
    AtHand(Box<AtHand>),
    ByPath(Answers),
    ByBody(Box<KeyOf>, Answers),
}

type AtHand = dyn Fn(&Tenant) -> Option<Endpoint> + Send + Sync;
type KeyOf = dyn Fn(UnverifiedBody<'_>) -> Option<String> + Send + Sync;

impl Tenants {
    /// Tenants whose endpoints are at hand, in a map for example. The call is part of the request: it must not wait.
    ///
    /// `unknown` judges the requests of those who are not known, see [above](Self#who-is-unknown).
    pub fn lookup(
        unknown: Endpoint,
        find: impl Fn(&Tenant) -> Option<Endpoint> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Inner { unknown, found: Found::AtHand(Box::new(find)) }))
    }

    /// Begins tenants that are found by a resolver, which is told what the path names and nothing of the body.
    ///
    /// `unknown` judges the requests of those who are not known, see [above](Self#who-is-unknown).
    ///
    /// A resolver that wants to know what a body says is not one for it:
    ///
    /// ```compile_fail,E0631
    /// # use hookproof::{Endpoint, Tenants, UnverifiedTenant};
    /// # fn tenants(unknown: Endpoint) {
    /// let tenants = Tenants::resolve(unknown, |tenant: UnverifiedTenant| async { Ok(None) });
    /// # }
    /// ```
    pub fn resolve(unknown: Endpoint, resolver: impl Resolve<Tenant>) -> TenantsBuilder {
        let resolver = Arc::new(resolver);
        TenantsBuilder::new(unknown, None, move |key| {
            let resolver = Arc::clone(&resolver);
            Box::pin(async move { resolver.resolve(Tenant::new(key)).await })
        })
    }

    /// Begins tenants that are found by a resolver **which is told what a body says that nobody has verified**, such as the
    /// `account` of Stripe Connect. `key` takes it out of the body; `None` is nobody.
    ///
    /// The head is read by the rules of `unknown` before the body, and the body under its limit and times: every tenant's
    /// endpoint has to be of the same sender. `key` is part of the request and reads a body of anybody: keep the limit low.
    ///
    /// # Security
    ///
    /// What `key` finds and what a handler reads later must be the same, or somebody who has the secret of one tenant speaks for
    /// another. [`UnverifiedBody::member`] refuses a member that is there twice. Better than reading it
    /// again: the [name](Endpoint::name) of the endpoint that verified the request.
    ///
    /// ```
    /// use hookproof::{Endpoint, Tenants, UnverifiedTenant, Verifier, providers::STRIPE};
    ///
    /// let endpoint = |secret| Endpoint::new(Verifier::builder(&STRIPE).secret(secret).build()?);
    /// let resolver = move |account: UnverifiedTenant| async move {
    ///     match account.as_str() {
    ///         "acct_1" => Ok(Some(endpoint("whsec_of_acct_1")?)),
    ///         _ => Ok(None),
    ///     }
    /// };
    /// let unknown = endpoint("whsec_of_nobody")?;
    /// # #[cfg(feature = "events")]
    /// let tenants = Tenants::resolve_unverified(unknown, |body| body.member("account"), resolver).build();
    /// # Ok::<(), hookproof::ConfigError>(())
    /// ```
    pub fn resolve_unverified(
        unknown: Endpoint,
        key: impl Fn(UnverifiedBody<'_>) -> Option<String> + Send + Sync + 'static,
        resolver: impl Resolve<UnverifiedTenant>,
    ) -> TenantsBuilder {
        let resolver = Arc::new(resolver);
        TenantsBuilder::new(unknown, Some(Box::new(key)), move |key| {
            let resolver = Arc::clone(&resolver);
            Box::pin(async move { resolver.resolve(UnverifiedTenant::new(key)).await })
        })
    }

    /// Forgets what the resolver said of this tenant, and asks it anew with the next request: once a secret was changed
    /// or a tenant was removed.
    pub fn forget(&self, tenant: &str) {
        match &self.0.found {
            Found::AtHand(_) => {}
            Found::ByPath(answers) | Found::ByBody(_, answers) => answers.forget(tenant),
        }
    }

    /// What judges the requests of those who are not known.
    pub(super) fn unknown(&self) -> &Endpoint {
        &self.0.unknown
    }

    /// Whether the body has to be read before anybody is known.
    pub(super) fn are_in_the_body(&self) -> bool {
        matches!(self.0.found, Found::ByBody(..))
    }

    /// The endpoint for a request with this key in its path and, where it is needed, this body.
    pub(super) async fn find(&self, key: &str, body: &[u8]) -> Result<Chosen, NoEndpoint> {
        let answer = match &self.0.found {
            Found::AtHand(find) if is_key(key) => {
                find(&Tenant::new(key.into())).map_or(Answer::Unknown, Answer::Fresh)
            }
            Found::ByPath(answers) if is_key(key) => answers.ask(key).await,
            Found::ByBody(key_of, answers) => match key_of(UnverifiedBody::new(body)) {
                Some(key) if is_key(&key) => answers.ask(&key).await,
                _ => Answer::Unknown,
            },
            _ => Answer::Unknown,
        };
        match answer {
            Answer::Fresh(endpoint) => Ok(Chosen::tenant(endpoint, Standing::Fresh)),
            Answer::Stale(endpoint) => Ok(Chosen::tenant(endpoint, Standing::Stale)),
            Answer::Unknown => Ok(Chosen::tenant(self.0.unknown.clone(), Standing::Unknown)),
            Answer::Unavailable => Err(NoEndpoint::Unavailable),
        }
    }
}

impl fmt::Debug for Tenants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tenants").field("unknown", &self.0.unknown).finish_non_exhaustive()
    }
}

/// Sets up [`Tenants`] that a resolver finds.
#[must_use]
pub struct TenantsBuilder {
    unknown: Endpoint,
    key: Option<Box<KeyOf>>,
    policy: Policy,
}

impl TenantsBuilder {
    fn new(
        unknown: Endpoint,
        key: Option<Box<KeyOf>>,
        lookup: impl Fn(Arc<str>) -> Lookup + Send + Sync + 'static,
    ) -> Self {
        let policy = Policy {
            lookup: Box::new(lookup),
            on_failure: None,
            // Senders wait 5 s at least, and the body has to arrive within them too.
            timeout: Duration::from_secs(2),
            fresh_for: Duration::from_secs(60),
            stale_for: Duration::from_secs(60 * 60),
            unknown_for: Duration::from_secs(10),
            capacity: 10_000,
            at_once: 64,
        };
        Self { unknown, key, policy }
    }

    /// How long the resolver may take; 2 s by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.policy.timeout = timeout;
        self
    }

    /// How long an answer holds before the resolver is asked anew; 60 s by default. So long a secret that was changed or
    /// withdrawn may still count: see [`Tenants::forget`].
    pub fn fresh_for(mut self, time: Duration) -> Self {
        self.policy.fresh_for = time;
        self
    }

    /// How long beyond that an answer may be used while the resolver fails; 1 h by default, and never with
    /// [`Duration::ZERO`]. While it fails it is asked at most once a second for each tenant, and nobody waits for it.
    pub fn stale_for(mut self, time: Duration) -> Self {
        self.policy.stale_for = time;
        self
    }

    /// How long it holds that nobody is known by a key; 10 s by default. A new tenant is refused so long if its sender comes
    /// too early.
    pub fn unknown_for(mut self, time: Duration) -> Self {
        self.policy.unknown_for = time;
        self
    }

    /// How many known tenants are kept at most, those that are used rather than others, and apart from them how many keys
    /// that nobody is known by; 10 000 each by default. A server that has more tenants asks more often.
    pub fn capacity(mut self, tenants: usize) -> Self {
        self.policy.capacity = tenants;
        self
    }

    /// How many tenants that are not kept may be asked for at the same time; 64 by default. Beyond it the answer is
    /// [`Unavailable`](NoEndpoint::Unavailable). Those that are kept are asked for anew whatever the number.
    pub fn at_once(mut self, lookups: usize) -> Self {
        self.policy.at_once = lookups;
        self
    }

    /// What to do when the resolver gives no answer, with the tenant's text, which anybody may have sent. It does nothing
    /// that waits. With the feature `tracing` each failure is also an event of the target `hookproof` and level ERROR, `tenant
    /// not resolved`, with the fields `tenant` and `reason`.
    pub fn on_failure(
        mut self,
        call: impl Fn(&str, &ResolveFailure) + Send + Sync + 'static,
    ) -> Self {
        let call: Box<OnFailure> = Box::new(call);
        self.policy.on_failure = Some(call);
        self
    }

    /// The tenants.
    #[must_use]
    pub fn build(self) -> Tenants {
        let answers = Answers::new(self.policy);
        let found = match self.key {
            None => Found::ByPath(answers),
            Some(key) => Found::ByBody(key, answers),
        };
        Tenants(Arc::new(Inner { unknown: self.unknown, found }))
    }
}

impl fmt::Debug for TenantsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TenantsBuilder")
            .field("unknown", &self.unknown)
            .field("timeout", &self.policy.timeout)
            .field("fresh_for", &self.policy.fresh_for)
            .field("stale_for", &self.policy.stale_for)
            .field("unknown_for", &self.policy.unknown_for)
            .field("capacity", &self.policy.capacity)
            .field("at_once", &self.policy.at_once)
            .finish_non_exhaustive()
    }
}
