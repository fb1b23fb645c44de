//! Where the endpoint of a request comes from: one, one that is replaced now and then, one by path, one by tenant.

use core::fmt;
use std::sync::Arc;

use super::endpoint::{Endpoint, NoEndpoint};
use super::reload::Reloadable;
use super::tenants::Tenants;
use crate::config_error::{ConfigError, ConfigErrorKind};

/// Where the endpoint of a request comes from. Cheap to clone.
///
/// It is made from one [`Endpoint`], from a [`Reloadable`], from [`Tenants`], or from several of them by path; adapters for
/// frameworks take whatever it can be made from.
///
/// ```
/// use hookproof::{Endpoint, Endpoints, Verifier, providers::{GITHUB, STRIPE}};
///
/// let stripe = Endpoint::new(Verifier::builder(&STRIPE).secret("whsec_current").build()?)?;
/// let github = Endpoint::new(Verifier::builder(&GITHUB).secret("a long random text").build()?)?;
///
/// // `/hooks/stripe` and `/hooks/github`:
/// let endpoints = Endpoints::by_name("/hooks", [stripe.clone(), github.clone()])?;
/// // Any others:
/// let endpoints = Endpoints::builder().at("/payments", stripe).at("/code/{anything}", github).build()?;
/// # Ok::<(), hookproof::ConfigError>(())
/// ```
///
/// A path that no route has is answered 404 and an empty body: it depends on the routes alone, never on who is known. The
/// path is compared as it arrived, letter by letter, without its query; a router around that takes off a prefix (`nest` of axum)
/// takes it off here too.
#[derive(Clone, Debug)]
pub struct Endpoints(Source);

#[derive(Clone)]
enum Source {
    Live(Reloadable),
    One(Endpoint),
    Routes(Arc<matchit::Router<Endpoints>>),
    Tenants(Tenants),
}

/// What is found by a path.
pub(super) enum Place<'e, 'p> {
    Endpoint(Endpoint),
    Tenants(&'e Tenants, &'p str),
}

impl Endpoints {
    /// Begins endpoints by path.
    pub fn builder() -> EndpointsBuilder {
        EndpointsBuilder { routes: matchit::Router::new(), fault: None }
    }

    /// Each of these under its name, or the id of its sender where it has none: `/hooks/stripe` for the prefix `/hooks`.
    ///
    /// # Errors
    ///
    /// [`BadRoute`](ConfigErrorKind::BadRoute) if two have the same name, or the prefix does not begin with `/`.
    pub fn by_name(
        prefix: &str,
        endpoints: impl IntoIterator<Item = Endpoint>,
    ) -> Result<Self, ConfigError> {
        let mut builder = Self::builder();
        for endpoint in endpoints {
            let sender = endpoint.verifier().provider().info();
            let name = endpoint.name().unwrap_or(sender.id);
            // A name is a name, whatever is in it.
            let name = name.replace('{', "{{").replace('}', "}}");
            builder = builder.at(&format!("{prefix}/{name}"), endpoint);
        }
        builder.build()
    }

    /// What a request with this path is for.
    pub(super) fn at<'p>(&self, path: &'p str) -> Result<Place<'_, 'p>, NoEndpoint> {
        self.find(path, path)
    }

    fn find<'p>(&self, path: &'p str, key: &'p str) -> Result<Place<'_, 'p>, NoEndpoint> {
        match &self.0 {
            Source::Live(reloadable) => Ok(Place::Endpoint(reloadable.load())),
            Source::One(endpoint) => Ok(Place::Endpoint(endpoint.clone())),
            Source::Routes(routes) => {
                let found = routes.at(path).map_err(|_| NoEndpoint::NotFound)?;
                let key = found.params.iter().next().map_or(path, |(_, part)| part);
                found.value.find(path, key)
            }
            Source::Tenants(tenants) => Ok(Place::Tenants(tenants, key)),
        }
    }
}

impl From<Endpoint> for Endpoints {
    fn from(endpoint: Endpoint) -> Self {
        Self(Source::One(endpoint))
    }
}

impl From<Reloadable> for Endpoints {
    fn from(reloadable: Reloadable) -> Self {
        Self(Source::Live(reloadable))
    }
}

impl From<Tenants> for Endpoints {
    fn from(tenants: Tenants) -> Self {
        Self(Source::Tenants(tenants))
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Live(reloadable) => reloadable.fmt(f),
            Self::One(endpoint) => endpoint.fmt(f),
            Self::Routes(_) => f.write_str("Routes { .. }"),
            Self::Tenants(tenants) => tenants.fmt(f),
        }
    }
}

/// Sets up [`Endpoints`] by path.
#[must_use]
pub struct EndpointsBuilder {
    routes: matchit::Router<Endpoints>,
    fault: Option<ConfigError>,
}

