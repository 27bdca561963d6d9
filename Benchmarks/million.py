#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searching and browsing a generated catalog over HTTP, shape by shape and as a mix that arrives whether or not we keep up.

usage: million.py [--sizes 10000,100000,1000000] [--seconds S] [--rate R] [--clients N] [--only SHAPES]
                  [--url URL --sql CONNINFO] [--admin CONNINFO --log FILE] [--json FILE]

For each size a market of its own is started (`sheetmarket up`), filled by COPY and indexed by `sheetmarket admin search rebuild`. Every request has an
address of its own, so that none is answered from the cache. Shapes are measured with one client and with --clients that
ask again at once; the mix then arrives at --rate a second for --seconds, and each time counts from when the request was
due: once all different, once as the shapes are drawn, where what is asked often repeats and may come from the cache. With --url nothing is started: that market and that database, filled before, are measured. With a superuser's connection and
the server's log, the API's time is also compared with the time of psql for the same statements and values, which that log has.
"""
import argparse, base64, glob, json, os, random, re, shutil, statistics, subprocess, sys, tempfile, time, urllib.parse

import bench, catalog


class SQL:
    def __init__(self, conninfo):
        self.argv = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", conninfo]

    def rows(self, text):
        out = subprocess.run(self.argv + ["-At"], input=text, check=True, text=True, capture_output=True).stdout
        return [line.split("|") for line in out.splitlines()]

    def one(self, text):
        return self.rows(text)[0]


def cursor(*fields):
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")


class Shapes:
    """Addresses of each shape, drawn like people ask: words and filters that are common in the catalog are common here."""

    def __init__(self, sql, count, seed=11):
        self.rng = rng = random.Random(seed)
        made = catalog.Catalog(count)
        self.words, self.systems, self.tags = made.words, made.systems, made.tags
        uses = {t: int(n) for t, n in sql.rows("SELECT term, uses FROM search_terms WHERE term ~ '^[a-z]{5,}$' AND term !~ '^maker'")}
        ranked = sorted(uses, key=lambda t: (-uses[t], t))
        self.common = [t for t in ranked if uses[t] > count * 0.02][:80]
        self.medium = [t for t in ranked if count * 0.001 < uses[t] <= count * 0.02][:2000]
        self.rare = [t for t in ranked if 2 <= uses[t] <= max(40, count * 0.00005)][:4000]
        self.system = catalog.Zipf(rng, self.systems, 1.1)
        self.tag = catalog.Zipf(rng, self.tags, 1.0)
        deep = min(20_000, count // 2)
        self.deep = {}
        for sort, column in (("downloads", "downloads"), ("name", "name_key"), ("updated", "(extract(epoch FROM updated_at) * 1000000)::bigint")):
            direction = "" if sort == "name" else " DESC"
            key, template = sql.one(f"SELECT {column}, id FROM listings ORDER BY 1{direction}, id{direction} OFFSET {deep} LIMIT 1")
            self.deep[sort] = cursor(f"templates.{sort}", key, template)
        generation, = sql.one("SELECT coalesce(max(generation), 0) FROM popular_listings")
        middle, = sql.one("SELECT coalesce(max(place), 0) / 2 FROM popular_listings")
        before, = sql.one(f"SELECT id FROM listings ORDER BY id DESC OFFSET {deep} LIMIT 1")
        self.block = lambda word: cursor("templates.relevance", "o", f"p{generation}", middle, middle, "", "", "", "", word)
        self.rest = lambda word: cursor("templates.relevance", "o", f"r{generation}", before, "", "", "", "", "", word)
        self.templates = [r[0] for r in sql.rows("SELECT id FROM listings ORDER BY md5(id::text) LIMIT 500")]

    def shapes(self):
        r = self.rng
        pick = r.choice
        system, tag = self.system.draw, self.tag.draw
        def typo(word):
            n = r.randrange(1, len(word) - 1)
            return pick((word[:n] + word[n + 1:], word[:n] + word[n + 1] + word[n] + word[n + 2:], word[:n] + "q" + word[n + 1:]))
        def query(**parameters):
            return "/api/v1/templates?" + urllib.parse.urlencode(parameters, doseq=True)
        medium, common, rare = (lambda: pick(self.medium or self.common)), (lambda: pick(self.common)), (lambda: pick(self.rare or self.medium))
        sorts = ("newest", "updated", "downloads", "rating", "trending", "name")
        return {
            "browse": lambda: query(sort=pick(sorts)),
            "browse a system": lambda: query(gameSystem=system(), sort=pick(sorts)),
            "page 1000": lambda: (lambda s: query(sort=s, cursor=self.deep[s]))(pick(list(self.deep))),
            "rare word": lambda: query(q=rare()),
            "medium word": lambda: query(q=medium()),
            "common word": lambda: query(q=common()),
            "two common words": lambda: query(q=f"{common()} {common()}"),
            "two common words and system": lambda: query(q=f"{common()} {common()}", gameSystem=system()),
            "three words": lambda: query(q=f"{common()} {common()} {medium()}"),
            "phrase": lambda: query(q='"character sheet" ' + common()),
            "exclusion": lambda: query(q=f"{common()} -{medium()} "),
            "typing": lambda: query(q=common()[:r.choice((2, 3, 4))]),
            "word and typing": lambda: query(q=f"{medium()} {common()[:3]}"),
            "misspelt": lambda: query(q=typo(medium())),
            "word, later block": lambda: (lambda w: query(q=w, cursor=self.block(w)))(common()),
            "word, behind all blocks": lambda: (lambda w: query(q=w, cursor=self.rest(w)))(common()),
            "common word by downloads": lambda: query(q=common(), sort="downloads"),
            "medium word by update": lambda: query(q=medium(), sort="updated"),
            "word, tag, language": lambda: query(q=common(), tag=tag(), language=pick(catalog.LANGUAGES[:6])),
            "word and rating": lambda: query(q=medium(), minRating=pick((3, 4, 4.5))),
            "tag": lambda: query(tag=tag(), sort=pick(sorts)),
            "tag and system": lambda: query(tag=tag(), gameSystem=system()),
            "two tags, rating, pages, language": lambda: query(
                tag=[tag(), tag()], minRating=4, minPages=2, maxPages=6, language=pick(catalog.LANGUAGES[:4])),
            "system, rating, pages, language": lambda: query(
                gameSystem=system(), minRating=pick((3, 4, 4.5)), maxPages=4, language=pick(catalog.LANGUAGES), sort=pick(sorts)),
            "author": lambda: query(author=f"maker{int(r.paretovariate(0.7)) % 1000 + 1}"),
            "licence, language by name": lambda: query(license=pick(catalog.LICENSES), language=pick(catalog.LANGUAGES), sort="name"),
            "facets of all": lambda: query(facets="true", limit=5),
            "facets of a system": lambda: query(facets="true", gameSystem=system(), limit=5),
            "facets of a word": lambda: query(facets="true", q=common(), limit=5),
            "facets of filters": lambda: query(facets="true", tag=tag(), language=pick(catalog.LANGUAGES[:4]), limit=5),
            "suggest": lambda: "/api/v1/suggest?" + urllib.parse.urlencode(dict(q=pick(self.words[:2000])[:r.choice((2, 3, 4, 6))])),
            "suggest, misspelt": lambda: "/api/v1/suggest?" + urllib.parse.urlencode(dict(q=typo(medium()))),
            "similar": lambda: f"/api/v1/templates/{pick(self.templates)}/similar?",
        }


class Client:
    """Asks by market-bench: a client in Python would take a good part of what it measures."""

    def __init__(self, host, port):
        self.server, self.run, self.asked = f"{host}:{port}", f"{time.time_ns():x}", 0

    def unique(self, path):
        self.asked += 1
        return f"{path}&n={self.run}.{self.asked}"

    def ask(self, lines, *options):
        """Milliseconds of each shape's answers to lines of shape and path."""
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.writelines(f"{name}\t{path}\n" for name, path in lines)
            file.flush()
            return json.loads(bench.run(os.path.join(bench.BIN, "market-bench"), "arrivals", "--server", self.server, *options, file.name))

    def closed_loop(self, make, clients, seconds, most=20_000):
        """Clients that ask again at once, for so long or so often."""
        lines = (("one", self.unique(make())) for _ in range(most))
        return self.ask(lines, "--clients", str(clients), "--seconds", str(seconds))["one"]

    def once(self, paths):
        """One client that asks for each."""
        return self.ask((("one", self.unique(path)) for path in paths), "--clients", "1")["one"]

    def open_loop(self, shapes, rate, seconds, unique):
        """Requests that arrive at random, `rate` a second on the average; nobody waits for anybody."""
        rng, names = random.Random(3), list(shapes)
        drawn = ((name, shapes[name]()) for name in (rng.choice(names) for _ in range(int(rate * seconds))))
        return self.ask(((name, self.unique(path) if unique else path) for name, path in drawn), "--rate", str(rate))


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def mixed(client, shapes, a, unique):
    mix = client.open_loop(shapes, a.rate, a.seconds, unique)
    every = [t for times in mix.values() for t in times]
    m = dict(p50=percentile(every, .5), p99=percentile(every, .99), most=max(every), count=len(every),
             shapes={n: percentile(t, .99) for n, t in mix.items() if t})
    worst = max(m["shapes"], key=m["shapes"].get)
    print(f"mix at {a.rate}/s, open loop, {m['count']} requests, {'all different' if unique else 'as drawn'}: p50 {m['p50']:.1f} ms, "
          f"p99 {m['p99']:.1f} ms, longest {m['most']:.1f} ms; worst shape {worst}: p99 {m['shapes'][worst]:.1f} ms", flush=True)
    return m


