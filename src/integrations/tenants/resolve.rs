//! Who answers for tenants: the operator's code, and what is said when it does not.

use core::error::Error;
use core::fmt;
use core::future::Future;

use crate::integrations::endpoint::Endpoint;

/// What a resolver fails with.
pub type ResolveError = Box<dyn Error + Send + Sync>;

/// Finds the endpoint of a tenant, in a database or a vault. `K` is what it is told: a [`Tenant`](super::Tenant), which is of the
/// request's head, or an [`UnverifiedTenant`](super::UnverifiedTenant), which is of a body that nobody has verified.
///
/// Closures are resolvers, if they say which of the two they take:
///
/// ```
/// use hookproof::{Endpoint, ResolveError, Tenant, Tenants, Verifier, providers::STRIPE};
///
/// # struct Vault;
/// # impl Vault { async fn secret(&self, _: &str) -> Result<Option<String>, ResolveError> { Ok(None) } }
/// fn endpoint(name: &str, secret: &str) -> Result<Endpoint, hookproof::ConfigError> {
///     Endpoint::builder(Verifier::builder(&STRIPE).secret(secret).build()?).name(name).build()
/// }
///
/// # fn tenants(vault: std::sync::Arc<Vault>) -> Result<Tenants, hookproof::ConfigError> {
/// let tenants = Tenants::resolve(endpoint("unknown", "a secret of nobody")?, move |tenant: Tenant| {
///     let vault = vault.clone();
///     async move {
///         let Some(secret) = vault.secret(tenant.as_str()).await? else { return Ok(None) };
///         Ok(Some(endpoint(tenant.as_str(), &secret)?))
///     }
/// });
/// # Ok(tenants.build()) }
/// ```
///
/// It is called in a task of its own, which goes on when the request that asked is gone. It may panic or hang: that is a
/// failure like others. What blocks a thread belongs into `spawn_blocking` of the runtime.
pub trait Resolve<K>: Send + Sync + 'static {
    /// The endpoint for this key; `None` if nobody is known by it.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from knowing, secrets that cannot be used among it. The text goes to the operator's log.
    fn resolve(
        &self,
        key: K,
    ) -> impl Future<Output = Result<Option<Endpoint>, ResolveError>> + Send;
}

impl<K, F, A> Resolve<K> for F
where
    F: Fn(K) -> A + Send + Sync + 'static,
    A: Future<Output = Result<Option<Endpoint>, ResolveError>> + Send,
{
    fn resolve(
        &self,
        key: K,
    ) -> impl Future<Output = Result<Option<Endpoint>, ResolveError>> + Send {
        self(key)
    }
}

/// Why a resolver gave no answer. See [`TenantsBuilder::on_failure`](super::TenantsBuilder::on_failure).
#[derive(Debug)]
#[non_exhaustive]
pub enum ResolveFailure {
    /// It was not asked: as many are asked for at once as may be.
    Busy,
    /// It said so.
    Failed(ResolveError),
    /// It panicked, or the runtime that it was asked on ended.
    Panicked,
    /// It took longer than it may.
    TimedOut,
}

impl fmt::Display for ResolveFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("too many tenants are asked for at once; it was not asked"),
            Self::Failed(error) => write!(f, "the resolver failed: {error}"),
            Self::Panicked => f.write_str("the resolver panicked or its runtime ended"),
            Self::TimedOut => f.write_str("the resolver did not answer in time"),
        }
    }
}

impl Error for ResolveFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Failed(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}
