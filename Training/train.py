#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns the score of candidates from generated sheets and writes it as small whole-number trees.

usage: train.py SHEET-INSPECT OUT.bin FOLDER... [--trees 300] [--leaves 31] [--hold-out] [--measure SHEETS LABELS]...

With --hold-out families of styles are left out in turn and measured; nothing is written. Sheets given by --measure are
only measured.
"""
import argparse
import pickle
import os

import lightgbm
import numpy

from candidates import generated, labelled, overlaps
from choose import SETTINGS, measure
from forest import Forest

SEED = 20260721
FOLDS = [{"frame", "below", "open"}, {"bar", "double", "panel"}, {"barframe", "notch", "rule"}, {"grid", "side"},
         {"tab", "overline", "inframe"}, {"cells", "hline"}]


def target(pages):
    parts = []
    for boxes, gold in zip(pages.boxes, pages.gold):
        best = overlaps(boxes, gold).max(1) if len(boxes) else numpy.zeros(0)
        parts.append(numpy.clip((best - 0.35) / 0.5, 0, 1))
    return parts


def fit(pages, picked, options, seed=SEED):
    x = numpy.concatenate([pages.features[k] for k in picked])
    goal = target(pages)
    y = numpy.concatenate([goal[k] for k in picked])
    # Every page counts the same, and what is near a label counts more than the mass of what is not.
    weight = numpy.concatenate([numpy.full(len(goal[k]), 300.0 / max(60, len(goal[k]))) for k in picked])
    weight *= numpy.where(y > 0, 2.0, 1.0)
    data = lightgbm.Dataset(x, y, weight=weight, feature_name=pages.names, free_raw_data=True)
    settings = dict(
        objective=options.objective, num_leaves=options.leaves, learning_rate=options.rate, min_data_in_leaf=60,
        feature_fraction=0.5, bagging_fraction=0.7, bagging_freq=1, lambda_l2=3.0, max_bin=255, seed=seed,
        deterministic=True, force_row_wise=True, num_threads=2, verbose=-1)
    return lightgbm.train(settings, data, options.trees)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("inspect")
    a.add_argument("out")
    a.add_argument("folders", nargs="+")
    a.add_argument("--trees", type=int, default=300)
    a.add_argument("--leaves", type=int, default=31)
    a.add_argument("--rate", type=float, default=0.08)
    a.add_argument("--objective", default="regression")
    a.add_argument("--hold-out", action="store_true")
    a.add_argument("--measure", nargs=2, action="append", default=[])
    a.add_argument("--cache")
    a.add_argument("--drop", default="", help="features to leave out, by comma")
    options = a.parse_args()
    if options.cache and os.path.exists(options.cache):
        pages = pickle.load(open(options.cache, "rb"))
    else:
        pages = generated(options.inspect, options.folders)
        if options.cache:
            pickle.dump(pages, open(options.cache, "wb"))
    print(f"{len(pages)} pages, {sum(map(len, pages.boxes))} candidates, {len(pages.names)} measures")
    measured = [labelled(options.inspect, *paths) for paths in options.measure]
    for name in filter(None, options.drop.split(",")):
        for part in [pages, *measured]:
            for features in part.features:
                features[:, part.names.index(name)] = 0
    if options.hold_out:
        return hold_out(pages, options)
    model = fit(pages, range(len(pages)), options)
    forest = Forest.from_model(model)
    forest.write(options.out, pages.names)
    print(f"{forest.size()} bytes")
    gains = sorted(zip(model.feature_importance("gain"), pages.names), reverse=True)
    print("most telling:", ", ".join(name for _, name in gains[:25]))
    for paths, part in zip(options.measure, measured):
        scores = [forest.predict(f) for f in part.features]
        mean, each = measure(part, scores, detail=True)
        print(f"{paths[1]}: {mean:.3f}  " + " ".join(f"{m['name'][:12]} {v:.2f}" for m, v in zip(part.meta, each)))


def hold_out(pages, options):
    total = []
    for families in FOLDS:
        train = [k for k in range(len(pages)) if pages.meta[k]["family"] not in families]
        test = [k for k in range(len(pages)) if pages.meta[k]["family"] in families]
        model = fit(pages, train, options)
        part = type(pages)()
        for name in ("boxes", "gold", "meta", "features"):
            setattr(part, name, [getattr(pages, name)[k] for k in test])
        mean, each = measure(part, [model.predict(f) if len(f) else [] for f in part.features], detail=True)
        total += each
        pictures = [v for v, m in zip(each, part.meta) if m["image"]]
        print(f"without {'/'.join(sorted(families))}: {mean:.3f}, its image-only pages {numpy.mean(pictures):.3f}")
    print(f"held out styles: {numpy.mean(total):.3f}")


if __name__ == "__main__":
    main()
