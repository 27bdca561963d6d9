# SPDX-License-Identifier: Apache-2.0
"""A fillable PDF of sections: two columns of frames with a heading and fields (ISO 32000-1). The same sections give the
same bytes."""
import re
import unicodedata

WIDTH, HEIGHT = 595.0, 842.0
MARGIN = 36.0
GUTTER = 14.0
COLUMN = (WIDTH - 2 * MARGIN - GUTTER) / 2
TOP = HEIGHT - MARGIN - 30
HEADING = 18.0
ROW = 20.0
AREA = 64.0
PADDING = 8.0
MOST_PAGES = 60
REPEATS = 4


def latin(text):
    """What the standard fonts can show; the rest becomes what comes nearest, or a question mark."""
    text = unicodedata.normalize("NFKC", text)
    try:
        return text.encode("cp1252")
    except UnicodeEncodeError:
        plain = unicodedata.normalize("NFKD", text)
        return "".join(c for c in plain if not unicodedata.combining(c)).encode("cp1252", "replace")


def string(text):
    body = latin(text)
    for mark in (b"\\", b"(", b")"):
        body = body.replace(mark, b"\\" + mark)
    return b"(" + body + b")"


def unicode_string(text):
    return b"<" + ("\ufeff" + text).encode("utf-16-be").hex().encode() + b">"


def width_of(text, size):
    """About the width in Helvetica: enough to cut text where it would run out of its frame."""
    wide = sum(0.83 if c in "MWmw@%" else 0.28 if c in "iljt.,:;'|!()[] " else 0.56 for c in text)
    return wide * size


def cut(text, size, width):
    if width_of(text, size) <= width:
        return text
    while text and width_of(text + "...", size) > width:
        text = text[:-1]
    return text.rstrip() + "..."


def slug(text):
    plain = unicodedata.normalize("NFKD", text)
    made = re.sub(r"[^a-z0-9]+", "-", "".join(c for c in plain if not unicodedata.combining(c)).lower())
    return made.strip("-")[:50].strip("-") or "section"


class Page:
    def __init__(self):
        self.content = []
        self.fields = []
        self.bottoms = [TOP, TOP]


class Drawing:
    def __init__(self, title):
        self.title = title
        self.pages = [Page()]
        self.regions = []
        self.ids = set()
        self.names = set()
        self._title()

    def _title(self):
        page = self.pages[-1]
        text = cut(self.title, 18, WIDTH - 2 * MARGIN)
        page.content.append(b"BT /F2 18 Tf %.2f %.2f Td %s Tj ET" % (MARGIN, HEIGHT - MARGIN - 12, string(text)))

    def add(self, section):
        rows = self._rows(section)
        while rows:
            place = self._place(rows)
            if place is None:
                return
            page, column, room = place
            count, used = 0, HEADING + PADDING
            while count < len(rows) and used + rows[count][0] <= room:
                used += rows[count][0]
                count += 1
            count = max(1, count)
            self._frame(page, column, section.title, rows[:count])
            rows = rows[count:]

    def _place(self, rows):
        """The column with the most room, or a new page when the section would fit there better."""
        needed = HEADING + PADDING + sum(height for height, _ in rows)
        page = self.pages[-1]
        bottoms = page.bottoms
        column = 0 if bottoms[0] >= bottoms[1] else 1
        room = bottoms[column] - MARGIN
        whole = TOP - MARGIN
        if room < min(needed, whole) and room < whole / 2 or room < HEADING + PADDING + rows[0][0]:
            if len(self.pages) >= MOST_PAGES:
                return None
            self.pages.append(Page())
            self._title()
            page, column, room = self.pages[-1], 0, whole
        return page, column, room

    def _rows(self, section):
        """Rows of fields: short ones side by side."""
        rows = []
        fields = section.fields * (REPEATS if section.is_repeating else 1)
        index = 0
        while index < len(fields):
            one = fields[index]
            two = fields[index + 1] if index + 1 < len(fields) else None
            if one.kind == "area":
                rows.append((AREA, [one]))
                index += 1
            elif two is not None and self._is_short(one) and self._is_short(two):
                rows.append((ROW, [one, two]))
                index += 2
            else:
                rows.append((ROW, [one]))
                index += 1
        return rows or [(AREA, [])]

    @staticmethod
    def _is_short(one):
        return one.kind != "area" and width_of(one.label, 8) < COLUMN / 4

    def _frame(self, page, column, title, rows):
        left = MARGIN + column * (COLUMN + GUTTER)
        top = page.bottoms[column]
        height = HEADING + PADDING + sum(h for h, _ in rows)
        page.content.append(b"0.92 g %.2f %.2f %.2f %.2f re f 0 g" % (left, top - HEADING, COLUMN, HEADING))
        page.content.append(b"0.8 w %.2f %.2f %.2f %.2f re S" % (left, top - height, COLUMN, height))
        heading = cut(title, 10, COLUMN - 2 * PADDING)
        page.content.append(b"BT /F2 10 Tf %.2f %.2f Td %s Tj ET" % (left + PADDING, top - 13, string(heading)))
        y = top - HEADING - PADDING / 2
        for row_height, fields in rows:
            part = (COLUMN - 2 * PADDING) / max(1, len(fields))
            for place, one in enumerate(fields):
                self._field(page, one, left + PADDING + place * part, y - row_height, part - 4, row_height)
            y -= row_height
        page.bottoms[column] = top - height - GUTTER
        self._region(title, left, top, height)

    def _field(self, page, one, x, y, width, height):
        size = 8
        if one.kind == "area":
            label = cut(one.label, size, width)
            page.content.append(b"BT /F1 8 Tf %.2f %.2f Td %s Tj ET" % (x, y + height - 10, string(label)))
            box = (x, y + 3, width, height - 15)
        elif one.kind == "check":
            box = (x, y + 5, 10, 10)
            label = cut(one.label, size, width - 16)
            page.content.append(b"BT /F1 8 Tf %.2f %.2f Td %s Tj ET" % (x + 15, y + 7, string(label)))
        else:
            taken = min(width_of(one.label, size) + 5, width * 0.55)
            label = cut(one.label, size, taken - 3)
            page.content.append(b"BT /F1 8 Tf %.2f %.2f Td %s Tj ET" % (x, y + 7, string(label)))
            box = (x + taken, y + 3, width - taken, height - 5)
        page.content.append(b"0.4 w %.2f %.2f %.2f %.2f re S" % box)
        page.fields.append((self._unique(one.name), one.kind, one.label, box))

    def _unique(self, name):
        base = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:80] or "field"
        made, number = base, 1
        while made in self.names:
            number += 1
            made = f"{base}_{number}"
        self.names.add(made)
        return made

    def _region(self, title, left, top, height):
        base, number = slug(title), 1
        made = base
        while made in self.ids:
            number += 1
            made = f"{base}-{number}"
        self.ids.add(made)
        rect = {
            "x": round(left / WIDTH, 5), "y": round((HEIGHT - top) / HEIGHT, 5),
            "width": round(COLUMN / WIDTH, 5), "height": round(height / HEIGHT, 5),
        }
        scale = max(1.0, min(5.0, 1 / rect["width"], 1 / rect["height"]))
        self.regions.append({
            "id": made, "name": title[:80], "rect": rect, "scale": round(scale, 3), "pageIndex": len(self.pages) - 1,
            "confidence": 1,
        })

    def finish(self):
        return Writer().write(self.title, self.pages), self.regions


