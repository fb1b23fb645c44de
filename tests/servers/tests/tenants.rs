//! Endpoints that a resolver finds: asked once, within a time, kept, and never trusted further than it is said. No sockets;
//! the clock is held, so each time is exact.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use allocation_counter::measure;
use bytes::Bytes;
use hookproof::{NoEndpoint, Tenants};
use hookproof_servers::layered::{by_path, deliver, routes, secs, send};
use hookproof_servers::tenants::{Mode, NOBODY, Vault};
use http::Request;
use http_body_util::Full;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, advance};

#[tokio::test(start_paused = true)]
async fn all_who_ask_at_the_same_time_ask_once() {
    let vault = Vault::of(&[("acme", "a"), ("bolt", "b")]);
    vault.set(Mode::Waits(secs(1)));
    let tenants = by_path(&vault, |builder| builder);
    let mut sent = tokio::task::JoinSet::new();
    for index in 0..200 {
        let tenants = tenants.clone();
        let (tenant, secret) = [("acme", "a"), ("bolt", "b"), ("nobody", "c")][index % 3];
        sent.spawn(async move { (tenant, deliver(&tenants, tenant, secret).await) });
    }
    let mut answers = sent.join_all().await;
    answers.sort_unstable();
    answers.dedup();
    assert_eq!(answers, [("acme", 200), ("bolt", 200), ("nobody", 401)]);
    let mut asked = vault.asked();
    asked.sort_unstable();
    assert_eq!(asked, ["acme", "bolt", "nobody"]);
    assert_eq!(vault.reports().len(), 200);
    assert_eq!(vault.failures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_holds_for_its_time_and_is_asked_for_anew_after_it() {
    let vault = Vault::of(&[("acme", "old")]);
    let tenants = by_path(&vault, |builder| builder.fresh_for(secs(60)));
    assert_eq!(deliver(&tenants, "acme", "old").await, 200);
    vault.put("acme", "new");
    advance(Duration::from_millis(59_999)).await;
    assert_eq!(deliver(&tenants, "acme", "old").await, 200);
    assert_eq!(vault.asked(), ["acme"]);
    advance(Duration::from_millis(1)).await;
    assert_eq!(deliver(&tenants, "acme", "old").await, 401);
    assert_eq!(deliver(&tenants, "acme", "new").await, 200);
    assert_eq!(vault.asked(), ["acme"]);
    assert_eq!(
        vault.reports(),
        [
            "acme accepted fresh",
            "acme accepted fresh",
            "acme signature-mismatch fresh",
            "acme accepted fresh"
        ]
    );
    // Times that no clock reaches are for ever.
    let tenants = by_path(&vault, |builder| {
        builder.fresh_for(Duration::MAX).stale_for(Duration::MAX).timeout(Duration::MAX)
    });
    assert_eq!(deliver(&tenants, "acme", "new").await, 200);
    advance(secs(1_000_000)).await;
    assert_eq!(deliver(&tenants, "acme", "new").await, 200);
    assert_eq!(vault.asked(), ["acme"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_forgotten_is_asked_for_and_lookups_from_before_do_not_count() {
    let vault = Vault::of(&[("acme", "old")]);
    let tenants = by_path(&vault, |builder| builder.unknown_for(secs(60)));
    assert_eq!(deliver(&tenants, "acme", "old").await, 200);
    assert_eq!(deliver(&tenants, "bolt", "b").await, 401);
    vault.put("acme", "new");
    vault.put("bolt", "b");
    for tenant in ["acme", "bolt", "never heard of"] {
        tenants.forget(tenant);
    }
    assert_eq!(deliver(&tenants, "acme", "new").await, 200);
    assert_eq!(deliver(&tenants, "bolt", "b").await, 200);

    // A lookup that has read the old secret and answers after the new one was written.
    tenants.forget("acme");
    vault.set(Mode::Waits(secs(1)));
    let late = tokio::spawn({
        let tenants = tenants.clone();
        async move { deliver(&tenants, "acme", "new").await }
    });
    advance(Duration::from_millis(500)).await;
    vault.put("acme", "newest");
    tenants.forget("acme");
    vault.set(Mode::Answers);
    assert_eq!(deliver(&tenants, "acme", "newest").await, 200);
    assert_eq!(late.await.unwrap(), 200, "it began before");
    assert_eq!(deliver(&tenants, "acme", "newest").await, 200);
    assert_eq!(deliver(&tenants, "acme", "new").await, 401);

    // One that fails after all.
    tenants.forget("acme");
    vault.set(Mode::Hangs);
    let late = tokio::spawn({
        let tenants = tenants.clone();
        async move { deliver(&tenants, "acme", "newest").await }
    });
    tokio::task::yield_now().await;
    tenants.forget("acme");
    vault.set(Mode::Answers);
    assert_eq!(deliver(&tenants, "acme", "newest").await, 200);
    assert_eq!(late.await.unwrap(), 200, "by the answer that is there now");
    vault.reports();
    assert_eq!(deliver(&tenants, "acme", "newest").await, 200);
    assert_eq!(vault.reports(), ["acme accepted fresh"]);
}

#[tokio::test(start_paused = true)]
async fn a_resolver_that_hangs_fails_or_panics_is_a_failure_of_the_server_and_no_longer_than_it_lasts()
 {
    for (mode, word, waited) in [
        (Mode::Hangs, "timed out", secs(2)),
        (Mode::Fails, "failed", secs(0)),
        (Mode::Panics, "panicked", secs(0)),
    ] {
        let vault = Vault::of(&[("acme", "a")]);
        let tenants = by_path(&vault, |builder| builder.timeout(secs(2)));
        vault.set(mode);
        let begun = Instant::now();
        assert_eq!(deliver(&tenants, "acme", "a").await, 503, "{mode:?}");
        assert_eq!(begun.elapsed(), waited, "{mode:?}");
        assert_eq!(vault.failures(), [format!("acme {word}")]);
        assert_eq!(vault.reports(), [""; 0], "nothing was judged");
        vault.set(Mode::Answers);
        assert_eq!(deliver(&tenants, "acme", "a").await, 200, "{mode:?}");
    }
    // A secret that cannot be used is the operator's, and changes nothing that is kept.
    let vault = Vault::of(&[("acme", " blank")]);
    let tenants = by_path(&vault, |builder| builder.fresh_for(secs(60)));
    assert_eq!(deliver(&tenants, "acme", "a").await, 503);
    vault.put("acme", "a");
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    vault.put("acme", " blank");
    advance(secs(61)).await;
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    assert_eq!(vault.failures(), ["acme failed", "acme failed"]);
    assert_eq!(NoEndpoint::Unavailable.status(), 503);
}

#[tokio::test(start_paused = true)]
async fn an_old_answer_serves_while_the_resolver_fails_and_not_beyond_its_time() {
    let vault = Vault::of(&[("acme", "a")]);
    let tenants = by_path(&vault, |builder| {
        builder.fresh_for(secs(60)).stale_for(secs(600)).timeout(secs(2))
    });
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    vault.set(Mode::Hangs);
    advance(secs(60)).await;
    let timed = async |tenants: &Tenants| {
        let begun = Instant::now();
        (deliver(tenants, "acme", "a").await, begun.elapsed())
    };
    // The first who asks waits for the failure, the others do not, and the resolver has its rest.
    assert_eq!(timed(&tenants).await, (200, secs(2)));
    for _ in 0..100 {
        assert_eq!(timed(&tenants).await, (200, secs(0)));
    }
    assert_eq!(vault.asked(), ["acme"; 2]);
    advance(secs(1)).await;
    for _ in 0..100 {
        assert_eq!(timed(&tenants).await, (200, secs(0)));
    }
    // 60 + 2 + 1 s have passed.
    tokio::task::yield_now().await;
    assert_eq!(vault.asked(), ["acme"]);
    advance(secs(660 - 63) - Duration::from_millis(1)).await;
    assert_eq!(timed(&tenants).await, (200, secs(0)));
    let reports = vault.reports();
    assert_eq!((reports[0].as_str(), reports.len()), ("acme accepted fresh", 203));
    assert!(reports[1..].iter().all(|report| report == "acme accepted stale"), "{reports:?}");
    advance(Duration::from_millis(1)).await;
    assert_eq!(timed(&tenants).await.0, 503);
    assert_eq!(vault.reports(), [""; 0]);
    assert_eq!(deliver(&tenants, "acme", "forged").await, 503);

    // It is back.
    vault.set(Mode::Answers);
    advance(secs(2)).await;
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    assert_eq!(vault.reports(), ["acme accepted fresh"]);

    // One who was removed is gone at once, whatever the times.
    vault.remove("acme");
    advance(secs(60)).await;
    assert_eq!(deliver(&tenants, "acme", "a").await, 401);
    vault.set(Mode::Fails);
    advance(secs(60)).await;
    assert_eq!(deliver(&tenants, "acme", "a").await, 503);

    // A resolver that fails at once has its rest too.
    let vault = Vault::of(&[("acme", "a")]);
    let tenants = by_path(&vault, |builder| builder.fresh_for(secs(60)));
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    vault.set(Mode::Fails);
    advance(secs(60)).await;
    for asked in [2, 1] {
        for _ in 0..100 {
            assert_eq!(deliver(&tenants, "acme", "a").await, 200);
            tokio::task::yield_now().await;
        }
        assert_eq!(vault.asked().len(), asked);
        assert_eq!(vault.failures(), ["acme failed"]);
        advance(secs(1)).await;
    }

    let vault = Vault::of(&[("acme", "a")]);
    let tenants = by_path(&vault, |builder| builder.fresh_for(secs(60)).stale_for(Duration::ZERO));
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    vault.set(Mode::Fails);
    advance(secs(60)).await;
    assert_eq!(deliver(&tenants, "acme", "a").await, 503, "never stale");
}

#[tokio::test(start_paused = true)]
async fn who_is_unknown_is_asked_for_once_in_a_while() {
    let vault = Vault::of(&[]);
    let tenants = by_path(&vault, |builder| builder.unknown_for(secs(10)));
    for _ in 0..5 {
        assert_eq!(deliver(&tenants, "acme", "a").await, 401);
    }
    vault.put("acme", "a");
    advance(Duration::from_millis(9_999)).await;
    assert_eq!(deliver(&tenants, "acme", "a").await, 401);
    assert_eq!(vault.asked(), ["acme"]);
    advance(Duration::from_millis(1)).await;
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    assert_eq!(vault.asked(), ["acme"]);
    // What cannot be a tenant is not asked for.
    assert_eq!(deliver(&tenants, &"a".repeat(257), "a").await, 401);
    assert_eq!(vault.asked(), [""; 0]);
    assert_eq!(deliver(&tenants, &"a".repeat(256), "a").await, 401);
    assert_eq!(vault.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_unknown_are_refused_whatever_they_send() {
    let vault = Vault::of(&[("acme", "a")]);
    let tenants = by_path(&vault, |builder| builder);
    // As somebody who knows every secret but no tenant.
    for secret in [NOBODY, "a", "b"] {
        assert_eq!(deliver(&tenants, "bolt", secret).await, 401);
    }
    assert_eq!(
        vault.reports(),
        [
            "unknown unknown-key unknown",
            "unknown signature-mismatch unknown",
            "unknown signature-mismatch unknown"
        ]
    );
    let lookup = Tenants::lookup(vault.unknown(), {
        let acme = vault.endpoint("acme", "a").unwrap();
        move |tenant| (tenant.as_str() == "acme").then(|| acme.clone())
    });
    assert_eq!(deliver(&lookup, "acme", "a").await, 200);
    for secret in [NOBODY, "a", "b"] {
        assert_eq!(deliver(&lookup, "bolt", secret).await, 401);
    }
    assert_eq!(deliver(&lookup, &"a".repeat(257), "a").await, 401);
}

/// All that is allocated on this thread is counted, and everything runs on it.
#[test]
fn tenants_that_somebody_invents_take_no_memory_and_no_place_of_others() {
    let runtime = runtime();
    let vault = Vault::of(&[("acme", "a")]);
    let tenants = by_path(&vault, |builder| builder.capacity(1000));
    let endpoints = routes(&tenants);
    let invent = |from: usize, to: usize| {
        for index in from..to {
            let request = Request::post(format!("/hooks/invented-{index}"));
            let request = request.body(Full::<Bytes>::default()).unwrap();
            assert_eq!(runtime.block_on(send(endpoints.clone(), request)).0, 401);
        }
        drop((vault.asked(), vault.reports()));
    };
    runtime.block_on(async { assert_eq!(deliver(&tenants, "acme", "a").await, 200) });
    invent(0, 3_000);
    let held = measure(|| invent(3_000, 100_000)).bytes_current;
    println!("97 000 more invented tenants hold {held} bytes more");
    assert!(held < 20_000, "{held} bytes");
    runtime.block_on(async { assert_eq!(deliver(&tenants, "acme", "a").await, 200) });
    assert_eq!(vault.asked(), [""; 0], "it is kept");
}

#[tokio::test(start_paused = true)]
async fn only_so_many_are_asked_for_at_once_and_those_who_are_known_always() {
    let vault = Vault::of(&[("acme", "a"), ("bolt", "b")]);
    let tenants = by_path(&vault, |builder| {
        builder.at_once(8).fresh_for(secs(60)).timeout(secs(2)).stale_for(Duration::ZERO)
    });
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    advance(secs(60)).await;
    vault.set(Mode::Waits(secs(1)));
    let mut invented = tokio::task::JoinSet::new();
    for index in 0..8 {
        let tenants = tenants.clone();
        invented.spawn(async move { deliver(&tenants, &format!("x{index}"), "a").await });
    }
    tokio::task::yield_now().await;
    let begun = Instant::now();
    assert_eq!(deliver(&tenants, "bolt", "b").await, 503);
    assert_eq!(begun.elapsed(), secs(0));
    assert_eq!(vault.failures(), ["bolt busy"]);
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    assert_eq!(invented.join_all().await, [401; 8]);
    assert_eq!(deliver(&tenants, "bolt", "b").await, 200);
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// Polls once.
fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[tokio::test(start_paused = true)]
async fn a_request_that_goes_away_takes_no_answer_with_it() {
    let vault = Vault::of(&[("acme", "a")]);
    vault.set(Mode::Waits(secs(1)));
    let tenants = by_path(&vault, |builder| builder);
    let mut first = Box::pin(deliver(&tenants, "acme", "a"));
    assert!(poll(first.as_mut()).is_pending());
    let mut second = Box::pin(deliver(&tenants, "acme", "a"));
    assert!(poll(second.as_mut()).is_pending());
    drop(first);
    assert_eq!(second.await, 200);
    // With nobody left who waits.
    tenants.forget("acme");
    let mut third = Box::pin(deliver(&tenants, "acme", "a"));
    assert!(poll(third.as_mut()).is_pending());
    drop(third);
    tokio::time::sleep(secs(1)).await;
    assert_eq!(vault.asked(), ["acme"; 2]);
    assert_eq!(deliver(&tenants, "acme", "a").await, 200);
    assert_eq!(vault.asked(), [""; 0]);
    assert_eq!(vault.failures(), [""; 0]);
}

/// actix-web has a runtime for each worker, and starts a worker anew that panicked.
#[test]
fn a_runtime_that_ends_takes_its_lookups_with_it_and_no_others() {
    let vault = Vault::of(&[("acme", "a")]);
    let tenants = by_path(&vault, |builder| builder.at_once(1));
    vault.set(Mode::Hangs);
    let first = runtime();
    first.block_on(async {
        let mut waiting = Box::pin(deliver(&tenants, "acme", "a"));
        assert!(poll(waiting.as_mut()).is_pending());
        tokio::task::yield_now().await;
    });
    assert_eq!(vault.asked(), ["acme"]);
    drop(first);
    vault.set(Mode::Answers);
    assert_eq!(runtime().block_on(deliver(&tenants, "acme", "a")), 200);
}
