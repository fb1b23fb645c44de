//! `seal` and `verify`: whoever changes, removes, inserts or cuts off rows is found out, and the row is named.

use std::fs;

use serde_json::{Value, json};

use crate::inbox::place::Place;

/// Five rows that are sealed, and a head in `head`.
fn sealed() -> Vec<Place> {
    let places = Place::all();
    for place in &places {
        for number in 1..=5 {
            place.stripe(&format!("evt_{number}"), "invoice.paid", "in_1");
        }
        place.run(&["seal", "--head", "head"]).ends(0).says("5 rows sealed");
    }
    places
}

/// The findings: kind, first and last row, event.
fn findings(place: &Place, args: &[&str]) -> Vec<(String, Value, Value, Value)> {
    let report = place.run(&[&["verify", "--json"], args].concat()).json();
    let one = |finding: &Value| {
        let kind = finding["kind"].as_str().unwrap().to_owned();
        (kind, finding["firstRow"].clone(), finding["lastRow"].clone(), finding["event"].clone())
    };
    report["findings"].as_array().unwrap().iter().map(one).collect()
}

fn finding(
    kind: &str,
    first: impl Into<Value>,
    last: impl Into<Value>,
    event: impl Into<Value>,
) -> (String, Value, Value, Value) {
    (kind.to_owned(), first.into(), last.into(), event.into())
}

/// The number of the event of a row.
fn event(place: &Place, row: usize) -> u64 {
    let list = place.run(&["list", "--json"]).ends(0).json();
    list[row - 1]["id"].as_u64().unwrap()
}

#[test]
fn a_whole_log_is_proven_by_a_head_and_consistent_without() {
    for place in sealed() {
        place
            .run(&["verify", "--head", "head"])
            .ends(0)
            .says("proven  orders\n  5 rows, 1 to 5\n  the exported head agrees at row 5\n");
        place.run(&["verify"]).ends(0).says("consistent, not proven  orders\n");
        place.stripe("evt_6", "invoice.paid", "in_1");
        place
            .run(&["verify", "--head", "head"])
            .ends(0)
            .says("proven")
            .says("1 recorded row waits to be sealed");
        place
            .run(&["seal"])
            .ends(0)
            .says("1 row sealed")
            .says("hookproof-head/1 orders 6 ")
            .complains("keep it elsewhere");
        place
            .run(&["verify", "--head", "head"])
            .ends(0)
            .says("agrees at row 5; the rows after it are consistent, not proven");
        let report = place.run(&["verify", "--head", "head", "--json"]).ends(0).json();
        assert_eq!(
            report,
            json!({
                "status": "proven", "log": "orders", "rows": 6, "first": 1, "last": 6, "provenTo": 5, "unsealed": 0,
                "faults": 0, "findings": [],
            }),
        );
        assert_eq!(place.run(&["verify", "--json"]).ends(0).json()["status"], "consistent");
    }
}

#[test]
fn a_changed_row_is_named() {
    for place in sealed() {
        let third = event(&place, 3);
        place.sql(&format!("UPDATE hookproof_keys SET key = 'stripe/evt_x' WHERE id = {third}"));
        let message = format!("event {third}, row 3, was changed after it was sealed");
        place.run(&["verify", "--head", "head"]).ends(1).says("broken  orders").says(&message);
        place.run(&["verify"]).ends(1).says(&message);
        assert_eq!(findings(&place, &[]), [finding("changed", 3, 3, third)]);
    }
}

#[test]
fn removed_rows_are_named() {
    for place in sealed() {
        let second = event(&place, 2);
        let third = event(&place, 3);
        place.sql(&format!("DELETE FROM hookproof_keys WHERE id IN ({second}, {third})"));
        place
            .run(&["verify"])
            .ends(1)
            .says(&format!("rows 2 to 3, from event {second} on, were removed"));
        // With its rows of the chain, too.
        place.sql("DELETE FROM hookproof_chain WHERE seq IN (2, 3)");
        place
            .run(&["verify", "--head", "head"])
            .ends(1)
            .says("rows 2 to 3 of the chain are missing");
        assert_eq!(findings(&place, &[]), [finding("gap", 2, 3, Value::Null)]);
    }
}

