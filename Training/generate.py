#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates made-up character sheets with their zoom regions, for learning the score of regions.

usage: generate.py OUT --pages N [--seed S] [--container FAMILY] [--per-file 20] [--scans 0.12]
                       [--plain]

Writes OUT/NNN.pdf and OUT/NNN.json ({"pages": [{"family", "image", "regions": [...]}]}). The same seed gives the same
sheets with the same versions of the fonts and packages in requirements.txt.
"""
import argparse
import io
import json
import os
import random
import subprocess
import sys
import tempfile

from PIL import Image, ImageFilter
from reportlab import rl_config
from reportlab.pdfgen.canvas import Canvas

from sheetgen.layout import Sheet
from sheetgen.page import Page
from sheetgen.style import CONTAINERS, Style

rl_config.invariant = 1
SIZES = [(595.28, 841.89)] * 5 + [(612, 792)] * 5 + [(841.89, 595.28)] * 2 + [(792, 612)] * 2 + [(419.53, 595.28)]


def scan(file, index, size, rng):
    """The page as a picture: noise, grey, a little blur."""
    dpi = rng.choice([90, 110, 140, 170])
    data = subprocess.run(["pdftoppm", "-r", str(dpi), "-f", str(index + 1), "-l", str(index + 1), "-png", file],
                          capture_output=True, check=True).stdout
    image = Image.open(io.BytesIO(data)).convert("RGB" if rng.random() < 0.6 else "L")
    if rng.random() < 0.3:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.8)))
    return image


def main():
    a = argparse.ArgumentParser()
    a.add_argument("out")
    a.add_argument("--pages", type=int, default=100)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--container", choices=sorted(set(CONTAINERS)))
    a.add_argument("--per-file", type=int, default=20)
    a.add_argument("--scans", type=float, default=0.12)
    a.add_argument("--plain", action="store_true", help="one style on each page and no plans")
    options = a.parse_args()
    os.makedirs(options.out, exist_ok=True)
    done = 0
    while done < options.pages:
        number = done // options.per_file
        write_file(options, number, min(options.per_file, options.pages - done))
        done += options.per_file


def write_file(options, number, count):
    path = os.path.join(options.out, f"{number:03d}.pdf")
    rng = random.Random(options.seed * 100_003 + number)
    plain = tempfile.NamedTemporaryFile(suffix=".pdf", delete=False).name
    pages, sizes = [], []
    canvas = Canvas(plain)
    for _ in range(count):
        size = rng.choice(SIZES)
        canvas.setPageSize(size)
        style = Style(rng, options.container)
        page = Page(canvas, *size)
        sheet = Sheet(page, style)
        if options.plain:
            sheet.plan, sheet.mixing = "free", "none"
        sheet.draw()
        canvas.showPage()
        pages.append(dict(family=style.container, plan=sheet.plan, mixing=sheet.mixing, ground=style.ground,
                          image=style.outlines == 2, regions=page.labels()))
        sizes.append(size)
    canvas.save()
    scanned = [k for k in range(count) if rng.random() < options.scans]
    if not scanned:
        os.replace(plain, path)
    else:
        write_with_scans(plain, path, pages, sizes, scanned, rng)
        os.remove(plain)
    with open(path[:-4] + ".json", "w", encoding="utf-8") as out:
        json.dump(dict(pages=pages), out, ensure_ascii=False)


def write_with_scans(plain, path, pages, sizes, scanned, rng):
    """Scanned pages go to a file of their own, named after the first, because pages are not mixed without a PDF tool."""
    from pypdf import PdfReader, PdfWriter

    pictures = tempfile.NamedTemporaryFile(suffix=".pdf", delete=False).name
    canvas = Canvas(pictures)
    for index in scanned:
        canvas.setPageSize(sizes[index])
        page = Page(canvas, *sizes[index])
        page.picture(scan(plain, index, sizes[index], rng), 0, 0, *sizes[index], quality=rng.choice([40, 60, 85]))
        canvas.showPage()
        pages[index]["image"] = True
    canvas.save()
    reader, scans, writer = PdfReader(plain), PdfReader(pictures), PdfWriter()
    for index in range(len(pages)):
        writer.add_page(scans.pages[scanned.index(index)] if index in scanned else reader.pages[index])
    with open(path, "wb") as out:
        writer.write(out)
    os.remove(pictures)


if __name__ == "__main__":
    sys.exit(main())
