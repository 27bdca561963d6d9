#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the time of `sheet-inspect FILE` with that of `pdftotext -bbox-layout` and `pdftoppm -r 72` together.

usage: reading.py SHEET-INSPECT PDF… [--rounds N] [--ready MARKET-BENCH]

Each program reads each file alone, one process a file, in turns, all on one processor. Pages are told for each second of CPU
time, the least of N rounds, so that other work on the machine does not count; memory is the most of all rounds. A ratio is the
middle one of N, each of runs that followed one another, since machines drift: of CPU time, and by the clock. With --ready also
pages for each second by readers that stand ready, as the service has files read: its own share of the work counts too.
"""
import argparse, json, os, re, statistics, subprocess, tempfile, time


# The most milliseconds of a processor that a page may take, and MiB that a process may hold.
DENSE, MEMORY = 100, 350


class Spent:
    """CPU time and time by the clock, in seconds, and the most memory of a process, in MiB."""

    def __init__(self, cpu=0.0, clock=0.0, memory=0.0): self.cpu, self.clock, self.memory = cpu, clock, memory

    def __add__(self, other):
        return Spent(self.cpu + other.cpu, self.clock + other.clock, max(self.memory, other.memory))


def spent(*argv):
    start = time.perf_counter()
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # With what it has waited for itself.
    _, child.returncode, used = os.wait4(child.pid, 0)
    return Spent(used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024)


def pages(path):
    out = subprocess.run(["pdfinfo", path], capture_output=True, text=True, errors="replace").stdout
    found = re.search(r"^Pages:\s+(\d+)", out, re.M)
    return int(found[1]) if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("inspect"); parser.add_argument("files", nargs="+"); parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--ready")
    a = parser.parse_args()
    rows, allowed = [], os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    with tempfile.TemporaryDirectory() as folder:
        for path in a.files:
            count = pages(path)
            if not count: continue
            ours, theirs = [], []
            for turn in range(a.rounds):
                if turn % 2: ours.append(spent(a.inspect, path))
                theirs.append(spent("pdftotext", "-bbox-layout", path, os.path.join(folder, "t"))
                              + spent("pdftoppm", "-r", "72", path, os.path.join(folder, "p")))
                if not turn % 2: ours.append(spent(a.inspect, path))
            rows.append((os.path.basename(path), count, min(one.cpu for one in ours), min(one.cpu for one in theirs),
                         statistics.median(our.cpu / their.cpu for our, their in zip(ours, theirs)),
                         statistics.median(our.clock / their.clock for our, their in zip(ours, theirs)),
                         max(one.memory for one in ours)))
    os.sched_setaffinity(0, allowed)
    for name, count, ours, theirs, cpu, clock, _ in rows:
        print(f"  {name:32s} {count:3d} pages  {ours * 1000 / count:7.1f} ms a page  poppler's tools {theirs * 1000 / count:7.1f}"
              f"  ratio {cpu:.2f}  by the clock {clock:.2f}")
    total = [sum(row[i] for row in rows) for i in (1, 2, 3)]
    print(f"  {total[0] / total[1]:.1f} pages per CPU second, poppler's tools {total[0] / total[2]:.1f}")
    for title, ratios in (("of CPU time", [row[4] for row in rows]), ("by the clock", [row[5] for row in rows])):
        print(f"  ratio {title}: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}; "
              f"{sum(ratio <= 1 for ratio in ratios)} of {len(ratios)} take no more")
    slowest, largest = max(rows, key=lambda row: row[2] / row[1]), max(rows, key=lambda row: row[6])
    print(f"  slowest page, by files' means: {slowest[2] * 1000 / slowest[1]:.0f} ms (goal {DENSE}; {slowest[0]}); "
          f"most memory {largest[6]:.0f} MiB (goal {MEMORY}; {largest[0]})")
    if a.ready:
        out = subprocess.run([a.ready, "sheets", "--reader", os.path.abspath(a.inspect), "--rounds", str(min(3, a.rounds)), *a.files],
                             capture_output=True, text=True, check=True).stdout
        figures = json.loads(out)
        print(f"  {figures['pages'] / figures['cpuSeconds']:.1f} pages per CPU second by a reader that stands ready")


if __name__ == "__main__":
    main()
