#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What signed metadata costs in a market of so many files.

usage: trust.py [--sizes 1000,100000,1000000] [--bins 64,1024] [--rounds N] [--lost-key] [--folder DIR] [--programs FOLDER] [--json FILE]

For each size a market (`sheetmarket up`) is filled with generated templates, each with an artifact of its own, and signs them with
keys made anew for so many bins (without --bins 64 for up to 5,000 files, else 1,024). Then versions are published as people do:
uploaded, claimed, and approved at a random moment of the signer's five seconds. Told are

- the seconds from when the approval is sent until a client is served a timestamp by which the bin names the version; and from when
  the signer's step began, so without waiting for its turn;
- the bytes that a client downloads to learn of it who knew all before: next root (there is none), timestamp, snapshot and bin, with
  their heads, plain and in gzip; what `sheets update --check` downloads; and how much metadata `sheets update` verified and kept;
- how many bins were rewritten, which must be one;
- the seconds from `keys rotate bins` until a client is served all bins by the new key.

What one bin costs in the snapshot, and one file in its bin, tells with how many bins one version costs least.

With --lost-key instead: the key of the bins is gone, the operator types `keys rotate bins`, and both are killed when half of
the bins are signed. Measures until a client has the new key and all bins by it: the first half, and from the restart on. Fails
where a bin that was signed before the kill is signed again, or where the old key's files do not count until the end. A thousand
files are signed too soon for that, so the sizes are 100,000 and 1,000,000 then.

