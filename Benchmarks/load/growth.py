#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of growth.md, from what `knee.py --each --json FILE` measured: what 10,000 visits a second to 10 million templates
need, and how much of it a network of caches keeps away.

usage: growth.py FILE [--rate 10000] [--templates 10000000]
"""
import argparse
import json
import pathlib

# The part of visits that a cache near the visitor answers, assumed. Lists and templates may be kept for 10 s
# (`s-maxage=10`), pictures of versions for good; pages, tickets and whatever is posted always come to a server. A file's
# signed address is another for each ticket: it is sent by the bucket.
CACHED = {"browse": 0.7, "search": 0.2, "suggest": 0.4, "detail": 0.5, "picture": 0.95}
# How many times dearer a search becomes from the measured catalog to the asked-for one, for each ten times as many templates:
# 1.9, 2.8 and 4.1 ms at 10,000, 100,000 and 1,000,000 (docs/performance.md).
SEARCH_GROWTH = 1.47
SEARCHES = {"search", "suggest", "list page"}
# Cores are planned to be this busy at most, for times that do not rise.
BUSY = 0.5
READ_ONLY = {"browse", "search", "suggest", "detail", "list page", "sheet page", "picture", "download", "updates", "news"}


def decades(measured, wanted):
    count = 0.0
    while measured < wanted:
        measured, count = measured * 10, count + 1
    return count


def table(report, rate, templates):
    """A row for each kind: name, visits a second, that reach servers, and cores of servers and of databases."""
    growth = SEARCH_GROWTH ** decades(report["templates"], templates)
    rows = []
    for name, share in report["shares"].items():
        found = report["each"][name]
        # Costs are of requests that were served well.
        each = found["served"] * found["requests"] / max(1, found["visits"])
        visits = rate * share
        reach = visits * (1 - CACHED.get(name, 0))
        servers = reach * each * found["cost"]["servers"] / 1000
        database = reach * each * found["cost"]["postgres"] / 1000 * (growth if name in SEARCHES else 1)
        readers = reach * each * found["cost"]["worker and readers"] / 1000 if name in ("upload", "moderate") else 0
        rows.append((name, visits, reach, servers, database, readers, reach * each * found["log_bytes"]))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--rate", type=float, default=10_000)
    parser.add_argument("--templates", type=float, default=10_000_000)
    options = parser.parse_args()
    report = json.loads(pathlib.Path(options.file).read_text())
    rows = table(report, options.rate, options.templates)
    print("| visits | a second | reach servers | cores of servers | cores of databases | cores of workers |\n|---|---|---|---|---|---|")
    for name, visits, reach, servers, database, readers, _ in rows:
        print(f"| {name} | {visits:,.0f} | {reach:,.0f} | {servers:.2f} | {database:.2f} | {readers:.2f} |")
    whole = [sum(row[place] for row in rows) for place in range(1, 7)]
    print(f"| all | {whole[0]:,.0f} | {whole[1]:,.0f} | {whole[2]:.1f} | {whole[3]:.1f} | {whole[4]:.1f} |")
    print(f"| at {BUSY:.0%} busy | | | {whole[2] / BUSY:.0f} | {whole[3] / BUSY:.0f} | {whole[4] / BUSY:.0f} |")
    reads = sum(row[4] for row in rows if row[0] in READ_ONLY)
    changes = sum(row[1] for row in rows if row[0] not in READ_ONLY)
    log = sum(row[6] for row in rows if row[0] not in READ_ONLY)
    print(f"\nreads: {reads:.1f} cores of databases, which replicas can take; changes: {whole[3] - reads:.1f} of the primary's, "
          f"{changes:,.0f} a second, {log / 1e6:.1f} MB/s of write-ahead log")
    sizes = report["each"]["sizes"]
    each = sizes["database"] / sizes["rows"]["templates"]
    print(f"database: {each / 1024:.1f} kB a template: {each * options.templates / 1e9:,.0f} GB; "
          f"storage: {sizes['file bytes'] / max(1, sizes['files']) / 1024:.0f} kB a file")


if __name__ == "__main__":
    main()
