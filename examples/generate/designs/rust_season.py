# SPDX-License-Identifier: Apache-2.0
"""Survivor's sheet: heavy bars and hazard stripes; an upright A4 medium that its reader turns by 90 degrees."""

from sheetkit import A4, Box, HexColor, Pt

SOOT, RUST, ASH, BONE, WHITE = (HexColor(c) for c in ("#26211d", "#b3501c", "#7a7068", "#f0ebe3", "#ffffff"))
HEADS = {"font": "Lato-Bold", "color": ASH, "rule": SOOT, "size": 5.8, "head": 9}
ATTRIBUTES = ("Strength", "Agility", "Wits", "Empathy")
LABEL = {"size": 6, "font": "Lato-Medium", "color": ASH, "rule": SOOT}


def hazard(s, box, step=8.0):
    """Slanted stripes, cut off at the box."""
    s.rect(box, None, RUST)
    s.canvas.saveState()
    clip = s.canvas.beginPath()
    clip.rect(box.x, s.height - box.bottom, box.w, box.h)
    s.canvas.clipPath(clip, stroke=0, fill=0)
    x = box.x - box.h
    while x < box.right:
        s.polygon([(x, box.bottom), (x + box.h, box.y), (x + box.h + step / 2, box.y), (x + step / 2, box.bottom)],
                  None, SOOT)
        x += step
    s.canvas.restoreState()


def panel(s, box, name):
    """A thick left edge and a label that hangs on it like a stencilled plate; the block stands on pale ground."""
    s.rect(box, None, BONE)
    s.rect(Box(box.x, box.y, 4, box.h), None, SOOT)
    width = s.measure(name.upper(), "Lato-Black", 8.4, 0.9) + 14
    s.polygon([(box.x, box.y), (box.x + width + 7, box.y), (box.x + width, box.y + 13), (box.x, box.y + 13)],
              None, SOOT)
    s.text(box.x + 7, box.y + 9.6, name.upper(), 8.4, "Lato-Black", WHITE, tracking=0.9)
    s.region(name, box)
    return box.inset(11, 18, 8, 8)


def attribute_rows(s, box):
    inner = panel(s, box, "Attributes")
    for lane, name in zip(inner.rows(1, 1, 1, 1, gap=5), ATTRIBUTES):
        s.rect(Box(lane.x, lane.y, 27, lane.h), SOOT, WHITE, 1.1)
        s.text(lane.x + 33, lane.cy - 1, name, 9.4, "Lato-Black", SOOT)
        s.text(lane.x + 33, lane.cy + 8.5, "worn down", 6.2, "Lato-Italic", RUST)
        for k in range(6):
            small = Box(lane.right - (6 - k) * 12.5 + 1.5, lane.cy - 5.5, 11, 11)
            s.rect(small, SOOT, WHITE, 0.7)


def skills(s, box):
    inner = panel(s, box, "Skills")
    for group, attribute in zip(inner.rows(1, 1, 1, 1, gap=6), ATTRIBUTES):
        s.text(group.x, group.y + 6, attribute.upper(), 5.6, "Lato-Bold", RUST, tracking=0.7)
        for lane in Box(group.x, group.y + 8, group.w, group.h - 8).rows(1, 1, 1):
            s.line(lane.x, lane.bottom - 1.2, lane.right - 62, lane.bottom - 1.2, SOOT, 0.5)
            for k in range(5):
                s.pip(lane.right - 4 - (4 - k) * 11.5, lane.bottom - 5.2, 4, "square", color=SOOT, fill=WHITE)


def conditions(s, box):
    inner = panel(s, box, "Conditions")
    for cell, name in zip(inner.grid(2, 3, 8, 2), ("Hungry", "Thirsty", "Exhausted", "Freezing", "Sick", "Broken")):
        s.pip(cell.x + 4, cell.cy, 4, "square", color=SOOT, fill=WHITE, width=0.8)
        s.text(cell.x + 13, cell.cy + 2.7, name, 7.8, "Lato-Medium", SOOT)


