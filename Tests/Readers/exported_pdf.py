# SPDX-License-Identifier: Apache-2.0
"""Looks at what `sheets export` wrote with poppler and pypdf.

  exported_pdf.py vary KIND ORIGINAL VARIANT    writes a variant of a sheet; prints the sizes of its pages as displayed
  exported_pdf.py fillable PDF…                 prints which have a form, each content once, with the sizes of their pages
  exported_pdf.py picture KIND FILE             writes a picture: turned.jpg, inks.jpg, clear.png; bomb.png, cut.jpg, other.gif
  exported_pdf.py values PDF                    prints what is filled in
  exported_pdf.py comments PDF                  prints what annotations of ink say
  exported_pdf.py fonts PDF…                    prints which fonts of text boxes are not embedded
  exported_pdf.py flattened ORIGINAL PDF WORD…  prints what is left of a form, and which words are not to be read
  exported_pdf.py sheet ORIGINAL PDF FLAT       the same of a real sheet with a line on its first page, and a flattened copy
  exported_pdf.py check ORIGINAL [EXPORTED JSON]…  compares each; prints what is wrong and exits with 1 if anything is

Files are opened, drawn and read once by each run.

JSON: { "pages": [of the original, from 1], "ink": { "1": [[x, y, width, height], …] }, "words": […], "annotations": true }
Rectangles are points of the page as displayed, from the top left: there must be ink, and nowhere else a changed pixel.
"""
import functools
import hashlib
import io
import json
import math
import re
import subprocess
import sys

from PIL import Image, ImageChops
from pypdf import PdfReader, PdfWriter, Transformation
from pypdf.generic import DictionaryObject, FloatObject, NameObject, RectangleObject, TextStringObject


# A file as it was when it was first asked for.
opened = functools.cache(PdfReader)


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
        if kind.startswith("cropped"):
            box = page.mediabox
            page.cropbox = RectangleObject((box.left + 20, box.bottom + 36, box.right - 44, box.top - 10))
            page.rotate({"cropped-turned": 90, "cropped-upside-down": 180}.get(kind, 0))
        if kind.startswith("shifted"):
            # The content stays, its page begins elsewhere.
            page.mediabox = page.cropbox = RectangleObject((-30, 50, 500, 780))
            if kind == "shifted-cropped-turned":
                page.cropbox = RectangleObject((-10, 80, 480, 770))
                page.rotate(270)
        if kind == "small":
            # What is printed lies in the corner at the bottom, the rest is white.
            page.add_transformation(Transformation().scale(0.3))
        if kind == "large":
            page[NameObject("/UserUnit")] = FloatObject(2)
    writer.write(variant)
    print(json.dumps([displayed(page) for page in writer.pages]))


SECRET = "PLACE-AND-CAMERA"


def picture(kind, file):
    image = Image.new("RGB", (300, 200), (200, 40, 30))
    for x, y, color in ((0, 0, (20, 40, 220)), (200, 120, (250, 240, 60)), (120, 0, (30, 160, 60))):
        image.paste(color, (x, y, x + 90, y + 70))
    exif = Image.Exif()
    exif[0x010E] = SECRET
    if kind == "turned.jpg":
        exif[0x0112] = 6
        image.save(file, quality=95, exif=exif, progressive=True)
    elif kind == "inks.jpg":
        image.convert("CMYK").save(file, quality=95)
    elif kind == "clear.png":
        image.putalpha(Image.linear_gradient("L").resize(image.size))
        image.save(file, exif=exif)
    elif kind == "bomb.png":
        Image.new("1", (30_000, 30_000)).save(file)
    elif kind == "cut.jpg":
        image.save(file)
        data = open(file, "rb").read()
        open(file, "wb").write(data[:200])
    else:
        image.save(file)


@functools.cache
def pixels(file, page):
    """A page at a pixel for a point."""
    data = subprocess.run(
        ["pdftoppm", "-r", "72", "-cropbox", "-f", str(page), "-l", str(page), file], check=True, capture_output=True).stdout
    return Image.open(io.BytesIO(data))


@functools.cache
def text(file, *options):
    return subprocess.run(["pdftotext", *options, file, "-"], check=True, capture_output=True, text=True).stdout


