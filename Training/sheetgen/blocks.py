# SPDX-License-Identifier: Apache-2.0
"""What stands inside a region. Each block fills the rectangle (x, y, w, h) as far as it likes and returns where it ended."""


class Blocks:
    def __init__(self, page, style, words):
        self.p, self.s, self.w, self.rng = page, style, words, style.rng
        self.count = 0

    # -- small parts

    @property
    def row(self):
        return max(8.0, self.s.size * (1.15 + self.s.density * 0.45))

    def label(self, x, y, text, align="left", size=None, font=None, color=None):
        s = self.s
        return self.p.text(x, y, s.label_text(text), font or s.label_font, size or s.label_size,
                           s.ink if color is None else color, align)

    def value(self, x, y, w, h, text=None):
        if self.s.filled and self.rng.random() < 0.8:
            shown = text or str(self.rng.randrange(1, 20))
            size = min(self.s.size * 1.15, max(5, h * 0.8))
            while len(shown) > 1 and self.p.width_of(shown, self.s.hand, size) > w:
                shown = shown[:-1]
            self.p.text(x + 1.5, y - h * 0.18, shown, self.s.hand, size, self.s.ink)
        if self.s.form and w > 6 and h > 5:
            self.count += 1
            self.p.field(f"f{id(self)}_{self.count}", x, y - h, w, h)

    def writing(self, x, y, w, h, kind=None, text=None):
        """A place to write, its base line at `y`."""
        s, p = self.s, self.p
        kind = kind or s.writing
        if w < 6:
            return
        if kind == "line":
            p.line(x, y, x + w, y, s.rule, s.ink)
        elif kind == "dash":
            p.line(x, y, x + w, y, s.rule, s.ink, dash=[3, 2])
        elif kind == "dots":
            p.line(x, y, x + w, y, 0.6, s.ink, dash=[0.8, 2])
        elif kind == "underscore":
            count = int(w / max(0.1, p.width_of("_", s.body, s.size)))
            p.text(x, y, "_" * count, s.body, s.size, s.ink)
        elif kind == "box":
            p.rect(x, y - h, w, h, s.ink, s.box_fill, s.rule)
        elif kind == "fill":
            fill = 1.0 if s.box_fill is None and s.container == "panel" else (s.box_fill or 0.9)
            p.rect(x, y - h, w, h, None, fill)
        else:
            p.mark(x, y - h, x + w, y)
        self.value(x, y, w, h, text)

    # -- fields with labels

    def fields(self, x, y, w, h, names, columns=None):
        s, p, r = self.s, self.p, self.rng
        columns = columns or max(1, min(len(names), int(w / r.choice([90, 120, 150]))))
        rows = -(-len(names) // columns)
        step = min(h / rows, self.row * (1.9 if s.label_place in ("below", "above") else 1.3))
        gap = 6 if s.writing != "box" else r.choice([0, 3, 6])
        cells = []
        index = 0
        for row in range(rows):
            left = len(names) - index
            n = min(columns, left)
            weights = [r.choice([1, 1, 1, 2]) for _ in range(n)]
            total = sum(weights)
            cx = x
            for k in range(n):
                cw = w * weights[k] / total
                cells.append((cx, y + row * step, cw - (gap if k < n - 1 else 0), step, names[index]))
                cx += cw
                index += 1
        for cx, cy, cw, ch, name in cells:
            self.one_field(cx, cy, cw, ch, name)
        return y + rows * step

    def one_field(self, x, y, w, h, name):
        s, p = self.s, self.p
        size = s.label_size
        text = s.label_text(name)
        while size > 4 and p.width_of(text, s.label_font, size) > w * 0.75:
            size -= 0.5
        if s.label_place == "left":
            wide = self.label(x, y + h - 3, name, size=size)
            self.writing(x + wide + 3, y + h - 2, w - wide - 3, h - 4, text=self.w.given())
        elif s.label_place == "below":
            self.writing(x, y + h - size - 2.5, w, max(6, h - size - 5), text=self.w.given())
            self.label(x + (w / 2 if s.align == "center" else 0), y + h - 1.5, name, size=size,
                       align="center" if s.align == "center" else "left")
        elif s.label_place == "above":
            self.label(x, y + size, name, size=size)
            self.writing(x, y + h - 2, w, max(6, h - size - 4), text=self.w.given())
        else:
            p.rect(x, y + 1, w, h - 2, s.ink, s.box_fill, s.rule)
            self.label(x + 2, y + 1.5 + size * 0.85, name, size=size)
            self.value(x + w * 0.4, y + h - 2, w * 0.6, h - 3, self.w.given())

    # -- lists

    def blank_lines(self, x, y, w, h, kind=None):
        s, p = self.s, self.p
        kind = kind or s.lines
        step = self.row * self.rng.uniform(1.0, 1.5)
        rows = int(h / step)
        if kind == "blank" or rows < 1:
            p.mark(x, y, x + w, y + h)
            if s.form:
                self.value(x, y + h, w, h)
            elif s.filled:
                for k in range(min(rows, 3)):
                    p.text(x + 2, y + (k + 1) * step - 3, self.w.item(), s.hand, s.size, s.ink)
            return y + h
        if kind == "table":
            columns = self.rng.choice([1, 2, 2, 3])
            p.rect(x, y, w, rows * step, s.ink, None, s.rule)
            for k in range(1, columns):
                cx = x + w * k / columns
                p.line(cx, y, cx, y + rows * step, s.rule, s.ink)
        for k in range(rows):
            ly = y + (k + 1) * step
            if kind == "stripes":
                if k % 2 == 0:
                    p.rect(x, ly - step, w, step, None, s.panel)
            elif kind == "numbered":
                wide = p.text(x, ly - 2, f"{k + 1}.", s.body, s.label_size, s.ink)
                self.writing(x + wide + 3, ly, w - wide - 3, step - 2, "line", self.w.item())
            elif k < rows - 1 or kind != "table":
                dash = {"dots": [0.8, 2], "dash": [3, 2]}.get(kind)
                p.line(x, ly, x + w, ly, s.rule, s.ink, dash=dash)
                self.value(x, ly, w, step - 2, self.w.item())
        return y + rows * step

    def skills(self, x, y, w, h, names=None):
        s, p, r = self.s, self.p, self.rng
        columns = max(1, min(4, int(w / r.choice([75, 100, 130, 160]))))
        step = self.row * r.uniform(0.95, 1.25)
        rows = max(1, int(h / step))
        names = names or self.w.entries(rows * columns)
        rows = min(rows, -(-len(names) // columns))
        mark = r.choice(["line", "box", "circles", "squares", "boxes", "dotsline", "checkleft", "number"])
        gap = 8
        cw = (w - gap * (columns - 1)) / columns
        head = r.random() < 0.25 and rows > 4
        ruled = r.random() < 0.25
        if columns > 1 and r.random() < 0.2:
            for c in range(1, columns):
                p.line(x + c * (cw + gap) - gap / 2, y, x + c * (cw + gap) - gap / 2, y + rows * step, s.rule, s.ink)
        for index, name in enumerate(names[: rows * columns]):
            c, k = divmod(index, rows)
            cx, cy = x + c * (cw + gap), y + (k + 1) * step
            if head and k == 0:
                p.text(cx + cw, cy - 3, self.w.label(), s.italic, s.label_size * 0.85, s.ink, "right")
                continue
            if mark == "checkleft":
                p.rect(cx, cy - step * 0.75, step * 0.5, step * 0.5, s.ink, s.box_fill, s.rule)
                lx = cx + step * 0.7
            else:
                lx = cx
            size = s.size
            while size > 4.5 and p.width_of(name, s.body, size) > cw * 0.62:
                size -= 0.5
            wide = p.text(lx, cy - step * 0.28, name, s.body, size, s.ink)
            end = cx + cw
            if ruled:
                p.line(cx, cy, end, cy, 0.3, s.ink)
            if mark in ("line", "dotsline", "checkleft"):
                self.writing(lx + wide + 3, cy - step * 0.2, end - lx - wide - 3, step * 0.7,
                             "line" if mark != "dotsline" else "dots")
            elif mark == "box":
                p.rect(end - step * 1.6, cy - step * 0.9, step * 1.6, step * 0.8, s.ink, s.box_fill, s.rule)
                self.value(end - step * 1.6, cy - 1, step * 1.6, step * 0.7)
            elif mark == "boxes":
                for b in range(3):
                    p.rect(end - (b + 1) * step * 1.3, cy - step * 0.9, step * 1.2, step * 0.8, s.ink, s.box_fill, s.rule)
                    self.value(end - (b + 1) * step * 1.3, cy - 1, step * 1.2, step * 0.7)
            elif mark in ("circles", "squares"):
                n = max(1, min(5, int((end - lx - wide - 4) / (step * 0.75))))
                for b in range(n):
                    bx = end - (n - b) * step * 0.75
                    if mark == "circles":
                        p.circle(bx + step * 0.3, cy - step * 0.45, step * 0.28, s.ink, s.box_fill, s.rule)
                    else:
                        p.rect(bx, cy - step * 0.75, step * 0.55, step * 0.55, s.ink, s.box_fill, s.rule)
            else:
                p.text(end, cy - step * 0.28, str(r.randrange(0, 80)), s.body, size, s.ink, "right")
        return y + rows * step

    def table(self, x, y, w, h, columns=None):
        s, p, r = self.s, self.p, self.rng
        columns = columns or r.choice([3, 4, 5, 6])
        weights = [r.choice([2, 3])] + [r.choice([0.7, 1, 1, 1.4]) for _ in range(columns - 1)]
        total = sum(weights)
        step = self.row * r.uniform(1.0, 1.6)
        rows = max(2, int(h / step))
        edges = [x]
        for weight in weights:
            edges.append(edges[-1] + w * weight / total)
        size = max(4.5, s.label_size * 0.9)
        shaded = r.random() < 0.3
        if shaded:
            p.rect(x, y, w, step, None, s.panel)
        for k in range(columns):
            text = self.w.label()
            p.text((edges[k] + edges[k + 1]) / 2, y + step - 3, s.label_text(text), s.label_font, size, s.ink, "center")
        full = r.random()
        for row in range(1, rows):
            ly = y + row * step
            if full < 0.6:
                p.line(x, ly, x + w, ly, s.rule, s.ink)
            for k in range(columns):
                if full >= 0.6:
                    self.writing(edges[k] + 2, ly + step - 2, edges[k + 1] - edges[k] - 4, step - 4)
                else:
                    self.value(edges[k] + 1, ly + step, edges[k + 1] - edges[k] - 2, step - 2, self.w.item())
        if full < 0.4:
            p.rect(x, y, w, rows * step, s.ink, None, s.rule)
            for edge in edges[1:-1]:
                p.line(edge, y, edge, y + rows * step, s.rule, s.ink)
        elif full < 0.6:
            p.line(x, y + rows * step, x + w, y + rows * step, s.rule, s.ink)
        return y + rows * step

    def prose(self, x, y, w, h):
        s, p, r = self.s, self.p, self.rng
        size = s.size * r.choice([0.85, 1])
        step = size * 1.25
        rows = int(h / step)
        words = self.w.prose(400).split()
        bullet = r.random() < 0.4
        row = 0
        while row < min(rows, 16) and words:
            line = "• " if bullet and row % 3 == 0 else ""
            while words and p.width_of(line + words[0], s.body, size) < w:
                line += words.pop(0) + " "
            if not line.strip("• "):
                break
            p.text(x, y + (row + 1) * step - 2, line.strip(), s.body, size, s.ink)
            row += 1
        return y + row * step

    # -- boxes

    def abilities(self, x, y, w, h, names):
        s, p, r = self.s, self.p, self.rng
        n = len(names)
        horizontal = w / max(h, 1) > 1.6
        shape = r.choice(["box", "box", "round", "circle", "shield", "barbox", "plain"])
        big = r.random() < 0.5
        font = r.choice([s.bold, s.head, s.body])
        columns = n if horizontal and w / n > 34 else (2 if w > h * 0.9 and w > 130 else 1)
        rows = -(-n // columns)
        cw, ch = w / columns, min(h / rows, r.choice([24, 34, 50, 70]) if not horizontal else 90)
        for index, name in enumerate(names):
            c, k = (index % columns, index // columns) if horizontal else divmod(index, rows)
            cx, cy = x + c * cw, y + k * ch
            size = min(s.size * (1.35 if big else 1.0), ch * 0.6)
            while size > 4.5 and p.width_of(name, font, size) > (cw - 6 if horizontal else cw * 0.55):
                size -= 0.5
            if horizontal and ch > 30:
                self._upright_ability(cx + 2, cy, cw - 4, ch - 2, name, shape, font, size)
            else:
                self._flat_ability(cx, cy + 1, cw - 4, ch - 3, name, shape, font, size)
        return y + rows * ch

    def _upright_ability(self, x, y, w, h, name, shape, font, size):
        s, p, r = self.s, self.p, self.rng
        under = self.rng.random() < 0.3
        bw = min(w, h)
        by = y if under else y + size + 2
        bh = h - size - 3
        bx = x + (w - bw) / 2
        if shape == "circle":
            p.circle(x + w / 2, by + bh / 2, min(bw, bh) / 2, s.ink, s.box_fill, s.border * 0.7)
        elif shape == "shield":
            p.poly([(bx, by), (bx + bw, by), (bx + bw, by + bh * 0.6), (bx + bw / 2, by + bh), (bx, by + bh * 0.6)], s.ink,
                   s.box_fill, s.border * 0.7)
        elif shape == "barbox":
            p.rect(bx, by, bw, bh, s.ink, s.box_fill, s.rule)
            p.rect(bx, by, bw, bh * 0.2, None, s.accent)
        else:
            p.rect(bx, by, bw, bh, s.ink, s.box_fill, s.border * 0.7, 5 if shape == "round" else 0)
        self.value(bx + bw * 0.3, by + bh * 0.7, bw * 0.5, min(14, bh * 0.4))
        p.text(x + w / 2, y + h if under else y + size * 0.8, name, font, size, s.ink, "center", outline=True)

    def _flat_ability(self, x, y, w, h, name, shape, font, size):
        s, p, r = self.s, self.p, self.rng
        split = w * 0.5
        base = y + h / 2 + size * 0.33
        if shape == "barbox":
            p.rect(x, y, split, h, s.ink, s.accent, s.rule)
            p.text(x + split / 2, base, name, font, size, s.contrast_to(s.accent), "center", outline=True)
        else:
            p.text(x, base, name, font, size, s.ink, outline=True)
        rest = w - split
        boxes = 1 if rest < 40 else r.choice([1, 2, 3]) if not hasattr(self, "_boxes") else self._boxes
        self._boxes = boxes
        for k in range(boxes):
            bw = rest / boxes
            if shape == "plain":
                self.writing(x + split + k * bw, base, bw - 4, h * 0.7)
            else:
                p.rect(x + split + k * bw, y, bw - (3 if shape != "barbox" else 0), h, s.ink, s.box_fill, s.rule,
                       4 if shape == "round" else 0)
                self.value(x + split + k * bw + 2, y + h - 2, bw - 6, h - 4)

    def track(self, x, y, w, h):
        """Rows of small boxes to tick."""
        s, p, r = self.s, self.p, self.rng
        side = r.choice([7, 9, 11, 13])
        rows = max(1, min(int(h / (side * 1.6)), r.choice([1, 2, 3, 5])))
        count = r.choice([3, 5, 6, 10])
        for row in range(rows):
            cy = y + row * side * 1.6
            wide = self.label(x, cy + side * 0.8, self.w.label()) if rows > 1 or r.random() < 0.5 else 0
            for k in range(count):
                bx = x + max(wide + 5, w * 0.25 if rows > 1 else 0) + k * side * 1.25
                if bx + side > x + w:
                    break
                if r.random() < 0.02:
                    continue
                if s.radius:
                    p.circle(bx + side / 2, cy + side / 2, side / 2, s.ink, s.box_fill, s.rule)
                else:
                    p.rect(bx, cy, side, side, s.ink, s.box_fill, s.rule)
        return y + rows * side * 1.6

    def stats(self, x, y, w, h):
        """A row of captioned boxes."""
        s, p, r = self.s, self.p, self.rng
        count = max(1, min(6, int(w / r.choice([45, 60, 80]))))
        bw = w / count
        bh = min(h, r.choice([28, 36, 44]))
        size = max(4.5, s.label_size * 0.9)
        above = r.random() < 0.5
        for k in range(count):
            bx = x + k * bw
            p.rect(bx + 1, y + (size + 2 if above else 0), bw - 5, bh - size - 3, s.ink, s.box_fill, s.rule, s.radius / 2)
            name = self.w.label()
            p.text(bx + bw / 2 - 2, y + size * 0.8 if above else y + bh, name, s.label_font, size, s.ink, "center")
            self.value(bx + 4, y + bh * 0.7, bw - 10, 10)
        return y + bh

    def repeated(self, x, y, w, h):
        """Weapon 1, weapon 2, … each the same."""
        s, p, r = self.s, self.p, self.rng
        unit = r.choice([34, 42, 54])
        count = max(2, min(6, int(h / unit)))
        unit = min(h / count, unit * 1.3)
        names = [self.w.label() for _ in range(r.choice([3, 4, 5]))]
        framed = r.random() < 0.5
        heads = r.random() < 0.4
        title = self.w.label()
        for k in range(count):
            cy = y + k * unit
            if framed:
                p.rect(x, cy + 1, w, unit - 3, s.ink, s.box_fill, s.rule)
            top = cy + 3
            if heads:
                p.text(x + 3, cy + s.size + 2, f"{title} {k + 1}", s.bold, s.size, s.ink)
                top += s.size + 2
            self.fields(x + 3, top, w - 6, cy + unit - 3 - top, names, len(names) if w > 220 else 2)
        return y + count * unit

    def portrait(self, x, y, w, h):
        s, p = self.s, self.p
        p.mark(x, y, x + w, y + h)
        if self.rng.random() < 0.3:
            p.rect(x + 3, y + 3, w - 6, h - 6, None, s.panel)
        return y + h
