# SPDX-License-Identifier: Apache-2.0
"""Spacer's personnel file: reversed heading bars, one landscape A4 page."""

import math

from sheetkit import A4, Box, HexColor, Pt

COAL, ORANGE, STEEL, FOG, WHITE = (HexColor(c) for c in ("#20262e", "#e4572e", "#66717e", "#eef1f3", "#ffffff"))
LABEL = {"size": 5.8, "font": "Lato-Medium", "color": STEEL, "rule": COAL, "tracking": 0.2}
HEADS = {"font": "Lato-Bold", "color": STEEL, "rule": STEEL, "size": 5.8, "head": 10}


def panel(s, box, name, code):
    """A heading bar with white letters and a slanted tab; the block below has a thin frame."""
    bar = Box(box.x, box.y, box.w, 13)
    s.rect(box, COAL, WHITE, 0.6)
    s.rect(bar, None, COAL)
    s.polygon([(box.right - 34, bar.y), (box.right, bar.y), (box.right, bar.bottom), (box.right - 42, bar.bottom)],
              None, ORANGE)
    s.text(bar.x + 6, bar.y + 9.6, name.upper(), 8.2, "Quicksand-Bold", WHITE, tracking=1.3)
    s.text(bar.right - 17, bar.y + 9.2, code, 6.6, "Quicksand-Bold", WHITE, "center", tracking=0.6)
    s.region(name, box, 0.3)
    return box.inset(7, 18, 7, 7)


def hexagon(s, cx, cy, r, stroke, fill, width):
    s.polygon([(cx + r * math.cos(math.pi * k / 3), cy + r * math.sin(math.pi * k / 3)) for k in range(6)],
              stroke, fill, width)


def masthead(s, box):
    s.rect(box, None, COAL)
    for i, color in enumerate((ORANGE, WHITE, STEEL)):
        x = box.right - 150 + i * 14
        s.polygon([(x + 14, box.y), (x + 22, box.y), (x + 8, box.bottom), (x, box.bottom)], None, color)
    hexagon(s, box.x + 21, box.cy, 11, ORANGE, None, 1.6)
    s.circle(box.x + 21, box.cy, 4.2, None, WHITE)
    s.line(box.x + 9, box.cy + 5, box.x + 33, box.cy - 5, WHITE, 0.9)
    s.text(box.x + 42, box.cy + 6.2, "FAR ORBIT DOSSIER", 17, "Quicksand-Bold", WHITE, tracking=3)
    s.text(box.right - 12, box.cy - 1.5, "SPACER PERSONNEL", 6.2, "Quicksand-Bold", WHITE, "right", tracking=1)
    s.text(box.right - 12, box.cy + 8, "FORM 7-K / REV 2", 6.2, "Quicksand-Medium", WHITE, "right", tracking=1)


def identity(s, box):
    inner = panel(s, box, "Identity", "A1")
    first, second = inner.rows(1, 1, gap=4)
    for cell, label in zip(first.cols(1.7, 1, 1, 1, gap=9), ("NAME", "CALL SIGN", "SPECIES", "PLAYER")):
        s.entry(cell, label, **LABEL)
    for cell, label in zip(second.cols(1.7, 0.6, 0.4, 1, 1, gap=9),
                           ("HOMEWORLD", "WORLD CODE", "AGE", "RANK & TITLE", "EMPLOYER")):
        s.entry(cell, label, **LABEL)


def characteristics(s, box):
    inner = panel(s, box, "Characteristics", "A2")
    names = ("Strength", "Dexterity", "Endurance", "Intelligence", "Education", "Standing")
    for cell, name in zip(inner.grid(3, 2, 4, 6), names):
        s.text(cell.cx, cell.y + 6, name.upper(), 5.9, "Lato-Bold", COAL, "center", tracking=0.4, fit=cell.w)
        cy = cell.y + 8 + (cell.h - 8) / 2
        hexagon(s, cell.x + 20, cy, 18.5, COAL, FOG, 1.1)
        for k, label in enumerate(("DM", "HURT")):
            small = Box(cell.x + 42, cy - 16 + k * 17, cell.w - 43, 15)
            s.rect(small, ORANGE if k else COAL, WHITE, 0.7, 2)
            s.text(small.right - 2, small.bottom - 2, label, 4.2, "Lato-Bold", STEEL, "right")


