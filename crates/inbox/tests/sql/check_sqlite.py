"""Runs the SQLite texts of the inbox on a real SQLite: every statement, and the ways of an event.

    cargo run -q -p hookproof-inbox --example sql -- sqlite hookproof > schema.sql
    cargo run -q -p hookproof-inbox --example sql -- sqlite hookproof statements > statements.json
    python3 crates/inbox/tests/sql/check_sqlite.py schema.sql statements.json
"""

import json
import re
import sqlite3
import sys

schema = open(sys.argv[1], encoding="utf-8").read()
statements = json.load(open(sys.argv[2], encoding="utf-8"))
database = sqlite3.connect(":memory:", isolation_level=None)
database.executescript(schema)


def run(name, *values):
    return database.execute(statements[name], values).fetchall()


def changed(name, *values):
    return database.execute(statements[name], values).rowcount


def several(name, *values):
    """Runs a text of several statements, which share their parameters; what the statement before a COMMIT returns."""
    rows = []
    for sql in statements[name].split("; "):
        numbers = re.findall(r"\$(\d+)", sql)
        cursor = database.execute(sql, {number: values[int(number) - 1] for number in numbers})
        rows = cursor.fetchall() or rows
    return rows


# Every statement compiles against the tables, with as many parameters as it numbers.
for name, text in statements.items():
    for sql in text.split("; "):
        count = max(map(int, re.findall(r"\?(\d+)", sql)), default=0)
        named = {number: None for number in re.findall(r"\$(\d+)", sql)}
        assert not (count and named), name
        database.execute("EXPLAIN " + sql, named or [None] * count).fetchall()

D = lambda text: text.encode().ljust(32, b"\0")

# Recording: once, and what is there else.
def record(*values):
    cursor = database.execute(statements["record"], values)
    return cursor.lastrowid if cursor.rowcount else None


assert record("e", "a", D("c"), D("b"), 0, 5) == 1
assert record("e", "a", D("c"), D("b"), 0, 6) is None
assert record("f", "a", D("c"), D("b"), 0, 6) == 2
assert run("find", "e", "a") == [(1, D("c"), 5, 2)]
[(next_id,)] = run("next")
assert next_id == 3
delivery = next_id
assert changed("store_delivery", delivery, 5, 7, "e", "p", "POST", None, b"", b"\xff\0") == 1
keys = json.dumps(["a", "n", None])
assert changed("record_many", "e", D("b"), 7, next_id, keys, D("c") * 3, "010") == 2, "a is there"
assert [(row[0], row[5]) for row in database.execute("SELECT * FROM hookproof_keys WHERE id > 2")] == [(4, 1), (5, 0)]
work = lambda id, key, stream, position, element, state: [id, key, "kind", "s", stream, position, "s", position, None, element, state, None]
run("work", "e", delivery, 7, *work(4, "n", "st", 20, 1, 0))
run("work_many", "e", delivery, 7, json.dumps([work(5, None, "st", 10, 2, 0)]))
found = run("find_many", "e", json.dumps(["a", None, "n", "x'"]))
assert sorted(found) == [("a", 1, D("c"), 5, 2), ("n", 4, D("c"), 7, 0)], found
assert run("delivery", delivery) == [(delivery, 7, "e", "p", "POST", None, b"", b"\xff\0")]

# The notice of unsigned ids.
first = record("g", "x", D("1"), D("body"), 1, 8)
second = record("g", "y", D("1"), D("body"), 1, 9)
assert run("same_bytes", "g", D("body"), first) == []
assert run("same_bytes", "g", D("body"), second) == [("x",)]

# Claims, in order and not.
ids = lambda rows: [row[0] for row in rows]
assert run("next_due", None) == run("next_due", "e") == run("next_due_in_order", "e") == [(7,)]
assert run("next_due", "f") == run("next_due_in_order", "f") == [(None,)]
assert ids(run("ready", 6, None, 10)) == []
assert ids(run("ready", 7, None, 10)) == [4, 5]
assert ids(run("ready", 7, "f", 10)) == []
assert ids(run("ready_in_order", 7, "e", 10)) == [5], "the one with the lower position"
assert run("held_up", 4) == [(1,)] and run("held_up", 5) == [(0,)]
assert changed("save", 5, 1, 1, 1, 7, 7, 60, 65, 0, None) == 1
assert ids(run("ready_in_order", 7, "e", 10)) == []
assert ids(run("stale", 64, None, 10)) == [] and ids(run("stale", 65, None, 10)) == [5]
assert run("next_due", "e") == [(7,)] and run("next_due_in_order", "e") == [(65,)], "4 waits for 5"
assert changed("save", 4, 1, 1, 1, 7, 7, 60, None, 0, None) == 1
assert run("next_due", "e") == run("next_due_in_order", None) == [(60,)]
assert ids(run("stale", 60, None, 10)) == [4]
try:
    changed("save", 4, 1, 1, 1, 7, None, None, None, 0, None)
    raise SystemExit("in work without a lease")
except sqlite3.IntegrityError:
    pass
changed("attempt", 4, 1, 1, 0, 7, 9, "done", None)
assert run("attempts", 4) == [(4, 1, 1, 0, 7, 9, "done", None)]
assert run("failure", "e") == [(1,)] and run("failure", "e") == [(2,)]
assert changed("success", "e") == 1 and changed("success", "e") == 0
assert run("failure", "e") == [(1,)]
changed("save", 4, 2, 1, 1, 7, None, None, None, 0, None)
[row] = run("load", 4)
assert row[12] == 2 and row[3] == "kind" and len(row) == 21

