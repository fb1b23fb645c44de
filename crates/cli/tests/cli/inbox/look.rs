//! `list`, `dead`, `parked`, `show`.

use hookproof::providers::{HUBSPOT, STRIPE};
use hookproof_inbox::Work;
use serde_json::{Value, json};

use crate::inbox::place::{Place, SECRET, ago, stripe};

fn ids(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|event| event["id"].to_string()).collect()
}

#[test]
fn lists_are_filtered() {
    for place in Place::all() {
        let each = place.one_of_each();
        let list =
            |args: &[&str]| ids(&place.run(&[&["list", "--json"], args].concat()).ends(0).json());
        let all = [&each.done, &each.parked, &each.dead, &each.in_work, &each.waiting];
        assert_eq!(list(&[]), all.map(Clone::clone));
        assert_eq!(list(&["--endpoint", "code"]), [each.waiting.as_str()]);
        assert_eq!(list(&["--kind", "charge.succeeded"]), [each.parked.as_str()]);
        assert_eq!(list(&["--subject", "in_2"]), [each.dead.as_str()]);
        assert_eq!(list(&["--state", "in-work"]), [each.in_work.as_str()]);
        assert_eq!(list(&["--state", "done", "--kind", "charge.succeeded"]), [""; 0]);
        let hour_ago = (ago(3600).as_millis() / 1000).to_string();
        assert_eq!(list(&["--until", &hour_ago]), [""; 0]);
        assert_eq!(list(&["--from", &hour_ago]).len(), 5);
        assert_eq!(
            list(&["--from", "2020-01-01T00:00:00Z", "--until", "2999-01-01T00:00:00Z"]).len(),
            5
        );
        assert_eq!(
            list(&["--limit", "2", "--after", &each.done]),
            [each.parked.clone(), each.dead.clone()]
        );
        assert_eq!(list(&["--after", &each.waiting]), [""; 0]);
        place
            .run(&["list", "--limit", "5"])
            .ends(0)
            .says(&format!("there may be more: --after {}", each.waiting));
        let whole = place.run(&["list", "--limit", "6"]).ends(0);
        assert!(!whole.out.contains("may be more"), "{whole:?}");
        place.run(&["list", "--limit", "0"]).ends(2);
        place.run(&["list", "--state", "finished"]).ends(2).complains("in-work");
        place.run(&["list", "--from", "yesterday"]).ends(2).complains("RFC 3339");
        place.run(&["list", "--endpoint", "a b"]).ends(2).complains("A-Z");
    }
}

#[test]
fn rows_are_lines_with_headings() {
    for place in Place::all() {
        let each = place.one_of_each();
        let ran = place.run(&["list"]).ends(0);
        let lines: Vec<Vec<&str>> =
            ran.out.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["id", "received", "endpoint", "kind", "about", "state", "tries"]);
        assert_eq!(lines.len(), 6, "{ran:#?}");
        let row = &lines[3];
        assert_eq!(row[0], each.dead);
        assert_eq!(row[2..], ["billing", "invoice.paid", "in_2", "dead", "1"]);
        // GitHub names no subject: the key stands there.
        assert!(lines[5][4].starts_with("github/"), "{ran:#?}");
    }
}

#[test]
fn dead_and_parked_say_why() {
    for place in Place::all() {
        let each = place.one_of_each();
        let dead = place.run(&["dead"]).ends(0).says("no such customer").says("reason");
        assert_eq!(dead.out.lines().count(), 2);
        let parked = place
            .run(&["parked", "--endpoint", "billing"])
            .ends(0)
            .says("the charge may have happened");
        assert_eq!(parked.out.lines().count(), 2);
        assert_eq!(ids(&place.run(&["parked", "--json"]).ends(0).json()), [each.parked]);
        place.run(&["dead", "--kind", "other"]).ends(0).says("no events");
        place.run(&["dead", "--state", "done"]).ends(2);
    }
}

#[test]
fn an_event_has_documented_members() {
    for place in Place::all() {
        let id = place.stripe("evt_1", "invoice.paid", "in_1").as_u64();
        let list = place.run(&["list", "--json"]).ends(0).json();
        let received = list[0]["receivedAt"].clone();
        assert_eq!(
            list[0],
            json!({
                "id": id, "endpoint": "billing", "key": "stripe/evt_1", "kind": "invoice.paid", "subject": "in_1",
                "stream": "in_1", "order": { "value": 1_700_000_000, "unit": "s" }, "twin": list[0]["twin"],
                "delivery": list[0]["delivery"], "index": 0, "receivedAt": received, "state": "waiting",
                "attempts": 0, "replays": 0, "due": received, "leaseEnd": null, "note": null,
            }),
        );
        assert!(list[0]["twin"].is_string() && list[0]["delivery"].is_u64());
    }
}