/// The statement that puts in a copy of the second row, with another number and key.
fn insert(place: &Place, id: u64) -> String {
    let second = event(place, 2);
    format!(
        "INSERT INTO hookproof_keys (id, endpoint, key, content, body, unsigned, first_seen)
         SELECT {id}, endpoint, 'stripe/evt_new', content, body, unsigned, first_seen FROM hookproof_keys WHERE id = {second}"
    )
}

#[test]
fn an_inserted_row_is_named() {
    for place in sealed() {
        // Below all others: the only number that is free on every database.
        place.sql(&insert(&place, 0));
        let null = Value::Null;
        assert_eq!(
            findings(&place, &["--head", "head"]),
            [finding("inserted", null.clone(), null, 0)]
        );
        place.run(&["verify"]).ends(1).says("event 0 was put in after later ones were sealed");
    }
    for place in sealed() {
        let third = event(&place, 3);
        place.sql(&format!(
            "DELETE FROM hookproof_keys WHERE id = {third}; {}",
            insert(&place, third)
        ));
        assert_eq!(
            findings(&place, &[]),
            [finding("changed", 3, 3, third)],
            "in the place of another"
        );
    }
    for place in sealed() {
        let third = event(&place, 3);
        // Its row of the chain goes as well, so that nothing stands for it.
        place.sql("DELETE FROM hookproof_chain WHERE seq = 3");
        let null = || Value::Null;
        let wanted = [finding("gap", 3, 3, null()), finding("inserted", null(), null(), third)];
        assert_eq!(findings(&place, &[]), wanted);
    }
}

#[test]
fn a_log_that_was_cut_off_is_found_out_by_the_head() {
    for place in sealed() {
        let (fourth, fifth) = (event(&place, 4), event(&place, 5));
        place.sql(&format!(
            "DELETE FROM hookproof_keys WHERE id IN ({fourth}, {fifth});
             DELETE FROM hookproof_chain WHERE seq IN (4, 5);
             UPDATE hookproof_log SET seq = 3, link = (SELECT link FROM hookproof_chain WHERE seq = 3)"
        ));
        place.run(&["verify"]).ends(0).says("consistent, not proven");
        place
            .run(&["verify", "--head", "head"])
            .ends(1)
            .says("the log ends at row 3, before the exported head at row 5");
        assert_eq!(findings(&place, &["--head", "head"]), [finding("cut-off", 4, 5, Value::Null)]);
    }
}

/// Somebody changes a row and computes the whole chain anew: only an exported head tells, and sealing does not destroy it.
#[test]
fn a_chain_that_was_computed_anew_is_found_out_and_the_head_survives() {
    for place in sealed() {
        let kept = fs::read(place.shell.path("head")).unwrap();
        let first = event(&place, 1);
        place.sql(&format!(
            "UPDATE hookproof_keys SET key = 'stripe/evt_x' WHERE id = {first};
             DELETE FROM hookproof_chain;
             UPDATE hookproof_log SET seq = 0, link = {}, at = 0",
            genesis(&place)
        ));
        // Without --head, the command itself computes the new chain.
        place.run(&["seal"]).ends(0).says("5 rows sealed");
        place.run(&["verify"]).ends(0).says("consistent, not proven");
        place
            .run(&["verify", "--head", "head"])
            .ends(1)
            .says("the chain was rewritten after row 0, up to the exported head at row 5");
        assert_eq!(
            findings(&place, &["--head", "head"]),
            [finding("rewritten", 1, 5, Value::Null)]
        );
        place.stripe("evt_6", "invoice.paid", "in_1");
        for checkpoint in [&[][..], &["--checkpoint"]] {
            let seal = [&["seal", "--head", "head"], checkpoint].concat();
            place
                .run(&seal)
                .ends(1)
                .complains("rewritten up to row 5")
                .complains("the file is as it was");
        }
        let purge = [
            "purge",
            "--keys",
            "30d",
            "--endpoint",
            "billing",
            "--provider",
            "stripe",
            "--head",
            "head",
        ];
        place.run(&purge).ends(1).complains("rewritten up to row 5");
        assert_eq!(fs::read(place.shell.path("head")).unwrap(), kept);
        assert_eq!(
            place.run(&["verify", "--json"]).ends(0).json()["unsealed"],
            1,
            "nothing was sealed"
        );
        let refused = place.run(&["seal", "--head", "head", "--json"]).ends(1).json();
        assert_eq!(refused["kind"], "head-disagrees");
    }
}