Search is not filled: nothing here asks it. The generated artifacts have no files: nothing here reads them. Run by `make bench-trust`.
Traffic goes to 127.0.0.1 only. Ends with 3 when one version has more than one bin rewritten, with 1 when it could not measure.
"""
import argparse, dataclasses, hashlib, http.client, json, os, pathlib, random, shutil, signal, statistics, subprocess, sys, tempfile, time

import bench, catalog, clients, goals, million

# How often the signer looks for what is new (`TrustModule`).
TURN = 5.0
# Seconds that signing everything may take.
LONGEST = 7_200


def usual_bins(files):
    """What docs/trust.md advises."""
    return 64 if files <= 5_000 else 1_024


def bin_file(number, count):
    """The file of a bin without its version, as `BinLayout` names it."""
    digits = (count.bit_length() + 2) // 4
    return f"bin-{number:0{digits}x}.json"


def bin_of(path, count):
    """The number of the bin that signs for a path."""
    return int.from_bytes(hashlib.sha256(path.encode()).digest()[:2], "big") >> (17 - count.bit_length())


def best_bins(files, bin_bytes, file_bytes):
    """With how many bins least is downloaded to learn of one version, and how much that is about."""
    cost = {1 << power: bin_bytes * (1 << power) + file_bytes * files / (1 << power) for power in range(4, 15)}
    best = min(cost, key=cost.get)
    return best, cost[best]


def compact(value):
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


# What a client does.

class Metadata:
    """Asks for signed metadata over one connection, as a client of The Update Framework does. It verifies nothing: `sheets` does."""

    def __init__(self, base):
        self.connection = http.client.HTTPConnection("127.0.0.1", int(base.rsplit(":", 1)[1]), timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def get(self, name, expected=(200,), **fields):
        self.connection.request("GET", f"/trust/{name}", headers={key.replace("_", "-"): text for key, text in fields.items()})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status not in expected: sys.exit(f"/trust/{name} was answered with {answer.status}: {body[:300]!r}")
        return answer.status, body, answer.headers.get("ETag")


@dataclasses.dataclass
class Seen:
    """What the newest timestamp names: of each file of metadata its version."""
    tag: str
    version: int
    snapshot: str
    versions: dict
    bytes: int

    @classmethod
    def by(cls, metadata, tag=None):
        """`None` where the timestamp is still the one of that tag."""
        status, body, new_tag = metadata.get("timestamp.json", (200, 304), **({"If_None_Match": tag} if tag else {}))
        if status == 304: return None
        signed = json.loads(body)["signed"]
        name = f"{signed['meta']['snapshot.json']['version']}.snapshot.json"
        _, snapshot, _ = metadata.get(name)
        meta = json.loads(snapshot)["signed"]["meta"]
        return cls(new_tag, signed["version"], name, {file: info["version"] for file, info in meta.items()}, len(body) + len(snapshot))

    def name(self, file):
        return f"{self.versions[file]}.{file}"

    def rewritten(self, before):
        """How many bins are others than before."""
        return sum(file.startswith("bin-") and before.versions.get(file) != version for file, version in self.versions.items())


def wait_for(base, path, file, before, seconds=120):
    """Asks until the bin names the path; what is served then, and the bin."""
    tag, end = before.tag, time.monotonic() + seconds
    with Metadata(base) as metadata:
        while time.monotonic() < end:
            if seen := Seen.by(metadata, tag):
                tag = seen.tag
                if seen.versions[file] != before.versions.get(file):
                    _, body, _ = metadata.get(seen.name(file))
                    if path in json.loads(body)["signed"]["targets"]: return seen, body
            time.sleep(0.02)
    sys.exit(f"{path} was not signed within {seconds} seconds")


def learn(counter, root, before, seen, file, **fields):
    """The bytes of the answers to a client that knows all that counted before."""
    begin = counter.down
    with Metadata(counter.base) as metadata:
        metadata.get(f"{root + 1}.root.json", (404,), **fields)
        metadata.get("timestamp.json", If_None_Match=before.tag, **fields)
        metadata.get(seen.snapshot, **fields)
        metadata.get(seen.name(file), **fields)
    return counter.down - begin


class Player:
    """A player with one sheet, who looks for updates by `sheets`."""

    def __init__(self, counter, folder, slug):
        self.counter, self.library = counter, folder / "library"
        shutil.rmtree(self.library, ignore_errors=True)
        self.sheets("install", "--no-progress", slug)

    def sheets(self, command, *words):
        program = os.path.join(bench.BIN, "sheets")
        return clients.timed(program, command, "--server", self.counter.base, "--library", self.library, *words)[1]

    def check(self):
        """What is newer, and the bytes that came to know it."""
        begin = self.counter.down
        updates = json.loads(self.sheets("update", "--check", "--json"))["updates"]
        time.sleep(0.05)
        return [update["newer"] for update in updates if update.get("newer")], self.counter.down - begin

    def kept(self):
        """The metadata that was verified and kept."""
        return {path: path.read_bytes() for path in (self.library / "trust").glob("*/*.json")}

    def update(self, version):
        """Learns of a version and installs it: the bytes that came to learn of it, and those of metadata that was verified anew."""
        before = self.kept()
        newer, check = self.check()
        if newer != [version]: sys.exit(f"sheets tells of {newer}, not of {version}")
        self.sheets("update", "--no-progress")
        return check, sum(len(text) for path, text in self.kept().items() if before.get(path) != text)


# The market.

class Market(bench.Server):
    def __init__(self, folder):
        self.folder, self.key_sets = folder, 0
        super().__init__(str(folder))

    def kill(self):
        self.child.kill()
        self.child.wait()

    def restart(self):
        super().__init__(str(self.folder))

    def stop(self):
        """A database of a million templates has much to write at its end."""
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(300)

    def keys(self, *words):
        """The command, and its data folder, for `sheetmarket keys`."""
        return [os.path.join(bench.BIN, "sheetmarket"), "keys", *words, "--data", self.data]

    def rotate(self):
        return self.keys("rotate", "bins", "--key", os.path.join(self.data, "trust-keys", "targets.json"))

    def fill(self, count):
        begin = time.perf_counter()
        hashes = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(count)]
        catalog.load(["psql", self.conninfo], count, hashes, slug=long_slug)
        self.sql(bench.GAME_SYSTEM)
        self.sql("VACUUM (ANALYZE)")
        million.write_dump(self)
        print(f"{count:,} templates, each with an artifact: made in {time.perf_counter() - begin:.0f} s", flush=True)

    def sign_first(self, bins):
        """Seconds until all files are signed with keys made anew."""
        keys = pathlib.Path(self.data, "trust-keys")
        self.key_sets += 1
        keys.rename(keys.with_name(f"old-trust-keys-{self.key_sets}"))
        begin = time.monotonic()
        bench.run(*self.keys("init", "--anew", "--bins", str(bins)))
        while not self.is_signed(bins):
            if time.monotonic() - begin > LONGEST: sys.exit(f"not signed within {LONGEST} seconds")
            time.sleep(0.1)
        seconds = time.monotonic() - begin
        signed, offered = self.sql("SELECT (SELECT count(*) FROM trust_targets), (SELECT count(*) FROM versions)").strip().split("|")
        if signed != offered: sys.exit(f"{signed} files are signed, {offered} versions there")
        # As autovacuum does within minutes.
        self.sql("VACUUM (ANALYZE) trust_targets, trust_bins, trust_metadata")
        return seconds

    def is_signed(self, bins):
        """Whether so many bins have all that the catalog has, and are served."""
        return self.sql(f"""
            SELECT s.bin_count = {bins} AND NOT s.is_syncing AND s.pending_root IS NULL AND s.pending_targets IS NULL
                AND s.feed_id = f.id AND s.position >= f.last_position
                AND NOT EXISTS (SELECT FROM changes AS c WHERE c.position IS NULL)
                AND NOT EXISTS (SELECT FROM trust_bins AS b WHERE b.is_dirty OR b.version IS NULL)
                AND EXISTS (SELECT FROM trust_metadata AS m WHERE m.role = 'timestamp' AND m.superseded_at IS NULL)
            FROM trust_state AS s, change_feed AS f""").strip() == "t"

    def step_began(self, timestamp):
        """When the signer's step began that made that version of the timestamp, in Unix seconds."""
        return float(self.sql(
            f"SELECT extract(epoch FROM created_at) FROM trust_metadata WHERE role = 'timestamp' AND version = {timestamp}"))

    def submit(self, folder, version, template=None):
        """An upload that is claimed, and waits for the word."""
        status = bench.submit(self, str(folder), bench.artifact(200_000), version, template)
        bench.claim(self, status)
        return status


