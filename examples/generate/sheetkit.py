# SPDX-License-Identifier: Apache-2.0
"""What the example sheets are drawn with: boxes that divide, a page with its origin at the top left, the region list.

Lengths are PDF points. A region is recorded where its block is drawn, so that the sidecar cannot drift from the page.
"""

import json
import re
import sys
import unicodedata
from typing import NamedTuple

from reportlab import rl_config
from reportlab.lib.colors import Color, HexColor
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

rl_config.invariant = 1  # a fixed date and document id: the same bytes on every run

A4 = (595.28, 841.89)
A5 = (419.53, 595.28)
LETTER = (612.0, 792.0)

TRUETYPE = "/usr/share/fonts/truetype/"
FONTS = {  # name: file; the Debian packages are named in the README
    "Lato": "lato/Lato-Regular.ttf",
    "Lato-Medium": "lato/Lato-Medium.ttf",
    "Lato-Bold": "lato/Lato-Bold.ttf",
    "Lato-Black": "lato/Lato-Black.ttf",
    "Lato-Light": "lato/Lato-Light.ttf",
    "Lato-Italic": "lato/Lato-Italic.ttf",
    "Vollkorn": "vollkorn/Vollkorn-Regular.ttf",
    "Vollkorn-SemiBold": "vollkorn/Vollkorn-SemiBold.ttf",
    "Vollkorn-Bold": "vollkorn/Vollkorn-Bold.ttf",
    "Vollkorn-Black": "vollkorn/Vollkorn-Black.ttf",
    "Vollkorn-Italic": "vollkorn/Vollkorn-Italic.ttf",
    "OldStandard": "fonts-oldstandard/OldStandard-Regular.ttf",
    "OldStandard-Bold": "fonts-oldstandard/OldStandard-Bold.ttf",
    "OldStandard-Italic": "fonts-oldstandard/OldStandard-Italic.ttf",
    "Averia": "averia-gwf/AveriaSerifGWF-Regular.ttf",
    "Averia-Bold": "averia-gwf/AveriaSerifGWF-Bold.ttf",
    "Averia-Italic": "averia-gwf/AveriaSerifGWF-Italic.ttf",
    "Quicksand": "quicksand/Quicksand-Regular.ttf",
    "Quicksand-Medium": "quicksand/Quicksand-Medium.ttf",
    "Quicksand-Bold": "quicksand/Quicksand-Bold.ttf",
    "Condensed": "dejavu/DejaVuSansCondensed.ttf",
    "Condensed-Bold": "dejavu/DejaVuSansCondensed-Bold.ttf",
    "Condensed-Italic": "dejavu/DejaVuSansCondensed-Oblique.ttf",
}


class Pt(float):
    """A fixed length among the flexible shares of `Box.cols` and `Box.rows`."""


