use super::*;

fn run(table: &'static Transitions, kinds: &[&str]) -> (Vec<Advance>, Standing) {
    let mut stored: Option<Standing> = None;
    let answers = kinds
        .iter()
        .map(|kind| {
            let decision = Step::kind(table, kind).unwrap().decide(stored.as_ref());
            stored = decision.write.or_else(|| stored.take());
            decision.advance
        })
        .collect();
    (answers, stored.unwrap())
}

fn ends(table: &'static Transitions, kinds: &[&str]) -> String {
    run(table, kinds).1.phase.unwrap().into()
}

#[test]
fn versions_compare_by_the_coarser_grain() {
    assert_eq!(Version::millis(1_999).compare(Version::secs(1)), Ordering::Equal);
    assert_eq!(Version::secs(1).compare(Version::micros(1_999_999)), Ordering::Equal);
    assert_eq!(Version::micros(999_999).compare(Version::secs(1)), Ordering::Less);
    assert_eq!(Version::millis(2).compare(Version::millis(1)), Ordering::Greater);
    assert_eq!(Version::secs(i64::MAX).compare(Version::micros(i64::MAX)), Ordering::Greater);
    assert_eq!(Version::secs(i64::MIN).compare(Version::micros(i64::MIN)), Ordering::Less);
    assert_eq!(Version::millis(-1).compare(Version::secs(-1)), Ordering::Equal);
    let version = Version::millis(7);
    assert_eq!(Version::from_parts(7, version.unit().as_str()), Some(version));
    assert_eq!(Version::from_parts(7, "h"), None);
    for (version, unit, micros, text) in [
        (Version::secs(7), OrderUnit::Seconds, 7_000_000, "7 s"),
        (Version::millis(-7), OrderUnit::Millis, -7_000, "-7 ms"),
        (Version::micros(7), OrderUnit::Micros, 7, "7 us"),
    ] {
        assert_eq!((version.unit(), version.as_micros()), (unit, micros));
        assert_eq!(version.to_string(), text);
        assert_eq!(Version::from_parts(version.value(), unit.as_str()), Some(version));
    }
    assert_eq!((Version::secs(7).value(), Version::millis(-7).value()), (7, -7));
    // Within one unit nothing is rounded.
    assert_eq!(Version::micros(1_500).compare(Version::micros(1_499)), Ordering::Greater);
    assert_eq!(Version::millis(1_500).compare(Version::micros(1_500_999)), Ordering::Equal);
}

#[test]
fn the_guard_refuses_older_versions_only() {
    let first = Step::version(Version::secs(5)).decide(None);
    assert_eq!(first.advance, Advance::Advanced { from: None });
    let stored = first.write.unwrap();
    let older = Step::version(Version::secs(4)).decide(Some(&stored));
    assert_eq!(older.advance, Advance::Stale { current: Version::secs(5) });
    assert_eq!(older.write, None);
    let same = Step::version(Version::secs(5)).decide(Some(&stored));
    assert!(same.advance == Advance::Same && same.advance.applies());
    let newer = Step::version(Version::secs(6)).decide(Some(&stored));
    assert_eq!(newer.write.unwrap().version, Some(Version::secs(6)));
}

#[test]
fn paymos_invoices() {
    let invoice = |kinds: &[&str]| ends(&PAYMOS_INVOICE, kinds);
    assert_eq!(invoice(&["invoice.confirming", "invoice.paid"]), "paid");
    assert_eq!(invoice(&["invoice.paid", "invoice.confirming"]), "paid");
    assert_eq!(invoice(&["invoice.confirming", "invoice.awaiting_payment"]), "awaiting_payment");
    let (answers, stored) = run(
        &PAYMOS_INVOICE,
        &["invoice.paid", "invoice.paid", "invoice.awaiting_payment", "invoice.paid_over"],
    );
    assert_eq!(stored.phase.as_deref(), Some("paid"));
    assert_eq!(answers[1], Advance::Same);
    assert!(matches!(answers[2], Advance::Refused { is_final: true, .. }));
    assert!(matches!(answers[3], Advance::Refused { to: "paid_over", .. }));
}

