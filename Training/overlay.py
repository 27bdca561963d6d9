#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what `sheet-inspect` finds over the pages of some sheets, for looking at.

usage: overlay.py SHEET-INSPECT OUT.png SHEET.pdf...
"""
import io
import json
import subprocess
import sys

from PIL import Image, ImageDraw, ImageFont

SIDE = 560
FONT = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", 11)


def drawn(inspect, sheet):
    page = json.loads(subprocess.run([inspect, sheet], capture_output=True, check=True).stdout)["pages"][0]
    data = subprocess.run(["pdftoppm", "-r", "72", "-f", "1", "-l", "1", "-png", sheet], capture_output=True, check=True).stdout
    image = Image.open(io.BytesIO(data)).convert("RGB")
    image.thumbnail((SIDE, SIDE))
    pen = ImageDraw.Draw(image, "RGBA")
    for number, region in enumerate(page["regions"], 1):
        rect = region["rect"]
        x, y = rect["x"] * image.width, rect["y"] * image.height
        right, bottom = x + rect["width"] * image.width, y + rect["height"] * image.height
        pen.rectangle((x, y, right, bottom), fill=(30, 90, 220, 28), outline=(30, 90, 220, 255), width=2)
        text = f"{number} {region['name'][:24]}"
        wide = pen.textlength(text, font=FONT)
        pen.rectangle((x, y, x + wide + 4, y + 14), fill=(30, 90, 220, 220))
        pen.text((x + 2, y), text, font=FONT, fill=(255, 255, 255))
    return image


def main():
    images = [drawn(sys.argv[1], sheet) for sheet in sys.argv[3:]]
    whole = Image.new("RGB", (sum(i.width + 8 for i in images) - 8, max(i.height for i in images)), "white")
    x = 0
    for image in images:
        whole.paste(image, (x, 0))
        x += image.width + 8
    whole.quantize(96).save(sys.argv[2], optimize=True)


if __name__ == "__main__":
    main()