class Box(NamedTuple):
    """A rectangle on the displayed page; y grows downwards."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self):
        return self.x + self.w

    @property
    def bottom(self):
        return self.y + self.h

    @property
    def cx(self):
        return self.x + self.w / 2

    @property
    def cy(self):
        return self.y + self.h / 2

    def inset(self, left, top=None, right=None, bottom=None):
        top = left if top is None else top
        right = left if right is None else right
        bottom = top if bottom is None else bottom
        return Box(self.x + left, self.y + top, self.w - left - right, self.h - top - bottom)

    def cols(self, *parts, gap=0.0):
        out, x = [], self.x
        for w in _share(parts, self.w, gap):
            out.append(Box(x, self.y, w, self.h))
            x += w + gap
        return out

    def rows(self, *parts, gap=0.0):
        out, y = [], self.y
        for h in _share(parts, self.h, gap):
            out.append(Box(self.x, y, self.w, h))
            y += h + gap
        return out

    def grid(self, across, down, gap=0.0, down_gap=None):
        """Cells row by row."""
        cells = []
        for row in self.rows(*[1] * down, gap=gap if down_gap is None else down_gap):
            cells += row.cols(*[1] * across, gap=gap)
        return cells

    def union(self, other):
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Box(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)


def _share(parts, whole, gap):
    fixed = sum(p for p in parts if isinstance(p, Pt))
    weights = sum(p for p in parts if not isinstance(p, Pt))
    free = whole - fixed - gap * (len(parts) - 1)
    return [float(p) if isinstance(p, Pt) else free * p / weights for p in parts]


def slug_of(name):
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower().replace("'", "")
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64]


class Sheet:
    """One PDF in the making."""

    def __init__(self, path, metadata, fillable=False):
        self.path, self.metadata, self.fillable = path, metadata, fillable
        self.canvas = c = Canvas(str(path), pageCompression=1, pdfVersion=(1, 6), initialFontName=self._font("Lato"))
        c.setTitle(metadata["name"])
        c.setAuthor("The Sheetmarket contributors")
        c.setSubject(metadata["summary"])
        c.setKeywords(", ".join(metadata["tags"]))
        c.setCreator("Sheetmarket example sheets")
        c.setProducer("reportlab")
        c.setCatalogEntry("Lang", metadata["language"])
        c.setViewerPreference("DisplayDocTitle", "true")
        self.regions, self.fields, self.warnings = [], [], []
        self.page_index, self._inks, self._field_names, self._marks = -1, [], {}, {}
        self.font, self.ink = "Lato", HexColor("#1a1a1a")

    # Pages

    def page(self, size, rotate=0, bleed=(0, 0, 0, 0)):
        """Begins a page displayed `size` large; `bleed` (left, bottom, right, top) lies outside the crop box."""
        if self.page_index >= 0:
            self._end_page()
        self.page_index += 1
        c, (self.width, self.height) = self.canvas, size
        left, bottom, right, top = bleed
        self._origin, self._rotate = (left, bottom), rotate
        c.setPageSize((self.width + left + right, self.height + bottom + top))
        c.setPageRotation(rotate)
        c._cropBox = [left, bottom, left + self.width, bottom + self.height] if any(bleed) else None
        c.saveState()
        if rotate == 90:  # the medium is upright and its reader turns it clockwise
            c.transform(0, 1, -1, 0, self.height, 0)
        c.translate(left, bottom)
        self._inks = []
        return Box(0, 0, self.width, self.height)

    def _end_page(self):
        self.canvas.restoreState()
        self._check_inks()
        self.canvas.showPage()

    def save(self):
        self._end_page()
        if self.fields:
            self._write_form()
        self.canvas.save()
        for warning in self.warnings:
            print(f"{self.path.name}: {warning}", file=sys.stderr)

    def region(self, name, box, pad=0.0):
        """Records a zoom region around `box`."""
        box = box.inset(-pad)
        x, y = max(box.x, 0) / self.width, max(box.y, 0) / self.height
        w, h = min(box.right, self.width) / self.width - x, min(box.bottom, self.height) / self.height - y
        base, n = slug_of(name), 1
        taken = {r["id"] for r in self.regions}
        ident = base
        while ident in taken:
            n += 1
            ident = f"{base}-{n}"
        rect = {k: round(v, 5) for k, v in zip(("x", "y", "width", "height"), (x, y, w, h))}
        scale = round(min(max(min(1 / w, 1 / h), 1), 5), 3)
        self.regions.append({"id": ident, "name": name, "pageIndex": self.page_index, "rect": rect, "scale": scale})
        self._here = ident

    # Text

    @staticmethod
    def _font(name):
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(name, TRUETYPE + FONTS[name]))
        return name

    def measure(self, s, font, size, tracking=0.0):
        return pdfmetrics.stringWidth(s, self._font(font), size) + tracking * max(len(s) - 1, 0)

    def text(self, x, y, s, size=8.0, font=None, color=None, align="left", tracking=0.0, fit=None, up=False):
        """Writes on the baseline `y`; `fit` is the width it may take, and it shrinks a little before it complains."""
        font = self._font(font or self.font)
        width = self.measure(s, font, size, tracking)
        if fit is not None and width > fit:
            factor = fit / width
            if factor < 0.82:
                self.warnings.append(f"page {self.page_index + 1}: '{s}' needs {width:.0f} pt, has {fit:.0f}")
            size, tracking, width = size * factor, tracking * factor, fit
        shift = {"left": 0, "center": width / 2, "right": width}[align]
        c = self.canvas
        c.setFillColor(color or self.ink)
        c.setFont(font, size)
        if up:
            c.saveState()
            c.translate(x, self.height - y)
            c.rotate(90)
            c.drawString(-shift, 0, s, charSpace=tracking)
            c.restoreState()
            box = Box(x - 0.72 * size, y + shift - width, 0.92 * size, width)
        else:
            c.drawString(x - shift, self.height - y, s, charSpace=tracking)
            box = Box(x - shift, y - 0.72 * size, width, 0.92 * size)
        self._inks.append((s, box))
        return box

    def text_in(self, box, s, size=8.0, align="center", pad=0.0, **style):
        """Writes one line in the middle of a box."""
        x = {"left": box.x + pad, "center": box.cx, "right": box.right - pad}[align]
        return self.text(x, box.cy + 0.35 * size, s, size, align=align, fit=box.w - 2 * pad, **style)

    def paragraph(self, box, s, size=7.5, leading=None, **style):
        """Breaks text into lines from the top of the box; gives the y below the last."""
        leading = leading or size * 1.3
        font, y, line = style.get("font") or self.font, box.y + size * 0.8, ""
        for word in s.split():
            longer = f"{line} {word}".strip()
            if line and self.measure(longer, font, size) > box.w:
                self.text(box.x, y, line, size, **style)
                y, line = y + leading, word
            else:
                line = longer
        self.text(box.x, y, line, size, **style)
        if y > box.bottom:
            self.warnings.append(f"page {self.page_index + 1}: paragraph '{s[:30]}…' runs out of its box")
        return y + leading - size * 0.8

    def _check_inks(self):
        where = f"page {self.page_index + 1}"
        for i, (s, a) in enumerate(self._inks):
            if a.x < 8 or a.y < 8 or a.right > self.width - 8 or a.bottom > self.height - 8:
                self.warnings.append(f"{where}: '{s}' leaves the page")
            for t, b in self._inks[i + 1:]:
                if min(a.right, b.right) - max(a.x, b.x) > 0.3 and min(a.bottom, b.bottom) - max(a.y, b.y) > 0.3:
                    self.warnings.append(f"{where}: '{s}' overlaps '{t}'")

    # Shapes

    def _pen(self, stroke, fill, width, dash=None):
        c = self.canvas
        c.setLineWidth(width)
        c.setDash(dash or [])
        if stroke:
            c.setStrokeColor(stroke)
        if fill:
            c.setFillColor(fill)
        return {"stroke": 1 if stroke else 0, "fill": 1 if fill else 0}

    def line(self, x1, y1, x2, y2, color=None, width=0.5, dash=None, cap=0):
        self._pen(color or self.ink, None, width, dash)
        self.canvas.setLineCap(cap)
        self.canvas.line(x1, self.height - y1, x2, self.height - y2)

    def rect(self, box, stroke=None, fill=None, width=0.5, radius=0.0, dash=None):
        how = self._pen(stroke, fill, width, dash)
        y = self.height - box.bottom
        if radius:
            self.canvas.roundRect(box.x, y, box.w, box.h, radius, **how)
        else:
            self.canvas.rect(box.x, y, box.w, box.h, **how)

    def polygon(self, points, stroke=None, fill=None, width=0.5):
        how = self._pen(stroke, fill, width)
        path = self.canvas.beginPath()
        for i, (x, y) in enumerate(points):
            (path.lineTo if i else path.moveTo)(x, self.height - y)
        path.close()
        self.canvas.drawPath(path, **how)

    def cut(self, box, stroke=None, fill=None, width=0.7, corner=6.0):
        """A frame with its corners cut off."""
        x, y, r, b, k = box.x, box.y, box.right, box.bottom, corner
        self.polygon([(x + k, y), (r - k, y), (r, y + k), (r, b - k), (r - k, b), (x + k, b), (x, b - k), (x, y + k)],
                     stroke, fill, width)

    def scoop(self, box, stroke=None, fill=None, width=0.7, corner=6.0):
        """A frame with its corners hollowed out."""
        how = self._pen(stroke, fill, width)
        k, f = corner, corner * 0.4477
        x, r, t, b = box.x, box.right, self.height - box.y, self.height - box.bottom
        p = self.canvas.beginPath()
        p.moveTo(x + k, t)
        p.lineTo(r - k, t)
        p.curveTo(r - k, t - k + f, r - f, t - k, r, t - k)
        p.lineTo(r, b + k)
        p.curveTo(r - f, b + k, r - k, b + k - f, r - k, b)
        p.lineTo(x + k, b)
        p.curveTo(x + k, b + k - f, x + f, b + k, x, b + k)
        p.lineTo(x, t - k)
        p.curveTo(x + f, t - k, x + k, t - k + f, x + k, t)
        p.close()
        self.canvas.drawPath(p, **how)

    def circle(self, cx, cy, r, stroke=None, fill=None, width=0.6):
        how = self._pen(stroke, fill, width)
        self.canvas.circle(cx, self.height - cy, r, **how)

    def diamond(self, cx, cy, r, stroke=None, fill=None, width=0.6):
        self.polygon([(cx, cy - r), (cx + r, cy), (cx, cy + r), (cx - r, cy)], stroke, fill, width)

    def pip(self, cx, cy, r, kind="circle", color=None, fill=None, width=0.6, label=None):
        """One thing to tick off: a circle, square or diamond; a check box when the sheet is a form."""
        color = color or self.ink
        if kind == "square":
            self.rect(Box(cx - r, cy - r, 2 * r, 2 * r), color, fill, width)
        else:
            (self.circle if kind == "circle" else self.diamond)(cx, cy, r, color, fill, width)
        if self.fillable:
            self.check(Box(cx - r, cy - r, 2 * r, 2 * r), label or "mark", kind)

    def pips(self, x, cy, count, step, r, kind="circle", **style):
        for i in range(count):
            self.pip(x + r + i * step, cy, r, kind, **style)
        return x + (count - 1) * step + 2 * r

    # Blocks to write in

    def ruled(self, box, count, color=None, width=0.4, dash=None, label="line"):
        """Writing lines that divide the box evenly, the last at its bottom."""
        step = box.h / count
        for i in range(count):
            y = box.y + step * (i + 1)
            self.line(box.x, y, box.right, y, color, width, dash)
        if self.fillable:
            self.write(box, label, multiline=True)

    def entry(self, box, label, size=6.2, font=None, color=None, rule=None, place="below", width=0.5, tracking=0.0):
        """A labelled line: the label below it, above it, or before it."""
        style = {"font": font, "color": color, "tracking": tracking}
        if place == "below":
            y = box.bottom - size * 1.3
            self.line(box.x, y, box.right, y, rule, width)
            self.text(box.x, box.bottom - size * 0.18, label, size, fit=box.w, **style)
            self.write(Box(box.x, box.y, box.w, y - box.y), label)
        elif place == "above":
            self.text(box.x, box.y + size * 0.8, label, size, fit=box.w, **style)
            self.line(box.x, box.bottom, box.right, box.bottom, rule, width)
            self.write(Box(box.x, box.y + size, box.w, box.h - size), label)
        else:
            ink = self.text(box.x, box.bottom - size * 0.22, label, size, fit=box.w * 0.75, **style)
            self.line(ink.right + 3, box.bottom, box.right, box.bottom, rule, width)
            self.write(Box(ink.right + 3, box.y, box.right - ink.right - 3, box.h), label)

    def table(self, box, titles, shares, count, head=11.0, size=6.2, font=None, color=None, rule=None, cells=(),
              cell_font=None, cell_size=7.5, aligns="", zebra=None, columns=True, width=0.4, head_fill=None):
        """A table with a line of titles; `cells` are printed texts, row by row."""
        top, body = box.rows(Pt(head), 1)
        rule = rule or self.ink
        if head_fill:
            self.rect(top, None, head_fill)
        spans = body.cols(*shares)
        for i, (title, span) in enumerate(zip(titles, spans)):
            cell = Box(span.x, top.y, span.w, top.h)
            left = (aligns[i:i + 1] or "l") == "l"
            self.text_in(cell, title, size, "left" if left else "center", 2.5, font=font, color=color)
        lanes = body.rows(*[1] * count)
        for i, lane in enumerate(lanes):
            if zebra and i % 2 == 0:
                self.rect(lane, None, zebra)
        for i, lane in enumerate(lanes):
            self.line(lane.x, lane.y, lane.right, lane.y, rule, width)
            row = cells[i] if i < len(cells) else ()
            for j, span in enumerate(spans):
                cell = Box(span.x, lane.y, span.w, lane.h)
                if j < len(row) and row[j]:
                    left = (aligns[j:j + 1] or "l") == "l"
                    self.text_in(cell, row[j], cell_size, "left" if left else "center", 2.5, font=cell_font)
                else:
                    self.write(cell, titles[j])
        self.line(body.x, body.bottom, body.right, body.bottom, rule, width)
        if columns:
            for span in spans[1:]:
                self.line(span.x, body.y, span.x, body.bottom, rule, width)
        return lanes

    # Form fields: no scripts, no actions; a sheet that is not fillable ignores them

    def _field(self, box, label, entries):
        base = slug_of(f"{getattr(self, '_here', '')}-{label}") or "field"
        n = self._field_names[base] = self._field_names.get(base, 0) + 1
        left, bottom = self._origin
        rect = [left + box.x, bottom + self.height - box.bottom, left + box.right, bottom + self.height - box.y]
        widget = {
            "Type": pdfdoc.PDFName("Annot"), "Subtype": pdfdoc.PDFName("Widget"), "F": 4,
            "T": pdfdoc.PDFString(base if n == 1 else f"{base}-{n}"), "TU": pdfdoc.PDFString(label),
            "Rect": pdfdoc.PDFArray([round(v, 2) for v in rect]), "P": self.canvas._doc.thisPageRef(), **entries,
        }
        widget = pdfdoc.PDFDictionary(widget)
        self.canvas._addAnnotation(widget)
        self.fields.append(self.canvas._doc.Reference(widget))

    def write(self, box, label, multiline=False, size=0, align=0):
        """A text field over the box."""
        if not self.fillable:
            return
        look = self._appearance(box.w, box.h, "")
        size = size or (8 if multiline else round(min(max(box.h * 0.62, 5), 12), 1))
        self._field(box.inset(1, 0.5), label, {
            "FT": pdfdoc.PDFName("Tx"), "Ff": 1 << 12 if multiline else 0, "Q": align,
            "DA": pdfdoc.PDFString(f"/Helv {size} Tf 0.1 0.1 0.25 rg"),
            "AP": pdfdoc.PDFDictionary({"N": look}),
        })

    def check(self, box, label, kind="square"):
        """A check box over the box, with drawn appearances for on and off."""
        w = box.w
        if kind == "square":
            mark = f"0.1 0.1 0.25 RG {w * 0.14:.2f} w 1 J {w * .22:.2f} {w * .5:.2f} m {w * .42:.2f} {w * .26:.2f} l " \
                   f"{w * .8:.2f} {w * .78:.2f} l S"
        else:
            k, r, o = w * 0.3 * 0.5523, w * 0.3, w / 2
            mark = f"0.1 0.1 0.25 rg {o + r:.2f} {o:.2f} m " + " ".join(
                f"{o + a * r + b * k:.2f} {o + c * r + d * k:.2f} {o + e * r + f * k:.2f} {o + g * r + h * k:.2f} "
                f"{o + e * r:.2f} {o + g * r:.2f} c" for a, b, c, d, e, f, g, h in (
                    (1, 0, 0, 1, 0, 1, 1, 0), (0, -1, 1, 0, -1, 0, 0, 1), (-1, 0, 0, -1, 0, -1, -1, 0),
                    (0, 1, -1, 0, 1, 0, 0, -1))) + " f"
        states = pdfdoc.PDFDictionary({"Yes": self._appearance(w, box.h, mark), "Off": self._appearance(w, box.h, "")})
        self._field(box, label, {
            "FT": pdfdoc.PDFName("Btn"), "V": pdfdoc.PDFName("Off"), "AS": pdfdoc.PDFName("Off"),
            "AP": pdfdoc.PDFDictionary({"N": states}),
        })

    def _appearance(self, w, h, code):
        key = (round(w, 2), round(h, 2), code)
        if key not in self._marks:
            stream = pdfdoc.PDFStream(content=(f"q {code} Q" if code else "/Tx BMC EMC"))
            for k, v in {"Type": pdfdoc.PDFName("XObject"), "Subtype": pdfdoc.PDFName("Form"),
                         "BBox": pdfdoc.PDFArray([0, 0, key[0], key[1]])}.items():
                stream.dictionary[k] = v
            self._marks[key] = self.canvas._doc.Reference(stream)
        return self._marks[key]

    def _write_form(self):
        helv = pdfdoc.PDFDictionary({
            "Type": pdfdoc.PDFName("Font"), "Subtype": pdfdoc.PDFName("Type1"),
            "BaseFont": pdfdoc.PDFName("Helvetica"), "Encoding": pdfdoc.PDFName("WinAnsiEncoding")})
        self.canvas._doc.Catalog.AcroForm = pdfdoc.PDFDictionary({
            "Fields": pdfdoc.PDFArray(self.fields), "DA": pdfdoc.PDFString("/Helv 8 Tf 0 g"),
            "DR": pdfdoc.PDFDictionary({"Font": pdfdoc.PDFDictionary({"Helv": helv})})})

    def write_regions(self, path):
        path.write_text(json.dumps({"regions": self.regions}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def mix(a, b, t):
    """A colour between two: `t` = 0 is `a`, 1 is `b`."""
    return Color(*(x + (y - x) * t for x, y in zip(a.rgb(), b.rgb())))
