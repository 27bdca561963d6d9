# SPDX-License-Identifier: Apache-2.0
"""Blocks of rows: abilities with boxes of their own, ruled tables, big labels, mirrored halves."""


class Rows:
    def __init__(self, blocks):
        self.b, self.p, self.s, self.w, self.rng = blocks, blocks.p, blocks.s, blocks.w, blocks.rng

    def composite(self, x, y, w, h, names):
        """Each ability a bar with boxes beside it, each box with a small label."""
        s, p, r = self.s, self.p, self.rng
        gap = r.choice([1, 2, 4, 6, 9, 13])
        unit = min(h / len(names) - gap, r.choice([16, 22, 28, 34]))
        if unit < 9:
            return self.b.abilities(x, y, w, h, names)
        bar = w * r.uniform(0.18, 0.4)
        boxes = r.choice([1, 2, 3, 4, 5])
        labels = [self.w.label() for _ in range(boxes)]
        shape = r.choice(["rect", "round", "text", "shadow"])
        same = r.random() < 0.6
        head_row = r.random() < 0.4
        size = max(4, min(s.label_size * 0.8, unit * 0.35))
        top = y
        if head_row:
            for k in range(boxes):
                p.text(x + bar + (k + 0.5) * (w - bar) / boxes, top + size, labels[k], s.label_font, size, s.ink, "center")
            top += size + 2
            unit = min(unit, (y + h - top) / len(names) - gap)
        fill = s.accent if r.random() < 0.7 else None
        for index, name in enumerate(names):
            ry = top + index * (unit + gap)
            if shape != "text":
                p.rect(x, ry, bar, unit, s.ink, fill, s.rule, unit / 2 if shape == "round" else 0)
            text_size = min(s.size * 1.5, unit * 0.62)
            while text_size > 4.5 and p.width_of(name, s.bold, text_size) > bar - 4:
                text_size -= 0.5
            color = s.contrast_to(fill) if fill is not None and shape != "text" else s.ink
            p.text(x + bar / 2, ry + unit / 2 + text_size * 0.35, name, s.bold, text_size, color, "center", outline=True)
            count = boxes if same else r.randrange(1, boxes + 1)
            for k in range(count):
                bw = (w - bar) / boxes
                bx = x + bar + k * bw + 3
                inset = 0 if head_row else min(size + 1, unit * 0.4)
                p.rect(bx, ry + inset, bw - 5, unit - inset, s.ink, s.box_fill, s.rule)
                if not head_row and inset > 3.5:
                    p.text(bx, ry + inset - 1, labels[k], s.body, min(size, inset), s.ink)
                self.b.value(bx + 1, ry + unit - 1, bw - 8, (unit - inset) * 0.8)
        return top + len(names) * (unit + gap) - gap

    def boxed_fields(self, x, y, w, names):
        """Who a character is, box by box, in rows that do not line up."""
        s, p, r = self.s, self.p, self.rng
        unit = r.choice([16, 20, 26, 32])
        gap = r.choice([0, 2, 4, 8, 14])
        across = r.choice([0, 3, 6, 12])
        place = r.choice(["inside", "above", "below", "center"])
        size = min(s.label_size, unit * 0.36)
        cy = y
        index = 0
        while index < len(names):
            n = min(len(names) - index, r.choice([1, 2, 3, 3, 4, 5]))
            weights = [r.choice([1, 1, 2, 3]) for _ in range(n)]
            room = w if r.random() < 0.7 else w * r.uniform(0.7, 1)
            cx = x
            extra = size + 2 if place in ("above", "below") else 0
            for k in range(n):
                cw = (room - across * (n - 1)) * weights[k] / sum(weights)
                by = cy + (extra if place == "above" else 0)
                p.rect(cx, by, cw, unit, s.ink, s.box_fill, s.rule, s.radius / 2)
                text = s.label_text(names[index])
                if place == "inside":
                    p.text(cx + 2, by + size, text, s.label_font, size, s.ink)
                elif place == "center":
                    p.text(cx + cw / 2, by + size, text, s.label_font, size, s.ink, "center")
                elif place == "above":
                    p.text(cx + cw / 2, by - 2, text, s.label_font, size, s.ink, "center")
                else:
                    p.text(cx + cw / 2, by + unit + size, text, s.label_font, size, s.ink, "center")
                self.b.value(cx + 3, by + unit - 1, cw - 5, unit * 0.55, self.w.given())
                cx += cw + across
                index += 1
            cy += unit + extra + gap
        return cy - gap

    def ruled(self, x, y, w, h):
        """A table with rules between columns, rows ruled or dashed or not at all, the head inside or on the frame."""
        s, p, r = self.s, self.p, self.rng
        columns = r.choice([2, 3, 3, 4, 5])
        weights = [r.choice([0.4, 0.6, 1, 2, 3]) for _ in range(columns)]
        step = self.b.row * r.uniform(1.1, 1.9)
        rows = max(2, int(h / step))
        edges = [x]
        for weight in weights:
            edges.append(edges[-1] + w * weight / sum(weights))
        on_frame = r.random() < 0.35
        size = max(4.5, s.label_size)
        top = y + (size * 0.5 if on_frame else 0)
        bottom = y + rows * step
        width = r.choice([s.rule, s.border])
        p.rect(x, top, w, bottom - top, s.ink, s.box_fill, width)
        for edge in edges[1:-1]:
            p.line(edge, top, edge, bottom, r.choice([s.rule, width]), s.ink)
        dash = r.choice([None, None, [3, 2], [1, 2], "none"])
        if dash != "none":
            for row in range(1, rows):
                p.line(x, y + row * step, x + w, y + row * step, s.rule, s.ink, dash=dash)
        labelled = r.random() < 0.35
        for k in range(columns):
            text = self.w.label()
            if on_frame:
                wide = p.width_of(text, s.label_font, size)
                p.rect(edges[k] + 4, top - size * 0.5, wide + 4, size, None, s.paper)
                p.text(edges[k] + 6, top + size * 0.35, text, s.label_font, size, s.ink)
            else:
                p.text(edges[k] + 3, y + step * 0.75, text, s.label_font, size, s.ink)
        if labelled:
            for row, name in enumerate(self.w.entries(rows - 1)):
                p.text(edges[0] + 3, y + (row + 2) * step - step * 0.25, name[: int((edges[1] - edges[0]) / size * 1.9)], s.body,
                       s.size, s.ink)
        return bottom

    def mirrored(self, x, y, w, h):
        """The same block twice, side by side."""
        r, s, p = self.rng, self.s, self.p
        names = [self.w.label() for _ in range(r.choice([4, 6, 8]))]
        half = w / 2
        state = r.getstate()
        end = self.b.fields(x, y, half - 6, h, names, r.choice([1, 2]))
        after = r.getstate()
        r.setstate(state)
        self.b.fields(x + half + 4, y, half - 6, h, names, r.choice([1, 2]))
        r.setstate(after)
        if r.random() < 0.5:
            p.line(x + half, y, x + half, end, s.rule, s.ink)
        return end

    def big_labels(self, x, y, w, h):
        """Big words with a box each, hints below them: one group without a heading."""
        s, p, r = self.s, self.p, self.rng
        columns = r.choice([1, 2, 2, 3])
        rows = max(1, min(int(h / 42), r.choice([1, 2, 3])))
        cw, ch = w / columns, h / rows
        hint = r.random() < 0.5
        size = min(s.head_size, ch * 0.4, 20)
        for k in range(rows * columns):
            cx, cy = x + (k % columns) * cw, y + (k // columns) * ch
            name = self.w.ability_names(1)[0]
            here = size
            while here > 5 and p.width_of(name, s.head, here) > cw * 0.45:
                here -= 0.5
            at = (cx + cw * 0.45, "right") if s.align == "center" else (cx, "left")
            p.text(at[0], cy + here, name, s.head, here, s.ink, at[1], outline=True)
            if hint:
                p.text(at[0], cy + here + s.size, self.w.prose(3), s.body, s.size * 0.7, s.ink, at[1])
            p.rect(cx + cw * 0.52, cy, cw * 0.36, min(ch * 0.75, 40), s.ink if r.random() < 0.8 else 0.8, s.box_fill, s.rule)
        return y + h

    def dense(self, x, y, w, h):
        """Rows of black labels and many little boxes with tiny captions."""
        s, p, r = self.s, self.p, self.rng
        rows = max(1, min(4, int(h / 20)))
        unit = min(24, h / rows)
        boxes = max(2, min(9, int(w * 0.7 / 22)))
        tiny = r.choice([3.5, 4, 4.5])
        captions = r.choice(["above", "below"])
        for row in range(rows):
            cy = y + row * unit
            inset = tiny + 1
            top = cy + (inset if captions == "above" else 0)
            high = unit - inset - 2
            bar = w * 0.26
            p.rect(x, top, bar, high, None, 0.0 if s.ground != "dark" else 0.8)
            name = self.w.label().upper()
            p.text(x + bar / 2, top + high * 0.7, name, s.bold, min(high * 0.65, bar / max(3, len(name)) * 1.4), 1.0, "center")
            for k in range(boxes):
                bw = (w - bar) / boxes
                bx = x + bar + k * bw + 2
                p.rect(bx, top, bw - 4, high, s.ink, s.box_fill, s.border * 0.6)
                if row == 0 or r.random() < 0.3:
                    p.text(bx + bw / 2 - 2, top - 1 if captions == "above" else top + high + tiny, self.w.label(), s.body, tiny,
                           s.ink, "center")
                self.b.value(bx + 1, top + high - 1, bw - 6, high * 0.8)
                if k < boxes - 1 and r.random() < 0.3:
                    p.text(bx + bw - 3, top + high * 0.7, r.choice("=+"), s.body, 6, s.ink, "center")
        return y + rows * unit

    def outside_labels(self, x, y, w, h, names=None):
        """Names to the left of a ruled grid, heads above it, some rows left out between groups."""
        s, p, r = self.s, self.p, self.rng
        step = self.b.row * r.uniform(1.1, 1.7)
        rows = max(2, min(int(h / step) - 1, 24))
        names = names or self.w.entries(rows)
        rows = min(rows, len(names))
        side = w * r.uniform(0.25, 0.5)
        columns = r.choice([1, 2, 2, 3])
        cw = (w - side) / columns
        size = min(s.size, step * 0.7)
        top = y
        if r.random() < 0.7:
            for k in range(columns):
                p.text(x + side + (k + 0.5) * cw, y + size, self.w.label(), s.label_font, s.label_size, s.ink, "center")
            top += size + 3
        right = r.random() < 0.6
        breaks = r.random() < 0.3
        at = top
        for k, name in enumerate(names[:rows]):
            if breaks and k and r.random() < 0.15:
                at += step
            if at + step > y + h:
                break
            here = size
            while here > 4.5 and p.width_of(name, s.body, here) > side - 4:
                here -= 0.5
            p.text(x + side - 3 if right else x, at + step * 0.72, name, s.body, here, s.ink, "right" if right else "left")
            for c in range(columns):
                p.rect(x + side + c * cw, at, cw, step, s.ink, s.box_fill, s.rule)
                self.b.value(x + side + c * cw + 1, at + step - 1, cw - 2, step * 0.8)
            at += step
        return at

    def columns(self, x, y, w, h, left, right, bottom):
        """Columns between full rules that reach the frame: a list in each."""
        s, p, r = self.s, self.p, self.rng
        count = max(2, min(4, int(w / 90)))
        width = r.choice([s.rule, s.border])
        for k in range(1, count):
            cx = left + (right - left) * k / count
            p.line(cx, y - r.choice([0, 2]), cx, bottom, width, s.ink)
        marked = r.random()
        step = self.b.row * r.uniform(1.0, 1.3)
        rows = max(1, int(h / step))
        for k in range(count):
            cx = left + (right - left) * k / count + 3
            cw = (right - left) / count - 7
            for row, name in enumerate(self.w.entries(rows)):
                cy = y + (row + 1) * step
                size = s.size
                while size > 4.5 and p.width_of(name, s.body, size) > cw * 0.5:
                    size -= 0.5
                p.text(cx, cy - step * 0.25, name, s.body, size, s.ink)
                for b in range(5 if marked < 0.5 else 1):
                    side = step * 0.6 if marked < 0.5 else cw * 0.35
                    bx = cx + cw - (b + 1) * (side + 1)
                    if bx > cx + cw * 0.5:
                        p.rect(bx, cy - step * 0.8, side, step * 0.6, s.ink, s.box_fill, s.rule)
        return bottom

    def cells(self, x, y, w, h, heading):
        """A spreadsheet's part: a heading row, then rows of cells, all ruled; no frame but the cells."""
        s, p, r = self.s, self.p, self.rng
        step = self.b.row * r.uniform(1.1, 1.6)
        rows = max(2, int(h / step))
        step = h / rows
        values = r.choice([0, 1, 1, 2, 3])
        first = w * (r.uniform(0.45, 0.7) if values else 1)
        edges = [x, x + first] + [x + first + (w - first) * (k + 1) / values for k in range(values)]
        shade = r.choice([None, None, s.panel, 0.8])
        names = self.w.entries(rows)
        size = min(s.size, step * 0.7)
        filled = r.random() < 0.6
        for row in range(rows):
            ry = y + row * step
            for k in range(len(edges) - 1):
                if edges[k + 1] - edges[k] < 2:
                    continue
                fill = shade if row == 0 or (k == 0 and values and filled) else s.box_fill
                p.rect(edges[k], ry, edges[k + 1] - edges[k], step, s.ink, fill, s.rule)
                if row == 0 and k > 0:
                    p.text(edges[k] + 2, ry + step * 0.72, self.w.label()[:4], s.label_font, min(size, s.label_size), s.ink)
            if row == 0:
                text = s.head_text(heading)
                here = min(s.head_size, step * 0.75)
                while here > 5 and p.width_of(text, s.head, here) > first - 4:
                    here -= 0.5
                p.text(x + 3, ry + step * 0.74, text, s.head, here, s.ink, outline=True)
            elif filled:
                text = names[row]
                here = size
                while here > 4.5 and p.width_of(text, s.body, here) > first - 4:
                    here -= 0.5
                p.text(x + 3, ry + step * 0.72, text, s.bold if s.bold_values else s.body, here, s.ink)
        return y + h
