#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns the score of candidates from generated sheets and writes it as small whole-number trees.

usage: train.py SHEET-INSPECT OUT.bin FOLDER... [--hold-out FAMILY,FAMILY] [--measure SHEETS LABELS]...

With --hold-out pages of some families of styles are left out and measured, and nothing is written. Sheets given by
--measure are only measured.
"""
import argparse
import os
import pickle

import numpy

from boosting import learned
from candidates import generated, labelled, overlaps
from choose import measure
from forest import Forest

SEED = 20260721


def target(boxes, gold):
    best = overlaps(boxes, gold).max(1) if len(boxes) else numpy.zeros(0)
    return numpy.clip((best - 0.35) / 0.5, 0, 1)


def fit(pages, picked, options, seed):
    """Some of what is nowhere near a label is left out: it teaches little."""
    chance = numpy.random.default_rng(seed)
    rows, goals, weights = [], [], []
    for k in picked:
        goal = target(pages.boxes[k], pages.gold[k])
        keep = (goal > 0) | (chance.random(len(goal)) < options.keep)
        rows.append(pages.features[k][keep])
        goals.append(goal[keep])
        # Every page counts the same, and what is near a label counts more than the mass of what is not.
        weights.append(numpy.where(goal[keep] > 0, 2.0, 1.0) * 300 / max(60, keep.sum()))
    return learned(numpy.concatenate(rows), numpy.concatenate(goals), numpy.concatenate(weights), options.trees,
                   options.leaves, options.rate, 0.5, seed)


def learn(pages, picked, options):
    """Two forests, each from half of the pages; the score is their mean."""
    order = numpy.random.default_rng(SEED).permutation(picked)
    halves = [fit(pages, half, options, SEED) for half in (order[::2], order[1::2])]
    return Forest(halves[0].trees + halves[1].trees, 2, halves[0].features)


def report(title, pages, forest):
    mean, each = measure(pages, [forest.predict(f) for f in pages.features], detail=True)
    print(f"{title}: {mean:.3f}")
    return each


def main():
    a = argparse.ArgumentParser()
    a.add_argument("inspect")
    a.add_argument("out")
    a.add_argument("folders", nargs="+")
    a.add_argument("--trees", type=int, default=110)
    a.add_argument("--leaves", type=int, default=31)
    a.add_argument("--rate", type=float, default=0.1)
    a.add_argument("--keep", type=float, default=0.35)
    a.add_argument("--hold-out", default="")
    a.add_argument("--measure", nargs=2, action="append", default=[])
    a.add_argument("--cache")
    options = a.parse_args()
    if options.cache and os.path.exists(options.cache):
        pages = pickle.load(open(options.cache, "rb"))
    else:
        pages = generated(options.inspect, options.folders)
        if options.cache:
            pickle.dump(pages, open(options.cache, "wb"))
    print(f"{len(pages)} pages, {sum(map(len, pages.boxes))} candidates, {len(pages.names)} measures", flush=True)
    held = set(filter(None, options.hold_out.split(",")))
    picked = [k for k in range(len(pages)) if pages.meta[k]["family"] not in held]
    forest = learn(pages, picked, options)
    if held:
        part = pages.part([k for k in range(len(pages)) if pages.meta[k]["family"] in held])
        each = report(f"without {options.hold_out}", part, forest)
        pictures = [v for v, m in zip(each, part.meta) if m["image"]]
        print(f"  {len(part)} pages; without text {numpy.mean(pictures):.3f} ({len(pictures)})", flush=True)
    else:
        with open(options.out, "wb") as out:
            out.write(forest.bytes())
        print(f"{forest.size()} bytes")
    for sheets, labels in options.measure:
        part = labelled(options.inspect, sheets, labels)
        each = report(labels, part, forest)
        print("  " + " ".join(f"{m['name'][:14]} {v:.2f}" for m, v in zip(part.meta, each)), flush=True)


if __name__ == "__main__":
    main()
