# SPDX-License-Identifier: Apache-2.0
"""Candidates of generated sheets with their labels, read from `sheet-inspect --candidates` and kept as arrays."""
import glob
import json
import os
import subprocess

import numpy

HEAD = 8  # x, y, width, height in 1/100000, then left, top, right, bottom in pixels


class PageSet:
    def __init__(self):
        self.boxes, self.pixels, self.features, self.gold, self.meta, self.labels = [], [], [], [], [], []
        self.names = []

    def __len__(self):
        return len(self.boxes)

    def part(self, picked):
        """Some of the pages."""
        found = PageSet()
        found.names = self.names
        for name in ("boxes", "pixels", "gold", "meta", "features", "labels"):
            setattr(found, name, [getattr(self, name)[k] for k in picked])
        return found


def box(region):
    width, height = region.get("width", region.get("w")), region.get("height", region.get("h"))
    return (region["x"], region["y"], region["x"] + width, region["y"] + height)


def overlaps(boxes, gold):
    """IoU of every candidate with every label."""
    if not len(gold) or not len(boxes):
        return numpy.zeros((len(boxes), max(1, len(gold))))
    b, g = boxes[:, None, :], gold[None, :, :]
    wide = numpy.minimum(b[..., 2], g[..., 2]) - numpy.maximum(b[..., 0], g[..., 0])
    high = numpy.minimum(b[..., 3], g[..., 3]) - numpy.maximum(b[..., 1], g[..., 1])
    shared = numpy.clip(wide, 0, None) * numpy.clip(high, 0, None)
    area = lambda a: (a[..., 2] - a[..., 0]) * (a[..., 3] - a[..., 1])
    return shared / numpy.maximum(area(b) + area(g) - shared, 1e-12)


def dump(inspect, pdf):
    run = subprocess.run([inspect, "--candidates", pdf], capture_output=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def add_page(found, page, regions, meta):
    found.names = page["names"] or found.names
    width = HEAD + len(found.names or [])
    rows = numpy.array(page["candidates"], dtype=numpy.int32).reshape(len(page["candidates"]), width)
    rect = rows[:, :4] / 1e5
    found.boxes.append(numpy.stack([rect[:, 0], rect[:, 1], rect[:, 0] + rect[:, 2], rect[:, 1] + rect[:, 3]], 1))
    found.pixels.append(rows[:, 4:8].astype(numpy.int64))
    found.features.append(rows[:, HEAD:].astype(numpy.int16))
    found.gold.append(numpy.array([box(r) for r in regions]).reshape(-1, 4))
    found.meta.append(meta)
    found.labels.append(page["labels"])


def generated(inspect, folders):
    found = PageSet()
    for folder in folders:
        for pdf in sorted(glob.glob(os.path.join(folder, "*.pdf"))):
            if not os.path.exists(pdf[:-4] + ".json"):
                continue
            labels = json.load(open(pdf[:-4] + ".json", encoding="utf-8"))["pages"]
            for page in dump(inspect, pdf):
                label = labels[page["page"]]
                meta = dict(family=label["family"], plan=label.get("plan"), mixing=label.get("mixing"), ground=label["ground"], image=label["image"],
                            name=f"{pdf}:{page['page'] + 1}")
                add_page(found, page, label["regions"], meta)
    return found

