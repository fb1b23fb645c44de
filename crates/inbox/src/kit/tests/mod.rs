//! The kit is seen to fail: for every check there are stores with one fault each that it has to find.

mod faulty;

use super::*;
use crate::memory::MemoryStore;

use faulty::Fault::{self, *};
use faulty::Faulty;

/// Each fault with the checks that have to find it; others may, too.
const FOUND_BY: &[(Fault, &[&str])] = &[
    (AdvancesBack, &["streams::versions", "streams::concurrent_versions"]),
    (AdvancesIllegally, &["streams::transitions_and_tombstones"]),
    (BodiesGrow, &["recording::deliveries_come_back_as_they_arrived", "recording::hostile_texts"]),
    (ClaimsTwice, &["concurrency::workers_share_the_events", "claiming::limits_and_endpoints"]),
    (
        CompletesUnfenced,
        &[
            "claiming::takeover_is_fenced",
            "claiming::claim_once_and_complete",
            "claiming::a_claim_on_a_purged_event_is_lost",
        ],
    ),
    (
        ConflictsAreDuplicates,
        &["recording::other_content_is_a_conflict", "recording::verdicts_of_a_batch"],
    ),
    (ConflictsAreNotKept, &["recording::other_content_is_a_conflict"]),
    (CopiesAreKept, &["recording::copies_take_no_room"]),
    (SilentWorkersDoNotCount, &["claiming::silent_workers_use_up_attempts"]),
    (
        DuplicatesAreNew,
        &[
            "recording::new_then_duplicate",
            "recording::state_of_a_duplicate",
            "recording::verdicts_of_a_batch",
            "recording::large_batches_in_other_groupings",
            "recording::retries_are_not_conflicts",
            "recording::hostile_texts",
            "operating::payloads_of_unfinished_events_stay",
            "concurrency::sixty_four_copies",
            "concurrency::a_winner_that_dies",
            "concurrency::overlapping_batches",
        ],
    ),
    (EndedLeasesAreLost, &["claiming::an_ended_lease_may_complete"]),
    (
        EveryClaimMayBeTakenOver,
        &["claiming::stale_claims_are_parked", "claiming::the_claims_own_terms_hold"],
    ),
    (ExtendsByNothing, &["claiming::extending"]),
    (ExtendsUnfenced, &["claiming::takeover_is_fenced"]),
    (FailsUnfenced, &["claiming::takeover_is_fenced"]),
    (FaultyEntriesAreUnkeyed, &["recording::faulty_elements_are_kept"]),
    (ForgetsReasons, &["claiming::parking_and_releasing", "operating::settling"]),
    (
        KeepsDroppedTransactions,
        &[
            "streams::scopes",
            "operating::replays",
            "operating::payloads_of_unfinished_events_stay",
            "operating::keys_outlive_the_horizon",
            "concurrency::a_winner_that_dies",
            "concurrency::a_dropped_transaction_leaves_nothing",
            "logging::a_dropped_seal_leaves_nothing",
        ],
    ),
    (
        TakesOverEarly,
        &[
            "claiming::claim_once_and_complete",
            "claiming::takeover_is_fenced",
            "claiming::extending",
        ],
    ),
    (TextsAreCut, &["recording::hostile_texts"]),
    (LimitsAreIgnored, &["claiming::limits_and_endpoints", "operating::lists_and_pages"]),
    (ListsTheFirstPageAlways, &["operating::lists_and_pages"]),
    (
        LostIsInvalid,
        &["claiming::takeover_is_fenced", "claiming::a_claim_on_a_purged_event_is_lost"],
    ),
    (NeverDies, &["claiming::failing_backs_off_until_dead", "claiming::streams_in_order"]),
    (NeverEnds, &["claiming::claim_once_and_complete", "recording::state_of_a_duplicate"]),
    (NothingIsEverDue, &["claiming::the_next_moment", "claiming::the_next_moment_in_order"]),
    (NoNotices, &["recording::unsigned_ids_with_equal_bytes"]),
    (NumbersAreGivenTwice, &["recording::large_batches_in_other_groupings"]),
    (
        OneEndpointForAll,
        &["recording::endpoints_are_scopes", "recording::deliveries_come_back_as_they_arrived"],
    ),
    (OneScopeForAll, &["streams::scopes"]),
    (OrdersNothing, &["claiming::streams_in_order", "claiming::a_stale_claim_waits_for_its_turn"]),
    (ParksUnfenced, &["claiming::takeover_is_fenced"]),
    (PurgesKeysEarly, &["operating::keys_outlive_the_horizon"]),
    (PurgesPayloadsEarly, &["operating::payloads_of_unfinished_events_stay"]),
    (RecordsSeveral, &["recording::one_event_only"]),
    (ReleasesUnfenced, &["claiming::takeover_is_fenced", "claiming::parking_and_releasing"]),
    (ReplaysAreNotCounted, &["operating::replays", "claiming::stale_claims_are_parked"]),
    (SealsEverything, &["logging::sealed_in_batches"]),
    (SettlesClaimed, &["operating::settling"]),
    (UnkeyedAreDropped, &["recording::events_without_key"]),
    (CheckpointsAreNotWritten, &["logging::purged_below_a_checkpoint"]),
];

/// Every check with a store that has this fault.
fn checks_on(fault: Fault) -> Vec<(Check<Faulty>, Faulty)> {
    let plain = checks().into_iter().map(|check| (check, Faulty::new(fault)));
    let logged = log_checks().into_iter().map(|check| (check, Faulty::with_log(fault)));
    plain.chain(logged).collect()
}

#[test]
fn a_store_without_fault_passes() {
    for (check, store) in checks_on(Nothing) {
        if let Err(failure) = block_on(check.run(&store)) {
            panic!("{}: {failure}", check.name());
        }
    }
}

#[test]
fn every_fault_is_found_by_its_checks() {
    let mut unfound = Vec::new();
    for (fault, expected) in FOUND_BY {
        let all = checks_on(*fault);
        for name in *expected {
            let found = all.iter().find(|(check, _)| check.name() == *name);
            let (check, store) = found.unwrap_or_else(|| panic!("no check {name}"));
            match block_on(check.run(store)) {
                Ok(()) => unfound.push((fault, name)),
                Err(failure) => assert!(!failure.to_string().is_empty(), "{name}: {fault:?}"),
            }
        }
    }
    assert!(unfound.is_empty(), "{unfound:?}");
}

#[test]
fn every_check_finds_a_fault() {
    let all = checks::<Faulty>().into_iter().chain(log_checks::<Faulty>());
    let names: Vec<&str> = all.map(|check| check.name()).collect();
    assert!(names.len() > 40, "{names:?}");
    for name in names {
        assert!(FOUND_BY.iter().any(|(_, found_by)| found_by.contains(&name)), "{name}");
    }
}

#[test]
fn checks_print_their_names() {
    let all = checks::<MemoryStore>();
    let first = all.first().unwrap();
    assert_eq!(format!("{first:?}"), "Check(\"recording::new_then_duplicate\")");
}
