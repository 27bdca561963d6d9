#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figures.py BASE SOCKET FILES...: what signed metadata costs in a market of so many files.

BASE is a market made by `sheetmarket up --no-examples` (64 bins; `keys init --bins` makes others), SOCKET the folder of
its database's socket. Fills the bins with made-up files, and measures what a client that knows the rest downloads to
learn of one new version, and how long the market takes to sign everything anew, from its first step to its last: 64
bins are one step, and take no time by that. Prints lines for docs/trust.md.
"""
import gzip, json, subprocess, sys, time, urllib.request

base, socket = sys.argv[1:3]


def sql(text):
    done = subprocess.run(
        ["psql", "--quiet", "--no-psqlrc", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", f"--host={socket}",
         "--username=sheetmarket", "--dbname=sheetmarket", "--command", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def get(name):
    with urllib.request.urlopen(f"{base}/trust/{name}") as answer:
        return answer.read()


def add(count):
    sql(f"""
        INSERT INTO trust_targets (version_id, template_id, bin, path, sha256, size_bytes, custom)
        SELECT gen_random_uuid(), id, (get_byte(sha256(path::bytea), 0) << 8 | get_byte(sha256(path::bytea), 1))
                >> (16 - (SELECT log(2, bin_count)::integer FROM trust_state)), path,
            sha256((path || 'x')::bytea), 250000, '{{"slug":"sheet-of-many-words-' || n || '"}}'
        FROM (SELECT n, id, id || '/1.0.0.pdf' AS path FROM (
            SELECT n, gen_random_uuid() AS id FROM generate_series(1, {count}) AS n) AS a) AS b""")


def dirty():
    return int(sql("SELECT count(*) FROM trust_bins WHERE is_dirty"))


def sign(what):
    """Has bins signed anew; answers the seconds from the first one written to the last."""
    sql(f"UPDATE trust_bins SET is_dirty = true WHERE {what}")
    count = dirty()
    begin = time.monotonic()
    while dirty() == count:
        begin = time.monotonic()
        time.sleep(0.01)
    while dirty():
        time.sleep(0.05)
    return time.monotonic() - begin


def learn():
    """The files that tell of one new version."""
    timestamp = get("timestamp.json")
    snapshot = json.loads(timestamp)["signed"]["meta"]["snapshot.json"]["version"]
    files = [timestamp, get(f"{snapshot}.snapshot.json")]
    meta = json.loads(files[1])["signed"]["meta"]
    name = sorted(name for name in meta if name.startswith("bin-"))[5]
    return files + [get(f"{meta[name]['version']}.{name}")]


bins = int(sql("SELECT bin_count FROM trust_state"))
for count in map(int, sys.argv[3:]):
    add(count - int(sql("SELECT count(*) FROM trust_targets")))
    everything = sign("true")
    files = learn()
    plain, packed = sum(map(len, files)), sum(len(gzip.compress(file)) for file in files)
    print(f"| {bins:,} | {count:,} | {plain / 1000:.0f} kB | {packed / 1000:.0f} kB | {everything:.1f} s |", flush=True)
