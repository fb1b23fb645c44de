//! `reconcile`: what the sender's list has and the inbox has not, has not done, or has done twice.

use std::time::Duration;

use hookproof::providers::{PAYMOS, STRIPE};
use hookproof::testing::Sender;
use hookproof_inbox::Work;
use serde_json::json;

use crate::inbox::place::{Place, ago, stripe};

const BY_KEY: [&str; 7] =
    ["reconcile", "--endpoint", "billing", "--provider", "stripe", "--ids", "-"];

#[test]
fn a_list_that_agrees_is_good_news() {
    for place in Place::all() {
        place.stripe("evt_1", "invoice.paid", "in_1");
        place.complete();
        place.record(&STRIPE, "billing", &stripe("evt_2", "invoice.paid", "in_2"), 0, Work::Here);
        place
            .run_with(&BY_KEY, b"evt_1\nevt_2\n", &[])
            .ends(0)
            .says("agrees  2 ids: all received, and done once");
        place
            .run_with(&BY_KEY, b"[\"evt_1\",{\"id\":\"evt_2\"}]", &[])
            .ends(0)
            .says("agrees  2 ids");
        let json =
            place.run_with(&[&BY_KEY[..], &["--json"]].concat(), b"evt_1", &[]).ends(0).json();
        assert_eq!(
            json,
            json!({ "ids": 1, "neverReceived": [], "notDone": [], "doneTwice": [], "perhapsDoneTwice": [] }),
        );
        // Keys as they are.
        let keys = ["reconcile", "--endpoint", "billing", "--ids", "-"];
        place.run_with(&keys, b"stripe/evt_1\n", &[]).ends(0);
        place.run_with(&keys, b"evt_1\n", &[]).ends(1).says("never received");
        // Another endpoint is another inbox.
        let other = ["reconcile", "--endpoint", "other", "--provider", "stripe", "--ids", "-"];
        place.run_with(&other, b"evt_1\n", &[]).ends(1).says("1 never received");
    }
}

#[test]
fn each_kind_of_difference_is_listed() {
    for place in Place::all() {
        let each = place.one_of_each();
        let list = b"id,type\nevt_done,x\nevt_parked,x\nevt_dead,x\nevt_work,x\nevt_none,x\n";
        let args = [&BY_KEY[..], &["--column", "id"]].concat();
        let ran = place.run_with(&args, list, &[]).ends(1);
        let lines: Vec<String> = ran
            .out
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            lines,
            [
                "differs 5 ids: 1 never received, 3 not done, 0 done twice".to_owned(),
                "id what".to_owned(),
                "evt_none never received".to_owned(),
                format!("evt_parked not done: event {} is parked", each.parked),
                format!("evt_dead not done: event {} is dead", each.dead),
                format!("evt_work not done: event {} is in-work", each.in_work),
            ],
        );
        let json = place.run_with(&[&args[..], &["--json"]].concat(), list, &[]).ends(1).json();
        assert_eq!(json["neverReceived"], json!(["evt_none"]));
        let dead = each.dead.parse::<u64>().unwrap();
        assert_eq!(json["notDone"][1], json!({ "id": "evt_dead", "event": dead, "state": "dead" }));
    }
}

#[test]
fn what_was_completed_again_was_done_twice() {
    for place in Place::all() {
        let id = place.stripe("evt_1", "invoice.paid", "in_1").as_u64();
        place.complete();
        place.run_with(&BY_KEY, b"evt_1", &[]).ends(0);
        place.run(&["replay", &id.to_string()]).ends(0);
        place.run_with(&BY_KEY, b"evt_1", &[]).ends(1).says("1 not done, 0 done twice");
        place.complete();
        place
            .run_with(&BY_KEY, b"evt_1", &[])
            .ends(1)
            .says("0 not done, 1 done twice")
            .says("completed again");
        let json =
            place.run_with(&[&BY_KEY[..], &["--json"]].concat(), b"evt_1", &[]).ends(1).json();
        assert_eq!(
            json["doneTwice"],
            json!([{ "id": "evt_1", "events": [id], "why": "attempts" }])
        );
    }
}

