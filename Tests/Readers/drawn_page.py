# SPDX-License-Identifier: Apache-2.0
"""Draws a character's pages with Pillow, from the .ttrpg archive alone, and compares them with what `sheets export` wrote.

  drawn_page.py ORIGINAL ARCHIVE EXPORTED… [--blind]

Shares no code with the project: geometry from docs/formats.md, colours, opacity and blending by the PDF standard's formulas,
text by FreeType and Raqm, pages by poppler. In the box around a line or figure the mean difference of a channel has to be below 4
of 255, and at most 2 % of the pixels may differ by more than 60 (edges are smoothed differently); around text and pictures
below 13 (letters are filled by other rules than figures). Prints what is wrong and ends with 1
if anything is. With --blind it changes one thing of each element and layer of the drawing after the other, and everything
that goes unnoticed is wrong: that is how the comparison itself is tested.
"""
import copy
import io
import json
import math
import subprocess
import sys
import zipfile

import read_ttrpg
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, ImageOps, ImageStat
from pypdf import PdfReader

# Pixels of a point, how many times finer masks are drawn, and poppler draws what is compared: it sets letters and pictures on
# whole pixels.
SCALE, FINE, FINER = 2, 4, 4
# The same for letters, which Pillow sets on whole pixels.
LETTERS = 16
LARGE = 60
EXACT, ROUNDED = (4, 0.02), (13, 0.02)
# Points around an element that belong to it.
EDGE = 3


def file_of(font):
    return subprocess.run(["fc-match", "-f", "%{file}", font], check=True, capture_output=True, text=True).stdout


def color_of(text):
    digits = text.lstrip("#")
    values = [int(digits[at:at + 2], 16) for at in range(0, len(digits), 2)]
    return tuple(values[:3]), (values[3] if len(values) > 3 else 255) / 255


def turned(point, middle, angle):
    x, y, c, s = point[0] - middle[0], point[1] - middle[1], math.cos(angle), math.sin(angle)
    return middle[0] + c * x - s * y, middle[1] + s * x + c * y


# What was drawn of elements.
DRAWN = {}


class Mask:
    """Where an element covers the page: drawn finely in a box of it, then averaged."""

    def __init__(self, points, around, unit, fine=FINE):
        zoom = SCALE / unit
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self.left, self.top = (math.floor((min(each) - around) * zoom) - 1 for each in (xs, ys))
        self.width, self.height = (math.ceil((max(each) + around) * zoom) + 2 - low
                                   for each, low in ((xs, self.left), (ys, self.top)))
        self.zoom, self.times = zoom * fine, fine
        self.fine = Image.new("L", (self.width * fine, self.height * fine))
        self.pen = ImageDraw.Draw(self.fine)

    def at(self, point):
        return point[0] * self.zoom - self.left * self.times, point[1] * self.zoom - self.top * self.times

    def disc(self, point, radius):
        x, y = self.at(point)
        r = radius * self.zoom
        self.pen.ellipse((x - r, y - r, x + r - 1, y + r - 1), fill=255)

    def polygon(self, points):
        self.pen.polygon([self.at(point) for point in points], fill=255)

    def cone(self, start, first, end, last):
        """All circles from one to the other."""
        self.disc(start, first)
        self.disc(end, last)
        distance = math.dist(start, end)
        if distance <= abs(first - last):
            return
        ahead = math.atan2(end[1] - start[1], end[0] - start[0])
        side = math.acos((first - last) / distance)
        self.polygon([(point[0] + radius * math.cos(ahead + turn), point[1] + radius * math.sin(ahead + turn))
                      for point, radius, turn in ((start, first, side), (end, last, side), (end, last, -side), (start, first, -side))])

    def line(self, points, width):
        for start, end in zip(points, points[1:] or points):
            self.cone(start, width / 2, end, width / 2)

    def done(self):
        return self.fine.resize((self.width, self.height), Image.Resampling.BOX)