def long_slug(number, name):
    """As the market makes it of a name; the number makes it the only one."""
    words = "".join(one if one.isascii() and one.isalnum() else "-" for one in name.lower())
    return "-".join([*filter(None, words[:48].split("-")), str(number)])


# What is measured.

def publish_one(market, folder, player, root, slug, number, bins, rng):
    """Publishes a version of a template and measures how a client learns of it."""
    version = f"1.0.{number}"
    status = market.submit(folder, version, slug)
    path = f"{status['templateId'].lower()}/{version}.pdf"
    file = bin_file(bin_of(path, bins), bins)
    newer, _ = player.check()
    if newer: sys.exit(f"{newer} is told of before it is published")
    # Uploads take equally long, and would all come at the same moment of the signer's turn.
    time.sleep(rng.uniform(0, TURN))
    with Metadata(market.base) as metadata: before = Seen.by(metadata)
    begin = time.monotonic()
    bench.approve(market, status)
    approved = time.monotonic()
    seen, body = wait_for(market.base, path, file, before)
    end, clock = time.monotonic(), time.time()
    figures = {
        "seconds": end - begin, "approval": approved - begin, "signing": clock - market.step_began(seen.version),
        "rewritten": seen.rewritten(before), "bodies": seen.bytes + len(body),
        "plain": learn(player.counter, root, before, seen, file),
        "gzip": learn(player.counter, root, before, seen, file, Accept_Encoding="gzip")}
    figures["check"], figures["kept"] = player.update(version)
    return figures | slopes(seen, body)


def slopes(seen, body):
    """What one more bin adds to the snapshot, and one more file to its bin."""
    meta = {file: {"version": version} for file, version in seen.versions.items() if file.startswith("bin-")}
    targets = json.loads(body)["signed"]["targets"]
    return {"bin bytes": compact(meta) / len(meta), "file bytes": compact(targets) / len(targets)}


def publish(market, folder, bins, rounds):
    """The medians of some versions, each published on top of what is there."""
    counter = clients.Counter(market.base)
    status = market.submit(folder, "1.0.0")
    path = f"{status['templateId'].lower()}/1.0.0.pdf"
    with Metadata(market.base) as metadata:
        before, root = Seen.by(metadata), 1
        while metadata.get(f"{root + 1}.root.json", (200, 404))[0] == 200: root += 1
    bench.approve(market, status)
    wait_for(market.base, path, bin_file(bin_of(path, bins), bins), before)
    slug = status["templateSlug"]
    player, rng = Player(counter, folder, slug), random.Random(11)
    turns = [publish_one(market, folder, player, root, slug, number, bins, rng) for number in range(1, rounds + 1)]
    figures = {name: statistics.median(turn[name] for turn in turns) for name in turns[0]}
    times = [turn["seconds"] for turn in turns]
    return figures | {"least seconds": min(times), "most seconds": max(times), "rewritten": max(turn["rewritten"] for turn in turns)}