# Lists and replays.
nothing = [None] * 7
assert ids(run("list", None, 10, *nothing)) == [4, 5]
assert ids(run("list", 4, 10, *nothing)) == [5]
assert ids(run("list", None, 10, None, "e", "kind", "s", 2, 7, 8)) == [4]
assert ids(run("list", None, 10, None, None, None, None, None, None, 7)) == []
assert run("replay_skips", *nothing) == [(1,)]
assert changed("replay", *nothing, 99) == 1
[row] = run("load", 4)
assert (row[12], row[13], row[15], row[19]) == (0, 0, 99, 1)

# Streams.
assert run("stream", "sc", "st", 1) == [(1,)] and run("stream", "sc", "st", 1) == []
assert changed("save_standing", "sc", "st", 5, "s", "paid", 2) == 1
assert run("standing", "sc", "st") == [(5, "s", "paid")]

# The log.
genesis = D("start")
run("begin_log", "l", genesis)
run("begin_log", "other", genesis)
assert run("head") == [("l", 0, genesis, 0)]
assert ids(run("unsealed", 0, 10)) == [1, 2, 4, 5, first, second]
for seq, entry in [(1, 1), (2, 2), (3, 4)]:
    changed("append", seq, entry, None, None, D("leaf"), D("link"))
assert ids(run("unsealed", 0, 10)) == [5, first, second]
changed("save_head", 3, D("link"), 9)
assert run("head") == [("l", 3, D("link"), 9)]
assert run("old_sealed_keys", "e", 100, 10) == [], "no checkpoint yet"
changed("append", 4, None, D("link"), 9, D("leaf"), D("link"))
assert ids(run("old_sealed_keys", "e", 100, 10)) == [1], "4 waits, 5 is not sealed"
links = run("links", 0, 10)
assert [(row[0], row[1], row[6]) for row in links] == [(1, 1, 1), (2, 2, 2), (3, 4, 4), (4, None, None)]

# Purging.
assert changed("purge_payloads", 100, 10) == 0, "events wait"
for event in (4, 5):
    changed("save", event, 2, 1, 1, 7, None, None, None, 0, None)
assert changed("purge_payloads", 7, 10) == 0 and changed("purge_payloads", 8, 10) == 1
assert ids(run("old_keys", "e", 7, 10)) == [1] and sorted(ids(run("old_keys", "e", 8, 10))) == [1, 4, 5]
assert ids(run("old_keys", "g", 100, 10)) == [first], "the highest number stays"
gone = json.dumps([1, 4])
assert [changed(name, gone) for name in ("purge_attempts", "purge_events", "purge_keys")] == [1, 1, 2]
assert changed("purge_links", 1) == 1 and changed("purge_links", 10) == 0, "2 is still there"
gone = json.dumps([2])
changed("purge_keys", gone)
assert changed("purge_links", 10) == 2
assert [row[0] for row in run("links", 0, 10)] == [4]

# What is looked up often is found by an index.
for name, values in [
    ("find", ["e", "a"]),
    ("ready", [1, None, 1]),
    ("stale", [1, None, 1]),
    ("next_due", [None]),
    ("next_due_in_order", [None]),
    ("load", [1]),
    ("held_up", [1]),
    ("purge_payloads", [1, 1]),
    ("old_keys", ["e", 1, 1]),
    ("same_bytes", ["e", D("b"), 1]),
]:
    plan = [row[3] for row in database.execute("EXPLAIN QUERY PLAN " + statements[name], values)]
    assert not any(re.match(r"SCAN (e|o|d|k|hookproof_\w+)\b(?!.* USING)", step) for step in plan), (name, plan)

# One event, its delivery and its work in one text: the same rows as one by one, and nothing the second time.
for name in ("record_later", "record_alone"):
    endpoint, unsigned = name, int(name == "record_alone")
    def later(key, content=D("1")):
        return several(name, endpoint, key, content, D("same"), unsigned, 7, "p", "PUT", "/", b"h", b"body", "kind", "su", "st",
                       3, "ms", 4, "twin", 0, 3, "why")
    [(new, number, content, first_seen, _, same)] = later("a")
    assert (new, content, first_seen, same) == (1, None, None, None)
    assert run("delivery", number) == [(number, 7, endpoint, "p", "PUT", "/", b"h", b"body")]
    [event] = run("load", number)
    assert event == (number, endpoint, "a", "kind", "su", "st", 3, "ms", "twin", number, 0, 7, 3, 0, 0, 7, None, None, None, 0, "why")
    assert database.execute("SELECT position FROM hookproof_events WHERE id = ?", [number]).fetchall() == [(4,)]
    counts = lambda: [database.execute(f"SELECT count(*) FROM hookproof_{table}").fetchone() for table in ("keys", "deliveries", "events")]
    before = counts()
    assert later("a", D("2")) == [(0, number, D("1"), 7, 3, None)]
    assert counts() == before
    [(new, second, *_, same)] = later("b")
    assert (new, second, same) == (1, number + 1, "a" if unsigned else None)
    for unkeyed in (number + 2, number + 3):
        assert later(None)[0][:2] == (1, unkeyed)
    assert not database.in_transaction
    changed("purge_payloads", 100, 100)
    assert counts()[1] == (before[1][0] + 3,), "all are parked"

print(f"SQLite {sqlite3.sqlite_version}: {len(statements)} statements, all checks passed")
