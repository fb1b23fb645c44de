//! Announcements of work.

use hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::PostgresInbox;
use hookproof_inbox_sqlx::sqlx::{self, Row as _};
use tokio::time::timeout;

use super::{MILLI, terminate};
use crate::support::postgres::Fresh;

async fn is_silent(
    wake: &hookproof_inbox_sqlx::postgres::PostgresWake,
    listener: &mut hookproof_inbox_sqlx::postgres::Listener,
) -> bool {
    use hookproof_inbox::Wake as _;
    timeout(100 * MILLI, wake.woken(listener)).await.is_err()
}

pub(super) async fn a_commit_wakes(fresh: &Fresh) {
    use hookproof_inbox::Wake as _;

    // Channels are the database's, whatever the schema: this one is heard by no other test.
    let wakes = Prefix::new("wakes").unwrap();
    let wake = PostgresInbox::new(fresh.inbox.pool().clone(), wakes).wake();
    let mut listener = wake.listen().await.unwrap();
    assert!(is_silent(&wake, &mut listener).await);
    let mut tx = fresh.inbox.transaction().await.unwrap();
    wake.announce(&mut tx).await.unwrap();
    assert!(is_silent(&wake, &mut listener).await, "not before the commit");
    tx.commit().await.unwrap();
    wake.woken(&mut listener).await.unwrap();
    assert!(is_silent(&wake, &mut listener).await, "heard once");
    let mut tx = fresh.inbox.transaction().await.unwrap();
    wake.announce(&mut tx).await.unwrap();
    tx.rollback().await.unwrap();
    assert!(is_silent(&wake, &mut listener).await, "rolled back");
    // Announced while nobody waits.
    for _ in 0..3 {
        let mut tx = fresh.inbox.transaction().await.unwrap();
        wake.announce(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
    }
    wake.woken(&mut listener).await.unwrap();
    let other = PostgresInbox::new(fresh.inbox.pool().clone(), Prefix::new("other").unwrap());
    while !is_silent(&wake, &mut listener).await {}
    let mut tx = fresh.inbox.transaction().await.unwrap();
    other.wake().announce(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    assert!(is_silent(&wake, &mut listener).await, "of other tables");
}

pub(super) async fn a_listener_that_is_cut_off_is_mended(fresh: &Fresh) {
    use hookproof_inbox::Wake as _;

    let wake = fresh.inbox.wake();
    let mut listener = wake.listen().await.unwrap();
    let find = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN \"kit_work\"%' \
                AND application_name = current_setting('application_name')";
    let rows = sqlx::query(find).fetch_all(fresh.inbox.pool()).await.unwrap();
    for row in rows {
        terminate(row.get(0)).await;
    }
    // Either it mends itself and returns once, or it says that it is deaf.
    if wake.woken(&mut listener).await.is_err() {
        listener = wake.listen().await.unwrap();
    }
    assert!(is_silent(&wake, &mut listener).await);
    let mut tx = fresh.inbox.transaction().await.unwrap();
    wake.announce(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    wake.woken(&mut listener).await.unwrap();
}
