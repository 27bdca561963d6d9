# SPDX-License-Identifier: Apache-2.0
"""Counts of times in buckets as HdrHistogram has them: each is at most 0.8 % wide, whatever the size of what is in it."""

SUB_BITS = 8
HALF = 1 << (SUB_BITS - 1)


def bucket(microseconds):
    """Below 256 µs a bucket for each; above that 128 for each doubling."""
    shift = max(0, microseconds.bit_length() - SUB_BITS)
    return shift * HALF + (microseconds >> shift)


def highest(index):
    """The longest time of a bucket, in microseconds."""
    shift = max(0, index // HALF - 1)
    return ((index - shift * HALF + 1) << shift) - 1


class Histogram:
    def __init__(self):
        self.counts = {}
        self.count = 0
        self.most = 0.0

    def add(self, seconds):
        index = bucket(max(0, int(seconds * 1e6)))
        self.counts[index] = self.counts.get(index, 0) + 1
        self.count += 1
        self.most = max(self.most, seconds)

    def merge(self, other):
        for index, count in other.counts.items():
            self.counts[index] = self.counts.get(index, 0) + count
        self.count += other.count
        self.most = max(self.most, other.most)

    def percentile(self, share):
        """In milliseconds, so that `share` of all are no longer; NaN of nothing."""
        rank, seen = share * self.count, 0
        for index in sorted(self.counts):
            seen += self.counts[index]
            if seen >= rank:
                return min(highest(index) / 1000, self.most * 1000)
        return float("nan")

    def figures(self):
        return {"count": self.count, "p50": self.percentile(0.5), "p99": self.percentile(0.99),
                "p99.9": self.percentile(0.999), "max": self.most * 1000}
