# SPDX-License-Identifier: Apache-2.0
"""Whole pages that follow a plan of their own, as kinds of sheets do: headings over several columns, captioned boxes around
a column of abilities, rows of black labels, playbooks of prose, lists of spells, the same card several times."""

PLANS = ["free"] * 21 + ["bands"] * 5 + ["captioned"] * 4 + ["labels"] * 3 + ["playbook", "spells", "twins", "ledger"]


class Plans:
    def __init__(self, sheet):
        self.t = sheet
        self.p, self.s, self.w, self.b, self.k, self.rng = sheet.p, sheet.s, sheet.w, sheet.b, sheet.k, sheet.rng

    def draw(self, plan, x, y, w, h, gap):
        getattr(self, plan)(x, y, w, h, gap)

    def shares(self, count, total, gap, spread=0.5):
        """Lengths of `count` parts."""
        weights = [self.rng.uniform(1 - spread, 1 + spread) for _ in range(count)]
        room = total - gap * (count - 1)
        return [room * weight / sum(weights) for weight in weights]

    # -- headings over several columns

    def bands(self, x, y, w, h, gap):
        r = self.rng
        gap = max(gap, 6)
        count = max(2, min(r.choice([2, 3, 3, 4, 5]), int(h / 90)))
        at = y
        for high in self.shares(count, h, gap):
            kind = r.random()
            if kind < 0.55:
                self.band(x, at, w, high)
            elif kind < 0.75 and w > 380:
                left = w * r.uniform(0.4, 0.68)
                self.band(x, at, left - gap, high)
                self.t.slot(x + left, at, w - left, high, gap)
            else:  # columns with headings of the first level each
                cx = x
                for wide in self.shares(r.choice([2, 3, 3]), w, gap * 2, 0.15):
                    self.t.slot(cx, at, wide, high, gap)
                    cx += wide + gap * 2
            at += high + gap

    def band(self, x, y, w, h):
        """One region: a heading, below it columns with small headings, lists, frames or rules of their own."""
        p, s, r, t = self.p, self.s, self.rng, self.t
        kind = r.choice(["abilities", "skills", "skills", "combat", "features", "equipment"])
        text = self.w.heading(kind)
        style = t.pick(kind, x)
        with t.wearing(style), p.region(text, kind):
            container = r.choice([style.container, style.container, "flank", "rule", "bar", "open"])
            cx, cy, cw, ch = t.k.draw(container, x, y, w, h, text)
            count = max(2, min(r.choice([2, 3, 3, 3, 4]), int(cw / 90)))
            between = r.choice(["gap", "gap", "rule", "frames", "shaded"])
            gap = r.choice([6, 10, 16, 24]) if between != "rule" else r.choice([6, 10, 14])
            wide = (cw - gap * (count - 1)) / count
            sub = r.choice(["heads", "heads", "bars", "none"])
            what = r.choice(["skills", "lines", "table", "fields", "mixed"])
            if what == "skills":
                what = kind if kind in ("skills", "spells") else "skills"
            for k in range(count):
                self.sub_column(cx + k * (wide + gap), cy, wide, ch, between, sub, what, kind)
                if between == "rule" and k:
                    lx = cx + k * (wide + gap) - gap / 2
                    p.line(lx, cy - r.choice([0, 0, 2]), lx, cy + ch, s.rule, s.ink)

    def sub_column(self, x, y, w, h, between, sub, what, kind):
        p, r, t = self.p, self.rng, self.t
        s = t.s
        top = y
        if between == "frames":
            p.rect(x, y, w, h, s.ink, s.box_fill, s.rule, s.radius / 2)
            x, w, top, h = x + 3, w - 6, y + 2, h - 5
        elif between == "shaded":
            p.rect(x, y, w, h, None, s.panel)
            x, w, top, h = x + 3, w - 6, y + 2, h - 5
        if sub != "none" and h > 35:
            size = s.size * r.uniform(0.95, 1.15)
            text = self.w.label() if r.random() < 0.6 else self.w.heading(kind)
            if sub == "bars":
                p.rect(x, top, w, size * 1.4, None, s.panel)
            at = (x + w / 2, "center") if s.align == "center" else (x + 2, "left")
            p.text(at[0], top + size * 1.02, text, s.bold, size, s.ink, at[1])
            top += size * 1.6
        room = y + h - top
        if what == "skills":
            t.b.skills(x, top, w, room)
        elif what == "lines":
            t.b.blank_lines(x, top, w, room, "line")
        elif what == "table":
            t.b.table(x, top, w, room, 3)
        elif what == "fields":
            t.b.fields(x, top, w, room, [self.w.label() for _ in range(max(2, int(room / t.b.row / 1.6)))], 1)
        else:
            t.simple(x, top, w, room, kind)

    # -- boxes with captions around a column of abilities

    def captioned(self, x, y, w, h, gap):
        p, s, r, t = self.p, self.s, self.rng, self.t
        gap = r.choice([4, 6, 8, 10, 14]) if gap < 4 else gap
        narrow = w * r.uniform(0.14, 0.24)
        names = self.w.ability_names(6)
        left = r.random() < 0.8
        ax = x if left else x + w - narrow
        high = h * r.uniform(0.55, 1.0)
        self.far_abilities(ax, y, narrow, high, names)
        if h - high > 70 + gap:
            t.slot(ax, y + high + gap, narrow, h - high - gap, gap)
        rx = x + narrow + gap if left else x
        rest = w - narrow - gap
        columns = r.choice([2, 2, 3]) if rest > 340 else 2
        for number, wide in enumerate(self.shares(columns, rest, gap, 0.2)):
            self.captioned_column(rx, y, wide, h, gap, number)
            rx += wide + gap

    def far_abilities(self, x, y, w, h, names):
        """Abilities as far from one another as other blocks are, each box with a smaller one on its edge."""
        p, s, r = self.p, self.s, self.rng
        unit = h / len(names)
        gap = unit * r.uniform(0.08, 0.4)
        side = min(unit - gap, w)
        shape = r.choice(["round", "rect", "circle", "shield", "rect"])
        small = r.choice(["oval", "box", "none", "beside"])
        beside = small == "beside"
        size = max(4.5, min(s.label_size * r.uniform(0.8, 1.3), side * 0.22))
        font = r.choice([s.bold, s.head, s.body])
        with p.region(" ".join(names), "abilities"):
            for k, name in enumerate(names):
                cy = y + k * unit
                bw = side if not beside else min(side, w * 0.55)
                cx = x if beside else x + (w - bw) / 2
                high = unit - gap - (6 if small in ("oval", "box") else 0)
                if shape == "circle":
                    p.circle(cx + bw / 2, cy + high / 2, min(bw, high) / 2, s.ink, s.box_fill, s.border * 0.8)
                elif shape == "shield":
                    p.poly([(cx, cy), (cx + bw, cy), (cx + bw, cy + high * 0.7), (cx + bw / 2, cy + high), (cx, cy + high * 0.7)],
                           s.ink, s.box_fill, s.border * 0.8)
                else:
                    p.rect(cx, cy, bw, high, s.ink, s.box_fill, s.border * 0.8, 6 if shape == "round" else 0)
                here = size
                while here > 4 and p.width_of(name, font, here) > bw * 0.92:
                    here -= 0.5
                p.text(cx + bw / 2, cy + here + 2, name, font, here, s.ink, "center", outline=True)
                self.b.value(cx + bw * 0.35, cy + high * 0.75, bw * 0.4, 12)
                if small == "oval":
                    p.rect(cx + bw * 0.25, cy + high - 5, bw * 0.5, 11, s.ink, s.box_fill or 1.0, s.rule, 5)
                elif small == "box":
                    p.rect(cx + bw * 0.3, cy + high - 4, bw * 0.4, 10, s.ink, s.box_fill or 1.0, s.rule)
                elif beside:
                    for row in range(r.choice([1, 2, 3, 4])):
                        ly = cy + 8 + row * 8
                        if ly < cy + high:
                            p.circle(x + bw + 5, ly - 2, 2.2, s.ink, None, s.rule)
                            p.text(x + bw + 10, ly, self.w.entry()[: max(3, int((w - bw - 12) / 3.2))], s.body, 5.5, s.ink)

    def captioned_column(self, x, y, w, h, gap, number):
        r, t = self.rng, self.t
        at = y
        if number == 0 and r.random() < 0.5:  # lozenges with a number and a word
            for _ in range(r.choice([1, 2])):
                self.lozenge(x, at, w, 20)
                at += 20 + gap
        if r.random() < 0.7:
            high = r.choice([44, 54, 64])
            self.captioned_row(x, at, w, high, gap)
            at += high + gap
        if r.random() < 0.5:
            high = r.choice([40, 56, 70])
            t.slot(x, at, w, high, gap)
            at += high + gap
        count = max(1, min(r.choice([1, 2, 2, 3]), int((y + h - at) / 80)))
        for high in self.shares(count, y + h - at, gap):
            t.slot(x, at, w, high, gap)
            at += high + gap

    def lozenge(self, x, y, w, h):
        p, s, r = self.p, self.s, self.rng
        text = self.w.heading("features")
        with p.region(text, "features"):
            p.rect(x + h * 0.5, y + 2, w - h * 0.5, h - 4, s.ink, s.box_fill, s.rule, (h - 4) / 2)
            if r.random() < 0.5:
                p.circle(x + h / 2, y + h / 2, h / 2, s.ink, s.box_fill or 1.0, s.border)
            else:
                p.rect(x, y, h * 1.3, h, s.ink, s.box_fill or 1.0, s.border, 3)
            size = self.k.fit(s.head_text(text), w - h * 2, min(s.head_size, h * 0.5))
            p.text(x + (w + h * 1.2) / 2, y + h / 2 + size * 0.35, s.head_text(text), s.head, size, s.ink, "center", outline=True)

    def captioned_row(self, x, y, w, h, gap):
        """Boxes side by side, each with its name: armour, initiative, speed."""
        r, t = self.rng, self.t
        count = max(2, min(r.choice([2, 3, 3, 4]), int(w / 42)))
        kind = r.choice(["foot", "caption", "below", "frame", "shield", "cut"])
        inner = min(gap, 6)
        wide = (w - inner * (count - 1)) / count
        for k in range(count):
            text = self.w.heading("combat")
            with self.p.region(text, "combat"):
                cx = x + k * (wide + inner)
                if kind == "shield":
                    self.p.poly([(cx, y), (cx + wide, y), (cx + wide, y + h * 0.65), (cx + wide / 2, y + h), (cx, y + h * 0.65)],
                                self.s.ink, self.s.box_fill, self.s.border)
                    size = self.k.fit(text, wide * 0.8, min(self.s.head_size, 9))
                    self.p.text(cx + wide / 2, y + h * 0.6, self.s.head_text(text)[:14], self.s.head, size, self.s.ink, "center")
                else:
                    t.k.draw(kind, cx, y, wide, h, text)
                self.b.value(cx + wide * 0.3, y + h * 0.65, wide * 0.4, 14)

    # -- rows of black labels, boxes with tiny captions

    def labels(self, x, y, w, h, gap):
        r, t = self.rng, self.t
        gap = r.choice([1, 2, 3, 4, 6])
        left = w * r.uniform(0.42, 0.62)
        self.label_column(x, y, left, h, gap)
        rx, rest = x + left + gap * 2, w - left - gap * 2
        count = r.choice([1, 1, 2, 3])
        at = y
        for high in self.shares(count, h, gap + 2):
            t.slot(rx, at, rest, high, gap)
            at += high + gap + 2

    def label_column(self, x, y, w, h, gap):
        p, s, r, t = self.p, self.s, self.rng, self.t
        at = y
        names = self.w.ability_names(6)
        high = min(h * 0.35, 6 * r.choice([16, 20, 24]))
        wide = w if r.random() < 0.5 else w * r.uniform(0.4, 0.7)
        with p.region(" ".join(names), "abilities"):
            t.rows.composite(x, at, wide, high, names)
        if wide < w * 0.75:
            t.slot(x + wide + gap * 2, at, w - wide - gap * 2, high, gap)
        at += high + gap * 2 + 4
        end = y + h
        while at < end - 30:
            kind = r.random()
            if kind < 0.4:
                used = self.label_row(x, at, w, min(r.choice([18, 22, 28]), end - at))
            elif kind < 0.65 and end - at > 70:
                used = min(r.choice([50, 64, 80]), end - at)
                with p.region(self.w.heading("combat"), "combat"):
                    t.rows.dense(x, at, w, used)
            elif end - at > 90:
                used = min(r.choice([80, 110, 150]), end - at)
                t.slot(x, at, w, used, gap)
            else:
                used = end - at
                t.slot(x, at, w, used, gap)
            at += used + gap * 2 + r.choice([0, 2, 6])

    def label_row(self, x, y, w, h):
        """A black label and the boxes that belong to it: one small region."""
        p, s, r = self.p, self.s, self.rng
        text = self.w.heading("combat")
        bar = w * r.uniform(0.16, 0.34)
        tiny = r.choice([4, 4.5, 5])
        inset = tiny + 1 if r.random() < 0.7 else 0
        fill = 0.0 if s.ground != "dark" else 0.85
        with p.region(text, "combat"):
            p.rect(x, y + inset, bar, h - inset, None, fill)
            shown = text.upper()
            size = self.k.fit(shown, bar - 4, min(10, (h - inset) * 0.6))
            p.text(x + bar / 2, y + inset + (h - inset) / 2 + size * 0.35, shown, s.bold, size, s.contrast_to(fill), "center",
                   outline=True)
            boxes = r.choice([1, 2, 3, 4, 6])
            wide = min((w - bar) / boxes, r.choice([30, 44, 70]))
            for k in range(boxes):
                bx = x + bar + k * wide + 2
                p.rect(bx, y + inset, wide - 5, h - inset, s.ink, s.box_fill, s.rule)
                if inset:
                    p.text(bx + wide / 2 - 2, y + inset - 1, self.w.label(), s.body, tiny, s.ink, "center")
                self.b.value(bx + 2, y + h - 1, wide - 8, h - inset - 2)
        return h

    # -- prose with boxes to tick

    def playbook(self, x, y, w, h, gap):
        r, t = self.rng, self.t
        gap = max(gap, 6)
        columns = 2 if w < 480 else r.choice([2, 3, 3])
        for wide in self.shares(columns, w, gap * 1.5, 0.2):
            count = max(1, min(r.choice([1, 2, 3, 4]), int(h / 100)))
            at = y
            for high in self.shares(count, h, gap):
                self.moves(x, at, wide, high)
                at += high + gap
            x += wide + gap * 1.5

    def moves(self, x, y, w, h):
        """A heading, then named paragraphs, each perhaps with a box to tick."""
        p, r, t = self.p, self.rng, self.t
        kind = r.choice(["features", "features", "notes", "equipment"])
        text = self.w.heading(kind)
        style = t.pick(kind, x)
        with t.wearing(style), p.region(text, kind):
            s = style
            cx, cy, cw, ch = t.k.draw(s.container, x, y, w, h, text)
            if ch < 20 or cw < 40:
                return
            if r.random() < 0.25:
                t.simple(cx, cy, cw, ch, kind)
                return
            size = s.size * r.choice([0.85, 1])
            step, at = size * 1.25, cy
            ticked = r.random() < 0.6
            heads = r.random() < 0.7
            while at + step * 2 < cy + ch:
                left = cx
                if ticked:
                    p.rect(cx, at + 1, size * 0.8, size * 0.8, s.ink, s.box_fill, s.rule)
                    left = cx + size * 1.4
                if heads:
                    at += step
                    p.text(left, at - 2, (self.w.entry() + " " + self.w.label()).title(), s.bold, size * r.choice([1, 1.1]), s.ink)
                words = self.w.prose(r.choice([8, 16, 30, 50])).split()
                while words and at + step <= cy + ch:
                    line = ""
                    while words and p.width_of(line + words[0], s.body, size) < cx + cw - left:
                        line += words.pop(0) + " "
                    if not line:
                        break
                    at += step
                    p.text(left, at - 2, line.strip(), s.body, size, s.ink)
                at += step * r.choice([0.3, 0.6])

    # -- pages of spells, the same half twice, pages of one table

    def spells(self, x, y, w, h, gap):
        """Levels of spells, each with its number, its slots and lines."""
        p, s, r, t = self.p, self.s, self.rng, self.t
        gap = max(gap, 5)
        columns = r.choice([2, 3, 3])
        level = 0
        shape = r.choice(["hex", "bar", "circle", "plain"])
        word = self.w.label()
        mark = r.choice(["line", "dots", "checks"])
        cx = x
        for wide in self.shares(columns, w, gap, 0.05):
            at = y
            for high in self.shares(max(2, min(4, int(h / 120))), h, gap, 0.3):
                text = f"{word} {level}" if r.random() < 0.8 else self.w.heading("spells")
                self.spell_level(cx, at, wide, high, text, level, shape, mark)
                level += 1
                at += high + gap
            cx += wide + gap

    def spell_level(self, x, y, w, h, text, level, shape, mark):
        p, s, r = self.p, self.s, self.rng
        with p.region(text, "spells"):
            top = y
            if shape == "plain":
                top = self.k.heading(x, y, w, text) + 3
            else:
                bh = 18
                if shape == "hex":
                    p.poly([(x, y + bh / 2), (x + 6, y), (x + w - 6, y), (x + w, y + bh / 2), (x + w - 6, y + bh), (x + 6, y + bh)],
                           s.ink, s.box_fill, s.border)
                elif shape == "bar":
                    p.rect(x, y, w, bh, None, s.accent)
                else:
                    p.rect(x + 9, y + 2, w - 9, bh - 4, s.ink, s.box_fill, s.rule)
                    p.circle(x + 9, y + 9, 9, s.ink, s.box_fill or 1.0, s.border)
                    p.text(x + 9, y + 12, str(level), s.bold, 9, s.ink, "center")
                size = self.k.fit(s.head_text(text), w - 50, min(s.head_size, 11))
                p.text(x + 26, y + bh / 2 + size * 0.35, s.head_text(text), s.head, size,
                       s.contrast_to(s.accent) if shape == "bar" else s.ink, outline=True)
                top = y + bh + 2
            step = self.b.row * r.uniform(1.0, 1.2)
            for row in range(int((y + h - top) / step)):
                ly = top + (row + 1) * step
                left = x
                if mark == "checks":
                    p.circle(x + 3, ly - 3, 2.4, s.ink, None, s.rule)
                    left = x + 8
                p.line(left, ly, x + w, ly, s.rule, s.ink, dash=[1, 2] if mark == "dots" else None)
                self.b.value(left, ly, x + w - left, step - 1, self.w.item())

    def twins(self, x, y, w, h, gap):
        """The same half twice, for two people: every block is a region on each side."""
        r, t = self.rng, self.t
        gap = max(gap, 10)
        across = w > h * 0.8
        state = r.getstate()
        for k in range(2):
            r.setstate(state)
            self.w.used.clear()
            if across:
                half = (w - 2 * gap) / 2
                left, top, wide, high = x + k * (half + 2 * gap), y, half, h
            else:
                half = (h - 2 * gap) / 2
                left, top, wide, high = x, y + k * (half + 2 * gap), w, half
            if r.random() < 0.6:
                used = t.identity(left, top, wide, high)
                top, high = top + used + gap, high - used - gap
            for rect in t.divide(left, top, wide, high, r.choice([3, 4, 5]), min(gap, 8), 1):
                t.slot(*rect, gap)

    def ledger(self, x, y, w, h, gap):
        """One to three long lists over the whole width."""
        r, t = self.rng, self.t
        gap = max(gap, 6)
        at = y
        for high in self.shares(r.choice([1, 2, 2, 3]), h, gap):
            kind = r.choice(["equipment", "spells", "skills"])
            text = self.w.heading(kind)
            with self.p.region(text, kind):
                inner = t.k.draw(t.s.container, x, at, w, high, text)
                if inner[3] > 30:
                    r.choice([t.b.table, t.rows.ruled, t.rows.outside_labels, t.b.skills])(*inner)
            at += high + gap
