//! The result of a run, as text and as JSON.

use serde_json::{Value, json};

use crate::output::{BAD, DIM, GOOD, NAME, Screen, paint, plain};
use crate::vectors::grade::{Difference, Events, Grade, NO_REASON};
use crate::vectors::select::Case;

/// A case with what became of it.
pub(crate) struct Graded<'a> {
    pub(crate) case: Case<'a>,
    pub(crate) grade: Grade,
    /// What became of the vector's events, where it gives some and was accepted.
    pub(crate) events: Option<Events>,
}

/// The grades of a run.
pub(crate) struct Report<'a> {
    implementation: Option<String>,
    graded: Vec<Graded<'a>>,
}

/// How many of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) unsupported: usize,
    /// Among the passed ones.
    pub(crate) other_reasons: usize,
    pub(crate) events_compared: usize,
    pub(crate) events_not_told: usize,
}

impl Counts {
    pub(crate) fn of<'g, 'a: 'g>(graded: impl IntoIterator<Item = &'g Graded<'a>>) -> Self {
        let mut counts = Self::default();
        graded.into_iter().for_each(|graded| counts.add(graded));
        counts
    }

    pub(crate) fn add(&mut self, graded: &Graded<'_>) {
        match graded.grade {
            Grade::Failed(_) => self.failed += 1,
            Grade::OtherReason(_) => {
                self.passed += 1;
                self.other_reasons += 1;
            }
            Grade::Passed => self.passed += 1,
            Grade::Unsupported(_) => self.unsupported += 1,
        }
        match graded.events {
            Some(Events::Compared) => self.events_compared += 1,
            Some(Events::NotTold) => self.events_not_told += 1,
            None => {}
        }
    }

    /// The closing words. Unsupported cases are named only where there are some.
    pub(crate) fn words(self) -> String {
        let style = if self.failed == 0 { GOOD } else { BAD };
        let failed = paint(style, format_args!("{} failed", self.failed));
        let passed = format!("{} passed, {failed}", self.passed);
        match self.unsupported {
            0 => passed,
            unsupported => format!("{passed}, {unsupported} unsupported"),
        }
    }
}

impl<'a> Report<'a> {
    /// A report over graded cases; `implementation` is the name of another one than ours.
    pub(crate) const fn new(implementation: Option<String>, graded: Vec<Graded<'a>>) -> Self {
        Self { implementation, graded }
    }

    /// Whether something was run and nothing failed.
    pub(crate) fn is_good(&self) -> bool {
        let total = self.total();
        total.failed == 0 && total.passed > 0
    }

    /// The name of the implementation, ours included.
    pub(crate) fn name(&self) -> String {
        let ours = || format!("hookproof {}", env!("CARGO_PKG_VERSION"));
        self.implementation.clone().unwrap_or_else(ours)
    }

    /// Every case with its grade, in the order of the files.
    pub(crate) fn graded(&self) -> &[Graded<'a>] {
        &self.graded
    }

    /// Prints a line a provider, each failure, what is unsupported, and the closing line.
    pub(crate) fn text(&self, screen: &mut Screen) {
        if let Some(implementation) = &self.implementation {
            screen.line(paint(NAME, plain(implementation)));
        }
        let parts = self.parts();
        let width = parts.iter().map(|(provider, _)| provider.len()).max().unwrap_or_default();
        for (provider, graded) in parts {
            let counts = Counts::of(graded.iter().copied());
            screen.line(format_args!("{:<width$}  {}", plain(provider), counts.words()));
            for Graded { case, grade, .. } in &graded {
                if let Grade::Failed(Difference { expected, got, .. }) = grade {
                    let what = format!("{}: expected {expected}, got {got}", case.test.id);
                    screen.line(format_args!("  {} {}", paint(BAD, "failed"), plain(what)));
                }
            }
            for (what, ids) in alike(graded.iter().copied()) {
                let line = format!("  {} {what}: {}", ids.len(), some_of(&ids));
                screen.line(paint(DIM, plain(line)));
            }
        }
        let total = self.total();
        if total.other_reasons > 0 {
            screen.line(format_args!(
                "{} of the passed ones have another reason or none; --strict-reasons counts them as failed",
                total.other_reasons,
            ));
        }
        if total.events_not_told > 0 {
            screen.line(format_args!(
                "the events of {} accepted ones are not compared: it does not say them",
                total.events_not_told,
            ));
        }
        if total.passed + total.failed == 0 {
            screen.line("nothing was run");
        }
        screen.line(total.words());
    }

