"""Headers: presence, repetition, names, length."""

_LIMIT = 8192


def header_family(bench):
    s = bench.sender
    bench.test("valid", "An ordinary delivery.", "Basic", key=0, show_signed=True)
    if s.header != s.header.lower():
        bench.test(
            "headers-lower-case",
            "All header names in small letters.",
            "HeaderNameCase",
            headers=lambda lines: [(n.lower(), v) for n, v in lines],
        )
    bench.test(
        "headers-upper-case",
        "All header names in capital letters.",
        "HeaderNameCase",
        headers=lambda lines: [(n.upper(), v) for n, v in lines],
    )
    several = len(s.headers("")) > 1
    if several:
        bench.test("headers-reversed", "The headers in reverse order.", "Basic", headers=lambda lines: lines[::-1])
    bench.test(
        "headers-others",
        "Other headers around, among them other senders' signatures.",
        "Basic",
        headers=lambda lines: [("Host", "example.com"), ("X-Signature", "none")]
        + lines
        + [("X-Forwarded-For", "192.0.2.1"), ("X-Other-Signature", "v1=00")],
    )
    _absent(bench, s.header, "signature")
    if s.time_header:
        _absent(bench, s.time_header, "timestamp")
    if s.id_header:
        _absent(bench, s.id_header, "id")
    if several:
        bench.test(
            "missing-all", "No header at all.", "MissingHeader", headers=lambda lines: [], reason="missing-header"
        )
    for name in s.lookalikes:
        bench.test(
            "lookalike-" + name.lower().replace("_", "-"),
            "The right signature under the name %s." % name,
            ["LookalikeHeader", "MissingHeader"],
            headers=lambda lines, name=name: [(name if n == s.header else n, v) for n, v in lines],
            reason="missing-header",
        )
    _repeated(bench, s.header, "signature")
    if s.time_header:
        _repeated(bench, s.time_header, "timestamp")
    if s.id_header:
        _repeated(bench, s.id_header, "id")
    _outer_blanks(bench)
    _long(bench)


def _absent(bench, header, word):
    def without(lines):
        return [(n, v) for n, v in lines if n != header]

    def with_value(value):
        return lambda lines: [(n, value if n == header else v) for n, v in lines]

    bench.test(
        "missing-" + word, "The %s header is absent." % word, "MissingHeader", headers=without, reason="missing-header"
    )
    bench.test(
        "empty-" + word,
        "The %s header is empty." % word,
        "MissingHeader",
        headers=with_value(""),
        reason="missing-header",
    )
    bench.test(
        "blank-" + word,
        "The %s header holds only blanks." % word,
        ["MissingHeader", "OuterWhiteSpace"],
        headers=with_value(" \t "),
        reason="missing-header",
    )


def _repeated(bench, header, word):
    s = bench.sender

    def lines_of(*values):
        def change(lines):
            out = []
            for n, v in lines:
                if n == header:
                    out.extend((n, v if value is None else value) for value in values)
                else:
                    out.append((n, v))
            return out

        return change

    wrong = {
        "signature": s.value(
            s.encode(s.mac("wrong-" + s.secret if s.grammar != "standard" else {"hex": "00"}, s.body))
        ),
        "timestamp": s.time(-1),
        "id": "msg_test_0002",
    }[word]
    for name, text, values in [
        ("same", "twice, alike", (None, None)),
        ("good-first", "twice, the right one first", (None, wrong)),
        ("good-last", "twice, the right one last", (wrong, None)),
        ("empty-last", "twice, the second one empty", (None, "")),
        ("empty-first", "twice, the first one empty", ("", None)),
        ("three", "three times", (None, None, None)),
    ]:
        bench.test(
            "repeated-%s-%s" % (word, name),
            "The %s header %s." % (word, text),
            "RepeatedHeader",
            headers=lines_of(*values),
            reason="repeated-header",
        )
    bench.test(
        "repeated-%s-all-empty" % word,
        "The %s header twice, both empty: as good as absent." % word,
        ["RepeatedHeader", "MissingHeader"],
        headers=lines_of("", ""),
        reason="missing-header",
    )
    bench.test(
        "repeated-%s-other-case" % word,
        "The %s header twice, the names in different case." % word,
        ["RepeatedHeader", "HeaderNameCase"],
        headers=lambda lines: lines + [(n.swapcase(), v) for n, v in lines if n == header],
        reason="repeated-header",
    )