def laid_out(file):
    return text(file, "-layout")


@functools.cache
def words_on(file, place):
    """As pypdf reads them."""
    return opened(file).pages[place].extract_text().split()


def compare(original, exported, pair, ink, unit):
    """Says where a page has changed and should not, or has no ink and should."""
    before, after = pixels(original, pair[0]), pixels(exported, pair[1])
    if before.size != after.size:
        yield f"page {pair[1]} is {after.size}, not {before.size}"
        return
    apart = ImageChops.difference(before, after)
    changed = ImageChops.lighter(ImageChops.lighter(*apart.split()[:2]), apart.split()[2]).point(lambda value: 255 if value else 0)
    # Poppler draws a page of larger units as if they were points.
    for left, top, wide, high in ([value / unit for value in box] for box in ink):
        # Pixels whose middle is at most one and a half points from it.
        box = [math.ceil(left - 2), math.ceil(top - 2), math.floor(left + wide + 1) + 1, math.floor(top + high + 1) + 1]
        if changed.crop(box).histogram()[255] < 10:
            yield f"page {pair[1]} has no ink in {[left, top, wide, high]}"
    for left, top, wide, high in ([value / unit for value in box] for box in ink):
        changed.paste(0, [math.ceil(left - 2), math.ceil(top - 2), math.floor(left + wide + 1) + 1, math.floor(top + high + 1) + 1])
    if changed.getbbox():
        yield f"page {pair[1]} has changed in {changed.getbbox()}"


def fonts(exported):
    """Says which fonts of the text that was written are not in the file: those of the original are the original's."""
    lines = subprocess.run(["pdffonts", exported], check=True, capture_output=True, text=True).stdout.splitlines()[2:]
    for line in lines:
        if re.match(r"[A-Z]{6}\+", line) and line.split()[-5] != "yes":
            yield f"not embedded: {line}"

    def inside(resources, depth=0):
        for font in resources.get("/Font", {}).values():
            yield font.get_object()
        for form in resources.get("/XObject", {}).values() if depth < 4 else ():
            yield from inside(form.get_object().get("/Resources", {}).get_object(), depth + 1)

    ours = 0
    for page in opened(exported).pages:
        forms = [form.get_object() for name, form in page["/Resources"].get("/XObject", {}).items() if name.startswith("/SheetInk")]
        forms += [entry["/AP"]["/N"].get_object() for entry in annotations(page) if entry.get("/NM") == "sheets-ink"]
        for font in (font for form in forms for font in inside(form.get("/Resources", {}).get_object())):
            ours += 1
            lower = font["/DescendantFonts"][0].get_object() if "/DescendantFonts" in font else font
            if not {"/FontFile", "/FontFile2", "/FontFile3"} & set(lower["/FontDescriptor"].get_object()):
                yield f"{font['/BaseFont']} has no font file"
    if not ours:
        yield "there are no fonts of ours"


def flattened(original, exported, words):
    """What of a form is still one, or is not to be seen."""
    before, after = opened(original), opened(exported)
    if "/AcroForm" in after.trailer["/Root"] or after.get_fields():
        yield "there is still a form"
    for number, page in enumerate(after.pages):
        if any(entry.get("/Subtype") == "/Widget" for entry in annotations(page)):
            yield f"page {number + 1} still has fields"
        kept = [entry for entry in annotations(before.pages[number]) if entry.get("/Subtype") != "/Widget"]
        if len(kept) != len([entry for entry in annotations(page) if entry.get("/NM") != "sheets-ink"]):
            yield f"page {number + 1} has lost other annotations"
    both = words and (laid_out(exported), " ".join(" ".join(words_of(exported, place)) for place in range(len(after.pages))))
    for word in words:
        if not all(re.sub(r"\s", "", word) in re.sub(r"\s", "", found) for found in both):
            yield f"'{word}' is not to be read"


def said(field):
    """What a field of text says, if it says anything."""
    return [word for word in str(field.get("/V", "")).split() if field.get("/FT") == "/Tx" and re.fullmatch(r"[A-Za-z]{4,}", word)]