class Page:
    """A page as displayed, with what is drawn on it; `unit` points of the drawing are one of poppler's."""

    def __init__(self, image, unit):
        self.image, self.unit = image, unit
        self.layer = None
        self.covers = []
        # In pixels, with what may differ.
        self.boxes = []

    def cover(self, mask, picture, opacity=1.0, tolerance=EXACT):
        """Adds a colour or picture, to be put where a mask is."""
        self.covers.append((mask.left, mask.top, mask.done(), picture, opacity, tolerance))

    def put(self, left, top, covered, picture, opacity, tolerance):
        """Puts a colour or picture on the layer."""
        ink = covered.getbbox()
        if ink:
            self.boxes.append(((left + ink[0], top + ink[1], left + ink[2], top + ink[3]), tolerance))
        alpha = covered.point(lambda value: round(value * opacity))
        piece = Image.new("RGBA", self.layer.size)
        flat = Image.new("RGB", alpha.size, picture) if isinstance(picture, tuple) else picture
        flat = flat.convert("RGBA")
        flat.putalpha(ImageChops.multiply(flat.getchannel("A"), alpha))
        piece.paste(flat, (left, top))
        self.layer.alpha_composite(piece)

    def covers_of(self, element, pictures):
        key = self.unit, json.dumps(element, sort_keys=True)
        if key not in DRAWN:
            self.covers = []
            if "stroke" in element:
                self.stroke(element["stroke"])
            elif "shape" in element:
                self.shape(element["shape"])
            elif "text" in element:
                self.words(element["text"])
            elif element.get("image", {}).get("sha256") in pictures:
                self.picture(element["image"], pictures[element["image"]["sha256"]])
            DRAWN[key] = self.covers
        return DRAWN[key]

    def stroke(self, stroke):
        points = [((p[0], p[1]), p[6] / 2) for p in stroke["points"]]
        mask = Mask([point for point, _ in points], max(radius for _, radius in points), self.unit)
        for (start, first), (end, last) in zip(points, points[1:] or points):
            mask.cone(start, first, end, last)
        self.cover(mask, *color_of(stroke["color"]))

    def shape(self, shape):
        (x1, y1), (x2, y2), width = shape["start"], shape["end"], shape["width"]
        middle = (x1 + x2) / 2, (y1 + y2) / 2
        lines, inside = [], None
        if shape["kind"] == "rectangle":
            inside = [(x1, y1), (x2, y1), (x2, y2), (x1, y2)]
        elif shape["kind"] == "ellipse":
            inside = [(middle[0] + (x2 - x1) / 2 * math.cos(math.tau * k / 360),
                       middle[1] + (y2 - y1) / 2 * math.sin(math.tau * k / 360)) for k in range(360)]
        else:
            lines = [[(x1, y1), (x2, y2)]]
            if shape["kind"] == "arrow":
                length, back = min(max(8, 4 * width), math.dist((x1, y1), (x2, y2))), math.atan2(y1 - y2, x1 - x2)
                sides = [(x2 + length * math.cos(back + turn), y2 + length * math.sin(back + turn)) for turn in (-.45, .45)]
                lines.append([sides[0], (x2, y2), sides[1]])
        lines = [[turned(p, middle, shape["rotation"]) for p in line] for line in (lines or [inside + inside[:1]])]
        every = [p for line in lines for p in line]
        if inside and shape.get("fill"):
            mask = Mask(every, 1, self.unit)
            mask.polygon(lines[0])
            self.cover(mask, *color_of(shape["fill"]))
        mask = Mask(every, width, self.unit)
        for line in lines:
            mask.line(line, width)
        self.cover(mask, *color_of(shape["color"]))

    def words(self, box):
        """Lines as wide as there is room, greedily, each set by Raqm."""
        frame, size = box["frame"], box["size"]
        zoom = SCALE / self.unit * LETTERS
        font = ImageFont.truetype(file_of(box["font"]), size * zoom, layout_engine=ImageFont.Layout.RAQM)
        room = frame["width"] * zoom
        lines = []
        for paragraph in box["text"].split("\n"):
            first = next((letter for letter in paragraph if letter.isalpha()), "a")
            right = box["direction"] == "rightToLeft" or box["direction"] == "natural" and "\u0590" <= first <= "\u08ff"
            lines.append(("", right))
            for word in paragraph.split(" "):
                longer = (lines[-1][0] + " " + word).strip()
                if font.getlength(longer) > room and lines[-1][0]:
                    lines.append((word, right))
                else:
                    lines[-1] = longer, right
        corners = [(frame["x"] + a * frame["width"], frame["y"] + b * frame["height"]) for a in (0, 1) for b in (0, 1)]
        middle = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
        mask = Mask([turned(corner, middle, box["rotation"]) for corner in corners] + corners, size, self.unit, LETTERS)
        for number, (line, right) in enumerate(lines):
            spare = room - font.getlength(line, direction="rtl" if right else "ltr")
            at = {"leading": spare if right else 0, "center": spare / 2, "trailing": 0 if right else spare}[box["alignment"]]
            x, y = mask.at((frame["x"], frame["y"] + (0.96 + 1.25 * number) * size))
            mask.pen.text((x + at, y), line, fill=255, font=font, anchor="ls", direction="rtl" if right else "ltr")
        if box["rotation"]:
            mask.fine = mask.fine.rotate(-math.degrees(box["rotation"]), Image.Resampling.BICUBIC, center=mask.at(middle))
        self.cover(mask, *color_of(box["color"]), ROUNDED)

    def picture(self, image, bytes):
        frame = image["frame"]
        corners = [(frame["x"] + a * frame["width"], frame["y"] + b * frame["height"]) for a in (0, 1) for b in (0, 1)]
        middle = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
        mask = Mask([turned(corner, middle, image["rotation"]) for corner in corners] + corners, 1, self.unit)
        mask.polygon([turned(corners[k], middle, image["rotation"]) for k in (0, 1, 3, 2)])
        read = ImageOps.exif_transpose(Image.open(io.BytesIO(bytes))).convert("RGBA")
        left, top = mask.at(corners[0])
        right, bottom = mask.at(corners[3])
        whole = Image.new("RGBA", mask.fine.size)
        whole.paste(read.resize((round(right - left), round(bottom - top)), Image.Resampling.BILINEAR), (round(left), round(top)))
        whole = whole.rotate(-math.degrees(image["rotation"]), Image.Resampling.BICUBIC, center=mask.at(middle))
        self.cover(mask, whole.resize((mask.width, mask.height), Image.Resampling.BOX), tolerance=ROUNDED)

    def blend(self, layer):
        """Lays a layer on the page."""
        alpha = self.layer.getchannel("A").point(lambda value: round(value * layer["opacity"]))
        source = self.layer.convert("RGB")
        mode = {"multiply": ImageChops.multiply, "screen": ImageChops.screen, "overlay": ImageChops.overlay}.get(layer["blendMode"])
        self.image = Image.composite(mode(self.image, source) if mode else source, self.image, alpha)

    def draw(self, drawing, pictures):
        for layer in sorted(drawing["layers"], key=lambda layer: (layer["order"], layer["id"])):
            self.layer = Image.new("RGBA", self.image.size)
            for element in drawing["elements"]:
                if element["layer"] != layer["id"] or not layer["isVisible"]:
                    continue
                for cover in self.covers_of(element, pictures):
                    self.put(*cover)
            self.blend(layer)


