//! webhook-verify: `verify_any` over bytes and the header map of the `http` crate, for the four senders of the vectors
//! that it names. It documents that a header line too many is refused by the caller.

use std::sync::Arc;
use std::time::Duration;

use hookproof_adapter_lines::{Case, Hello, No, Verdict, serve};
use webhook_verify::{Clock, Provider, Secret, VerifyError, VerifyOptions, verify_any};

const HELLO: Hello = Hello {
    package: "webhook-verify",
    version: "0.1.0",
    providers: &["github", "shopify", "standard-webhooks", "stripe"],
    many_secrets: true,
};

struct At(u64);

impl Clock for At {
    fn now(&self) -> u64 {
        self.0
    }
}

fn verify(case: &Case) -> Verdict {
    let provider = match case.provider.as_str() {
        "github" => Provider::GitHub,
        "shopify" => Provider::Shopify,
        "stripe" => Provider::Stripe,
        _ => Provider::StandardWebhooks,
    };
    let headers = case.header_map()?;
    if headers.keys().any(|name| headers.get_all(name).iter().nth(1).is_some()) {
        return Err(No::Unsupported("leaves repeated headers to the caller"));
    }
    let texts = case.secrets.iter().map(|secret| secret.as_str().map(Secret::new));
    let secrets: Option<Vec<Secret>> = texts.collect();
    let secrets = secrets.ok_or(No::Unsupported("takes the secret as text only"))?;
    let mut options = VerifyOptions::default().with_clock(Some(Arc::new(At(case.now as u64))));
    if let Some(seconds) = case.tolerance {
        options = options.with_max_age(Some(Duration::from_secs(seconds)));
    }
    verify_any(provider, &headers, &case.body, &secrets, options).map_err(|error| {
        No::Reject(match error {
            VerifyError::MissingHeader { .. } => Some("missing-header"),
            VerifyError::MalformedHeader { .. } => Some("malformed-header"),
            VerifyError::BadEncoding { .. } => Some("bad-encoding"),
            VerifyError::SignatureMismatch => Some("signature-mismatch"),
            VerifyError::InvalidSecret { .. } => Some("bad-secret"),
            _ => None,
        })
    })
}

fn main() {
    serve(&HELLO, verify);
}