def skills(s, box):
    inner = panel(s, box, "Skills", "B1")
    for column in inner.cols(1, 1, gap=12):
        head, body = column.rows(Pt(8), 1)
        s.text(column.x, head.bottom - 2, "SKILL", 5.6, "Lato-Bold", STEEL)
        for k in range(5):
            s.text(column.right - 4 - (4 - k) * 11, head.bottom - 2, str(k), 5.6, "Lato-Bold", STEEL, "center")
        for lane in body.rows(*[1] * 13):
            s.line(lane.x, lane.bottom - 1.5, lane.right - 54, lane.bottom - 1.5, COAL, 0.45)
            for k in range(5):
                hexagon(s, lane.right - 4 - (4 - k) * 11, lane.bottom - 5.4, 4.2, COAL, FOG if k == 0 else WHITE, 0.5)


def finance(s, box):
    inner = panel(s, box, "Finances", "C3")
    labels = ("CASH", "PENSION", "DEBT", "SHIP SHARES", "MONTHLY COSTS", "LIVING STANDARD")
    for cell, label in zip(inner.grid(2, 3, 9, 3), labels):
        s.entry(cell, label, **LABEL)


def ship(s, box):
    inner = panel(s, box, "Ship", "D1")
    top, low = inner.rows(1.05, 1, gap=5)
    for cell, label in zip(top.cols(1.6, 1, 1, gap=9), ("SHIP’S NAME", "CLASS", "POSITION ABOARD")):
        s.entry(cell, label, **LABEL)
    for cell, label in zip(low.cols(*[1] * 6, gap=6), ("HULL", "STRUCTURE", "JUMP", "THRUST", "FUEL", "CARGO")):
        s.rect(cell, COAL, FOG, 0.6)
        s.text(cell.cx, cell.bottom - 3, label, 5, "Lato-Bold", STEEL, "center", fit=cell.w - 2)


def draw(s):
    s.font, s.ink = "Lato", COAL
    page = s.page((A4[1], A4[0]))
    area = page.inset(24, 22, 24, 26)
    head, top, body = area.rows(Pt(31), Pt(66), 1, gap=8)
    masthead(s, head)
    identity(s, top)
    left, middle, right = body.cols(0.95, 1.2, 1.2, gap=8)
    traits, money, contacts = left.rows(Pt(150), Pt(98), 1, gap=8)
    characteristics(s, traits)
    finance(s, money)
    inner = panel(s, contacts, "Allies & rivals", "D2")
    s.table(inner, ("NAME", "WHERE", "+/−"), (1.5, 1.2, 0.4), 7, aligns="llc", **HEADS)
    talent, career = middle.rows(1.12, 1, gap=8)
    skills(s, talent)
    inner = panel(s, career, "Career", "B2")
    s.table(inner, ("TERM", "SERVICE", "RANK", "EVENT OR MISHAP", "BENEFIT"), (0.5, 1.3, 0.6, 2, 1.1), 7, zebra=FOG,
            aligns="clcll", cells=[(str(i),) for i in range(1, 8)], cell_font="Quicksand-Bold", **HEADS)
    weapons, armour, gear, vessel = right.rows(Pt(100), Pt(62), 1, Pt(84), gap=8)
    inner = panel(s, weapons, "Weapons", "C1")
    s.table(inner, ("WEAPON", "RANGE", "DAMAGE", "ROUNDS", "KG"), (2, 0.9, 0.9, 0.8, 0.5), 4, zebra=FOG,
            aligns="lcccc", **HEADS)
    inner = panel(s, armour, "Armour", "C2")
    s.table(inner, ("WORN", "RATING", "SEALED", "KG"), (2.4, 0.9, 0.9, 0.6), 2, aligns="lccc", **HEADS)
    inner = panel(s, gear, "Gear", "C4")
    for column in inner.cols(1, 1, gap=12):
        s.ruled(column, 7, STEEL, 0.4)
    ship(s, vessel)
    s.text(page.cx, page.bottom - 13, "For use with Cepheus Engine and other 2D6 science-fiction rules. "
           "Contains no rules text. Design: CC BY 4.0.", 5.2, "Lato", STEEL, "center")