def pixels(file, page, fine=1, *area):
    data = subprocess.run(
        ["pdftoppm", "-r", str(72 * SCALE * fine), "-cropbox", "-f", str(page), "-l", str(page), *map(str, area), file],
        check=True, capture_output=True).stdout
    return Image.open(io.BytesIO(data)).convert("RGB")


def refined(image, file, page, boxes):
    """The image of a page, with what is in boxes of its pixels drawn finer and averaged."""
    for left, top, right, bottom in boxes:
        area = [value * FINER for value in (left, top, right - left, bottom - top)]
        fine = pixels(file, page, FINER, "-x", area[0], "-y", area[1], "-W", area[2], "-H", area[3])
        image.paste(fine.reduce(FINER), (left, top))
    return image


def boxes_of(drawing, pictures, size, unit):
    """Around all that is drawn, as far as it is on the page."""
    page = Page(Image.new("RGB", size), unit)
    page.draw(drawing, pictures)
    for (left, top, right, bottom), _ in page.boxes:
        box = max(0, left - EDGE), max(0, top - EDGE), min(size[0], right + EDGE), min(size[1], bottom + EDGE)
        if box[0] < box[2] and box[1] < box[3]:
            yield box


def drawn(drawing, pictures, original, unit):
    """The page as it has to look."""
    page = Page(original.copy(), unit)
    page.draw(drawing, pictures)
    return page