class Logged:
    """What the server logs of reading statements, while it logs all of them."""

    def __init__(self, admin, path):
        self.admin, self.path = SQL(admin), path

    def __enter__(self):
        self.admin.rows("ALTER SYSTEM SET log_min_duration_statement = 0; SELECT pg_reload_conf()")
        time.sleep(0.5)
        self.begin = os.path.getsize(self.path)
        return self

    def __exit__(self, *_):
        self.admin.rows("ALTER SYSTEM RESET log_min_duration_statement; SELECT pg_reload_conf()")
        time.sleep(0.5)

    def statements(self):
        """Statements and their parameters, as SQL writes them, in the order in which they were run."""
        time.sleep(0.2)
        with open(self.path, errors="replace") as file:
            file.seek(self.begin)
            text = file.read()
        found = re.findall(r"ms  execute [^:]*: (.*(?:\n\t.*)*)(?:\n[^\n]*DETAIL:  parameters: (.*(?:\n\t.*)*))?", text)
        reads = re.compile(r"\b(listings|listing_words|popular_listings|search_terms|facet_counts|game_systems|templates)\b")
        # The background's own have no place in it.
        writes = re.compile(r"\b(UPDATE|INSERT|DELETE|refresh_stale_listings|aggregate_facet_changes)\b")
        return [(sql, re.findall(r"\$\d+ = ('(?:[^']|'')*'|NULL)", parameters)) for sql, parameters in found
                if reads.search(sql) and not writes.search(sql)]


