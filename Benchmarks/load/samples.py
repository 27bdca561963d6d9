# SPDX-License-Identifier: Apache-2.0
"""What a market takes up, minute by minute, and whether that grows: the judge of soak.py."""
import os
import pathlib
import statistics

from children import descendants
from histogram import Histogram

MEGABYTE = 1 << 20
# Tables whose rows go by themselves, and when. What is not among them is what people entered, and what is derived from it.
KEPT = {
    "jobs": "done ones for a week", "idempotency_keys": "as set here, removed each hour", "rate_limits": "until a bucket is full",
    "mail_outbox": "sent ones for some days", "facet_changes": "until they are added up", "stale_listings": "until they are renewed",
    "download_changes": "until they are added up", "download_clients": "for a day", "changes": "numbered from change_feed",
    "change_feed": "90 days", "interest_days": "13 months", "download_days": "for good, a row a day and version",
}


def memory(pid):
    """Resident bytes of a process; what it shares is divided among those that share it. Shared memory is left out: it is
    reserved at the start, and PostgreSQL's buffers fill it until they are full."""
    found = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, size = line.split()[:2]
        found[name] = int(size) * 1024
    return found["Pss:"] - found.get("Pss_Shmem:", 0)


def processes(parts):
    """Bytes and open files of each part."""
    found = {}
    for name, roots in parts.items():
        sizes, files = 0, 0
        for pid in [one for root in roots for one in (descendants(root) if name != "load" else [root])]:
            try:
                sizes += memory(pid)
                files += len(os.listdir(f"/proc/{pid}/fd"))
            except OSError:
                pass  # It has just ended.
        found[name] = {"bytes": sizes, "files": files}
    return found


def tables(sql, exact):
    """Bytes of each table with its indexes, and rows, counted where that is asked for."""
    found = {}
    for line in sql("SELECT relname, pg_total_relation_size(relid), n_live_tup, n_dead_tup FROM pg_stat_user_tables").splitlines():
        name, size, live, dead = line.split("|")
        found[name] = {"bytes": int(size), "rows": int(live), "dead": int(dead)}
    if exact:
        counts = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in found)
        for line in sql(counts).splitlines():
            name, rows = line.split("|")
            found[name]["rows"] = int(rows)
    return found


def slope(points):
    """Least squares of (x, y): growth of y for each x."""
    if len(points) < 2:
        return 0.0
    mean_x, mean_y = (statistics.fmean(one[place] for one in points) for place in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def quarter(samples, number):
    """The first (0) to last (3) quarter of them."""
    return samples[number * len(samples) // 4:(number + 1) * len(samples) // 4]


def merged(samples):
    whole = Histogram()
    for sample in samples:
        for one in sample["kinds"].values():
            whole.merge(one)
    return whole


class Verdict:
    def __init__(self, samples):
        """`samples`: one a minute; `kinds` of each are histograms of that minute."""
        self.samples = samples
        self.lines, self.wrong = [], []

    def say(self, text=""):
        self.lines.append(text)

    def judge(self):
        hours = (self.samples[-1]["at"] - self.samples[0]["at"]) / 3600
        self.say(f"{hours:.2f} hours, {sum(s['asked'] for s in self.samples):,} requests")
        self.memory()
        self.latency()
        self.tables()
        self.say()
        self.say("verdict: " + ("; ".join(self.wrong) if self.wrong else "nothing grew that should not"))
        return "\n".join(self.lines) + "\n"

    def memory(self):
        self.say("\n| part | memory, first and last quarter (MB) | slope of the last three quarters (MB/hour) | open files, most of each |\n"
                 "|---|---|---|---|")
        later = self.samples[len(self.samples) // 4:]
        for name in self.samples[0]["parts"]:
            first, last = ([s["parts"][name] for s in quarter(self.samples, number)] for number in (0, 3))
            sizes = [statistics.fmean(one["bytes"] for one in part) / MEGABYTE for part in (first, last)]
            files = [max(one["files"] for one in part) for part in (first, last)]
            rise = slope([(s["at"] / 3600, s["parts"][name]["bytes"] / MEGABYTE) for s in later])
            span = (later[-1]["at"] - later[0]["at"]) / 3600
            grew = rise * span > max(4, 0.05 * sizes[1])
            self.say(f"| {name} | {sizes[0]:.1f}, {sizes[1]:.1f} | {rise:+.2f} | {files[0]}, {files[1]} |")
            if grew and name != "load":
                self.wrong.append(f"memory of {name} grows by {rise:.1f} MB an hour")
            if files[1] > files[0] * 1.2 + 10 and name != "load":
                self.wrong.append(f"{name}: {files[0]} open files became {files[1]}")

    def latency(self):
        self.say("\n| quarter | answers | median (ms) | p99 | p99.9 | failed | cores busy with other work |\n|---|---|---|---|---|---|---|")
        times = []
        for number in range(4):
            part = quarter(self.samples, number)
            figures = merged(part).figures()
            times.append(figures)
            failed = sum(sum(s["failed"].values()) for s in part)
            others = statistics.fmean(s["others"] for s in part)
            self.say(f"| {number + 1} | {figures['count']:,} | {figures['p50']:.1f} | {figures['p99']:.1f} | {figures['p99.9']:.1f} | "
                     f"{failed} | {others:.0%} |")
        for name in ("p50", "p99"):
            if times[3][name] > 1.5 * times[0][name] + 5:
                self.wrong.append(f"{name} rose from {times[0][name]:.1f} to {times[3][name]:.1f} ms")
        failed = {}
        for sample in self.samples:
            for text, count in sample["failed"].items():
                failed[text] = failed.get(text, 0) + count
        for text, count in failed.items():
            self.say(f"failed: {count} × {text}")

    def tables(self):
        exact = [s for s in self.samples if s["exact"]]
        first, last = exact[0]["tables"], exact[-1]["tables"]
        self.say("\n| table | rows | dead rows at the end | kB | kB a new row, before | kept |\n|---|---|---|---|---|---|")
        for name in sorted(last, key=lambda one: first.get(one, {"bytes": 0})["bytes"] - last[one]["bytes"]):
            before, after = first.get(name, {"bytes": 0, "rows": 0}), last[name]
            grown, rows = after["bytes"] - before["bytes"], after["rows"] - before["rows"]
            if grown < 64 * 1024:
                continue
            each = f"{grown / rows / 1024:.2f}" if rows > 0 else "-"
            usual = before["bytes"] / before["rows"] / 1024 if before["rows"] else 0
            self.say(f"| {name} | {before['rows']:,} to {after['rows']:,} | {after['dead']:,} | {before['bytes'] // 1024:,} to "
                     f"{after['bytes'] // 1024:,} | {each}, {usual:.2f} | {KEPT.get(name, 'data')} |")
            if grown > 2 * max(rows, 0) * max(usual, 0.3) * 1024 + 8 * MEGABYTE:
                self.wrong.append(f"{name} grew by {grown / MEGABYTE:.0f} MB for {rows:,} rows")
