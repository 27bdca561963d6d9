# SPDX-License-Identifier: Apache-2.0
"""How a whole sheet looks: fonts, ink, containers, headings, writing space. Drawn once for each sheet."""
import copy
import glob
import os

from .page import FONT_FOLDER, register

CONTAINERS = ["frame", "frame", "bar", "bar", "barframe", "barframe", "open", "open", "rule", "tab", "panel", "side", "grid",
              "grid", "below", "notch", "double", "overline", "inframe", "inframe", "cells", "hline", "hline", "foot", "foot", "banner", "flank",
              "card", "cut", "over", "over", "over", "leftrule", "caption", "caption", "brackets", "pill"]
# Containers without a frame: what is blank below their heading belongs to them only when something marks it.
LOOSE = ("over", "open", "rule", "overline", "bar", "flank", "leftrule")
LANGUAGES = ["en"] * 9 + ["de"] * 3 + ["fr"] * 3 + ["es"] * 2 + ["pt"] * 2 + ["it"] * 2 + ["nl", "sv", "pl"]
_FONTS = None


def fonts():
    """Body fonts as (regular, bold, italic), display fonts by name."""
    global _FONTS
    if _FONTS:
        return _FONTS
    families = []
    for regular, bold, italic in (
            ("lato/Lato-Regular", "lato/Lato-Bold", "lato/Lato-Italic"),
            ("lato/Lato-Light", "lato/Lato-Heavy", "lato/Lato-Italic"),
            ("vollkorn/Vollkorn-Regular", "vollkorn/Vollkorn-Bold", "vollkorn/Vollkorn-Italic"),
            ("fonts-oldstandard/OldStandard-Regular", "fonts-oldstandard/OldStandard-Bold",
             "fonts-oldstandard/OldStandard-Italic"),
            ("averia-gwf/AveriaSerifGWF-Regular", "averia-gwf/AveriaSerifGWF-Bold", "averia-gwf/AveriaSerifGWF-Italic"),
            ("quicksand/Quicksand-Regular", "quicksand/Quicksand-Bold", "quicksand/Quicksand-Medium"),
            ("dejavu/DejaVuSans", "dejavu/DejaVuSans-Bold", "dejavu/DejaVuSans-Oblique"),
            ("dejavu/DejaVuSansCondensed", "dejavu/DejaVuSansCondensed-Bold", "dejavu/DejaVuSansCondensed-Oblique"),
            ("dejavu/DejaVuSerif", "dejavu/DejaVuSerif-Bold", "dejavu/DejaVuSerif-Italic"),
            ("dejavu/DejaVuSansMono", "dejavu/DejaVuSansMono-Bold", "dejavu/DejaVuSansMono-Oblique"),
            ("noto/NotoSans-Regular", "noto/NotoSans-Bold", "noto/NotoSans-Italic"),
            ("noto/NotoSerif-Regular", "noto/NotoSerif-Bold", "noto/NotoSerif-Italic"),
            ("noto/NotoSansDisplay-Regular", "noto/NotoSansDisplay-Bold", "noto/NotoSansDisplay-Italic")):
        names = [register(os.path.join(FONT_FOLDER, f + ".ttf")) for f in (regular, bold, italic)]
        if names[0]:
            families.append([names[0], names[1] or names[0], names[2] or names[0]])
    families += [["Helvetica", "Helvetica-Bold", "Helvetica-Oblique"]] * 2 + [["Times-Roman", "Times-Bold", "Times-Italic"]]
    displays = []
    for pattern in ("lato/Lato-Black", "lato/Lato-Heavy", "vollkorn/Vollkorn-Black", "blankenburg/*",
                    "averia-gwf/AveriaSerifGWF-Bold", "fonts-oldstandard/OldStandard-Bold", "quicksand/Quicksand-Bold"):
        for path in sorted(glob.glob(os.path.join(FONT_FOLDER, pattern + ("" if "*" in pattern else ".ttf")))):
            displays.append(register(path))
    for path in sorted(glob.glob(os.path.join(os.environ.get("SHEETGEN_MORE_FONTS", "/nonexistent"), "*.ttf"))):
        displays.append(register(path))
    _FONTS = families, [d for d in displays if d]
    return _FONTS


