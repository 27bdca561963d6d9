# SPDX-License-Identifier: Apache-2.0
"""What a candidate's score says beside those of the others: the measures of the second pass, in whole numbers, as
`ContextMeasures.swift` takes them. Boxes are in pixels, scores in ten-thousandths."""
import numpy

FLOOR = 1500  # candidates below are out
NAMES = ["own", "outerBest", "outerShare", "innerBest", "innerCount", "innerMean", "innerCover", "innerLeast", "rivalBest",
         "rivalShare", "isChosen", "chosenOverlap", "pageChosen", "pageMean", "pageTitle", "titleToPage", "pageFramed",
         "pageHeaded", "pageArea", "sameLeft", "sameRight", "sameTop", "sameBottom", "sameWidth", "sameHeight", "pageInner",
         "pageWidth"]


def greedy(order, boxes, areas, allowed):
    chosen = []
    for k in order:
        if not allowed[k]:
            continue
        if all(not conflict(boxes[k], boxes[c], areas[k], areas[c]) for c in chosen):
            chosen.append(k)
    return chosen


def conflict(a, b, area_a, area_b):
    wide = min(a[2], b[2]) - max(a[0], b[0])
    high = min(a[3], b[3]) - max(a[1], b[1])
    return wide > 0 and high > 0 and wide * high * 100 > 12 * min(area_a, area_b)


def weight_order(scores, areas):
    quarter = numpy.sqrt(numpy.sqrt(areas.astype(float)))
    weights = (scores - 2500) * quarter * numpy.sqrt(quarter)
    return sorted(range(len(scores)), key=lambda k: (-weights[k], -areas[k], k))


def context(boxes, scores, title, framed, heading):
    """Rows of the measures for candidates that are all in (score >= FLOOR)."""
    n = len(boxes)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    order = weight_order(scores, areas)
    chosen = greedy(order, boxes.tolist(), areas.tolist(), [s > 3500 for s in scores])
    shared = (numpy.clip(numpy.minimum(boxes[:, None, 2], boxes[None, :, 2]) - numpy.maximum(boxes[:, None, 0], boxes[None, :, 0]), 0, None)
              * numpy.clip(numpy.minimum(boxes[:, None, 3], boxes[None, :, 3]) - numpy.maximum(boxes[:, None, 1], boxes[None, :, 1]), 0, None))
    out = numpy.zeros((n, len(NAMES)), dtype=numpy.int64)
    count = len(chosen)
    page_mean = sum(int(scores[c]) for c in chosen) // max(1, count)
    median = lambda values: sorted(values)[len(values) // 2] if values else -1
    page_title = median([int(title[c]) for c in chosen])
    page_framed = sum(int(framed[c]) for c in chosen) * 100 // max(1, count)
    page_headed = sum(int(heading[c]) > 0 for c in chosen) * 100 // max(1, count)
    page_area = median([int(areas[c]) for c in chosen])
    page_width = median([int(boxes[c, 2] - boxes[c, 0]) for c in chosen])
    for k in range(n):
        row = out[k]
        inside = (shared[:, k] * 10 >= 9 * areas) & (areas * 100 <= 87 * areas[k])
        outside = (shared[:, k] * 10 >= 9 * areas[k]) & (areas[k] * 100 <= 87 * areas)
        rival = (shared[:, k] * 100 > 12 * numpy.minimum(areas, areas[k])) & ~inside & ~outside
        rival[k] = False
        row[0] = scores[k]
        if outside.any():
            best = max(numpy.nonzero(outside)[0], key=lambda j: (scores[j], -j))
            row[1], row[2] = scores[best], areas[k] * 1000 // areas[best]
        if inside.any():
            row[3] = scores[inside].max()
            within = []
            for j in order:
                if inside[j] and scores[j] > 2500 and all(shared[j, c] * 100 <= 12 * min(areas[j], areas[c]) for c in within):
                    within.append(j)
                    if len(within) >= 12:
                        break
            row[4] = len(within)
            if within:
                row[5] = sum(int(scores[j]) for j in within) // len(within)
                row[6] = sum(int(areas[j]) for j in within) * 1000 // areas[k]
                row[7] = min(int(scores[j]) for j in within)
        if rival.any():
            best = max(numpy.nonzero(rival)[0], key=lambda j: (scores[j], -j))
            row[8], row[9] = scores[best], shared[best, k] * 1000 // min(areas[k], areas[best])
        row[10] = k in chosen
        row[11] = sum(int(shared[c, k]) for c in chosen if c != k) * 1000 // areas[k]
        row[12], row[13], row[14] = count, page_mean, page_title
        row[15] = title[k] - page_title
        row[16], row[17] = page_framed, page_headed
        row[18] = areas[k] * 100 // max(1, page_area)
        for c in chosen:
            if c == k:
                continue
            row[19] += abs(boxes[c, 0] - boxes[k, 0]) <= 4
            row[20] += abs(boxes[c, 2] - boxes[k, 2]) <= 4
            row[21] += abs(boxes[c, 1] - boxes[k, 1]) <= 4
            row[22] += abs(boxes[c, 3] - boxes[k, 3]) <= 4
            row[23] += abs((boxes[c, 2] - boxes[c, 0]) - (boxes[k, 2] - boxes[k, 0])) <= 6
            row[24] += abs((boxes[c, 3] - boxes[c, 1]) - (boxes[k, 3] - boxes[k, 1])) <= 6
        row[25] = sum(1 for c in chosen if inside[c])
        row[26] = (boxes[k, 2] - boxes[k, 0]) * 100 // max(1, page_width)
    return numpy.clip(out, -32768, 32767).astype(numpy.int16)
