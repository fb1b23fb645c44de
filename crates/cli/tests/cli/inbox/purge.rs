//! `purge`: only what is old and done goes, keys outlive the sender's retries, and the log stays provable.

use hookproof::providers::{GITHUB, STRIPE};
use hookproof_inbox::Work;
use serde_json::json;

use crate::inbox::place::{Place, ago, stripe};

const DAY: u64 = 24 * 3600;

/// Old and done; old and waiting; young and done.
fn aged(place: &Place) {
    for (id, age, done) in
        [("evt_1", 100, true), ("evt_2", 100, true), ("evt_3", 100, false), ("evt_4", 1, true)]
    {
        place.record(
            &STRIPE,
            "billing",
            &stripe(id, "invoice.paid", "in_1"),
            age * DAY,
            Work::Later,
        );
        if done {
            place.complete();
        } else {
            place.park("kept");
        }
    }
}

fn without_log() -> Vec<Place> {
    let places = Place::bare();
    for place in &places {
        place.run(&["migrate"]).ends(0);
        aged(place);
    }
    places
}

const KEYS: [&str; 7] = ["purge", "--keys", "90d", "--endpoint", "billing", "--provider", "stripe"];

#[test]
fn payloads_go_when_they_are_old_and_done() {
    for place in without_log() {
        let dry = ["purge", "--payloads", "30d", "--dry-run"];
        place.run(&dry).ends(0).says("2 payloads would be removed");
        place.run(&dry).ends(0).says("2 payloads would be removed");
        let json =
            place.run(&["purge", "--payloads", "30d", "--batch", "1", "--json"]).ends(0).json();
        assert_eq!(
            json,
            json!({
                "payloads": 2, "days": 0, "keys": null, "links": null, "more": false, "head": null, "dryRun": false,
            }),
        );
        place.run(&dry).ends(0).says("0 payloads would be removed");
        place
            .run(&["show", "--endpoint", "billing", "--key", "stripe/evt_1"])
            .ends(0)
            .says("its payload is purged");
        for kept in ["stripe/evt_3", "stripe/evt_4"] {
            place.run(&["show", "--endpoint", "billing", "--key", kept]).ends(0).says("body, ");
        }
    }
}

/// On PostgreSQL payloads are kept by the day, and a whole day goes at once.
#[test]
fn whole_days_go_at_once() {
    for place in Place::bare().into_iter().filter(|place| place.database().contains("://")) {
        place.run(&["migrate"]).ends(0);
        let day = u32::try_from(ago(100 * DAY).as_secs() / DAY).unwrap();
        place.sql(&hookproof_inbox::sql::postgres::create_partition(day));
        place.record(
            &STRIPE,
            "billing",
            &stripe("evt_1", "invoice.paid", "in_1"),
            100 * DAY,
            Work::Later,
        );
        place.run(&["purge", "--payloads", "30d"]).ends(0).says("0 payloads removed");
        place.complete();
        let ran = place.run(&["purge", "--payloads", "30d"]).ends(0);
        assert_eq!(ran.out, "1 whole day of payloads removed\n0 payloads removed\n");
        place
            .run(&["show", "--endpoint", "billing", "--key", "stripe/evt_1"])
            .ends(0)
            .says("its payload is purged");
    }
}

#[test]
fn keys_outlive_the_senders_retries() {
    for place in without_log() {
        let short = ["purge", "--keys", "1d", "--endpoint", "billing", "--provider", "stripe"];
        place.run(&short).ends(2).complains("259200 s").complains("86400 s");
        let error = place.run(&[&short[..], &["--json"]].concat()).ends(2).json();
        assert_eq!(error["kind"], "horizon");
        let as_github = ["purge", "--keys", "1d", "--endpoint", "billing", "--provider", "github"];
        place.run(&as_github).ends(2).complains("those of stripe, not of github");
        place.run(&[&KEYS[..], &["--dry-run"]].concat()).ends(0).says("2 keys would be removed");
        place.run(&[&KEYS[..], &["--batch", "1"]].concat()).ends(0).says("2 keys removed");
        let show = |key| place.run(&["show", "--endpoint", "billing", "--key", key]);
        show("stripe/evt_1").ends(2).complains("no event");
        show("stripe/evt_3").ends(0);
        show("stripe/evt_4").ends(0);
        place.record(&GITHUB, "code", "{}", 100 * DAY, Work::Later);
        place.run(&KEYS).ends(0).says("0 keys removed");
        place.run(&["list", "--endpoint", "code"]).ends(0).says("github/");
    }
}

#[test]
fn usage_is_explained() {
    let place = Place::file();
    place.run(&["migrate"]).ends(0);
    place.run(&["purge"]).ends(2).complains("--payloads TIME");
    place.run(&["purge", "--payloads", "30"]).ends(2).complains("90d");
    place.run(&["purge", "--keys", "90d"]).ends(2).complains("--endpoint");
    place.run(&["purge", "--payloads", "1d", "--head", "x"]).ends(2).complains("--keys");
    place
        .run(&["purge", "--keys", "90d", "--endpoint", "a", "--provider", "none"])
        .ends(2)
        .complains("unknown provider");
}

#[test]
fn where_a_log_is_kept_keys_go_below_an_exported_checkpoint() {
    for place in Place::all() {
        aged(&place);
        place.run(&KEYS).ends(2).complains("give --head FILE");
        place.run(&["seal", "--head", "head"]).ends(0);
        let dry = [&KEYS[..], &["--head", "head", "--dry-run"]].concat();
        place.run(&dry).ends(0).says("2 keys would be removed");
        place.run(&["verify", "--json"]).ends(0).says(r#""rows": 4"#);
        place
            .run(&[&KEYS[..], &["--head", "head"]].concat())
            .ends(0)
            .says("the head of the checkpoint is exported: hookproof-head/1 orders 5 ")
            .says("2 keys removed")
            .says("2 rows of the chain removed");
        place.run(&["verify", "--head", "head"]).ends(0).says("proven").says("3 rows, 3 to 5");
        // What is removed now is not explained by the checkpoint's head alone: the head of before is no longer enough.
        place.sql("DELETE FROM hookproof_chain WHERE seq = 3");
        place.run(&["verify", "--head", "head"]).ends(1);
    }
}

#[test]
fn a_head_that_cannot_be_written_keeps_the_keys() {
    for place in Place::all() {
        aged(&place);
        let purge = [&KEYS[..], &["--head", "none/head"]].concat();
        place.run(&purge).ends(2).complains("none/head");
        place.run(&["show", "--endpoint", "billing", "--key", "stripe/evt_1"]).ends(0);
    }
}
