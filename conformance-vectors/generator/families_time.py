"""Signed times: the limits on both sides, spellings, overflow."""

import model

# name, words, spelling in seconds, spelling in milliseconds, the number that a lenient parser makes of it
SPELLINGS = [
    ("plus", "a plus sign", "+1700000000", "+1700000000000", 0),
    ("minus", "a minus sign", "-1700000000", "-1700000000000", None),
    ("leading-zero", "a leading zero", "01700000000", "01700000000000", 0),
    ("leading-zeros", "three leading zeros", "0001700000000", "0001700000000000", 0),
    ("fraction", "a fraction", "1700000000.5", "1700000000000.5", 0),
    ("fraction-zero", "a fraction of zero", "1700000000.0", "1700000000000.0", 0),
    ("comma-fraction", "a fraction with another mark", "1700000000;5", "1700000000000;5", None),
    ("exponent", "an exponent", "17e8", "17e11", 0),
    ("hexadecimal", "hexadecimal digits", "0x6553f100", "0x18bcfe56800", 0),
    ("underscore", "marks between the digits", "1_700_000_000", "1_700_000_000_000", 0),
    ("letters-after", "letters after the digits", "1700000000abc", "1700000000000abc", 0),
    ("letters-before", "letters before the digits", "x1700000000", "x1700000000000", None),
    ("space-inside", "a space inside", "17000 00000", "17000 00000000", None),
    ("word", "a word", "now", "now", None),
    ("nan", "NaN", "NaN", "NaN", None),
    ("infinity", "Infinity", "Infinity", "Infinity", None),
    ("minus-infinity", "minus infinity", "-Infinity", "-Infinity", None),
    ("null-word", "null", "null", "null", None),
    ("true-word", "true", "true", "true", None),
    ("date", "a date", "2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z", None),
    ("minus-one", "minus one", "-1", "-1", None),
    ("double-zero", "two zeros", "00", "00", None),
    ("quoted", "quotation marks", '"1700000000"', '"1700000000000"', None),
    ("arabic-digits", "Arabic digits", "١٧٠٠٠٠٠٠٠٠", "١٧٠٠٠٠٠٠٠٠٠٠٠", 0),
    ("fullwidth-digits", "digits of full width", "１７００００００００", "１７０００００００００００", 0),
    ("superscript", "a superscript digit", "170000000²", "170000000000²", None),
]

# label, text, words; 20 digits and more are not a time
_OVERFLOWS = [
    ("i32-max", "2147483647", "2^31 - 1"),
    ("i32-over", "2147483648", "2^31"),
    ("u32-max", "4294967295", "2^32 - 1"),
    ("u32-over", "4294967296", "2^32"),
    ("u32-wrapped", "5994967296", "2^32 and the clock in seconds"),
    ("double-over", "9007199254740993", "2^53 + 1"),
    ("i64-max", "9223372036854775807", "2^63 - 1"),
    ("i64-over", "9223372036854775808", "2^63"),
    ("19-nines", "9999999999999999999", "19 nines, the most that a time may have"),
    ("20-digits", "10000000000000000000", "20 digits"),
    ("u64-max", "18446744073709551615", "2^64 - 1"),
    ("u64-wrapped", "18446744075409551616", "2^64 and the clock in seconds"),
    ("31-digits", "1" + "0" * 30, "31 digits"),
    ("400-digits", "9" * 400, "400 digits, more than a double can hold"),
]


def time_family(bench):
    s = bench.sender
    if s.unit is None:
        return
    _limits(bench)
    _clock(bench)
    _tolerances(bench)
    _spellings(bench)
    _overflow(bench)
    _tampered(bench)


