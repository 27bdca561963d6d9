# SPDX-License-Identifier: Apache-2.0
"""The choice among scored candidates, as `RegionChoice.swift` makes it, and how well it meets the labels."""
import numpy

from candidates import overlaps

SETTINGS = dict(floor=0.40, power=0.375, tolerance=0.12, fill=9, fill_area=0.008)


def choose(boxes, scores, settings=SETTINGS):
    """Indices of the chosen candidates."""
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    weights = (scores - settings["floor"]) * (areas / 0.03) ** settings["power"]
    chosen = []

    def fits(k):
        for c in chosen:
            wide = min(boxes[k, 2], boxes[c, 2]) - max(boxes[k, 0], boxes[c, 0])
            high = min(boxes[k, 3], boxes[c, 3]) - max(boxes[k, 1], boxes[c, 1])
            if wide > 0 and high > 0 and wide * high > settings["tolerance"] * min(areas[k], areas[c]):
                return False
        return True

    for k in numpy.argsort(-weights, kind="stable"):
        if weights[k] <= 0:
            break
        if fits(k):
            chosen.append(k)
    rest = (scores >= settings["fill"]) & (areas >= settings["fill_area"])
    order = -scores * (areas / 0.03) ** settings["power"]
    for k in numpy.argsort(order, kind="stable"):
        if rest[k] and k not in chosen and fits(k):
            chosen.append(k)
    return chosen


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
