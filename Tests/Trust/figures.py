#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figures.py SHEETMARKET BINS:FILES...: what signed metadata costs in a market of so many files.

Starts a market of its own for each, fills the bins with made-up files, and measures what a client that knows the rest
downloads to learn of one new version, how long after one is entered it is signed and served, and how long the market takes
to sign everything anew, from its first step to its last (64 bins are one step, and take no time by that). Prints lines for
docs/trust.md.
"""
import gzip, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time, urllib.request

program = sys.argv[1]


class Market:
    def __init__(self, bins):
        self.data = pathlib.Path(tempfile.mkdtemp(prefix="figures-"))
        self.data.chmod(0o755)  # the database may run as another user
        self.process = subprocess.Popen(
            [program, "up", "--data", str(self.data), "--no-examples", "--listen", "127.0.0.1:0"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "SHEETMARKET_LIMIT_ADDRESS": "off"})
        self.base = next(line.split()[1] for line in self.process.stdout if line.startswith("ready "))
        self.socket = next(self.data.rglob(".s.PGSQL.5432")).parent
        if bins != 64:
            (self.data / "trust-keys").rename(self.data / "old-trust-keys")
            subprocess.run([program, "keys", "init", "--anew", "--bins", str(bins), "--data", str(self.data)], check=True,
                           stdout=subprocess.DEVNULL)
        time.sleep(15)  # what a start has to do

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        shutil.rmtree(self.data, ignore_errors=True)

    def sql(self, text):
        done = subprocess.run(
            ["psql", "--quiet", "--no-psqlrc", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1",
             f"--host={self.socket}", "--username=sheetmarket", "--dbname=sheetmarket", "--command", text],
            capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def get(self, name):
        with urllib.request.urlopen(f"{self.base}/trust/{name}") as answer:
            return answer.read()

    def add(self, count, mark=""):
        """Enters files into their bins, as the publisher does when it reads the catalog."""
        return self.sql(f"""
            WITH new AS (
                INSERT INTO trust_targets (version_id, template_id, bin, path, sha256, size_bytes, custom)
                SELECT gen_random_uuid(), id, (get_byte(sha256(path::bytea), 0) << 8 | get_byte(sha256(path::bytea), 1))
                        >> (16 - (SELECT log(2, bin_count)::integer FROM trust_state)), path,
                    sha256((path || 'x')::bytea), 250000,
                    '{{"slug":"sheet-of-many-words-' || n || '","record":"' || encode(sha256(path::bytea), 'hex') || '"}}'
                FROM (SELECT n, id, id || '/1.0.0.pdf' AS path FROM (
                    SELECT n, gen_random_uuid() AS id FROM generate_series(1, {count}) AS n) AS a) AS b
                RETURNING bin)
            {mark or "SELECT count(*) FROM new"}""")

    def dirty(self):
        return int(self.sql("SELECT count(*) FROM trust_bins WHERE is_dirty"))

    def sign_all(self):
        self.sql("UPDATE trust_bins SET is_dirty = true")
        count = self.dirty()
        begin = time.monotonic()
        while self.dirty() == count:
            begin = time.monotonic()
            time.sleep(0.01)
        while self.dirty():
            time.sleep(0.05)
        return time.monotonic() - begin

    def publish_one(self):
        """Seconds until a version that was entered just now is in what is served; the worst of three."""
        worst = 0
        for _ in range(3):
            before = self.get("timestamp.json")
            begin = time.monotonic()
            self.add(1, "UPDATE trust_bins AS b SET is_dirty = true FROM new WHERE b.number = new.bin")
            while self.get("timestamp.json") == before:
                time.sleep(0.02)
            worst = max(worst, time.monotonic() - begin)
        return worst

    def learn(self):
        """The files that tell of one new version."""
        timestamp = self.get("timestamp.json")
        snapshot = json.loads(timestamp)["signed"]["meta"]["snapshot.json"]["version"]
        files = [timestamp, self.get(f"{snapshot}.snapshot.json")]
        meta = json.loads(files[1])["signed"]["meta"]
        name = sorted(name for name in meta if name.startswith("bin-"))[5]
        return files + [self.get(f"{meta[name]['version']}.{name}")]


for pair in sys.argv[2:]:
    bins, files = map(int, pair.split(":"))
    market = Market(bins)
    try:
        market.add(files)
        everything = market.sign_all()
        one = market.publish_one()
        parts = market.learn()
        plain, packed = sum(map(len, parts)), sum(len(gzip.compress(part)) for part in parts)
        print(f"| {bins:,} | {files:,} | {plain / 1000:.0f} kB | {packed / 1000:.0f} kB | {one:.1f} s | {everything:.1f} s |",
              flush=True)
    finally:
        market.stop()
