# SPDX-License-Identifier: Apache-2.0
"""Puts blocks on a page: a title, who the character is, abilities, and a division of the rest into regions."""
from contextlib import contextmanager

from .blocks import Blocks
from .containers import Containers
from .furniture import Furniture
from .page import texture
from .plans import PLANS, Plans
from .rows import Rows
from .style import LOOSE
from .words import Words

KINDS = ["skills", "combat", "equipment", "spells", "features", "notes"]


class Sheet:
    def __init__(self, page, style):
        self.p, self.s, self.rng = page, style, style.rng
        self.w = Words(style.rng, style.language)
        self.b = Blocks(page, style, self.w)
        self.k = Containers(page, style, self.w)
        self.rows = Rows(self.b)
        self.f = Furniture(page, style, self.w)
        r = style.rng
        # Real sheets mix ways of holding things: by what is in them, by where they stand, or without any order.
        self.mixing = r.choice(["none"] * 5 + ["kind", "kind", "place", "some", "some"])
        self.styles = [style] + [style.variant() for _ in range(r.choice([1, 1, 2, 3]))]
        self.of_kind = {kind: r.choice(self.styles) for kind in KINDS + ["abilities"]}
        self.plan = r.choice(PLANS)

    @property
    def is_mixed(self):
        return self.mixing != "none" or self.plan != "free"

    @contextmanager
    def wearing(self, style):
        """Everything is drawn in this style meanwhile."""
        holders = [self, self.b, self.k, self.rows]
        kept = self.s
        for holder in holders:
            holder.s = style
        yield
        for holder in holders:
            holder.s = kept

    def pick(self, kind, x):
        """The style of a region."""
        if self.mixing == "kind":
            return self.of_kind[kind]
        if self.mixing == "place":
            return self.styles[0 if x < self.p.width * 0.45 else 1]
        if self.mixing == "some" and self.rng.random() < 0.35:
            return self.rng.choice(self.styles)
        return self.styles[0]

    # -- the page

    def draw(self):
        p, s, r = self.p, self.s, self.rng
        p.outlines = s.outlines
        p.rough = r if s.rough else None
        self.ground()
        if s.ground in ("white", "tint") and r.random() < 0.08:
            self.f.watermark()
        m = s.margin
        if r.random() < (0.3 if s.ground in ("texture", "dark") else 0.04):
            m = max(m, self.f.border(m) + r.choice([2, 4, 8]))
        x, y, w, h = m, m, p.width - 2 * m, p.height - 2 * m
        if s.frame_page:
            x, y, w, h = self.page_frame(x, y, w, h)
        if r.random() < 0.6:
            h -= self.footer(x, y, w, h)
        gap = s.gutter if s.container in ("grid", "hline", "cells") else max(s.gutter, 3)
        if r.random() < 0.06:  # bands of colour that mean nothing
            p.rect(x, y, w, 10, None, s.accent)
            p.rect(x, y + h - 12, w, 10, None, s.accent)
            y, h = y + 16, h - 34
        y, h = self.title(x, y, w, h, gap)
        if r.random() < 0.8:
            used = self.identity(x, y, w, h)
            y, h = y + used + gap, h - used - gap
        if self.plan != "free" and w > 300 and h > 250:
            if r.random() < 0.1:
                high = r.uniform(40, 90)
                (self.f.legend if r.random() < 0.5 else self.f.art)(x, y + h - high, w, high)
                h -= high + gap + 4
            Plans(self).draw(self.plan, x, y, w, h, gap)
            return
        slots = r.choice([3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10, 12])
        slots = max(2, min(slots, int(w * h / 15000)))
        if r.random() < 0.6:
            x, y, w, h = self.place_abilities(x, y, w, h, gap)
        if r.random() < 0.15 and h > 150:  # a blank end of the page
            h *= r.uniform(0.7, 0.95)
        if r.random() < 0.1 and slots >= 5:
            rects = self.pinwheel(x, y, w, h, gap)
        else:
            rects = self.divide(x, y, w, h, slots, gap, 0)
        for rect in rects:
            if len(rects) > 3 and r.random() < 0.025:
                (self.f.art if r.random() < 0.6 else self.f.legend)(*rect)
                continue
            self.slot(*rect, gap)
            if r.random() < 0.03 and gap >= 3:
                self.f.flourish(rect[0] + rect[2] / 2, rect[1] + rect[3] + gap / 2, rect[2] * r.uniform(0.1, 0.9))

    def ground(self):
        p, s = self.p, self.s
        if s.ground == "white":
            return
        if s.ground == "texture" or (s.ground == "dark" and s.contrast > 0.005):
            scale = self.rng.choice([0.7, 1.0])
            image = texture(self.rng, int(p.width * scale), int(p.height * scale), s.paper, s.contrast)
            p.picture(image, 0, 0, p.width, p.height)
        else:
            p.rect(0, 0, p.width, p.height, None, s.paper)

    def page_frame(self, x, y, w, h):
        p, s, r = self.p, self.s, self.rng
        out = min(s.margin - 4, 10)
        p.rect(x - out, y - out, w + 2 * out, h + 2 * out, s.ink, None, r.choice([0.7, 1.5, 3]))
        if s.frame_page != "single":
            p.rect(x - out + 4, y - out + 4, w + 2 * out - 8, h + 2 * out - 8, s.ink, None, 0.5)
        if s.frame_page == "ornate":
            for cx, cy in ((x - out, y - out), (x + w + out, y - out), (x - out, y + h + out), (x + w + out, y + h + out)):
                for k in range(3):
                    p.circle(cx, cy, 4 + 5 * k, s.ink, None, 0.6)
        return x + 2, y + 2, w - 4, h - 4

    def footer(self, x, y, w, h):
        p, s, r = self.p, self.s, self.rng
        size = r.choice([5, 6, 7])
        text = r.choice(["© 2024 Made-up Press. ", "Version 1.2 — ", "CC BY 4.0 ", "Permission granted to copy for personal use. "])
        text += self.w.prose(r.choice([3, 6, 10]))
        at = r.choice([(x, "left"), (x + w / 2, "center"), (x + w, "right")])
        p.text(at[0], y + h - 1, text, s.body, size, s.ink, at[1])
        if r.random() < 0.2:
            p.line(x, y + h - size - 3, x + w, y + h - size - 3, 0.5, s.ink)
        return size + 8

    def title(self, x, y, w, h, gap):
        p, s, r = self.p, self.s, self.rng
        if r.random() < 0.28:
            return y, h
        text = r.choice([self.w.heading("identity"), " ".join(r.choice(["Ember", "Iron", "Hollow", "Star", "Grim", "Tide", "Moss"])
                                                          for _ in range(2)), "Character Sheet", "Adventure Record"])
        size = r.choice([14, 18, 22, 28, 36])
        high = size * 1.35
        kind = r.random()
        if kind < 0.2:
            p.rect(x, y, w if r.random() < 0.5 else w * 0.45, high, None, s.accent)
            p.text(x + 8, y + size, text, s.head, size, s.contrast_to(s.accent), outline=True)
        else:
            at = r.choice([(x, "left"), (x + w / 2, "center"), (x + w, "right")])
            p.text(at[0], y + size * 0.9, text, s.head, size, s.accent, at[1], outline=True)
            if r.random() < 0.2:
                p.text(at[0], y + high + 4, self.w.prose(5), s.body, s.size, s.ink, at[1])
                high += s.size + 2
            if r.random() < 0.2:
                p.line(x, y + high, x + w, y + high, s.border, s.ink)
                high += 3
        if r.random() < 0.15:  # an emblem
            cx = x + w - 20 if r.random() < 0.5 else x + 20
            p.circle(cx, y + high / 2, high / 2, s.ink, None, 1.5)
            p.circle(cx, y + high / 3, high / 4, None, s.accent)
        return y + high + max(gap, 4), h - high - max(gap, 4)

    # -- named parts

    def identity(self, x, y, w, h):
        p, s, r = self.p, self.s, self.rng
        names = self.w.identity_fields(r.choice([2, 3, 4, 5, 6, 8, 9, 12]))
        columns = max(1, min(len(names), int(w / r.choice([90, 130, 180]))))
        rows = -(-len(names) // columns)
        step = self.b.row * (1.9 if s.label_place in ("below", "above") else 1.3)
        high = rows * step
        has_heading = r.random() < 0.3
        text = self.w.heading("identity") if has_heading else ""
        style = r.random()
        with p.region(text or "Character Info", "identity"):
            wide = w
            if r.random() < 0.2 and s.container != "grid":
                wide = w * r.uniform(0.6, 0.85)  # room for an emblem beside
            if has_heading or style < 0.25 or s.container == "grid":
                kind = s.container if s.container not in LOOSE + ("pill",) or has_heading else "frame"
                total = high + (s.head_size * 2.4 if has_heading else 0) + 2 * s.pad + 8
                if kind == "side":
                    kind = "frame"
                inner = self.k.draw(kind, x, y, wide, total, text)
                self.b.fields(*inner, names, columns)
                return total
            if style < 0.6 or s.container == "cells":  # one box for each, in rows that do not line up
                return self.rows.boxed_fields(x, y, wide, names) - y
            if style < 0.7:  # one box for each
                place, s.label_place = s.label_place, "inside"
                self.b.fields(x, y, wide, rows * max(step, 20), names, columns)
                s.label_place = place
                return rows * min(max(step, 20), self.b.row * 1.9)
            end = self.b.fields(x, y, wide, high, names, columns)
            return end - y

    def place_abilities(self, x, y, w, h, gap):
        s, r = self.s, self.rng
        names = self.w.ability_names(r.choice([3, 4, 5, 6, 6, 6, 8, 9]))
        upright = r.random() < 0.5 and w > 260
        if upright and h > 300 and r.random() < 0.2:
            wide = w * r.uniform(0.13, 0.25)
            left = r.random() < 0.75
            Plans(self).far_abilities(x if left else x + w - wide, y, wide, h * r.uniform(0.6, 1), names)
            return (x + wide + gap + 4 if left else x), y, w - wide - gap - 4, h
        if upright:
            wide = w * r.uniform(0.2, 0.4)
            high = min(h * r.uniform(0.35, 1.0), len(names) * 60 + 30)
            left = r.random() < 0.75
            ax = x if left else x + w - wide
            rest_under = h - high - gap
            self.abilities(ax, y, wide, high, names)
            if rest_under > 60:
                for rect in self.divide(ax, y + high + gap, wide, rest_under, r.choice([1, 1, 2]), gap, 3):
                    self.slot(*rect, gap)
            return (x + wide + gap if left else x), y, w - wide - gap, h
        high = r.choice([46, 58, 74, 96])
        high = min(high, h * 0.4)
        self.abilities(x, y, w, high, names)
        return x, y + high + gap, w, h - high - gap

    def abilities(self, x, y, w, h, names):
        p, s, r = self.p, self.s, self.rng
        has_heading = r.random() < 0.6
        text = self.w.heading("abilities") if has_heading else ""
        with p.region(text or " ".join(names), "abilities"):
            if not has_heading and s.container not in ("grid", "cells") and r.random() < 0.15:
                self.rows.outside_labels(x, y, w, h, names)
                return
            if has_heading or r.random() < 0.3 or s.container == "grid":
                kind = s.container if has_heading or s.container not in LOOSE + ("pill",) else "frame"
                if kind == "side" and w > 2.5 * h and r.random() < 0.5:
                    kind = "frame"
                inner = self.k.draw(kind, x, y, w, h, text)
            else:
                inner = (x, y, w, h)
            if inner[3] > 12 and inner[2] > 30:
                upright = inner[3] > 0.5 * inner[2]
                if r.random() < (0.4 if upright else 0.15):
                    end = self.rows.composite(*inner, names)
                elif not has_heading and r.random() < 0.15:
                    end = self.rows.big_labels(*inner)
                else:
                    end = self.b.abilities(*inner, names)
                if end < inner[1] + inner[3] - 60 and r.random() < 0.6:
                    self.content(inner[0], end + 4, inner[2], inner[1] + inner[3] - end - 4, "combat", True)

    # -- the rest

    def divide(self, x, y, w, h, count, gap, depth):
        r = self.rng
        if count <= 1 or (w < 130 and h < 90):
            return [(x, y, w, h)]
        by_columns = w > h * r.uniform(0.55, 1.3) if depth else (r.random() < 0.75 and w > 220)
        if by_columns and w < 150:
            by_columns = False
        if not by_columns and h < 90:
            by_columns = w > 150
            if not by_columns:
                return [(x, y, w, h)]
        parts = min(count, r.choice([2, 2, 2, 3, 3, 4]) if depth == 0 else r.choice([2, 2, 3, 4]))
        length = w if by_columns else h
        parts = max(1, min(parts, int(length / (95 if by_columns else 55))))
        if parts < 2:
            return [(x, y, w, h)]
        shares = [1] * parts
        for _ in range(count - parts):
            shares[r.randrange(parts)] += 1
        if r.random() < 0.3:
            weights = [1.0] * parts
        else:
            weights = [k ** r.uniform(0.2, 0.9) * r.uniform(0.6, 1.5) for k in shares]
        total = sum(weights)
        room = length - gap * (parts - 1)
        found = []
        at = x if by_columns else y
        for share, weight in zip(shares, weights):
            piece = room * weight / total
            if by_columns:
                found += self.divide(at, y, piece, h, share, gap, depth + 1)
            else:
                found += self.divide(x, at, w, piece, share, gap, depth + 1)
            at += piece + gap
        return found

    def pinwheel(self, x, y, w, h, gap):
        r = self.rng
        a, b = w * r.uniform(0.3, 0.45), h * r.uniform(0.3, 0.45)
        c, d = w - a - gap, h - b - gap
        return [(x, y, c, b), (x + c + gap, y, a, d), (x + a + gap, y + d + gap, c, b), (x, y + b + gap, a, d),
                (x + a + gap, y + b + gap, w - 2 * a - 2 * gap, h - 2 * b - 2 * gap)]

    def slot(self, x, y, w, h, gap):
        """One region, or a series of small ones."""
        p, s, r = self.p, self.s, self.rng
        if w < 25 or h < 20:
            return
        if r.random() < 0.12 and (w > 160 or h > 100):
            self.series(x, y, w, h, max(gap, 3))
            return
        kind = r.choice(KINDS)
        with self.wearing(self.pick(kind, x)):
            self.fill_slot(x, y, w, h, kind)

    def fill_slot(self, x, y, w, h, kind):
        p, s, r = self.p, self.s, self.rng
        headless = r.random() < 0.06
        text = "" if headless else self.w.heading(kind)
        container = s.container
        if headless and container in LOOSE + ("pill",):
            container = "frame"
        if r.random() < 0.06:
            container = r.choice(["frame", "bar", "open", "barframe"])
        elif container == "side" and w > 3 * h and r.random() < 0.5:
            container = "barframe"
        if container not in ("grid",) and r.random() < 0.12 and h > 120:
            h *= r.uniform(0.7, 0.95)  # shorter than its place
        with p.region(text, kind):
            if container == "cells" or (container == "grid" and r.random() < 0.15):
                self.rows.cells(x, y, w, h, text)
                return
            inner = self.k.draw(container, x, y, w, h, text)
            loose = container in LOOSE and container != "over"
            if r.random() < 0.02:  # its boxes go on where the frame ends, or a picture stands in it
                self.f.art(inner[0], inner[1], inner[2], inner[3])
            if container in ("grid", "hline", "frame", "barframe", "inframe") and w > 180 and h > 60 and r.random() < 0.09:
                self.rows.columns(*inner, x, x + w, y + h)
            elif inner[2] > 25 and inner[3] > 8:
                self.content(*inner, kind, loose)

    def series(self, x, y, w, h, gap):
        """Small regions in a row or a stack: armour, level, luck."""
        r = self.rng
        count = r.choice([2, 3, 3, 4, 5])
        across = w > h * 1.5
        count = max(1, min(count, int(w / 60) if across else int(h / 34)))
        for k in range(count):
            text = self.w.heading(r.choice(["combat", "features", "equipment"]))
            with self.p.region(text, "combat"):
                if across:
                    wide = (w - gap * (count - 1)) / count
                    self.k.inline(x + k * (wide + gap), y, wide, min(h, 70), text)
                else:
                    high = min((h - gap * (count - 1)) / count, 64)
                    self.k.inline(x, y + k * (high + gap), w, high, text)

    def content(self, x, y, w, h, kind, loose):
        """Fills a region; in one without a frame, what stays blank belongs to it when it is there to be written on."""
        p, s, r, b = self.p, self.s, self.rng, self.b
        choice = r.random()
        if h < 26:
            if w > 90 and r.random() < 0.6:
                return b.stats(x, y, w, h) if h > 18 else b.blank_lines(x, y, w, h, "line")
            return b.blank_lines(x, y, w, h, "blank")
        if h > 110 and w > 80 and r.random() < 0.06:
            return self.stacked(x, y, w, h)
        if w > 180 and h > 50 and r.random() < 0.04:
            return self.rows.mirrored(x, y, w, h)
        if h > 60 and r.random() < (0.08 if loose else 0.12):
            return self.rows.ruled(x, y, w, h)
        if w > 90 and h > 50 and r.random() < (0.25 if kind == "skills" else 0.04):
            return self.rows.outside_labels(x, y, w, h)
        if w > 130 and h > 40 and r.random() < 0.04:
            return self.rows.dense(x, y, w, h)
        if w > 200 and (h > 110 and choice < 0.12 or h > 45 and choice < 0.05):
            return self.group(x, y, w, h)
        if h > 90 and choice < 0.26:  # two things, one below the other
            first = h * r.uniform(0.25, 0.55)
            end = self.simple(x, y, w, first, kind)
            top = max(end, y) + 5
            if s.second:
                size = s.size * 1.15
                p.text(x, top + size, self.w.label() if r.random() < 0.5 else self.w.heading(r.choice(KINDS)),
                       r.choice([s.bold, s.italic]), size, s.ink)
                top += size * 1.5
            return self.simple(x, top, w, y + h - top, kind)
        if w > 190 and choice < 0.36:  # two things side by side
            left = w * r.uniform(0.35, 0.65)
            self.simple(x, y, left - 6, h, kind)
            if r.random() < 0.3:
                p.line(x + left - 3, y, x + left - 3, y + h, s.rule, s.ink)
            return self.simple(x + left, y, w - left, h, kind)
        return self.simple(x, y, w, h, kind)

    def stacked(self, x, y, w, h):
        """Tables one below the other, each with a small heading above it."""
        p, s, r = self.p, self.s, self.rng
        count = max(2, min(r.choice([2, 2, 3]), int(h / 50)))
        size = s.size * r.uniform(0.9, 1.1)
        font = r.choice([s.bold, s.head, s.body])
        draw = r.choice([self.rows.ruled, self.rows.ruled, self.b.table, self.b.blank_lines])
        end = y
        for k in range(count):
            top = y + h * k / count
            if k or r.random() < 0.7:
                p.text(x, top + size, self.w.label() if r.random() < 0.6 else self.w.heading("combat"), font, size, s.ink,
                       outline=True)
                top += size * 1.4
            end = draw(x, top, w, y + h * (k + 1) / count - top - 4)
        return end

    def group(self, x, y, w, h):
        """Boxes with small headings of their own below one heading: the upper one counts."""
        p, s, r = self.p, self.s, self.rng
        bars = r.random() < 0.4
        for bx, by, bw, bh in self.divide(x, y, w, h, r.choice([2, 3, 4]), r.choice([4, 6]), 2):
            if r.random() < 0.7:
                p.rect(bx, by, bw, bh, s.ink, s.box_fill, s.rule)
            size = s.size * r.uniform(0.95, 1.1)
            if bars:
                p.rect(bx, by, bw, size * 1.4, None, s.accent)
            p.text(bx + 3, by + size + 1, self.w.label(), s.bold, size, s.contrast_to(s.accent) if bars else s.ink)
            self.simple(bx + 3, by + size + 4, bw - 6, bh - size - 8, r.choice(KINDS))
        return y + h

    def simple(self, x, y, w, h, kind):
        r, b = self.rng, self.b
        if h < 10 or w < 20:
            return y
        options = {
            "skills": ["skills"] * 5 + ["table"],
            "combat": ["table", "table", "stats", "track", "repeated", "fields", "blank"],
            "equipment": ["lines", "lines", "table", "blank", "fields"],
            "spells": ["table", "lines", "blank", "track", "skills"],
            "features": ["lines", "blank", "prose", "lines", "fields", "track"],
            "notes": ["blank", "blank", "lines", "portrait", "prose"],
            "abilities": ["skills", "fields", "stats", "track"],
        }[kind]
        choice = r.choice(options)
        if choice == "blank" and self.s.container in LOOSE and self.s.container != "over" and r.random() < 0.75:
            choice = "lines"
        if choice == "skills" and h > 24:
            return b.skills(x, y, w, h)
        if choice == "table" and w > 90 and h > 30:
            return b.table(x, y, w, h)
        if choice == "stats" and h > 26 and w > 50:
            return b.stats(x, y, w, h)
        if choice == "track":
            end = b.track(x, y, w, h)
            return self.simple(x, end + 4, w, y + h - end - 4, "notes") if r.random() < 0.4 and y + h - end > 40 else end
        if choice == "repeated" and h > 70 and w > 110:
            return b.repeated(x, y, w, h)
        if choice == "fields" and h > 24:
            names = [self.w.label() for _ in range(r.choice([2, 3, 4, 6]))]
            return b.fields(x, y, w, h, names)
        if choice == "prose" and h > 24:
            return b.prose(x, y, w, h)
        if choice == "portrait":
            return b.portrait(x, y, w, h)
        return b.blank_lines(x, y, w, h, "blank" if choice == "blank" else None)
