#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the shipped trees say of made-up measures, for the test that Swift walks them alike.

usage: golden.py DATA-FOLDER > Tests/SheetLayoutTests/ForestGolden.swift
"""
import os
import sys

import numpy

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


def main():
    print("// SPDX-License-Identifier: Apache-2.0\n")
    print("/// Written by `Training/golden.py`: what the trees say of made-up measures.")
    print("enum ForestGolden {")
    forest = Forest.read(os.path.join(sys.argv[1], "region-score.bin"))
    values = forest.raw(rows(16, forest.features))
    print(f"    static let measures = {forest.features}")
    print("    static let scores: [Int] = [")
    for start in range(0, len(values), 8):
        print("        " + ", ".join(str(v) for v in values[start:start + 8]) + ",")
    print("    ]")
    print("}")


if __name__ == "__main__":
    main()
