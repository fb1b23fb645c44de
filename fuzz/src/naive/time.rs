//! Times by RFC 3339, counted day by day.

/// The last microsecond that the library's calendar holds as a moment, some hours before the year 10000; beyond it, a
/// date says nothing.
const LAST: i128 = 253_402_207_200_999_999;

/// The microseconds since 1970 of a time with an offset or `Z`; further digits are cut. No leap second, no blank for `T`.
pub(super) fn rfc3339_micros(text: &str) -> Option<i64> {
    let letters: Vec<char> = text.chars().collect();
    let number = |range: core::ops::Range<usize>| -> Option<i128> {
        let digits = letters.get(range)?;
        let plain = digits.iter().all(char::is_ascii_digit);
        plain.then(|| digits.iter().collect::<String>().parse().ok())?
    };
    let is = |at: usize, wanted: &str| letters.get(at).is_some_and(|own| wanted.contains(*own));
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    if !(is(4, "-") && is(7, "-") && is(10, "Tt") && is(13, ":") && is(16, ":")) {
        return None;
    }
    let in_range = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !in_range {
        return None;
    }
    let mut at = 19;
    let mut micros = 0;
    if is(at, ".") {
        let digits = letters[at + 1..].iter().take_while(|digit| digit.is_ascii_digit()).count();
        let kept: String = letters[at + 1..at + 1 + digits.min(6)].iter().collect();
        micros = format!("{kept:0<6}").parse::<i128>().ok().filter(|_| digits > 0)?;
        at += 1 + digits;
    }
    let offset = if is(at, "Zz") {
        at += 1;
        0
    } else {
        let (hours, minutes) = (number(at + 1..at + 3)?, number(at + 4..at + 6)?);
        if !is(at, "+-") || !is(at + 3, ":") || hours > 23 || minutes > 59 {
            return None;
        }
        let minutes = hours * 60 + minutes;
        let minutes = if is(at, "-") { -minutes } else { minutes };
        at += 6;
        minutes
    };
    if at != letters.len() {
        return None;
    }
    let days: i128 =
        days_before(year) + (1..month).map(|month| days_of(year, month)).sum::<i128>() + day - 1;
    let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    let micros = seconds * 1_000_000 + micros;
    (micros <= LAST).then(|| i64::try_from(micros).ok())?
}

const fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days_of(year: i128, month: i128) -> i128 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from 1970 to the start of a year.
fn days_before(year: i128) -> i128 {
    let length = |year: i128| if is_leap(year) { 366 } else { 365 };
    if year >= 1970 {
        (1970..year).map(length).sum()
    } else {
        -(year..1970).map(length).sum::<i128>()
    }
}

#[cfg(test)]
mod tests {
    use super::rfc3339_micros;

    #[test]
    fn times_are_counted() {
        assert_eq!(rfc3339_micros("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(rfc3339_micros("2023-11-14T22:13:20Z"), Some(1_700_000_000_000_000));
        assert_eq!(
            rfc3339_micros("2023-11-15t00:13:20.1234567+02:00"),
            Some(1_700_000_000_123_456)
        );
        assert_eq!(rfc3339_micros("1969-12-31T23:59:59.5-00:00"), Some(-500_000));
        assert_eq!(rfc3339_micros("2000-02-29T00:00:00Z"), Some(951_782_400_000_000));
        for bad in [
            "",
            "1900-02-29T00:00:00Z",
            "2023-11-14T22:13:60Z",
            "2023-11-14 22:13:20Z",
            "2023-11-14T22:13:20",
            "2023-11-14T22:13:20.Z",
            "2023-11-14T22:13:20+24:00",
            "2023-11-14T22:13:20Zx",
            "+023-11-14T22:13:20Z",
            "2023-00-14T22:13:20Z",
        ] {
            assert_eq!(rfc3339_micros(bad), None, "{bad}");
        }
    }
}
