use hookproof::UnixTime;

use super::*;
use crate::batch::{Batch, Entry, NewEvent, Work};
use crate::claim::{ClaimRequest, Page, Selection};
use crate::event::EventRow;
use crate::id::{Digest, EndpointId, Key};
use crate::kit::{block_on, checks, join_all, log_checks};
use crate::progress::Stale;
use crate::recorded::Recorded;
use crate::store::Log;

#[test]
fn the_kit_passes_on_a_store_for_each_check() {
    for check in checks::<MemoryStore>() {
        if let Err(failure) = block_on(check.run(&MemoryStore::new())) {
            panic!("{}: {failure}", check.name());
        }
    }
    for check in log_checks::<MemoryStore>() {
        let store = MemoryStore::with_log("kit").unwrap();
        if let Err(failure) = block_on(check.run(&store)) {
            panic!("{}: {failure}", check.name());
        }
    }
}

#[test]
fn the_kit_passes_on_one_store_at_once() {
    let store = MemoryStore::new();
    let all = checks::<MemoryStore>();
    let results = block_on(join_all(all.iter().map(|check| check.run(&store))));
    for (check, result) in all.iter().zip(results) {
        assert!(result.is_ok(), "{}: {}", check.name(), result.unwrap_err());
    }
}

#[test]
fn threads_wait_for_one_another() {
    let store = MemoryStore::new();
    let new = std::thread::scope(|scope| {
        let copies: Vec<_> = (0..64)
            .map(|_| {
                let store = store.clone();
                scope.spawn(move || block_on(record(&store, &["a"])).unwrap())
            })
            .collect();
        copies.into_iter().flat_map(|copy| copy.join().unwrap()).filter(Recorded::is_new).count()
    });
    assert_eq!(new, 1);
}

const NOW: UnixTime = UnixTime::from_secs(1000);

fn batch(keys: &[&str]) -> Batch {
    let endpoint = EndpointId::new("e").unwrap();
    let empty = Batch::unread(endpoint, "p", NOW, http::HeaderMap::new(), bytes::Bytes::new());
    keys.iter().fold(empty, |batch, key| {
        let key = Key::new(*key).unwrap();
        batch.with_entry(Entry::new(NewEvent::new(Some(key), Digest::of(b"1"))))
    })
}

async fn record(store: &MemoryStore, keys: &[&str]) -> Result<Vec<Recorded>, StoreError> {
    let mut tx = store.begin(&mut ()).await?;
    let recorded = store.record_many(&mut tx, &batch(keys), Work::Later).await?;
    MemoryStore::commit(tx).await?;
    Ok(recorded)
}

async fn work(store: &MemoryStore) -> Result<usize, StoreError> {
    let request = ClaimRequest::new(core::time::Duration::from_secs(1), Stale::Park, 3).limit(2);
    let mut tx = store.begin(&mut ()).await?;
    let claimed = store.claim(&mut tx, &request, NOW).await?;
    MemoryStore::commit(tx).await?;
    let mut tx = store.begin(&mut ()).await?;
    for claim in &claimed.claims {
        store.complete(&mut tx, claim, NOW).await?;
    }
    MemoryStore::commit(tx).await?;
    Ok(claimed.claims.len())
}

async fn seal(store: &MemoryStore) -> Result<(), StoreError> {
    let mut tx = store.begin(&mut ()).await?;
    store.seal(&mut tx, 10, NOW).await?;
    store.checkpoint(&mut tx, NOW).await?;
    MemoryStore::commit(tx).await
}

async fn snapshot(store: &MemoryStore) -> (Vec<EventRow>, u64) {
    let mut tx = store.begin(&mut ()).await.unwrap();
    let events = store.list(&mut tx, &Selection::new(), Page::FIRST).await.unwrap();
    let head = store.head(&mut tx).await.unwrap();
    (events, head.seq())
}

/// A crash at every write: what failed left nothing, and doing it again gives what would have been without the crash.
#[test]
fn a_crash_at_any_write_leaves_all_or_nothing() {
    block_on(async {
        let mut crashes = 0;
        for point in 0.. {
            let store = MemoryStore::with_log("l").unwrap();
            store.break_after(Some(point));
            let mut crashed = false;
            let before = snapshot(&store).await;
            if record(&store, &["a", "b", "c"]).await.is_err() {
                assert_eq!(snapshot(&store).await, before, "{point}");
                crashed = true;
                record(&store, &["a", "b", "c"]).await.unwrap();
            }
            // Claims and completions are transactions of their own: a claim may be left, and is then parked.
            crashed |= work(&store).await.is_err();
            let before = snapshot(&store).await;
            if seal(&store).await.is_err() {
                assert_eq!(snapshot(&store).await, before, "{point}");
                crashed = true;
                seal(&store).await.unwrap();
            }
            let (events, head) = snapshot(&store).await;
            assert_eq!((events.len(), head), (3, 4), "{point}");
            if !crashed {
                break;
            }
            crashes += 1;
        }
        assert!(crashes > 30, "{crashes}");
    });
}

#[test]
fn a_broken_transaction_cannot_be_committed() {
    block_on(async {
        let store = MemoryStore::new();
        store.break_after(Some(1));
        let mut tx = store.begin(&mut ()).await.unwrap();
        let failed = store.record_many(&mut tx, &batch(&["a"]), Work::Later).await;
        assert_eq!(failed.unwrap_err().kind(), StoreErrorKind::Unavailable);
        assert!(store.list(&mut tx, &Selection::new(), Page::FIRST).await.is_err());
        assert!(MemoryStore::commit(tx).await.is_err());
        assert!(record(&store, &["a"]).await.unwrap()[0].is_new());
    });
}

#[test]
fn a_bounded_step_says_whether_there_is_more() {
    for (rows, expected, more) in [(0, 0, false), (2, 2, false), (3, 3, false), (4, 3, true)] {
        let (first, found) = steps::bounded(0..rows, 3);
        assert_eq!((first, found), ((0..expected).collect::<Vec<_>>(), more), "{rows}");
    }
}

/// What a claim parks and gives up is bounded like what it claims.
#[test]
fn a_claim_is_bounded_in_all_it_does() {
    let second = core::time::Duration::from_secs(1);
    for stale in [Stale::Park, Stale::Reclaim { after: second }] {
        block_on(async {
            let store = MemoryStore::new();
            record(&store, &["a", "b", "c"]).await.unwrap();
            let request = ClaimRequest::new(second, stale, 1);
            let mut tx = store.begin(&mut ()).await.unwrap();
            let all = store.claim(&mut tx, &request.clone().limit(3), NOW).await.unwrap();
            assert_eq!(all.claims.len(), 3);
            let late = UnixTime::from_secs(2000);
            for expected in [2, 1, 0] {
                let ended = store.claim(&mut tx, &request.clone().limit(2), late).await.unwrap();
                assert!(ended.claims.is_empty());
                assert_eq!(ended.parked.len() + ended.dead.len(), expected);
            }
        });
    }
}

#[test]
fn a_database_has_its_own_store() {
    let database = MemoryStore::new();
    assert!(core::ptr::eq(database.store(), &raw const database));
}

#[test]
fn a_store_without_log_says_so() {
    block_on(async {
        let store = MemoryStore::default();
        let mut tx = store.begin(&mut ()).await.unwrap();
        let refused = store.seal(&mut tx, 1, NOW).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Invalid);
        assert!(MemoryStore::with_log("a b").is_err());
    });
}
