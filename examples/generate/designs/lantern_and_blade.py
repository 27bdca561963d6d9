# SPDX-License-Identifier: Apache-2.0
"""Fifth-edition hero: framed boxes with cut corners, two Letter pages, fillable."""

from sheetkit import LETTER, Box, HexColor, Pt

FILLABLE = True
INK, BRASS, SOFT, TINT, WHITE = (HexColor(c) for c in ("#1f2a44", "#9a6b1f", "#5d6579", "#f5f0e4", "#ffffff"))
ABILITIES = ("Strength", "Dexterity", "Constitution", "Intelligence", "Wisdom", "Charisma")
SKILLS = (("Acrobatics", "Dex"), ("Animal Handling", "Wis"), ("Arcana", "Int"), ("Athletics", "Str"),
          ("Deception", "Cha"), ("History", "Int"), ("Insight", "Wis"), ("Intimidation", "Cha"),
          ("Investigation", "Int"), ("Medicine", "Wis"), ("Nature", "Int"), ("Perception", "Wis"),
          ("Performance", "Cha"), ("Persuasion", "Cha"), ("Religion", "Int"), ("Sleight of Hand", "Dex"),
          ("Stealth", "Dex"), ("Survival", "Wis"))
LABEL = {"size": 6.2, "font": "Lato-Medium", "color": SOFT, "rule": INK}


def panel(s, box, name):
    """A cut-corner frame whose heading sits in its top edge; gives the room inside."""
    s.cut(box, INK, WHITE, 0.9, 7)
    s.cut(box.inset(2.4), BRASS, None, 0.35, 6)
    width = s.measure(name.upper(), "Vollkorn-Bold", 8.6, 1.1)
    s.rect(Box(box.x + 12, box.y - 4, width + 12, 9), None, WHITE)
    s.text(box.x + 18, box.y + 3, name.upper(), 8.6, "Vollkorn-Bold", INK, tracking=1.1)
    s.region(name, Box(box.x, box.y - 4, box.w, box.h + 4), 1)
    return box.inset(10, 12, 10, 9)


def emblem(s, x, y):
    s.diamond(x, y, 17, BRASS, TINT, 0.9)
    s.diamond(x, y, 13, BRASS, None, 0.4)
    s.polygon([(x - 4, y - 4), (x + 4, y - 4), (x + 5.5, y + 7), (x - 5.5, y + 7)], INK, WHITE, 0.9)
    s.line(x - 4, y - 4, x, y - 8.5, INK, 0.9)
    s.line(x + 4, y - 4, x, y - 8.5, INK, 0.9)
    s.polygon([(x, y - 2.5), (x + 2.2, y + 2), (x, y + 5), (x - 2.2, y + 2)], None, BRASS)


def masthead(s, box, subtitle):
    emblem(s, box.x + 18, box.y + 24)
    s.text(box.x + 42, box.y + 23, "Lantern & Blade", 17, "Vollkorn-Black", INK)
    s.text(box.x + 42, box.y + 34, subtitle, 6, "Lato-Medium", BRASS, tracking=1.0)


def footer(s):
    s.text(306, 775, "For use with fifth-edition rules. Contains terms from the System Reference Document 5.1 "
           "by Wizards of the Coast LLC, used under CC BY 4.0.", 5.4, "Lato", SOFT, "center")


def identity(s, box):
    inner = panel(s, box, "Identity")
    first, second = inner.rows(1, 1, gap=5)
    for cell, label in zip(first.cols(2, 1, gap=10), ("Hero’s name", "Player")):
        s.entry(cell, label, **LABEL)
    labels = ("Class & level", "Species", "Background", "Alignment", "Experience")
    for cell, label in zip(second.cols(1.5, 1.1, 1.2, 1, 0.9, gap=10), labels):
        s.entry(cell, label, **LABEL)


