#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the CPU time of `sheet-inspect FILE` with that of `pdftotext -bbox-layout` and `pdftoppm -r 72` together.

usage: reading.py SHEET-INSPECT PDF… [--rounds N] [--ready MARKET-BENCH]

Each program reads each file alone, one process a file, in turns. Times are the least of N rounds, so that other work on the
machine does not count; a ratio is the middle one of N, each of runs that followed one another, since machines drift. Prints
pages for each second of CPU time and the ratio file by file. With --ready also pages for each second by readers that
stand ready, as the service has files read: its own share of the work counts too.
"""
import argparse, json, os, re, resource, statistics, subprocess, tempfile


def cpu_seconds(*argv):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pages(path):
    out = subprocess.run(["pdfinfo", path], capture_output=True, text=True, errors="replace").stdout
    found = re.search(r"^Pages:\s+(\d+)", out, re.M)
    return int(found[1]) if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("inspect"); parser.add_argument("files", nargs="+"); parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ready")
    a = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in a.files:
            count = pages(path)
            if not count: continue
            ours, theirs = [], []
            for turn in range(a.rounds):
                if turn % 2: ours.append(cpu_seconds(a.inspect, path))
                theirs.append(cpu_seconds("pdftotext", "-bbox-layout", path, os.path.join(folder, "t"))
                              + cpu_seconds("pdftoppm", "-r", "72", path, os.path.join(folder, "p")))
                if not turn % 2: ours.append(cpu_seconds(a.inspect, path))
            ratio = statistics.median(our / their for our, their in zip(ours, theirs))
            rows.append((os.path.basename(path), count, min(ours), min(theirs), ratio))
    for name, count, ours, theirs, ratio in rows:
        print(f"  {name:32s} {count:3d} pages  {ours * 1000 / count:7.1f} ms a page  poppler's tools {theirs * 1000 / count:7.1f}  ratio {ratio:.2f}")
    total = [sum(row[i] for row in rows) for i in (1, 2, 3)]
    ratios = [row[4] for row in rows]
    print(f"  {total[0] / total[1]:.1f} pages per CPU second, poppler's tools {total[0] / total[2]:.1f}; ratio of CPU time, "
          f"median {statistics.median(ratios):.2f}, worst {max(ratios):.3f}; {sum(r <= 1 for r in ratios)} of {len(ratios)} take no longer")
    if a.ready:
        out = subprocess.run([a.ready, "sheets", "--reader", os.path.abspath(a.inspect), "--rounds", str(min(3, a.rounds)), *a.files],
                             capture_output=True, text=True, check=True).stdout
        figures = json.loads(out)
        print(f"  {figures['pages'] / figures['cpuSeconds']:.1f} pages per CPU second by a reader that stands ready")


if __name__ == "__main__":
    main()
