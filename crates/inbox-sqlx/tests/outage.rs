//! A PostgreSQL server that crashes while a receiver and a worker use it, and comes back: every delivery is answered with
//! 200 or 503, what was answered with 200 is there, and each event has its effect once.
//!
//! It takes the server down, and so is alone in this file. It needs what `tests/postgres/run` provides; without it it is
//! ignored, and said to be.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

#[cfg(not(feature = "postgres"))]
const fn main() {}

#[cfg(feature = "postgres")]
fn main() -> std::process::ExitCode {
    server::main()
}

#[cfg(feature = "postgres")]
mod server {
    use core::time::Duration;
    use std::process::{Command, ExitCode};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hookproof::Verifier;
    use hookproof::providers::STRIPE;
    use hookproof::testing::{SECRET, Sender};
    use hookproof_inbox::kit::join_all;
    use hookproof_inbox::sql::Prefix;
    use hookproof_inbox::{
        Backoff, Job, LocalWake, NotDone, Receiver, Settings, Stale, State, Store,
        TransactionalHandler, Worker,
    };
    use hookproof_inbox_sqlx::postgres::pool_options;
    use hookproof_inbox_sqlx::sqlx::{self, Row as _};
    use hookproof_inbox_sqlx::{PostgresInbox, PostgresStore};
    use libtest_mimic::{Arguments, Trial};
    use tokio::sync::oneshot;
    use tokio::time::sleep;

    use crate::support::postgres::Fresh;
    use crate::support::{self, Fresh as _, NOW, block_on, endpoint, events};

    const CONTROL: &str = "HOOKPROOF_TEST_POSTGRES_CONTROL";
    const SENDERS: usize = 8;
    const DELIVERIES: usize = 400;

    pub(crate) fn main() -> ExitCode {
        let missing = std::env::var_os(CONTROL).is_none();
        let group = if missing { support::IGNORED } else { "postgres" };
        let name = format!("{group}/a_server_that_crashes_and_comes_back");
        let trial = Trial::test(name, || {
            block_on(crash());
            Ok(())
        });
        let trials = vec![trial.with_ignored_flag(missing)];
        libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
    }

    fn control(verb: &str) {
        let script = std::env::var_os(CONTROL).unwrap();
        let status = Command::new("bash").arg(script).arg(verb).status().unwrap();
        assert!(status.success(), "{verb}: {status}");
    }

    struct Notes;

    impl TransactionalHandler<PostgresStore> for Notes {
        async fn handle(
            &self,
            job: Job,
            _store: &PostgresStore,
            tx: &mut <PostgresStore as Store>::Tx<'_>,
        ) -> Result<(), NotDone> {
            let key = job.event().key.as_ref().map(ToString::to_string);
            sqlx::query("INSERT INTO notes (key) VALUES ($1)").bind(key).execute(tx).await?;
            Ok(())
        }
    }

    async fn crash() {
        let fresh = Fresh::new(false).await;
        sqlx::query("CREATE TABLE notes (key TEXT)").execute(fresh.inbox.pool()).await.unwrap();
        let pool = pool_options().acquire_timeout(Duration::from_millis(200));
        let pool = pool.connect_lazy_with(fresh.options());
        let inbox = Arc::new(PostgresInbox::new(pool, Prefix::new("kit").unwrap()));
        let wake = LocalWake::new();
        let verifier = Verifier::builder(&STRIPE).secret(SECRET).build().unwrap();
        let receiver = Receiver::new(Arc::clone(&inbox), verifier, endpoint(), wake.clone());
        let second = Duration::from_secs(1);
        let backoff = Backoff::new(second / 100, second / 10, 1000);
        let stale = Stale::Reclaim { after: second };
        let settings = Settings::new(5 * second, stale, backoff).poll(second);
        let worker = Worker::transactional(Arc::clone(&inbox), Notes, settings, wake);
        let (stop, stopped) = oneshot::channel::<()>();
        let worker = tokio::spawn(worker.run(async { drop(stopped.await) }));
        let (answered, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let outage = async {
            while answered.load(Ordering::Relaxed) < DELIVERIES / 4 {
                sleep(second / 1000).await;
            }
            tokio::task::spawn_blocking(|| control("crash")).await.unwrap();
            // It stays away until somebody has noticed, who must not be nobody.
            for _ in 0..10_000 {
                if refused.load(Ordering::Relaxed) >= SENDERS {
                    break;
                }
                sleep(second / 1000).await;
            }
            tokio::task::spawn_blocking(|| control("start")).await.unwrap();
        };
        let senders = join_all((0..SENDERS).map(async |sender| {
            for number in (sender..DELIVERIES).step_by(SENDERS) {
                let body = format!(r#"{{"id":"evt_{number}","type":"x"}}"#);
                let sent = Sender::new(&STRIPE).at(NOW).send(body.as_bytes()).unwrap();
                loop {
                    let receipt = receiver.receive(&sent.delivery(), NOW).await;
                    if receipt.status() == 200 {
                        answered.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                    assert_eq!(receipt.status(), 503, "{receipt}");
                    assert!(receipt.retry_after().is_some());
                    refused.fetch_add(1, Ordering::Relaxed);
                    sleep(second / 50).await;
                }
            }
        }));
        tokio::join!(outage, senders);
        let states = async || -> Vec<State> {
            let events = events(&*inbox).await.unwrap();
            events.iter().map(|event| event.progress.state).collect()
        };
        let mut found = states().await;
        assert_eq!(found.len(), DELIVERIES, "lost, or recorded twice");
        for _ in 0..600 {
            if found.iter().all(|state| *state == State::Done) {
                break;
            }
            sleep(second / 10).await;
            found = states().await;
        }
        assert!(found.iter().all(|state| *state == State::Done), "{found:?}");
        drop(stop);
        worker.await.unwrap();
        let sql = "SELECT count(*), count(DISTINCT key) FROM notes";
        let row = sqlx::query(sql).fetch_one(inbox.pool()).await.unwrap();
        let count = i64::try_from(DELIVERIES).unwrap();
        assert_eq!((row.get::<i64, _>(0), row.get::<i64, _>(1)), (count, count));
        assert!(refused.load(Ordering::Relaxed) >= SENDERS);
        inbox.pool().close().await;
        fresh.end().await;
    }
}
