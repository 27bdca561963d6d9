#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the shipped trees say of made-up measures, for the test that Swift walks them alike.

usage: golden.py DATA-FOLDER > Tests/SheetLayoutTests/ForestGolden.swift
"""
import os
import sys

import numpy

from context import context
from forest import Forest


def rows(count, features):
    """The same made-up numbers as the test makes."""
    state, made = 1, []
    for _ in range(count):
        row = []
        for _ in range(features):
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            row.append((state >> 40) % 2001 - 500)
        made.append(row)
    return numpy.array(made, dtype=numpy.int16)


def measured(count, shown):
    """What is measured of the same made-up candidates beside each other as the test makes."""
    state = 7

    def draw(most):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (state >> 40) % most

    boxes, scores, extra = [], [], []
    for _ in range(count):
        left, top = draw(20) * 20, draw(24) * 20
        boxes.append([left, top, left + 20 + draw(10) * 20, top + 20 + draw(10) * 20])
        scores.append(1201 + draw(9000))
        extra.append([draw(4) * 60, draw(2), draw(2), draw(2)])
    return context(numpy.array(boxes), numpy.array(scores), numpy.array(extra), 600 * 800)[:shown]


def main():
    print("// SPDX-License-Identifier: Apache-2.0\n")
    print("/// Written by `Training/golden.py`: what the trees say of made-up measures.")
    print("enum ForestGolden {")
    for name, measures, scores in (
            ("region-score.bin", "measures", "scores"), ("region-choice.bin", "secondMeasures", "secondScores")):
        forest = Forest.read(os.path.join(sys.argv[1], name))
        values = forest.raw(rows(16, forest.features))
        print(f"    static let {measures} = {forest.features}")
        print(f"    static let {scores}: [Int] = [")
        for start in range(0, len(values), 8):
            print("        " + ", ".join(str(v) for v in values[start:start + 8]) + ",")
        print("    ]")
    print("    static let context: [[Int16]] = [")
    for row in measured(60, 12):
        values = [str(v) for v in row]
        lines = ["            " + ", ".join(values[at:at + 16]) for at in range(0, len(values), 16)]
        print("        [\n" + ",\n".join(lines) + ",\n        ],")
    print("    ]\n}")


if __name__ == "__main__":
    main()
