#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the example sheets: examples/sheets/<slug>.pdf and <slug>.regions.json, the same bytes on every run.

    python3 examples/generate/make_sheets.py [--out DIR] [slug …]

The title and language inside a PDF come from its metadata file, examples/sheets/<slug>.json.
"""

import argparse
import importlib
import json
import pathlib

from sheetkit import Sheet

SHEETS = pathlib.Path(__file__).resolve().parent.parent / "sheets"
DESIGNS = {  # slug: module of its drawing
    "lantern-and-blade": "lantern_and_blade",
    "dossier-d-enquete": "dossier_d_enquete",
    "far-orbit-dossier": "far_orbit_dossier",
    "oathbound-journal": "oathbound_journal",
    "schicksalsbogen": "schicksalsbogen",
    "banda-del-farol": "banda_del_farol",
    "wayfarers-ledger": "wayfarers_ledger",
    "rust-season": "rust_season",
    "burrow-and-briar": "burrow_and_briar",
    "taccuino-di-viaggio": "taccuino_di_viaggio",
}


def main():
    parser = argparse.ArgumentParser(description="Draws the example sheets.")
    parser.add_argument("slugs", nargs="*", metavar="slug", help="which sheets; all when none is named")
    parser.add_argument("--out", type=pathlib.Path, default=SHEETS, help="folder for the results")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for slug in options.slugs or DESIGNS:
        design = importlib.import_module("designs." + DESIGNS[slug])
        metadata = json.loads((SHEETS / f"{slug}.json").read_text(encoding="utf-8"))
        path = options.out / f"{slug}.pdf"
        sheet = Sheet(path, metadata, fillable=getattr(design, "FILLABLE", False))
        design.draw(sheet)
        sheet.save()
        sheet.write_regions(options.out / f"{slug}.regions.json")
        print(f"{path.name}: {sheet.page_index + 1} pages, {len(sheet.regions)} regions, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
