# SPDX-License-Identifier: Apache-2.0
"""The choice among scored candidates, as `RegionChoice.swift` makes it, and how well it meets the labels."""
import numpy

from candidates import overlaps

SETTINGS = dict(floor=0.40, power=0.375, tolerance=0.12)


ROUNDS = 24


def choose(boxes, scores, settings=SETTINGS):
    """Indices of the chosen candidates: from the heaviest down, then by exchanges that gain."""
    picked = numpy.nonzero(scores > settings["floor"])[0]
    if not len(picked):
        return []
    b = boxes[picked]
    areas = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    weights = (scores[picked] - settings["floor"]) * (areas / 0.03) ** settings["power"]
    order = numpy.argsort(-weights, kind="stable")
    wide = numpy.minimum(b[:, None, 2], b[None, :, 2]) - numpy.maximum(b[:, None, 0], b[None, :, 0])
    high = numpy.minimum(b[:, None, 3], b[None, :, 3]) - numpy.maximum(b[:, None, 1], b[None, :, 1])
    shared = numpy.clip(wide, 0, None) * numpy.clip(high, 0, None)
    excludes = shared > settings["tolerance"] * numpy.minimum(areas[:, None], areas[None, :])

    def filled(chosen, without):
        chosen = list(chosen)
        free = ~excludes[:, chosen].any(1)
        if without is not None:
            free[without] = False
        for k in order:
            if free[k]:
                chosen.append(k)
                free &= ~excludes[k]
        return chosen

    def exchanged(chosen):
        for index, out in enumerate(chosen):
            rest = chosen[:index] + chosen[index + 1:]
            refilled = filled(rest, out)
            if weights[refilled[len(rest):]].sum() > weights[out] * 1.000001:
                return refilled
        return None

    chosen = filled([], None)
    for _ in range(ROUNDS):
        better = exchanged(chosen)
        if better is None:
            break
        chosen = better
    return [int(picked[k]) for k in chosen]


def f1(boxes, gold):
    if not len(gold):
        return 1.0 if not len(boxes) else 0.0, 0.0
    if not len(boxes):
        return 0.0, 0.0
    table = overlaps(boxes, gold)
    hits, total = 0, 0.0
    used_b, used_g = set(), set()
    for flat in numpy.argsort(-table, axis=None):
        b, g = divmod(int(flat), table.shape[1])
        if table[b, g] < 0.5:
            break
        if b not in used_b and g not in used_g:
            used_b.add(b)
            used_g.add(g)
            hits += 1
            total += table[b, g]
    return 2 * hits / (len(boxes) + len(gold)), total / max(1, hits)


def measure(pages, scores, settings=SETTINGS, detail=False):
    """Mean F1 over pages, and by page."""
    each = []
    for boxes, gold, score in zip(pages.boxes, pages.gold, scores):
        each.append(f1(boxes[choose(boxes, score, settings)], gold)[0] if len(boxes) else 0.0)
    return (float(numpy.mean(each)), each) if detail else float(numpy.mean(each))
