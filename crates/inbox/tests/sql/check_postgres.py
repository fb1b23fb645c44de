"""Runs the PostgreSQL texts of the inbox on a real server: every statement is prepared, and an event goes its ways.

The server is one that this script starts as user `postgres` in a temporary folder, reached over a socket in that folder.

    cargo run -q -p hookproof-inbox --example sql -- postgres hookproof > schema.sql
    cargo run -q -p hookproof-inbox --example sql -- postgres hookproof statements > statements.json
    python3 crates/inbox/tests/sql/check_postgres.py schema.sql statements.json
"""

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

schema = open(sys.argv[1], encoding="utf-8").read()
statements = json.load(open(sys.argv[2], encoding="utf-8"))
folder = tempfile.mkdtemp(prefix="inbox-postgres-", dir="/tmp")
shutil.chown(folder, "postgres")
data = os.path.join(folder, "data")


def as_postgres(*command):
    words = command if os.geteuid() != 0 else ("runuser", "-u", "postgres", "--", *command)
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=folder).stdout


def psql(script):
    words = ["psql", "-XqAt", "-F", "|", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "postgres", "postgres"]
    done = subprocess.run(words, input=script, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stderr}\n{script.removeprefix(prepared)}")
    return done.stdout.splitlines()


prepared = "\n".join(f"PREPARE s_{name} AS {sql};" for name, sql in statements.items() if name != "listen")


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, bytes):
        return "'\\x" + value.hex() + "'"
    if isinstance(value, list):
        kind = next((type(item) for item in value if item is not None), str)
        cast = {bytes: "BYTEA", bool: "BOOLEAN", int: "BIGINT", str: "TEXT"}[kind]
        return "ARRAY[" + ",".join(map(literal, value)) + "]::" + cast + "[]"
    return "'" + value.replace("'", "''") + "'"


def execute(name, *values):
    arguments = "(" + ", ".join(map(literal, values)) + ")" if values else ""
    return f"EXECUTE s_{name}{arguments};\n"


def run(name, *values):
    return psql(prepared + execute(name, *values))


def check(left, right):
    if left != right:
        raise SystemExit(f"{left!r} is not {right!r}")


D = lambda text: text.encode().ljust(32, b"\0")
hexed = lambda text: "\\x" + D(text).hex()


def batch(keys, stored=True, later=True, error=None, unsigned=False, body="body", stream="st"):
    """The parameters of `record_many` for these keys."""
    many = len(keys)
    columns = [list(range(many)), keys, [D("c")] * many, [unsigned] * many, ["kind"] * many, ["s"] * many]
    columns += [[stream] * many, [many - index for index in range(many)], ["s"] * many]
    columns += [[(many - index) * 10 for index in range(many)], ["t"] * many, [error] * many]
    return ["e", "p", 7, "POST", None, b"", b"\xff\0", D(body), stored, later, *columns]


def blocks(script, names):
    """How many blocks each statement reads, from the output of `EXPLAIN`."""
    read, name = {}, None
    for line in psql(script):
        if line.startswith("@"):
            name = line[1:]
            read[name] = ""
        elif name:
            read[name] += line
    plans = {name: json.loads(text)[0]["Plan"] for name, text in read.items()}
    check(sorted(plans), sorted(names))
    return {name: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] for name, plan in plans.items()}


