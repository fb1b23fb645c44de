"""The table of counts in the README, between two markers."""

from collections import Counter

_BEGIN = "<!-- counts: written by the generator -->"
_END = "<!-- end of counts -->"
_COLUMNS = ("all", "valid", "invalid", "acceptable", "events", "published", "experiments", "captured", "constructed")


def with_table(text, documents):
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise SystemExit("README.md: the markers of the table of counts are missing")
    return before + begin + "\n" + table(documents) + end + after


def table(documents):
    rows = [
        "| sender | vectors | valid | invalid | acceptable | with events | published | experiments | captured | constructed |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    total = Counter()
    for document in documents:
        count = Counter()
        for group in document["testGroups"]:
            for test in group["tests"]:
                count[test["result"]] += 1
                count[_sort(group["source"]["kind"], test["flags"])] += 1
                count["events"] += "events" in test or "eventsError" in test
                count["all"] += 1
        total.update(count)
        rows.append(_row("`%s`" % document["provider"], count))
    rows.append(_row("all", total))
    outside = total["published"] + total["experiments"] + total["captured"]
    sentence = (
        "%d of %d vectors have an outside source: %d are examples that a sender published, and to %d requests made here a sender's libraries gave the answer."
        % (outside, total["all"], total["published"] + total["captured"], total["experiments"])
    )
    rows += ["", sentence, ""]
    return "\n".join(rows)


def _sort(kind, flags):
    """Where a vector comes from; what a sender published and what its libraries answered are told apart."""
    if kind in ("captured", "constructed"):
        return kind
    return "published" if "VendorExample" in flags else "experiments"


def _row(name, count):
    return "| %s | %s |" % (name, " | ".join(str(count[column]) for column in _COLUMNS))
