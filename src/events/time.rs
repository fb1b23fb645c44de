//! Times by RFC 3339, in microseconds.

/// The microseconds since 1970 of a time by RFC 3339; further digits are cut. Leap seconds, a blank in place of the `T`
/// and times without an offset are refused.
pub(super) fn rfc3339_micros(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked("0000-00-00T00:00:00".len())?;
    let shape = |byte: u8, wanted: u8| match wanted {
        b'0' => byte.is_ascii_digit(),
        b'T' => byte.eq_ignore_ascii_case(&b'T'),
        _ => byte == wanted,
    };
    let fits = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text.bytes().zip(pattern.bytes()).all(|(byte, wanted)| shape(byte, wanted))
    };
    if !fits(date, "0000-00-00T00:00:00") || date.ends_with("60") {
        return None;
    }
    let (fraction, offset) = match rest.strip_prefix('.') {
        Some(rest) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (fraction, offset) = rest.split_at_checked(digits)?;
            if fraction.is_empty() {
                return None;
            }
            (fraction.get(..6).unwrap_or(fraction), offset)
        }
        None => ("0", rest),
    };
    // The library takes more hours than there are in a day.
    let hours = offset.get(1..3).is_some_and(|hours| hours < "24");
    let numeric = (fits(offset, "+00:00") || fits(offset, "-00:00")) && hours;
    let offset_fits = offset.eq_ignore_ascii_case("z") || numeric;
    let time: jiff::Timestamp =
        offset_fits.then(|| format!("{date}.{fraction}{offset}"))?.parse().ok()?;
    Some(time.as_microsecond())
}

#[cfg(test)]
mod tests {
    use super::rfc3339_micros;

    #[test]
    fn times_are_read_to_the_microsecond() {
        assert_eq!(rfc3339_micros("2023-11-14T22:13:20Z"), Some(1_700_000_000_000_000));
        assert_eq!(rfc3339_micros("2023-11-14T22:13:20.1234567899Z"), Some(1_700_000_000_123_456));
        assert_eq!(rfc3339_micros("2023-11-15T00:13:20.5+02:00"), Some(1_700_000_000_500_000));
        assert_eq!(rfc3339_micros("1969-12-31t23:59:59.000001z"), Some(-999_999));
        for bad in [
            "",
            "2023-11-14",
            "2023-11-14T22:13:20",
            "2023-11-14 22:13:20Z",
            "2023-11-14T22:13:60Z",
            "2023-02-29T00:00:00Z",
            "2023-11-14T22:13:20.Z",
            "2023-11-14T22:13:20+0200",
            "2023-11-14T22:13:20Z[UTC]",
            "+2023-11-14T22:13:20Z",
            "2023-11-14T22:13:20.5+24:00",
            "2023-11-14T22:13:20.5+23:60",
            "2023-11-14T22:13:20+02:00x",
            "２023-11-14T22:13:20Z",
        ] {
            assert_eq!(rfc3339_micros(bad), None, "{bad}");
        }
    }
}
