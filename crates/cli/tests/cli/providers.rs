//! `hookproof providers`.

use crate::support::Shell;

#[test]
fn the_table_names_every_sender_with_sources() {
    let ran = Shell::new().run(&["providers"]).ends(0);
    let ran = ran
        .says("stripe  Stripe\n  headers    stripe-signature\n")
        .says("tolerance  300 s both ways");
    for block in ran.out.split("\n\n") {
        for row in [
            "signed",
            "signature",
            "secret",
            "tolerance",
            "rotation",
            "answer",
            "retries",
            "missing",
            "confirmed",
        ] {
            assert!(block.contains(&format!("\n  {row} ")), "no {row} in {block}");
        }
        assert!(block.contains("\n  [1] https://"), "{block}");
        assert!(!block.contains('\u{1b}'), "colour without a terminal: {block:?}");
    }
}

#[test]
fn json_has_the_ids_and_what_confirms_them() {
    let list = Shell::new().run(&["providers", "--json"]).ends(0).json();
    let list = list.as_array().unwrap();
    let ids: Vec<&str> = list.iter().filter_map(|sender| sender["id"].as_str()).collect();
    let wanted = [
        "acuity",
        "anyhook",
        "calcom",
        "calendly",
        "github",
        "hubspot",
        "paymos",
        "shopify",
        "standard-webhooks",
        "stripe",
    ];
    assert!(wanted.iter().all(|id| ids.contains(id)), "{ids:?}");
    for sender in list {
        assert!(sender["confirmed"].is_boolean(), "{sender}");
        assert!(sender["signed"]["source"].as_str().unwrap().starts_with("https://"), "{sender}");
        assert!(
            sender["headers"].as_array().is_some_and(|headers| !headers.is_empty()),
            "{sender}"
        );
    }
}