/// The link of the log without rows, as a literal of the database.
fn genesis(place: &Place) -> String {
    let hex = hookproof_inbox::chain::genesis("orders").to_string();
    if place.database().contains("://") { format!("'\\x{hex}'") } else { format!("x'{hex}'") }
}

#[test]
fn heads_are_replaced_whole_once_they_agree() {
    for place in sealed() {
        let head = || fs::read_to_string(place.shell.path("head")).unwrap();
        let first = head();
        assert!(
            first.starts_with("hookproof-head/1 orders 5 ")
                && first.ends_with('\n')
                && first.lines().count() == 1
        );
        place.stripe("evt_6", "invoice.paid", "in_1");
        let json = place.run(&["seal", "--head", "head", "--checkpoint", "--json"]).ends(0).json();
        assert_eq!(
            (&json["sealed"], &json["seq"], &json["checkpoint"]),
            (&json!(1), &json!(7), &json!(true))
        );
        assert_eq!(head(), format!("{}\n", json["head"].as_str().unwrap()));
        place.run(&["verify", "--head", "head"]).ends(0).says("agrees at row 7");
        // Several heads, in one file and in several.
        place.shell.file("both", format!("{first}\n{}", head()));
        place.run(&["verify", "--head", "both", "head"]).ends(0).says("proven");
        place.run(&["verify", "--head", "both", "--head", "head"]).ends(0).says("proven");
        place.run(&["seal", "--head", "both"]).ends(0).says("0 rows sealed");
        assert_eq!(fs::read_to_string(place.shell.path("both")).unwrap(), head());
        // A broken link between the exported head and the present one.
        place.shell.file("old", &first);
        place.sql("UPDATE hookproof_chain SET leaf = link WHERE seq = 6");
        place
            .run(&["seal", "--head", "old"])
            .ends(1)
            .complains("row 6 of the chain was changed or removed");
        assert_eq!(fs::read_to_string(place.shell.path("old")).unwrap(), first);
        let names: Vec<_> = fs::read_dir(place.shell.path("."))
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .collect();
        assert!(
            names.iter().all(|name| !name.to_string_lossy().starts_with(".hookproof")),
            "{names:?}"
        );
    }
}

#[test]
fn files_without_a_head_of_this_log_are_refused() {
    for place in sealed() {
        place.run(&["verify", "--head", "none"]).ends(2).complains("none");
        place.shell.file("empty", "\n").file("text", "a head\n");
        place.run(&["verify", "--head", "empty"]).ends(2).complains("no head");
        place.run(&["verify", "--head", "text"]).ends(2).complains("text:1: a head is one line");
        place.run(&["seal", "--head", "text"]).ends(2).complains("text:1: ");
        let other =
            fs::read_to_string(place.shell.path("head")).unwrap().replace("orders", "others");
        place.shell.file("other", other);
        place.run(&["verify", "--head", "other"]).ends(1).says("that of another log");
        place.run(&["seal", "--head", "other"]).ends(1).complains("the head of the log others");
        place.run(&["seal", "--head", "none/head"]).ends(2).complains("none/head");
    }
}
