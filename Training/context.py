# SPDX-License-Identifier: Apache-2.0
"""What a candidate's first score says beside those of the others of its page, as `ContextMeasures.swift` measures it.

All whole numbers: scores in ten-thousandths, boxes in pixels."""
import numpy

FLOOR, MOST = 1_200, 250
NAMES = [
    "score", "rank", "toBest", "bestTen", "strong", "twins", "twinScore", "parentScore", "parentRatio", "rivalScore",
    "rivals", "peerScore", "peerThree", "peers", "sizeScore", "titleScore", "titleThree", "titlePeers", "chosen",
    "chosenFit", "chosenInside", "chosenInsideScore", "chosenAroundScore", "chosenAroundRatio", "chosenMedian",
    "chosenCover", "kids", "kidScore", "kidCover", "kidGain", "kidBest", "kidHeadings", "kidFeet", "kidLike",
    "ownTitle", "kidTerms", "overKids", "overParent"]
MEASURES = ["title", "titleIsHeading", "titleIsTerm", "footIsHeading"]


def kept(scores):
    """Candidates that are looked at: the best, in their own order."""
    likely = numpy.flatnonzero(scores > FLOOR)
    return numpy.sort(likely[numpy.argsort(-scores[likely], kind="stable")[:MOST]])


def weights(scores, areas, floor, quarter):
    """The score above a floor, times a power of the area that square roots give: a quarter, or three eighths."""
    root = numpy.sqrt(numpy.sqrt(areas.astype(float)))
    return (scores - floor) * (root if quarter else root * numpy.sqrt(root))


def packed(order, conflict, most):
    taken = []
    for place in order:
        if len(taken) >= most:
            break
        if not conflict[place, taken].any():
            taken.append(int(place))
    return taken


def by_weight(weight, boxes, areas):
    """The heaviest first; of equals the larger, the higher up, the further left, the lower in the list."""
    return numpy.lexsort((numpy.arange(len(weight)), boxes[:, 0], boxes[:, 1], -areas, -weight))


def three(scores, mask):
    best = numpy.sort(scores[mask])[::-1][:3]
    return int(best[0]) if len(best) else 0, int(best.sum()) // 3, int((scores[mask] > 3_000).sum())


def context(boxes, scores, extra, page_area):
    """Measures of the kept candidates: boxes in pixels, whole-number scores, extra columns as in MEASURES."""
    count = len(boxes)
    rows = numpy.zeros((count, len(NAMES)), dtype=numpy.int64)
    if not count:
        return rows
    left, top, right, bottom = boxes.T
    width, height = right - left, bottom - top
    area = width * height
    wide = numpy.minimum(right[:, None], right) - numpy.maximum(left[:, None], left)
    high = numpy.minimum(bottom[:, None], bottom) - numpy.maximum(top[:, None], top)
    shared = numpy.clip(wide, 0, None) * numpy.clip(high, 0, None)
    union = area[:, None] + area - shared
    inside = (100 * shared >= 92 * area) & (10 * area <= 8 * area[:, None])  # [i, j]: j lies in i
    twin = 5 * shared >= 4 * union
    conflict = 100 * shared > 12 * numpy.minimum(area[:, None], area)
    rival = conflict & ~inside & ~inside.T & ~twin
    apart = ~conflict
    gap = lambda values: numpy.abs(values[:, None] - values)
    peer = apart & ((gap(left) <= 4) & (gap(right) <= 6) | (gap(top) <= 6) & (gap(bottom) <= 8))
    size = apart & (gap(width) <= 6) & (gap(height) <= 8)
    title = extra[:, 0].astype(numpy.int64)
    alike = apart & (gap(title) <= 8) & (title > 0)[:, None]
    order = numpy.argsort(-scores, kind="stable")
    rank = numpy.empty(count, dtype=numpy.int64)
    rank[order] = numpy.arange(count)
    best_ten = int(scores[order[:10]].sum()) // min(10, count)
    strong = int((scores > 5_000).sum())
    weight = weights(scores, area, 3_000, False)
    chosen = packed([k for k in by_weight(weight, boxes, area) if weight[k] > 0], conflict, 60)
    median = sorted(area[chosen])[len(chosen) // 2] if chosen else 0
    cover = int(area[chosen].sum()) * 1000 // page_area
    kid_weight = weights(scores, area, 2_000, True)
    kid_order = [k for k in by_weight(kid_weight, boxes, area) if kid_weight[k] > 0]
    for i in range(count):
        kids = packed([k for k in kid_order if inside[i, k]], conflict, 12)
        parents = numpy.flatnonzero(inside[:, i])
        parent = parents[numpy.argmax(scores[parents])] if len(parents) else None
        within = [k for k in chosen if inside[i, k]]
        around = next((k for k in chosen if inside[k, i]), None)
        kid_score = int(scores[kids].sum()) // len(kids) if kids else 0
        parent_score = int(scores[parent]) if parent is not None else 0
        rows[i] = [
            scores[i], rank[i], scores[i] - scores[order[0]], best_ten, strong, twin[i].sum(), scores[twin[i]].max(),
            parent_score, area[parent] * 100 // area[i] if parent is not None else 0,
            scores[rival[i]].max() if rival[i].any() else 0, rival[i].sum(), *three(scores, peer[i]),
            scores[size[i]].max() if size[i].any() else 0, *three(scores, alike[i]), len(chosen),
            max((int(shared[i, k] * 1000 // union[i, k]) for k in chosen), default=0), len(within),
            int(scores[within].sum()) // len(within) if within else 0, scores[around] if around is not None else 0,
            area[around] * 100 // area[i] if around is not None else 0, median * 100 // area[i], cover, len(kids),
            kid_score, int(area[kids].sum()) * 1000 // area[i], numpy.clip(scores[kids] - 3_000, 0, None).sum(),
            scores[kids].max() if kids else 0, (extra[kids, 1] >= 1).sum(), (extra[kids, 3] >= 1).sum(),
            max((int(((numpy.abs(width[kids] - width[k]) <= 6) & (numpy.abs(height[kids] - height[k]) <= 8)).sum())
                 for k in kids), default=0),
            int(bool(kids) and not any(abs(title[k] - title[i]) <= 3 and top[k] - top[i] < 12 for k in kids)),
            (extra[kids, 2] >= 1).sum(), scores[i] - kid_score, scores[i] - parent_score]
    return numpy.clip(rows, -32768, 32767)