/// A failed attempt did nothing; a lost one may have.
#[test]
fn a_silent_worker_is_mentioned_and_does_not_count() {
    for place in Place::all() {
        let id = place.stripe("evt_1", "invoice.paid", "in_1").to_string();
        let _silent = place.claim();
        place.sql("UPDATE hookproof_events SET lease_end = 1, reclaim_at = 1");
        place.complete();
        place
            .run_with(&BY_KEY, b"evt_1", &[])
            .ends(0)
            .says("agrees")
            .says(&format!("perhaps  evt_1: a worker of event {id} went silent"));
        let second = place.stripe("evt_2", "invoice.paid", "in_2").to_string();
        place.kill("once");
        place.run(&["replay", &second]).ends(0);
        place.complete();
        let ran = place.run_with(&BY_KEY, b"evt_2", &[]).ends(0);
        assert!(!ran.out.contains("perhaps"), "{ran:#?}");
    }
}

/// One payment over two endpoints of one merchant has two ids.
#[test]
fn one_change_under_two_ids_was_done_twice() {
    for place in Place::all() {
        let body = |id: &str| {
            format!(
                r#"{{"event_id":"{id}","event_type":"invoice.paid","occurred_at":"2023-11-14T22:13:20Z",
                    "data":{{"invoice_id":"inv_1","status":"paid"}}}}"#
            )
        };
        let ids = [("eu", "evt_1"), ("us", "evt_2")].map(|(endpoint, id)| {
            let sender = Sender::new(&PAYMOS).at(ago(0)).id(id);
            let event = place.take(&sender, endpoint, &body(id), 0, Work::Later);
            std::thread::sleep(Duration::from_millis(2));
            event.as_u64()
        });
        place.complete();
        let args = ["reconcile", "--endpoint", "eu", "--provider", "paymos", "--ids", "-"];
        place.run_with(&args, b"evt_1", &[]).ends(0).says("agrees");
        place.complete();
        place
            .run_with(&args, b"evt_1", &[])
            .ends(1)
            .says("1 done twice")
            .says("one change under two ids");
        let subject = ["reconcile", "--endpoint", "eu", "--by", "subject", "--ids", "-", "--json"];
        let json = place.run_with(&subject, b"inv_1", &[]).ends(1).json();
        assert_eq!(json["doneTwice"], json!([{ "id": "inv_1", "events": ids, "why": "twin" }]));
    }
}

#[test]
fn resource_ids_are_compared_by_subject() {
    for place in Place::all() {
        place.stripe("evt_1", "invoice.created", "in_1");
        place.complete();
        place.stripe("evt_2", "invoice.paid", "in_1");
        place.stripe("evt_3", "invoice.paid", "a/b c");
        place.shell.file("ids.csv", "id,amount\nin_1,5\nin_2,6\na/b c,7\n");
        let args = [
            "reconcile",
            "--endpoint",
            "billing",
            "--by",
            "subject",
            "--ids",
            "ids.csv",
            "--column",
            "id",
        ];
        place
            .run(&args)
            .ends(1)
            .says("3 ids: 1 never received, 2 not done, 0 done twice")
            .says("in_2   never received")
            .says("a/b c  not done");
        place.complete();
        place.complete();
        place.run(&args).ends(1).says("1 never received, 0 not done");
    }
}

#[test]
fn lists_that_cannot_be_used_are_refused() {
    for place in Place::all() {
        place.run_with(&BY_KEY, b"\n", &[]).ends(2).complains("no id");
        place
            .run_with(&[&BY_KEY[..], &["--column", "id"]].concat(), b"a,b\n1,2\n", &[])
            .ends(2)
            .complains("it has a, b");
        place.run_with(&BY_KEY, b"[1", &[]).ends(2).complains("JSON array");
        let hubspot = ["reconcile", "--endpoint", "crm", "--provider", "hubspot", "--ids", "-"];
        place.run_with(&hubspot, b"5\n", &[]).ends(2).complains("--by subject");
        place
            .run_with(&hubspot, b"hubspot/1//a/////2//////0\n", &[])
            .ends(1)
            .says("never received");
        let none = ["reconcile", "--endpoint", "crm", "--provider", "none", "--ids", "-"];
        place.run_with(&none, b"5\n", &[]).ends(2).complains("unknown provider");
        place
            .run(&["reconcile", "--endpoint", "crm", "--ids", "missing.txt"])
            .ends(2)
            .complains("missing.txt");
        let long = "k".repeat(1100);
        place.run_with(&BY_KEY, long.as_bytes(), &[]).ends(2).complains("1 to 1,024");
        let error = place.run_with(&[&BY_KEY[..], &["--json"]].concat(), b"", &[]).ends(2).json();
        assert_eq!(error["kind"], "bad-list");
    }
}
