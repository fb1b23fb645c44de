use super::*;

const NOW: UnixTime = UnixTime::from_secs(1000);
const LEASE: Duration = Duration::from_secs(60);
const RECLAIM: Stale = Stale::Reclaim { after: Duration::from_secs(5) };
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(10), Duration::from_secs(100), 3);

fn at(secs: u64) -> UnixTime {
    UnixTime::from_secs(secs)
}

#[test]
fn an_event_is_ready_when_it_is_due() {
    let event = Progress::waiting(NOW);
    assert_eq!(event.ready(3, at(999)), Ready::No);
    assert_eq!(event.ready(3, NOW), Ready::Claim);
    let claimed = event.claim(LEASE, RECLAIM, NOW);
    assert_eq!((claimed.state, claimed.attempts, claimed.token.as_u64()), (State::InWork, 1, 1));
    assert_eq!(claimed.ready(3, at(1064)), Ready::No);
    assert_eq!(claimed.ready(3, at(1065)), Ready::Claim);
    assert_eq!(claimed.ready(1, at(1065)), Ready::Die);
    let parking = event.claim(LEASE, Stale::Park, NOW);
    assert_eq!(parking.ready(3, at(1059)), Ready::No);
    assert_eq!(parking.ready(1, at(1060)), Ready::Park);
}

#[test]
fn the_moment_of_being_ready_is_exact() {
    let event = Progress::waiting(NOW);
    let reclaimed = event.claim(LEASE, RECLAIM, NOW);
    let parked = event.claim(LEASE, Stale::Park, NOW);
    let mut moments = Vec::new();
    for progress in [event, reclaimed.clone(), parked] {
        let moment = progress.ready_at().unwrap();
        assert_ne!(progress.ready(9, moment), Ready::No);
        let before = UnixTime::from_millis(moment.as_millis() - 1);
        assert_eq!(progress.ready(9, before), Ready::No);
        moments.push(moment);
    }
    assert_eq!(moments, [NOW, at(1065), at(1060)]);
    let done = reclaimed.complete(reclaimed.token).unwrap();
    for ended in [done, reclaimed.park_stale(), reclaimed.die()] {
        assert_eq!(ended.ready_at(), None);
    }
}

#[test]
fn only_the_latest_claim_finishes() {
    let first = Progress::waiting(NOW).claim(LEASE, RECLAIM, NOW);
    let second = first.claim(LEASE, RECLAIM, at(2000));
    let (old, new) = (first.token, second.token);
    assert!(old < new);
    for finished in [
        second.complete(old),
        second.fail(old, "x", &BACKOFF, 1, NOW),
        second.park(old, "x"),
        second.release(old),
        second.extend(old, LEASE, NOW),
    ] {
        assert_eq!(finished.unwrap_err().token, new);
    }
    let done = second.complete(new).unwrap();
    assert_eq!((done.state, done.lease), (State::Done, None));
    assert!(done.complete(new).is_err(), "done once");
}

/// Whatever ends a claim takes the lease with it, and says why; a success takes the error of the attempt before.
#[test]
fn nothing_is_left_of_a_claim_that_ended() {
    let waiting = Progress::waiting(NOW);
    let failed = waiting.claim(LEASE, RECLAIM, NOW);
    let failed = failed.fail(failed.token, "boom", &BACKOFF, 7, NOW).unwrap();
    let event = failed.claim(LEASE, RECLAIM, at(2000));
    assert_eq!(event.error.as_deref(), Some("boom"));
    let silent = "the worker went silent; its effect may have happened";
    let last = "the worker of the last attempt went silent";
    for (ended, state, error) in [
        (failed.clone(), State::Waiting, Some("boom")),
        (event.complete(event.token).unwrap(), State::Done, None),
        (
            event.fail(event.token, "again", &BACKOFF, 7, NOW).unwrap(),
            State::Waiting,
            Some("again"),
        ),
        (event.park(event.token, "unsure").unwrap(), State::Parked, Some("unsure")),
        (event.release(event.token).unwrap(), State::Waiting, Some("boom")),
        (event.park_stale(), State::Parked, Some(silent)),
        (event.die(), State::Dead, Some(last)),
    ] {
        assert_eq!((ended.state, ended.lease, ended.error.as_deref()), (state, None, error));
    }
}

#[test]
fn a_lease_that_ended_may_still_be_completed() {
    let event = Progress::waiting(NOW).claim(LEASE, RECLAIM, NOW);
    assert_eq!(event.ready(9, at(5000)), Ready::Claim);
    assert_eq!(event.complete(event.token).unwrap().state, State::Done);
    assert!(event.park_stale().complete(event.token).is_err(), "parked is not the worker's");
    assert!(event.die().complete(event.token).is_err());
}

