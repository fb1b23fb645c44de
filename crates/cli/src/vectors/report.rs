//! The result of a run, as text and as JSON.

use serde_json::{Value, json};

use crate::output::{BAD, DIM, GOOD, NAME, Screen, paint, plain};
use crate::vectors::grade::{Difference, Grade, NO_REASON};
use crate::vectors::select::Case;

/// The grades of a run.
pub(crate) struct Report<'a> {
    implementation: Option<String>,
    grades: Vec<(Case<'a>, Grade)>,
}

/// How many of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
    other_reasons: usize,
}

impl Counts {
    fn add(&mut self, grade: &Grade) {
        match grade {
            Grade::Failed(_) => self.failed += 1,
            Grade::OtherReason(_) => {
                self.passed += 1;
                self.other_reasons += 1;
            }
            Grade::Passed => self.passed += 1,
            Grade::Skipped(_) => self.skipped += 1,
        }
    }

    fn of<'g>(grades: impl IntoIterator<Item = &'g Grade>) -> Self {
        let mut counts = Self::default();
        grades.into_iter().for_each(|grade| counts.add(grade));
        counts
    }

    /// The closing words. Skipped cases are named only where there are some.
    fn words(self) -> String {
        let style = if self.failed == 0 { GOOD } else { BAD };
        let passed = format!(
            "{} passed, {}",
            self.passed,
            paint(style, format_args!("{} failed", self.failed))
        );
        if self.skipped == 0 { passed } else { format!("{passed}, {} skipped", self.skipped) }
    }
}

impl<'a> Report<'a> {
    /// A report over graded cases; `implementation` is the name of another one than ours.
    pub(crate) const fn new(
        implementation: Option<String>,
        grades: Vec<(Case<'a>, Grade)>,
    ) -> Self {
        Self { implementation, grades }
    }

    /// Whether something was run and nothing failed.
    pub(crate) fn is_good(&self) -> bool {
        let total = self.total();
        total.failed == 0 && total.passed > 0
    }

    /// Prints a line a provider, each failure and each skipped case, and the closing line.
    pub(crate) fn text(&self, screen: &mut Screen) {
        if let Some(implementation) = &self.implementation {
            screen.line(paint(NAME, plain(implementation)));
        }
        let parts = self.parts();
        let width = parts.iter().map(|(provider, _)| provider.len()).max().unwrap_or_default();
        for (provider, grades) in parts {
            let counts = Counts::of(grades.iter().map(|(_, grade)| grade));
            screen.line(format_args!("{:<width$}  {}", plain(provider), counts.words()));
            for (case, grade) in &grades {
                if let Grade::Failed(Difference { expected, got }) = grade {
                    let what = format!("{}: expected {expected}, got {got}", case.test.id);
                    screen.line(format_args!("  {} {}", paint(BAD, "failed"), plain(what)));
                }
            }
            for line in alike(&grades) {
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
            .map(|(provider, grades)| {
                let mut object = counts(Counts::of(grades.iter().map(|(_, grade)| grade)));
                insert(&mut object, "provider", provider.into());
                object
            })
            .collect();
        insert(&mut object, "implementation", self.implementation.clone().into());
        insert(&mut object, "suite", hookproof_vectors::SUITE_VERSION.into());
        insert(&mut object, "providers", providers.into());
        let differing = |wanted: fn(&Grade) -> Option<&Difference>| -> Value {
            let some = self
                .grades
                .iter()
                .filter_map(|(case, grade)| wanted(grade).map(|difference| (case, difference)));
            some.map(|(case, Difference { expected, got })| {
                json!({ "id": case.test.id, "provider": case.file.provider, "flags": case.test.flags, "expected": expected, "got": got })
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
        let skipped = self.grades.iter().filter_map(|(case, grade)| match grade {
            Grade::Skipped(why) => {
                Some(json!({ "id": case.test.id, "provider": case.file.provider, "why": why }))
            }
            _ => None,
        });
        insert(&mut object, "unsupported", skipped.collect());
        insert(&mut object, "failures", failures);
        insert(&mut object, "differentReasons", reasons);
        object
    }

    fn total(&self) -> Counts {
        Counts::of(self.grades.iter().map(|(_, grade)| grade))
    }

    /// The grades of each provider, in the order in which the providers come.
    fn parts(&self) -> Vec<(&str, Vec<&(Case<'a>, Grade)>)> {
        let mut parts: Vec<(&str, Vec<_>)> = Vec::new();
        for graded in &self.grades {
            let provider = graded.0.file.provider.as_str();
            match parts.iter_mut().find(|(name, _)| *name == provider) {
                Some((_, grades)) => grades.push(graded),
                None => parts.push((provider, vec![graded])),
            }
        }
        parts
    }
}

/// A line for all skipped cases with one cause, and for all other reasons that are alike. A reason that was not given
/// is only counted.
fn alike(grades: &[&(Case<'_>, Grade)]) -> Vec<String> {
    const NAMED: usize = 5;
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for (case, grade) in grades {
        let (word, what) = match grade {
            Grade::OtherReason(Difference { got, .. }) if got == NO_REASON => continue,
            Grade::OtherReason(Difference { expected, got }) => {
                ("other reason", format!("expected {expected}, got {got}"))
            }
            Grade::Skipped(why) => ("skipped", why.clone()),
            Grade::Failed(_) | Grade::Passed => continue,
        };
        let what = format!("{word}, {what}");
        match lines.iter_mut().find(|(known, _)| *known == what) {
            Some((_, ids)) => ids.push(&case.test.id),
            None => lines.push((what, vec![&case.test.id])),
        }
    }
    let line = |(what, ids): (String, Vec<&str>)| {
        let named: Vec<&str> = ids.iter().take(NAMED).copied().collect();
        let more = if ids.len() > NAMED { ", …" } else { "" };
        format!("  {} {what}: {}{more}", ids.len(), named.join(", "))
    };
    lines.into_iter().map(line).collect()
}

fn counts(counts: Counts) -> Value {
    json!({ "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped })
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
