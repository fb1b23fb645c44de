"""Writes chain.json: test vectors of the tamper-evident log. Only the standard library.

    python3 generate.py          writes the file
    python3 generate.py --check  fails if the file is not what would be written

The encoding, in full: SHA-256 over a domain, a NUL byte, and fields. A field is its length as 8 bytes, most significant
first, and its bytes. A number is a field of 8 bytes, most significant first.

    genesis     hookproof/chain/genesis/1     name of the log
    entry       hookproof/chain/entry/1       id; endpoint; 01 and key, or 00 and an empty field; content; body; first seen, ms
    checkpoint  hookproof/chain/checkpoint/1  sequence number; link before it; time, ms
    link        hookproof/chain/link/1        sequence number; link before it (genesis for the first); leaf

What is to be found in a tampered log is written by hand beside the tampering, and not computed.
"""

import copy
import hashlib
import json
import pathlib
import struct
import sys

FILE = pathlib.Path(__file__).with_name("chain.json")


def number(value):
    return struct.pack(">Q", value)


def sha(domain, *fields):
    message = f"hookproof/chain/{domain}/1".encode() + b"\0"
    for field in fields:
        message += struct.pack(">Q", len(field)) + field
    return hashlib.sha256(message).digest()


def digest(text):
    return hashlib.sha256(text.encode()).digest()


def genesis(log):
    return sha("genesis", log.encode())


def entry_leaf(entry):
    key = entry["key"]
    present = (b"\x01", key.encode()) if key is not None else (b"\x00", b"")
    return sha(
        "entry",
        number(entry["id"]),
        entry["endpoint"].encode(),
        *present,
        entry["content"],
        entry["body"],
        number(entry["firstSeenMs"]),
    )


def checkpoint_leaf(seq, before, at):
    return sha("checkpoint", number(seq), before, number(at))


def link(seq, before, leaf):
    return sha("link", number(seq), before, leaf)


def entry(id, key="stripe/evt_{}", endpoint="billing", first_seen=None):
    return {
        "id": id,
        "endpoint": endpoint,
        "key": key.format(id) if key is not None else None,
        "content": digest(f"content {id}"),
        "body": digest(f"body {id}"),
        "firstSeenMs": 1_700_000_000_000 + id if first_seen is None else first_seen,
    }


class Log:
    """A log with its recorded rows, its chain, and the heads that were exported."""

    def __init__(self, name="orders"):
        self.name, self.ledger, self.rows, self.heads = name, [], [], []
        self.before = genesis(name)

    def append(self, row, leaf, at):
        seq = len(self.rows) + 1
        self.before = link(seq, self.before, leaf)
        self.rows.append({"seq": seq, **row, "leaf": leaf, "link": self.before})
        self.last = at

    def seal(self, entries, at):
        for item in entries:
            self.ledger.append(item)
            self.append({"entry": item["id"], "before": None, "atMs": None}, entry_leaf(item), at)
        return self

    def checkpoint(self, at):
        seq = len(self.rows) + 1
        leaf = checkpoint_leaf(seq, self.before, at)
        self.append({"entry": None, "before": self.before, "atMs": at}, leaf, at)
        return self

    def export(self):
        self.heads.append(f"hookproof-head/1 {self.name} {len(self.rows)} {self.before.hex()} {self.last}")
        return self

    def rewrite(self):
        """All leaves and links anew, as whoever can write to the database may do."""
        before = genesis(self.name)
        entries = {item["id"]: item for item in self.ledger}
        for seq, row in enumerate(self.rows, 1):
            row["seq"] = seq
            if row["entry"] is None:
                row["before"] = before
                row["leaf"] = checkpoint_leaf(seq, before, row["atMs"])
            elif row["entry"] in entries:
                row["leaf"] = entry_leaf(entries[row["entry"]])
            before = row["link"] = link(seq, before, row["leaf"])


def base():
    """Rows 1 to 4, a head; rows 5 and 6, a checkpoint as row 7, a head; rows 8 to 10, a head."""
    log = Log().seal([entry(1), entry(2, None), entry(4), entry(5)], 1_700_000_100_000).export()
    log.seal([entry(3), entry(8)], 1_700_000_200_000).checkpoint(1_700_000_300_000).export()
    return log.seal([entry(9), entry(10), entry(11)], 1_700_000_400_000).export()