def bare(sql, statements):
    """Milliseconds that psql waits for statements, prepared and one after the other on one connection."""
    names, script = {}, ["SET default_transaction_read_only = on; SET client_min_messages = warning;", "\\o /dev/null"]
    calls = []
    for text, values in statements:
        if text not in names:
            names[text] = f"s{len(names)}"
            script.append(f"PREPARE {names[text]} AS {text};")
        call = f"EXECUTE {names[text]}({','.join(values)});" if values else f"EXECUTE {names[text]};"
        calls.append((names[text], call))
    # From the sixth time on a plan is kept.
    first = dict(reversed(calls))
    script += [call for call in first.values() for _ in range(6)]
    script += ["\\timing on"] + [call for _, call in calls]
    out = subprocess.run(sql.argv, input="\n".join(script), check=True, text=True, capture_output=True).stdout
    times = [float(t) for t in re.findall(r"^Time: ([\d.]+) ms", out, re.M)]
    if len(times) != len(calls): raise SystemExit(f"psql ran {len(times)} statements of {len(calls)}")
    return sum(times)


def ratios(client, sql, shapes, log, count=100):
    """Mean milliseconds of each shape's requests by the API, and of a bare client for the statements of the same requests."""
    asked = {}
    for name, make in shapes.items():
        asked[name] = []
        for _ in range(2):
            paths = [make() for _ in range(count // 2)]
            with log:
                client.once(paths)
                asked[name].append((paths, log.statements()))
    # What was remembered of them is forgotten; what the database has touched is in memory for both.
    time.sleep(35)
    found = {}
    for name, halves in asked.items():
        spent, alone = 0, 0
        for turn, (paths, statements) in enumerate(halves):
            if turn: alone += bare(sql, statements)
            spent += sum(client.once(paths))
            if not turn: alone += bare(sql, statements)
        found[name] = dict(api=spent / count, sql=alone / count)
    return found


def measure(host, port, sql, count, a, label):
    maker = Shapes(sql, count)
    shapes = maker.shapes()
    if a.only: shapes = {n: s for n, s in shapes.items() if re.search(a.only, n)}
    client = Client(host, port)
    report = {}
    print(f"{label}: {count:,} templates, {len(shapes)} shapes\n{'shape':36} {'1 client p50':>12} {'p99':>8} {a.clients:>4} clients p50 {'p99':>8}", flush=True)
    for name, make in shapes.items():
        client.closed_loop(make, 1, 0.5)  # warm-up
        alone = client.closed_loop(make, 1, a.seconds / 8)
        crowd = client.closed_loop(make, a.clients, a.seconds / 8)
        report[name] = dict(p50=percentile(alone, .5), p99=percentile(alone, .99), crowd50=percentile(crowd, .5), crowd99=percentile(crowd, .99),
                            count=len(alone))
        r = report[name]
        print(f"{name:36} {r['p50']:12.1f} {r['p99']:8.1f} {r['crowd50']:16.1f} {r['crowd99']:8.1f}", flush=True)
    if a.rate:
        mixed(client, shapes, a, True)  # warm-up of what single shapes have not touched
        report["mix"] = mixed(client, shapes, a, True)
        report["mix as drawn"] = mixed(client, shapes, a, False)
    if a.admin:
        log = Logged(a.admin, a.log)
        print(f"{'shape':36} {'API':>8} {'SQL':>8} {'ratio':>6}")
        for name, r in ratios(client, sql, shapes, log).items():
            report[name].update(r)
            print(f"{name:36} {r['api']:8.2f} {r['sql']:8.2f} {r['api'] / r['sql'] if r['sql'] else float('nan'):6.2f}", flush=True)
        means = [statistics.mean(report[name][key] for name in shapes) for key in ("api", "sql")]
        print(f"{'mean of all':36} {means[0]:8.2f} {means[1]:8.2f} {means[0] / means[1]:6.2f}", flush=True)
    return report


def write_dump(market):
    """The night's dump would begin in the middle of what is measured; where it has begun, it is waited for."""
    dump = [os.path.join(bench.BIN, "sheetmarket"), "admin", "dump", "--data", market.data]
    tries = 0
    while subprocess.run(dump, check=tries >= 60).returncode:
        tries += 1
        time.sleep(10)


def fill(market, count):
    begin = time.perf_counter()
    catalog.load(["psql", market.conninfo], count)
    loaded = time.perf_counter()
    subprocess.run([os.path.join(bench.BIN, "sheetmarket"), "admin", "search", "rebuild", "--data", market.data], check=True)
    market.sql("VACUUM (ANALYZE)")
    write_dump(market)
    # As a market that has been asked for a while: the system may have dropped from memory what was written long ago.
    for path in glob.glob(os.path.join(market.data, "postgres", "cluster", "base", "*", "*")):
        with open(path, "rb") as file:
            while file.read(1 << 24): pass
    print(f"{count:,} templates: loaded in {loaded - begin:.0f} s, indexed in {time.perf_counter() - loaded:.0f} s", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--sizes", default="10000,100000,1000000"); p.add_argument("--seconds", type=float, default=40)
    p.add_argument("--rate", type=int, default=300); p.add_argument("--clients", type=int, default=16)
    p.add_argument("--only"); p.add_argument("--url"); p.add_argument("--sql"); p.add_argument("--json")
    p.add_argument("--admin"); p.add_argument("--log")
    a = p.parse_args()
    report = {}
    if a.url:
        address = urllib.parse.urlparse(a.url)
        sql = SQL(a.sql)
        count = int(sql.one("SELECT count(*) FROM listings")[0])
        report[count] = measure(address.hostname, address.port, sql, count, a, a.url)
    else:
        for count in (int(n) for n in a.sizes.split(",")):
            folder = tempfile.mkdtemp(prefix="smm-", dir="/tmp"); os.chmod(folder, 0o755)
            market = None
            try:
                market = bench.Server(folder)
                fill(market, count)
                address = urllib.parse.urlparse(market.base)
                report[count] = measure(address.hostname, address.port, SQL(market.conninfo), count, a, "market")
            finally:
                if market: market.stop()
                shutil.rmtree(folder, ignore_errors=True)
        sizes = list(report)
        if len(sizes) > 1:
            print(f"\none client, p50 in ms{'':16}" + "".join(f"{n:>12,}" for n in sizes))
            for name in report[sizes[0]]:
                if not name.startswith("mix"): print(f"{name:36}" + "".join(f"{report[n][name]['p50']:12.1f}" for n in sizes))
    if a.json: json.dump(report, open(a.json, "w"), indent=1)


if __name__ == "__main__":
    main()
