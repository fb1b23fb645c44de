//! The loader on files as they are, and on files with one thing wrong.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use hookproof_vectors::{
    Body, Event, Fault, Outcome, POLICIES, Policy, check, check_published, parse, suite,
};
use serde_json::{Value, json};

fn good() -> Value {
    json!({
        "schema": "schema/v1.json",
        "provider": "acme",
        "noVendorExample": "none is published",
        "numberOfTests": 2,
        "notes": {
            "Basic": { "bugType": "BASIC", "description": "A plain delivery." },
            "Lenient": { "bugType": "EDGE_CASE", "description": "Either way.", "links": ["https://example.com"], "policy": true },
        },
        "testGroups": [{
            "source": { "kind": "constructed", "name": "hookproof", "retrieved": "2026-11-30", "licence": "CC0-1.0" },
            "secrets": ["one", { "hex": "00ff" }],
            "toleranceSeconds": 300,
            "options": { "versions": ["v1"] },
            "tests": [
                {
                    "tcId": "acme-valid", "comment": "A plain delivery.", "flags": ["Basic"], "nowMs": 1_700_000_000_000_u64,
                    "method": "POST", "url": "https://example.com/",
                    "headers": [["X-Sig", "a"], ["X-Sig", { "base64": "/w==" }]],
                    "body": { "repeat": "ab", "times": 3 },
                    "result": "valid",
                    "events": [{ "key": null, "order": { "value": 5, "unit": "ms" } }],
                    "expect": { "key": 1, "signedBytesBase64": "YQ==" },
                },
                {
                    "tcId": "acme-lenient", "comment": "Either way.", "flags": ["Lenient"], "nowMs": 1_700_000_000_000_u64,
                    "headers": [], "bodyBase64": "/w==", "result": "acceptable",
                },
            ],
        }],
    })
}

/// The faults of the good file after one change.
fn faults(change: impl FnOnce(&mut Value)) -> Vec<Fault> {
    let mut file = good();
    change(&mut file);
    let text = serde_json::to_string_pretty(&file).unwrap();
    let read = parse("acme.json", &text)
        .map(|file| [check(std::slice::from_ref(&file)), check_published(&file)]);
    let checks = read.unwrap_or_else(|faults| [Err(faults), Ok(())]);
    checks.into_iter().filter_map(Result::err).flatten().collect()
}

/// The one fault after one change, without its line.
fn fault(change: impl FnOnce(&mut Value)) -> String {
    let mut faults = faults(change);
    assert_eq!(faults.len(), 1, "{faults:#?}");
    let mut fault = faults.remove(0);
    fault.line = None;
    fault.to_string()
}

fn first_test(file: &mut Value) -> &mut Value {
    &mut file["testGroups"][0]["tests"][0]
}

#[test]
fn the_embedded_suite_has_no_fault() {
    let files = suite().unwrap_or_else(|faults| panic!("{faults}"));
    check(&files).unwrap_or_else(|faults| panic!("{faults}"));
    for file in &files {
        check_published(file).unwrap_or_else(|faults| panic!("{faults}"));
    }
    for (name, text) in POLICIES {
        Policy::parse(name, text).unwrap_or_else(|faults| panic!("{faults}"));
    }
}

#[test]
fn a_good_file_is_read_whole() {
    let file = parse("dir/acme.json", &good().to_string()).unwrap();
    check(std::slice::from_ref(&file)).unwrap();
    check_published(&file).unwrap();
    let (group, test) = file.tests().next().unwrap();
    assert_eq!((group.secrets.len(), group.tolerance_seconds), (2, Some(300)));
    assert_eq!(group.options["versions"], json!(["v1"]));
    assert_eq!(test.headers().collect::<Vec<_>>(), [("X-Sig", &b"a"[..]), ("X-Sig", &b"\xff"[..])]);
    assert_eq!(&*test.body.bytes(), b"ababab");
    assert_eq!(test.outcome, Outcome::Valid);
    let events: &[Event] = test.events.as_deref().unwrap();
    assert_eq!(
        serde_json::to_value(events).unwrap(),
        json!([{ "key": null, "order": { "value": 5, "unit": "ms" } }])
    );
    let (_, lenient) = file.tests().nth(1).unwrap();
    assert_eq!(lenient.body, Body::Base64(vec![0xff]));
    assert_eq!(file.policy_flags(lenient).collect::<Vec<_>>(), ["Lenient"]);
}

