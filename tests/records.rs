//! What a record may say: the checks of [`SchemeBuilder::build`], which users meet at compile time (`tests/ui`), here at
//! run time, and what a record says of itself.

#![cfg(all(feature = "events", feature = "sign"))]
#![allow(clippy::unwrap_used, clippy::type_complexity, reason = "a test fails by panicking")]

use std::time::Duration;

use hookproof::{
    Document, Family, Field, Grammar, Identity, Info, Part, Presence, Provider, Scheme,
    SchemeBuilder, TimeSource, TimeUnit, providers,
};

#[test]
fn records_say_whether_they_take_several_signatures() {
    let pairs = Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] };
    let list = Grammar::List { separator: b' ', version: "v1" };
    for (grammar, several) in
        [(Grammar::Whole, false), (Grammar::Prefixed("v0="), false), (pairs, true), (list, true)]
    {
        assert_eq!(grammar.takes_several(), several, "{grammar:?}");
    }
    let several: Vec<_> = providers::ALL
        .iter()
        .filter(|sender| sender.info().several_signatures)
        .map(|sender| sender.info().id)
        .collect();
    assert_eq!(several, ["anyhook", "calendly", "paymos", "standard-webhooks", "stripe"]);
}

/// The checks of a record, which [`SchemeBuilder::build`] makes at compile time; here at run time.
#[test]
fn records_that_make_no_sense_are_refused() {
    let refusals: &[(&str, fn() -> SchemeBuilder)] = &[
        ("the body must be signed, exactly once", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Body, Part::Body] })
        }),
        ("the id is not lower-case letters, digits and hyphens", || {
            Scheme::hmac_sha256("", "Example").families(const { &[Family::new("x-signature")] })
        }),
        ("a literal part is empty", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Literal(""), Part::Body] })
        }),
        ("a header's name is not lower case, or not a header's name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("X-Signature")] })
        }),
        ("a header's name is not lower case, or not a header's name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x signature")] })
        }),
        ("a signed id and the families' id headers go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_id("x-id")] })
        }),
        ("a time in a header and the families' timestamp headers go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_timestamp("x-timestamp")] })
        }),
        ("a header's name is not lower case, or not a header's name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_id("X-Id")] })
                .message(const { &[Part::Id, Part::Body] })
        }),
        ("the id is not lower-case letters, digits and hyphens", || {
            Scheme::hmac_sha256("Example", "Example")
                .families(const { &[Family::new("x-signature")] })
        }),
        ("a signed id and the families' id headers go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Id, Part::Body] })
        }),
        ("a list needs a version", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::List { separator: b' ', version: "" })
        }),
        ("the body must be signed, exactly once", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Literal("fixed")] })
        }),
        ("a sender has one or two families of headers", || {
            Scheme::hmac_sha256("example", "Example")
        }),
        ("an option of presence needs two families", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-a").with_label("a")] })
                .presence(Presence::EveryPresent { option: "headers" })
        }),
        ("families chosen by an option need labels and share no time", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-a"), Family::new("x-b")] })
                .presence(Presence::EveryPresent { option: "headers" })
        }),
        ("families that are all read cannot each have a time", || {
            Scheme::hmac_sha256("example", "Example").families(const { &[Family::new("x-a").with_label("a"), Family::new("x-b").with_label("b")] }).presence(Presence::EveryPresent { option: "headers" }).grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] }).message(const { &[Part::Timestamp, Part::Body] }).time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a key of signatures is empty or the key of the time", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["t"] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("pairs need the key of the time and a key of signatures", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &[] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a grammar of pairs and a time in it go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
        }),
        ("a prefix is a word", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Prefixed("sha256"))
        }),
        ("a prefix is a word", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Prefixed("="))
        }),
        ("a time is read if and only if it is signed", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Timestamp, Part::Body] })
        }),
        ("a sender has one or two families of headers", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-a"), Family::new("x-b"), Family::new("x-c")] })
        }),
        ("a header's name is not lower case, or not a header's name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_timestamp("X-Timestamp")] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a grammar of pairs and a time in it go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a time is read if and only if it is signed", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("families chosen by an option need labels and share no time", || {
            Scheme::hmac_sha256("example", "Example")
                .families(
                    const {
                        &[
                            Family::new("x-a").with_label("a").with_timestamp("x-at"),
                            Family::new("x-b").with_label("b").with_timestamp("x-bt"),
                        ]
                    },
                )
                .presence(Presence::EveryPresent { option: "headers" })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a time in a header and the families' timestamp headers go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a message has too many parts", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(
                    const {
                        &[
                            Part::Body,
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                        ]
                    },
                )
        }),
        ("an empty prefix refuses every secret", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .refuse_keys(const { &[""] })
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature"), Family::new("x-signature")] })
        }),
        ("a key or a version is a word of at most 16 bytes", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1=x"] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("the labels of families are unlike each other and unlike `any`", || {
            Scheme::hmac_sha256("example", "Example").families(const { &[Family::new("x-a").with_label("any"), Family::new("x-b").with_label("b")] }).presence(Presence::EveryPresent { option: "headers" })
        }),
        ("the labels of families are unlike each other and unlike `any`", || {
            Scheme::hmac_sha256("example", "Example").families(const { &[Family::new("x-a").with_label("a"), Family::new("x-b").with_label("a")] }).presence(Presence::EveryPresent { option: "headers" })
        }),
        ("the name is empty", || {
            Scheme::hmac_sha256("example", "").families(const { &[Family::new("x-signature")] })
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_timestamp("x-signature")] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a prefix is a word", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Prefixed("sha 256="))
        }),
        ("a prefix is a word", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Prefixed("a-word-that-is-too-long="))
        }),
        ("a separator cannot be told from what it separates", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b'=', time: "t", signatures: &["v1"] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a separator cannot be told from what it separates", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::List { separator: b',', version: "v1" })
        }),
        ("a key or a version is a word of at most 16 bytes", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::List { separator: b' ', version: "v1,x" })
        }),
        ("a separator", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::List { separator: b'-', version: "v1" })
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_id("x-signature")] })
                .message(&[Part::Id, Part::Body])
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-a").with_id("x-id"), Family::new("x-b").with_id("x-id")] })
                .message(&[Part::Id, Part::Body])
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(
                    const {
                        &[
                            Family::new("x-a").with_timestamp("x-t"),
                            Family::new("x-b").with_timestamp("x-t"),
                        ]
                    },
                )
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(1))
                .message(&[Part::Timestamp, Part::Body])
        }),
        ("an empty prefix refuses every secret", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .refuse_keys(&["sk_", ""])
        }),
        ("a key or a version", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t t", signatures: &["v1"] })
        }),
        ("a key or a version", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1", "v.2"] })
        }),
    ];
    for (index, (message, record)) in refusals.iter().enumerate() {
        let panic = std::panic::catch_unwind(|| record().build()).unwrap_err();
        let found = panic.downcast_ref::<&str>().copied().unwrap_or_default();
        assert!(found.contains(message), "{index}: expected `{message}`, found `{found}`");
    }
}

