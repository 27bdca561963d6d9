# SPDX-License-Identifier: Apache-2.0
"""Frames, bars, tabs and the headings on them. Each returns the room that is left for the content."""
from .furniture import Furniture
from .style import LOOSE


class Containers:
    def __init__(self, page, style, words):
        self.p, self.s, self.w, self.rng = page, style, words, style.rng

    def fit(self, text, width, size=None):
        s = self.s
        size = size or s.head_size
        while size > 5 and self.p.width_of(text, s.head, size) > width:
            size -= 0.5
        return size

    def heading(self, x, y, w, text, color=None, size=None, align=None):
        """A line of heading with its top at `y`; returns where it ends."""
        s, p = self.s, self.p
        text = s.head_text(text)
        size = self.fit(text, w, size)
        align = align or s.align
        if s.icon and align == "left" and w > 60:
            p.circle(x + size * 0.4, y + size * 0.5, size * 0.35, s.ink, s.accent if s.tight_bar else None, 0.6)
            x, w = x + size, w - size
        at = {"left": x, "center": x + w / 2, "right": x + w}[align]
        self.letters(at, y + size * 0.82, text, size, s.accent if color is None else color, align, w)
        return y + size * 1.08

    def letters(self, x, y, text, size, color, align="left", room=None):
        """The letters of a heading as this sheet sets them."""
        s, p = self.s, self.p
        if s.small_capitals:
            return p.small_capitals(x, y, text, s.head, size, color, align)
        spread = s.spread * size
        if room is not None and p.width_of(text, s.head, size) + spread * len(text) > room:
            spread = 0
        return p.text(x, y, text, s.head, size, color, align, outline=True, spread=spread)

    def bar(self, x, y, w, text):
        s, p = self.s, self.p
        h = max(8, s.head_size * s.band)
        p.rect(x, y, w, h, s.ink if s.bar_fill is None else None, s.bar_fill, s.rule, s.radius if not s.tight_bar else 0)
        shown = s.head_text(text)
        size = self.fit(shown, w - 8, min(s.head_size, h * 0.9))
        at = {"left": x + 4, "center": x + w / 2, "right": x + w - 4}[s.align]
        self.letters(at, y + h / 2 + size * 0.35, shown, size, s.bar_text, s.align, w - 8)
        return y + h

    def frame(self, x, y, w, h, fill=None):
        s, p = self.s, self.p
        p.rect(x, y, w, h, s.ink if s.ground != "dark" else s.accent, fill if fill is not None else s.box_fill, s.border,
               s.radius)
        if s.corners and w > 60 and h > 40:
            Furniture(p, s, self.w).corners(x, y, w, h)

    def draw(self, kind, x, y, w, h, text):
        """The inner room (x, y, w, h) of a region of this size; `text` may be empty."""
        return getattr(self, "_" + kind)(x, y, w, h, text)

    def _inside(self, x, y, w, h, top):
        pad = max(self.s.pad, self.s.border + 1)
        return x + pad, top + pad * 0.7, w - 2 * pad, y + h - top - pad * 1.5

    def _frame(self, x, y, w, h, text):
        self.frame(x, y, w, h)
        top = self.heading(x + self.s.pad + 1, y + 3, w - 2 * self.s.pad - 2, text) if text else y
        return self._inside(x, y, w, h, top)

    def _inframe(self, x, y, w, h, text):
        self.frame(x, y, w, h)
        size = self.s.size * 1.1
        top = self.heading(x + 3, y + 2, w - 6, text, size=size, align="left", color=self.s.ink) if text else y
        return self._inside(x, y, w, h, top)

    def _double(self, x, y, w, h, text):
        s, p = self.s, self.p
        p.rect(x, y, w, h, s.ink, s.box_fill, s.border)
        p.rect(x + 3, y + 3, w - 6, h - 6, s.ink, None, 0.4)
        top = self.heading(x + 8, y + 5, w - 16, text) if text else y + 3
        return self._inside(x + 3, y, w - 6, h - 3, top)

    def _barframe(self, x, y, w, h, text):
        self.frame(x, y, w, h)
        top = self.bar(x, y, w, text) if text else y
        return self._inside(x, y, w, h, top)

    def _bar(self, x, y, w, h, text):
        top = self.bar(x, y, w, text) if text else y
        return x, top + self.s.pad, w, y + h - top - self.s.pad

    def _open(self, x, y, w, h, text):
        top = self.heading(x, y, w, text) if text else y
        return x, top + self.s.pad * 0.7, w, y + h - top - self.s.pad

    def _over(self, x, y, w, h, text):
        """The heading above the frame, not in it."""
        s = self.s
        top = self.heading(x + (0 if s.tight_bar else 3), y, w - 6, text) + s.pad * 0.4 if text else y
        self.frame(x, top, w, y + h - top)
        return self._inside(x, top, w, y + h - top, top)

    def _rule(self, x, y, w, h, text):
        top = self.heading(x, y, w, text) + 1
        self.p.line(x, top, x + w, top, self.s.border, self.s.accent)
        return x, top + self.s.pad, w, y + h - top - self.s.pad

    def _overline(self, x, y, w, h, text):
        self.p.line(x, y, x + w, y, self.s.border, self.s.accent)
        top = self.heading(x, y + 3, w, text) if text else y
        return x, top + self.s.pad, w, y + h - top - self.s.pad

    def _tab(self, x, y, w, h, text):
        s, p = self.s, self.p
        if not text:
            return self._frame(x, y, w, h, text)
        shown = s.head_text(text)
        size = self.fit(shown, w * 0.75, min(s.head_size, 16))
        wide = p.width_of(shown, s.head, size) + 14
        bh = size * 1.5
        left = x + (w - wide) / 2 if s.align == "center" else x + 8
        self.frame(x, y + bh / 2, w, h - bh / 2)
        fill = s.bar_fill if self.s.tight_bar else (s.paper if s.box_fill is None else s.box_fill)
        p.rect(left, y, wide, bh, s.ink, fill, s.border * 0.8, s.radius)
        p.text(left + wide / 2, y + bh / 2 + size * 0.35, shown, s.head, size, s.contrast_to(fill), "center", outline=True)
        return self._inside(x, y, w, h, y + bh)

    def _notch(self, x, y, w, h, text):
        s, p = self.s, self.p
        if not text:
            return self._frame(x, y, w, h, text)
        shown = s.head_text(text)
        size = self.fit(shown, w * 0.75, min(s.head_size, 14))
        wide = p.width_of(shown, s.head, size) + 8
        left = x + (w - wide) / 2 if s.align == "center" else x + 10
        self.frame(x, y + size * 0.5, w, h - size * 0.5)
        p.rect(left, y, wide, size, None, s.paper if s.box_fill is None else s.box_fill)
        p.text(left + 4, y + size * 0.85, shown, s.head, size, s.ink, outline=True)
        return self._inside(x, y, w, h, y + size)

    def _panel(self, x, y, w, h, text):
        s, p = self.s, self.p
        p.rect(x, y, w, h, None, s.panel, 0, s.radius)
        top = self.heading(x + s.pad + 2, y + 3, w - 2 * s.pad - 4, text) if text else y
        return self._inside(x, y, w, h, top)

    def _side(self, x, y, w, h, text):
        s, p = self.s, self.p
        band = min(max(12, s.head_size * 1.5), w * 0.25)
        self.frame(x, y, w, h)
        if not text:
            return self._inside(x, y, w, h, y)
        if s.tight_bar:
            band_fill, ink = None, s.ink
        else:
            band_fill, ink = s.bar_fill, s.bar_text
            p.rect(x, y, band, h, None, s.accent if band_fill is None else band_fill)
            ink = s.contrast_to(s.accent if band_fill is None else band_fill)
        shown = s.head_text(text)
        size = self.fit(shown, h - 6, min(s.head_size, band * 0.85))
        p.text(x + band / 2 + size * 0.35, y + h / 2, shown, s.head, size, ink, "center", outline=True, turn=90)
        return x + band + s.pad, y + s.pad, w - band - 2 * s.pad, h - 2 * s.pad

    def _grid(self, x, y, w, h, text):
        s, p = self.s, self.p
        p.rect(x, y, w, h, s.ink, s.box_fill, s.border)
        if not text:
            return self._inside(x, y, w, h, y)
        if s.tight_bar:
            top = self.bar(x, y, w, text)
        else:
            top = self.heading(x + 3, y + 2, w - 6, text)
        return self._inside(x, y, w, h, top)

    def _cells(self, x, y, w, h, text):
        return self._grid(x, y, w, h, text)

    def _hline(self, x, y, w, h, text):
        """A box whose heading stands between rules, as typesetters' tables have it."""
        s, p = self.s, self.p
        p.rect(x, y, w, h, s.ink, s.box_fill, s.rule)
        if not text:
            return self._inside(x, y, w, h, y)
        top = self.heading(x + 3, y + 1.5, w - 6, text, color=s.ink, size=min(s.head_size, s.size * 1.4)) + 1.5
        p.line(x, top, x + w, top, s.rule, s.ink)
        return self._inside(x, y, w, h, top)

    def _below(self, x, y, w, h, text):
        s = self.s
        if not text:
            return self._frame(x, y, w, h, text)
        size = self.fit(s.head_text(text), w, min(s.head_size, 12))
        foot = size * 1.3
        self.frame(x, y, w, h - foot)
        self.heading(x, y + h - foot + 1, w, text, size=size, color=s.ink)
        return self._inside(x, y, w, h - foot, y)

    def _foot(self, x, y, w, h, text):
        """The caption stands within the frame, at its foot."""
        s = self.s
        self.frame(x, y, w, h)
        if not text:
            return self._inside(x, y, w, h, y)
        size = self.fit(s.head_text(text), w - 6, min(s.head_size, 11))
        foot = size * 1.35
        self.heading(x + 3, y + h - foot, w - 6, text, size=size, color=s.ink, align="center")
        return self._inside(x, y, w, h - foot, y)

    def _banner(self, x, y, w, h, text):
        """A ribbon across the upper edge."""
        s, p = self.s, self.p
        if not text:
            return self._frame(x, y, w, h, text)
        shown = s.head_text(text)
        size = self.fit(shown, w * 0.7, min(s.head_size, 16))
        wide = min(w, p.width_of(shown, s.head, size) + 10 * 2.4)
        bh = size * 1.5
        left = x + (w - wide) / 2 if s.align == "center" else x
        self.frame(x, y + bh / 2, w, h - bh / 2)
        fill = s.accent if s.bar_fill is None else s.bar_fill
        notch = 5 if s.tight_bar else -5
        p.poly([(left, y), (left + wide, y), (left + wide - notch, y + bh / 2), (left + wide, y + bh), (left, y + bh),
                (left + notch, y + bh / 2)], s.ink, fill, 0.6)
        self.letters(left + wide / 2, y + bh / 2 + size * 0.35, shown, size, s.contrast_to(fill), "center", wide - 16)
        return self._inside(x, y, w, h, y + bh)

    def _flank(self, x, y, w, h, text):
        """The heading between two rules, the content below without a frame."""
        s, p = self.s, self.p
        if not text:
            return self._frame(x, y, w, h, text)
        shown = s.head_text(text)
        size = self.fit(shown, w * 0.7)
        wide = p.width_of(shown, s.head, size) * (1.0 if not s.spread else 1.15)
        middle = y + size * 0.5
        for left, right in ((x, x + (w - wide) / 2 - 5), (x + (w + wide) / 2 + 5, x + w)):
            if right - left > 4:
                p.line(left, middle, right, middle, s.border, s.accent)
        top = self.heading(x + (w - wide) / 2, y, wide, text, size=size, align="center")
        return x, top + s.pad, w, y + h - top - s.pad

    def _card(self, x, y, w, h, text):
        """A card with a shadow, the heading on its upper part."""
        s, p = self.s, self.p
        p.rect(x + 2, y + 2, w - 2, h - 2, None, 0.7 if s.ground != "dark" else 0.0, 0, s.radius)
        p.rect(x, y, w - 2, h - 2, 0.6 if s.tight_bar else None, s.box_fill or (1.0 if s.ground != "dark" else 0.3), 0.5, s.radius)
        top = self.heading(x + s.pad + 2, y + 3, w - 2 * s.pad - 6, text, color=s.ink) if text else y
        if text and s.second:
            p.line(x, top + 1, x + w - 2, top + 1, s.rule, s.accent)
        return self._inside(x, y, w - 2, h - 2, top)

    def _cut(self, x, y, w, h, text):
        """A frame with its corners cut off."""
        s, p = self.s, self.p
        c = min(w, h) * 0.12 if s.tight_bar else min(8, min(w, h) * 0.2)
        points = [(x + c, y), (x + w - c, y), (x + w, y + c), (x + w, y + h - c), (x + w - c, y + h), (x + c, y + h),
                  (x, y + h - c), (x, y + c)]
        p.poly(points, s.ink, s.box_fill, s.border)
        top = self.heading(x + c + 1, y + 3, w - 2 * c - 2, text) if text else y
        return self._inside(x + 2, y, w - 4, h - 2, top)

    def _leftrule(self, x, y, w, h, text):
        s, p = self.s, self.p
        p.line(x + s.border, y, x + s.border, y + h, max(1.5, s.border * 1.5), s.accent)
        top = self.heading(x + 6 + s.border, y, w - 8, text, align="left") if text else y
        return x + 6 + s.border, top + s.pad * 0.7, w - 8, y + h - top - s.pad

    def _caption(self, x, y, w, h, text):
        """A box with a small caption in its corner, set close to the next one."""
        s, p = self.s, self.p
        p.rect(x, y, w, h, s.ink, s.box_fill, s.rule, s.radius / 2)
        if not text:
            return self._inside(x, y, w, h, y)
        size = min(s.head_size, 8)
        top = self.heading(x + 2.5, y + 1.5, w - 5, text, color=s.ink, size=size)
        return x + 2.5, top + 1, w - 5, y + h - top - 3

    def _brackets(self, x, y, w, h, text):
        """Only the corners of a frame."""
        s, p = self.s, self.p
        arm = min(w, h) * 0.25
        for cx, sx in ((x, 1), (x + w, -1)):
            for cy, sy in ((y, 1), (y + h, -1)):
                p.line(cx, cy, cx + sx * arm, cy, s.border, s.accent)
                p.line(cx, cy, cx, cy + sy * arm, s.border, s.accent)
        top = self.heading(x + s.pad + 2, y + 4, w - 2 * s.pad - 4, text) if text else y
        return self._inside(x, y, w, h, top)

    def _pill(self, x, y, w, h, text):
        """The heading on a rounded bar that is shorter than what it heads."""
        s, p = self.s, self.p
        if not text:
            return self._frame(x, y, w, h, text)
        shown = s.head_text(text)
        size = self.fit(shown, w * 0.8, min(s.head_size, 15))
        wide = p.width_of(shown, s.head, size) * (1.15 if s.spread else 1) + 18
        bh = size * 1.45
        left = x + (w - wide) / 2 if s.align == "center" else x
        fill = s.accent if s.bar_fill is None else s.bar_fill
        p.rect(left, y, min(w, wide), bh, None, fill, 0, bh / 2)
        self.letters(left + min(w, wide) / 2, y + bh / 2 + size * 0.35, shown, size, s.contrast_to(fill), "center", w)
        if s.tight_bar:
            self.frame(x, y + bh + 2, w, h - bh - 2)
            return self._inside(x, y, w, h, y + bh + 2)
        return x, y + bh + s.pad, w, h - bh - s.pad

    def inline(self, x, y, w, h, text):
        """A small region: its name on a bar or in letters beside or above one box."""
        s, p = self.s, self.p
        shown = s.head_text(text)
        if w > 1.8 * h:
            split = w * self.rng.uniform(0.4, 0.6)
            p.rect(x, y, w, h, s.ink, s.box_fill, s.rule, s.radius)
            fill = s.bar_fill if s.container in ("bar", "barframe", "side", "tab") else None
            if fill is not None:
                p.rect(x, y, split, h, None, fill)
            size = self.fit(shown, split - 6, min(s.head_size, h * 0.6))
            p.text(x + split / 2, y + h / 2 + size * 0.35, shown, s.head, size, s.contrast_to(fill), "center", outline=True)
            return
        plain = s.container in ("side", "panel", "leftrule", "brackets")
        inner = self.draw("frame" if plain else s.container, x, y, w, h, text)
        if s.container in LOOSE:
            p.rect(inner[0], inner[1], inner[2], max(6, inner[3]), s.ink, s.box_fill, s.rule)
