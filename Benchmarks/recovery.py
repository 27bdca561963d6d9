#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a market loses with its machine, and how long it takes until it is back, by size.

usage: recovery.py [--sizes 1000,100000] [--bytes N] [--seconds S] [--folder DIR] [--json FILE]

For each size a market (`sheetmarket up`) is filled with templates, each with an artifact of its own of --bytes bytes, and backed up
into a folder, twice: what the second finds there is not copied again. Then `backup --continuous` runs beside it, a client commits
rows one after the other for --seconds, and in the middle of that every process is killed and all data of the market is taken away.
It is restored and started. The age of the oldest acknowledged row that is not there is what was lost (RPO); the time from
the restore's start to the first page with a template is how long it took (RTO). Last, `verify` reads every artifact.
"""
import argparse, glob, hashlib, json, os, random, shutil, signal, subprocess, sys, tempfile, time, urllib.request

import bench, catalog

PROGRAM = os.path.join(bench.BIN, "sheetmarket")


def timed(*arguments, statuses=(0,)):
    """Runs a command; answers its seconds and what it printed."""
    begin = time.perf_counter()
    child = subprocess.run([PROGRAM, *arguments], text=True, capture_output=True)
    if child.returncode not in statuses:
        sys.exit(f"sheetmarket {' '.join(arguments)} ended with {child.returncode}: {child.stdout}{child.stderr}")
    return time.perf_counter() - begin, child.stdout


def store(storage, count, size):
    """Writes that many objects, as the service lays them out; answers their hashes."""
    rng, hashes = random.Random(5), []
    for _ in range(count):
        content = b"%PDF-1.4\n" + rng.randbytes(size - 9)
        name = hashlib.sha256(content).hexdigest()
        folder = os.path.join(storage, "objects", name[:2], name[2:4])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file: file.write(content)
        hashes.append(name)
    return hashes


def fill(market, count, size):
    begin = time.perf_counter()
    hashes = store(os.path.join(market.data, "storage"), count, size)
    catalog.load(["psql", market.conninfo], count, hashes, size)
    market.sql("CREATE TABLE recovery_commits (number bigint PRIMARY KEY)")
    timed("admin", "search", "rebuild", "--data", market.data)
    market.sql("VACUUM (ANALYZE)")
    os.sync()
    print(f"{count:,} templates with artifacts of {size:,} bytes: filled in {time.perf_counter() - begin:.0f} s", flush=True)


def descendants(pid):
    found, open_ = [], [pid]
    while open_:
        number = open_.pop()
        found.append(number)
        for path in glob.glob(f"/proc/{number}/task/*/children"):
            try: open_ += map(int, open(path).read().split())
            except OSError: pass  # it has ended
    return found


def lose(processes, data):
    """The machine, from one moment to the next: its data has no name any more, and is removed at the end."""
    for number in [n for pid in processes for n in descendants(pid)]:
        try: os.kill(number, signal.SIGKILL)
        except ProcessLookupError: pass
    os.rename(data, data + "-lost")


def commit_until_lost(market, receiver, seconds):
    """Commits numbered rows until the machine is gone; answers when each was acknowledged, and when it went."""
    cluster = int(open(os.path.join(market.data, "postgres", "cluster", "postmaster.pid")).readline())
    client = subprocess.Popen(["psql", "-X", "-q", "-At", market.conninfo], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    acknowledged, begin = [], time.monotonic()
    while time.monotonic() - begin < seconds:
        number = len(acknowledged)
        client.stdin.write(f"INSERT INTO recovery_commits VALUES ({number}) RETURNING number;\n"); client.stdin.flush()
        if client.stdout.readline().strip() != str(number): sys.exit("a row was not committed")
        acknowledged.append(time.monotonic())
    gone = time.monotonic()
    lose([receiver.pid, market.child.pid, cluster, client.pid], market.data)
    for child in (receiver, market.child, client): child.wait()
    return acknowledged, gone


def first_page(market):
    page = urllib.request.urlopen(market.base + "/api/v1/templates?limit=1", timeout=60)
    if not json.load(page)["templates"]: sys.exit("the restored market shows no template")


def measure(folder, count, a):
    backups, secret = os.path.join(folder, "backups"), os.path.join(folder, "passphrase")
    with open(secret, "w") as file: file.write("correct horse battery staple\n")
    to = ("--to", backups, "--passphrase-file", secret)
    market = bench.Server(folder)
    fill(market, count, a.bytes)
    row = dict(templates=count)
    row["backup"], said = timed("backup", "--data", market.data, *to)
    print(said.strip(), flush=True)
    receiver = subprocess.Popen(
        [PROGRAM, "backup", "--continuous", "--data", market.data, "--to", backups], stdout=subprocess.PIPE, text=True)
    if not receiver.stdout.readline().startswith("receiving"): sys.exit("the log is not received")
    row["next backup"], _ = timed("backup", "--data", market.data, *to)
    row["megabytes"] = round(sum(
        os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(backups) for name in names) / 1e6)
    acknowledged, gone = commit_until_lost(market, receiver, a.seconds)

    begin = time.perf_counter()
    row["restore"], said = timed("restore", "--from", backups, "--data", os.path.join(folder, "new"), "--passphrase-file", secret)
    print(said.strip(), flush=True)
    market = bench.Server(folder, "new")
    first_page(market)
    row["back after"] = time.perf_counter() - begin
    there = {int(n) for n in market.sql("SELECT number FROM recovery_commits").split()}
    missing = [at for number, at in enumerate(acknowledged) if number not in there]
    row["commits"], row["lost"] = len(acknowledged), len(missing)
    row["lost seconds"] = gone - missing[0] if missing else 0.0
    templates = int(market.sql("SELECT count(*) FROM templates"))
    if templates != count: sys.exit(f"{templates} of {count} templates are there")
    market.stop()
    # The generated catalog counts ratings and downloads that nobody gave: only what it says of objects counts.
    row["verify"], said = timed("verify", "--data", market.data, statuses=(0, 1))
    if wrong := [line for line in said.splitlines() if not line.startswith(("ratings: ", "downloads: ", "search tables: ", "Everything"))]:
        sys.exit(f"what was restored is not whole: {wrong[:5]}")
    return row


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--sizes", default="1000,100000"); p.add_argument("--bytes", type=int, default=20_000)
    p.add_argument("--seconds", type=float, default=20); p.add_argument("--folder", default="/var/tmp"); p.add_argument("--json")
    a = p.parse_args()
    rows = []
    for count in (int(n) for n in a.sizes.split(",")):
        folder = tempfile.mkdtemp(prefix="smr-", dir=a.folder); os.chmod(folder, 0o755)
        try:
            rows.append(measure(folder, count, a))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{'templates':>10} {'backup':>10} {'next':>8} {'restore':>8} {'back after':>11} {'verify':>8}   lost (RPO)")
    for r in rows:
        print(f"{r['templates']:10,} {r['backup']:8.1f} s {r['next backup']:6.1f} s {r['restore']:6.1f} s {r['back after']:9.1f} s {r['verify']:6.1f} s   "
              f"{r['lost']} of {r['commits']} commits, of the last {r['lost seconds'] * 1000:.0f} ms; backups have {r['megabytes']:,} MB")
    if a.json:
        with open(a.json, "w") as file: json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
