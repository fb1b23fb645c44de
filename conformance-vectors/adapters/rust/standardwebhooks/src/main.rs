//! standardwebhooks for Rust: `Webhook::verify` over bytes and the header map of the `http` crate.

use hookproof_adapter_lines::{Case, Hello, No, Verdict, serve};
use standardwebhooks::{Webhook, WebhookError};

const HELLO: Hello = Hello {
    package: "standardwebhooks",
    version: "1.0.1",
    providers: &["standard-webhooks"],
    many_secrets: false,
};

fn verify(case: &Case) -> Verdict {
    case.needs_300_seconds()?;
    let headers = case.header_map()?;
    if headers.contains_key("svix-signature") && !headers.contains_key("webhook-signature") {
        return Err(No::Unsupported("reads webhook-… headers only"));
    }
    let built = match case.secrets[0].as_str() {
        Some(text) => Webhook::new(text),
        None => Webhook::from_bytes(case.secret_bytes()),
    };
    let webhook = built.map_err(|_| No::Reject(Some("bad-secret")))?;
    webhook.verify(&case.body, &headers).map_err(|error| {
        No::Reject(match error {
            WebhookError::MissingHeader(_) => Some("missing-header"),
            WebhookError::InvalidSignature => Some("signature-mismatch"),
            WebhookError::TimestampTooOldError => Some("timestamp-too-old"),
            WebhookError::FutureTimestampError => Some("timestamp-in-future"),
            _ => None,
        })
    })
}

fn main() {
    serve(&HELLO, verify);
}
