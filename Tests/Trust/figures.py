#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figures.py SHEETMARKET [--lost-key] BINS:FILES...: what signed metadata costs in a market of so many files.

Starts a market of its own for each, fills the bins with made-up files, and measures what a client that knows the rest
downloads to learn of one new version, how long after one is entered it is signed and served, and how long the market takes
to sign everything anew, from its first step to its last (64 bins are one step, and take no time by that). Prints lines for
docs/trust.md.

With --lost-key instead: the key of the bins is gone, the operator types `keys rotate bins`, and both are killed when half of
the bins are signed. Measures until a client has the new key and all bins by it: the first half, and from the restart on. Fails
where a bin that was signed before the kill is signed again, or where the old key's files do not count until the end.
"""
import gzip, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time, urllib.request

words = [word for word in sys.argv[1:] if word != "--lost-key"]
program, pairs = words[0], [tuple(map(int, pair.split(":"))) for pair in words[1:]]


class Market:
    def __init__(self, bins):
        self.data = pathlib.Path(tempfile.mkdtemp(prefix="figures-"))
        self.data.chmod(0o755)  # the database may run as another user
        self.start()
        if bins != 64:
            (self.data / "trust-keys").rename(self.data / "old-trust-keys")
            subprocess.run([program, "keys", "init", "--anew", "--bins", str(bins), "--data", str(self.data)], check=True,
                           stdout=subprocess.DEVNULL)
        time.sleep(15)  # what a start has to do

    def start(self):
        self.process = subprocess.Popen(
            [program, "up", "--data", str(self.data), "--no-examples", "--listen", "127.0.0.1:0"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "SHEETMARKET_LIMIT_ADDRESS": "off"})
        self.base = next(line.split()[1] for line in self.process.stdout if line.startswith("ready "))
        self.socket = next(self.data.rglob(".s.PGSQL.5432")).parent

    def kill(self):
        self.process.kill()
        self.process.wait()

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


class LostKey:
    """A market whose key of the bins is gone: new keys, all bins signed by them, and a kill halfway."""

    def __init__(self, market, files):
        self.market, self.files = market, files

    def staged(self):
        return set(self.market.sql("SELECT number || ' ' || staged_version FROM trust_bins WHERE staged_version IS NOT NULL")
                   .splitlines())

    def in_force(self):
        """The version of the targets that a client is told of, and the keys that they name for the bins."""
        market = self.market
        snapshot = json.loads(market.get("timestamp.json"))["signed"]["meta"]["snapshot.json"]["version"]
        version = json.loads(market.get(f"{snapshot}.snapshot.json"))["signed"]["meta"]["targets.json"]["version"]
        return version, set(json.loads(market.get(f"{version}.targets.json"))["signed"]["delegations"]["keys"])

    def run(self):
        """Seconds until half of the bins are signed, from the restart until all count, and how many were kept over the kill."""
        market, count = self.market, int(self.market.sql("SELECT bin_count FROM trust_state"))
        old = self.in_force()
        market.sql("DELETE FROM trust_keys WHERE role = 'bins'")
        begin = time.monotonic()
        # It signs, too: whichever comes first does a step.
        command = subprocess.Popen([program, "keys", "rotate", "bins", "--key", str(market.data / "trust-keys/targets.json"),
                                    "--data", str(market.data)], stdout=subprocess.DEVNULL)
        while len(self.staged()) < count / 2:
            assert self.in_force() == old, "all bins were signed before the market could be killed: take more of them"
            time.sleep(0.02)
        first = time.monotonic() - begin
        command.kill()
        market.kill()
        command.wait()
        begin = time.monotonic()
        market.start()
        kept = self.staged()
        assert len(kept) >= count / 2, f"of {count} bins {len(kept)} were signed after the restart"
        while True:
            force = self.in_force()
            if force != old:
                break
            time.sleep(0.05)
        second = time.monotonic() - begin
        self.check(old, force, kept)
        return first, second, len(kept)

    def check(self, old, force, kept):
        """The new key alone counts, each bin was signed once by it, and no file is missing."""
        market = self.market
        assert force[0] == old[0] + 1 and not force[1] & old[1], (old, force)
        versions = dict(line.split() for line in market.sql("SELECT number || ' ' || version FROM trust_bins").splitlines())
        assert all(versions[line.split()[0]] == line.split()[1] for line in kept), "a bin was signed again after the restart"
        assert int(market.sql("SELECT count(*) FROM trust_targets")) == self.files
        digits = len(f"{len(versions) - 1:x}")
        for number in ("0", str(len(versions) - 1)):
            bin = json.loads(market.get(f"{versions[number]}.bin-{int(number):0{digits}x}.json"))
            assert {signature["keyid"] for signature in bin["signatures"]} == force[1], "not signed by the new key"


def cost(market, files):
    everything = market.sign_all()
    one = market.publish_one()
    parts = market.learn()
    plain, packed = sum(map(len, parts)), sum(len(gzip.compress(part)) for part in parts)
    return f"{plain / 1000:.0f} kB | {packed / 1000:.0f} kB | {one:.1f} s | {everything:.1f} s"


def loss(market, files):
    first, second, kept = LostKey(market, files).run()
    return f"{first:.1f} s until the kill | {kept:,} bins kept | {second:.1f} s from the restart on"


for bins, files in pairs:
    market = Market(bins)
    try:
        market.add(files)
        if "--lost-key" in sys.argv:
            market.sign_all()
        figures = (loss if "--lost-key" in sys.argv else cost)(market, files)
        print(f"| {bins:,} | {files:,} | {figures} |", flush=True)
    finally:
        market.stop()
