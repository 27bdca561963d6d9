#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Finds how much a market of one, two and three servers serves on this machine, with a mix like real use.

usage: knee.py [--servers 1,2,3] [--templates 10000] [--start 50] [--seconds 20] [--bound 250] [--each] [--json FILE]

The rate of visits goes up by half until the 99th percentile of the answers' times, each from when its visitor was due, passes
--bound ms, or fewer than 99 % are served well; then the knee is looked for between the last two rates. For each step: visits
a second, the share that was served, percentiles, and the processor time that each part used for a request. At the end it says
what the limit is. With --each it tells instead what one visit of each kind costs. PostgreSQL, servers, a worker, nginx and the visitors share this machine. Run by `make bench-load`.
"""
import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile

import paths
from mix import Visitors
from nodes import Market, machine
from openloop import Crowd, Figures

PARTS = ("postgres", "servers", "worker and readers", "nginx", "load")


class Step:
    """What came of one rate."""

    def __init__(self, rate, seconds, figures, used, busy, stolen, log_bytes):
        self.rate, self.seconds, self.figures = rate, seconds, figures
        whole = figures.all.figures()
        self.p50, self.p99, self.p999 = whole["p50"], whole["p99"], whole["p99.9"]
        self.requests = figures.asked
        self.served = figures.good / max(1, figures.asked)
        # Milliseconds of processor time for a request.
        self.cost = {name: 1000 * used[name] / max(1, figures.good) for name in used}
        # Of the database's write-ahead log, likewise.
        self.log_bytes = log_bytes / max(1, figures.good)
        cores = os.cpu_count() or 1
        self.ours = sum(used.values()) / seconds / cores
        self.others = max(0.0, busy / seconds / cores - self.ours)
        self.stolen = stolen / seconds / cores

    def holds(self, bound):
        return self.p99 <= bound and self.served >= 0.99

    def line(self):
        costs = " ".join(f"{self.cost[name]:8.3f}" for name in PARTS)
        return (f"{self.rate:7.0f} {self.requests / self.seconds:8.0f} {self.served:7.1%} {self.p50:8.1f} {self.p99:8.1f} "
                f"{self.p999:8.1f}  {costs}  {self.ours:5.0%} {self.others:5.0%} {self.stolen:5.0%}")

    def json(self):
        return {name: getattr(self, name) for name in (
            "rate", "requests", "served", "p50", "p99", "p999", "cost", "log_bytes", "ours", "others", "stolen")} | {
            "visits": self.figures.visits, "failed": dict(self.figures.failed), "late p99": self.figures.late.percentile(0.99),
            "kinds": {name: one.figures() for name, one in self.figures.kinds.items()}}


HEAD = (f"{'rate':>7} {'requests':>8} {'served':>7} {'p50':>8} {'p99':>8} {'p99.9':>8}  "
        + " ".join(f"{name.split()[0]:>8}" for name in PARTS) + "   ours  other stolen")


def measure(market, crowd, rate, seconds):
    """One step, after some seconds that do not count."""
    crowd.figures = Figures()
    crowd.run(rate, min(5, seconds / 3), grace=2)
    crowd.figures = Figures()
    log = market.log_bytes()
    before, (busy, stolen) = market.processor(), machine()
    figures = crowd.run(rate, seconds)
    after, (busy_after, stolen_after) = market.processor(), machine()
    used = {name: after[name] - before[name] for name in after}
    step = Step(rate, seconds, figures, used, busy_after - busy, stolen_after - stolen, market.log_bytes() - log)
    print(step.line(), flush=True)
    for text, count in figures.failed.most_common(3):
        print(f"        {count} × {text}", flush=True)
    return step


def find_knee(measured, start, bound, most=20_000, halvings=2):
    """The steps that were tried by `measured(rate)`, and the fastest of those that held, if any."""
    steps, rate = [], start
    while rate < most:
        steps.append(measured(rate))
        if not steps[-1].holds(bound):
            break
        rate *= 1.5
    low = max((step.rate for step in steps if step.holds(bound)), default=None)
    high = min((step.rate for step in steps if not step.holds(bound)), default=None)
    for _ in range(halvings):
        if low is None or high is None:
            break
        steps.append(measured((low + high) / 2))
        low, high = (steps[-1].rate, high) if steps[-1].holds(bound) else (low, steps[-1].rate)
    return steps, max((step for step in steps if step.holds(bound)), key=lambda step: step.rate, default=None)


def limit(steps):
    """In words, what the fastest steps were limited by."""
    last = max(steps, key=lambda step: step.requests * step.served)
    busy = last.ours + last.others + last.stolen
    whole = sum(last.cost.values())
    shares = ", ".join(f"{name} {cost:.2f} ms ({cost / whole:.0%})" for name, cost in sorted(
        last.cost.items(), key=lambda one: -one[1]))
    cores = os.cpu_count() or 1
    text = [f"processor time of a request: {whole:.2f} ms: {shares}"]
    if busy >= 0.85:
        text.append(f"the limit is this machine's {cores} cores, {busy:.0%} busy ({last.others + last.stolen:.0%} with others' work): at "
                    f"{whole:.2f} ms they serve {1000 * cores / whole:,.0f} requests/s at most, by however many servers")
    else:
        text.append(f"the cores are {busy:.0%} busy: the limit is a wait (locks, the disk, connections), not processor time")
    text.append("a core of its own serves, a second: " + ", ".join(
        f"{name} {1000 / cost:,.0f}" for name, cost in last.cost.items() if cost > 0.001 and name != "load"))
    return text


def each(market, visitors, rate, seconds):
    """What visits of one kind cost, one kind after the other."""
    print(f"{'':12} {HEAD}", flush=True)
    crowd = Crowd(market.address, visitors.visit)
    found = {}
    for name, visit in zip(visitors.shares, visitors.kinds):
        crowd.visit = visit
        print(f"{name:12} ", end="", flush=True)
        # Uploads are read by one worker.
        step = measure(market, crowd, rate if name not in ("upload", "moderate") else 2, seconds)
        found[name] = step.json()
        print(f"{'':12} {step.log_bytes:,.0f} bytes of write-ahead log a request", flush=True)
    return found | {"sizes": market.sizes()}


def run(folder, options):
    market = Market(folder, options.programs)
    report = {"templates": options.templates, "bound": options.bound, "servers": {}}
    try:
        market.make(options.templates)
        market.serve(1)
        tokens = market.enrol()
        for number, count in enumerate(options.servers):
            if number or count != 1:
                market.serve(count)
            visitors = Visitors(market.census(options.templates) | tokens, options.changes)
            if not number:
                report["shares"] = visitors.shares
                print("of a hundred visits: " + ", ".join(f"{100 * share:.2f} {name}" for name, share in visitors.shares.items()))
            if options.each:
                report["each"] = each(market, visitors, options.start, options.seconds)
                print(json.dumps(report["each"]["sizes"], indent=1))
                break
            crowd = Crowd(market.address, visitors.visit)
            print(f"\n{count} server{'s' * (count > 1)}, {options.templates:,} templates; times in ms from when a visitor was due, "
                  f"processor time in ms a request\n{HEAD}", flush=True)
            steps, knee = find_knee(lambda rate: measure(market, crowd, rate, options.seconds), options.start, options.bound)
            words = limit(steps)
            print(f"knee with {count}: " + (f"{knee.rate:.0f} visits/s, {knee.requests / knee.seconds:.0f} requests/s, p99 "
                  f"{knee.p99:.0f} ms" if knee else "below the first rate") + "\n  " + "\n  ".join(words), flush=True)
            report["servers"][count] = {
                "steps": [step.json() for step in steps], "knee": knee.json() if knee else None, "limit": words}
    finally:
        market.stop()
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(report, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", default=str(paths.ROOT / ".build/release"), help="the folder with sheetmarket")
    parser.add_argument("--servers", default="1,2,3", type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("--templates", type=int, default=10_000)
    parser.add_argument("--start", type=float, default=50, help="the first rate, in visits a second")
    parser.add_argument("--seconds", type=float, default=20, help="how long each rate lasts")
    parser.add_argument("--bound", type=float, default=250, help="ms that the 99th percentile may reach")
    parser.add_argument("--each", action="store_true", help="what one visit of each kind costs")
    parser.add_argument("--changes", type=float, default=1, help="how many times their share changes have")
    parser.add_argument("--json", help="write the figures there, too")
    parser.add_argument("--keep", action="store_true", help="keep the folder with data and logs")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="load-", dir="/tmp")
    os.chmod(folder, 0o755)
    try:
        run(folder, options)
    finally:
        if options.keep:
            print(f"data and logs are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