#[test]
fn a_policy_decides_acceptable_vectors() {
    let file = parse("acme.json", &good().to_string()).unwrap();
    let (_, lenient) = file.tests().nth(1).unwrap();
    let policy = |flags: &str| {
        Policy::parse(
            "p.json",
            &format!(r#"{{"schema":"../schema/policy-v1.json","accepted":[{flags}]}}"#),
        )
        .unwrap()
    };
    assert!(policy(r#""Other","Lenient""#).accepts(&file, lenient));
    assert!(!policy("").accepts(&file, lenient));
    let doubled =
        Policy::parse("p.json", r#"{"schema":"../schema/policy-v1.json","accepted":["A","A"]}"#);
    assert_eq!(doubled.unwrap_err().to_string(), "p.json:1: accepted: `A` stands twice");
}

#[test]
fn faults_name_file_line_vector_and_field() {
    let all = faults(|file| first_test(file)["headers"][1] = json!(["X-Sig", { "base64": "/w" }]));
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].id.as_deref(), Some("acme-valid"));
    assert_eq!(all[0].field.as_deref(), Some("headers[1][1]"));
    let text = serde_json::to_string_pretty(&good()).unwrap();
    let line = text.lines().position(|line| line.contains("/w==")).unwrap() + 1;
    assert!(all[0].line.unwrap().abs_diff(line) <= 3, "{:?} is not near {line}", all[0].line);
    assert!(all[0].message.starts_with("not padded standard base64"), "{}", all[0].message);
}

#[test]
fn the_form_is_strict() {
    let one = |change: fn(&mut Value)| fault(change);
    assert!(
        one(|file| first_test(file)["extra"] = json!(1))
            .starts_with("acme.json: acme-valid: extra: unknown field `extra`")
    );
    assert!(
        one(|file| file["extra"] = json!(1)).starts_with("acme.json: extra: unknown field `extra`")
    );
    assert_eq!(
        one(|file| first_test(file)["bodyBase64"] = json!("")),
        "acme.json: acme-valid: both `body` and `bodyBase64` are given",
    );
    assert_eq!(
        one(|file| drop(first_test(file).as_object_mut().unwrap().remove("body"))),
        "acme.json: acme-valid: neither `body` nor `bodyBase64` is given",
    );
    assert_eq!(
        one(|file| first_test(file)["reason"] = json!("bad-secret")),
        "acme.json: acme-valid: only an invalid vector has a `reason`",
    );
    assert!(
        one(|file| first_test(file)["reason"] = json!("wrong"))
            .starts_with("acme.json: acme-valid: reason: unknown reason `wrong`, expected one of bad-secret, missing-target,"),
    );
    assert_eq!(
        one(|file| first_test(file)["flags"] = json!(["Basic", "Basic"])),
        "acme.json: acme-valid: flags: `Basic` stands twice",
    );
    assert!(
        one(|file| first_test(file)["nowMs"] = json!(-1))
            .starts_with("acme.json: acme-valid: nowMs: invalid value")
    );
    assert!(
        one(|file| first_test(file)["body"]["times"] = json!(100_000_000))
            .contains("a repeated body is at most 64 MiB"),
    );
    assert!(
        one(|file| file["testGroups"][0]["secrets"][1] = json!({"hex": "0"}))
            .starts_with("acme.json: secrets[1]: not hex"),
    );
}

/// `serde` takes a list of an object's values for the object, and null for a member that may be absent.
#[test]
fn null_is_not_absent_and_a_list_is_no_object() {
    let changes: &[fn(&mut Value)] = &[
        |file| *file = json!(["schema/v1.json", "acme", 0, "none", {}, []]),
        |file| file["noVendorExample"] = json!(null),
        |file| file["notes"]["Basic"] = json!(["BASIC", "A plain delivery.", [], false]),
        |file| file["testGroups"][0] = json!([{}, [], 300, {}, []]),
        |file| file["testGroups"][0]["source"] = json!(["constructed", "a", null, "b", "c"]),
        |file| file["testGroups"][0]["source"]["url"] = json!(null),
        |file| file["testGroups"][0]["toleranceSeconds"] = json!(null),
        |file| file["testGroups"][0]["secrets"][1] = json!({ "jwks": [] }),
        |file| {
            let test = first_test(file);
            *test = json!(test.as_object().unwrap().values().collect::<Vec<_>>());
        },
        |file| first_test(file)["method"] = json!(null),
        |file| first_test(file)["url"] = json!(null),
        |file| first_test(file)["bodyBase64"] = json!(null),
        |file| first_test(file)["reason"] = json!(null),
        |file| first_test(file)["eventsError"] = json!(null),
        |file| first_test(file)["events"] = json!(null),
        |file| first_test(file)["events"][0] = json!([null, "a", "b", "c", "d"]),
        |file| first_test(file)["events"][0] = json!({}),
        |file| first_test(file)["events"][0]["twin"] = json!(null),
        |file| first_test(file)["events"][0]["order"] = json!(null),
        |file| first_test(file)["events"][0]["order"] = json!([5, "ms"]),
        |file| first_test(file)["events"][0]["attempt"] = json!(null),
        |file| first_test(file)["expect"] = json!(null),
        |file| first_test(file)["expect"] = json!(["YQ==", 1]),
        |file| first_test(file)["expect"]["key"] = json!(null),
        |file| first_test(file)["expect"]["signedBytesBase64"] = json!(null),
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut file = good();
        change(&mut file);
        assert!(parse("acme.json", &file.to_string()).is_err(), "change {index}: {file}");
    }
}

#[test]
fn several_faults_are_all_told() {
    let all = faults(|file| {
        first_test(file)["nowMs"] = json!("now");
        file["testGroups"][0]["tests"][1]["result"] = json!("maybe");
    });
    assert_eq!(
        all.iter().filter_map(|fault| fault.id.as_deref()).collect::<Vec<_>>(),
        ["acme-valid", "acme-lenient"]
    );
}

#[test]
fn a_doubled_member_is_a_fault_also_inside_options() {
    let text = good()
        .to_string()
        .replace(r#""versions":["v1"]"#, r#""versions":["v1"],"versions":["v2"]"#);
    assert_eq!(
        parse("acme.json", &text).unwrap_err().to_string(),
        "acme.json:1: member `versions` is given twice"
    );
}

#[test]
fn what_a_schema_cannot_say_is_checked() {
    let one = |change: fn(&mut Value)| fault(change);
    assert_eq!(
        one(|file| file["numberOfTests"] = json!(3)),
        "acme.json: numberOfTests: says 3, but the file has 2"
    );
    assert_eq!(
        one(|file| file["notes"]["Unused"] = json!({"bugType": "BASIC", "description": "x"})),
        "acme.json: notes.Unused: no vector carries this flag",
    );
    assert_eq!(
        one(|file| first_test(file)["flags"] = json!(["Basic", "New"])),
        "acme.json: acme-valid: flags: `New` has no note",
    );
    assert_eq!(
        one(|file| file["testGroups"][0]["tests"][1]["tcId"] = json!("acme-valid")),
        "acme.json: acme-valid: the id is already used in acme.json",
    );
    assert!(
        one(|file| drop(file["notes"]["Lenient"].as_object_mut().unwrap().remove("policy")))
            .contains("acceptable")
    );
    assert!(one(|file| first_test(file)["nowMs"] = json!(5)).contains("OtherClock"));
    assert!(
        one(|file| first_test(file)["headers"][0][0] = json!("X Sig"))
            .contains("not a header name")
    );
    assert!(
        one(|file| first_test(file)["headers"][0][1] = json!(" a")).contains("OuterWhiteSpace")
    );
    assert!(
        one(|file| first_test(file)["expect"]["key"] = json!(2))
            .contains("expect.key: there is no such secret")
    );
    assert!(one(|file| first_test(file)["body"] = json!("x".repeat(600_000))).contains("512 KiB"));
    assert!(
        one(|file| drop(file.as_object_mut().unwrap().remove("noVendorExample")))
            .contains("noVendorExample: missing")
    );
    assert!(
        one(|file| file["schema"] = json!("v2")).contains("schema: expected \"schema/v1.json\"")
    );
    let file = parse("other.json", &good().to_string()).unwrap();
    assert_eq!(
        check_published(&file).unwrap_err().to_string(),
        "other.json: provider: a file with this provider is called acme.json",
    );
}
