# SPDX-License-Identifier: Apache-2.0
"""Travel journal for sworn wanderers: parchment tint, four A5 pages."""

import math

from sheetkit import A5, Box, HexColor, Pt, mix

PARCH, BROWN, OXBLOOD, SAND, SOFT, PALE = (
    HexColor(c) for c in ("#f4ead3", "#3a2918", "#7b1e1e", "#c9b48a", "#75603f", "#fbf5e6"))
LABEL = {"size": 6.4, "font": "Vollkorn-Italic", "color": SOFT, "rule": BROWN}


def ground(s, number, title):
    """Parchment with a darker edge, a double border and the page's title."""
    page = s.page(A5)
    s.rect(page, None, PARCH)
    for i in range(8):
        s.rect(page.inset(i * 1.6), mix(SAND, PARCH, i / 8), None, 1.7)
    s.rect(page.inset(17), OXBLOOD, None, 1.0)
    s.rect(page.inset(20), SAND, None, 0.5)
    for x, y in ((17, 17), (page.right - 17, 17), (17, page.bottom - 17), (page.right - 17, page.bottom - 17)):
        s.diamond(x, y, 7, OXBLOOD, PARCH, 1.0)
        s.diamond(x, y, 3, None, OXBLOOD)
    s.text(page.cx, 45, title, 19, "Vollkorn-Black", OXBLOOD, "center", tracking=0.6)
    s.line(page.cx - 90, 53, page.cx - 8, 53, BROWN, 0.6)
    s.line(page.cx + 8, 53, page.cx + 90, 53, BROWN, 0.6)
    s.diamond(page.cx, 53, 3, None, OXBLOOD)
    s.rect(Box(page.cx - 9, page.bottom - 22, 18, 9), None, PARCH)
    s.text(page.cx, page.bottom - 14, str(number), 8, "Vollkorn-SemiBold", OXBLOOD, "center")
    return page.inset(34, 64, 34, 32)


def section(s, box, name):
    """A heading between two rules, no frame; gives the room below."""
    width = s.measure(name.upper(), "Vollkorn-Bold", 8.8, 1.6)
    y = box.y + 7
    s.text(box.cx - width / 2, y, name.upper(), 8.8, "Vollkorn-Bold", BROWN, tracking=1.6)
    for side in (-1, 1):
        start = box.cx + side * (width / 2 + 7)
        s.line(start, y - 3, box.x if side < 0 else box.right, y - 3, SAND, 0.9)
        s.diamond(start, y - 3, 1.8, None, OXBLOOD)
    s.region(name, box, 1)
    return box.inset(0, 14, 0, 0)


def shield(s, cell, name):
    x, y, w, h = cell.x + 4, cell.y, cell.w - 8, cell.h - 11
    for grow, color, width in ((0, BROWN, 1.1), (-3, SAND, 0.6)):
        a, b, c, d = x - grow, y - grow, x + w + grow, y + h + grow * 1.3
        waist = b + (d - b) * 0.6
        s.polygon([(a, b), (c, b), (c, waist), ((a + c) / 2, d), (a, waist)], color, PALE, width)
    s.text(cell.cx, cell.bottom - 1, name, 8, "Vollkorn-SemiBold", BROWN, "center")


def track(s, box, name, low, high):
    label, cells = box.cols(Pt(44), 1)
    s.text(label.x, label.cy + 3, name, 8.6, "Vollkorn-SemiBold", OXBLOOD)
    for cell, value in zip(cells.cols(*[1] * (high - low + 1), gap=3), range(low, high + 1)):
        s.rect(cell, BROWN, PALE, 0.7, 2)
        s.text_in(cell, f"{value:+d}" if value else "0", 7.4, font="Vollkorn", color=SOFT)


def momentum(s, box):
    head, body = box.rows(Pt(22), 1)
    s.text(head.cx, head.y + 8, "Momentum", 7.6, "Vollkorn-SemiBold", OXBLOOD, "center")
    for cell, value in zip(body.rows(*[1] * 17, gap=2.2), range(10, -7, -1)):
        s.rect(cell, BROWN, PALE if value >= 0 else SAND, 0.7, 2)
        s.text_in(cell, f"{value:+d}" if value else "0", 7.2, font="Vollkorn", color=BROWN)
    s.region("Momentum", box, 1)


def ticks(s, box, names):
    for lane, name in zip(box.rows(*[1] * len(names)), names):
        s.pip(lane.x + 4, lane.cy, 3.6, "diamond", color=BROWN, fill=PALE)
        s.text(lane.x + 12, lane.cy + 2.6, name, 7.8, "Vollkorn", BROWN)


def boxes(s, box, count=10):
    """A progress track: boxes with a faint cross for four ticks."""
    for cell in box.cols(*[1] * count, gap=3):
        s.rect(cell, BROWN, PALE, 0.7, 2)
        s.line(cell.x + 4, cell.cy, cell.right - 4, cell.cy, SAND, 0.4)
        s.line(cell.cx, cell.y + 4, cell.cx, cell.bottom - 4, SAND, 0.4)