def qualified(field):
    """A field's name with those that it is below."""
    names = []
    while field is not None:
        names += [field["/T"]] if "/T" in field else []
        field = field["/Parent"].get_object() if "/Parent" in field else None
    return ".".join(reversed(names))


def filled(file, beside):
    """Fills in three fields of text: what another reader then finds in them."""
    writer, names = PdfWriter(clone_from=file), []
    for field in (entry for page in writer.pages for entry in annotations(page)):
        while field.get("/FT") != "/Tx" and "/Parent" in field:
            field = field["/Parent"].get_object()
        if field.get("/FT") == "/Tx" and len(names) < 3:
            field[NameObject("/V")] = TextStringObject("Brom")
            names.append(qualified(field))
    writer.write(beside + ".filled.pdf")
    fields = PdfReader(beside + ".filled.pdf").get_fields()
    return names, [fields[name].get("/V") for name in names if name in fields]


def words_of(file, place):
    """As pypdf reads them, which cannot read every page."""
    try:
        return words_on(file, place)
    except (ValueError, KeyError, IndexError) as error:
        return [type(error).__name__]


def sheet(original, exported, flat):
    """Says what is wrong with a sheet on whose first page a line was drawn, and with a copy of it without a form."""
    yield from check(original, exported, {"ink": {"1": [[60, 60, 80, 40]]}, "same_text": True})
    before, after = opened(original), opened(exported)
    old, new = (reader.get_fields() or {} for reader in (before, after))
    if not old or [(name, field.get("/FT"), field.get("/Ff")) for name, field in old.items()] != [
            (name, field.get("/FT"), field.get("/Ff")) for name, field in new.items()]:
        yield "the fields are not those of before"
    # A few sheets name fields twice, so that not even the original keeps what is filled in.
    if filled(original, exported) != filled(exported, exported):
        yield "fields cannot be filled in as those of the original can"
    yield from flattened(original, flat, [])
    # A field may be hidden, and its text be cut off: most of the words are to be seen.
    words = [word for name, field in old.items() for word in said(field)]
    shown = laid_out(flat)
    if sum(word in shown for word in words) < 0.9 * len(words):
        yield f"of {len(words)} words in fields only {sum(word in shown for word in words)} are to be seen"


def check(original, exported, wanted):
    before, after = opened(original), opened(exported)
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
    if wanted.get("same_text"):
        for place, page in enumerate(pages):
            if words_of(original, page - 1) != words_of(exported, place):
                yield f"page {page} has another text for pypdf"
        if laid_out(original) != laid_out(exported):
            yield "there is another text for poppler"
        return
    words = laid_out(exported)
    originals = [word for page in pages for word in words_on(original, page - 1) if len(word) > 3]
    poppler = text(original).split()
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
    if sys.argv[1] == "picture":
        return picture(*sys.argv[2:])
    if sys.argv[1] == "values":
        fields = PdfReader(sys.argv[2]).get_fields()
        return print(json.dumps({name: str(field["/V"]) for name, field in fields.items() if "/V" in field}))
    if sys.argv[1] == "fillable":
        files = {hashlib.sha256(open(file, "rb").read()).digest(): file for file in reversed(sys.argv[2:])}
        return print(json.dumps({file: [displayed(page) for page in form.pages] for file in sorted(files.values())
                                 if (form := PdfReader(file)).get_fields()}))
    if sys.argv[1] == "comments":
        return print(json.dumps([entry.get("/Contents") for page in PdfReader(sys.argv[2]).pages for entry in annotations(page)
                                 if entry.get("/NM") == "sheets-ink"]))
    if sys.argv[1] == "fonts":
        wrong = [line for file in sys.argv[2:] for line in fonts(file)]
    elif sys.argv[1] == "flattened":
        wrong = list(flattened(sys.argv[2], sys.argv[3], sys.argv[4:]))
    elif sys.argv[1] == "sheet":
        wrong = list(sheet(*sys.argv[2:5]))
    else:
        pairs = list(zip(sys.argv[3::2], sys.argv[4::2], strict=True))
        wrong = [] if pairs else ["there is nothing to compare"]
        wrong += [f"{file}: {line}" for file, wanted in pairs for line in check(sys.argv[2], file, json.loads(wanted))]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
