//! Tables of legal transitions, as const data.

/// A phase of a stream, and where it may go from there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Phase {
    /// The name, as it is stored.
    pub name: &'static str,
    /// The kinds of events that tell of it.
    pub kinds: &'static [&'static str],
    /// The phases to which it may go; none if it is final. Staying is always legal.
    pub next: &'static [&'static str],
}

impl Phase {
    /// A phase of this name, told of by events of these kinds, that may go to these.
    #[must_use]
    pub const fn new(
        name: &'static str,
        kinds: &'static [&'static str],
        next: &'static [&'static str],
    ) -> Self {
        Self { name, kinds, next }
    }

    /// Whether nothing ever leaves the phase.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        self.next.is_empty()
    }
}

/// A table of legal transitions.
///
/// A table that names a phase in `next` which it does not have, or has a phase or kind twice, does not compile as a
/// constant.
///
/// ```
/// use hookproof_inbox::{Phase, Transitions};
/// static SHIPMENT: Transitions = Transitions::new("shipment", &[
///     Phase::new("packed", &["shipment.packed"], &["sent"]),
///     Phase::new("sent", &["shipment.sent"], &["delivered", "lost"]),
///     Phase::new("delivered", &["shipment.delivered"], &[]),
///     Phase::new("lost", &["shipment.lost"], &["delivered"]),
/// ]);
/// assert!(SHIPMENT.allows("lost", "delivered"));
/// assert!(!SHIPMENT.allows("delivered", "lost"));
/// assert_eq!(SHIPMENT.phase_of("shipment.sent").map(|phase| phase.name), Some("sent"));
/// ```
///
/// ```compile_fail
/// use hookproof_inbox::{Phase, Transitions};
/// const BROKEN: Transitions = Transitions::new("x", &[Phase::new("a", &[], &["b"])]);
/// let _ = BROKEN;
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Transitions {
    name: &'static str,
    phases: &'static [Phase],
}

impl Transitions {
    /// A table of these phases.
    ///
    /// # Panics
    ///
    /// If a phase may go to one that is not in the table, or a phase or kind is there twice. A constant then does not
    /// compile.
    #[must_use]
    pub const fn new(name: &'static str, phases: &'static [Phase]) -> Self {
        let mut rest = phases;
        while let [phase, others @ ..] = rest {
            assert!(!has_phase(others, phase.name), "a phase is there twice");
            let mut kinds = phase.kinds;
            while let [kind, more @ ..] = kinds {
                assert!(!has(more, kind) && !has_kind(others, kind), "a kind is there twice");
                kinds = more;
            }
            let mut next = phase.next;
            while let [to, more @ ..] = next {
                assert!(has_phase(phases, to), "a phase goes to one that is not in the table");
                next = more;
            }
            rest = others;
        }
        Self { name, phases }
    }

    /// The name of the table.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The phases.
    #[must_use]
    pub const fn phases(&self) -> &'static [Phase] {
        self.phases
    }

    /// The phase of this name.
    #[must_use]
    pub fn phase(&self, name: &str) -> Option<&'static Phase> {
        self.phases.iter().find(|phase| phase.name == name)
    }

    /// The phase that events of this kind tell of.
    #[must_use]
    pub fn phase_of(&self, kind: &str) -> Option<&'static Phase> {
        self.phases.iter().find(|phase| phase.kinds.contains(&kind))
    }

    /// Whether a stream may go from one phase to the other. Staying is no transition.
    #[must_use]
    pub fn allows(&self, from: &str, to: &str) -> bool {
        self.phase(from).is_some_and(|phase| phase.next.contains(&to))
    }
}

const fn has_phase(phases: &[Phase], name: &str) -> bool {
    let mut rest = phases;
    while let [phase, others @ ..] = rest {
        if equal(phase.name, name) {
            return true;
        }
        rest = others;
    }
    false
}

const fn has_kind(phases: &[Phase], kind: &str) -> bool {
    let mut rest = phases;
    while let [phase, others @ ..] = rest {
        if has(phase.kinds, kind) {
            return true;
        }
        rest = others;
    }
    false
}

const fn has(words: &[&str], word: &str) -> bool {
    let mut rest = words;
    while let [own, others @ ..] = rest {
        if equal(own, word) {
            return true;
        }
        rest = others;
    }
    false
}

const fn equal(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    while let ([a, more_left @ ..], [b, more_right @ ..]) = (left, right) {
        if *a != *b {
            return false;
        }
        (left, right) = (more_left, more_right);
    }
    left.is_empty() && right.is_empty()
}
