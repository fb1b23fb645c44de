//! Migrations, partitions, purges and seals.

use std::time::Duration;

use hookproof::UnixTime;
use hookproof_inbox::kit::join_all;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{
    ClaimRequest, Log as _, Stale, Store as _, StoreErrorKind, Work, chain::Status, verify_log,
};
use hookproof_inbox_sqlx::PostgresInbox;
use hookproof_inbox_sqlx::postgres::{Partitioning, pool_options};
use hookproof_inbox_sqlx::purge::{self, Steps};
use hookproof_inbox_sqlx::sqlx::{self};
use tokio::time::timeout;

use super::{MILLI, count, run};
use crate::support::postgres::Fresh;
use crate::support::{self, NOW, arrived, batch, is_stored, record};

pub(super) async fn migrations_run_once_whoever_runs_them(fresh: &Fresh) {
    let inboxes: Vec<_> = (0..8)
        .map(|_| {
            let pool = pool_options().connect_lazy_with(fresh.options());
            PostgresInbox::new(pool, Prefix::DEFAULT)
        })
        .collect();
    let runs = inboxes.iter().map(async |inbox| inbox.migrate_log("orders").await);
    for done in join_all(runs).await {
        done.unwrap();
    }
    inboxes[0].migrate().await.unwrap();
    let refused = inboxes[0].migrate_log("others").await.unwrap_err();
    assert!(refused.to_string().contains("keeps the log orders, not others"), "{refused}");
    let mut tx = inboxes[0].transaction().await.unwrap();
    let head = inboxes[0].store().head(&mut tx).await.unwrap();
    assert_eq!((head.log(), head.seq()), ("orders", 0));
    let rows = count(&inboxes[0], "SELECT count(*) FROM hookproof_migrations").await;
    assert_eq!(rows, 2);
}

const DAY: u64 = 86_400;

fn at(day: u64, hour: u64) -> UnixTime {
    UnixTime::from_secs(day * DAY + hour * 3600)
}

pub(super) async fn partitions_are_made_and_dropped(fresh: &Fresh) {
    let inbox = &fresh.inbox;
    let two_days = Partitioning::new(Duration::from_secs(2 * DAY)).ahead(2);
    let made = inbox.maintain(two_days.ahead(3), at(100, 5)).await.unwrap();
    assert_eq!(made.created, [100, 101, 102, 103]);
    let again = inbox.maintain(two_days, at(100, 6)).await.unwrap();
    assert_eq!(again, Default::default());
    for (key, day) in [("a", 100), ("b", 101), ("c", 102), ("d", 105)] {
        record(inbox, &arrived(&[key], key, at(day, 1)), Work::Later).await.unwrap();
    }
    let in_day = count(inbox, "SELECT count(*) FROM kit_deliveries_d101").await;
    let in_rest = count(inbox, "SELECT count(*) FROM kit_deliveries_rest").await;
    assert_eq!((in_day, in_rest), (1, 1));
    // Everything but the second event is done.
    let request = ClaimRequest::new(Duration::from_secs(60), Stale::Park, 3).limit(10);
    let mut tx = inbox.transaction().await.unwrap();
    let claimed = inbox.store().claim(&mut tx, &request, at(106, 0)).await.unwrap();
    for claim in &claimed.claims {
        if claim.event().key.as_ref().unwrap().as_str() != "b" {
            inbox.store().complete(&mut tx, claim, at(106, 0)).await.unwrap();
        }
    }
    tx.commit().await.unwrap();
    // Day 103 is the first of which anything may be kept.
    let done = inbox.maintain(two_days, at(105, 12)).await.unwrap();
    assert_eq!((done.created.as_slice(), done.late.as_slice()), (&[106, 107][..], &[105][..]));
    assert_eq!(
        (done.dropped.as_slice(), done.unfinished.as_slice()),
        (&[100, 102][..], &[101][..])
    );
    let left = count(inbox, "SELECT count(*) FROM kit_deliveries").await;
    assert_eq!(left, 2);
    let claim =
        claimed.claims.iter().find(|claim| claim.event().key.as_ref().unwrap().as_str() == "b");
    let mut tx = inbox.transaction().await.unwrap();
    inbox.store().complete(&mut tx, claim.unwrap(), at(106, 0)).await.unwrap();
    tx.commit().await.unwrap();
    let bounded = inbox.maintain(two_days.drops(0), at(105, 0)).await.unwrap();
    assert_eq!(bounded.dropped, Vec::<u32>::new());
    let done = inbox.maintain(two_days, at(105, 0)).await.unwrap();
    assert_eq!((done.dropped, done.unfinished), (vec![101], vec![]));
    // The keys are still there.
    assert!(is_stored(inbox, "a").await);
}

