# SPDX-License-Identifier: Apache-2.0
"""Woodland delver: soft corners and upright tabs, one landscape A5 page."""

from sheetkit import A5, Box, HexColor, Pt

BARK, FERN, MOSS, LEAF, BERRY, WHITE = (
    HexColor(c) for c in ("#33271c", "#45663a", "#7f9b6b", "#eef3e6", "#93364a", "#ffffff"))
LABEL = {"size": 6.8, "font": "Averia-Italic", "color": FERN, "rule": BARK}


def panel(s, box, name, color=FERN):
    """A rounded frame with a tab on its left that carries the upright name."""
    s.rect(box, color, color, 1.1, 7)
    s.rect(Box(box.x + 15, box.y + 0.6, box.w - 15.6, box.h - 1.2), None, WHITE, radius=6.4)
    s.rect(Box(box.x + 15, box.y + 0.6, 10, box.h - 1.2), None, WHITE)
    s.text(box.x + 10.6, box.cy, name, 9, "Averia-Bold", WHITE, "center", tracking=0.5, up=True, fit=box.h - 6)
    s.region(name, box, 0.5)
    return Box(box.x + 15, box.y, box.w - 15, box.h).inset(8, 7, 8, 7)


def sprig(s, x, y, way):
    s.line(x, y, x + way * 46, y - 3, MOSS, 0.9, cap=1)
    for k in range(6):
        cx, cy, side = x + way * (6 + k * 7.4), y - k * 0.5, -1 if k % 2 else 1
        s.polygon([(cx, cy), (cx + way * 5.2, cy - side * 5), (cx + way * 6.4, cy - side * 0.6)], None, FERN if k % 2 else MOSS)
    s.circle(x + way * 50, y - 3.4, 2.1, None, BERRY)


def abilities(s, box):
    inner = panel(s, box, "Abilities")
    for lane, name in zip(inner.rows(1, 1, 1, gap=5), ("STR", "DEX", "WIL")):
        s.text(lane.x, lane.cy + 4.6, name, 13, "Averia-Bold", BARK)
        for box, label in zip(Box(lane.x + 36, lane.y, lane.w - 36, lane.h).cols(1, 1, gap=6), ("now", "full")):
            s.rect(box, BARK, LEAF if label == "now" else WHITE, 0.9, 5)
            s.text(box.cx, box.bottom - 3, label, 5.6, "Averia-Italic", FERN, "center")


def health(s, box):
    inner = panel(s, box, "Health", BERRY)
    first, second = inner.rows(1.25, 1, gap=6)
    for cell, label in zip(first.cols(1, 1, 1, gap=6), ("HP now", "HP full", "Armor")):
        s.rect(cell, BARK, WHITE, 0.9, 5)
        s.text(cell.cx, cell.bottom - 3.5, label, 6.2, "Averia-Italic", BERRY, "center")
    for lane, labels in zip(second.rows(1, 1), (("Deprived", "Fatigued"), ("Critical", "Paralysed"))):
        for cell, label in zip(lane.cols(1, 1), labels):
            s.pip(cell.x + 4, cell.cy, 3.5, "circle", color=BARK)
            s.text(cell.x + 12, cell.cy + 2.6, label, 7.6, "Averia", BARK)


def inventory(s, box):
    inner = panel(s, box, "Inventory")
    for column, first in zip(inner.cols(1, 1, gap=7), (1, 6)):
        for k, lane in enumerate(column.rows(*[1] * 5, gap=4)):
            s.rect(lane, BARK, LEAF if k % 2 == 0 else WHITE, 0.7, 5)
            s.text(lane.x + 6, lane.y + 10, str(first + k), 7.6, "Averia-Bold", FERN)
            s.line(lane.x + 20, lane.cy + 1, lane.right - 8, lane.cy + 1, MOSS, 0.4, (1, 1.8))
            s.line(lane.x + 8, lane.bottom - 5, lane.right - 8, lane.bottom - 5, MOSS, 0.4, (1, 1.8))


def draw(s):
    s.font, s.ink = "Averia", BARK
    page = s.page((A5[1], A5[0]))
    area = page.inset(24, 20, 24, 24)
    head, body = area.rows(Pt(32), 1, gap=8)
    s.text(page.cx, head.y + 21, "Burrow & Briar", 23, "Averia-Bold", BARK, "center", tracking=0.6)
    half = s.measure("Burrow & Briar", "Averia-Bold", 23, 0.6) / 2
    sprig(s, page.cx + half + 12, head.y + 17, 1)
    sprig(s, page.cx - half - 12, head.y + 17, -1)
    left, right = body.cols(1, 1.24, gap=9)
    who, traits, life, scars = left.rows(Pt(86), Pt(98), Pt(72), 1, gap=8)
    inner = panel(s, who, "Delver")
    top, middle, low = inner.rows(1, 1, 1, gap=2)
    s.entry(top, "Name", **LABEL)
    for row, labels in ((middle, ("Background", "Age")), (low, ("Looks and manners", "Player"))):
        for cell, label in zip(row.cols(2, 1, gap=8), labels):
            s.entry(cell, label, **LABEL)
    abilities(s, traits)
    health(s, life)
    s.ruled(panel(s, scars, "Scars"), 3, MOSS, 0.6)
    pack, low, notes = right.rows(Pt(172), Pt(62), 1, gap=8)
    inventory(s, pack)
    bonds, purse = low.cols(1.7, 1, gap=8)
    s.ruled(panel(s, bonds, "Bonds"), 3, MOSS, 0.6)
    inner = panel(s, purse, "Purse", BERRY)
    for lane, label in zip(inner.rows(1, 1, 1, gap=3), ("gold", "silver", "copper")):
        s.line(lane.x, lane.bottom - 1, lane.right - 30, lane.bottom - 1, BARK, 0.6)
        s.text(lane.right, lane.bottom - 2, label, 7.2, "Averia-Italic", BERRY, "right")
    s.ruled(panel(s, notes, "Notes"), 4, MOSS, 0.6)
    s.text(page.cx, page.bottom - 13, "For use with Cairn and its kin. Contains no rules text. Design: CC BY-SA 4.0.",
           5.2, "Averia", FERN, "center")