/// What is at the limits of these checks is allowed.
#[test]
fn records_at_the_limits_are_allowed() {
    const DOT: Part = Part::Literal(".");
    let example = || Scheme::hmac_sha256("example-1", "Example");
    let _ = example()
        .families(
            const { &[Family::new("x-a_1").with_label("a"), Family::new("x-b-2").with_label("b")] },
        )
        .presence(Presence::EveryPresent { option: "headers" })
        .build();
    let _ = example()
        .families(
            const {
                &[
                    Family::new("x-a").with_timestamp("x-at"),
                    Family::new("x-b").with_timestamp("x-bt"),
                ]
            },
        )
        .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(1))
        .message(&[Part::Timestamp, DOT, Part::Body, DOT, Part::Method, DOT, Part::Url, DOT])
        .build();
    let _ = example()
        .families(const { &[Family::new("x-a")] })
        .grammar(Grammar::Prefixed("v="))
        .refuse_keys(&["sk_", "pk_"])
        .build();
    let _ = example()
        .families(const { &[Family::new("x-a")] })
        .grammar(Grammar::Prefixed("A-word_of_16-byt="))
        .build();
    let _ = example()
        .families(const { &[Family::new("x-a")] })
        .grammar(Grammar::Pairs { separator: b';', time: "ts", signatures: &["t", "h1"] })
        .message(&[Part::Timestamp, Part::Body])
        .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(1))
        .build();
}

/// Facts given late leave what the record itself says.
#[test]
fn facts_leave_name_and_identity() {
    let mut facts = Info::new("other", "Other");
    facts.retrieved = "2026-11-30";
    let identity = Identity::new(Document::Json, const { &[Field::body("id")] });
    let record = Scheme::hmac_sha256("example", "Example")
        .families(const { &[Family::new("x-a")] })
        .identity(identity)
        .facts(facts)
        .build();
    let info = record.info();
    assert_eq!((info.id, info.name, info.retrieved), ("example", "Example", "2026-11-30"));
    assert!(info.identity.is_some());
    for sender in providers::ALL {
        assert!(!sender.info().name.is_empty() && sender.info().identity.is_some());
    }
}