#[test]
fn leases_never_get_shorter() {
    let event = Progress::waiting(NOW).claim(LEASE, RECLAIM, NOW);
    let longer = event.extend(event.token, LEASE, at(1030)).unwrap().lease.unwrap();
    assert_eq!((longer.end, longer.reclaim_at), (at(1090), Some(at(1095))));
    let stepped_back = event.extend(event.token, LEASE, at(10)).unwrap().lease.unwrap();
    assert_eq!((stepped_back.end, stepped_back.reclaim_at), (at(1060), Some(at(1065))));
    let parking = Progress::waiting(NOW).claim(LEASE, Stale::Park, NOW);
    let parking = parking.extend(parking.token, LEASE, at(1030)).unwrap();
    assert_eq!(parking.lease.unwrap().reclaim_at, None);
}

#[test]
fn failures_back_off_and_end() {
    let mut event = Progress::waiting(NOW);
    for attempt in 1..=3 {
        let claimed = event.claim(LEASE, RECLAIM, NOW);
        assert_eq!(claimed.attempts, attempt);
        event = claimed.fail(claimed.token, "boom", &BACKOFF, 7, NOW).unwrap();
        assert_eq!(event.error.as_deref(), Some("boom"));
        let expected = if attempt < 3 { State::Waiting } else { State::Dead };
        assert_eq!(event.state, expected);
        assert!(attempt == 3 || event.due > NOW);
    }
}

#[test]
fn a_replay_has_all_its_attempts_and_its_mark() {
    let claimed = Progress::waiting(NOW).claim(LEASE, RECLAIM, NOW);
    assert_eq!(claimed.replay(NOW), None);
    assert_eq!(Progress::waiting(NOW).replay(NOW), None);
    for ended in [
        claimed.complete(claimed.token).unwrap(),
        claimed.park(claimed.token, "unsure").unwrap(),
        claimed.die(),
    ] {
        let again = ended.replay(at(3000)).unwrap();
        assert_eq!((again.state, again.attempts, again.replays), (State::Waiting, 0, 1));
        assert_eq!(again.due, at(3000));
        assert!(again.claim(LEASE, RECLAIM, NOW).token > claimed.token, "tokens go on");
    }
}

#[test]
fn a_person_may_settle_what_nobody_works_on() {
    let event = Progress::waiting(NOW);
    let claimed = event.claim(LEASE, Stale::Park, NOW);
    assert_eq!(claimed.settle("by hand"), None);
    assert_eq!(claimed.complete(claimed.token).unwrap().settle("by hand"), None);
    let settled = claimed.park_stale().settle("shipped by hand").unwrap();
    assert_eq!(settled.state, State::Done);
    assert_eq!(settled.error.as_deref(), Some("shipped by hand"));
}

#[test]
fn a_released_attempt_does_not_count() {
    let claimed = Progress::waiting(NOW).claim(LEASE, Stale::Park, NOW);
    let back = claimed.release(claimed.token).unwrap();
    assert_eq!((back.state, back.attempts), (State::Waiting, 0));
    assert_eq!(back.ready(1, NOW), Ready::Claim);
    assert!(back.release(claimed.token).is_err());
}

/// Every sequence of up to six steps with times that jump: no two claims have one token, and an event that was finished
/// is finished once.
#[test]
fn any_sequence_keeps_the_laws() {
    fn walk(event: &Progress, tokens: &[Token], depth: usize) {
        if depth == 0 {
            return;
        }
        for now in [at(1), NOW, at(5000)] {
            let next = match event.ready(2, now) {
                Ready::Claim => {
                    let claimed = event.claim(LEASE, RECLAIM, now);
                    assert!(!tokens.contains(&claimed.token));
                    Some(claimed)
                }
                Ready::Die => Some(event.die()),
                Ready::Park => Some(event.park_stale()),
                Ready::No => None,
            };
            if let Some(next) = next {
                let tokens = [tokens, &[next.token]].concat();
                walk(&next, &tokens, depth - 1);
            }
            for &token in tokens {
                let allowed = event.state == State::InWork && event.token == token;
                let finished = [
                    event.complete(token),
                    event.fail(token, "x", &BACKOFF, 3, now),
                    event.release(token),
                ];
                for finished in finished {
                    assert_eq!(finished.is_ok(), allowed);
                    if let Ok(next) = finished {
                        assert_eq!(next.lease, None);
                        walk(&next, tokens, depth - 1);
                    }
                }
            }
            if let Some(next) = event.replay(now) {
                walk(&next, tokens, depth - 1);
            }
        }
    }
    walk(&Progress::waiting(NOW), &[], 6);
}