def abilities(s, box):
    inner = panel(s, box, "Abilities")
    for cell, name in zip(inner.rows(*[1] * 6, gap=7), ABILITIES):
        s.rect(cell, None, TINT, radius=3)
        s.text(cell.cx, cell.y + 9.5, name.upper(), 6.4, "Lato-Bold", INK, "center", tracking=0.7)
        score, modifier = cell.inset(5, 14, 5, 13).cols(1.25, 1, gap=5)
        s.rect(score, INK, WHITE, 0.8, 2)
        s.write(score, f"{name} score", align=1, size=14)
        s.cut(modifier, BRASS, WHITE, 0.8, 4)
        s.write(modifier, f"{name} modifier", align=1)
        s.text(score.cx, cell.bottom - 4, "Score", 5.6, "Lato", SOFT, "center")
        s.text(modifier.cx, cell.bottom - 4, "Mod", 5.6, "Lato", SOFT, "center")


def tick_rows(s, box, rows):
    for lane, (name, ability) in zip(box.rows(*[1] * len(rows)), rows):
        y = lane.cy + 2
        s.pip(lane.x + 4, lane.cy, 3.1, "diamond", color=INK, label=f"{name} proficient")
        s.line(lane.x + 13, y + 1.5, lane.x + 33, y + 1.5, INK, 0.5)
        s.write(Box(lane.x + 13, lane.y, 20, lane.h), f"{name} bonus", align=1)
        s.text(lane.x + 38, y + 0.6, name, 7.6, "Lato", INK)
        if ability:
            s.text(lane.right, y + 0.6, ability, 6, "Lato-Italic", SOFT, "right")


def combat(s, box):
    inner = panel(s, box, "Combat")
    top, hits, low = inner.rows(Pt(44), Pt(45), 1, gap=9)
    for cell, name in zip(top.cols(1, 1, 1, 1, gap=8), ("Armor class", "Initiative", "Speed", "Proficiency")):
        s.cut(cell, INK, TINT, 0.9, 6)
        s.write(Box(cell.x + 4, cell.y + 4, cell.w - 8, cell.h - 18), name, align=1, size=14)
        s.text(cell.cx, cell.bottom - 5, name, 6.2, "Lato-Bold", INK, "center", fit=cell.w - 6)
    for cell, name in zip(hits.cols(1, 1.5, 1, gap=8), ("Hit point maximum", "Current hit points", "Temporary")):
        s.rect(cell, INK, None, 0.7, 3)
        s.text(cell.cx, cell.y + 8.5, name, 6.2, "Lato-Bold", INK, "center", fit=cell.w - 6)
        s.write(Box(cell.x + 2, cell.y + 11, cell.w - 4, cell.h - 13), name, align=1, size=14)
    dice, death = low.cols(1, 1.25, gap=12)
    s.entry(Box(dice.x, dice.y + 2, dice.w, 24), "Hit dice (total and spent)", **LABEL)
    for i, name in enumerate(("Successes", "Failures")):
        y = death.y + 9 + i * 13
        s.text(death.x, y + 2.4, f"Death save {name.lower()}", 6.4, "Lato-Medium", SOFT)
        s.pips(death.right - 42, y, 3, 16, 4.6, color=INK, label=name)


def page_one(s):
    sheet = s.page(LETTER).inset(30, 24, 30, 28)
    head, body, foot = sheet.rows(Pt(70), Pt(418), 1, gap=12)
    masthead(s, head, "FIFTH-EDITION HERO SHEET")
    identity(s, Box(head.x + 192, head.y + 2, head.w - 192, head.h - 2))
    left, middle, right = body.cols(Pt(98), Pt(172), 1, gap=10)
    abilities(s, left)
    saves, skills = middle.rows(Pt(98), 1, gap=12)
    tick_rows(s, panel(s, saves, "Saving throws"), [(a, "") for a in ABILITIES])
    tick_rows(s, panel(s, skills, "Skills"), SKILLS)
    fight, attacks, person = right.rows(Pt(158), Pt(118), 1, gap=12)
    combat(s, fight)
    inner = panel(s, attacks, "Attacks")
    s.table(inner, ("Weapon or spell", "Bonus", "Damage & type"), (2, 0.8, 1.4), 5, font="Lato-Bold", color=SOFT,
            rule=INK, zebra=TINT)
    inner = panel(s, person, "Personality")
    for cell, label in zip(inner.grid(2, 2, 10, 6), ("Traits", "Ideals", "Bonds", "Flaws")):
        s.text(cell.x, cell.y + 6, label, 6.4, "Lato-Bold", INK)
        s.ruled(Box(cell.x, cell.y + 9, cell.w, cell.h - 9), 2, INK, 0.35, label=label)
    gear, features, languages = foot.cols(1.15, 1.3, 0.9, gap=10)
    inner = panel(s, gear, "Equipment")
    purse, goods = inner.cols(Pt(44), 1, gap=9)
    for cell, coin in zip(purse.rows(*[1] * 5, gap=5), ("cp", "sp", "ep", "gp", "pp")):
        s.rect(cell, INK, TINT, 0.6, 3)
        s.text(cell.x + 4, cell.cy + 2.2, coin, 6.4, "Lato-Bold", BRASS)
        s.write(Box(cell.x + 15, cell.y + 2, cell.w - 16, cell.h - 4), coin, align=1)
    s.ruled(goods, 11, INK, 0.35, label="Goods")
    s.ruled(panel(s, features, "Features & traits"), 11, INK, 0.35, label="Features")
    s.ruled(panel(s, languages, "Proficiencies"), 11, INK, 0.35, label="Proficiencies")
    footer(s)


