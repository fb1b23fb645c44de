#![doc = include_str!("metrics.md")]

use core::time::Duration;

use ::metrics::{SharedString, Unit, counter, describe_counter, describe_histogram, histogram};

use super::report::Report;

/// The counter of deliveries that were judged.
pub const DELIVERIES: &str = "hookproof_deliveries_total";

/// The counter of accepted deliveries that a previous key had signed.
pub const PREVIOUS_KEY: &str = "hookproof_previous_key_total";

/// The counter of accepted deliveries that the sender had tried before.
pub const RETRIES: &str = "hookproof_retries_total";

/// The histogram of ages, in seconds.
pub const AGE: &str = "hookproof_delivery_age_seconds";

/// Tells the installed recorder what the metrics mean, for exporters that show it. Call it once, after the recorder is installed;
/// without it everything is counted all the same.
pub fn describe() {
    describe_counter!(DELIVERIES, Unit::Count, "deliveries that were judged, by verdict");
    describe_counter!(
        PREVIOUS_KEY,
        Unit::Count,
        "accepted deliveries that a previous key had signed"
    );
    describe_counter!(RETRIES, Unit::Count, "accepted deliveries that the sender had tried before");
    describe_histogram!(AGE, Unit::Seconds, "how long before the verdict the sender signed");
}

/// Counts a report.
pub(super) fn count(report: &Report<'_>) {
    let provider = report.provider;
    let endpoint = SharedString::from(report.endpoint.unwrap_or_default().to_owned());
    let mode = if report.shadow { "shadow" } else { "enforced" };
    let verdict = report.word();
    counter!(
        DELIVERIES,
        "provider" => provider, "endpoint" => endpoint.clone(), "mode" => mode, "verdict" => verdict
    )
    .increment(1);
    if let Some(age) = report.age_millis() {
        let seconds = Duration::from_millis(age.unsigned_abs()).as_secs_f64();
        histogram!(
            AGE,
            "provider" => provider, "endpoint" => endpoint.clone(), "mode" => mode, "verdict" => verdict
        )
        .record(if age < 0 { -seconds } else { seconds });
    }
    let Ok(accepted) = report.verdict else { return };
    if let Some(key) = previous(accepted.key) {
        counter!(
            PREVIOUS_KEY,
            "provider" => provider, "endpoint" => endpoint.clone(), "mode" => mode, "key" => key
        )
        .increment(1);
    }
    if let Some(attempt) = accepted.attempt.and_then(repeated) {
        counter!(
            RETRIES,
            "provider" => provider, "endpoint" => endpoint, "mode" => mode, "attempt" => attempt
        )
        .increment(1);
    }
}

/// Counts a request for which there is no endpoint.
#[cfg(feature = "_read")]
pub(super) fn count_no_endpoint() {
    counter!(
        DELIVERIES,
        "provider" => "", "endpoint" => "", "mode" => "enforced", "verdict" => "no-endpoint"
    )
    .increment(1);
}

const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// The index of a previous key. A verifier has at most eight.
fn previous(key: usize) -> Option<&'static str> {
    DIGITS.get(key).copied().filter(|_| key > 0)
}

/// The number of an attempt that is not the first.
fn repeated(attempt: u64) -> Option<&'static str> {
    let digit = || usize::try_from(attempt).ok().and_then(|attempt| DIGITS.get(attempt).copied());
    (attempt > 0).then(|| digit().unwrap_or("10+"))
}