def _limits(bench):
    s = bench.sender
    edge = s.seconds(s.tolerance)
    unit = "second" if s.unit == "s" else "millisecond"
    for name, words, offset, flags, reason in [
        ("old-1", "one %s old" % unit, -1, ["Basic"], None),
        ("new-1", "one %s ahead" % unit, 1, ["Basic"], None),
        ("old-inside", "exactly %d seconds old" % s.tolerance, -edge, ["BoundaryInside"], None),
        ("new-inside", "exactly %d seconds ahead" % s.tolerance, edge, ["BoundaryInside"], None),
        ("old-nearly", "one %s inside the limit, old" % unit, 1 - edge, ["BoundaryInside"], None),
        ("new-nearly", "one %s inside the limit, ahead" % unit, edge - 1, ["BoundaryInside"], None),
        (
            "old-outside",
            "one %s beyond the limit, old" % unit,
            -edge - 1,
            ["BoundaryOutside", "Stale"],
            "timestamp-too-old",
        ),
        (
            "new-outside",
            "one %s beyond the limit, ahead" % unit,
            edge + 1,
            ["BoundaryOutside", "Future"],
            "timestamp-in-future",
        ),
        ("old-hour", "an hour old", -s.seconds(3600), ["Stale"], "timestamp-too-old"),
        ("old-year", "a year old", -s.seconds(31536000), ["Stale"], "timestamp-too-old"),
        ("new-hour", "an hour ahead", s.seconds(3600), ["Future"], "timestamp-in-future"),
        ("new-year", "a year ahead", s.seconds(31536000), ["Future"], "timestamp-in-future"),
        ("new-century", "a hundred years ahead", s.seconds(3155760000), ["Future"], "timestamp-in-future"),
    ]:
        bench.test("time-" + name, "A genuine delivery %s." % words, flags, time=s.time(offset), reason=reason)
    bench.test(
        "time-zero",
        "A genuine delivery of the year 1970: the time is 0.",
        "Stale",
        time="0",
        reason="timestamp-too-old",
    )
    bench.test("time-one", "The time is 1.", "Stale", time="1", reason="timestamp-too-old")
    if s.unit == "s":
        bench.test(
            "time-milliseconds",
            "Milliseconds where seconds are due.",
            ["TimestampUnit", "Future"],
            time=str(model.NOW_MS),
            reason="timestamp-in-future",
        )
    else:
        bench.test(
            "time-seconds",
            "Seconds where milliseconds are due.",
            ["TimestampUnit", "Stale"],
            time=str(model.NOW_S),
            reason="timestamp-too-old",
        )
    bench.test(
        "time-microseconds",
        "Microseconds.",
        ["TimestampUnit", "Future"],
        time=str(model.NOW_MS * 1000),
        reason="timestamp-in-future",
    )


def _clock(bench):
    s = bench.sender
    edge = s.tolerance * 1000
    if s.unit == "s":
        rows = [
            ("old-999", "the limit and 999 ms, which are cut off", model.NOW_MS + edge + 999, None),
            ("old-1000", "the limit and a second", model.NOW_MS + edge + 1000, "timestamp-too-old"),
            ("new-1", "the limit less a millisecond, ahead", model.NOW_MS - edge + 1, None),
            (
                "new-minus-1",
                "the limit and a millisecond, ahead: cut down, the clock is a second further off",
                model.NOW_MS - edge - 1,
                "timestamp-in-future",
            ),
            ("half", "a clock of half a second", model.NOW_MS + 500, None),
        ]
    else:
        rows = [
            ("old-0", "exactly the limit", model.NOW_MS + edge, None),
            ("old-1", "the limit and a millisecond", model.NOW_MS + edge + 1, "timestamp-too-old"),
            ("new-0", "exactly the limit, ahead", model.NOW_MS - edge, None),
            ("new-1", "the limit and a millisecond, ahead", model.NOW_MS - edge - 1, "timestamp-in-future"),
            ("half", "a clock of half a second", model.NOW_MS + 500, None),
        ]
    for name, words, now, reason in rows:
        bench.test(
            "clock-" + name,
            "The age is %s." % words if name != "half" else "The clock stands at half a second.",
            "ClockMilliseconds",
            now=now,
            reason=reason,
        )
    for name, words, now, reason in [
        ("zero", "at 0", 0, "timestamp-in-future"),
        ("2038", "in the year 2038, beyond 2^31 seconds", 2147483649000, "timestamp-too-old"),
        ("far", "at 2^53 - 1", 9007199254740991, "timestamp-too-old"),
    ]:
        bench.test(
            "clock-" + name,
            "The receiver's clock stands %s." % words,
            ["Future" if reason.endswith("future") else "Stale"],
            now=now,
            reason=reason,
        )
    late = 2147483649
    bench.test(
        "clock-2038-valid",
        "A genuine delivery of the year 2038.",
        "TimestampOverflow",
        time=str(late if s.unit == "s" else late * 1000),
        now=late * 1000,
    )