def found(kind, **where):
    return {"kind": kind, **{name: str(value) for name, value in where.items()}}


CASES = []


def case(name, comment, status, findings=(), proven_to=None, unsealed=0, heads=None):
    def add(tamper):
        log = base()
        tamper(log)
        chosen = log.heads if heads is None else [log.heads[index] for index in heads]
        CASES.append((name, comment, log, chosen, status, list(findings), proven_to, unsealed))
        return tamper

    return add


@case("untouched", "Every exported head agrees.", "proven", proven_to=10)
def _(log):
    pass


@case("untouched-early-head", "Rows after the head are consistent, not proven.", "proven", proven_to=4, heads=[0])
def _(log):
    pass


@case("untouched-without-head", "Consistent, not proven.", "consistent", heads=[])
def _(log):
    pass


@case("unsealed", "A recorded row that waits to be sealed.", "proven", proven_to=10, unsealed=1)
def _(log):
    log.ledger.append(entry(12))


CHANGED = [found("changed", seq=5, entry=3)]
for field, value in [
    ("endpoint", "other"),
    ("key", None),
    ("key", "stripe/evt_x"),
    ("content", digest("x")),
    ("body", digest("x")),
    ("firstSeenMs", 0),
]:

    @case(f"changed-{field}-{'null' if value is None else 'other'}", f"The recorded row 5 has another {field}.",
          "broken", CHANGED, proven_to=10)
    def _(log, field=field, value=value):
        log.ledger[4][field] = value


@case("changed-without-head", "A changed row shows without a head as long as the chain was left alone.", "broken",
      CHANGED, heads=[])
def _(log):
    log.ledger[4]["content"] = digest("x")


@case("empty-key-is-not-no-key", "Row 2 has no key; an empty one is another row.", "broken",
      [found("changed", seq=2, entry=2)], proven_to=10)
def _(log):
    log.ledger[1]["key"] = ""


@case("removed", "A recorded row above the checkpoint is gone.", "broken",
      [found("removed", first=9, last=9, entry=10)], proven_to=10)
def _(log):
    log.ledger = [item for item in log.ledger if item["id"] != 10]


@case("purged-below-checkpoint", "Recorded rows below a checkpoint that a head covers may be gone.", "proven", proven_to=10)
def _(log):
    log.ledger = log.ledger[6:]


@case("purged-links", "So may rows of the chain.", "proven", proven_to=10, heads=[1, 2])
def _(log):
    log.ledger, log.rows = log.ledger[6:], log.rows[6:]


@case("purged-links-partly", "A chain may begin anywhere below a checkpoint.", "proven", proven_to=10, heads=[1, 2])
def _(log):
    log.ledger, log.rows = log.ledger[6:], log.rows[3:]


@case("checkpoint-beyond-heads", "A checkpoint that no head covers explains nothing.", "broken",
      [found("removed", first=1, last=2, entry=1)], proven_to=4, heads=[0])
def _(log):
    log.ledger = log.ledger[2:]


@case("beginning-removed", "The chain begins above its checkpoint.", "broken", [found("gap", first=1, last=7)],
      proven_to=10, heads=[2])
def _(log):
    log.ledger, log.rows = log.ledger[6:], log.rows[7:]


@case("gap", "A row of the chain is gone, and its recorded row is no longer covered.", "broken",
      [found("gap", first=8, last=8), found("inserted", entry=9)], proven_to=10)
def _(log):
    log.rows = [row for row in log.rows if row["seq"] != 8]


@case("inserted", "A recorded row was put in after later ones were sealed.", "broken", [found("inserted", entry=6)],
      proven_to=10)
def _(log):
    log.ledger.append(entry(6))


@case("cut-off", "The end is gone.", "broken", [found("cut-off", last=8, head=10)], proven_to=7)
def _(log):
    log.rows, log.ledger = log.rows[:8], log.ledger[:7]


