//! Moments as people type and read them; inside, milliseconds since 1970.

#[cfg(feature = "inbox")]
use std::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// The system clock, read once.
pub(crate) fn system_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Reads seconds since 1970, with or without a fraction, or an RFC 3339 time. What is below a millisecond is cut off.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let moment = if number { seconds(text)? } else { rfc3339(text)? };
    u64::try_from(moment.as_millisecond()).map_err(|_| "the time is before 1970".to_owned())
}

/// A moment as RFC 3339 in UTC, or its milliseconds where it is beyond the year 9999.
pub(crate) fn show(millis: u64) -> String {
    let moment =
        i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
    moment.map_or_else(|| format!("{millis} ms after 1970"), |moment| moment.to_string())
}

/// A moment as `--now` takes it: seconds since 1970, with a fraction where there is one.
pub(crate) fn as_now(millis: u64) -> String {
    let (seconds, rest) = (millis / 1000, millis % 1000);
    if rest == 0 { seconds.to_string() } else { format!("{seconds}.{rest:03}") }
}

/// The distance between two moments, in words.
pub(crate) fn distance(from: u64, to: u64) -> String {
    let millis = from.abs_diff(to);
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..120_000 if millis.is_multiple_of(1000) => format!("{} s", millis / 1000),
        1_000..120_000 => format!("{}.{:03} s", millis / 1000, millis % 1000),
        120_000..7_200_000 => format!("{} min {} s", millis / 60_000, millis / 1000 % 60),
        7_200_000..172_800_000 => format!("{} h {} min", millis / 3_600_000, millis / 60_000 % 60),
        _ => format!("{} days", millis / 86_400_000),
    }
}

/// Reads a length of time: a whole number and its unit, `s`, `min`, `h` or `d`.
#[cfg(feature = "inbox")]
pub(crate) fn span(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, u64); 4] = [("min", 60), ("s", 1), ("h", 3600), ("d", 86_400)];
    let read = UNITS.iter().find_map(|(unit, seconds)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*seconds)
    });
    let seconds = read.filter(|_| text.starts_with(|char: char| char.is_ascii_digit()));
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| "expected a number with its unit: 90d, 36h, 30min or 60s".to_owned())
}

fn seconds(text: &str) -> Result<Timestamp, String> {
    let (whole, fraction) =
        text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || fraction.is_some_and(|part| !digits(part)) {
        return Err("expected seconds since 1970, such as 1700000000 or 1700000000.5".to_owned());
    }
    let millis = format!("{:0<3.3}", fraction.unwrap_or_default());
    let millis: i64 = format!("{whole}{millis}").parse().map_err(|_| too_late())?;
    Timestamp::from_millisecond(millis).map_err(|_| too_late())
}

fn too_late() -> String {
    "the time is beyond the year 9999; the number is in seconds, not in milliseconds".to_owned()
}

fn rfc3339(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| {
        "expected seconds since 1970 or an RFC 3339 time with Z or an offset, such as 2023-11-14T22:13:20Z".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::{as_now, distance, parse, show};

    #[test]
    fn seconds_and_rfc3339_are_read() {
        for (text, millis) in [
            ("0", 0),
            ("1700000000", 1_700_000_000_000),
            ("1700000000.5", 1_700_000_000_500),
            ("1700000000.0009", 1_700_000_000_000),
            ("1700000000.123456789", 1_700_000_000_123),
            ("2023-11-14T22:13:20Z", 1_700_000_000_000),
            ("2023-11-14T23:13:20.25+01:00", 1_700_000_000_250),
            ("2023-11-14 22:13:20z", 1_700_000_000_000),
        ] {
            assert_eq!(parse(text), Ok(millis), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_with_a_hint() {
        for (text, hint) in [
            ("", "seconds since 1970"),
            ("now", "RFC 3339"),
            ("-1", "RFC 3339"),
            ("1.2.3", "seconds since 1970"),
            (".5", "seconds since 1970"),
            ("1.", "seconds since 1970"),
            ("1e9", "RFC 3339"),
            ("1700000000000", "not in milliseconds"),
            ("99999999999999999999999", "not in milliseconds"),
            ("2023-11-14T22:13:20", "with Z or an offset"),
            ("2023-11-14", "with Z or an offset"),
            ("1969-12-31T23:59:59Z", "before 1970"),
            ("１", "RFC 3339"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(hint), "{text:?}: {message}");
        }
    }

    #[test]
    fn what_is_shown_can_be_typed_again() {
        for millis in [0, 999, 1_700_000_000_000, 1_700_000_000_050] {
            assert_eq!(parse(&show(millis)), Ok(millis));
            assert_eq!(parse(&as_now(millis)), Ok(millis));
        }
        assert_eq!(show(u64::MAX), "18446744073709551615 ms after 1970");
    }

    #[cfg(feature = "inbox")]
    #[test]
    fn spans_have_a_unit() {
        let seconds = |text| super::span(text).map(|span| span.as_secs());
        for (text, wanted) in
            [("90d", 7_776_000), ("36h", 129_600), ("30min", 1800), ("60s", 60), ("0s", 0)]
        {
            assert_eq!(seconds(text), Ok(wanted), "{text}");
        }
        for text in
            ["", "d", "90", "1.5d", "-1d", "+1d", "1 d", "1m", "1D", "99999999999999999999d"]
        {
            assert!(seconds(text).unwrap_err().contains("90d"), "{text}");
        }
        assert!(seconds("999999999999999999d").is_err(), "beyond the range");
    }

    #[test]
    fn distances_in_words() {
        assert_eq!(distance(5, 5), "0 ms");
        assert_eq!(distance(1_000, 13_000), "12 s");
        assert_eq!(distance(13_500, 1_000), "12.500 s");
        assert_eq!(distance(0, 301_000), "5 min 1 s");
        assert_eq!(distance(0, 10_800_000), "3 h 0 min");
        assert_eq!(distance(0, u64::MAX), "213503982334 days");
    }
}
