//! An endpoint whose secrets are changed while the server runs.

use core::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::endpoint::Endpoint;

/// A handle to an endpoint that can be replaced without a restart. Its clones are handles to the same one.
///
/// Requests that are under way are judged by the endpoint that they began with, later ones by the new one.
///
/// ```
/// use hookproof::{ConfigError, Endpoint, Reloadable, Verifier, providers::GITHUB};
///
/// fn endpoint(secret: &str) -> Result<Endpoint, ConfigError> {
///     Endpoint::builder(Verifier::builder(&GITHUB).secret(secret).build()?).name(secret).build()
/// }
/// let live = Reloadable::new(endpoint("first")?);
/// // Give the server a clone: `VerifyLayer::new(live.clone())`.
///
/// live.reload(|_| endpoint("second"))?;
/// assert!(live.reload(|_| endpoint("")).is_err());
/// assert_eq!(live.load().name(), Some("second"), "what fails to build changes nothing");
/// # Ok::<(), ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Reloadable(Arc<Inner>);

struct Inner {
    // A read lock that is held for as long as a counter is raised: another cell would save nothing that can be measured
    // beside a MAC.
    endpoint: RwLock<Endpoint>,
    reloading: Mutex<()>,
}

impl Reloadable {
    /// A handle to this endpoint.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self(Arc::new(Inner { endpoint: RwLock::new(endpoint), reloading: Mutex::new(()) }))
    }

    /// The endpoint as it is now.
    #[must_use]
    pub fn load(&self) -> Endpoint {
        self.0.endpoint.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts another endpoint in its place.
    pub fn replace(&self, endpoint: Endpoint) {
        let mut current = self.0.endpoint.write().unwrap_or_else(PoisonError::into_inner);
        let old = core::mem::replace(&mut *current, endpoint);
        drop(current);
        // Its keys are wiped here, or with the last request that is judged by it.
        drop(old);
    }

    /// Builds an endpoint, given the one that it will replace, and puts it in its place; if that fails or panics, the old one stays.
    ///
    /// One at a time: what was read first cannot end up over what was read later. Requests do not wait for it.
    ///
    /// # Errors
    ///
    /// What `build` fails with.
    pub fn reload<E>(&self, build: impl FnOnce(&Endpoint) -> Result<Endpoint, E>) -> Result<(), E> {
        let _one = self.0.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        self.replace(build(&self.load())?);
        Ok(())
    }
}

impl fmt::Debug for Reloadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reloadable").field(&self.load()).finish()
    }
}
