//! The result of a run as JUnit XML: a test suite for each sender, a test case for each vector.

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use crate::failure::Failure;
use crate::output::plain;
use crate::vectors::grade::{Difference, Grade, NO_REASON, Point};
use crate::vectors::report::{Graded, Report};

/// The document. Cases that are unsupported are skipped ones, answers that cannot be read are errors.
pub(crate) fn text(report: &Report<'_>) -> Result<String, Failure> {
    let mut document = Document::new(report.name());
    for (provider, graded) in report.parts() {
        let mut suite = TestSuite::new(provider);
        suite.add_property(("implementation", plain(report.name()).as_str()));
        suite.add_property(("suite", hookproof_vectors::SUITE_VERSION));
        suite.add_test_cases(graded.into_iter().map(|graded| case(provider, graded)));
        document.add_test_suite(suite);
    }
    document.to_string().map_err(|error| Failure::new(format!("the JUnit report: {error}")))
}

fn case(provider: &str, Graded { case, grade, .. }: &Graded<'_>) -> TestCase {
    let told = |difference: &Difference| {
        plain(format_args!("expected {}, got {}", difference.expected, difference.got))
    };
    let status = match grade {
        Grade::Failed(difference) => {
            let kind = if difference.point == Point::Error {
                NonSuccessKind::Error
            } else {
                NonSuccessKind::Failure
            };
            let mut status = TestCaseStatus::non_success(kind);
            status.set_type(difference.point.as_str()).set_message(told(difference));
            status.set_description(format!("{}\n{}", case.test.comment, case.test.flags.join(" ")));
            status
        }
        Grade::OtherReason(_) | Grade::Passed => TestCaseStatus::success(),
        Grade::Unsupported(why) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(plain(why));
            status
        }
    };
    let mut written = TestCase::new(case.test.id.as_str(), status);
    written.set_classname(provider);
    if let Grade::OtherReason(difference) = grade
        && difference.got != NO_REASON
    {
        written.set_system_out(told(difference));
    }
    written
}
