# SPDX-License-Identifier: Apache-2.0
"""A page that remembers where its ink is: every stroke widens the regions that are open while it is drawn."""
import io
import math
import os
from contextlib import contextmanager

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont as FontFile
from PIL import Image, ImageDraw
from reportlab.lib.colors import Color
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

FONT_FOLDER = os.environ.get("SHEETGEN_FONTS", "/usr/share/fonts/truetype")
STANDARD = {"Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Times-Roman", "Times-Bold", "Courier", "Courier-Bold"}
_glyphs = {}


def register(path):
    """The name under which a TrueType file is known; None when it cannot be used."""
    name = os.path.splitext(os.path.basename(path))[0]
    try:
        pdfmetrics.getFont(name)
        return name
    except KeyError:
        pass
    try:
        pdfmetrics.registerFont(TTFont(name, path))
        _glyphs[name] = path
        return name
    except Exception:
        return None


class _PathPen(BasePen):
    def __init__(self, glyphs, path, x, y, scale):
        super().__init__(glyphs)
        self.path, self.x, self.y, self.scale = path, x, y, scale

    def _at(self, point):
        return self.x + point[0] * self.scale, self.y + point[1] * self.scale

    def _moveTo(self, point):
        self.path.moveTo(*self._at(point))

    def _lineTo(self, point):
        self.path.lineTo(*self._at(point))

    def _curveToOne(self, a, b, c):
        self.path.curveTo(*self._at(a), *self._at(b), *self._at(c))

    def _closePath(self):
        self.path.close()


_faces = {}


def _face(name):
    if name not in _faces:
        font = FontFile(_glyphs[name])
        _faces[name] = (font.getGlyphSet(), font.getBestCmap(), font["head"].unitsPerEm)
    return _faces[name]


class Region:
    def __init__(self, name, kind):
        self.name, self.kind, self.box = name, kind, None

    def add(self, x0, y0, x1, y1):
        if self.box is None:
            self.box = [x0, y0, x1, y1]
        else:
            b = self.box
            self.box = [min(b[0], x0), min(b[1], y0), max(b[2], x1), max(b[3], y1)]