#[test]
fn paymos_withdrawals_and_deposits() {
    let kinds = ["withdrawal.processing", "withdrawal.created", "withdrawal.completed"];
    assert_eq!(ends(&PAYMOS_WITHDRAWAL, &kinds), "completed");
    let (answers, _) = run(&PAYMOS_WITHDRAWAL, &kinds);
    assert!(
        matches!(&answers[1], Advance::Refused { from, to: "created", is_final: false } if &**from == "processing")
    );
    let deposit = |last: &[&str]| {
        let kinds: Vec<String> =
            last.iter().map(|word| format!("payment_channel.deposit.{word}")).collect();
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        ends(&PAYMOS_DEPOSIT, &kinds)
    };
    assert_eq!(deposit(&["confirming", "reorged", "confirmed"]), "confirmed");
    assert_eq!(deposit(&["confirmed", "reorged", "confirming"]), "confirmed");
    assert_eq!(deposit(&["reorged", "confirming"]), "confirming");
}

#[test]
fn bookings_never_come_back() {
    assert_eq!(ends(&CALENDLY_INVITEE, &["invitee.canceled", "invitee.created"]), "cancelled");
    assert_eq!(ends(&CALENDLY_INVITEE, &["invitee.created", "invitee.canceled"]), "cancelled");
    let booking = |kinds: &[&str]| ends(&CALCOM_BOOKING, kinds);
    assert_eq!(booking(&["BOOKING_REQUESTED", "BOOKING_CREATED"]), "accepted");
    assert_eq!(booking(&["BOOKING_CREATED", "BOOKING_REQUESTED"]), "accepted");
    assert_eq!(
        booking(&["BOOKING_CANCELLED", "BOOKING_RESCHEDULED", "BOOKING_CREATED"]),
        "cancelled"
    );
    assert_eq!(booking(&["BOOKING_REQUESTED", "BOOKING_REJECTED", "BOOKING_CREATED"]), "rejected");
    assert!(Step::kind(&CALCOM_BOOKING, "MEETING_ENDED").is_none());
}

#[test]
fn a_table_decides_before_a_version() {
    let step =
        |kind, secs| Step::kind(&PAYMOS_INVOICE, kind).unwrap().and_version(Version::secs(secs));
    let paid = step("invoice.paid", 10).decide(None).write.unwrap();
    let late = step("invoice.confirming", 11).decide(Some(&paid)).advance;
    assert!(matches!(late, Advance::Refused { .. }), "newer, but final");
    let again = step("invoice.paid", 11).decide(Some(&paid));
    assert_eq!(again.write.unwrap().version, Some(Version::secs(11)));
    let confirming = step("invoice.confirming", 10).decide(None).write.unwrap();
    let older = step("invoice.awaiting_payment", 9).decide(Some(&confirming)).advance;
    assert_eq!(older, Advance::Stale { current: Version::secs(10) });
    let tie = step("invoice.awaiting_payment", 10).decide(Some(&confirming));
    assert!(
        matches!(tie.advance, Advance::Advanced { .. }),
        "a tie is legal if the table allows it"
    );
    assert_eq!(tie.write.unwrap().version, Some(Version::secs(10)));
}

#[test]
fn steps_may_be_mixed() {
    let versioned = Step::version(Version::secs(1)).decide(None).write.unwrap();
    let phased = Step::phase(&CALENDLY_INVITEE, "active").unwrap().decide(Some(&versioned));
    let stored = phased.write.unwrap();
    assert_eq!((stored.version, stored.phase.as_deref()), (Some(Version::secs(1)), Some("active")));
    let kept = Step::version(Version::secs(2)).decide(Some(&stored)).write.unwrap();
    assert_eq!(kept.phase.as_deref(), Some("active"));
    let unknown = Standing::new(None, Some("of another table".into()));
    let refused = Step::phase(&CALENDLY_INVITEE, "active").unwrap().decide(Some(&unknown)).advance;
    assert!(matches!(refused, Advance::Refused { is_final: true, .. }));
}

#[test]
fn final_phases_are_never_left() {
    for table in TABLES {
        for first in table.phases() {
            for second in table.phases() {
                let stored = Step::phase(table, first.name).unwrap().decide(None).write.unwrap();
                let decision = Step::phase(table, second.name).unwrap().decide(Some(&stored));
                let moved = matches!(decision.advance, Advance::Advanced { .. });
                assert_eq!(
                    moved,
                    first.next.contains(&second.name),
                    "{} {}",
                    first.name,
                    second.name
                );
                assert!(!(first.is_final() && moved));
            }
        }
    }
}

