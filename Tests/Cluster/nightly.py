#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a market of many nodes under a mixed load while one part after the other fails, and holds what its clients saw against
what is there at the end.

usage: nightly.py [--programs FOLDER] [--json FILE] [--only WORD] [--keep]

One primary, two replicas (a commit waits for one of them), three servers, two workers and nginx with the site of deploy/. Prints
a table: fault, calls and how many failed, the longest that no change was acknowledged and no read answered, and, at the end,
what is wrong. Exits with 1 when anything is, or when a rolling restart failed a single call. Run by `make nightly`.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter

from clients import Load, Record
from cluster import DATABASES, ROOT, Cluster, Failure, wait_until
from history import Final, check

CLAIM_SECONDS = 30


def calm(cluster, seconds=6):
    time.sleep(seconds)


def rolling_restart(cluster):
    """Each server is told to end, and started again."""
    for number in range(3):
        status = cluster.servers[number].end(signal.SIGTERM)
        if status != 0:
            raise Failure(f"server {number} ended with {status}: {cluster.servers[number].tail()}")
        cluster.start_server(number)
        time.sleep(1)


def stop_at_work(cluster, worker):
    """Has a worker stand still in the middle of a job."""
    child = cluster.workers[worker]
    for _ in range(100):
        child.send(signal.SIGSTOP)
        if cluster.sql("SELECT count(*) FROM jobs WHERE state = 'running' AND lease_expires_at > now() "
                       f"AND worker LIKE '%:{child.process.pid}'") != "0":
            return
        child.send(signal.SIGCONT)
        time.sleep(0.05)
    raise Failure(f"{child.name} never has a job")


def paused_nodes(cluster):
    """A server and a worker stand still for longer than a job's lease, the worker with a job."""
    stop_at_work(cluster, 0)
    cluster.servers[1].send(signal.SIGSTOP)
    stopped = [cluster.servers[1], cluster.workers[0]]
    time.sleep(9)
    for child in stopped:
        child.send(signal.SIGCONT)
    time.sleep(4)


def killed_server(cluster):
    cluster.servers[2].end(signal.SIGKILL)
    time.sleep(4)
    cluster.start_server(2)
    time.sleep(3)


def killed_worker(cluster):
    stop_at_work(cluster, 1)
    cluster.workers[1].process.kill()
    cluster.workers[1].process.wait(10)
    time.sleep(6)
    cluster.start_worker(1)
    time.sleep(3)


def lagging_replica(cluster):
    cluster.sql("SELECT pg_wal_replay_pause()", on="r2")
    time.sleep(7)
    cluster.sql("SELECT pg_wal_replay_resume()", on="r2")
    time.sleep(2)


def lost_replica(cluster):
    cluster.databases["r1"].end(signal.SIGKILL)
    time.sleep(6)
    cluster.start_database("r1")
    cluster.wait_for_replicas(2)
    time.sleep(2)


def read_only_storage(cluster):
    cluster.remount_storage("ro")
    time.sleep(6)
    cluster.remount_storage("rw")
    time.sleep(4)


def full_storage(cluster):
    used = shutil.disk_usage(cluster.storage).used
    cluster.remount_storage(f"size={used // 1024 + 4}k")
    time.sleep(6)
    cluster.remount_storage("size=512m")
    time.sleep(4)


def paused_primary(cluster):
    cluster.signal_database(cluster.primary, signal.SIGSTOP)
    time.sleep(4)
    cluster.signal_database(cluster.primary, signal.SIGCONT)
    time.sleep(4)


def lost_primary(cluster):
    """It stands still, is killed, and the replica that has most takes its place."""
    dead = cluster.databases[cluster.primary]
    cluster.signal_database(cluster.primary, signal.SIGSTOP)
    time.sleep(2)
    cluster.signal_database(cluster.primary, signal.SIGKILL)
    dead.process.wait(20)
    time.sleep(1)
    cluster.promote()
    cluster.wait_for_replicas(1)
    time.sleep(8)