class Page:
    """Points, origin top left."""

    def __init__(self, canvas, width, height):
        self.c, self.width, self.height = canvas, width, height
        self.open, self.regions, self.ignored = [], [], []
        self.rough = None  # a source of chance for frames drawn by hand
        self.outlines = 0  # 0: text is text, 1: headings are outlines, 2: all text is
        self.values = None

    @contextmanager
    def region(self, name, kind="notes"):
        region = Region(name, kind)
        self.open.append(region)
        yield region
        self.open.remove(region)
        if region.box:
            self.regions.append(region)

    @contextmanager
    def unmarked(self):
        """What is drawn meanwhile belongs to no region."""
        kept, self.open = self.open, []
        yield
        self.open = kept

    def mark(self, x0, y0, x1, y1):
        for region in self.open:
            region.add(x0, y0, x1, y1)

    def color(self, grey_or_rgb, alpha=None):
        rgb = grey_or_rgb if isinstance(grey_or_rgb, tuple) else (grey_or_rgb,) * 3
        return Color(*rgb, alpha=alpha)

    def line(self, x0, y0, x1, y1, width=0.7, color=0.0, dash=None):
        c = self.c
        c.setLineWidth(width)
        c.setStrokeColor(self.color(color))
        c.setDash(dash or [])
        c.line(x0, self.height - y0, x1, self.height - y1)
        c.setDash([])
        h = width / 2
        self.mark(min(x0, x1) - h, min(y0, y1) - h, max(x0, x1) + h, max(y0, y1) + h)

    def rect(self, x, y, w, h, stroke=0.0, fill=None, width=0.7, radius=0, dash=None):
        c = self.c
        if stroke is not None:
            c.setStrokeColor(self.color(stroke))
        if fill is not None:
            c.setFillColor(self.color(fill))
        c.setLineWidth(width)
        c.setDash(dash or [])
        args = dict(stroke=int(stroke is not None), fill=int(fill is not None))
        if self.rough and stroke is not None and w > 25 and h > 12:
            self._by_hand(x, y, w, h, args)
        elif radius:
            c.roundRect(x, self.height - y - h, w, h, min(radius, w / 2, h / 2), **args)
        else:
            c.rect(x, self.height - y - h, w, h, **args)
        c.setDash([])
        e = width / 2 if stroke is not None else 0
        self.mark(x - e, y - e, x + w + e, y + h + e)

    def _by_hand(self, x, y, w, h, args):
        """A rectangle with a shaky hand; its strokes may cross at the corners."""
        r, shake = self.rough, min(1.5, h * 0.05)
        corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)]
        path = self.c.beginPath()
        path.moveTo(x, self.height - y)
        for (ax, ay), (bx, by) in zip(corners, corners[1:]):
            steps = max(2, int((abs(bx - ax) + abs(by - ay)) / 25))
            for k in range(1, steps + 1):
                px, py = ax + (bx - ax) * k / steps, ay + (by - ay) * k / steps
                path.lineTo(px + r.uniform(-shake, shake), self.height - py - r.uniform(-shake, shake))
        self.c.drawPath(path, **args)

    def poly(self, points, stroke=0.0, fill=None, width=0.7):
        path = self.c.beginPath()
        path.moveTo(points[0][0], self.height - points[0][1])
        for x, y in points[1:]:
            path.lineTo(x, self.height - y)
        path.close()
        if stroke is not None:
            self.c.setStrokeColor(self.color(stroke))
        if fill is not None:
            self.c.setFillColor(self.color(fill))
        self.c.setLineWidth(width)
        self.c.drawPath(path, stroke=int(stroke is not None), fill=int(fill is not None))
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        self.mark(min(xs), min(ys), max(xs), max(ys))

    def circle(self, x, y, r, stroke=0.0, fill=None, width=0.7):
        if stroke is not None:
            self.c.setStrokeColor(self.color(stroke))
        if fill is not None:
            self.c.setFillColor(self.color(fill))
        self.c.setLineWidth(width)
        self.c.circle(x, self.height - y, r, stroke=int(stroke is not None), fill=int(fill is not None))
        self.mark(x - r, y - r, x + r, y + r)

    @staticmethod
    def width_of(text, font, size):
        return pdfmetrics.stringWidth(text, font, size)

    def small_capitals(self, x, y, text, font, size, color, align):
        """Large first letters, small capitals behind them: separate pieces of text in the file."""
        pieces = []
        for word in text.split():
            pieces += [(word[0].upper(), size), (word[1:].upper(), size * 0.78), (" ", size)]
        wide = sum(self.width_of(piece, font, its) for piece, its in pieces[:-1])
        at = x + {"left": 0, "center": -wide / 2, "right": -wide}[align]
        for piece, its in pieces[:-1]:
            at += self.text(at, y, piece, font, its, color, outline=True)
        return wide

    def text(self, x, y, text, font, size, color=0.0, align="left", outline=None, turn=0, spread=0):
        """`y` is the base line; `turn` 90 reads upwards, 270 downwards; `spread` is room between letters."""
        if not text:
            return 0
        wide = self.width_of(text, font, size) + spread * (len(text) - 1)
        c = self.c
        shift = {"left": 0, "center": -wide / 2, "right": -wide}[align]
        c.setFillColor(self.color(color))
        drawn_as_path = self.outlines == 2 or (outline and self.outlines == 1)
        c.saveState()
        c.translate(x, self.height - y)
        if turn:
            c.rotate(turn)
        if drawn_as_path and font in _glyphs:
            self._outline(text, font, size, shift, spread)
        else:
            c.setFont(font, size)
            c.drawString(shift, 0, text, charSpace=spread)
        c.restoreState()
        up, down = size * 0.74, size * 0.2
        if turn == 90:
            self.mark(x - up, y - shift - wide, x + down, y - shift)
        elif turn == 270:
            self.mark(x - down, y + shift, x + up, y + shift + wide)
        else:
            has_tail = any(ch in "gjpqyçQ,;()|" for ch in text)
            self.mark(x + shift, y - up, x + shift + wide, y + (down if has_tail else 0))
        return wide

    def _outline(self, text, font, size, x, spread=0):
        glyphs, names, units = _face(font)
        scale = size / units
        for letter in text:
            name = names.get(ord(letter))
            if name:
                path = self.c.beginPath()
                glyphs[name].draw(_PathPen(glyphs, path, x, 0, scale))
                self.c.drawPath(path, stroke=0, fill=1)
            x += self.width_of(letter, font, size) + spread

    def picture(self, image, x, y, w, h, quality=60):
        data = io.BytesIO()
        image.convert("RGB").save(data, "JPEG", quality=quality)
        data.seek(0)
        self.c.drawImage(ImageReader(data), x, self.height - y - h, w, h)
        self.mark(x, y, x + w, y + h)

    def field(self, name, x, y, w, h):
        """An AcroForm text field without a border of its own."""
        self.c.acroForm.textfield(
            name=name, x=x, y=self.height - y - h, width=max(4, w), height=max(4, h), borderWidth=0, fontSize=8,
            fillColor=None, borderColor=None, forceBorder=False)

    def labels(self):
        found = []
        for region in self.regions:
            x0, y0, x1, y1 = region.box
            x0, y0, x1, y1 = max(0, x0), max(0, y0), min(self.width, x1), min(self.height, y1)
            found.append(
                dict(name=region.name, kind=region.kind, x=round(x0 / self.width, 5), y=round(y0 / self.height, 5),
                     width=round((x1 - x0) / self.width, 5), height=round((y1 - y0) / self.height, 5)))
        return found


