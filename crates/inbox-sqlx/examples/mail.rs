//! Effects elsewhere: a mail cannot be rolled back. The request is stored and answered at once; a worker claims the event,
//! sends the mail, and completes the claim.
//!
//! A worker that dies between the mail and the completion leaves a claim whose fate its terms decide: here the event is
//! claimed again, since a doubled mail is cheap. For a charge it would be `Stale::Park`.
//!
//! ```sh
//! cargo run --example mail
//! ```
#![allow(clippy::print_stdout, reason = "an example that shows what happens")]

use core::time::Duration;
use std::sync::{Arc, Mutex};

use hookproof::Verifier;
use hookproof::providers::STRIPE;
use hookproof::testing::{NOW, SECRET, Sender};
use hookproof_inbox_sqlx::hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::hookproof_inbox::{
    Backoff, EndpointId, Job, LocalWake, NotDone, Receiver, Settings, Stale, Worker,
};
use hookproof_inbox_sqlx::{SqliteInbox, sqlite};

type Error = Box<dyn std::error::Error>;

/// A mail server that is down at the first attempt.
#[derive(Clone, Default)]
struct Mails(Arc<Mutex<(u32, Vec<String>)>>);

impl Mails {
    fn send(&self, id: &str) -> Result<(), NotDone> {
        let mut server = self.0.lock().map_err(|_| NotDone::failed("poisoned"))?;
        server.0 += 1;
        if server.0 == 1 {
            return Err(NotDone::failed("the mail server is down"));
        }
        // The key of the event is the mail's id: a server that knows ids drops a doubled one.
        server.1.push(id.to_owned());
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let options = sqlite::connect_options(folder.path().join("shop.db"));
    let pool = sqlite::pool_options().connect_lazy_with(options);
    let inbox = Arc::new(SqliteInbox::new(pool, Prefix::DEFAULT));
    inbox.migrate().await?;

    let mails = Mails::default();
    let (wake, server) = (LocalWake::new(), mails.clone());
    let send_mail = move |job: Job| {
        let mails = server.clone();
        async move {
            let event = job.event();
            println!(
                "attempt {} at {:?}",
                job.attempt(),
                event.kind.as_deref().unwrap_or_default()
            );
            let key = event.key.as_ref().ok_or_else(|| NotDone::park("an event without key"))?;
            mails.send(key.as_str())
        }
    };
    let backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(3600), 12);
    let lease = Duration::from_secs(30);
    let terms = Settings::new(lease, Stale::Reclaim { after: Duration::from_secs(10) }, backoff);
    let worker = Worker::external(Arc::clone(&inbox), send_mail, terms, wake.clone())
        .on_incident(|incident| println!("told: {incident}"));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(worker.run(async { drop(stopped.await) }));

    let verifier = Verifier::builder(&STRIPE).secret(SECRET).build()?;
    let receiver = Receiver::new(inbox, verifier, EndpointId::new("billing")?, wake);
    let body = br#"{"id":"evt_1","type":"invoice.paid","data":{"object":{"id":"in_1"}}}"#;
    for _copy in 0..2 {
        let sent = Sender::new(&STRIPE).send(body)?;
        println!("answered {}", receiver.receive(&sent.delivery(), NOW).await);
    }

    // Until the second attempt has sent it, for at most ten seconds.
    for _ in 0..200 {
        if mails.0.lock().is_ok_and(|server| !server.1.is_empty()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(stop);
    running.await?;
    let sent = mails.0.lock().map_err(|_| "poisoned")?.1.clone();
    println!("sent: {sent:?}");
    assert_eq!(sent, ["stripe/evt_1"]);
    Ok(())
}
