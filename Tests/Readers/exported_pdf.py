# SPDX-License-Identifier: Apache-2.0
"""Looks at what `sheets export` wrote with poppler and pypdf.

  exported_pdf.py vary KIND ORIGINAL VARIANT    writes a variant of a sheet; prints the sizes of its pages as displayed
  exported_pdf.py values PDF                    prints what is filled in
  exported_pdf.py check ORIGINAL EXPORTED JSON  compares both; prints what is wrong and exits with 1 if anything is

JSON: { "pages": [of the original, from 1], "ink": { "1": [[x, y, width, height], …] }, "words": […], "annotations": true }
Rectangles are points of the page as displayed, from the top left: there must be ink, and nowhere else a changed pixel.
"""
import json
import subprocess
import sys

from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, FloatObject, NameObject, RectangleObject


def annotations(page):
    return [entry.get_object() for entry in page.get("/Annots", DictionaryObject()).get_object() or []]


def displayed(page):
    """Width and height of a page as displayed."""
    unit = float(page.get("/UserUnit", 1))
    width, height = float(page.cropbox.width) * unit, float(page.cropbox.height) * unit
    return (height, width) if page.rotation % 180 else (width, height)


def vary(kind, original, variant):
    writer = PdfWriter(clone_from=original)
    for page in writer.pages:
        if kind.startswith("turned"):
            page.rotate(int(kind.removeprefix("turned")))
        if "cropped" in kind:
            box = page.mediabox
            page.cropbox = RectangleObject((box.left + 20, box.bottom + 36, box.right - 44, box.top - 10))
            page.rotate(90 if kind == "cropped-turned" else 0)
        if kind == "shifted":
            # The content stays, its page begins elsewhere.
            page.mediabox = page.cropbox = RectangleObject((-30, 50, 500, 780))
        if kind == "large":
            page[NameObject("/UserUnit")] = FloatObject(2)
    writer.write(variant)
    print(json.dumps([displayed(page) for page in writer.pages]))


def pixels(file, page):
    """Width, height and RGB of a page at a pixel for a point."""
    data = subprocess.run(
        ["pdftoppm", "-r", "72", "-cropbox", "-f", str(page), "-l", str(page), file], check=True, capture_output=True).stdout
    kind, size, depth, rest = data.split(b"\n", 3)
    assert (kind, depth) == (b"P6", b"255")
    width, height = map(int, size.split())
    return width, height, rest


def text(file):
    return subprocess.run(["pdftotext", "-layout", file, "-"], check=True, capture_output=True, text=True).stdout


def compare(original, exported, pair, ink, unit):
    """Says where a page has changed and should not, or has no ink and should."""
    width, height, before = pixels(original, pair[0])
    also_width, also_height, after = pixels(exported, pair[1])
    if (width, height) != (also_width, also_height):
        yield f"page {pair[1]} is {also_width}×{also_height}, not {width}×{height}"
        return
    # Poppler draws a page of larger units as if they were points.
    boxes = [[value / unit for value in box] for box in ink]
    changed = [0] * len(boxes)
    for y in range(height):
        row = slice(3 * width * y, 3 * width * (y + 1))
        if before[row] == after[row]:
            continue
        for x in range(width):
            at = 3 * (width * y + x)
            if before[at:at + 3] == after[at:at + 3]:
                continue
            inside = [
                place for place, (left, top, wide, high) in enumerate(boxes)
                if left - 1.5 <= x + 0.5 <= left + wide + 1.5 and top - 1.5 <= y + 0.5 <= top + high + 1.5]
            if not inside:
                yield f"page {pair[1]} has changed at {x}, {y}"
                return
            for place in inside:
                changed[place] += 1
    for box, count in zip(boxes, changed):
        if count < 10:
            yield f"page {pair[1]} has no ink in {box}"


def check(original, exported, wanted):
    before, after = PdfReader(original), PdfReader(exported)
    pages = wanted.get("pages") or list(range(1, len(before.pages) + 1))
    if len(after.pages) != len(pages):
        yield f"{len(after.pages)} pages, not {len(pages)}"
        return
    for place, page in enumerate(pages):
        unit = float(before.pages[page - 1].get("/UserUnit", 1))
        yield from compare(original, exported, (page, place + 1), wanted["ink"].get(str(page), []), unit)
        old, new = before.pages[page - 1], after.pages[place]
        ours = [entry for entry in annotations(new) if entry.get("/NM") == "sheets-ink"]
        if bool(ours) != bool(wanted.get("annotations") and wanted["ink"].get(str(page))):
            yield f"page {page} has {len(ours)} annotations of ink"
        if len(annotations(old)) != len(annotations(new)) - len(ours):
            yield f"page {page} has lost annotations"
    words = text(exported)
    originals = [word for page in pages for word in before.pages[page - 1].extract_text().split() if len(word) > 3]
    poppler = subprocess.run(["pdftotext", original, "-"], check=True, capture_output=True, text=True).stdout.split()
    missing = [word for word in originals if word in poppler and word not in words]
    missing += [word for word in wanted.get("words", []) if word not in words]
    if missing or not originals:
        yield f"of {len(originals)} words these are not found: {missing[:5]}"

    def fields(reader):
        return {name: field.get("/V") for name, field in (reader.get_fields() or {}).items()}

    old, new = fields(before), fields(after)
    if len(pages) == len(before.pages) and old != new:
        yield f"{len(old)} fields before, {len(new)} after"
    if wanted.get("fillable"):
        # Fields that went with their pages are gone, the others can be filled in.
        writer = PdfWriter(clone_from=exported)
        shown = [entry for page in writer.pages for entry in annotations(page)]
        names = {a["/T"] for a in shown if a.get("/FT") == "/Tx" and "/T" in a}
        if not names or not names <= set(new) <= set(old):
            yield "there are no fields to fill in, or others than before"
        if len(pages) < len(before.pages) and len(new) >= len(old):
            yield "fields of pages that were left out are still there"
        some = sorted(names)[:3]
        writer.update_page_form_field_values(None, {name: "Brom" for name in some}, auto_regenerate=False)
        writer.write(exported + ".filled.pdf")
        filled = fields(PdfReader(exported + ".filled.pdf"))
        if any(filled[name] != "Brom" for name in some):
            yield "fields cannot be filled in"


def main():
    if sys.argv[1] == "vary":
        return vary(*sys.argv[2:])
    if sys.argv[1] == "values":
        fields = PdfReader(sys.argv[2]).get_fields()
        return print(json.dumps({name: str(field["/V"]) for name, field in fields.items() if "/V" in field}))
    wrong = list(check(sys.argv[2], sys.argv[3], json.loads(sys.argv[4])))
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
