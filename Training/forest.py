# SPDX-License-Identifier: Apache-2.0
"""Trees of whole numbers: what Swift walks is exactly what is walked here.

Format, little endian: "SMF1", number of features (u16), number of trees (u16), number of forests in one (i32): the
score is their mean, rounded down. Then each tree: number
of splits n (u8), then n splits of feature (u8), threshold (i16), left (i8), right (i8) and n + 1 leaves (i16). A value at
most the threshold goes left. A child of 0 or more is a split behind its parent, below 0 the leaf -child - 1. Leaves stand from
left to right, at most 32 in a tree, in 1/10000 of the score.
"""
import struct

import numpy

SCALE = 10_000


class Forest:
    def __init__(self, trees, forests, features):
        self.trees, self.forests, self.features = trees, forests, features

    @staticmethod
    def from_model(model):
        dump = model.dump_model()
        trees = []
        for info in dump["tree_info"]:
            splits, leaves = [], []

            def walk(node):
                if "leaf_value" in node:
                    leaves.append(int(numpy.clip(round(node["leaf_value"] * SCALE), -32768, 32767)))
                    return -len(leaves)
                index = len(splits)
                splits.append(None)
                threshold = int(numpy.clip(numpy.floor(node["threshold"]), -32768, 32767))
                left = walk(node["left_child"])
                right = walk(node["right_child"])
                splits[index] = (node["split_feature"], threshold, left, right)
                return index

            if "leaf_value" in info["tree_structure"]:
                leaves = [int(round(info["tree_structure"]["leaf_value"] * SCALE))]
            else:
                walk(info["tree_structure"])
            trees.append((splits, leaves))
        return Forest(trees, 1, dump["max_feature_idx"] + 1)

    @staticmethod
    def read(path):
        data = open(path, "rb").read()
        assert data[:4] == b"SMF1"
        features, count, forests = struct.unpack_from("<HHi", data, 4)
        at, trees = 12, []
        for _ in range(count):
            n = data[at]
            at += 1
            splits = [struct.unpack_from("<Bhbb", data, at + 5 * k) for k in range(n)]
            at += 5 * n
            leaves = [struct.unpack_from("<h", data, at + 2 * k)[0] for k in range(n + 1)]
            at += 2 * (n + 1)
            trees.append((splits, leaves))
        return Forest(trees, forests, features)

    def raw(self, features):
        """Whole-number scores for rows of features."""
        total = numpy.zeros(len(features), dtype=numpy.int64)
        for splits, leaves in self.trees:
            if not splits:
                total += leaves[0]
                continue
            split = numpy.array(splits, dtype=numpy.int64)
            leaf = numpy.array(leaves, dtype=numpy.int64)
            at = numpy.zeros(len(features), dtype=numpy.int64)
            rows = numpy.arange(len(features))
            while (at >= 0).any():
                inner = at >= 0
                here = split[at[inner]]
                goes_left = features[rows[inner], here[:, 0]] <= here[:, 1]
                at[inner] = numpy.where(goes_left, here[:, 2], here[:, 3])
            total += leaf[-at - 1]
        return total // self.forests

    def predict(self, features):
        return self.raw(features) / SCALE if len(features) else numpy.zeros(0)

    def bytes(self):
        out = [b"SMF1", struct.pack("<HHi", self.features, len(self.trees), self.forests)]
        for splits, leaves in self.trees:
            out.append(struct.pack("<B", len(splits)))
            out += [struct.pack("<Bhbb", *split) for split in splits]
            out += [struct.pack("<h", leaf) for leaf in leaves]
        return b"".join(out)

    def size(self):
        return len(self.bytes())
