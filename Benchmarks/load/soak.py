#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a market for hours at a rate that it serves easily, and tells what grew.

usage: soak.py [--hours 2] [--rate 30] [--servers 2] [--templates 10000] [--changes 5] [--out FOLDER]

Each minute: memory and open files of each part, percentiles of the answers' times, sizes of tables; each quarter of an hour the
rows are counted. FOLDER gets samples.jsonl, and verdict.md at the end, or when it is ended early. Answers to Idempotency-Keys are
kept for a quarter of an hour here, so that they can be seen to go. Run by `make bench-soak`.
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
import threading
import time

import paths
from children import Failure
from mix import Visitors
from nodes import Market, machine
from openloop import Crowd, Figures
from samples import Verdict, processes, tables


class Soak:
    def __init__(self, market, crowd, out, every):
        self.market, self.crowd, self.out, self.every = market, crowd, out, every
        self.samples = []
        self.begun = time.monotonic()
        self.next = self.begun + every
        self.is_over = False
        self.worker = None
        self.before = self.usage()

    def usage(self):
        return self.market.processor(), machine(), time.monotonic()

    def between(self, now):
        """Called by the crowd all the time: takes a sample when it is due, beside the visitors."""
        if now >= self.next and not (self.worker and self.worker.is_alive()):
            self.next += self.every
            figures, self.crowd.figures = self.crowd.figures, Figures()
            # Not a child of this thread: nothing is started there that must outlive it.
            self.worker = threading.Thread(target=self.try_sample, args=(figures, now), daemon=True)
            self.worker.start()
        return self.is_over

    def try_sample(self, *what, **how):
        """A machine that is busy with other work may take too long to tell; then a minute is missing."""
        try:
            self.sample(*what, **how)
        except (Failure, subprocess.TimeoutExpired) as failure:
            print(f"soak: no sample: {failure}", flush=True)

    def sample(self, figures, now, is_last=False):
        usage, before = self.usage(), self.before
        self.before = usage
        (used, (busy, _), at), (used_before, (busy_before, _), at_before) = usage, before
        exact = is_last or not self.samples or len(self.samples) % 15 == 0
        cores = (os.cpu_count() or 1) * (at - at_before)
        ours = sum(used[name] - used_before[name] for name in used)
        sample = {
            "at": now - self.begun, "visits": figures.visits, "asked": figures.asked, "good": figures.good,
            "failed": dict(figures.failed), "late p99": figures.late.percentile(0.99), "ours": ours / cores,
            "others": max(0, busy - busy_before - ours) / cores,
            "processor": {name: used[name] - used_before[name] for name in used},
            "parts": processes(self.market.parts), "exact": exact, "tables": tables(self.market.sql, exact)}
        with open(self.out / "samples.jsonl", "a") as file:
            file.write(json.dumps(sample | {"kinds": {k: one.figures() for k, one in figures.kinds.items()},
                                            "all": figures.all.figures()}) + "\n")
        self.samples.append(sample | {"kinds": figures.kinds})

    def end(self):
        if self.worker:
            self.worker.join()
        self.try_sample(self.crowd.figures, time.monotonic(), is_last=True)
        text = Verdict(self.samples).judge()
        (self.out / "verdict.md").write_text(text)
        print(text, flush=True)


def run(folder, out, options):
    market = Market(folder, options.programs, {"SHEETMARKET_IDEMPOTENCY_TTL": "15m"})
    try:
        market.make(options.templates)
        market.serve(options.servers)
        visitors = Visitors(market.census(options.templates) | market.enrol(), options.changes)
        crowd = Crowd(market.address, visitors.visit)
        print(f"soak: {options.rate:.0f} visits/s for {options.hours} hours begin", flush=True)
        crowd.run(options.rate, 30)
        crowd.figures = Figures()
        soak = Soak(market, crowd, out, options.every)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: setattr(soak, "is_over", True))
        crowd.run(options.rate, options.hours * 3600, between=soak.between)
        soak.end()
    finally:
        market.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", default=str(paths.ROOT / ".build/release"), help="the folder with sheetmarket")
    parser.add_argument("--hours", type=float, default=2)
    parser.add_argument("--rate", type=float, default=30, help="visits a second")
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--templates", type=int, default=10_000)
    parser.add_argument("--changes", type=float, default=5, help="how many times their share changes have")
    parser.add_argument("--every", type=float, default=60, help="seconds between samples")
    parser.add_argument("--out", help="a folder for what comes of it")
    parser.add_argument("--folder", help="where data and logs go, and stay")
    options = parser.parse_args()
    folder = options.folder or tempfile.mkdtemp(prefix="soak-", dir="/tmp")
    pathlib.Path(folder).mkdir(exist_ok=True)
    os.chmod(folder, 0o755)
    out = pathlib.Path(options.out or ".build/soak")
    out.mkdir(parents=True, exist_ok=True)
    try:
        run(folder, out, options)
    finally:
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