FAULTS = [
    ("none", calm), ("rolling restart of the servers", rolling_restart),
    ("a server and a worker stopped for 9 s", paused_nodes), ("a server killed", killed_server),
    ("a worker killed", killed_worker), ("a replica lags by 7 s", lagging_replica),
    ("a replica lost for 6 s", lost_replica), ("storage read-only for 6 s", read_only_storage),
    ("storage full for 6 s", full_storage), ("primary stopped for 4 s", paused_primary),
    ("primary stopped and killed, a replica promoted", lost_primary),
]


class Phase:
    """What clients saw of one fault."""

    def __init__(self, name, calls, begun, ended):
        self.name, self.seconds = name, ended - begun
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
        return (f"| {self.name} | {self.calls} | {failed} | {self.write_gap:.1f} s | {self.read_gap:.1f} s | "
                f"{self.slowest:.1f} s |")


def run_phases(cluster, record, only):
    phases = []
    for name, fault in FAULTS:
        if only and only not in name and name != "none":
            continue
        if "storage" in name and not cluster.has_own_storage:
            print(f"nightly: left out, since no file system can be mounted here: {name}", file=sys.stderr)
            continue
        begun = time.monotonic()
        record.phase = name
        fault(cluster)
        ended = time.monotonic()
        with record.lock:
            calls = [call for call in record.calls if call[0] == name]
        phases.append((name, begun, ended))
        print(Phase(name, calls, begun, ended).line(), flush=True)
    record.phase = "end"
    return phases


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
    wait_until(lambda: cluster.sql("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running') AND kind = 'ingest_upload'")
               == "0", 90, "all uploads are read")


def run(folder, options):
    cluster, record = Cluster(folder, options.programs), Record()
    load = Load(cluster, record)
    begun = time.monotonic()
    try:
        cluster.start()
        load.start()
        time.sleep(3)
        print(f"nightly: all runs after {time.monotonic() - begun:.0f} s", file=sys.stderr)
        print("| fault | calls | failed | no change for | no read for | slowest |\n|---|---|---|---|---|---|", flush=True)
        phases = run_phases(cluster, record, options.only)
        load.stop()
        wait_for_jobs(cluster)
        # Lists and counts follow within seconds.
        time.sleep(3)
        final = final_state(cluster)
        wrong = record.wrong + check(record.events, final, CLAIM_SECONDS)
        verified = subprocess.run(
            [str(cluster.programs / "sheetmarket"), "verify"], env=cluster.environment(), capture_output=True, text=True,
            timeout=120)
        if verified.returncode != 0:
            wrong.append(f"sheetmarket verify: {verified.stdout[-1000:]} {verified.stderr[-1000:]}")
        table = [Phase(name, [c for c in record.calls if c[0] == name], begun, ended) for name, begun, ended in phases]
        for phase in table:
            if phase.name.startswith(("rolling", "none")) and phase.failed:
                wrong.append(f"{phase.name}: {dict(phase.kinds)} failed")
        written = Counter(f"{type(event).__name__} {getattr(event, 'outcome', '')}".strip() for event in record.events)
        written["jobs done in more than one attempt"] = int(
            cluster.sql("SELECT count(*) FROM jobs WHERE state = 'done' AND attempts > 1"))
        print(f"nightly: {time.monotonic() - begun:.0f} s; {dict(sorted(written.items()))}", file=sys.stderr)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(dict(
                phases=[dict(vars(phase), failed=dict(phase.failed), kinds=dict(phase.kinds)) for phase in table],
                events=dict(written), wrong=wrong), indent=2) + "\n")
        return wrong
    finally:
        for _, person in load.people:
            person.is_over.set()
        cluster.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", default=str(ROOT / ".build/release"), help="the folder with sheetmarket")
    parser.add_argument("--json", help="write the figures there, too")
    parser.add_argument("--only", help="only faults with this word")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    options = parser.parse_args()
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
