//! `replay`, `settle`, `release`.

use serde_json::json;

use crate::inbox::place::Place;

fn state(place: &Place, id: &str) -> String {
    let event = place.run(&["show", id, "--json"]).ends(0).json();
    event["event"]["state"].as_str().unwrap().to_owned()
}

#[test]
fn everything_is_not_replayed_by_accident() {
    for place in Place::all() {
        let each = place.one_of_each();
        place.run(&["replay"]).ends(2).complains("--all");
        place.run(&["replay", "--dry-run"]).ends(2).complains("--all");
        place.run(&["replay", "--all", "--state", "dead"]).ends(2).complains("--all");
        assert_eq!(state(&place, &each.dead), "dead");
        assert_eq!(state(&place, &each.done), "done");
    }
}

#[test]
fn a_dry_run_says_what_a_replay_does() {
    for place in Place::all() {
        let each = place.one_of_each();
        let selections: [(&[&str], u64, u64); 4] = [
            (&["--state", "dead"], 1, 0),
            (&["--kind", "invoice.paid", "--endpoint", "billing"], 2, 1),
            (&[&each.waiting], 0, 1),
            (&["--all"], 3, 2),
        ];
        for (selection, events, skipped) in selections {
            let dry = [&["replay", "--dry-run", "--json"], selection].concat();
            assert_eq!(
                place.run(&dry).ends(0).json(),
                json!({ "events": events, "skipped": skipped, "dryRun": true }),
            );
        }
        assert_eq!(state(&place, &each.dead), "dead");
        let ran = place.run(&["replay", "--all", "--dry-run"]).ends(0);
        assert_eq!(
            ran.out,
            "3 events would be worked on again\n2 skipped: wait or are in work anyway\n"
        );
        let ran = place.run(&["replay", "--all"]).ends(0);
        assert_eq!(
            ran.out,
            "3 events will be worked on again\n2 skipped: wait or are in work anyway\n"
        );
        for id in [&each.done, &each.dead, &each.parked, &each.waiting] {
            assert_eq!(state(&place, id), "waiting");
        }
        assert_eq!(state(&place, &each.in_work), "in-work");
        let replayed = place.run(&["show", &each.dead, "--json"]).ends(0).json();
        assert_eq!(
            (&replayed["event"]["replays"], &replayed["event"]["attempts"]),
            (&json!(1), &json!(0))
        );
    }
}

#[test]
fn one_event_is_replayed_by_its_number() {
    for place in Place::all() {
        let each = place.one_of_each();
        let ran = place.run(&["replay", &each.parked]).ends(0);
        assert_eq!(ran.out, "1 event will be worked on again\n");
        assert_eq!(state(&place, &each.parked), "waiting");
        assert_eq!(state(&place, &each.dead), "dead");
        let ran = place.run(&["replay", &each.parked]).ends(0);
        assert_eq!(
            ran.out,
            "0 events will be worked on again\n1 skipped: waits or is in work anyway\n"
        );
        place.run(&["replay", "424242"]).ends(2).complains("no event 424242");
        place.run(&["replay", &each.dead, "--state", "done"]).ends(2).complains("none of those");
        assert_eq!(state(&place, &each.dead), "dead");
    }
}

#[test]
fn a_person_settles_what_is_not_in_work() {
    for place in Place::all() {
        let each = place.one_of_each();
        let ran =
            place.run(&["settle", &each.parked, "--reason", "charged by hand, ch_42"]).ends(0);
        assert_eq!(ran.out, format!("event {}  done\n", each.parked));
        place.run(&["show", &each.parked]).ends(0).says("  note       charged by hand, ch_42\n");
        let object = place
            .run(&["settle", &each.waiting, "--reason", "not needed", "--json"])
            .ends(0)
            .json();
        assert_eq!((&object["state"], &object["note"]), (&json!("done"), &json!("not needed")));
        for id in [&each.done, &each.in_work] {
            let before = state(&place, id);
            place.run(&["settle", id, "--reason", "x"]).ends(1).complains("left as it is");
            assert_eq!(state(&place, id), before);
        }
        place.run(&["settle", "424242", "--reason", "x"]).ends(2).complains("no event 424242");
        place.run(&["settle", &each.dead, "--reason", " "]).ends(2).complains("how it was done");
        place.run(&["settle", &each.dead]).ends(2);
        assert_eq!(state(&place, &each.dead), "dead");
    }
}

#[test]
fn what_a_lost_worker_held_waits_again() {
    for place in Place::all() {
        let each = place.one_of_each();
        let ran = place.run(&["release", &each.in_work]).ends(0);
        assert_eq!(ran.out, format!("event {}  waiting\n", each.in_work));
        let object = place.run(&["show", &each.in_work, "--json"]).ends(0).json();
        assert_eq!(
            (&object["event"]["attempts"], &object["attempts"][0]["outcome"]),
            (&json!(0), &json!("released"))
        );
        for id in [&each.in_work, &each.done, &each.dead, &each.parked] {
            place.run(&["release", id]).ends(1).complains("no worker holds");
        }
        assert_eq!(state(&place, &each.dead), "dead");
        place.run(&["release", "424242"]).ends(2).complains("no event 424242");
    }
}
