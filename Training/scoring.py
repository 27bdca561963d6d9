# SPDX-License-Identifier: Apache-2.0
"""How well the regions of one page meet its labels: matched one to one by overlap, at an IoU of 0.5 and more."""
import re
import unicodedata

import numpy
from scipy.optimize import linear_sum_assignment

from candidates import box, overlaps


def words(text):
    plain = unicodedata.normalize("NFKD", (text or "").lower())
    return re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c)))


def alike(name, wanted):
    """F1 of the words of two names."""
    left, right = words(name), words(wanted)
    rest, common = list(right), 0
    for word in left:
        if word in rest:
            rest.remove(word)
            common += 1
    return 2 * common / (len(left) + len(right)) if left and right else 0.0


def score_page(boxes, names, label, least=0.5):
    gold = numpy.array([box(region) for region in label["regions"]]).reshape(-1, 4)
    pairs = []
    if len(boxes) and len(gold):
        table = overlaps(boxes, gold)
        pairs = [(b, g) for b, g in zip(*linear_sum_assignment(-numpy.where(table >= least, table, 0))) if table[b, g] >= least]
    matched = {b for b, _ in pairs}
    # What lies in a logo or a legend is not counted as wrong.
    spared = [box(region) for region in label.get("ignore", [])]
    wrong = sum(1 for b in range(len(boxes)) if b not in matched and not any(within(boxes[b], s) >= 0.7 for s in spared))
    hits = len(pairs)
    precision = hits / (hits + wrong) if hits + wrong else 0.0
    recall = hits / len(gold) if len(gold) else 0.0
    if not len(gold) and not wrong:
        # Nothing is to be found there, and nothing was.
        precision = recall = 1.0
    right = [max(alike(names[b], wanted) for wanted in [label["regions"][g]["name"], *label["regions"][g].get("aliases", [])])
             for b, g in pairs]
    return dict(
        precision=precision, recall=recall,
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        iou=float(numpy.mean([table[pair] for pair in pairs])) if hits else None,
        names=sum(right) / hits if hits else None)


def within(inner, outer):
    wide, high = min(inner[2], outer[2]) - max(inner[0], outer[0]), min(inner[3], outer[3]) - max(inner[1], outer[1])
    own = (inner[2] - inner[0]) * (inner[3] - inner[1])
    return wide * high / own if wide > 0 and high > 0 and own > 0 else 0.0
