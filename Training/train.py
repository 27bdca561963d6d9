#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns the two scores of candidates from generated sheets and writes them as small whole-number trees.

usage: train.py SHEET-INSPECT OUT-FOLDER FOLDER... [--hold-out FAMILY,FAMILY] [--measure SHEETS LABELS]...

The first score sees a candidate's own measures. The second sees those and what the first says of its neighbours; it is
learned from scores that candidates got from trees which had not seen their page. With --hold-out pages of some families
of styles are left out and measured, and nothing is written. Sheets given by --measure are only measured.
"""
import argparse
import os
import pickle
import time

import lightgbm
import numpy

from candidates import generated, labelled, overlaps
from choose import SETTINGS, measure
from context import FLOOR, NAMES, context
from forest import SCALE, Forest

SEED = 20260721


def target(page_boxes, page_gold):
    best = overlaps(page_boxes, page_gold).max(1) if len(page_boxes) else numpy.zeros(0)
    return numpy.clip((best - 0.35) / 0.5, 0, 1)


def fit(rows, goals, trees, options, rate=0.1):
    # Every page counts the same, and what is near a label counts more than the mass of what is not.
    weight = numpy.concatenate([numpy.full(len(goal), 300.0 / max(60, len(goal))) for goal in goals])
    y = numpy.concatenate(goals)
    weight *= numpy.where(y > 0, 2.0, 1.0)
    settings = dict(
        objective="regression", num_leaves=options.leaves, learning_rate=rate, min_data_in_leaf=60, feature_fraction=0.5,
        bagging_fraction=0.7, bagging_freq=1, lambda_l2=3.0, max_bin=127, seed=SEED, deterministic=True,
        force_row_wise=True, num_threads=2, verbose=-1)
    return lightgbm.train(settings, lightgbm.Dataset(numpy.concatenate(rows), y, weight=weight), trees)


def fit_first(pages, picked, goals, options):
    """Half of what is nowhere near a label is left out: it teaches little."""
    chance = numpy.random.default_rng(SEED)
    rows, kept = [], []
    for k in picked:
        keep = (goals[k] > 0) | (chance.random(len(goals[k])) < options.keep)
        rows.append(pages.features[k][keep])
        kept.append(goals[k][keep])
    return Forest.from_model(fit(rows, kept, options.trees, options))


def second_rows(pages, k, raw):
    """Candidates that are still in, with the measures of the second pass."""
    keep = numpy.nonzero(raw >= FLOOR)[0]
    if not len(keep):
        return keep, numpy.zeros((0, len(NAMES) + len(pages.names)), dtype=numpy.int16)
    features = pages.features[k][keep]
    column = lambda name: features[:, pages.names.index(name)].astype(int)
    around = context(pages.pixels[k][keep], raw[keep], column("title"), column("framed"), column("titleIsHeading"))
    return keep, numpy.concatenate([around, features], 1)


def first_scores(forests, features):
    return Forest(forests[0].trees + forests[1].trees, 2, forests[0].features).raw(features)


def both_scores(pages, forests, second):
    found = []
    for k in range(len(pages)):
        raw = first_scores(forests, pages.features[k])
        keep, rows = second_rows(pages, k, raw)
        scores = numpy.zeros(len(raw))
        if len(keep):
            scores[keep] = second.raw(rows) / SCALE
        found.append(scores)
    return found


def learn(pages, picked, options):
    goals = {k: target(pages.boxes[k], pages.gold[k]) for k in picked}
    order = numpy.random.default_rng(SEED).permutation(picked)
    halves = order[::2], order[1::2]
    start = time.time()
    forests = [fit_first(pages, half, goals, options) for half in halves]
    print(f"first score: {time.time() - start:.0f} s", flush=True)
    rows, kept = [], []
    for half, forest in zip(halves, forests[::-1]):
        for k in half:
            if len(pages.features[k]):
                keep, around = second_rows(pages, k, forest.raw(pages.features[k]))
                rows.append(around)
                kept.append(goals[k][keep])
    print(f"second score: {sum(map(len, rows))} candidates, {time.time() - start:.0f} s", flush=True)
    model = fit(rows, kept, options.second_trees, options)
    gains = sorted(zip(model.feature_importance("gain"), NAMES + pages.names), reverse=True)
    print("most telling:", ", ".join(name for _, name in gains[:20]))
    return forests, Forest.from_model(model)


def report(title, pages, forests, second):
    one = [first_scores(forests, f) / SCALE for f in pages.features]
    two = both_scores(pages, forests, second)
    mean, each = measure(pages, two, detail=True)
    print(f"{title}: first score {measure(pages, one):.3f}, both {mean:.3f}, both with filling "
          f"{measure(pages, two, dict(SETTINGS, fill=0.2)):.3f}")
    return each


def main():
    a = argparse.ArgumentParser()
    a.add_argument("inspect")
    a.add_argument("out")
    a.add_argument("folders", nargs="+")
    a.add_argument("--trees", type=int, default=110)
    a.add_argument("--second-trees", type=int, default=140)
    a.add_argument("--leaves", type=int, default=31)
    a.add_argument("--keep", type=float, default=0.5)
    a.add_argument("--hold-out", default="")
    a.add_argument("--measure", nargs=2, action="append", default=[])
    a.add_argument("--cache")
    a.add_argument("--models", help="a file to keep the trees in, for measuring again")
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
    forests, second = learn(pages, picked, options)
    if held:
        part = pages.part([k for k in range(len(pages)) if pages.meta[k]["family"] in held])
        each = report(f"without {options.hold_out}", part, forests, second)
        print(f"  image-only {numpy.mean([v for v, m in zip(each, part.meta) if m['image']]):.3f}")
    else:
        merged = Forest(forests[0].trees + forests[1].trees, 2, forests[0].features)
        for name, forest in (("region-score.bin", merged), ("region-context.bin", second)):
            with open(os.path.join(options.out, name), "wb") as out:
                out.write(forest.bytes())
            print(f"{name}: {forest.size()} bytes")
        if options.models:
            pickle.dump((forests, second, pages.names), open(options.models, "wb"))
    for sheets, labels in options.measure:
        part = labelled(options.inspect, sheets, labels)
        each = report(labels, part, forests, second)
        print("  " + " ".join(f"{m['name'][:14]} {v:.2f}" for m, v in zip(part.meta, each)), flush=True)


if __name__ == "__main__":
    main()