def character(s):
    area = ground(s, 1, "Oathbound Journal")
    main, side = area.cols(1, Pt(38), gap=14)
    momentum(s, side)
    name, stats, tracks, marks, bonds, gear = main.rows(Pt(70), Pt(74), Pt(76), Pt(92), Pt(42), 1, gap=11)
    inner = section(s, name, "Wanderer")
    top, low = inner.rows(1, 1, gap=3)
    s.entry(top, "Name", **LABEL)
    for cell, label in zip(low.cols(1, 1, 0.7, gap=10), ("Homeland", "Calling", "Experience")):
        s.entry(cell, label, **LABEL)
    for cell, label in zip(section(s, stats, "Stats").cols(*[1] * 5, gap=4),
                           ("Edge", "Heart", "Iron", "Shadow", "Wits")):
        shield(s, cell, label)
    for lane, label in zip(section(s, tracks, "Condition").rows(1, 1, 1, gap=4), ("Health", "Spirit", "Supply")):
        track(s, lane, label, 0, 5)
    inner = section(s, marks, "Debilities")
    for column, head, names in zip(inner.cols(1, 1, 1, gap=8), ("Conditions", "Banes", "Burdens"), (
            ("Wounded", "Shaken", "Unprepared", "Encumbered"), ("Maimed", "Corrupted"), ("Cursed", "Tormented"))):
        s.text(column.x, column.y + 7, head, 7.2, "Vollkorn-Italic", SOFT)
        ticks(s, Box(column.x, column.y + 12, column.w, 16.5 * len(names)), names)
    boxes(s, section(s, bonds, "Bonds"))
    s.ruled(section(s, gear, "Belongings"), 3, SOFT, 0.4)
    # Drawn first, what stands in the margin is read last.
    s.regions.append(s.regions.pop(0))


def vows(s):
    area = ground(s, 2, "Vows")
    ranks = ("Troublesome", "Dangerous", "Formidable", "Extreme", "Epic")
    numerals = ("First vow", "Second vow", "Third vow", "Fourth vow", "Background vow")
    for block, title in zip(area.rows(*[1] * 5, gap=12), numerals):
        inner = section(s, block, title)
        oath, rank, progress = inner.rows(1, Pt(13), Pt(21), gap=5)
        s.ruled(oath, 2, SOFT, 0.4)
        for cell, name in zip(rank.cols(1.25, 1.1, 1.15, 0.95, 0.6), ranks):
            s.pip(cell.x + 4, cell.cy, 3.3, "diamond", color=BROWN, fill=PALE)
            s.text(cell.x + 11, cell.cy + 2.5, name, 7.2, "Vollkorn", BROWN)
        boxes(s, progress)


def assets(s):
    area = ground(s, 3, "Assets")
    for card, number in zip(area.grid(2, 3, 12, 12), ("I", "II", "III", "IV", "V", "VI")):
        s.scoop(card, BROWN, PALE, 1.0, 8)
        s.scoop(card.inset(3), SAND, None, 0.5, 7)
        s.text(card.cx, card.y + 15, f"ASSET {number}", 8.2, "Vollkorn-Bold", OXBLOOD, "center", tracking=1.4)
        s.region(f"Asset {number}", card, 0.5)
        inner = card.inset(13, 20, 13, 13)
        name, power, rest = inner.rows(Pt(21), 1, Pt(15), gap=5)
        s.entry(name, "Name and kind", **LABEL)
        for lane in power.rows(1, 1, 1, gap=3):
            s.pip(lane.x + 4, lane.y + 8, 3.6, "diamond", color=OXBLOOD, fill=PARCH)
            s.ruled(Box(lane.x + 13, lane.y, lane.w - 13, lane.h), 2, SOFT, 0.35)
        s.text(rest.x, rest.cy + 2.5, "Health", 7, "Vollkorn-Italic", SOFT)
        for k in range(6):
            small = Box(rest.right - (6 - k) * 15.5 + 2.5, rest.y + 1, 13, 13)
            s.rect(small, BROWN, PARCH, 0.6, 2)
            s.text_in(small, str(k), 6.6, font="Vollkorn", color=SOFT)


def hex_map(s, box):
    r = 15.2
    across, down = 1.5 * r, math.sqrt(3) * r
    columns, rows = int((box.w - 0.5 * r) / across), int((box.h - down / 2) / down)
    left = box.x + (box.w - (columns * across + 0.5 * r)) / 2 + r
    top = box.y + (box.h - (rows + 0.5) * down) / 2 + down / 2
    for i in range(columns):
        for j in range(rows):
            cx, cy = left + i * across, top + j * down + (down / 2 if i % 2 else 0)
            s.polygon([(cx + r * math.cos(math.pi * k / 3), cy + r * math.sin(math.pi * k / 3)) for k in range(6)],
                      SOFT, PALE, 0.5)


def journal(s):
    area = ground(s, 4, "Journal")
    log, chart, places = area.rows(Pt(176), 1, Pt(74), gap=12)
    s.ruled(section(s, log, "Days on the road"), 10, SOFT, 0.4)
    hex_map(s, section(s, chart, "Map"))
    inner = section(s, places, "Places and people")
    for column in inner.cols(1, 1, gap=16):
        s.ruled(column, 4, SOFT, 0.4)
    s.text(209.8, 571.5, "For use with Ironsworn, created by Shawn Tomkin, licensed for our use under CC BY 4.0.", 5,
           "Vollkorn-Italic", SOFT, "center")


def draw(s):
    s.font, s.ink = "Vollkorn", BROWN
    for page in (character, vows, assets, journal):
        page(s)