def _outer_blanks(bench):
    s = bench.sender
    for name, text, before, after in [
        ("space-before", "a space before", " ", ""),
        ("space-after", "a space after", "", " "),
        ("tabs-around", "tabs and spaces around", "\t ", " \t"),
    ]:
        bench.test(
            "outer-" + name,
            "Blanks around the signature header's value: %s." % text,
            "OuterWhiteSpace",
            headers=lambda lines, b=before, a=after: [(n, b + v + a if n == s.header else v) for n, v in lines],
            acceptable=True,
        )
    if s.time_header:
        bench.test(
            "outer-timestamp",
            "Blanks around the timestamp header's value; the digits were signed.",
            "OuterWhiteSpace",
            acceptable=True,
            headers=lambda lines: [(n, " " + v + " " if n == s.time_header else v) for n, v in lines],
        )
        blanks = " " + s.time() + " "
        target = s.target
        bench.test(
            "outer-timestamp-signed",
            "Blanks around the timestamp header's value, and signed with it.",
            ["OuterWhiteSpace", "NonCanonicalTimestamp"] if target else ["OuterWhiteSpace", "TimestampNotCanonical"],
            time=blanks,
            acceptable=target,
            reason=None if target else "signature-mismatch",
        )
    if s.id_header:
        bench.test(
            "outer-id",
            "Blanks around the id header's value; the id without them was signed.",
            "OuterWhiteSpace",
            acceptable=True,
            headers=lambda lines: [(n, "\t" + v + " " if n == s.id_header else v) for n, v in lines],
        )


def _long(bench):
    s = bench.sender

    def fill(size, text):
        if s.grammar == "t-list":
            head = s.value(text) + ",x="
            return head + "a" * (size - len(head))
        if s.grammar == "standard":
            head = "v1," + text + " v9,"
            return head + "a" * (size - len(head))
        return s.prefix + "a" * (size - len(s.prefix))

    fits = s.grammar in ("t-list", "standard")
    bench.test(
        "long-8192",
        "A signature header of 8192 bytes" + (", the right signature in it." if fits else "."),
        "LongHeader",
        value=lambda t: fill(_LIMIT, t),
        reason=None if fits else "bad-encoding",
    )
    sizes = (_LIMIT + 1,) if s.target else (_LIMIT + 1, 20000)
    for size in sizes:
        words = "A signature header of %d bytes" % size
        if fits:
            bench.test(
                "long-%d" % size,
                words + ", the right signature in it.",
                ["LongHeader", "OverlongHeader"],
                value=lambda t, size=size: fill(size, t),
                acceptable=True,
            )
        bench.test(
            "long-%d-wrong" % size,
            words + " without a right signature.",
            ["LongHeader", "MalformedHeader"],
            secret={"hex": "00"},
            value=lambda t, size=size: fill(size, t),
            reason="malformed-header",
        )
    bench.test(
        "long-8193-with-blanks",
        "A signature header of 8192 bytes, and blanks around it that do not count.",
        ["LongHeader", "OuterWhiteSpace"],
        value=lambda t: " " + fill(_LIMIT, t) + " ",
        acceptable=fits,
        reason=None if fits else "bad-encoding",
    )
    if s.time_header:
        bench.test(
            "long-timestamp",
            "A timestamp header of 8193 digits.",
            ["LongHeader", "MalformedHeader"],
            time="1" * (_LIMIT + 1),
            reason="malformed-header",
        )
    if s.id_header:
        bench.test("long-id-8192", "An id header of 8192 bytes.", "LongHeader", msg_id="m" * _LIMIT)
        bench.test(
            "long-id-8193",
            "An id header of 8193 bytes.",
            ["LongHeader", "OverlongHeader"],
            msg_id="m" * (_LIMIT + 1),
            acceptable=True,
        )
        bench.test(
            "long-id-8193-wrong",
            "An id header of 8193 bytes and a wrong signature.",
            ["LongHeader", "MalformedHeader"],
            msg_id="m" * (_LIMIT + 1),
            signed_id="m",
            reason="malformed-header",
        )