@case("cut-off-without-head", "Without a head that is consistent.", "consistent", heads=[])
def _(log):
    log.rows, log.ledger = log.rows[:8], log.ledger[:7]


@case("leaf-changed", "A leaf of the chain was changed.", "broken",
      [found("changed", seq=3, entry=4), found("chain-changed", seq=3)], proven_to=10)
def _(log):
    log.rows[2]["leaf"] = digest("x")


@case("link-changed", "A link was changed: it and the next do not follow.", "broken",
      [found("chain-changed", seq=3), found("chain-changed", seq=4)], proven_to=10)
def _(log):
    log.rows[2]["link"] = digest("x")


@case("checkpoint-changed", "The time of a checkpoint was changed.", "broken", [found("chain-changed", seq=7)],
      proven_to=10)
def _(log):
    log.rows[6]["atMs"] += 1


@case("rewritten", "A row was changed and the chain computed anew: only heads show it.", "broken",
      [found("rewritten", after=4, until=7), found("rewritten", after=4, until=10)], proven_to=4)
def _(log):
    log.ledger[4]["content"] = digest("forged")
    log.rewrite()


@case("rewritten-without-head", "Without a head that is consistent.", "consistent", heads=[])
def _(log):
    log.ledger[4]["content"] = digest("forged")
    log.rewrite()


@case("entry-put-in-and-rewritten", "An entry was put in among the others and the chain computed anew.", "broken",
      [found("rewritten", after=0, until=4), found("rewritten", after=0, until=7), found("rewritten", after=0, until=10)])
def _(log):
    log.ledger.append(entry(77))
    log.rows.insert(1, {"seq": 0, "entry": 77, "before": None, "atMs": None, "leaf": b"", "link": b""})
    log.rewrite()


@case("head-of-another-log", "The head is that of a log of another name.", "broken", [found("other-log", seq=4)], heads=[0])
def _(log):
    log.heads[0] = log.heads[0].replace("orders", "others")


def plain(value):
    """Digests as hex, numbers as text: 64 bits do not fit every JSON reader."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return {name: plain(item) for name, item in value.items()}


def document():
    most = 2**64 - 1
    entries = [
        entry(1),
        entry(2, None),
        entry(3, "a"),
        entry(4, "k" * 1024, "e" * 128),
        entry(most, "github/1/2%2F3", "a/b:c_d-e.f", most),
        entry(0, "x", "y", 0),
        # Fields do not run into one another.
        {**entry(5, "c"), "endpoint": "ab"},
        {**entry(5, "bc"), "endpoint": "a"},
    ]
    before = genesis("orders")
    links = [(1, before, digest("leaf")), (2, before, digest("leaf")), (most, digest("before"), digest("leaf"))]
    checkpoints = [(1, before, 0), (7, digest("before"), 1_700_000_000_000), (most, before, most)]
    logs = []
    for name, comment, log, heads, status, findings, proven_to, unsealed in CASES:
        log = copy.deepcopy(log)
        logs.append({
            "name": name, "comment": comment, "log": log.name, "heads": heads, "ledger": log.ledger, "chain": log.rows,
            "status": status, "provenTo": proven_to, "unsealed": unsealed, "findings": findings,
        })
    assert len({item["name"] for item in logs}) == len(logs)
    return plain({
        "format": "hookproof-chain/1",
        "genesis": [{"log": log, "link": genesis(log)} for log in ("orders", "a", "a/b:c_d-e.f")],
        "entries": [{**item, "leaf": entry_leaf(item)} for item in entries],
        "checkpoints": [
            {"seq": seq, "before": before, "atMs": at, "leaf": checkpoint_leaf(seq, before, at)}
            for seq, before, at in checkpoints
        ],
        "links": [
            {"seq": seq, "before": before, "leaf": leaf, "link": link(seq, before, leaf)} for seq, before, leaf in links
        ],
        "logs": logs,
    })


text = json.dumps(document(), indent=1, ensure_ascii=True) + "\n"
if "--check" in sys.argv[1:]:
    if FILE.read_text(encoding="utf-8") != text:
        sys.exit("chain.json is not what generate.py writes")
else:
    FILE.write_text(text, encoding="utf-8", newline="\n")