#[test]
fn streams_are_named() {
    assert!(StreamId::new("", "a").is_err());
    assert!(StreamId::new("a", "").is_err());
    assert!(StreamId::new("a", "b\0").is_err());
    assert!(StreamId::new("a", &"b".repeat(2000)).unwrap().name().starts_with("sha256:"));
    assert!(StreamId::new(&"s".repeat(256), "a").is_ok());
    assert!(StreamId::new(&"s".repeat(257), "a").is_err());
    assert!(StreamId::new("a\0", "b").is_err());
    let stream = StreamId::new("paymos/live", "inv_1").unwrap();
    assert_eq!((stream.scope(), stream.name()), ("paymos/live", "inv_1"));
    assert_eq!(stream.to_string(), "paymos/live inv_1");
}

#[test]
fn a_refusal_is_a_sentence() {
    let stream = StreamId::new("paymos", "inv_1").unwrap();
    let refused = |kinds: &[&str]| {
        let (answers, _) = run(&PAYMOS_WITHDRAWAL, kinds);
        answers.last().unwrap().refusal(&stream).map(|refusal| refusal.to_string())
    };
    assert_eq!(refused(&["withdrawal.created"]), None);
    assert_eq!(
        refused(&["withdrawal.completed", "withdrawal.created"]).as_deref(),
        Some(
            "refused: paymos inv_1 is completed, which is final, and stays so instead of becoming created"
        )
    );
    assert_eq!(
        refused(&["withdrawal.processing", "withdrawal.created"]).as_deref(),
        Some("refused: paymos inv_1 is processing and stays so instead of becoming created")
    );
}

#[test]
fn tables_have_names_and_phases() {
    static TABLE: Transitions = Transitions::new(
        "table",
        &[Phase::new("a", &["x", "y"], &["ab"]), Phase::new("ab", &["xy"], &[])],
    );
    assert_eq!((TABLE.name(), TABLE.phases().len()), ("table", 2));
    assert_eq!(TABLE.phase("ab").map(|phase| phase.kinds), Some(&["xy"][..]));
    assert_eq!(TABLE.phase_of("y").map(|phase| phase.name), Some("a"));
    assert!(TABLE.phase("b").is_none() && TABLE.phase_of("a").is_none());
    assert!(TABLE.allows("a", "ab") && !TABLE.allows("ab", "a") && !TABLE.allows("a", "a"));
}

/// What does not compile as a constant, at run time.
#[test]
fn tables_that_make_no_sense_are_refused() {
    type Make = fn() -> Transitions;
    let tables: [(&str, Make); 6] = [
        ("a phase is there twice", || {
            Transitions::new("t", const { &[Phase::new("a", &[], &[]), Phase::new("a", &[], &[])] })
        }),
        ("a phase is there twice", || {
            const PHASES: &[Phase] =
                &[Phase::new("a", &[], &[]), Phase::new("b", &[], &[]), Phase::new("a", &[], &[])];
            Transitions::new("t", PHASES)
        }),
        ("a kind is there twice", || {
            Transitions::new("t", const { &[Phase::new("a", &["x", "y", "x"], &[])] })
        }),
        ("a kind is there twice", || {
            const PHASES: &[Phase] = &[
                Phase::new("a", &["x"], &[]),
                Phase::new("b", &[], &[]),
                Phase::new("c", &["y", "x"], &[]),
            ];
            Transitions::new("t", PHASES)
        }),
        ("goes to one that is not in the table", || {
            Transitions::new("t", const { &[Phase::new("a", &[], &["ab"])] })
        }),
        ("goes to one that is not in the table", || {
            Transitions::new("t", const { &[Phase::new("ab", &[], &["ab", "a"])] })
        }),
    ];
    for (index, (message, make)) in tables.iter().enumerate() {
        let panic = std::panic::catch_unwind(make).unwrap_err();
        let found = panic.downcast_ref::<&str>().copied().unwrap_or_default();
        assert!(found.contains(message), "{index}: {found}");
    }
}