def plans():
    """Plans that a connection made while the tables were empty read no more when the tables have grown."""
    two = [[1, 2], [0, 0], [0, 0], [0, 0], [0, 0]]
    calls = {
        "record": execute("record", "e", "new", D("c"), D("b"), False, 5),
        "record_many": execute("record_many", *batch(["k1", "new", "k2"])),
        "save_many": f"EXECUTE s_save_many({', '.join(map(literal, two))}, ARRAY[NULL, NULL]::BIGINT[], "
                     "ARRAY[NULL, NULL]::BIGINT[], ARRAY[NULL, NULL]::BIGINT[], ARRAY[0, 0], ARRAY[NULL, NULL]::TEXT[]);",
    }
    for name, values in {
        "attempts": [1], "complete": [50, 1, 9], "delivery": [1], "failure": ["e"], "find": ["e", "k1"],
        "find_many": ["e", ["k1", "k2"]], "held_up": [40], "load": [1], "next_due": [None],
        "next_due_in_order": [None], "ready": [10**6, None, 2], "ready_in_order": [10**6, None, 2],
        "same_bytes": ["e", D("u"), 10**9], "save": [1, 0, 0, 0, 1, None, None, None, 0, None],
        "stale": [10**6, None, 2], "standing": ["e", "s1"], "stream": ["e", "s1", 1],
    }.items():
        calls[name] = execute(name, *values)
    explain = "".join(
        f"\\echo @{name}\nBEGIN;\nEXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {call}\nROLLBACK;\n"
        for name, call in calls.items()
    )
    # Five events are in work, whatever the size: what is in work is read as a whole.
    fill = lambda start, end: f"""
        SELECT setval('hookproof_numbers', 1000000);
        INSERT INTO hookproof_keys SELECT i, 'e', 'k' || i, {literal(D('c'))}, sha256(i::TEXT::BYTEA), i % 2 = 0, 5
        FROM generate_series({start}, {end}) i;
        INSERT INTO hookproof_deliveries SELECT i, 5, 'e', 'p', NULL, NULL, '', '' FROM generate_series({start}, {end}) i;
        INSERT INTO hookproof_attempts SELECT i, 0, 1, 0, 1, 1, 'done', NULL FROM generate_series({start}, {end}) i;
        INSERT INTO hookproof_streams SELECT 'e', 's' || i, NULL, NULL, NULL, 1 FROM generate_series({start}, {end}) i;
        INSERT INTO hookproof_failures SELECT 'e' || i, 1 FROM generate_series({start}, {end}) i;
        INSERT INTO hookproof_events SELECT i, 'e', 'k' || i, 'kind', 's', 's' || (i / 4), NULL, NULL, i, NULL, i, 0, 5,
        work, work, 1, i, CASE work WHEN 1 THEN 1 END, CASE work WHEN 1 THEN 1 END, NULL, 0, NULL
        FROM generate_series({start}, {end}) i, LATERAL (SELECT CASE WHEN i % 50 = 0 AND i <= 250 THEN 1 ELSE 0 END) w (work);
    """
    script = "CREATE SCHEMA flat; SET search_path = flat;\n" + schema + prepared
    script += "".join("BEGIN;\n" + call * 7 + "\nROLLBACK;\n" for call in calls.values())
    small = blocks(script + fill(1, 500) + explain, calls)
    psql("DROP SCHEMA flat CASCADE")
    large = blocks(script + fill(1, 500) + fill(501, 20_000) + explain, calls)
    psql("DROP SCHEMA flat CASCADE")
    grown = {name: (small[name], large[name]) for name in calls if large[name] > 2 * small[name] + 10}
    if grown:
        raise SystemExit(f"blocks at 500 and at 20,000 events: {grown}")


