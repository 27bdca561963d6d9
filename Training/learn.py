# SPDX-License-Identifier: Apache-2.0
"""How the two scores are learned: the first from generated and real pages, the second, which sees the first ones of the whole
page, from real pages alone."""
import numpy

from boosting import model
from candidates import overlaps
from context import MEASURES, NAMES, context, kept
from forest import SCALE, Forest

SEED = 20260721
REAL = 10  # what a real page weighs beside a generated one
GENERATED = 1_000  # pages that are learned from, drawn from all
SHARE = 0.12  # of what is nowhere near a label on generated pages
FIRST = dict(trees=220, leaves=31, rate=0.1, share=0.5)
SECOND = dict(trees=200, leaves=15, rate=0.05, share=0.4)


def drawn(made):
    order = numpy.random.default_rng(5).permutation(len(made))
    return made.part(sorted(order[:GENERATED]))


def target(boxes, gold):
    best = overlaps(boxes, gold).max(1) if len(boxes) else numpy.zeros(0)
    return numpy.clip((best - 0.35) / 0.5, 0, 1)


def rows(pages, picked, share, seed):
    """Every page counts the same, and what is near a label counts more than the mass of what is not."""
    chance = numpy.random.default_rng(seed)
    parts = []
    for k in picked:
        goal = target(pages.boxes[k], pages.gold[k])
        if len(goal):
            some = (goal > 0) | (chance.random(len(goal)) < share)
            weight = numpy.where(goal[some] > 0, 2.0, 1.0) * 300 / max(60, some.sum())
            parts.append((pages.features[k][some], goal[some], weight))
    return [numpy.concatenate(part) for part in zip(*parts)]


def first(generated, real, picked, seed=SEED):
    """The first score, from rows of generated pages and some real pages."""
    own = rows(real, picked, 1.0, seed)
    own[2] = own[2] * REAL
    return model(*(numpy.concatenate(both) for both in zip(generated, own)), seed=seed, **FIRST)


def whole(model_or_forest, features):
    """Whole-number scores."""
    if not len(features):
        return numpy.zeros(0, dtype=numpy.int64)
    if isinstance(model_or_forest, Forest):
        return model_or_forest.raw(features.astype(numpy.int64))
    return numpy.floor(model_or_forest.predict(features) * SCALE).astype(numpy.int64)


def beside(pages, k, scores):
    """The candidates of a page that are looked at again, and their measures."""
    picked = kept(scores)
    places = [pages.names.index(name) for name in MEASURES]
    boxes, features = pages.pixels[k][picked], pages.features[k][picked]
    around = context(boxes, scores[picked], features[:, places], page_area(pages, k))
    return picked, numpy.concatenate([features.astype(numpy.int64), around], 1).astype(numpy.int16)


def page_area(pages, k):
    """In pixels, from the largest box in both measures."""
    fractions, pixels = pages.boxes[k], pages.pixels[k]
    area = lambda boxes: (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    if not len(pixels):
        return 1
    largest = int(numpy.argmax(area(pixels)))
    return max(1, int(round(area(pixels)[largest] / area(fractions)[largest])))


def second(pages, looks, seed=SEED):
    """The second score, from pages with what `beside` says of them."""
    parts = []
    for k, (picked, measures) in looks:
        goal = target(pages.boxes[k], pages.gold[k])[picked]
        if len(goal):
            parts.append((measures, goal, numpy.where(goal > 0, 2.0, 1.0) * 100 / max(30, len(goal))))
    return model(*(numpy.concatenate(part) for part in zip(*parts)), seed=seed, least=80, **SECOND)


def names(pages):
    return list(pages.names) + NAMES
