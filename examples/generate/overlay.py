#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders the example sheets with their regions drawn over them, for looking at.

    python3 examples/generate/overlay.py OUTDIR [--dpi 60] [slug …]
"""

import argparse
import json
import pathlib
import subprocess

from PIL import Image, ImageDraw

SHEETS = pathlib.Path(__file__).resolve().parent.parent / "sheets"
COLORS = ((214, 39, 40), (31, 119, 180), (44, 160, 44), (148, 103, 189), (255, 127, 14), (23, 190, 207))


def main():
    parser = argparse.ArgumentParser(description="Draws the regions over the rendered sheets.")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("slugs", nargs="*")
    parser.add_argument("--dpi", type=int, default=60)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for path in sorted(SHEETS.glob("*.pdf")):
        slug = path.stem
        if options.slugs and slug not in options.slugs:
            continue
        base = options.out / slug
        subprocess.run(["pdftoppm", "-cropbox", "-r", str(options.dpi), "-png", str(path), str(base)], check=True)
        regions = json.loads((SHEETS / f"{slug}.regions.json").read_text(encoding="utf-8"))["regions"]
        for index, picture in enumerate(sorted(options.out.glob(f"{slug}-[0-9]*.png"))):
            image = Image.open(picture).convert("RGB")
            draw = ImageDraw.Draw(image, "RGBA")
            for k, region in enumerate(r for r in regions if r["pageIndex"] == index):
                r, color = region["rect"], COLORS[k % len(COLORS)]
                box = (r["x"] * image.width, r["y"] * image.height, (r["x"] + r["width"]) * image.width,
                       (r["y"] + r["height"]) * image.height)
                draw.rectangle(box, outline=color, fill=color + (28,), width=2)
                draw.text((box[0] + 3, box[3] - 13), region["id"], fill=color)
            image.save(picture)


if __name__ == "__main__":
    main()
