#!/usr/bin/env python3
"""Writes the constructed groups of every <provider>.json anew, byte for byte the same each time.

    python3 conformance-vectors/generator/generate.py            rewrite the files that would change
    python3 conformance-vectors/generator/generate.py --check    write nothing, exit 1 when one would change

Groups whose source is not this generator stand in the files and are copied as they are.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import flags
import model
import readme
from families import families_of
from senders import SENDERS, Bench

ROOT = Path(__file__).resolve().parent.parent


def kept_groups(path):
    if not path.exists():
        return []
    groups = json.loads(path.read_text("utf-8"))["testGroups"]
    return [g for g in groups if not is_ours(g)]


def is_ours(group):
    source = group["source"]
    return source["kind"] == "constructed" and source["name"] == model.SOURCE_NAME


def build(sender, kept):
    suite = model.Suite(sender.id, flags.POLICY, kept)
    bench = Bench(suite, sender)
    for family in families_of(sender):
        family(bench)
    groups = kept + suite.finished()
    tests = [t for g in groups for t in g["tests"]]
    used = {f for t in tests for f in t["flags"]}
    unknown = sorted(used - flags.ALL)
    if unknown:
        raise SystemExit("%s: flags without a note: %s" % (sender.id, ", ".join(unknown)))
    document = {"schema": model.SCHEMA, "provider": sender.id}
    if sender.no_vendor_example:
        document["noVendorExample"] = sender.no_vendor_example
    document["numberOfTests"] = len(tests)
    document["notes"] = {name: flags.note(name) for name in sorted(used)}
    document["testGroups"] = groups
    return document


def write(path, text):
    """Replaces the file in one step, so that a reader never sees half of it."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, "utf-8", newline="\n")
    os.replace(beside, path)


def main():
    parser = argparse.ArgumentParser(description="Write the constructed test groups anew.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file would change")
    arguments = parser.parse_args()
    wanted = {}
    documents = []
    for sender in SENDERS:
        path = ROOT / (sender.id + ".json")
        document = build(sender, kept_groups(path))
        documents.append(document)
        wanted[path] = model.dump(document) + "\n"
    path = ROOT / "README.md"
    if path.exists():
        wanted[path] = readme.with_table(path.read_text("utf-8"), documents)
    changed = [p for p, text in wanted.items() if not p.exists() or p.read_text("utf-8") != text]
    for path in changed:
        if arguments.check:
            print("%s would change" % path.name, file=sys.stderr)
        else:
            write(path, wanted[path])
            print("wrote %s" % path.name)
    return 1 if arguments.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