def texture(rng, wide, high, base, contrast):
    """A mottled ground: paper, stone, stars."""
    import numpy

    noise = numpy.random.default_rng(rng.randrange(1 << 30))
    total = numpy.zeros((high, wide))
    for cells, weight in ((6, 1.0), (24, 0.5), (90, 0.3), (400, 0.2)):
        small = Image.fromarray((noise.random((max(2, cells * high // wide), cells)) * 255).astype("uint8"))
        total += weight * numpy.asarray(small.resize((wide, high), Image.BICUBIC), float) / 255
    total = (total - total.mean()) / (total.std() + 1e-9) * contrast
    rgb = [numpy.clip(channel * 255 + total * 255, 0, 255) for channel in base]
    if rng.random() < 0.5:  # darker towards the edges
        ys, xs = numpy.mgrid[-1:1:high * 1j, -1:1:wide * 1j]
        fade = 1 - rng.uniform(0.1, 0.5) * numpy.clip(numpy.maximum(abs(xs), abs(ys)) - 0.75, 0, 1) * 4 * 0.5
        rgb = [channel * numpy.clip(fade, 0.2, 1) for channel in rgb]
    picture = Image.fromarray(numpy.stack(rgb, -1).astype("uint8"))
    if rng.random() < 0.5:
        scratched(rng, picture, base)
    return picture


def scratched(rng, picture, base):
    """Cracks and stains on a ground: short crooked strokes, most of them faint."""
    pen = ImageDraw.Draw(picture)
    wide, high = picture.size
    for _ in range(rng.choice([6, 15, 40])):
        x, y, turn = rng.uniform(0, wide), rng.uniform(0, high), rng.uniform(0, 6.3)
        shade = rng.uniform(-0.35, 0.15)
        color = tuple(int(255 * min(1, max(0, channel + shade))) for channel in base)
        for _ in range(rng.choice([2, 4, 8])):
            turn += rng.uniform(-0.7, 0.7)
            length = rng.uniform(2, 9)
            end = (x + length * math.cos(turn), y + length * math.sin(turn))
            pen.line((x, y, *end), fill=color, width=rng.choice([1, 1, 2]))
            x, y = end
