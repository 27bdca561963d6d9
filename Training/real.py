# SPDX-License-Identifier: Apache-2.0
"""Pages of real sheets with labels by eye. The sheets are no part of the project: each is found by its SHA-256."""
import glob
import hashlib
import json
import os

import numpy

from candidates import PageSet, add_page, dump


def sheets_by_hash(folders):
    found = {}
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "*.pdf"))):
            with open(path, "rb") as file:
                found.setdefault(hashlib.sha256(file.read()).hexdigest(), path)
    return found


def labelled_pages(inspect, sheets, labels):
    """Pages of all label files in some folders whose sheets are in some others."""
    paths, dumps, found = sheets_by_hash(sheets), {}, PageSet()
    for file in sorted(path for folder in labels for path in glob.glob(os.path.join(folder, "*.json"))):
        with open(file, encoding="utf-8") as text:
            label = json.load(text)
        path = paths.get(label["sha256"])
        if path is None:
            print(f"no sheet for {file}")
            continue
        if path not in dumps:
            dumps[path] = dump(inspect, path)
        page = next(p for p in dumps[path] if p["page"] == label.get("page", 0))
        name = os.path.splitext(os.path.basename(file))[0]
        add_page(found, page, label["regions"], dict(
            name=name, sheet=label["sha256"], repository=label.get("repository") or label["repo"], label=label))
    return found


def folds(pages, count, seed):
    """The fold of each page: pages of one repository share one, and folds are of about one size."""
    repositories = sorted({meta["repository"] for meta in pages.meta})
    numpy.random.default_rng(seed).shuffle(repositories)
    sizes, where = [0] * count, {}
    for repository in repositories:
        where[repository] = int(numpy.argmin(sizes))
        sizes[where[repository]] += sum(meta["repository"] == repository for meta in pages.meta)
    return numpy.array([where[meta["repository"]] for meta in pages.meta])
