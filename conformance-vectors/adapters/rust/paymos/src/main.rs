//! paymos for Rust: `WebhookVerifier::verify_at`, the check inside `construct_event`, which goes on to parse JSON.

use hookproof_adapter_lines::{Case, Hello, No, Verdict, serve};
use paymos::{WebhookError, WebhookVerifier};

const HELLO: Hello =
    Hello { package: "paymos", version: "1.4.2", providers: &["paymos"], many_secrets: false };

fn verify(case: &Case) -> Verdict {
    let secret = case.secret_text()?;
    let built = match case.tolerance {
        Some(seconds) => WebhookVerifier::with_tolerance(secret, seconds),
        None => WebhookVerifier::new(secret),
    };
    let verifier = built.map_err(|_| No::Reject(Some("bad-secret")))?;
    let header = case.header("x-webhook-signature")?;
    verifier.verify_at(header, &case.body, case.now).map_err(|error| {
        No::Reject(match error {
            WebhookError::MalformedHeader => Some("malformed-header"),
            WebhookError::SignatureMismatch => Some("signature-mismatch"),
            _ => None,
        })
    })
}

fn main() {
    serve(&HELLO, verify);
}
