#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a market of many nodes under a mixed load while one part after the other fails, and holds what its clients saw against
what is there at the end.

One primary and two replicas in networks of their own (a commit waits for one of the replicas), three servers, two workers,
nginx with the site of deploy/, an S3 server or a disk, and Prometheus with the alerts of deploy/. Prints a table: fault, calls
and how many failed, the longest that no change was acknowledged and no read answered, what /readyz and which alerts said so,
and, at the end, what is wrong. Exits with 1 when anything is, or when one call failed where none may. Run by `make nightly`.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter

import faults
import releases
import storage_faults
from children import ROOT, Failure, LeftOut, wait_until
from clients import Load, Record
from cluster import Cluster, Release
from history import Final, check
from network import enter_own_network
from sabotage import overlooked, sabotage
from watch import Watch

CLAIM_SECONDS = 30
FAULTS = faults.FAULTS + storage_faults.FAULTS + faults.LAST + storage_faults.DISK + releases.FAULTS


class Phase:
    """What clients saw of one fault."""

    def __init__(self, name, calls, begun, ended, told):
        self.name, self.seconds = name, ended - begun
        self.not_ready, self.alerts = told
        self.calls = len(calls)
        failed = [call for call in calls if call[3] is None or call[3] >= 500]
        self.failed = Counter("no answer" if call[3] is None else str(call[3]) for call in failed)
        self.kinds = Counter(f"{call[1]} {call[3] or 'no answer'}" for call in failed)
        self.slowest = max((call[5] - call[4] for call in calls), default=0)
        self.write_gap = self.gap([c for c in calls if c[1] != "GET"], begun, ended)
        self.read_gap = self.gap([c for c in calls if c[1] == "GET"], begun, ended)

    @staticmethod
    def gap(calls, begun, ended):
        """The longest time without an answer that says yes."""
        times = sorted([begun, ended, *(call[5] for call in calls if call[3] and call[3] < 300 and begun <= call[5] <= ended)])
        return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)

    def line(self):
        failed = ", ".join(f"{count} × {status}" for status, count in sorted(self.failed.items())) or "0"
        cells = [self.name, self.calls, failed, f"{self.write_gap:.1f}", f"{self.read_gap:.1f}", f"{self.slowest:.1f}",
                 ", ".join(self.not_ready) or "-", ", ".join(self.alerts) or "-"]
        return "|" + "|".join(map(str, cells)) + "|"


class Market:
    """One market, and what its clients see of the faults that happen to it."""

    def __init__(self, folder, options, kind, has_network):
        self.options = options
        self.cluster = Cluster(folder, options.previous if kind == "releases" else options.release, kind != "disk", has_network)
        self.record = Record()
        self.load = Load(self.cluster, self.record)
        self.watch = Watch(self.cluster)
        self.phases = []

    def run(self, chosen):
        """What is wrong in the end."""
        begun = time.monotonic()
        try:
            self.cluster.start()
            self.watch.start()
            self.load.start()
            time.sleep(3)
            print(f"nightly: all runs after {time.monotonic() - begun:.0f} s", file=sys.stderr)
            for fault in chosen:
                self.suffer(fault)
            self.record.phase = "end"
            self.load.stop()
            wrong = self.judge()
            print(f"nightly: {time.monotonic() - begun:.0f} s; {self.written()}", file=sys.stderr)
            return wrong
        finally:
            for _, person in self.load.people:
                person.is_over.set()
            self.watch.stop()
            self.cluster.stop()

    def suffer(self, fault):
        self.record.phase = "between"
        self.watch.begin()
        self.record.phase, begun = fault.name, time.monotonic()
        try:
            fault.happen(self.cluster, self.options)
            # Whatever it was, it mends itself.
            wait_until(self.watch.is_well, 60, "all servers are ready")
        except LeftOut as reason:
            return print(f"nightly: left out: {fault.name}: {reason}", file=sys.stderr)
        except Failure as failure:
            self.record.complain(f"{fault.name}: {failure}")
        ended = time.monotonic()
        with self.record.lock:
            calls = [call for call in self.record.calls if call[0] == fault.name]
        phase = Phase(fault.name, calls, begun, ended, self.watch.told(ended - begun))
        self.phases.append(phase)
        print(phase.line(), flush=True)
        if fault.is_smooth and phase.failed:
            self.record.complain(f"{fault.name}: {dict(phase.kinds)} failed")

    def judge(self):
        """What is wrong in the end. The judges are then tried themselves, on data that is broken."""
        wait_for_jobs(self.cluster)
        # Lists and counts follow within seconds.
        time.sleep(3)
        wrong = self.record.wrong + self.findings()
        sabotage(self.cluster)
        return wrong + [f"what was broken on purpose was not found: {what}" for what in overlooked(self.findings())]

    def findings(self):
        wrong = check(self.record.events, final_state(self.cluster), CLAIM_SECONDS)
        verified = subprocess.run(
            [str(self.cluster.release.programs / "sheetmarket"), "verify"], env=self.cluster.environment(),
            capture_output=True, text=True, timeout=1800)  # All objects are read.
        if verified.returncode != 0:
            wrong.append(f"sheetmarket verify: {verified.stdout[-1000:]} {verified.stderr[-1000:]}")
        return wrong

    def written(self):
        count = Counter(f"{type(event).__name__} {getattr(event, 'outcome', '')}".strip() for event in self.record.events)
        count["jobs done in more than one attempt"] = int(
            self.cluster.sql("SELECT count(*) FROM jobs WHERE state = 'done' AND attempts > 1"))
        return dict(sorted(count.items()))


