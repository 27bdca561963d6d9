#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many labelled regions have a candidate at all: the best that any choice among candidates could reach.

usage: recall.py SHEET-INSPECT SHEETS-DIR LABELS-DIR [--missing]
"""
import glob
import json
import os
import subprocess
import sys


def box(region):
    width, height = region.get("width", region.get("w")), region.get("height", region.get("h"))
    return (region["x"], region["y"], region["x"] + width, region["y"] + height)


def iou(a, b):
    wide = min(a[2], b[2]) - max(a[0], b[0])
    high = min(a[3], b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    shared = wide * high
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def main():
    inspect, sheets, labels = sys.argv[1:4]
    found = total = 0
    best_sum = 0.0
    for path in sorted(glob.glob(os.path.join(labels, "*.json"))):
        label = json.load(open(path))
        name = os.path.basename(path)[:-5]
        run = subprocess.run([inspect, "--candidates", os.path.join(sheets, name + ".pdf")], capture_output=True)
        pages = [json.loads(line) for line in run.stdout.splitlines()]
        page = next(p for p in pages if p["page"] == label.get("page", 0))
        boxes = [[c[0] / 1e5, c[1] / 1e5, (c[0] + c[2]) / 1e5, (c[1] + c[3]) / 1e5] for c in page["candidates"]]
        hits = 0
        for region in label["regions"]:
            gold = box(region)
            best = max((iou(gold, b) for b in boxes), default=0)
            best_sum += best
            hits += best >= 0.5
            if best < 0.5 and "--missing" in sys.argv:
                print(f"  {name}: {region['name']} best {best:.2f}")
        found += hits
        total += len(label["regions"])
        print(f"{name:26s} candidates {len(boxes):5d}  regions {len(label['regions']):3d}  reachable {hits}")
    print(f"recall at 0.5: {found / total:.3f}, mean best overlap {best_sum / total:.3f}")


if __name__ == "__main__":
    main()