def main():
    plans()
    psql(schema)
    psql(prepared + statements["listen"] + ";")
    count = len(statements)

    # Recording.
    check(run("record", "e", "a", D("c"), D("b"), False, 5), ["1"])
    check(run("record", "e", "a", D("c"), D("b"), False, 6), [])
    check(run("find", "e", "a"), ["1|" + hexed("c") + "|5|2"])
    rows = [row.split("|") for row in run("record_many", *batch(["n", "a", None]))]
    check([(row[0], row[2], row[5]) for row in rows], [("0", "t", "0"), ("1", "f", "2"), ("2", "t", "0")])
    check((rows[1][1], rows[1][4]), ("1", "5"))
    again = [row.split("|") for row in run("record_many", *batch(["n"]))]
    check([(row[1], row[2], row[5]) for row in again], [(rows[0][1], "f", "0")])
    here = [row.split("|") for row in run("record_many", *batch(["h"], stored=False, later=False))]
    check([(row[2], row[5]) for row in here], [("t", "2")])
    faulty = [row.split("|") for row in run("record_many", *batch([None], later=False, error="no id"))]
    check([(row[2], row[5]) for row in faulty], [("t", "3")])
    check(len(run("find_many", "e", ["a", "n", "x"])), 2)
    first = run("record_many", *batch(["u1"], stored=False, later=False, unsigned=True, body="same"))
    second = run("record_many", *batch(["u2"], stored=False, later=False, unsigned=True, body="same"))
    check([row.split("|")[6] for row in first + second], ["", "u1"])
    check(run("same_bytes", "e", D("same"), int(second[0].split("|")[1])), ["u1"])

    # Overlapping batches at once, in opposite orders: no deadlock, each key once.
    keys = [f"k{number}" for number in range(200)]
    orders = [keys if number % 2 else keys[::-1] for number in range(8)]
    one = lambda order: run("record_many", *batch(order, stream=None))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        done = [row.split("|") for rows in pool.map(one, orders) for row in rows]
    check(sum(row[2] == "t" for row in done), 200)
    missing = sum(row[1] == "" for row in done)
    psql("DELETE FROM hookproof_events WHERE stream IS NULL; DELETE FROM hookproof_keys WHERE key LIKE 'k%';"
         "DELETE FROM hookproof_deliveries WHERE id NOT IN (SELECT delivery FROM hookproof_events)")

    # Claims: numbers of n (position 30) and of the one without key (position 10).
    high, low = int(rows[0][1]), int(rows[2][1])
    ids = lambda rows: [int(row.split("|")[0]) for row in rows]
    check([run("next_due", None), run("next_due", "e"), run("next_due_in_order", "e")], [["7"]] * 3)
    check([run("next_due", "f"), run("next_due_in_order", "f")], [[""]] * 2)
    check(ids(run("ready", 6, None, 10)), [])
    check(ids(run("ready", 7, "e", 10)), [high, low])
    check(ids(run("ready_in_order", 7, "e", 10)), [low])
    check((run("held_up", high), run("held_up", low)), (["t"], ["f"]))
    script = "BEGIN;" + execute("ready", 7, None, 1) + "\\! " + " ".join(["true"]) + "\nCOMMIT;"
    check(ids(psql(prepared + script)), [high])
    run("save", low, 1, 1, 1, 7, 7, 60, 65, 0, None)
    check(ids(run("ready_in_order", 7, "e", 10)), [])
    check((run("next_due", "e"), run("next_due_in_order", "e")), (["7"], ["65"]))
    for name in ("next_due", "next_due_in_order"):
        plan = "\n".join(psql(prepared + "SET enable_seqscan = off; EXPLAIN " + execute(name, None)))
        if "hookproof_events_due" not in plan or "hookproof_events_leased" not in plan or "Seq" in plan:
            raise SystemExit(f"{name} does not go by its indexes:\n{plan}")
    check((ids(run("stale", 64, None, 10)), ids(run("stale", 65, None, 10))), ([], [low]))
    null = [[high], [1], [1], [1], [7], [7], [60]]
    psql(prepared + f"EXECUTE s_save_many({', '.join(map(literal, null))}, ARRAY[NULL::BIGINT], ARRAY[0], ARRAY[NULL::TEXT]);")
    check(ids(run("stale", 60, None, 10)), [high])
    check(run("complete", high, 2, 9), [])
    check(run("failure", "e"), ["1"])
    check(run("complete", high, 1, 9), [str(high)])
    check(run("complete", high, 1, 9), [])
    check(run("attempts", high), [f"{high}|1|1|0|7|9|done|"])
    check(run("failure", "e"), ["1"])
    run("success", "e")
    run("attempt", low, 1, 1, 0, 7, 9, "lost", "why")
    loaded = run("load", high)[0].split("|")
    check((len(loaded), loaded[3], loaded[12]), (21, "kind", "2"))

    # A row that another transaction holds is passed over.
    run("save", low, 0, 1, 1, 7, None, None, None, 0, None)
    holder = subprocess.Popen(
        ["psql", "-XqAt", "-h", folder, "-U", "postgres", "postgres"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    holder.stdin.write(prepared + "BEGIN;\n" + execute("ready", 7, None, 10))
    holder.stdin.flush()
    check(int(holder.stdout.readline().split("|")[0]), low)
    check(ids(run("ready", 7, None, 10)), [])
    holder.stdin.write("ROLLBACK;\n")
    holder.stdin.close()
    holder.wait()

    # Lists and replays.
    nothing = [None] * 7
    parked = int(faulty[0][1])
    check(ids(run("list", None, 10, *nothing)), [high, low, parked])
    check(ids(run("list", high, 1, *nothing)), [low])
    check(ids(run("list", None, 10, None, "e", "kind", "s", 2, 7, 8)), [high])
    check(run("replay", 99, *nothing), ["2|1"])
    loaded = run("load", high)[0].split("|")
    check((loaded[12], loaded[13], loaded[15], loaded[19]), ("0", "0", "99", "1"))

    # Streams.
    check((run("stream", "sc", "st", 1), run("stream", "sc", "st", 1)), (["1"], []))
    run("save_standing", "sc", "st", 5, "s", "paid", 2)
    check(run("standing", "sc", "st"), ["5|s|paid"])

    # Payloads and their partitions.
    delivery = int(loaded[9])
    check(run("delivery", delivery), [f"{delivery}|7|e|p|POST||\\x|\\xff00"])
    check(run("unfinished", 0, 10), ["t"])
    psql(prepared + execute("purge_payloads", 100, 10))
    check(len(run("delivery", delivery)), 1)
    psql("UPDATE hookproof_events SET state = 2, error = NULL")
    check(run("unfinished", 0, 10), ["f"])
    psql(prepared + execute("purge_payloads", 100, 100))
    check(psql("SELECT count(*) FROM hookproof_deliveries"), ["0"])
    day = 20_000
    span = f"FROM ({day * 86400000}) TO ({(day + 1) * 86400000})"
    psql(f"CREATE TABLE IF NOT EXISTS hookproof_deliveries_d{day} PARTITION OF hookproof_deliveries FOR VALUES {span}")
    later = batch(["partitioned"])
    later[2] = day * 86400000 + 5
    run("record_many", *later)
    check(psql(f"SELECT count(*) FROM hookproof_deliveries_d{day}"), ["1"])
    psql(f"UPDATE hookproof_events SET state = 2; DROP TABLE IF EXISTS hookproof_deliveries_d{day}")
    check(psql("SELECT count(*) FROM hookproof_deliveries"), ["0"])

    # The log.
    run("begin_log", "l", D("start"))
    run("begin_log", "other", D("start"))
    check(run("head"), ["l|0|" + hexed("start") + "|0"])
    unsealed = ids(run("unsealed", 0, 100))
    a, b = unsealed[:2]
    check(unsealed, sorted(unsealed))
    leaf = [D("leaf"), D("leaf")]
    psql(prepared + f"EXECUTE s_append({literal([1, 2])}, {literal([a, b])}, ARRAY[NULL, NULL]::BYTEA[], "
         f"ARRAY[NULL, NULL]::BIGINT[], {literal(leaf)}::BYTEA[], {literal(leaf)}::BYTEA[]);")
    check(ids(run("unsealed", 0, 100)), unsealed[2:])
    run("save_head", 2, D("link"), 9)
    check(run("lock_head"), ["l|2|" + hexed("link") + "|9"])
    run("purge_sealed_keys", "e", 100, 10)
    check(len(run("find", "e", "a")), 1)
    psql(prepared + f"EXECUTE s_append(ARRAY[3], ARRAY[NULL::BIGINT], {literal([D('link')])}::BYTEA[], ARRAY[9], "
         f"{literal([D('leaf')])}::BYTEA[], {literal([D('link')])}::BYTEA[]);")
    check(len(run("links", 0, 10)), 3)
    run("purge_sealed_keys", "e", 100, 1)
    check(len(run("find", "e", "a")), 0)
    run("purge_links", 10)
    check([row.split("|")[0] for row in run("links", 0, 10)], ["2", "3"])
    run("purge_sealed_keys", "e", 100, 10)
    run("purge_links", 10)
    check([row.split("|")[0] for row in run("links", 0, 10)], ["3"])
    before = int(psql("SELECT count(*) FROM hookproof_keys WHERE first_seen < 8")[0])
    run("purge_keys", "e", 8, 2)
    check(int(psql("SELECT count(*) FROM hookproof_keys WHERE first_seen < 8")[0]), before - 2)
    run("purge_keys", "e", 8, 100)
    check(psql("SELECT count(*) FROM hookproof_keys"), ["1"])
    check(psql("SELECT count(*) FROM hookproof_attempts"), ["0"])
    version = psql("SHOW server_version")[0]
    print(f"PostgreSQL {version}: {count} statements, all checks passed; {missing} keys were seen only by a second look")


as_postgres("initdb", "-D", data, "-A", "trust", "-E", "UTF8", "--no-sync")
options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c autovacuum=off"
as_postgres("pg_ctl", "-D", data, "-l", os.path.join(folder, "log"), "-w", "-o", options, "start")
try:
    main()
finally:
    as_postgres("pg_ctl", "-D", data, "-m", "immediate", "stop")
    shutil.rmtree(folder)
