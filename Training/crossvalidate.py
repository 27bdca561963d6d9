#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how well regions are found on real sheets that nothing was learned from: cross-validation grouped by repository.

usage: crossvalidate.py SHEET-INSPECT FOLDER... --sheets DIR... --labels DIR... [--seeds 1,2,3] [--cache FILE] [--per-page]

Folders hold generated pages (`generate.py`), which every fold learns from. Prints for each seed (another division into five
folds) what the first score alone, both scores, and the program as a whole give, with a bootstrap interval over sheets; of the
program then what goes wrong by cause, names, and pages without a text layer. The program, SHEET-INSPECT, finds the regions of
each fold with scores that were learned without it, and does all else as it ships, but for the sieve, which has seen all pages.
"""
import argparse
import collections
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile

import numpy

from candidates import box, generated, overlaps
from choose import choose
from forest import Forest
from learn import SEED, SHARE, beside, drawn, first, rows, second, whole
from real import folds, labelled_pages, sheets_by_hash
from scoring import score_page

FOLDS = 5


def scored(taught, real, fold, seed):
    """First and second scores of every page by what was learned from pages of other folds, and the second ones' trees."""
    before = [{} for _ in range(len(real))]
    for pair in itertools.combinations(range(FOLDS), 2):
        learned = first(taught, real, [k for k in range(len(real)) if fold[k] not in pair], seed)
        for k in range(len(real)):
            if fold[k] in pair:
                other = pair[1] if fold[k] == pair[0] else pair[0]
                before[k][other] = whole(learned, real.features[k])
    # What a page's own fold is judged by has seen none of it, nor has what it was learned from.
    mean = [sum(by.values()) // len(by) for by in before]
    scores, second_models = [numpy.zeros(len(s), dtype=numpy.int64) for s in mean], []
    for held in range(FOLDS):
        looks = [(k, beside(real, k, before[k][held])) for k in range(len(real)) if fold[k] != held]
        learned = second(real, looks, seed)
        second_models.append(learned)
        for k in numpy.flatnonzero(fold == held):
            picked, measures = beside(real, k, mean[k])
            scores[k][picked] = whole(learned, measures)
    return mean, scores, second_models


def found_by_program(inspect, paths, taught, real, fold, seed, second_models):
    """What the program finds on every page with scores learned from pages of other folds: boxes and names."""
    found = [None] * len(real)
    for held in range(FOLDS):
        learned = first(taught, real, numpy.flatnonzero(fold != held), seed)
        with tempfile.TemporaryDirectory() as folder:
            for name, model in (("region-score.bin", learned), ("region-choice.bin", second_models[held])):
                with open(os.path.join(folder, name), "wb") as out:
                    out.write(Forest.from_model(model).bytes())
            pages = {}
            for k in numpy.flatnonzero(fold == held):
                path = paths[real.meta[k]["sheet"]]
                if path not in pages:
                    run = subprocess.run([inspect, "--chosen-by", folder, path], capture_output=True, check=True)
                    pages[path] = {page["page"]: page["regions"] for page in map(json.loads, run.stdout.splitlines())}
                regions = pages[path].get(real.meta[k]["label"].get("page", 0), [])
                found[k] = (numpy.array([box(region) for region in regions]).reshape(-1, 4), [r["name"] for r in regions])
    return found


def interval(values, sheets):
    """95 of 100 times the mean is within, were other sheets drawn: bootstrap over sheets."""
    groups = collections.defaultdict(list)
    for value, sheet in zip(values, sheets):
        groups[sheet].append(value)
    sums, counts = (numpy.array([f(v) for v in groups.values()], dtype=float) for f in (sum, len))
    drawn = numpy.random.default_rng(1).integers(0, len(groups), (4000, len(groups)))
    means = sums[drawn].sum(1) / counts[drawn].sum(1)
    return numpy.percentile(means, [2.5, 97.5])


def mean_of(found, key):
    values = [page[key] for page in found if page[key] is not None]
    return sum(values) / max(1, len(values))


def line(title, found, sheets):
    low, high = interval([page["f1"] for page in found], sheets)
    print(f"{title:28s} {len(found):3d} pages  F1 {mean_of(found, 'f1'):.3f} [{low:.3f}, {high:.3f}]  P {mean_of(found, 'precision'):.3f}"
          f"  R {mean_of(found, 'recall'):.3f}  IoU {mean_of(found, 'iou'):.3f}  names {mean_of(found, 'names'):.3f}", flush=True)


def causes(real, chosen):
    """Why labels were missed and what was found in vain, counted."""
    counted = collections.Counter()
    for k, boxes in enumerate(chosen):
        gold = real.gold[k]
        table = overlaps(boxes, gold) if len(boxes) else numpy.zeros((0, len(gold)))
        reach = overlaps(real.boxes[k], gold) if len(real.boxes[k]) else numpy.zeros((1, len(gold)))
        counted["labels"] += len(gold)
        for label in range(len(gold)):
            if len(boxes) and table[:, label].max() >= 0.5:
                counted["found"] += 1
            else:
                counted[cause(gold[label], boxes, reach[:, label].max())] += 1
        for place, box in enumerate(boxes):
            if not len(gold) or table[place].max() < 0.5:
                part = max((shared(box, label) / area(box) for label in gold), default=0)
                counted["in vain: part of a label" if part > 0.7 else "in vain: not a region"] += 1
    print("causes: " + ", ".join(f"{name} {count}" for name, count in sorted(counted.items())))


def cause(label, boxes, reach):
    if reach < 0.5:
        return "missed: no candidate"
    if any(shared(label, box) > 0.75 * area(label) for box in boxes):
        return "missed: merged into a larger one"
    if any(shared(label, box) > 0.75 * area(box) for box in boxes):
        return "missed: split, or only a part"
    if sum(shared(label, box) for box in boxes) < 0.15 * area(label):
        return "missed: nothing found there"
    return "missed: other edges"


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def shared(one, other):
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return max(0, wide) * max(0, high)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("inspect")
    a.add_argument("folders", nargs="+")
    a.add_argument("--sheets", action="append", required=True)
    a.add_argument("--labels", action="append", required=True)
    a.add_argument("--seeds", default="1,2,3")
    a.add_argument("--cache")
    a.add_argument("--per-page", action="store_true")
    options = a.parse_args()
    if options.cache and os.path.exists(options.cache):
        made, real = pickle.load(open(options.cache, "rb"))
    else:
        made = drawn(generated(options.inspect, options.folders))
        real = labelled_pages(options.inspect, options.sheets, options.labels)
        if options.cache:
            pickle.dump((made, real), open(options.cache, "wb"))
    if len({meta["repository"] for meta in real.meta}) < FOLDS:
        sys.exit(f"Pages of {FOLDS} repositories or authors are needed at least: each fold is judged by what others taught.")
    taught = rows(made, range(len(made)), SHARE, SEED)
    reach = [float((overlaps(b, g).max(0) >= 0.5).mean()) for b, g in zip(real.boxes, real.gold) if len(g)]
    print(f"{len(made)} generated pages, {len(real)} real ones of {len({m['repository'] for m in real.meta})} repositories; "
          f"labels with a candidate, mean of pages: {numpy.mean(reach):.3f}", flush=True)
    paths = sheets_by_hash(options.sheets)
    for seed in map(int, options.seeds.split(",")):
        evaluate(options.inspect, paths, taught, real, seed, options.per_page)


def evaluate(inspect, paths, taught, real, seed, per_page):
    fold = folds(real, FOLDS, seed)
    before, after, second_models = scored(taught, real, fold, seed)
    regions = dict(program=found_by_program(inspect, paths, taught, real, fold, seed, second_models))
    for title, scores in (("first score alone", before), ("both scores", after)):
        chosen = [choose(pixels, score) for pixels, score in zip(real.pixels, scores)]
        regions[title] = [(real.boxes[k][picked], [real.labels[k][c] for c in picked]) for k, picked in enumerate(chosen)]
    for title in ("first score alone", "both scores", "program"):
        found = [score_page(boxes, names, meta["label"]) for (boxes, names), meta in zip(regions[title], real.meta)]
        line(f"seed {seed}, {title}", found, [meta["sheet"] for meta in real.meta])
    printed = [page for page, meta in zip(found, real.meta) if meta["label"].get("namesArePrinted", True)]
    text = real.names.index("pageLines")
    bare = [k for k in range(len(real)) if not len(real.features[k]) or real.features[k][0, text] == 0]
    print(f"names where headings are printed {mean_of(printed, 'names'):.3f}; "
          f"F1 of {len(bare)} pages without text {mean_of([found[k] for k in bare], 'f1'):.3f}")
    causes(real, [boxes for boxes, _ in regions["program"]])
    if per_page:
        for page, meta in sorted(zip(found, real.meta), key=lambda both: both[0]["f1"]):
            print(f"  {meta['name']:28s} F1 {page['f1']:.2f} P {page['precision']:.2f} R {page['recall']:.2f}")


if __name__ == "__main__":
    main()
