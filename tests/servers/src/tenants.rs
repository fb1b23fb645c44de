//! A resolver that does what a test says, and deliveries for its tenants.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookproof::{
    Endpoint, Outgoing, Resolve, ResolveError, ResolveFailure, Signer, Tenant, TenantsBuilder,
    UnixTime, UnverifiedTenant, Verifier, providers,
};

/// What the backend of the resolver does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Answers at once.
    #[default]
    Answers,
    /// Answers after this time.
    Waits(Duration),
    /// Says that it cannot say.
    Fails,
    /// Never answers.
    Hangs,
    /// Panics.
    Panics,
}

/// A resolver of tenants that send as GitHub does. Its clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Vault(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    mode: Mutex<Mode>,
    secrets: Mutex<BTreeMap<String, String>>,
    asked: Mutex<Vec<String>>,
    failures: Mutex<Vec<String>>,
    reports: Mutex<Vec<String>>,
}

impl Vault {
    /// A vault with these tenants and their secrets.
    pub fn of(tenants: &[(&str, &str)]) -> Self {
        let vault = Self::default();
        for (tenant, secret) in tenants {
            vault.put(tenant, secret);
        }
        vault
    }

    /// Changes or adds a tenant.
    pub fn put(&self, tenant: &str, secret: &str) {
        self.0.secrets.lock().unwrap().insert(tenant.to_owned(), secret.to_owned());
    }

    /// Removes a tenant.
    pub fn remove(&self, tenant: &str) {
        self.0.secrets.lock().unwrap().remove(tenant);
    }

    /// What it does from now on.
    pub fn set(&self, mode: Mode) {
        *self.0.mode.lock().unwrap() = mode;
    }

    /// Whom it was asked for since the last time.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.asked.lock().unwrap())
    }

    /// What was said of its failures since the last time: the tenant and why.
    pub fn failures(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.failures.lock().unwrap())
    }

    /// The verdicts since the last time: endpoint, word, and how well the tenant is known.
    pub fn reports(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.reports.lock().unwrap())
    }

    /// An endpoint that reports here.
    ///
    /// # Errors
    ///
    /// If the secret cannot be used.
    pub fn endpoint(&self, name: &str, secret: &str) -> Result<Endpoint, hookproof::ConfigError> {
        let vault = self.clone();
        let verifier = Verifier::builder(&providers::GITHUB).secret(secret).build()?;
        let builder =
            Endpoint::builder(verifier).name(name).limit(100_000).on_verdict(move |report| {
                let standing = report.tenant.map_or("-", hookproof::Standing::as_str);
                let line = format!("{} {} {standing}", report.endpoint.unwrap(), report.word());
                vault.0.reports.lock().unwrap().push(line);
            });
        builder.build()
    }

    /// The endpoint for those who are not known.
    pub fn unknown(&self) -> Endpoint {
        self.endpoint("unknown", NOBODY).unwrap()
    }

    /// Keeps the failures.
    pub fn watch(&self, builder: TenantsBuilder) -> TenantsBuilder {
        let vault = self.clone();
        builder.on_failure(move |tenant, failure| {
            let word = match failure {
                ResolveFailure::Busy => "busy",
                ResolveFailure::Failed(_) => "failed",
                ResolveFailure::Panicked => "panicked",
                ResolveFailure::TimedOut => "timed out",
                _ => "other",
            };
            vault.0.failures.lock().unwrap().push(format!("{tenant} {word}"));
        })
    }

    async fn find(&self, tenant: &str) -> Result<Option<Endpoint>, ResolveError> {
        self.0.asked.lock().unwrap().push(tenant.to_owned());
        // As a database does, it reads first and answers later.
        let secret = self.0.secrets.lock().unwrap().get(tenant).cloned();
        let mode = *self.0.mode.lock().unwrap();
        match mode {
            Mode::Answers => {}
            Mode::Waits(time) => tokio::time::sleep(time).await,
            Mode::Fails => return Err("the database is gone".into()),
            Mode::Hangs => std::future::pending().await,
            Mode::Panics => panic!("as it was told to"),
        }
        let Some(secret) = secret else { return Ok(None) };
        Ok(Some(self.endpoint(tenant, &secret)?))
    }
}

impl Resolve<Tenant> for Vault {
    async fn resolve(&self, tenant: Tenant) -> Result<Option<Endpoint>, ResolveError> {
        self.find(tenant.as_str()).await
    }
}

impl Resolve<UnverifiedTenant> for Vault {
    async fn resolve(&self, tenant: UnverifiedTenant) -> Result<Option<Endpoint>, ResolveError> {
        self.find(tenant.as_str()).await
    }
}

/// The secret of the endpoint for those who are not known.
pub const NOBODY: &str = "a secret of nobody";

/// The signature of a body with this secret.
pub fn sign(secret: &str, body: &[u8]) -> Vec<u8> {
    let signer = Signer::builder(&providers::GITHUB).secret(secret).build().unwrap();
    let signed = signer.sign(&Outgoing::new(body), UnixTime::from_secs(0)).unwrap();
    signed.delivery().headers()[crate::github::SIGNATURE].as_bytes().to_vec()
}