def targets_in_force(market):
    """The version of the targets that a client is told of."""
    with Metadata(market.base) as metadata: return Seen.by(metadata).versions["targets.json"]


def wait_for_targets(market, old):
    """Returns once a client is told of other targets than of that version, and so of all bins by the key that they name."""
    tag, end = None, time.monotonic() + LONGEST
    with Metadata(market.base) as metadata:
        while time.monotonic() < end:
            if seen := Seen.by(metadata, tag):
                tag = seen.tag
                if seen.versions["targets.json"] != old: return
            time.sleep(0.05)
    sys.exit(f"not all bins were signed anew within {LONGEST} seconds")


def sign_anew(market):
    """Seconds from the command for a new key of the bins until a client is told of all bins by it."""
    old = targets_in_force(market)
    begin = time.monotonic()
    bench.run(*market.rotate())
    wait_for_targets(market, old)
    return time.monotonic() - begin


class LostKey:
    """A market whose key of the bins is gone: new keys, all bins signed by them, and a kill halfway."""

    def __init__(self, market, bins):
        self.market, self.bins = market, bins
        self.files = market.sql("SELECT count(*) FROM trust_targets")

    def staged(self):
        return set(self.market.sql("SELECT number || ' ' || staged_version FROM trust_bins WHERE staged_version IS NOT NULL")
                   .splitlines())

    def in_force(self):
        """The version of the targets that a client is told of, and the keys that they name for the bins."""
        version = targets_in_force(self.market)
        with Metadata(self.market.base) as metadata: _, body, _ = metadata.get(f"{version}.targets.json")
        return version, set(json.loads(body)["signed"]["delegations"]["keys"])

    def run(self):
        """Seconds until half of the bins are signed, from the restart until all count, and how many were kept over the kill."""
        market = self.market
        old = self.in_force()
        market.sql("DELETE FROM trust_keys WHERE role = 'bins'")
        begin = time.monotonic()
        # It signs, too: whichever comes first does a step.
        command = subprocess.Popen(market.rotate(), stdout=subprocess.DEVNULL)
        try:
            while len(self.staged()) < self.bins / 2:
                assert targets_in_force(market) == old[0], "all bins were signed before the market could be killed: take more of them"
                if command.poll(): sys.exit("`keys rotate bins` failed")
                time.sleep(0.02)
            first = time.monotonic() - begin
        finally:
            command.kill()
        market.kill()
        command.wait()
        begin = time.monotonic()
        market.restart()
        kept = self.staged()
        assert len(kept) >= self.bins / 2, f"of {self.bins} bins {len(kept)} were signed after the restart"
        wait_for_targets(market, old[0])
        second = time.monotonic() - begin
        self.check(old, kept)
        return {"until the kill": first, "kept": len(kept), "from the restart": second}

    def check(self, old, kept):
        """The new key alone counts, each bin was signed once by it, and no file is missing."""
        market, (version, keys) = self.market, self.in_force()
        assert version == old[0] + 1 and not keys & old[1], (old, version, keys)
        versions = dict(line.split() for line in market.sql("SELECT number || ' ' || version FROM trust_bins").splitlines())
        assert all(versions[line.split()[0]] == line.split()[1] for line in kept), "a bin was signed again after the restart"
        assert market.sql("SELECT count(*) FROM trust_targets") == self.files
        with Metadata(market.base) as metadata:
            for number in (0, self.bins - 1):
                _, body, _ = metadata.get(f"{versions[str(number)]}.{bin_file(number, self.bins)}")
                assert {signature["keyid"] for signature in json.loads(body)["signatures"]} == keys, "not signed by the new key"