def final_state(cluster):
    """What the database says at the end."""
    def rows(query):
        return [tuple(line.split("|")) for line in cluster.sql(query).splitlines()]
    templates = [name for name, in rows("SELECT name FROM templates")]
    reviews = [key for key, in rows(
        "SELECT u.handle || ' ' || t.slug FROM reviews AS r JOIN users AS u ON u.id = r.user_id "
        "JOIN templates AS t ON t.id = r.template_id")]
    values = {title.split()[0]: int(title.split()[-1]) for title, in rows("SELECT title FROM member_collections")}
    counters = [(what, int(stated), int(counted)) for what, stated, counted in rows("""
        SELECT 'approvals and versions', (SELECT count(*) FROM decisions WHERE decision = 'approve'),
            (SELECT count(*) FROM versions)
        UNION ALL SELECT 'submissions and templates', (SELECT count(*) FROM submissions), (SELECT count(*) FROM templates)
        UNION ALL SELECT 'submissions that were read, and cases', (SELECT count(*) FROM submissions), (SELECT count(*) FROM cases)
        UNION ALL SELECT 'decided cases and decisions', (SELECT count(*) FROM cases WHERE state = 'decided'),
            (SELECT count(*) FROM decisions)
        UNION ALL SELECT 'decisions and their entries in the audit log', (SELECT count(*) FROM decisions),
            (SELECT count(*) FROM audit_entries WHERE action = 'case.decided')
        UNION ALL SELECT 'jobs given up', 0, (SELECT count(*) FROM jobs WHERE state = 'dead')""")]
    return Final(
        things={"template": templates, "review": reviews}, values=values,
        decisions=rows("SELECT case_id, decision FROM decisions"), counters=counters)


def wait_for_jobs(cluster):
    """Until all uploads are read. After long faults many wait: as long as they become fewer there is nothing to complain of."""
    def waiting():
        return int(cluster.sql(
            "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running') AND kind = 'ingest_upload'"))
    left = waiting()
    while left:
        wait_until(lambda: waiting() < left, 90, f"one of {left} waiting uploads is read")
        left = waiting()


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", default=str(ROOT / ".build/release"), help="the folder with sheetmarket")
    parser.add_argument("--previous", metavar="CHECKOUT", help="a checkout of the release before, with its programs built")
    parser.add_argument("--only", action="append", help="only faults with this word in their name (again for more)")
    parser.add_argument("--minutes", type=float, default=0.5, help="how long `kill -9 of everything` goes on")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="what is killed when")
    parser.add_argument("--json", help="write the figures there, too")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    options = parser.parse_args()
    options.release = Release(options.programs)
    if options.previous:
        root = pathlib.Path(options.previous)
        options.previous = Release(root / ".build" / pathlib.Path(options.programs).name, root)
    return options


def run(folder, options):
    """What is wrong, and what clients saw."""
    has_network = enter_own_network()
    wrong, phases = [], []
    print("|fault|calls|failed|no change for (s)|no read for (s)|slowest (s)|not ready|alerts|\n" + "|-" * 8 + "|", flush=True)
    for kind in ("bucket", "disk", "releases"):
        chosen = [one for one in FAULTS if one.market == kind
                  and (not options.only or any(word in one.name for word in options.only))]
        if kind == "releases" and chosen and not options.previous:
            print("nightly: left out: two releases side by side: name a checkout of the last one by --previous", file=sys.stderr)
            chosen = []
        if chosen:
            place = pathlib.Path(folder) / kind
            place.mkdir(mode=0o755)
            market = Market(place, options, kind, has_network)
            wrong += market.run(chosen)
            phases += market.phases
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(dict(
            phases=[dict(vars(one), failed=dict(one.failed), kinds=dict(one.kinds)) for one in phases], wrong=wrong),
            indent=2) + "\n")
    return wrong


def main():
    options = parse()
    folder = tempfile.mkdtemp(prefix="nightly-")
    os.chmod(folder, 0o755)
    try:
        wrong = run(folder, options)
    finally:
        if options.keep:
            print(f"nightly: logs are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for text in wrong[:40]:
        print(f"nightly: {text}", file=sys.stderr)
    print("nightly: " + (f"{len(wrong)} faults" if wrong else "nothing acknowledged was lost"), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