class Writer:
    """Objects, cross-reference table and trailer."""

    def __init__(self):
        self.objects = []

    def put(self, body):
        self.objects.append(body)
        return len(self.objects)

    def write(self, title, pages):
        catalog, tree, form = self.put(b""), self.put(b""), self.put(b"")
        fonts = [
            self.put(b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name)
            for name in (b"Helvetica", b"Helvetica-Bold")
        ]
        dingbats = self.put(b"<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>")
        kids, widgets = [], []
        for page in pages:
            kids.append(self.page(page, tree, fonts, widgets))
        self.objects[catalog - 1] = (
            b"<< /Type /Catalog /Pages %d 0 R /AcroForm %d 0 R /Lang (en) >>" % (tree, form))
        self.objects[tree - 1] = (
            b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids)))
        self.objects[form - 1] = (
            b"<< /Fields [%s] /DA (/Helv 0 Tf 0 g) /DR << /Font << /Helv %d 0 R /ZaDb %d 0 R >> >> >>"
            % (b" ".join(b"%d 0 R" % widget for widget in widgets), fonts[0], dingbats))
        info = self.put(b"<< /Title %s /Producer (Sheetmarket's Roll20 importer) >>" % unicode_string(title))
        return self.file(catalog, info)

    def page(self, page, tree, fonts, widgets):
        body = b"\n".join(page.content)
        content = self.put(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(body), body))
        number = len(self.objects) + len(page.fields) + sum(2 for f in page.fields if f[1] == "check") + 1
        annotations = []
        for name, kind, label, (x, y, width, height) in page.fields:
            common = b"/Type /Annot /Subtype /Widget /F 4 /P %d 0 R /Rect [%.2f %.2f %.2f %.2f] /T %s /TU %s" % (
                number, x, y, x + width, y + height, string(name), unicode_string(label))
            if kind == "check":
                states = [self.appearance(mark, width, height) for mark in (b"", b"4")]
                widget = self.put(
                    b"<< %s /FT /Btn /V /Off /AS /Off /AP << /N << /Off %d 0 R /Yes %d 0 R >> >> >>"
                    % (common, states[0], states[1]))
            else:
                flags = b"/Ff 4096 " if kind == "area" else b""
                widget = self.put(b"<< %s /FT /Tx %s/DA (/Helv 9 Tf 0 g) >>" % (common, flags))
            annotations.append(widget)
        widgets += annotations
        made = self.put(
            b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R "
            b"/F2 %d 0 R >> >> /Annots [%s] >>"
            % (tree, WIDTH, HEIGHT, content, fonts[0], fonts[1], b" ".join(b"%d 0 R" % a for a in annotations)))
        assert made == number
        return made

    def appearance(self, mark, width, height):
        body = b"q 1.2 w 2 2 m %.2f %.2f l 2 %.2f m %.2f 2 l S Q" % (width - 2, height - 2, height - 2, width - 2)
        body = body if mark else b""
        return self.put(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 %.2f %.2f] /Length %d >>\nstream\n%s\nendstream"
            % (width, height, len(body), body))

    def file(self, catalog, info):
        data = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number, body in enumerate(self.objects, 1):
            offsets.append(len(data))
            data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start = len(data)
        data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        data += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
            len(offsets) + 1, catalog, info, start)
        return bytes(data)
