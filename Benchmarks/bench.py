#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the market with pgbench and nginx on this machine, in the same minutes.

usage: bench.py [--rounds N] [--seconds S] [--only readers,ink,driver,detail,database,first,list,artifact,accel,middleware]
                [--rows limits,…] [--json FILE]

Each figure is the median of the ratios of interleaved pairs (ours, reference, ours, reference, …): absolute numbers
drift with the machine, ratios much less. Run by `make bench`, which builds the release binaries first. Ends with 3 when a figure
of a part that ran misses its goal, and names those in its last line; with 1 when it could not measure. The JSON has in `goals`
each with its figure, its limit and whether it was met.
Needs wrk, nginx, pgbench and psql (installed by `make setup`). Traffic goes to 127.0.0.1 only.
"""
import argparse, glob, json, os, re, shutil, signal, statistics, subprocess, sys, tempfile, time, urllib.request, uuid, zlib

import goals

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BIN = os.path.join(ROOT, ".build", "release")
PGBIN = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda p: int(p.split("/")[4]))
TEMPLATES = 20_000
# Who makes the mix of reads and changes, administrators all. Nothing divides it and ten, so that everybody does both.
PEOPLE = 31
PARTS = "readers,ink,driver,detail,database,first,list,artifact,accel,middleware"
# By names in the report: ratios to the references, seconds and milliseconds, points, and the share of a plain read.
GOALS = {
    ("driver", "ratio"): goals.least(1.0), ("detail", "ratio"): goals.least(0.4), ("database", "ratio"): goals.least(0.4),
    ("first", "ratio"): goals.least(0.4), ("list", "ratio"): goals.least(0.35),
    ("artifact", "ratio"): goals.least(0.6), ("ink", "write 50"): goals.most(1), ("ink", "read 50"): goals.most(1),
    ("ink", "write 10000"): goals.most(100), ("ink", "read 10000"): goals.most(100),
    ("ink", "times smaller than exact JSON"): goals.least(5), ("ink", "loss"): goals.most(0.02),
    ("ink", "export"): goals.most(3), ("ink", "export one"): goals.most(0.5), ("middleware", "mix", "share"): goals.most(0.10),
}

DRIVER_SQL = """\\set n random(1, 10000)
SELECT id, title, slug, price, currency, status, author, rating, downloads, created FROM bench_items WHERE id = :n;
"""

DETAIL_SCRIPT = """
local ids = {}
for line in io.lines(os.getenv("BENCH_IDS")) do ids[#ids + 1] = line end
local random = math.random
local asked = 0
local token = os.getenv("BENCH_TOKEN")
-- A prefix of its own for each run: wrk draws the same random numbers every time, and answers are kept for half a minute.
local cold = os.getenv("BENCH_COLD")
local headers = token and { ["Authorization"] = "Bearer " .. token, ["Idempotency-Key"] = os.getenv("BENCH_KEY") } or nil
-- A cold answer is asked for at an address of its own: of a parameter that stands twice the first counts.
request = function()
  asked = asked + 1
  return wrk.format("GET", "/api/v1/templates/" .. ids[random(#ids)] .. (cold and "?channel=stable&channel=" .. cold .. asked or ""), headers)
end
"""

# Each template once: nothing is known of it, neither its answer nor what its row says in JSON.
FIRST_SCRIPT = """
local ids = {}
for line in io.lines(os.getenv("BENCH_IDS")) do ids[#ids + 1] = line end
local asked = 0
request = function()
  asked = asked + 1
  return wrk.format("GET", "/api/v1/templates/" .. ids[(asked - 1) % #ids + 1])
end
"""

# Votes on reviews: the change that the most people make, and no two of them wait for each other.
CHANGE_SCRIPT = """
local ids = {}
for line in io.lines(os.getenv("BENCH_IDS")) do ids[#ids + 1] = line end
local run, asked = os.getenv("BENCH_RUN"), 0
request = function()
  asked = asked + 1
  local headers = { ["Authorization"] = "Bearer " .. os.getenv("BENCH_TOKEN"), ["Content-Type"] = "application/json" }
  if run then headers["Idempotency-Key"] = run .. "-" .. asked end
  return wrk.format("POST", "/api/v1/reviews/" .. ids[asked % #ids + 1] .. "/votes", headers, '{"helpful":true}')
end
"""

# Nine reads of the database and a change, by many people in turns. Changes come with a token on both sides, since nobody may
# make them without.
MIX_SCRIPT = """
local function lines(name)
  local all = {}
  for line in io.lines(os.getenv(name)) do all[#all + 1] = line end
  return all
end
local templates, reviews, tokens = lines("BENCH_IDS"), lines("BENCH_REVIEWS"), lines("BENCH_TOKENS")
local run, key, asked = os.getenv("BENCH_RUN"), os.getenv("BENCH_KEY"), 0
request = function()
  asked = asked + 1
  local isChange = asked % 10 == 0
  local headers = {}
  if key or isChange then headers["Authorization"] = "Bearer " .. tokens[asked % #tokens + 1] end
  if key then headers["Idempotency-Key"] = run .. "-" .. asked end
  if isChange then
    headers["Content-Type"] = "application/json"
    return wrk.format("POST", "/api/v1/reviews/" .. reviews[asked / 10 % #reviews + 1] .. "/votes", headers, '{"helpful":true}')
  end
  return wrk.format("GET", "/api/v1/templates/" .. templates[math.random(#templates)] .. "?channel=stable&channel=" .. run .. asked, headers)
end
"""

# Of templates that are published where `load` has made none.
GAME_SYSTEM = "INSERT INTO game_systems (slug, name, publisher, aliases) VALUES ('bench', 'Bench', 'Nobody', '{}')"

# As many as this machine ever answers, so that nothing is refused. What is spent is reported as a 64th of a bucket is, seldom.
LIMITS_ON = {f"SHEETMARKET_LIMIT_{name}": "12000000/1m" for name in ("ADDRESS", "ACCOUNT", "TOKEN", "INVALID_CREDENTIALS")}
LIMITS_OFF = {name: "off" for name in LIMITS_ON}


def run(*argv, **more):
    done = subprocess.run(argv, text=True, capture_output=True, **more)
    if done.returncode: sys.exit(f"{argv[0]} ended with {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


# Starts a program and tells, last of all, its status and the most memory that it had. What a process has before it becomes
# the program counts as the program's (exec(2) keeps it), and so a small one starts it, not this one.
MEASURED = """
import os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stderr=subprocess.STDOUT)
_, status, usage = os.wait4(child.pid, 0)
print(f"\\n{status} {time.perf_counter() - start} {usage.ru_maxrss}")
"""


def peak_memory(*argv):
    """Seconds that a program took, and the most memory that it had at once, in MB."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", MEASURED, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text, _, last = done.stdout.rstrip().rpartition("\n")
    status, seconds, kilobytes = last.split()
    if int(status): sys.exit(f"{argv[:3]} ended with {status}: {text[-800:]}")
    return float(seconds), int(kilobytes) / 1024


class Server:
    """A marketplace of its own, as `sheetmarket up` makes it, with generated templates in it."""

    def __init__(self, folder, name="data", settings=LIMITS_ON):
        self.data = os.path.join(folder, name)
        self.log = open(os.path.join(folder, f"{name}.log"), "w")
        environment = dict(os.environ, SHEETMARKET_LOG_LEVEL="warning", **settings)
        self.child = subprocess.Popen(
            [os.path.join(BIN, "sheetmarket"), "up", "--data", self.data, "--listen", "127.0.0.1:0", "--no-examples"],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        line = self.child.stdout.readline().strip()
        if not line.startswith("ready "):
            sys.exit(f"the market did not start: {line!r}, see {self.log.name}")
        # Otherwise something else than what is asked for would be measured.
        unknown = [name for name in settings if f'not a setting; see `sheetmarket settings`","name":"{name}"' in open(self.log.name).read()]
        if unknown:
            self.stop()
            sys.exit(f"the market has no setting {', '.join(unknown)}")
        self.base = line.removeprefix("ready ")
        self.token = open(os.path.join(self.data, "admin-token")).read().strip()
        sockets = glob.glob(os.path.join(self.data, "**", ".s.PGSQL.5432"), recursive=True)
        self.socket = os.path.dirname(sockets[0])
        self.conninfo = f"host={self.socket} port=5432 user=sheetmarket dbname=sheetmarket"

    def sql(self, text):
        return run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-At", self.conninfo, input=text)

    def new_token(self, handle):
        return run(os.path.join(BIN, "sheetmarket"), "admin", "token", "--handle", handle, "--data", self.data).strip()

    def processor(self):
        """Seconds of processor time that the service and its database have used."""
        children, used = {}, {}
        for path in glob.glob("/proc/[0-9]*/stat"):
            try: fields = open(path).read().rsplit(")", 1)[1].split()
            except OSError: continue
            number = int(path.split("/")[2])
            children.setdefault(int(fields[1]), []).append(number)
            # Its own, and that of children it has waited for: backends come and go.
            used[number] = sum(map(int, fields[11:15]))
        total, open_ = 0, [self.child.pid]
        while open_:
            number = open_.pop()
            total += used.get(number, 0)
            open_ += children.get(number, [])
        return total / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(30)


def load(market):
    """Templates with one published version of two pages each, all sharing one artifact row."""
    market.sql(open(os.path.join(HERE, "load.sql")).read().replace(":count", str(TEMPLATES)))
    # In no order that the database has them in.
    return market.sql("SELECT slug FROM templates WHERE latest_version_id IS NOT NULL ORDER BY md5(slug)").split()


def artifact(size):
    """A PDF of `size` bytes, of which nobody has seen the like."""
    body = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
    objects = [0, len(b"%PDF-1.4\n")]
    def add(text):
        nonlocal body
        objects.append(len(body)); body += text
    add(b"2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n")
    add(b"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>\nendobj\n")
    content = b"40 40 515 762 re S\n"
    add(b"4 0 obj\n<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream\nendobj\n")
    ballast = os.urandom(size - len(body) - 420)
    add(b"5 0 obj\n<< /Length %d >>\nstream\n" % len(ballast) + ballast + b"\nendstream\nendobj\n")
    start = len(body)
    body += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % o for o in objects[1:])
    return body + b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start


def submit(market, folder, body, version="1.0.0", template=None):
    """A real upload through the API of a new template or a version of one; its state once it waits for a moderator."""
    path = os.path.join(folder, "www", "artifact.pdf")
    open(path, "wb").write(body)
    metadata = os.path.join(folder, "metadata.json")
    json.dump(dict(name="Bench artifact", summary="For measuring.", description="", gameSystem="bench", tags=[],
                   license="CC0-1.0", language="en", version=version, changelog=""), open(metadata, "w"))
    auth = ["-H", f"Authorization: Bearer {market.token}"]
    api = market.base + "/api/v1"
    answer = json.loads(run("curl", "-sSf", *auth, "-F", f"metadata=@{metadata};type=application/json",
                            "-F", f"file=@{path};type=application/pdf",
                            f"{api}/templates/{template}/versions" if template else f"{api}/templates"))
    for _ in range(300):
        status = json.loads(run("curl", "-sSf", *auth, f"{api}/submissions/{answer['id']}"))
        if status["state"] in ("awaiting_review", "rejected"): break
        time.sleep(0.1)
    if status["state"] != "awaiting_review": sys.exit(f"the bench artifact was refused: {status['findings']}")
    return status


def claim(market, status):
    run("curl", "-sSf", "-H", f"Authorization: Bearer {market.token}", "-X", "POST",
        f"{market.base}/api/v1/moderation/cases/{status['caseId']}/claim")


def approve(market, status):
    """Publishes what was claimed: its version is committed when this returns."""
    run("curl", "-sSf", "-H", f"Authorization: Bearer {market.token}", "-H", "Content-Type: application/json", "-d",
        json.dumps(dict(decision="approve", reasonCode="meets_guidelines", message="ok")),
        f"{market.base}/api/v1/moderation/cases/{status['caseId']}/decision")


def publish(market, folder, body, version="1.0.0", template=None):
    """The same, approved; the template's slug."""
    status = submit(market, folder, body, version, template)
    claim(market, status)
    approve(market, status)
    return status["templateSlug"]


def publish_artifact(market, folder, size):
    """The same of `size` bytes of its own; the signed address of the file, which lies in `folder`, too."""
    slug = publish(market, folder, artifact(size))
    ticket = json.loads(run("curl", "-sSf", f"{market.base}/api/v1/templates/{slug}/versions/latest/download?redirect=false"))
    url = ticket["url"]
    return url if url.startswith("http") else market.base + url


class Nginx:
    """Serves the folder www itself and, where there is one, a market before which it stands, whose files it sends."""

    def __init__(self, folder, behind=None):
        self.port = 18088
        behind_it = f"""
  upstream market {{ server {behind.base.split("//")[1]}; keepalive 64; }}
  server {{ listen 127.0.0.1:{self.port + 1}; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
    location / {{ proxy_pass http://market; }}
    location /internal/objects/ {{ internal; alias {behind.data}/storage/objects/; }} }}""" if behind else ""
        os.makedirs(os.path.join(folder, "nginx"), exist_ok=True)
        conf = os.path.join(folder, "nginx.conf")
        open(conf, "w").write(f"""
user {'root' if os.getuid() == 0 else 'nobody'};
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.err;
events {{ worker_connections 512; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; types {{ application/pdf pdf; application/json json; }}
  client_body_temp_path {folder}/nginx/b; proxy_temp_path {folder}/nginx/p; fastcgi_temp_path {folder}/nginx/f; uwsgi_temp_path {folder}/nginx/u; scgi_temp_path {folder}/nginx/s;
  server {{ listen 127.0.0.1:{self.port}; root {folder}/www; }}{behind_it} }}""")
        self.child = subprocess.Popen(["nginx", "-c", conf], stderr=subprocess.DEVNULL)
        for _ in range(100):
            try: urllib.request.urlopen(f"http://127.0.0.1:{self.port}/artifact.pdf"); break
            except OSError: time.sleep(0.05)
        self.base = f"http://127.0.0.1:{self.port}"
        self.proxy = f"http://127.0.0.1:{self.port + 1}"

    def stop(self):
        self.child.terminate(); self.child.wait(10)


def milliseconds(text):
    found = re.match(r"([\d.]+)(us|ms|s|m)$", text)
    return float(found[1]) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[found[2]] if found else float("nan")


def wrk(url, seconds, script=None, env=None):
    argv = ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency"] + (["-s", script] if script else []) + [url]
    out = run(*argv, env=env)
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if bad: sys.exit(f"{url}: {bad.group(0)}")
    return dict(count=int(re.search(r"(\d+) requests in", out).group(1)), rate=float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)),
                p50=milliseconds(re.search(r"50%\s+(\S+)", out).group(1)),
                p99=milliseconds(re.search(r"99%\s+(\S+)", out).group(1)))


def pgbench(market, folder, script, seconds):
    path = os.path.join(folder, "pgbench.sql"); open(path, "w").write(script)
    out = run(os.path.join(PGBIN, "pgbench"), "-n", "-M", "prepared", "-c16", "-j1", "-T", str(seconds), "-f", path,
              "-h", market.socket, "-p", "5432", "-U", "sheetmarket", "sheetmarket")
    return dict(rate=float(re.search(r"tps = ([\d.]+)", out).group(1)))


def driver(market, seconds):
    return json.loads(run(os.path.join(BIN, "market-bench"), "driver", "--connection", market.conninfo,
                          "--seconds", str(seconds), "--tasks", "64"))


def readers():
    """What a file costs beyond its reading, with a reader that stands ready and with one started for it."""
    rows = [json.loads(run(os.path.join(BIN, "market-bench"), "readers", "--reader", os.path.join(BIN, "sheet-inspect")))
            for _ in range(3)]
    median = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
    print(f"one tiny sheet read in its sandbox\n    {median['ready']:.2f} ms by a reader that stands ready  "
          f"{median['fresh']:.2f} ms by one started for it  ratio {median['ready'] / median['fresh']:.2f}", flush=True)
    return median


def ink():
    """Drawings and archives of characters: times, and sizes against the same strokes as JSON packed by zlib."""
    with tempfile.TemporaryDirectory(prefix="smb-") as folder:
        f = json.loads(run(os.path.join(BIN, "market-bench"), "ink", "--folder", folder))
        for name in ("exact", "rounded"):
            packed = len(zlib.compress(open(os.path.join(folder, f"{name}.json"), "rb").read(), 9))
            f[f"times smaller than {name} JSON"] = packed / f["bytes 50"]
        for count in (50, 10000):
            path = os.path.join(folder, f"deltas-{count}")
            data = open(path, "rb").read()
            begun = time.perf_counter()
            f[f"deltas zlib bytes {count}"] = len(zlib.compress(data, 9))
            f[f"deltas zlib {count}"] = (time.perf_counter() - begun) * 1000
            for level in (3, 19):
                begun = time.perf_counter()
                packed = subprocess.run(["zstd", "-q", f"-{level}", "-c", path], capture_output=True, check=True).stdout
                f[f"deltas zstd -{level} bytes {count}"] = len(packed)
                f[f"deltas zstd -{level} {count}"] = (time.perf_counter() - begun) * 1000
        f.update(pdf(folder))
        f.update(archives(folder))
    f["loss"] = max(f["loss 50"], f["loss 10000"])
    print(f"drawings of {f['points 50']:.0f} and {f['points 10000']:.0f} points\n"
          f"    50 strokes written in {f['write 50']:.2f} ms, read in {f['read 50']:.2f} ms; 10,000 in {f['write 10000']:.0f} and "
          f"{f['read 10000']:.0f} ms; off by at most {f['loss']:.4f} points\n"
          f"    bytes a point of 10,000 strokes: ours {f['bytes 10000'] / f['points 10000']:.2f}, deltas with zlib "
          f"{f['deltas zlib bytes 10000'] / f['points 10000']:.2f}, zstd -3 {f['deltas zstd -3 bytes 10000'] / f['points 10000']:.2f}, "
          f"zstd -19 {f['deltas zstd -19 bytes 10000'] / f['points 10000']:.2f}\n"
          f"    {f['times smaller than exact JSON']:.1f} times smaller than JSON of the same strokes packed by zlib, "
          f"{f['times smaller than rounded JSON']:.1f} times if that is rounded first\n"
          f"    100 characters of 10 pages: exported in {f['export']:.2f} s with {f['export MB']:.0f} MB, verified in {f['verify']:.2f} s with "
          f"{f['verify MB']:.0f} MB, imported in {f['import']:.1f} s with {f['import MB']:.0f} MB, backed up in {f['backup']:.1f} s with "
          f"{f['backup MB']:.0f} MB, restored in {f['restore']:.1f} s with {f['restore MB']:.0f} MB; one exported in {f['export one']:.2f} s "
          f"with {f['export one MB']:.0f} MB (goals: 3 s, 0.5 s)", flush=True)
    return f


def archives(folder):
    """What `sheets` needs for 100 characters of ten pages with 50 strokes each, and for one of them: seconds and megabytes."""
    sheet, archive, packed = (os.path.join(folder, name) for name in ("ten.pdf", "hundred.ttrpg", "packed.ttrpg"))
    run(os.path.join(BIN, "market-bench"), "ink-archive", "--sheet", sheet, "--pages", "10", "--characters", "100", archive)
    library, backups = (os.path.join(folder, name) for name in ("hundred", "backups"))
    sheets = lambda *words: peak_memory(os.path.join(BIN, "sheets"), *words, "--library", library)
    packing = ["archive", "export", "--force", "--output", packed]
    steps = {
        "import": [sheets("archive", "import", archive)], "export": [sheets(*packing) for _ in range(3)],
        "export one": [sheets(*packing, "Hero 7") for _ in range(9)], "backup": [sheets("backup", "--folder", backups)],
        "verify": [peak_memory(os.path.join(BIN, "sheets"), "archive", "verify", archive) for _ in range(3)]}
    shutil.rmtree(library)
    steps["restore"] = [sheets("backup", "restore", "--folder", backups)]
    figures = {name: statistics.median(seconds for seconds, _ in turns) for name, turns in steps.items()}
    return figures | {f"{name} MB": max(size for _, size in turns) for name, turns in steps.items()}


def pdf(folder):
    """A character of ten pages with 50 strokes each, written into a PDF by `sheets export`, beside qpdf copying its sheet."""
    sheet, copy, archive = (os.path.join(folder, name) for name in ("ten.pdf", "copy.pdf", "ten.ttrpg"))
    example = os.path.join(ROOT, "examples", "sheets", "lantern-and-blade.pdf")
    run("qpdf", "--empty", "--pages", example, "1,2,1,2,1,2,1,2,1,2", "--", sheet)
    run(os.path.join(BIN, "market-bench"), "ink-archive", "--sheet", sheet, "--pages", "10", archive)
    sheets = [os.path.join(BIN, "sheets"), "--library", os.path.join(folder, "library")]
    run(sheets[0], "archive", "import", archive, *sheets[1:])
    makers = {"content": [sheets[0], "export", "Hero 1", "--force", "--pdf", copy, *sheets[1:]], "qpdf": ["qpdf", sheet, copy]}
    makers["flat"] = makers["content"] + ["--flatten"]
    turns = {name: [] for name in makers}
    for _ in range(15):
        for name, command in makers.items():
            start = time.perf_counter()
            run(*command)
            turns[name].append((time.perf_counter() - start) * 1000)
    ratio = {name: statistics.median(ours / theirs for ours, theirs in zip(turns[name], turns["qpdf"])) for name in makers}
    median = {name: statistics.median(turn) for name, turn in turns.items()}
    print(f"    10 pages with 50 strokes each into a PDF in {median['content']:.0f} ms, flattened in {median['flat']:.0f} ms; qpdf copies the "
          f"sheet in {median['qpdf']:.0f} ms: {ratio['content']:.1f} and {ratio['flat']:.1f} times", flush=True)
    return {"pdf": median["content"], "pdf flattened": median["flat"], "pdf / qpdf": ratio["content"]}


def first(market, env, folder, seconds):
    """Templates in full whose rows the service has never seen so: it is told of a change, and all rows say something else."""
    changed = market.sql("WITH u AS (UPDATE template_ratings SET prior_mean = prior_mean + 0.001 RETURNING 1) SELECT count(*) FROM u")
    if int(changed) < TEMPLATES: sys.exit(f"only {changed.strip()} of {TEMPLATES} templates say something else")
    market.sql("VACUUM template_ratings")
    market.sql("NOTIFY catalog")
    time.sleep(0.5)
    done = wrk(market.base, seconds, os.path.join(folder, "first.lua"), env)
    if done["count"] > TEMPLATES: sys.exit(f"{done['count']} templates were asked for in {seconds} s, and there are {TEMPLATES}")
    return done


def middleware(market, folder, a):
    """What limits, a credential and an Idempotency-Key cost: the same call with and without, in turns, by the processor time of
    service and database together, which waiting for locks and disks does not touch; as a share of a plain read of the database.
    A turn lasts a second, however long `--seconds` is, and there are the more of them: the machine's speed drifts within seconds."""
    open(os.path.join(folder, "change.lua"), "w").write(CHANGE_SCRIPT)
    open(os.path.join(folder, "mix.lua"), "w").write(MIX_SCRIPT)
    free = Server(folder, "unlimited", LIMITS_OFF)
    try:
        ids = {one: os.path.join(folder, f"ids-{name}") for one, name in ((market, "on"), (free, "off"))}
        for one in (market, free):
            slugs = load(one) if one is free else open(os.path.join(folder, "ids")).read().split()
            open(ids[one], "w").write("\n".join(slugs))
        script, change, mixed = (os.path.join(folder, name) for name in ("detail.lua", "change.lua", "mix.lua"))

        def timed(one, script, **more):
            before = one.processor()
            done = wrk(one.base, 1, script, dict(dict(os.environ, BENCH_IDS=ids[one]), **more))
            return dict(done, processor=(one.processor() - before) * 1e6 / done["count"])

        cold = lambda one, **more: timed(one, script, BENCH_COLD=uuid.uuid4().hex, **more)
        reviews = {one: os.path.join(folder, f"reviews-{name}") for one, name in ((market, "on"), (free, "off"))}
        tokens = {one: os.path.join(folder, f"tokens-{name}") for one, name in ((market, "on"), (free, "off"))}
        for one, path in reviews.items():
            open(path, "w").write(one.sql("SELECT id FROM reviews ORDER BY id"))
            open(tokens[one], "w").write("".join(one.new_token(f"person-{n}") + "\n" for n in range(PEOPLE)))

        def write(one, **more):
            one.sql("TRUNCATE review_votes")
            return timed(one, change, BENCH_TOKEN=one.token, BENCH_IDS=reviews[one], **more)

        def mix(one, **more):
            one.sql("TRUNCATE review_votes")
            return timed(one, mixed, BENCH_TOKENS=tokens[one], BENCH_REVIEWS=reviews[one], BENCH_RUN=uuid.uuid4().hex, **more)

        rows = {
            "limits": ("a read of the database, calls limited / not", lambda: cold(market), lambda: cold(free)),
            "limits-cached": ("a read from the cache, calls limited / not", lambda: timed(market, script), lambda: timed(free, script)),
            "limits-change": ("a change, calls limited / not", lambda: write(market), lambda: write(free)),
            "credential": ("a read of the database with a token / without", lambda: cold(market, BENCH_TOKEN=market.token),
                           lambda: cold(market)),
            "all": ("a read of the database with limits, a token and an Idempotency-Key / with none of them",
                    lambda: cold(market, BENCH_TOKEN=market.token, BENCH_KEY=uuid.uuid4().hex), lambda: cold(free)),
            "mix": ("ten requests, one of them a change, with limits, tokens and Idempotency-Keys / without, but for changes' tokens",
                    lambda: mix(market, BENCH_KEY="yes"), lambda: mix(free)),
            "idempotency": ("a change with an Idempotency-Key / without", lambda: write(market, BENCH_RUN=uuid.uuid4().hex),
                            lambda: write(market)),
        }
        wanted = a.rows.split(",") if a.rows else list(rows)
        unknown = [name for name in wanted if name not in rows]
        if unknown: sys.exit(f"middleware has no row {', '.join(unknown)}: there are {', '.join(rows)}")
        report = {}
        for name in wanted:
            title, ours, reference = rows[name]
            ours(); reference()
            # Plans made for empty tables go, as autovacuum lets them within a minute.
            for one in (market, free): one.sql("SET client_min_messages = error; ANALYZE")
            # The plain read is measured anew with each pair. Every other time all three go the other way round.
            turns = []
            for number in range(a.rounds * a.seconds):
                runs = [ours, reference, lambda: cold(free)]
                turns.append([call() for call in runs] if number % 2 else [call() for call in reversed(runs)][::-1])
            middle = lambda of: statistics.median(of(*turn) for turn in turns)
            with_it, without, plain = (middle(lambda *turn: turn[place]["processor"]) for place in range(3))
            cost = middle(lambda o, r, _: o["processor"] - r["processor"])
            share = middle(lambda o, r, p: (o["processor"] - r["processor"]) / p["processor"])
            own = middle(lambda o, r, _: o["processor"] / r["processor"] - 1)
            report[name] = dict(title=title, rate=middle(lambda o, r, _: o["rate"] / r["rate"]), withIt=with_it, without=without,
                                plain=plain, cost=cost, share=share, own=own)
            print(f"{title}\n    {with_it:,.0f} / {without:,.0f} µs of processor time  {cost:+.0f} µs, {own:+.1%}, {share:+.1%} of a plain"
                  f" read of {plain:,.0f} µs  rates {report[name]['rate']:.2f}", flush=True)
        return report
    finally:
        free.stop()


def asked_goals(parts, rows):
    """The goals of what is measured: of `rows` of the middleware alone where there are any."""
    return {path: goal for path, goal in GOALS.items()
            if path[0] in parts and (path[0] != "middleware" or not rows or path[1] in rows)}


def measure(a, parts, report):
    """Measures the parts, and enters each into the report when it is measured."""
    if "readers" in parts: report["readers"] = readers()
    if "ink" in parts: report["ink"] = ink()
    parts = [part for part in parts if part not in ("readers", "ink")]
    if not parts: return
    folder = tempfile.mkdtemp(prefix="smb-", dir="/tmp"); os.chmod(folder, 0o755)
    os.makedirs(os.path.join(folder, "www"))
    market = nginx = handing = None
    try:
        market = Server(folder)
        ids = load(market)
        open(os.path.join(folder, "ids"), "w").write("\n".join(ids))
        artifact = publish_artifact(market, folder, 200_000)
        list_path = "/api/v1/templates?limit=20"
        open(os.path.join(folder, "www", "list.json"), "wb").write(urllib.request.urlopen(market.base + list_path).read())
        open(os.path.join(folder, "detail.lua"), "w").write(DETAIL_SCRIPT)
        open(os.path.join(folder, "first.lua"), "w").write(FIRST_SCRIPT)
        if "accel" in parts:
            handing = Server(folder, "handing", LIMITS_ON | {"SHEETMARKET_ACCEL_PATH": "/internal/objects"})
            handing.sql(GAME_SYSTEM)
            handed = publish_artifact(handing, folder, 200_000)[len(handing.base):]
        nginx = Nginx(folder, handing)
        env = dict(os.environ, BENCH_IDS=os.path.join(folder, "ids"))
        detail_sql = open(os.path.join(ROOT, "Benchmarks", "detail.sql")).read()
        pairs = {
            "driver": ("single-row reads, 64 tasks / pgbench -M prepared -c16 -j1", lambda: driver(market, a.seconds),
                       lambda: pgbench(market, folder, DRIVER_SQL, a.seconds)),
            "detail": ("template detail over HTTP / pgbench with the same query", lambda: wrk(market.base, a.seconds, os.path.join(folder, "detail.lua"), env),
                       lambda: pgbench(market, folder, detail_sql.replace(":count", str(TEMPLATES)), a.seconds)),
            "database": ("the same, each row read; its JSON may be remembered", lambda: wrk(market.base, a.seconds, os.path.join(folder, "detail.lua"), dict(env, BENCH_COLD=uuid.uuid4().hex)),
                         lambda: pgbench(market, folder, detail_sql.replace(":count", str(TEMPLATES)), a.seconds)),
            "first": ("the same, each for the first time", lambda: first(market, env, folder, 1),
                      lambda: pgbench(market, folder, detail_sql.replace(":count", str(TEMPLATES)), 1)),
            "list": ("cached list page / nginx, same bytes", lambda: wrk(market.base + list_path, a.seconds), lambda: wrk(nginx.base + "/list.json", a.seconds)),
            "artifact": ("200 KB artifact / nginx, that file", lambda: wrk(artifact, a.seconds), lambda: wrk(nginx.base + "/artifact.pdf", a.seconds)),
            "accel": ("the same through nginx, which sends it (X-Accel-Redirect) / nginx alone",
                      lambda: wrk(nginx.proxy + handed, a.seconds), lambda: wrk(nginx.base + "/artifact.pdf", a.seconds)),
        }
        if "middleware" in parts:
            report["middleware"] = middleware(market, folder, a)
        for name in (part for part in parts if part != "middleware"):
            title, ours, reference = pairs[name]
            goal = GOALS.get((name, "ratio"))
            ours(); reference()  # warm-up, not counted
            rows = [(ours(), reference()) for _ in range(a.rounds)]
            ratios = [o["rate"] / r["rate"] for o, r in rows]
            median = lambda key, side: statistics.median(row[side].get(key, float("nan")) for row in rows)
            report[name] = dict(title=title, goal=goal and goal.limit, ratio=statistics.median(ratios), lowest=min(ratios), highest=max(ratios),
                                rate=median("rate", 0), reference=median("rate", 1), p50=median("p50", 0), p99=median("p99", 0))
            r = report[name]
            held_to = f"goal {goal.limit}" + ("" if goal.is_met(r["ratio"]) else ", MISSED") if goal else "no goal"
            print(f"{title}\n    ratio {r['ratio']:.2f} ({held_to}, {r['lowest']:.2f}-{r['highest']:.2f} over {a.rounds} pairs)  "
                  f"ours {r['rate']:,.0f}/s  reference {r['reference']:,.0f}/s  p50 {r['p50']:.2f} ms  p99 {r['p99']:.2f} ms, {r['p99'] / r['p50']:.1f} times", flush=True)
    finally:
        for part in (nginx, handing, market):
            if part: part.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--rounds", type=int, default=5); p.add_argument("--seconds", type=int, default=3)
    p.add_argument("--only", default=PARTS); p.add_argument("--json")
    p.add_argument("--rows", help="of middleware: limits,limits-cached,limits-change,credential,all,mix,idempotency")
    a = p.parse_args()
    parts = a.only.split(",")
    if unknown := set(parts) - set(PARTS.split(",")): p.error(f"there is no part {', '.join(sorted(unknown))}: there are {PARTS}")
    report = {}
    try:
        measure(a, parts, report)
        missed = goals.judge(report, asked_goals(parts, a.rows and a.rows.split(",")))
    finally:
        # What was measured before something failed is worth keeping, too.
        if a.json:
            with open(a.json, "w") as file: json.dump(report, file, indent=1)
    return goals.conclude(missed)


if __name__ == "__main__":
    sys.exit(main())