def slots(s, box):
    for i, cell in enumerate(panel(s, box, "Spell slots").grid(9, 1, 6)):
        s.text(cell.cx, cell.y + 10, str(i + 1), 12, "Vollkorn-Bold", INK, "center")
        count = (4, 3, 3, 3, 3, 2, 2, 1, 1)[i]
        for k in range(count):
            s.pip(cell.cx + (k - (count - 1) / 2) * 11, cell.y + 21, 4.2, color=INK, label=f"Level {i + 1} slot")
        if i:
            s.line(cell.x - 3, cell.y, cell.x - 3, cell.bottom, BRASS, 0.35)


def page_two(s):
    sheet = s.page(LETTER).inset(30, 24, 30, 28)
    head, slot, spells, story = sheet.rows(Pt(70), Pt(48), Pt(330), 1, gap=13)
    masthead(s, head, "SPELLS & STORY")
    inner = panel(s, Box(head.x + 192, head.y + 2, head.w - 192, head.h - 2), "Spellcasting")
    cells = inner.cols(1.6, 1.2, 1, 1, gap=10)
    for cell, name in zip(cells, ("Spellcasting class", "Ability", "Save DC", "Attack bonus")):
        s.cut(Box(cell.x, cell.y + 2, cell.w, cell.h - 13), INK, TINT, 0.7, 5)
        s.write(Box(cell.x + 4, cell.y + 4, cell.w - 8, cell.h - 17), name, align=1)
        s.text(cell.cx, cell.bottom - 1.5, name, 6.2, "Lato-Medium", SOFT, "center", fit=cell.w)
    slots(s, slot)
    inner = panel(s, spells, "Spell list")
    titles = ("Ready", "Level", "Name", "Casting time", "Range", "C", "R", "M", "Notes")
    shares = (0.55, 0.55, 2.6, 1.2, 1, 0.32, 0.32, 0.32, 2.1)
    fillable, s.fillable = s.fillable, False
    lanes = s.table(inner, titles, shares, 22, font="Lato-Bold", color=SOFT, rule=INK, zebra=TINT, aligns="ccllccccl")
    s.fillable = fillable
    for lane in lanes:
        for j, (cell, title) in enumerate(zip(lane.cols(*shares), titles)):
            if j in (0, 5, 6, 7):
                s.pip(cell.cx, cell.cy, 3.0, "square", color=INK, fill=WHITE, width=0.5, label=title)
            else:
                s.write(cell, title)
    allies, past = story.cols(1, 1.2, gap=10)
    friends, hoard = allies.rows(1, 1, gap=12)
    inner = panel(s, friends, "Companions")
    s.table(inner, ("Name", "Kind", "AC", "HP"), (1.6, 1.2, 0.5, 0.5), 4, font="Lato-Bold", color=SOFT, rule=INK,
            aligns="llcc")
    s.ruled(panel(s, hoard, "Treasure"), 5, INK, 0.35, label="Treasure")
    s.ruled(panel(s, past, "Backstory"), 12, INK, 0.35, label="Backstory")
    footer(s)


def draw(s):
    page_one(s)
    page_two(s)