pub(super) async fn partitions_are_kept_by_several_at_once(fresh: &Fresh) {
    let plan = Partitioning::new(Duration::from_secs(DAY)).ahead(5);
    let runs = (0..6).map(async |_| fresh.inbox.maintain(plan, at(200, 0)).await);
    let mut created = Vec::new();
    for done in join_all(runs).await {
        created.extend(done.unwrap().created);
    }
    created.sort_unstable();
    created.dedup();
    assert_eq!(created, [200, 201, 202, 203, 204, 205]);
}

pub(super) async fn a_table_in_use_is_left_alone(fresh: &Fresh) {
    let mut reader = fresh.inbox.transaction().await.unwrap();
    sqlx::query("SELECT 1 FROM kit_deliveries").fetch_optional(&mut *reader).await.unwrap();
    let plan = Partitioning::new(Duration::from_secs(DAY)).ahead(0);
    let refused = timeout(20 * 1000 * MILLI, fresh.inbox.maintain(plan, at(300, 0))).await;
    let refused = refused.expect("it does not wait for long").unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Busy);
    reader.commit().await.unwrap();
    let done = fresh.inbox.maintain(plan, at(300, 0)).await.unwrap();
    assert_eq!(done.created, [300]);
}

pub(super) async fn purges_go_in_steps(fresh: &Fresh) {
    for key in ["a", "b", "c", "d", "e"] {
        record(&fresh.inbox, &batch(&[key], key), Work::Later).await.unwrap();
    }
    run(&fresh.inbox, "UPDATE kit_events SET state = 2").await;
    let later = UnixTime::from_secs(NOW.as_secs() + 1);
    let purged = purge::payloads(&fresh.inbox, later, Steps::new(2, 2)).await.unwrap();
    assert_eq!((purged.rows, purged.more), (4, true));
    let purged = purge::payloads(&fresh.inbox, later, Steps::new(2, 2)).await.unwrap();
    assert_eq!((purged.rows, purged.more), (1, false));
    let info = hookproof::Provider::info(&hookproof::providers::STRIPE);
    let horizon = hookproof_inbox::KeyHorizon::new(info, Duration::from_secs(10 * DAY)).unwrap();
    let now = UnixTime::from_secs(NOW.as_secs() + 11 * DAY);
    let endpoint = support::endpoint();
    let purged = purge::keys(&fresh.inbox, &endpoint, &horizon, now, Steps::default()).await;
    assert_eq!(purged.unwrap().rows, 5);
    assert!(!is_stored(&fresh.inbox, "a").await);
    let refused = purge::links(&fresh.inbox, Steps::default()).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Invalid);
}

/// Numbers are given in another order than transactions commit.
pub(super) async fn what_commits_late_is_sealed(fresh: &Fresh) {
    fresh.inbox.migrate_log("l").await.unwrap();
    let store = fresh.inbox.store();
    let seal = async || {
        let mut tx = fresh.inbox.transaction().await.unwrap();
        let (sealed, head) = store.seal(&mut tx, 10, NOW).await.unwrap();
        tx.commit().await.unwrap();
        (sealed, head)
    };
    assert_eq!(
        seal().await.0,
        0,
        "the first seal of a process looks at all rows, later ones do not"
    );
    let mut late = fresh.inbox.transaction().await.unwrap();
    let _ = store.record(&mut late, &batch(&["late"], "1"), Work::Here).await.unwrap();
    record(&fresh.inbox, &batch(&["early"], "1"), Work::Here).await.unwrap();
    assert_eq!(seal().await.0, 1);
    late.commit().await.unwrap();
    let (sealed, head) = seal().await;
    assert_eq!(sealed, 1);
    let mut tx = fresh.inbox.snapshot().await.unwrap();
    let report = verify_log(store, &mut tx, vec![head]).await.unwrap();
    assert_eq!((report.status(), report.rows, report.unsealed), (Status::Proven, 2, 0));
    let refused = store.record(&mut tx, &batch(&["x"], "1"), Work::Here).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Unavailable, "it only reads");
}
