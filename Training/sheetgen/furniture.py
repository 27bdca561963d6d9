# SPDX-License-Identifier: Apache-2.0
"""What stands on a page and is no region: pictures, legends, flourishes, borders, faint art behind everything."""
import math


class Furniture:
    def __init__(self, page, style, words):
        self.p, self.s, self.w, self.rng = page, style, words, style.rng

    def art(self, x, y, w, h, grey=None, dense=1.0):
        """A picture of something: blots, limbs and strokes."""
        p, r = self.p, self.rng
        shade = (lambda: grey) if grey is not None else (lambda: r.uniform(0, 0.75))
        with p.unmarked():
            if grey is None and r.random() < 0.2:
                p.rect(x, y, w, h, self.s.ink if r.random() < 0.5 else None, r.uniform(0.3, 0.9))
            for _ in range(int(r.choice([4, 8, 14]) * dense)):
                cx, cy = x + w * r.uniform(0.2, 0.8), y + h * r.uniform(0.2, 0.8)
                reach = min(w, h) * r.uniform(0.08, 0.3)
                if r.random() < 0.3:
                    p.circle(cx, cy, reach * 0.7, None if r.random() < 0.5 else shade(), shade())
                    continue
                count = r.choice([5, 7, 11])
                turn = r.uniform(0, 6)
                points = []
                for k in range(count):
                    far = reach * r.uniform(0.4, 1.2)
                    angle = turn + 2 * math.pi * k / count
                    points.append((min(max(cx + far * math.cos(angle), x), x + w), min(max(cy + far * math.sin(angle), y), y + h)))
                p.poly(points, None if r.random() < 0.7 else shade(), shade(), 0.8)

    def watermark(self):
        """A faint emblem behind the sheet."""
        p, r = self.p, self.rng
        side = min(p.width, p.height) * r.uniform(0.3, 0.8)
        x, y = r.uniform(0.1, 0.6) * (p.width - side), r.uniform(0.1, 0.9) * (p.height - side)
        self.art(x, y, side, side, r.uniform(0.86, 0.96))

    def legend(self, x, y, w, h):
        """What the marks mean, or how to use the sheet, in small letters."""
        p, s, r = self.p, self.s, self.rng
        size = max(4.5, s.label_size * 0.9)
        with p.unmarked():
            if r.random() < 0.4:
                p.rect(x, y, w, h, s.ink, None, s.rule)
            rows = max(1, min(r.choice([1, 2, 4]), int(h / (size * 1.3)) - 1))
            for row in range(rows):
                cy = y + (row + 1) * size * 1.3 + 2
                left = x + 4
                if r.random() < 0.4:
                    p.circle(left + size * 0.4, cy - size * 0.3, size * 0.35, s.ink, s.accent if row % 2 else None, s.rule)
                    left += size * 1.2
                words = self.w.prose(40).split()
                line = ""
                while words and p.width_of(line + words[0], s.body, size) < w - 14:
                    line += words.pop(0) + " "
                p.text(left, cy, line.strip(), s.italic if rows == 1 else s.body, size, s.ink)

    def flourish(self, x, y, w):
        """A short ornament in a gap, `w` wide around `x`."""
        p, s, r = self.p, self.s, self.rng
        with p.unmarked():
            p.line(x - w / 2, y, x + w / 2, y, r.choice([0.4, 0.8]), s.ink)
            side = r.choice([1.5, 2.5, 4])
            p.poly([(x, y - side), (x + side, y), (x, y + side), (x - side, y)], None, s.accent)

    def corners(self, x, y, w, h):
        """Ornaments on the corners of a frame; they reach a little beyond it."""
        p, s, r = self.p, self.s, self.rng
        kind = r.choice(["dot", "diamond", "square", "curl"])
        side = r.choice([2, 3, 4, 6])
        with p.unmarked():
            for cx, cy in ((x, y), (x + w, y), (x, y + h), (x + w, y + h)):
                if kind == "dot":
                    p.circle(cx, cy, side * 0.8, s.ink, s.accent, 0.5)
                elif kind == "diamond":
                    p.poly([(cx, cy - side), (cx + side, cy), (cx, cy + side), (cx - side, cy)], s.ink, s.accent, 0.5)
                elif kind == "square":
                    p.rect(cx - side * 0.7, cy - side * 0.7, side * 1.4, side * 1.4, s.ink, s.accent, 0.5)
                else:
                    p.circle(cx, cy, side, s.ink, None, 0.6)
                    p.circle(cx, cy, side * 0.5, s.ink, None, 0.6)

    def border(self, margin):
        """An ornamented band around the page; returns how wide it is."""
        p, s, r = self.p, self.s, self.rng
        band = min(margin, r.choice([8, 14, 20, 28]))
        out = r.choice([2, 4, 8])
        motif = r.choice(["dots", "lozenges", "waves", "knots", "solid"])
        step = band * r.choice([0.8, 1.2, 2])
        color = r.choice([s.ink, s.accent, 0.45])
        with p.unmarked():
            if motif == "solid":
                p.rect(out, out, p.width - 2 * out, p.height - 2 * out, color, None, band * 0.5)
            else:
                p.rect(out, out, p.width - 2 * out, p.height - 2 * out, color, None, 0.8)
                p.rect(out + band, out + band, p.width - 2 * (out + band), p.height - 2 * (out + band), color, None, 0.8)
            if r.random() < 0.5:  # more lines, side by side
                for k in range(r.choice([1, 2, 4])):
                    at = out + band + 2 + 3 * k
                    p.rect(at, at, p.width - 2 * at, p.height - 2 * at, color, None, r.choice([0.4, 1]))
            for along, length, upright in ((0, p.width, False), (1, p.width, False), (0, p.height, True), (1, p.height, True)):
                at = out + step
                while motif != "solid" and at < length - out:
                    middle = out + band / 2 if along == 0 else (p.width if upright else p.height) - out - band / 2
                    cx, cy = (middle, at) if upright else (at, middle)
                    self._motif(motif, cx, cy, band * 0.36, color)
                    at += step
            if r.random() < 0.6:
                big = band * r.uniform(0.8, 1.8)
                for cx, cy in ((out, out), (p.width - out, out), (out, p.height - out), (p.width - out, p.height - out)):
                    p.circle(cx, cy, big, color, s.paper if r.random() < 0.5 else None, 1)
                    p.circle(cx, cy, big * 0.6, color, None, 1)
        return out + band

    def _motif(self, motif, cx, cy, side, color):
        p = self.p
        if motif == "dots":
            p.circle(cx, cy, side, None, color)
        elif motif == "lozenges":
            p.poly([(cx, cy - side), (cx + side, cy), (cx, cy + side), (cx - side, cy)], None, color)
        elif motif == "waves":
            p.line(cx - side, cy - side, cx + side, cy + side, 1, color)
        else:
            p.circle(cx - side / 2, cy, side, color, None, 0.7)
            p.circle(cx + side / 2, cy, side, color, None, 0.7)
