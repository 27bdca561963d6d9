#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns both scores of candidates from generated and real sheets and writes them as small whole-number trees.

usage: train.py SHEET-INSPECT DATA-FOLDER FOLDER... --sheets DIR... --labels DIR... [--cache FILE]

Writes region-score.bin and region-choice.bin. `crossvalidate.py` measures what this gives on sheets it has not seen.
"""
import argparse
import os
import pickle
import sys

import numpy

from candidates import generated
from forest import Forest
from learn import SEED, SHARE, beside, drawn, first, names, rows, second, whole
from real import folds, labelled_pages

FOLDS = 5


def learn(made, real):
    taught = rows(made, range(len(made)), SHARE, SEED)
    fold = folds(real, FOLDS, SEED)
    # The second score learns from first ones of pages that those were not learned from, as it will meet them.
    looks = []
    for held in sorted(set(fold)):
        learned = first(taught, real, numpy.flatnonzero(fold != held))
        looks += [(k, beside(real, k, whole(learned, real.features[k]))) for k in numpy.flatnonzero(fold == held)]
    before = Forest.from_model(first(taught, real, range(len(real))))
    return before, Forest.from_model(second(real, looks))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("inspect")
    a.add_argument("data")
    a.add_argument("folders", nargs="+")
    a.add_argument("--sheets", action="append", required=True)
    a.add_argument("--labels", action="append", required=True)
    a.add_argument("--cache")
    options = a.parse_args()
    if options.cache and os.path.exists(options.cache):
        made, real = pickle.load(open(options.cache, "rb"))
    else:
        made = drawn(generated(options.inspect, options.folders))
        real = labelled_pages(options.inspect, options.sheets, options.labels)
        if options.cache:
            pickle.dump((made, real), open(options.cache, "wb"))
    if len({meta["repository"] for meta in real.meta}) < 2:
        sys.exit("Pages of two repositories or authors are needed at least: those of one are judged by the other's.")
    print(f"{len(made)} generated pages, {len(real)} real ones, {len(names(real))} measures", flush=True)
    for name, forest in zip(("region-score.bin", "region-choice.bin"), learn(made, real)):
        with open(os.path.join(options.data, name), "wb") as out:
            out.write(forest.bytes())
        print(f"{name}: {len(forest.trees)} trees, {forest.size()} bytes")


if __name__ == "__main__":
    main()