def differences(page, exported):
    if page.image.size != exported.size:
        yield f"is {exported.size}, not {page.image.size}"
        return
    smooth = [image.filter(ImageFilter.BoxBlur(1)) for image in (page.image, exported)]
    apart = ImageChops.difference(*smooth)
    most = ImageChops.lighter(ImageChops.lighter(apart.getchannel(0), apart.getchannel(1)), apart.getchannel(2))
    for box, (least, few) in page.boxes:
        piece, small = apart.crop(box), most.crop(box)
        mean = max(ImageStat.Stat(piece).mean)
        share = sum(small.histogram()[LARGE + 1:]) / (small.width * small.height)
        if mean > least or share > few:
            yield f"differs in {[round(value * page.unit / SCALE) for value in box]} by {mean:.1f} on average, much in {share:.1%}"
    pen = ImageDraw.Draw(most)
    for (left, top, right, bottom), _ in page.boxes:
        pen.rectangle((left - EDGE, top - EDGE, right + EDGE, bottom + EDGE), fill=0)
    outside = most.point(lambda value: 255 if value > 8 else 0).getbbox()
    if outside:
        yield f"has changed outside of its ink in {[round(value * page.unit / SCALE) for value in outside]}"


def variants(drawing):
    """The drawing with one thing changed, and what."""
    def changed(name, change):
        other = copy.deepcopy(drawing)
        return (name, other) if change(other) is not False else None

    def recolor(item, key):
        color, alpha = color_of(item[key])
        item[key] = "#" + "".join(f"{0 if part > 127 else 255:02x}" for part in color) + f"{round(alpha * 255):02x}"

    for place, element in enumerate(drawing["elements"]):
        kind = next((kind for kind in ("stroke", "shape", "text", "image") if kind in element), None)
        if not kind:
            continue

        def item(other):
            return other["elements"][place][kind]

        yield changed(f"element {place} left out", lambda other: other["elements"].pop(place) and None)
        if kind != "image":
            yield changed(f"element {place} in another colour", lambda other: recolor(item(other), "color"))
        if item(drawing).get("fill"):
            yield changed(f"element {place} filled otherwise", lambda other: recolor(item(other), "fill"))

        def move(other):
            one = item(other)
            for point in one.get("points", []) + [one[key] for key in ("start", "end") if key in one]:
                point[0] += 8
            if "frame" in one:
                one["frame"]["x"] += 8
        yield changed(f"element {place} elsewhere", move)
    for place, layer in enumerate(drawing["layers"]):
        if not any(element["layer"] == layer["id"] for element in drawing["elements"]):
            continue
        yield changed(f"layer {place} of another opacity", lambda other: other["layers"][place].update(
            opacity=layer["opacity"] - 0.3 if layer["opacity"] > 0.5 else layer["opacity"] + 0.3))
        if layer["blendMode"] != "normal":
            yield changed(f"layer {place} not blended", lambda other: other["layers"][place].update(blendMode="normal"))


def main():
    original, archive, *exports = (argument for argument in sys.argv[1:] if argument != "--blind")
    character, = read_ttrpg.archive(archive)
    with zipfile.ZipFile(archive) as zip:
        pictures = {name.rsplit("/", 1)[1]: zip.read(name) for name in zip.namelist() if "/images/" in name}
    wrong, reader = [] if exports else ["there is nothing to compare"], PdfReader(original)
    for number, drawing in character["pages"].items():
        if not drawing["elements"]:
            continue
        page = int(number) + 1
        unit = float(reader.pages[page - 1].get("/UserUnit", 1))
        before = pixels(original, page)
        boxes = list(boxes_of(drawing, pictures, before.size, unit))
        before = refined(before, original, page, boxes)
        images = [(file, refined(pixels(file, page), file, page, boxes)) for file in exports]
        wanted = drawn(drawing, pictures, before, unit)
        wrong += [f"{file}: page {page} {what}" for file, image in images for what in differences(wanted, image)]
        if "--blind" in sys.argv:
            for name, other in filter(None, variants(drawing)):
                changed = drawn(other, pictures, before, unit)
                wrong += [f"{file}: page {page}: nobody noticed {name}" for file, image in images
                          if not any(differences(changed, image))]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