#[test]
fn an_event_is_shown_with_attempts_and_delivery() {
    for place in Place::all() {
        let each = place.one_of_each();
        let ran = place.run(&["show", &each.parked]).ends(0);
        assert!(ran.out.starts_with(&format!("event {}  parked\n", each.parked)), "{ran:#?}");
        let ran = ran
            .says("  key        stripe/evt_parked\n")
            .says("  kind       charge.succeeded\n")
            .says("  order      1700000000 s\n")
            .says("  reason     the charge may have happened\n")
            .says("attempt")
            .says("parked   the charge may have happened")
            .says("  stripe  \n".trim_end())
            .says("  content-type: application/json")
            .says("  stripe-signature: (")
            .says(r#"    {"id":"evt_parked","type":"charge.succeeded""#);
        assert!(!ran.out.contains("v1="), "{ran:#?}");
        place
            .run(&["show", &each.parked, "--reveal-headers"])
            .ends(0)
            .says("stripe-signature: t=")
            .says("v1=");
        let object = place.run(&["show", &each.parked, "--json"]).ends(0).json();
        assert_eq!(object["event"]["state"], "parked");
        assert_eq!(object["attempts"].as_array().unwrap().len(), 1);
        assert_eq!(object["attempts"][0]["outcome"], "parked");
        let headers = object["delivery"]["headers"].as_array().unwrap();
        let signature = headers.iter().find(|header| header["name"] == "stripe-signature").unwrap();
        assert_eq!(
            signature,
            &json!({ "name": "stripe-signature", "value": null, "hidden": true })
        );
        assert_eq!(object["delivery"]["body"], stripe("evt_parked", "charge.succeeded", "ch_1"));
        assert_eq!(object["delivery"]["bodyIsCut"], false);
        let cut = place.run(&["show", &each.parked, "--json", "--body-limit", "5"]).ends(0).json();
        assert_eq!(
            (&cut["delivery"]["body"], &cut["delivery"]["bodyIsCut"]),
            (&json!(r#"{"id""#), &json!(true))
        );
        let by_key =
            place.run(&["show", "--endpoint", "billing", "--key", "stripe/evt_parked"]).ends(0);
        assert_eq!(by_key.out, place.run(&["show", &each.parked]).out);
    }
}

#[test]
fn what_is_not_there_is_said() {
    for place in Place::all() {
        let each = place.one_of_each();
        place.run(&["show", "424242"]).ends(2).complains("no event 424242");
        place.run(&["show", "x"]).ends(2).complains("number of an event");
        place.run(&["show"]).ends(2);
        place.run(&["show", "--key", "stripe/evt_1"]).ends(2);
        place
            .run(&["show", "--endpoint", "billing", "--key", "stripe/none"])
            .ends(2)
            .complains("no event stripe/none");
        place.sql("DELETE FROM hookproof_deliveries");
        place.run(&["show", &each.done]).ends(0).says("its payload is purged");
        assert_eq!(
            place.run(&["show", &each.done, "--json"]).ends(0).json()["delivery"],
            Value::Null
        );
        place.run(&["show", &each.done, "--body", "x"]).ends(2).complains("purged");
        place.run(&["show", &each.done, "--verify", "--secret", "x"]).ends(2).complains("purged");
        let body = stripe("evt_here", "invoice.paid", "in_9");
        place.record(&STRIPE, "billing", &body, 0, Work::Here);
        let key = ["show", "--endpoint", "billing", "--key", "stripe/evt_here"];
        place.run(&key).ends(0).says("  done\n").says("in the transaction that recorded it");
        let object = place.run(&[&key[..], &["--json"]].concat()).ends(0).json();
        assert_eq!(
            (&object["event"], &object["recorded"]["state"]),
            (&Value::Null, &json!("done"))
        );
    }
}

#[test]
fn a_body_is_written_to_a_file_that_is_not_there() {
    for place in Place::all() {
        let id = place.stripe("evt_1", "invoice.paid", "in_1").to_string();
        let body = stripe("evt_1", "invoice.paid", "in_1");
        assert_eq!(place.run(&["show", &id, "--body", "-"]).ends(0).out, body);
        assert_eq!(place.run(&["show", &id, "--body", "body.json"]).ends(0).out, "");
        assert_eq!(std::fs::read_to_string(place.shell.path("body.json")).unwrap(), body);
        place.run(&["show", &id, "--body", "body.json"]).ends(2).complains("body.json");
    }
}

#[test]
fn a_delivery_is_verified_again_as_of_its_arrival() {
    for place in Place::all() {
        // Long beyond the tolerance of any sender.
        let age = 90 * 24 * 3600;
        let body = stripe("evt_1", "invoice.paid", "in_1");
        let id = place.record(&STRIPE, "billing", &body, age, Work::Later).to_string();
        let env = [("GOOD", SECRET), ("BAD", "whsec_other")];
        let show =
            |args: &[&str]| place.run_with(&[&["show", &id, "--verify"], args].concat(), b"", &env);
        show(&["--secret-env", "GOOD"]).ends(0).says("accepted  by secret 1, as of its arrival");
        show(&["--secret-env", "BAD", "--secret-env", "GOOD"])
            .ends(0)
            .says("accepted  by secret 2");
        show(&["--secret-env", "BAD"]).ends(1).says("rejected  signature-mismatch");
        let object = show(&["--secret-env", "GOOD", "--json"]).ends(0).json();
        assert_eq!(
            object["verified"],
            json!({ "verdict": "accepted", "kind": null, "message": null, "key": 0 })
        );
        assert_eq!(
            show(&["--secret-env", "BAD", "--json"]).ends(1).json()["verified"]["kind"],
            "signature-mismatch"
        );
        show(&["--secret-env", "GOOD", "--provider", "github"])
            .ends(1)
            .says("rejected  missing-header");
        show(&["--secret-env", "GOOD", "--provider", "none"]).ends(2).complains("unknown provider");
        show(&["--secret-env", "GOOD", "--option", "x=y"]).ends(2).complains("no option `x`");
        show(&["--secret-env", "UNSET"]).ends(2).complains("UNSET");
        show(&[]).ends(2);
        place.run(&["show", &id, "--provider", "stripe"]).ends(2);
        place.sql(
            "UPDATE hookproof_deliveries SET body = CAST('{}' AS BLOB)"
                .replace("BLOB", blob(&place))
                .as_str(),
        );
        show(&["--secret-env", "GOOD"]).ends(1).says("signature-mismatch");
    }
}

/// The database's word for bytes.
fn blob(place: &Place) -> &'static str {
    if place.database().contains("://") { "BYTEA" } else { "BLOB" }
}

#[test]
fn the_url_that_was_signed_is_stored_and_its_query_hidden() {
    for place in Place::all() {
        let body = r#"[{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":4,"subscriptionType":"contact.creation",
            "attemptNumber":0,"objectId":5}]"#;
        let id = place.record(&HUBSPOT, "crm", body, 0, Work::Later).to_string();
        place.run(&["show", &id]).ends(0).says("  POST https://example.com/hooks\n");
        let verify = ["show", &id, "--verify", "--secret-env", "GOOD"];
        place.run_with(&verify, b"", &[("GOOD", SECRET)]).ends(0).says("accepted");
        place.sql("UPDATE hookproof_deliveries SET url = 'https://example.com/hooks?token=abc'");
        let ran =
            place.run(&["show", &id]).ends(0).says("https://example.com/hooks?(9 bytes hidden)");
        assert!(!ran.out.contains("abc"));
        place.run_with(&verify, b"", &[("GOOD", SECRET)]).ends(1).says("rejected");
    }
}