class Style:
    def __init__(self, rng, container=None):
        families, displays = fonts()
        r = rng
        self.rng = rng
        self.language = r.choice(LANGUAGES)
        self.container = container or r.choice(CONTAINERS)
        self.body, self.bold, self.italic = r.choice(families)
        self.size = r.choice([6, 6.5, 7, 7, 7.5, 8, 8, 8.5, 9, 9, 10, 11])
        kind = r.random()
        if kind < 0.45:
            self.head = self.bold
        elif kind < 0.85 and displays:
            self.head = r.choice(displays)
        else:
            self.head = self.body
        plain = self.head == self.body
        self.head_size = self.size * (r.uniform(1.25, 2.2) if plain else r.uniform(0.95, 2.0))
        self.caps = r.random() < 0.5
        if r.random() < 0.14:  # headings hardly larger than what they head
            self.head, self.head_size = r.choice([self.bold, self.body]), self.size * r.uniform(0.8, 1.05)
        self.small_capitals = r.random() < 0.07
        self.spread = r.uniform(0.05, 0.25) if r.random() < 0.07 else 0
        self.align = r.choice(["left", "left", "center", "center", "right"] if r.random() < 0.3 else ["left", "center"])
        self.label_size = max(4.5, self.size * r.uniform(0.65, 1.0))
        self.label_place = r.choice(["left", "left", "left", "below", "above", "inside"])
        self.label_font = r.choice([self.body, self.body, self.bold, self.italic])
        self.label_caps = r.random() < 0.3
        self.colon = r.random() < 0.35
        self.writing = r.choice(["line", "line", "box", "dots", "blank", "underscore", "fill", "dash"])
        self.lines = r.choice(["line", "line", "dots", "blank", "table", "dash", "stripes", "numbered"])
        self.rule = r.choice([0.3, 0.5, 0.5, 0.7, 1.0])
        self.border = r.choice([0.5, 0.75, 1, 1, 1.5, 2, 3])
        self.radius = r.choice([0, 0, 0, 0, 4, 8, 14])
        self.gutter = r.choice([1, 2, 3, 4, 6, 6, 8, 10, 12, 16, 20])
        if self.container in ("open", "rule", "overline", "panel"):
            self.gutter = r.choice([8, 10, 12, 14, 18, 24])
        if self.container in ("grid", "hline", "cells"):
            self.gutter = 0 if self.container == "grid" else r.choice([0, 0, 0, 2, 6])
        self.pad = r.choice([2, 3, 4, 5, 6, 8])
        # Ground and inks.
        self.ground = "white"
        self.paper = (1.0, 1.0, 1.0)
        self.ink = r.choice([0.0, 0.0, 0.0, 0.1, 0.2])
        self.accent = r.choice([0.0, 0.0, 0.0, 0.15, 0.3, 0.45, None])
        if self.accent is None:
            self.accent = tuple(r.uniform(0.05, 0.65) for _ in range(3))
        self.bar_fill = self.accent if r.random() < 0.7 else r.choice([0.75, 0.82, 0.88, 0.6])
        self.panel = r.choice([0.95, 0.92, 0.9, 0.86, 0.8])
        self.box_fill = None
        ground = r.random()
        if ground < 0.10:
            self.ground, self.paper = "tint", (r.uniform(0.85, 1), r.uniform(0.82, 0.97), r.uniform(0.7, 0.92))
        elif ground < 0.22:
            self.ground = "texture"
            self.paper = (r.uniform(0.6, 0.97), r.uniform(0.55, 0.93), r.uniform(0.45, 0.88))
            self.contrast = r.uniform(0.01, 0.07)
        elif ground < 0.27:
            self.ground, self.paper = "dark", tuple(r.uniform(0.05, 0.2) for _ in range(3))
            self.ink, self.accent = 0.92, (r.uniform(0.6, 1), r.uniform(0.4, 0.9), r.uniform(0.2, 0.8))
            self.bar_fill, self.panel = self.accent, 0.25
            self.contrast = r.uniform(0.0, 0.03)
        if self.ground != "white" and self.ground != "dark" and r.random() < 0.5:
            self.box_fill = r.choice([1.0, 0.97])
        if self.ground == "dark" and r.random() < 0.6:
            self.box_fill = 0.9
        self.bar_text = self.contrast_to(self.bar_fill)
        if self.ground == "white" and self.container in ("bar", "barframe") and r.random() < 0.15:
            self.bar_fill, self.bar_text = None, self.ink  # an outlined bar
        self.frame_page = r.choice([None] * 7 + ["single", "double", "ornate"])
        self.filled = r.random() < 0.22  # somebody's character is written in
        self.hand = r.choice([self.italic, "Courier", self.body])
        self.form = r.random() < 0.25
        self.outlines = r.choice([0] * 8 + [1, 2])
        if self.ground in ("texture", "dark") and r.random() < 0.35:  # painted as a whole, with fields on top
            self.outlines, self.form = 2, r.random() < 0.7
        self.margin = r.choice([14, 20, 24, 28, 36, 44, 56])
        self.band = r.uniform(1.15, 2.0)  # height of heading bars in heading sizes
        self.density = r.uniform(0.9, 1.9)  # row height in text sizes
        self.tight_bar = r.random() < 0.3
        self.second = r.random() < 0.35  # headings of a second level
        self.bold_values = r.random() < 0.5
        self.rough = r.random() < 0.07
        self.corners = r.random() < 0.08
        self.icon = r.random() < 0.06  # a mark before each heading
        if self.container == "caption":
            self.head = r.choice([self.body, self.bold])
            self.head_size = max(4.5, self.size * r.uniform(0.7, 1.0))
            self.gutter = r.choice([0, 0, 1, 2, 3, 5])

    def variant(self):
        """Another way to hold and to head things on the same sheet: same letters, same ground, same inks."""
        r = self.rng
        other = copy.copy(self)
        other.container = r.choice(CONTAINERS)
        other.head_size = self.head_size * r.choice([1, 1, 1, r.uniform(0.7, 1.3)])
        other.align = r.choice([self.align, "left", "center"])
        other.tight_bar = r.random() < 0.3
        for name, values in (("writing", ["line", "box", "dots", "blank", "fill"]), ("pad", [2, 3, 4, 6, 8]),
                             ("lines", ["line", "dots", "blank", "table", "stripes"]), ("border", [0.5, 0.75, 1, 1.5, 2]),
                             ("label_place", ["left", "left", "below", "above", "inside"]), ("radius", [0, 0, 4, 8])):
            if r.random() < 0.4:
                setattr(other, name, r.choice(values))
        if r.random() < 0.3:
            other.band = r.uniform(1.15, 2.0)
        if r.random() < 0.3:
            other.head = r.choice([self.bold, self.head])
        return other

    @staticmethod
    def contrast_to(fill):
        if fill is None:
            return 0.0
        rgb = fill if isinstance(fill, tuple) else (fill,) * 3
        return 1.0 if 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] < 0.55 else 0.0

    def head_text(self, text):
        return text.upper() if self.caps else text

    def label_text(self, text):
        return (text.upper() if self.label_caps else text) + (":" if self.colon else "")
