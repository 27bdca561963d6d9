#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `sheets` beside curl and against its goals, on this machine, in the same minutes.

usage: clients.py [--rounds N] [--programs FOLDER] [--json FILE]

A cold installation of 100 templates against `curl --parallel` of the same files, which flushes none of them, and with
flushing them: without a network between, where only what the two programs do themselves counts, and over a line as homes have
them; a check of 500 for updates with nothing
new, and with one new, in milliseconds and bytes; `sheets list` with 1,000 installed; the verification of signed metadata
for 4,096 files; the most memory that the installation of 200 MB takes, and an update of 12 MB by what differs; next versions of
the example sheets as what differs from those before.
Medians of interleaved rounds. Run by `make bench`. Traffic goes to 127.0.0.1 only. A figure that misses its goal is marked
MISSED in its line and in the last one; in the JSON `goals` has each with its figure, its limit and whether it was met. Ends with
3 when a goal is missed, with 1 when it could not measure.
"""
import argparse, asyncio, concurrent.futures, copy, hashlib, http.server, json, os, pathlib, re, shutil, socket, statistics, subprocess, sys, tempfile, threading, time, uuid
import urllib.request

import bench, goals

INSTALLED, CHECKED, LISTED, BIN, LARGE = 100, 500, 1_000, 4_096, 200 << 20
# A line as homes have them: bits a second each way, and seconds until what is sent arrives.
LINE_BITS, LINE_DELAY = 100_000_000, 0.010
# By names in the report.
GOALS = {("install", "ratio"): goals.most(1.3), ("line", "ratio"): goals.most(1.3), ("check", "milliseconds"): goals.most(100),
         ("check", "bytes"): goals.most(20_000), ("list", "milliseconds"): goals.most(30), ("bin", "milliseconds"): goals.most(20),
         ("memory", "megabytes"): goals.most(64), ("update", "megabytes"): goals.most(64)}


def say(report, part, line, **more):
    """Prints a part of the report, and behind it which of its goals it misses."""
    figures = report[part]
    missed = [figure for (name, figure), goal in GOALS.items() if name == part and not goal.is_met(figures[figure])]
    print(line.format(**more, **figures) + (f"  MISSED: {', '.join(missed)}" if missed else ""), flush=True)


class Counter:
    """Passes bytes on to the market, and counts them: in `bytes` those of both ways, in `down` those of answers."""

    def __init__(self, base):
        self.target = ("127.0.0.1", int(base.rsplit(":", 1)[1]))
        self.bytes = self.down = 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            here, _ = self.listener.accept()
            there = socket.create_connection(self.target)
            for one, other, is_answer in ((here, there, False), (there, here, True)):
                threading.Thread(target=self.pass_on, args=(one, other, is_answer), daemon=True).start()

    def pass_on(self, one, other, is_answer):
        try:
            while data := one.recv(1 << 16):
                with self.lock:
                    self.bytes += len(data)
                    if is_answer: self.down += len(data)
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Line:
    """Passes bytes on to the market as a line would that all connections share: each way so many bits a second, in the order
    in which they were sent, and some time later. There is no loss, and no slow start."""

    def __init__(self, base):
        self.target = ("127.0.0.1", int(base.rsplit(":", 1)[1]))
        self.free = dict(up=0.0, down=0.0)
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        listener = asyncio.run_coroutine_threadsafe(asyncio.start_server(self.accept, "127.0.0.1", 0), self.loop).result()
        self.base = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"

    async def accept(self, reader, writer):
        # Until a connection stands, a message has gone there and one has come back.
        await asyncio.sleep(2 * LINE_DELAY)
        there_reader, there_writer = await asyncio.open_connection(*self.target)
        await asyncio.gather(self.pass_on("up", reader, there_writer), self.pass_on("down", there_reader, writer))

    async def pass_on(self, way, reader, writer):
        sent = asyncio.Queue()
        delivery = asyncio.create_task(self.deliver(sent, writer))
        try:
            while data := await reader.read(1 << 14):
                start = max(self.loop.time(), self.free[way])
                self.free[way] = start + len(data) * 8 / LINE_BITS
                sent.put_nowait((self.free[way] + LINE_DELAY, data))
        except OSError:
            pass
        sent.put_nowait((self.loop.time() + LINE_DELAY, None))
        await delivery

    async def deliver(self, sent, writer):
        try:
            while True:
                when, data = await sent.get()
                await asyncio.sleep(max(0, when - self.loop.time()))
                if data is None:
                    break
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()


def publish(market, folder):
    """Templates with files of their own of 200 kB, published and signed; their slugs."""
    market.sql(bench.GAME_SYSTEM)
    for _ in range(INSTALLED):
        bench.publish_artifact(market, folder, 200_000)
    return market.sql("SELECT slug FROM templates WHERE latest_version_id IS NOT NULL ORDER BY slug").split()


def wait_until_signed(market):
    for _ in range(600):
        signed = int(market.sql("SELECT count(*) FROM trust_targets"))
        offered = int(market.sql("SELECT count(*) FROM versions"))
        dirty = int(market.sql("SELECT count(*) FROM trust_bins WHERE is_dirty"))
        if signed == offered and dirty == 0:
            return
        time.sleep(0.2)
    raise SystemExit("not signed within two minutes")


def timed(*argv):
    start = time.perf_counter()
    done = subprocess.run(argv, capture_output=True, text=True, env=dict(os.environ, HOME="/nonexistent"))
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{argv[:3]} ended with {done.returncode}: {done.stderr[-800:]}")
    return seconds, done.stdout


def install(sheets, base, folder, slugs):
    library = folder / f"cold-{uuid.uuid4().hex}"
    seconds, _ = timed(sheets, "install", "--no-progress", "--server", base, "--library", library, *slugs)
    files = {path.name for path in (library / "objects").rglob("*") if path.is_file()}
    shutil.rmtree(library)
    return seconds, files


def flush(path):
    with open(path) as file:
        os.fsync(file)


def curl(base, folder, paths):
    """The same files by curl, as many at once as it likes; and how long it then takes until they would survive a power cut."""
    target = folder / f"curl-{uuid.uuid4().hex}"
    target.mkdir()
    lines = "".join(f'url = "{base}/trust/targets/{path}"\noutput = "{target}/{number}"\n' for number, path in enumerate(paths))
    (folder / "curl.conf").write_text(lines)
    seconds, _ = timed("curl", "-sSf", "--parallel", "--config", folder / "curl.conf")
    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(flush, target.iterdir()))
    flushing = time.perf_counter() - start
    found = {hashlib.sha256(path.read_bytes()).hexdigest() for path in target.iterdir()}
    shutil.rmtree(target)
    return seconds, flushing, found


def compare(sheets, base, folder, slugs, paths, rounds):
    """An installation from an address beside curl of the same files, turn by turn."""
    turns = []
    for _ in range(rounds):
        ours, kept = install(sheets, base, folder, slugs)
        theirs, flushing, fetched = curl(base, folder, paths)
        assert fetched <= kept and len(fetched) == INSTALLED, (len(fetched), len(kept))
        turns.append((ours, theirs, flushing))
    return dict(
        ours=statistics.median(o for o, _, _ in turns), curl=statistics.median(t for _, t, _ in turns),
        ratio=statistics.median(o / t for o, t, _ in turns), flushed=statistics.median(o / (t + f) for o, t, f in turns))


class LargeSheet(http.server.BaseHTTPRequestHandler):
    """A market, made up, of one sheet of LARGE bytes, which signs nothing."""

    protocol_version = "HTTP/1.1"
    piece = os.urandom(1 << 20)
    id = str(uuid.uuid4())

    @classmethod
    def start(cls):
        digest = hashlib.sha256()
        for _ in range(LARGE >> 20):
            digest.update(cls.piece)
        cls.sha256 = digest.hexdigest()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), cls)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}"

    def log_message(self, *_):
        pass

    def answer(self):
        now = "2026-01-01T00:00:00Z"
        version = dict(version="1.0.0", state="published", changelog="", sha256=self.sha256, sizeBytes=LARGE,
                       fileName="large.pdf", pageCount=0, pages=[], downloadURL="/file", publishedAt=now)
        if self.path.endswith("/regions"):
            return dict(pages=[])
        if "/download" in self.path:
            return dict(url="/file", version="1.0.0", fileName="large.pdf", sizeBytes=LARGE, sha256=self.sha256,
                        expiresAt="2036-01-01T00:00:00Z")
        if self.path == "/api/v1/templates/large":
            return dict(id=self.id, slug="large", name="Large", summary="", gameSystem="bench", author="ada", rating=0,
                        ratingCount=0, downloads=0, previewURL="/p", downloadURL="/file", version="1.0.0", pageCount=0,
                        license="CC0-1.0", language="en", tags=[], updatedAt=now, description="", createdAt=now,
                        latest=version)

    def do_GET(self):
        if self.path == "/file":
            self.send_response(200)
            self.send_header("Content-Length", str(LARGE))
            self.end_headers()
            for _ in range(LARGE >> 20):
                self.wfile.write(self.piece)
            return
        found = self.answer()
        body = json.dumps(found or dict(type="about:blank", title="Not there", status=404, code="not_found")).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json" if found else "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def next_versions(sheet, folder):
    """Pairs of an example sheet and its next version: one label changed or a page more, written by the same program, and the
    same sheet written by another one."""
    lines, edited = folder / "sheet.qdf", folder / "edited.qdf"
    bench.run("qpdf", "--qdf", "--object-streams=disable", sheet, lines)
    text = lines.read_bytes()
    label = max(re.findall(rb"\(([^()\\]{4,})\) Tj", text), key=len)
    edited.write_bytes(text.replace(label, label[::-1], 1))
    with open(folder / "mended.qdf", "wb") as mended:
        subprocess.run(["fix-qdf", edited], stdout=mended, check=True)
    pack = ["qpdf", "--object-streams=generate", "--compress-streams=y", "--deterministic-id"]
    old, new, longer = folder / "old.pdf", folder / "new.pdf", folder / "longer.pdf"
    bench.run(*pack, lines, old)
    bench.run(*pack, folder / "mended.qdf", new)
    bench.run(*pack, lines, "--pages", lines, "1-z", lines, "1", "--", longer)
    return dict(label=(old, new), page=(old, longer), writer=(sheet, old))


def differences(folder):
    """How long what differs is, in parts of the file, by what changed; least, median and most of the examples."""
    parts = {}
    for sheet in sorted((pathlib.Path(bench.ROOT) / "examples/sheets").glob("*.pdf")):
        for change, (old, new) in next_versions(sheet, folder).items():
            made = json.loads(bench.run(os.path.join(bench.BIN, "market-bench"), "delta", old, new))
            parts.setdefault(change, []).append(made["delta"] / made["file"])
    return {change: dict(least=min(p), median=statistics.median(p), most=max(p)) for change, p in parts.items()}


def update_large(market, folder, sheets):
    """The most memory of an update of nearly 12 MB by what differs, and the bytes that came."""
    body = bytearray(bench.artifact((12 << 20) - 1000))
    slug = bench.publish(market, str(folder), bytes(body))
    body[6 << 20:(6 << 20) + 500] = os.urandom(500)
    bench.publish(market, str(folder), bytes(body), "1.1.0", slug)
    for _ in range(600):
        if int(market.sql("SELECT count(*) FROM artifact_deltas")):
            break
        time.sleep(0.2)
    wait_until_signed(market)
    counter = Counter(market.base)
    options = ["--server", counter.base, "--library", folder / "large-update", "--no-progress"]
    timed(sheets, "install", *options, f"{slug}@1.0.0")
    before = counter.bytes
    _, megabytes = bench.peak_memory(sheets, "update", *options)
    time.sleep(0.1)
    return dict(megabytes=megabytes, bytes=counter.bytes - before)


def fill(library, count, base, rows):
    """Records of `count` templates as the market has them, made of an installed one. Nothing here reads their files."""
    folder = library / "templates"
    model_path = next(folder.iterdir())
    model = json.loads(model_path.read_text())
    model_path.unlink()
    for template, slug, sha256 in rows[:count]:
        record = copy.deepcopy(model)
        record["template"].update(id=template, slug=slug, name=f"Sheet {slug}")
        record["server"] = base
        record["installed"].update(sha256=sha256, version="1.0.0")
        record["versions"][0]["detail"].update(sha256=sha256, version="1.0.0")
        (folder / f"{template}.json").write_text(json.dumps(record, separators=(",", ":")))


def measure(options, report):
    """Measures everything, and enters each part into the report when it is measured."""
    sheets = os.path.join(options.programs, "sheets")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="smc-", dir="/tmp"))
    folder.chmod(0o755)
    (folder / "www").mkdir()
    market = bench.Server(str(folder))
    try:
        slugs = publish(market, str(folder))[:INSTALLED]
        wait_until_signed(market)
        rows = market.sql("SELECT t.id || '/' || encode(v.artifact_sha256, 'hex') || '.' || v.number || '.pdf' FROM versions AS v "
                          "JOIN templates AS t ON t.id = v.template_id ORDER BY t.slug").split()
        install(sheets, market.base, folder, slugs[:2])
        for name, way, base in (("install", "", market.base),
                                ("line", " over a line of 100 Mbit/s, 20 ms there and back", Line(market.base).base)):
            report[name] = compare(sheets, base, folder, slugs, rows, options.rounds)
            say(report, name, "cold installation of {count}{way} / curl --parallel: {ours:.3f} / {curl:.3f} s, {ratio:.2f} times "
                "(goal: 1.3); {flushed:.2f} times with flushing", count=INSTALLED, way=way)

        # Templates that share one file: checking and listing read no files.
        counter = Counter(market.base)
        library = folder / "library"
        timed(sheets, "install", "--no-progress", "--server", counter.base, "--library", library, slugs[0])
        bench.TEMPLATES = LISTED
        sql = open(os.path.join(bench.HERE, "load.sql")).read().replace(":count", str(LISTED))
        market.sql(sql.replace("INSERT INTO game_systems", "-- INSERT INTO game_systems", 1))
        wait_until_signed(market)
        made = [line.split("|") for line in market.sql(
            "SELECT t.id, t.slug, encode(v.artifact_sha256, 'hex') FROM templates AS t JOIN versions AS v ON v.id = "
            "t.latest_version_id WHERE t.slug ~ '^bench-[0-9]+$' ORDER BY t.id").splitlines()]
        fill(library, CHECKED, counter.base, made)
        check = [sheets, "update", "--check", "--server", counter.base, "--library", library]
        timed(*check)
        times, sizes = [], []
        for _ in range(options.rounds * 3):
            before = counter.bytes
            seconds, text = timed(*check)
            assert "up to date" in text, text
            times.append(seconds * 1000)
            time.sleep(0.05)
            sizes.append(counter.bytes - before)
        report["check"] = dict(milliseconds=statistics.median(times), bytes=statistics.median(sizes))
        say(report, "check", "check of {count} for updates: {milliseconds:.0f} ms, {bytes:.0f} bytes (goals: 100 ms, 20,000 bytes)",
            count=CHECKED)

        # One of them changes: the feed tells of it, and all are asked about.
        market.sql(f"UPDATE templates SET summary = summary || '.' WHERE id = '{made[0][0]}'")
        time.sleep(0.5)
        before = counter.bytes
        seconds, _ = timed(*check)
        time.sleep(0.05)
        report["changed"] = dict(milliseconds=seconds * 1000, bytes=counter.bytes - before)
        say(report, "changed", "the same after a change of one: {milliseconds:.0f} ms, {bytes:.0f} bytes")

        fill(library, LISTED, counter.base, made)
        timed(sheets, "list", "--library", library)
        times = [timed(sheets, "list", "--library", library)[0] * 1000 for _ in range(options.rounds * 3)]
        bare = [timed(sheets, "--version")[0] * 1000 for _ in range(options.rounds * 3)]
        report["list"] = dict(milliseconds=statistics.median(times), start=statistics.median(bare))
        say(report, "list", "list of {count}: {milliseconds:.0f} ms, of which the start {start:.0f} (goal: 30 ms)", count=LISTED)
        report["memory"] = dict(megabytes=bench.peak_memory(
            sheets, "install", "large", "--server", LargeSheet.start(), "--library", folder / "large")[1])
        say(report, "memory", "most memory for a file of {size:.0f} MB: {megabytes:.0f} MB (goal: 64 MB)", size=LARGE / 1e6)
        report["update"] = update_large(market, folder, sheets)
        say(report, "update", "update of 12 MB by what differs: {bytes:,} bytes in all, {megabytes:.0f} MB of memory (goal: 64 MB)")
        report["differences"] = differences(folder)
        for change, part in report["differences"].items():
            print("next versions of the examples ({}): {least:.1%} to {most:.1%} of the file, {median:.1%} in the middle".format(
                change, **part), flush=True)
        report["bin"] = json.loads(bench.run(os.path.join(options.programs, "market-bench"), "trust", "--files", str(BIN)))
        say(report, "bin", "verification of a bin of {count}: {milliseconds:.1f} ms (goal: 20 ms)", count=BIN)
    finally:
        market.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs", default=bench.BIN)
    parser.add_argument("--json")
    options = parser.parse_args()
    bench.BIN = options.programs
    report = {}
    try:
        measure(options, report)
        missed = goals.judge(report, GOALS)
    finally:
        # What was measured before something failed is worth keeping, too.
        if options.json:
            with open(options.json, "w") as file:
                json.dump(report, file, indent=1)
    return goals.conclude(missed)


if __name__ == "__main__":
    sys.exit(main())
