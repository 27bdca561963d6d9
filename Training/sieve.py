#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns which candidates need not be measured any further: a few small trees over the measures that cost little, taught by
the score itself, so that no labels are needed.

usage: sieve.py SHEET-INSPECT SCORE.bin OUT.bin FOLDER... [--hold-out N] [--check SHEETS]... [--cache FILE]

Prints, of every Nth page left out, and of the sheets of --check, for several floors how many candidates pass and how many
of those that could be chosen do not.
"""
import argparse
import glob
import os
import pickle

import numpy

from boosting import learned
from candidates import PageSet, add_page, dump, generated
from choose import choose
from context import FLOOR
from forest import SCALE, Forest

SEED = 20261123
# Measures of the outline and of the ink at its edges come first.
MEASURES = 44
FLOORS = (0.04, 0.06, 0.08, 0.10, 0.12, 0.15, 0.20)


def fit(features, scores, options):
    # What is below a tenth is out of the question, and above the floor of the choice all are alike.
    goal = numpy.clip(numpy.concatenate(scores) / SCALE, 0, 0.6)
    weight = numpy.concatenate([numpy.full(len(s), 300 / max(60, len(s))) for s in scores])
    rows = numpy.concatenate([f[:, :MEASURES] for f in features])
    return learned(
        rows, goal, weight, trees=options.trees, leaves=options.leaves, rate=options.rate, share=0.7, seed=SEED)


def report(title, pages, scores, sieve):
    print(title, f"{len(pages)} pages, {sum(map(len, scores))} candidates")
    passed = [sieve.predict(f[:, :MEASURES]) for f in pages.features]
    chosen = [choose(b, s) for b, s in zip(pages.pixels, scores)]
    all_passed, all_scores = numpy.concatenate(passed), numpy.concatenate(scores)
    likely = all_scores > FLOOR
    for floor in FLOORS:
        lost = sum(int((p[list(c)] <= floor).sum()) for p, c in zip(passed, chosen) if len(c))
        print(f"  floor {floor:.2f}: {(all_passed > floor).mean():.3f} pass; of {likely.sum()} that the second score looks at "
              f"{(likely & (all_passed <= floor)).sum()} do not, of {sum(map(len, chosen))} chosen {lost}", flush=True)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("inspect")
    a.add_argument("score")
    a.add_argument("out")
    a.add_argument("folders", nargs="+")
    a.add_argument("--trees", type=int, default=40)
    a.add_argument("--leaves", type=int, default=16)
    a.add_argument("--rate", type=float, default=0.2)
    a.add_argument("--hold-out", type=int, default=5)
    a.add_argument("--check", action="append", default=[])
    a.add_argument("--cache")
    options = a.parse_args()
    score = Forest.read(options.score)
    if options.cache:
        # What `train.py` learned from, the real pages among them.
        pages, real = pickle.load(open(options.cache, "rb"))
        for name in ("boxes", "pixels", "features", "gold", "meta", "labels"):
            getattr(pages, name).extend(getattr(real, name))
    else:
        pages = generated(options.inspect, options.folders)
    scores = [score.raw(f) for f in pages.features]
    held = [k for k in range(len(pages)) if k % options.hold_out == 0]
    taught = [k for k in range(len(pages)) if k % options.hold_out]
    sieve = fit([pages.features[k] for k in taught], [scores[k] for k in taught], options)
    report("left out:", pages.part(held), [scores[k] for k in held], sieve)
    for sheets in options.check:
        part = PageSet()
        for pdf in sorted(glob.glob(os.path.join(sheets, "*.pdf"))):
            for page in dump(options.inspect, pdf):
                if page["candidates"]:
                    add_page(part, page, [], {})
        report(f"{sheets}:", part, [score.raw(f) for f in part.features], sieve)
    with open(options.out, "wb") as out:
        out.write(sieve.bytes())
    print(f"{sieve.size()} bytes")


if __name__ == "__main__":
    main()