impl EndpointsBuilder {
    /// What is at this path. It begins with `/` and may have one part in braces, `/hooks/{tenant}`, which stands for any text
    /// without a `/`, or `{*tenant}` at its end for any text; [`Tenants`] are found by it. A path without braces goes before one
    /// with them. `{{` and `}}` are plain braces.
    pub fn at(mut self, path: &str, endpoints: impl Into<Endpoints>) -> Self {
        let fault = self.add(path, endpoints.into()).err();
        self.fault = self.fault.or(fault);
        self
    }

    fn add(&mut self, path: &str, endpoints: Endpoints) -> Result<(), ConfigError> {
        let braces = path.replace("{{", "").replace("}}", "").matches('{').count();
        let fault = match (path.starts_with('/'), braces) {
            (false, _) => "it does not begin with `/`".into(),
            (true, 2..) => "it has two parts in braces and a tenant has one".into(),
            (true, _) => match self.routes.insert(path, endpoints) {
                Ok(()) => return Ok(()),
                Err(error) => error.to_string(),
            },
        };
        let message = format!("the route {path:?} cannot be added: {fault}");
        Err(ConfigError::new(ConfigErrorKind::BadRoute, message))
    }

    /// The endpoints.
    ///
    /// # Errors
    ///
    /// [`BadRoute`](ConfigErrorKind::BadRoute) if two routes take the same paths, or one cannot be read.
    pub fn build(self) -> Result<Endpoints, ConfigError> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(Endpoints(Source::Routes(Arc::new(self.routes)))),
        }
    }
}

impl fmt::Debug for EndpointsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointsBuilder").field("fault", &self.fault).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Verifier, providers};

    fn endpoint(name: &str) -> Endpoint {
        let verifier = Verifier::builder(&providers::GITHUB).secret("a").build().unwrap();
        Endpoint::builder(verifier).name(name).build().unwrap()
    }

    /// The name of the endpoint at a path, or the key of the tenant.
    fn at(endpoints: &Endpoints, path: &str) -> Result<String, NoEndpoint> {
        endpoints.at(path).map(|place| match place {
            Place::Endpoint(endpoint) => endpoint.name().unwrap_or("-").to_owned(),
            Place::Tenants(_, key) => format!("tenant {key}"),
        })
    }

    #[test]
    fn paths_are_taken_letter_by_letter() {
        let tenants = Tenants::lookup(endpoint("unknown"), |_| None);
        let endpoints = Endpoints::builder()
            .at("/a", endpoint("a"))
            .at("/hooks/a", endpoint("static"))
            .at("/hooks/{tenant}", tenants.clone())
            .at("/any/{*rest}", tenants.clone())
            .at("/fixed", tenants.clone())
            .at("/live", Reloadable::new(endpoint("live")))
            .build()
            .unwrap();
        for (path, found) in [
            ("/a", "a"),
            ("/hooks/a", "static"),
            ("/hooks/b", "tenant b"),
            ("/hooks/a%62", "tenant a%62"),
            ("/hooks/A", "tenant A"),
            ("/hooks/..", "tenant .."),
            ("/any/b/c", "tenant b/c"),
            ("/fixed", "tenant /fixed"),
            ("/live", "live"),
        ] {
            assert_eq!(at(&endpoints, path).as_deref(), Ok(found), "{path}");
        }
        for path in [
            "",
            "/",
            "/a/",
            "/A",
            "//a",
            "/hooks",
            "/hooks/",
            "/hooks/b/",
            "/hooks/b/c",
            "/any/",
            "*",
        ] {
            assert_eq!(at(&endpoints, path), Err(NoEndpoint::NotFound), "{path}");
        }
        assert_eq!(at(&tenants.into(), "/x/y").as_deref(), Ok("tenant /x/y"));
    }

    #[test]
    fn endpoints_have_their_name_or_that_of_their_sender() {
        let verifier = Verifier::builder(&providers::STRIPE).secret("a").build().unwrap();
        let stripe = Endpoint::new(verifier).unwrap();
        let endpoints = Endpoints::by_name("/hooks", [endpoint("a{b}"), stripe.clone()]).unwrap();
        assert_eq!(at(&endpoints, "/hooks/a{b}").as_deref(), Ok("a{b}"));
        assert_eq!(at(&endpoints, "/hooks/stripe").as_deref(), Ok("-"));
        assert_eq!(at(&endpoints, "/hooks/github"), Err(NoEndpoint::NotFound));
        let twice = Endpoints::by_name("/hooks", [stripe.clone(), stripe]).unwrap_err();
        assert_eq!(twice.kind(), ConfigErrorKind::BadRoute);
    }

    #[test]
    fn routes_that_cannot_be_are_found_at_start_up() {
        for routes in
            [&["a"][..], &[""], &["/a", "/a"], &["/{a}", "/{b}"], &["/{a}/{b}"], &["/{a"], &["/{}"]]
        {
            let mut builder = Endpoints::builder();
            for route in routes {
                builder = builder.at(route, endpoint("a"));
            }
            let error = builder.build().unwrap_err();
            assert_eq!(error.kind(), ConfigErrorKind::BadRoute, "{routes:?}");
            assert!(error.to_string().starts_with("the route \""), "{error}");
        }
    }
}
