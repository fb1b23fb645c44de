"""The table of counts in the README, between two markers."""

from collections import Counter

_BEGIN = "<!-- counts: written by the generator -->"
_END = "<!-- end of counts -->"
_KINDS = ("vendor-docs", "vendor-sdk", "captured", "constructed")


def with_table(text, documents):
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise SystemExit("README.md: the markers of the table of counts are missing")
    return before + begin + "\n" + table(documents) + end + after


def table(documents):
    rows = [
        "| sender | vectors | valid | invalid | acceptable | vendor-docs | vendor-sdk | captured | constructed |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    total = Counter()
    for document in documents:
        count = Counter()
        for group in document["testGroups"]:
            for test in group["tests"]:
                count[test["result"]] += 1
                count[group["source"]["kind"]] += 1
                count["all"] += 1
        total.update(count)
        rows.append(_row("`%s`" % document["provider"], count))
    rows.append(_row("all", total))
    outside = total["vendor-docs"] + total["vendor-sdk"] + total["captured"]
    rows += ["", "%d of %d vectors have an outside source." % (outside, total["all"]), ""]
    return "\n".join(rows)


def _row(name, count):
    cells = [count["all"], count["valid"], count["invalid"], count["acceptable"]] + [count[k] for k in _KINDS]
    return "| %s | %s |" % (name, " | ".join(str(c) for c in cells))
