#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets many moderators work a long queue at once against the real service, and checks that every case is decided once.

usage: moderation_queue.py [--cases 10000] [--moderators 64] [--think 0.5] [--rush] [--json FILE]

Each moderator asks for the next case, thinks, and decides it, until the queue is empty: `--think` seconds on average, an
exponential distribution. With `--rush` nobody thinks: that gives the throughput, and times that are mostly waiting for the
others. Two in three are approvals, which publish a version; the rest are refusals. At the end the database is asked: as many
decisions as cases, each case once, no case left claimed, a claim and a decision in the audit log for each, and a log that
verifies. Traffic goes to 127.0.0.1 only. Run by `make bench-moderation`.
"""
import argparse, http.client, json, multiprocessing, os, random, sys, tempfile, threading, time, urllib.parse

import bench

LOAD = """
INSERT INTO game_systems (slug, name) VALUES ('bench', 'Bench') ON CONFLICT DO NOTHING;
INSERT INTO users (id, handle, display_name, email)
    SELECT gen_random_uuid(), 'author-' || n, 'Author ' || n, 'author-' || n || '@example.org' FROM generate_series(1, 500) AS n;
INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (sha256('bench'), 5, 'application/pdf');
CREATE TEMPORARY TABLE plan AS
    SELECT n, gen_random_uuid() AS template, gen_random_uuid() AS submission,
        (SELECT id FROM users WHERE handle = 'author-' || (1 + n % 500)) AS author,
        now() - interval '1 second' * (:count - n) AS at
    FROM generate_series(1, :count) AS n;
INSERT INTO templates (id, slug, owner_id, game_system, name, summary, license, language)
    SELECT template, 'queue-' || n, author, 'bench', 'Sheet ' || n, 'A sheet.', 'CC0-1.0', 'en' FROM plan;
INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name, size_bytes, state, page_count,
        created_at, updated_at)
    SELECT submission, template, author, '1.0.0', jsonb_build_object('name', 'Sheet ' || n, 'summary', 'A sheet.', 'gameSystem', 'bench',
        'license', 'CC0-1.0', 'language', 'en', 'version', '1.0.0'), sha256('bench'), 'sheet.pdf', 5, 'awaiting_review', 1, at, at
    FROM plan;
INSERT INTO submission_pages (submission_id, page_index, width, height, rotation, text_characters, form_fields, regions, page_text)
    SELECT submission, 0, 612, 792, 0, 20, 4, '[]', 'Name Class Level ' || n FROM plan;
INSERT INTO cases (id, submission_id, opened_at, risk)
    SELECT gen_random_uuid(), submission, at, (random() * 40)::integer FROM plan;
ANALYZE;
"""


class Moderator:
    """One who works until nothing is left; keeps how long each call took."""

    def __init__(self, base, token, think, seed):
        self.where = urllib.parse.urlsplit(base)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.think, self.random = think, random.Random(seed)
        self.connection = None
        self.next, self.decide, self.taken, self.wrong = [], [], [], []

    def call(self, path, body):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.where.hostname, self.where.port, timeout=60)
        text = json.dumps(body)
        began = time.perf_counter()
        self.connection.request("POST", "/api/v1" + path, text, self.headers)
        answer = self.connection.getresponse()
        data = answer.read()
        return answer.status, data, (time.perf_counter() - began) * 1000

    def work(self):
        if self.think: time.sleep(self.random.random() * self.think)
        while True:
            status, data, milliseconds = self.call("/moderation/queue/next", {})
            if status == 204: return
            if status != 200:
                self.wrong.append(("next", status, data[:200].decode("utf-8", "replace")))
                if len(self.wrong) > 20: return
                continue
            self.next.append(milliseconds)
            case = json.loads(data)["id"]
            self.taken.append(case)
            if self.think: time.sleep(self.random.expovariate(1 / self.think))
            approve = self.random.random() < 2 / 3
            decision = dict(decision="approve" if approve else "reject", reasonCode="other", message="Measured.")
            status, data, milliseconds = self.call(f"/moderation/cases/{case}/decision", decision)
            if status == 200: self.decide.append(milliseconds)
            else: self.wrong.append(("decide", status, data[:200].decode("utf-8", "replace")))


def team(base, tokens, think, seed, results):
    """A process of moderators, each in a thread of its own."""
    people = [Moderator(base, token, think, f"{seed}-{n}") for n, token in enumerate(tokens)]
    threads = [threading.Thread(target=person.work) for person in people]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    results.put([(p.next, p.decide, p.taken, p.wrong) for p in people])


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def run(cases, moderators, think, processes=4):
    with tempfile.TemporaryDirectory(prefix="queue-") as folder:
        market = bench.Server(folder)
        try:
            market.sql(LOAD.replace(":count", str(cases)))
            binary = os.path.join(bench.BIN, "sheetmarket")
            tokens = [market.new_token(f"moderator-{n}") for n in range(moderators)]
            results = multiprocessing.Queue()
            share = [tokens[n::processes] for n in range(processes)]
            began = time.perf_counter()
            children = [multiprocessing.Process(target=team, args=(market.base, mine, think, n, results))
                        for n, mine in enumerate(share) if mine]
            for child in children: child.start()
            people = [person for _ in children for person in results.get()]
            for child in children: child.join()
            seconds = time.perf_counter() - began
            return report(market, binary, people, cases, moderators, think, seconds)
        finally:
            market.stop()


def report(market, binary, people, cases, moderators, think, seconds):
    next_, decide = [x for p in people for x in p[0]], [x for p in people for x in p[1]]
    taken, wrong = [x for p in people for x in p[2]], [x for p in people for x in p[3]]
    facts = json.loads(market.sql("""
        SELECT json_build_object(
            'decisions', (SELECT count(*) FROM decisions),
            'decided', (SELECT count(DISTINCT case_id) FROM decisions),
            'left', (SELECT count(*) FROM cases WHERE state <> 'decided'),
            'published', (SELECT count(*) FROM versions),
            'approvals', (SELECT count(*) FROM decisions WHERE decision = 'approve'),
            'claims', (SELECT count(*) FROM audit_entries WHERE action IN ('case.claimed', 'case.taken_over')),
            'entries', (SELECT count(*) FROM audit_entries WHERE action = 'case.decided'));"""))
    verified = bench.run(binary, "admin", "audit", "verify", "--data", market.data).strip()
    whole = (not wrong and len(taken) == len(set(taken)) == cases and facts["left"] == 0
             and all(facts[key] == cases for key in ("decisions", "decided", "claims", "entries"))
             and facts["published"] == facts["approvals"])
    figures = dict(cases=cases, moderators=moderators, think=think, seconds=round(seconds, 1),
                   casesPerSecond=round(cases / seconds, 1), whole=whole, wrong=len(wrong), audit=verified, **facts)
    for name, values in (("next", next_), ("decide", decide)):
        figures[name] = {f"p{round(share * 100)}": round(percentile(values, share), 1) for share in (0.5, 0.9, 0.99)}
        figures[name]["max"] = round(max(values, default=float("nan")), 1)
    for one in wrong[:5]: print("wrong:", *one, file=sys.stderr)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--moderators", type=int, default=64)
    parser.add_argument("--think", type=float, default=0.5, help="seconds on average")
    parser.add_argument("--rush", action="store_true", help="nobody thinks")
    parser.add_argument("--json", help="write the figures there, too")
    options = parser.parse_args()
    figures = run(options.cases, options.moderators, 0 if options.rush else options.think)
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json: open(options.json, "w").write(text + "\n")
    if not figures["whole"]: sys.exit("not every case was decided exactly once")


if __name__ == "__main__":
    main()