/// Text of the sender never steers the terminal: not in a table, not in a body, not in JSON.
#[test]
fn control_characters_do_not_get_through() {
    for place in Place::all() {
        let about = r"in_\u001b[31mred\u001b[0m\u0007\u009b2J\u202e";
        let id = place.stripe("evt_1", "invoice.paid", about).to_string();
        place.sql("UPDATE hookproof_events SET subject = 'a' || chr(27) || chr(155) || chr(8238) || chr(10) || 'b'"
            .replace("chr", if place.database().contains("://") { "chr" } else { "char" }).as_str());
        place.park("a\u{1b}]0;title\u{7}b\u{9b}c\u{202e}d\ne");
        for args in [
            &["list"][..],
            &["parked"],
            &["list", "--json"],
            &["show", &id],
            &["show", &id, "--json"],
            &["show", &id, "--reveal-headers", "--body-limit", "10000"],
        ] {
            let ran = place.run(args).ends(0);
            let steers = |char: char| char != '\n' && (char.is_control() || char == '\u{202e}');
            assert!(!ran.out.contains(steers), "{args:?}: {ran:#?}");
        }
        let parked = place.run(&["parked"]).ends(0).says(r"a\u{1b}]0;title").says(r"d\ne");
        assert_eq!(parked.out.lines().count(), 2, "{parked:#?}");
        let list = place.run(&["list", "--json"]).ends(0).json();
        assert_eq!(
            list[0]["note"], "a\u{1b}]0;title\u{7}b\u{9b}c\u{202e}d\ne",
            "the value is unchanged"
        );
        assert_eq!(list[0]["subject"], "a\u{1b}\u{9b}\u{202e}\nb");
    }
}