def _tolerances(bench):
    s = bench.sender
    for tolerance in (0, 1, 60, 600, 86400):
        edge = s.seconds(tolerance)
        tag = "tolerance-%d" % tolerance
        words = "Tolerance of %d s: " % tolerance
        bench.test(
            tag + "-old-inside",
            words + "at the limit, old.",
            ["Tolerance", "BoundaryInside"],
            time=s.time(-edge),
            tolerance=tolerance,
        )
        bench.test(
            tag + "-old-outside",
            words + "one unit beyond it, old.",
            ["Tolerance", "BoundaryOutside", "Stale"],
            time=s.time(-edge - 1),
            tolerance=tolerance,
            reason="timestamp-too-old",
        )
        bench.test(
            tag + "-new-outside",
            words + "one unit beyond it, ahead.",
            ["Tolerance", "BoundaryOutside", "Future"],
            time=s.time(edge + 1),
            tolerance=tolerance,
            reason="timestamp-in-future",
        )
        if tolerance:
            bench.test(
                tag + "-new-inside",
                words + "at the limit, ahead.",
                ["Tolerance", "BoundaryInside"],
                time=s.time(edge),
                tolerance=tolerance,
            )
    bench.test(
        "tolerance-0-same-second",
        "Tolerance of 0 s and a clock with milliseconds.",
        ["Tolerance", "ClockMilliseconds"],
        now=model.NOW_MS + 999,
        tolerance=0,
        reason=None if s.unit == "s" else "timestamp-too-old",
    )
    bench.test(
        "tolerance-0-year",
        "Tolerance of 0 s is not off: a year old.",
        ["Tolerance", "Stale"],
        time=s.time(-s.seconds(31536000)),
        tolerance=0,
        reason="timestamp-too-old",
    )
    wide = 1700000000
    bench.test(
        "tolerance-wide-zero",
        "A tolerance as wide as the clock: the time 0 is at the limit.",
        ["Tolerance", "BoundaryInside"],
        time="0",
        tolerance=wide,
    )
    bench.test(
        "tolerance-huge-nines",
        "The widest tolerance and a time of 19 nines.",
        ["Tolerance", "TimestampOverflow"],
        time="9" * 19,
        tolerance=9007199254740991,
        reason="timestamp-in-future",
    )
    bench.test(
        "tolerance-huge-zero",
        "The widest tolerance and the time 0.",
        ["Tolerance", "TimestampOverflow"],
        time="0",
        tolerance=9007199254740991,
    )


def _spellings(bench):
    s = bench.sender
    now = s.time()
    for name, words, seconds, millis, number in SPELLINGS:
        text = seconds if s.unit == "s" else millis
        if s.grammar == "t-list" and "," in text:
            continue
        for form, signed in [("text", text), ("number", now)]:
            if form == "number" and number is None:
                continue
            lenient = "%s/%s" % (name, form) in s.lenient
            bench.test(
                "time-%s-%s" % (name, form),
                "The time with %s; the %s was signed." % (words, "text" if form == "text" else "plain number"),
                ["NonCanonicalTimestamp"] if lenient else ["TimestampNotCanonical", "MalformedHeader"],
                time=text,
                signed_time=signed,
                acceptable=lenient,
                reason=None if lenient else "malformed-header",
            )
    bench.test(
        "time-nan-of-word",
        "The time is a word and NaN was signed, as a number parser would print it.",
        ["TimestampNotCanonical", "MalformedHeader"],
        time="abc",
        signed_time="NaN",
        reason="malformed-header",
    )
    if s.grammar == "t-list":
        bench.test(
            "time-empty",
            "The time has no digits; nothing was signed in its place.",
            ["TimestampNotCanonical", "MalformedHeader"],
            time="",
            signed_time="",
            reason="malformed-header",
        )


def _overflow(bench):
    s = bench.sender
    for label, digits, words in _OVERFLOWS:
        if len(digits) > 19:
            reason = "malformed-header"
        elif s.unit == "ms" and int(digits) < model.NOW_MS:
            reason = "timestamp-too-old"
        else:
            reason = "timestamp-in-future"
        bench.test(
            "time-at-" + label,
            "The time is %s, rightly signed." % words,
            "TimestampOverflow",
            time=digits,
            reason=reason,
        )


def _tampered(bench):
    s = bench.sender
    for name, words, sent, signed in [
        ("renewed", "A stale delivery with a fresh time put over the signed one.", s.time(), s.time(-s.seconds(86400))),
        ("plus-one", "The time moved by one unit.", s.time(1), s.time()),
        ("zeroed", "The time put to 0.", "0", s.time()),
        ("digit-cut", "The last digit of the time cut off.", s.time()[:-1], s.time()),
        ("digit-added", "A digit added to the time.", s.time() + "0", s.time()),
    ]:
        bench.test(
            "time-tampered-" + name,
            words,
            "TamperedTimestamp",
            time=sent,
            signed_time=signed,
            reason="signature-mismatch",
        )
    stale = s.time(-s.seconds(86400))
    ahead = s.time(s.seconds(86400))
    for name, words, time in [("stale", "A day old", stale), ("ahead", "A day ahead", ahead)]:
        bench.test(
            "time-%s-and-forged" % name,
            "%s, and not signed with a configured key." % words,
            ["SignatureBeforeTime", "OrderOfReasons", "WrongSecret"],
            time=time,
            secret={"hex": "00"},
            reason="signature-mismatch",
        )