def settlement(s, box):
    inner = panel(s, box, "Settlement")
    name, values, works, people = inner.cols(1, 1, 1.35, 1.35, gap=14)
    for cell, label in zip(name.rows(1, 1, 1, gap=3), ("Name of the place", "Who leads it", "What threatens it")):
        s.entry(cell, label, **LABEL)
    for lane, label in zip(values.rows(1, 1, 1, 1, gap=4), ("Food", "Shelter", "Tools", "Defence")):
        s.text(lane.x, lane.cy + 2.7, label, 7.8, "Lato-Bold", SOOT)
        for k in range(8):
            s.pip(lane.right - 4 - (7 - k) * 11.5, lane.cy, 4, "circle", color=SOOT, fill=WHITE)
    for area, title in ((works, "Works under way"), (people, "People who matter")):
        s.text(area.x, area.y + 5, title, 6.4, "Lato-Bold", RUST)
        s.ruled(Box(area.x, area.y + 6, area.w, area.h - 6), 4, SOOT, 0.4)


def draw(s):
    s.font, s.ink = "Lato", SOOT
    page = s.page((A4[1], A4[0]), rotate=90)
    area = page.inset(24, 22, 24, 27)
    head, body, home = area.rows(Pt(50), 1, Pt(104), gap=8)
    plate, who = head.cols(Pt(218), 1, gap=10)
    s.rect(plate, None, SOOT)
    hazard(s, Box(plate.x, plate.bottom - 8, plate.w, 8))
    s.text(plate.x + 12, plate.y + 28, "RUST SEASON", 25, "Lato-Black", WHITE, tracking=1.6)
    s.text(plate.x + 13, plate.y + 38, "SURVIVOR’S SHEET", 5.8, "Lato-Bold", BONE, tracking=2.2)
    s.region("Identity", who)
    top, low = who.inset(0, 2, 0, 2).rows(1, 1, gap=3)
    for cell, label in zip(top.cols(1.6, 1, 0.4, 1, gap=10), ("Name", "Role", "Age", "Player")):
        s.entry(cell, label, **LABEL)
    for cell, label in zip(low.cols(1.3, 1.3, 1.4, gap=10), ("Appearance", "What keeps me going", "What I lost")):
        s.entry(cell, label, **LABEL)
    one, two, three, four = body.cols(1, 0.92, 1.28, 1.08, gap=8)
    traits, states, mutation = one.rows(Pt(150), Pt(72), 1, gap=8)
    attribute_rows(s, traits)
    conditions(s, states)
    s.ruled(panel(s, mutation, "Talents"), 5, SOOT, 0.4)
    able, progress = two.rows(1, Pt(62), gap=8)
    skills(s, able)
    inner = panel(s, progress, "Experience")
    for cell in inner.grid(10, 2, 3, 4):
        s.pip(cell.cx, cell.cy, 4.4, "square", color=SOOT, fill=WHITE)
    arms, armour, friends = three.rows(1.05, Pt(70), 1, gap=8)
    s.table(panel(s, arms, "Weapons"), ("Weapon", "Bonus", "Damage", "Range", "Ammo"), (2, 0.8, 0.9, 0.8, 0.8), 5,
            aligns="lcccc", **HEADS)
    s.table(panel(s, armour, "Armour"), ("Worn", "Rating", "Damaged"), (2.4, 1, 1), 2, aligns="lcc", **HEADS)
    s.table(panel(s, friends, "Relations"), ("Name", "What binds us", "Trust"), (1.2, 1.8, 0.5), 4,
            aligns="llc", **HEADS)
    gear, stash = four.rows(1, Pt(112), gap=8)
    inner = panel(s, gear, "Gear")
    for i, lane in enumerate(inner.rows(*[1] * 10)):
        s.text(lane.x + 7, lane.bottom - 2.5, str(i + 1), 6.6, "Lato-Bold", RUST, "center")
        s.line(lane.x + 14, lane.bottom, lane.right - 28, lane.bottom, SOOT, 0.45)
        s.rect(Box(lane.right - 24, lane.bottom - 12, 24, 12), SOOT, WHITE, 0.5)
        s.text(lane.right - 21, lane.bottom - 3.4, "+", 6.4, "Lato-Bold", ASH)
    inner = panel(s, stash, "Supplies")
    for lane, label in zip(inner.rows(1, 1, 1, 1, gap=4), ("Rations", "Water", "Rounds", "Fuel")):
        s.text(lane.x, lane.cy + 2.7, label, 7.8, "Lato-Bold", SOOT)
        for k in range(10):
            s.pip(lane.right - 4 - (9 - k) * 10.6, lane.cy, 3.8, "circle", color=SOOT, fill=WHITE)
    settlement(s, home)
    s.text(page.cx, page.bottom - 14, "For use with games on the Year Zero Engine. Contains no rules text. "
           "Design: CC BY 4.0.", 5.2, "Lato", ASH, "center")