def cost(market, folder, files, bins, rounds):
    """Publishes, signs anew, and tells of it."""
    row = publish(market, folder, bins, rounds)
    print(f"    one version: {row['plain']:,.0f} bytes to learn of it, {row['gzip']:,.0f} in gzip, {row['check']:,.0f} by `sheets update "
          f"--check`; {row['seconds']:.1f} s until a client sees it, {row['least seconds']:.1f} to {row['most seconds']:.1f}, of them "
          f"{row['signing']:.2f} from the signer's turn on; bins rewritten: {row['rewritten']}", flush=True)
    if row["kept"] != row["bodies"]:
        print(f"    `sheets` verified and kept {row['kept']:,.0f} bytes of metadata, not {row['bodies']:,.0f}", flush=True)
    best, least = best_bins(files, row["bin bytes"], row["file bytes"])
    row["best bins"] = best
    print(f"    a bin is {row['bin bytes']:.0f} bytes of the snapshot, a file {row['file bytes']:.0f} of its bin: least with {best:,} "
          f"bins, some {least:,.0f} bytes", flush=True)
    row["signed anew"] = sign_anew(market)
    print(f"    all bins by a new key in {row['signed anew']:.1f} s", flush=True)
    return row


def loss(market, bins):
    row = LostKey(market, bins).run()
    print(f"    key lost: {row['until the kill']:.1f} s until the kill, {row['kept']:,} bins kept, {row['from the restart']:.1f} s from the "
          f"restart on", flush=True)
    return row


def table(rows):
    """Lines for docs/trust.md."""
    yield "| bins | files | to learn of one version | in gzip | one version: median, most | from the signer's turn | to sign all anew |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        yield (f"| {row['bins']:,} | {row['files']:,} | {row['plain'] / 1000:.0f} kB | {row['gzip'] / 1000:.0f} kB | "
               f"{row['seconds']:.1f}, {row['most seconds']:.1f} s | {row['signing']:.2f} s | {row['signed anew']:.1f} s |")


def measure(options, report):
    """Measures everything, and enters each market into the report when it is measured."""
    for files in options.sizes:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="smt-", dir=options.folder))
        folder.chmod(0o755)  # the database may run as another user
        (folder / "www").mkdir()
        market = None
        try:
            market = Market(folder)
            market.fill(files)
            for bins in options.bins or [usual_bins(files)]:
                row = {"bins": bins, "files": files, "signed first": market.sign_first(bins)}
                print(f"{files:,} files in {bins:,} bins: signed for the first time in {row['signed first']:.1f} s", flush=True)
                row |= loss(market, bins) if options.lost_key else cost(market, folder, files, bins, options.rounds)
                report[f"{files} files in {bins} bins"] = row
        finally:
            if market: market.stop()
            shutil.rmtree(folder, ignore_errors=True)


def numbers(text):
    return [int(one) for one in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=numbers, help="1000,100000,1000000 without")
    parser.add_argument("--bins", type=numbers, help="each size with each; without, what docs/trust.md advises")
    parser.add_argument("--rounds", type=int, default=9, help="versions that are published at each size")
    parser.add_argument("--lost-key", action="store_true", help="lose the key of the bins instead")
    parser.add_argument("--folder", default="/var/tmp", help="where the markets' data goes")
    parser.add_argument("--programs", default=bench.BIN)
    parser.add_argument("--json")
    options = parser.parse_args()
    if bad := [bins for bins in options.bins or [] if not 16 <= bins <= 16_384 or bins & (bins - 1)]:
        parser.error(f"there can be 16, 32, 64, … or 16384 bins, not {bad[0]}")
    options.sizes = options.sizes or ([] if options.lost_key else [1_000]) + [100_000, 1_000_000]
    bench.BIN = options.programs
    report = {}
    try:
        measure(options, report)
        rows = list(report.values())
        asked = {} if options.lost_key else {(name, "rewritten"): goals.most(1) for name in report}
        missed = goals.judge(report, asked)
    finally:
        # What was measured before something failed is worth keeping, too.
        if options.json:
            with open(options.json, "w") as file: json.dump(report, file, indent=1)
    if not options.lost_key: print("\n" + "\n".join(table(rows)) + "\n", flush=True)
    return goals.conclude(missed)


if __name__ == "__main__":
    sys.exit(main())
