# SPDX-License-Identifier: Apache-2.0
"""The choice among scored candidates, as `RegionChoice.swift` makes it."""
import numpy

from context import by_weight, weights

FLOOR = 3_000
TOLERANCE = 12


def choose(boxes, scores):
    """Places of the chosen candidates: boxes in pixels, whole-number scores."""
    if not len(boxes):
        return []
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    weight = weights(scores, areas, FLOOR, quarter=True)
    chosen = []
    for k in by_weight(weight, boxes, areas):
        if scores[k] <= FLOOR:
            continue
        wide = numpy.minimum(boxes[chosen, 2], boxes[k, 2]) - numpy.maximum(boxes[chosen, 0], boxes[k, 0])
        high = numpy.minimum(boxes[chosen, 3], boxes[k, 3]) - numpy.maximum(boxes[chosen, 1], boxes[k, 1])
        shared = numpy.clip(wide, 0, None) * numpy.clip(high, 0, None)
        if not (shared * 100 > TOLERANCE * numpy.minimum(areas[chosen], areas[k])).any():
            chosen.append(int(k))
    return chosen