    /// The report as one object.
    pub(crate) fn json(&self) -> Value {
        let total = self.total();
        let mut object = counts(total);
        let providers: Vec<Value> = self
            .parts()
            .into_iter()
            .map(|(provider, graded)| {
                let mut object = counts(Counts::of(graded));
                insert(&mut object, "provider", provider.into());
                object
            })
            .collect();
        insert(&mut object, "implementation", self.implementation.clone().into());
        insert(&mut object, "suite", hookproof_vectors::SUITE_VERSION.into());
        insert(&mut object, "providers", providers.into());
        let differing = |wanted: fn(&Grade) -> Option<&Difference>| -> Value {
            let some = self.graded.iter().filter_map(|graded| {
                wanted(&graded.grade).map(|difference| (graded.case, difference))
            });
            some.map(|(case, Difference { point, expected, got })| {
                json!({
                    "id": case.test.id, "provider": case.file.provider, "flags": case.test.flags,
                    "expected": expected, "got": got, "differsIn": point.as_str(),
                })
            })
            .collect()
        };
        let failures =
            differing(
                |grade| if let Grade::Failed(difference) = grade { Some(difference) } else { None },
            );
        let reasons = differing(|grade| {
            if let Grade::OtherReason(difference) = grade { Some(difference) } else { None }
        });
        let unsupported = self.graded.iter().filter_map(|graded| match &graded.grade {
            Grade::Unsupported(why) => Some(json!({
                "id": graded.case.test.id, "provider": graded.case.file.provider, "why": why,
            })),
            _ => None,
        });
        insert(&mut object, "unsupported", unsupported.collect());
        insert(&mut object, "failures", failures);
        insert(&mut object, "differentReasons", reasons);
        insert(
            &mut object,
            "events",
            json!({ "compared": total.events_compared, "notTold": total.events_not_told }),
        );
        object
    }

    /// The counts over all cases.
    pub(crate) fn total(&self) -> Counts {
        Counts::of(&self.graded)
    }

    /// The grades of each provider, in the order in which the providers come.
    pub(crate) fn parts(&self) -> Vec<(&str, Vec<&Graded<'a>>)> {
        let mut parts: Vec<(&str, Vec<_>)> = Vec::new();
        for graded in &self.graded {
            let provider = graded.case.file.provider.as_str();
            match parts.iter_mut().find(|(name, _)| *name == provider) {
                Some((_, part)) => part.push(graded),
                None => parts.push((provider, vec![graded])),
            }
        }
        parts
    }
}

/// The unsupported cases of each cause, and the other reasons that are alike. A reason that was not given is only
/// counted.
pub(crate) fn alike<'g, 'a: 'g>(
    graded: impl IntoIterator<Item = &'g Graded<'a>>,
) -> Vec<(String, Vec<&'g str>)> {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for Graded { case, grade, .. } in graded {
        let (word, what) = match grade {
            Grade::OtherReason(Difference { got, .. }) if got == NO_REASON => continue,
            Grade::OtherReason(Difference { expected, got, .. }) => {
                ("other reason", format!("expected {expected}, got {got}"))
            }
            Grade::Unsupported(why) => ("unsupported", why.clone()),
            Grade::Failed(_) | Grade::Passed => continue,
        };
        let what = format!("{word}, {what}");
        match lines.iter_mut().find(|(known, _)| *known == what) {
            Some((_, ids)) => ids.push(&case.test.id),
            None => lines.push((what, vec![&case.test.id])),
        }
    }
    lines
}

/// The first few of a list of ids.
pub(crate) fn some_of(ids: &[&str]) -> String {
    const NAMED: usize = 5;
    let named: Vec<&str> = ids.iter().take(NAMED).copied().collect();
    let more = if ids.len() > NAMED { ", …" } else { "" };
    format!("{}{more}", named.join(", "))
}

fn counts(counts: Counts) -> Value {
    json!({ "passed": counts.passed, "failed": counts.failed, "skipped": counts.unsupported })
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
