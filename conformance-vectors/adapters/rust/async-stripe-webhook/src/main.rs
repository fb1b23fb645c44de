//! async-stripe-webhook: `Webhook::construct_event_with_timestamp` over the body as text. It parses the event once the
//! signature and the time are right, so that an event that cannot be parsed counts as accepted here.

use hookproof_adapter_lines::{Case, Hello, No, Verdict, serve};
use stripe_webhook::{Webhook, WebhookError};

const HELLO: Hello = Hello {
    package: "async-stripe-webhook",
    version: "1.0.0-rc.10",
    providers: &["stripe"],
    many_secrets: false,
};

fn verify(case: &Case) -> Verdict {
    case.needs_300_seconds()?;
    let (body, header, secret) =
        (case.body_text()?, case.header("stripe-signature")?, case.secret_text()?);
    match Webhook::construct_event_with_timestamp(body, header, secret, case.now) {
        Ok(_) | Err(WebhookError::BadParse(_)) => Ok(()),
        Err(WebhookError::BadKey) => Err(No::Reject(Some("bad-secret"))),
        Err(WebhookError::BadHeader(_)) => Err(No::Reject(Some("malformed-header"))),
        Err(_) => Err(No::Reject(None)),
    }
}

fn main() {
    serve(&HELLO, verify);
}
