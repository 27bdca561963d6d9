# SPDX-License-Identifier: Apache-2.0
"""Second-edition hero as a ledger: dense tables in two columns with a gutter, two Letter pages."""

from sheetkit import LETTER, Box, HexColor, Pt

INK, MOSS, SOFT, LEAF, RULE, WHITE = (
    HexColor(c) for c in ("#1c2420", "#2f5d43", "#5b6660", "#e9f0ea", "#8fa096", "#ffffff"))
HEADS = {"font": "Lato-Bold", "color": SOFT, "rule": RULE, "size": 5.6, "head": 9, "zebra": LEAF}
LABEL = {"size": 5.6, "font": "Lato", "color": SOFT, "rule": INK}
RANKS = "TEML"
SKILLS = (("Acrobatics", "Dex"), ("Arcana", "Int"), ("Athletics", "Str"), ("Crafting", "Int"), ("Deception", "Cha"),
          ("Diplomacy", "Cha"), ("Intimidation", "Cha"), ("Medicine", "Wis"), ("Nature", "Wis"), ("Occultism", "Int"),
          ("Performance", "Cha"), ("Religion", "Wis"), ("Society", "Int"), ("Stealth", "Dex"), ("Survival", "Wis"),
          ("Thievery", "Dex"), ("Lore", "Int"), ("Lore", "Int"))


def section(s, box, name):
    """A heavy rule, the heading under it, and no frame."""
    s.line(box.x, box.y + 0.8, box.right, box.y + 0.8, MOSS, 1.8)
    s.text(box.x, box.y + 12, name, 9.6, "Lato-Black", MOSS)
    s.region(name, box, 0.8)
    return box.inset(0, 17.5, 0, 0)


def masthead(s, box, part):
    s.text(box.x, box.y + 17, "Wayfarer’s Ledger", 20, "Lato-Black", INK)
    s.text(box.right, box.y + 17, part, 8, "Lato-Italic", MOSS, "right")
    s.line(box.x, box.bottom, box.right, box.bottom, INK, 0.6)


def footer(s, page):
    s.text(page.cx, page.bottom - 15, "For use with the second edition of Pathfinder. Terms from material released "
           "under the ORC License; no rules text.", 5.2, "Lato", SOFT, "center")


def gutter(s, left, right):
    x = (left.right + right.x) / 2
    s.line(x, left.y, x, left.bottom, RULE, 0.4, (1, 2.4))


def ranks(s, x, cy):
    """Four proficiency boxes with their letters."""
    for k, letter in enumerate(RANKS):
        box = Box(x + k * 9.6, cy - 4, 8, 8)
        s.rect(box, INK, WHITE, 0.45)
        s.text_in(box, letter, 5, font="Lato", color=RULE)
    return x + 4 * 9.6


def proficiency(s, box, rows, parts):
    """Lines of: name, total, ability, rank boxes, and where the rest comes from."""
    head, body = box.rows(Pt(8), 1)
    total, start = body.x + 74, body.x + 128
    s.text(total + 12, head.y + 6, "Total", 5.4, "Lato-Bold", SOFT, "center")
    s.text(total + 36, head.y + 6, "Key", 5.4, "Lato-Bold", SOFT, "center")
    s.text(start + 18, head.y + 6, "Rank", 5.4, "Lato-Bold", SOFT, "center")
    spans = Box(start + 44, body.y, body.right - start - 44, body.h).cols(*[1] * len(parts), gap=3)
    for span, part in zip(spans, parts):
        s.text(span.cx, head.y + 6, part, 5.4, "Lato-Bold", SOFT, "center", fit=span.w + 2)
    lanes = body.rows(*[1] * len(rows))
    for i, (lane, (name, key)) in enumerate(zip(lanes, rows)):
        if i % 2 == 0:
            s.rect(lane, None, LEAF)
        ink = s.text(lane.x + 2, lane.cy + 2.6, name, 7.6, "Lato-Medium", INK)
        if name == "Lore":
            s.line(ink.right + 3, lane.cy + 3.4, total - 4, lane.cy + 3.4, INK, 0.4)
        s.rect(Box(total, lane.y + 1.2, 24, lane.h - 2.4), INK, WHITE, 0.7)
        s.text(total + 36, lane.cy + 2.2, key, 6.2, "Lato-Italic", SOFT, "center")
        ranks(s, start, lane.cy)
        for span in spans:
            s.line(span.x, lane.bottom - 2.2, span.right, lane.bottom - 2.2, INK, 0.4)


def attributes(s, box):
    inner = section(s, box, "Attributes")
    names = ("Strength", "Dexterity", "Constitution", "Intelligence", "Wisdom", "Charisma")
    for cell, name in zip(inner.grid(6, 1, 5), names):
        s.rect(Box(cell.x, cell.y, cell.w, cell.h - 9), INK, LEAF, 0.8)
        s.line(cell.x + 4, cell.bottom - 18, cell.right - 4, cell.bottom - 18, RULE, 0.5)
        s.text(cell.cx, cell.bottom - 11.6, "boost", 4.8, "Lato", SOFT, "center")
        s.text(cell.cx, cell.bottom - 2, name, 6.2, "Lato-Bold", INK, "center", fit=cell.w)


def defenses(s, box):
    inner = section(s, box, "Defenses")
    big, saves = inner.rows(Pt(46), 1, gap=6)
    labels = ("Armor class", "Hit points", "Temporary", "Dying", "Wounded", "Shield")
    for cell, label in zip(big.cols(1, 1.3, 1, 0.8, 0.8, 1, gap=5), labels):
        s.rect(Box(cell.x, cell.y, cell.w, cell.h - 9), INK, WHITE, 1.0 if label == "Armor class" else 0.6)
        s.text(cell.cx, cell.bottom - 2, label, 5.8, "Lato-Bold", INK, "center", fit=cell.w)
    proficiency(s, saves, (("Fortitude", "Con"), ("Reflex", "Dex"), ("Will", "Wis"), ("Perception", "Wis"),
                           ("Class DC", "")), ("Attr.", "Item", "Other"))


def page_one(s):
    page = s.page(LETTER)
    area = page.inset(34, 24, 34, 28)
    head, who, body = area.rows(Pt(26), Pt(66), 1, gap=9)
    masthead(s, head, "Leaf one: the hero")
    inner = section(s, who, "Identity")
    first, second = inner.rows(1, 1, gap=3)
    for cell, label in zip(first.cols(2, 1, 0.5, 0.8, gap=9), ("Character", "Player", "Level", "Experience")):
        s.entry(cell, label, **LABEL)
    labels = ("Ancestry & heritage", "Background", "Class", "Size", "Deity or philosophy", "Hero points")
    for cell, label in zip(second.cols(1.4, 1.1, 1.1, 0.5, 1.2, 0.7, gap=9), labels):
        s.entry(cell, label, **LABEL)
    left, right = body.cols(1, 1, gap=24)
    gutter(s, left, right)
    traits, guard, skills = left.rows(Pt(72), Pt(152), 1, gap=11)
    attributes(s, traits)
    defenses(s, guard)
    proficiency(s, section(s, skills, "Skills"), SKILLS, ("Attr.", "Item", "Other"))
    strikes, armor, actions, states, notes = right.rows(Pt(150), Pt(74), 1, Pt(66), Pt(96), gap=11)
    s.table(section(s, strikes, "Strikes"), ("Weapon", "To hit", "Damage", "Hands", "Traits"),
            (1.8, 0.7, 1.1, 0.6, 1.8), 7, aligns="lcccl", **HEADS)
    s.table(section(s, armor, "Armor & shields"), ("Worn", "AC", "Dex cap", "Check", "Speed", "Bulk"),
            (2, 0.6, 0.8, 0.7, 0.7, 0.6), 3, aligns="lccccc", **HEADS)
    s.table(section(s, actions, "Actions & reactions"), ("Name", "Cost", "Traits", "What it does"),
            (1.5, 0.5, 1.1, 2.5), 12, aligns="lcll", **HEADS)
    inner = section(s, states, "Movement & senses")
    for cell, label in zip(inner.grid(4, 2, 8, 2), ("Speed", "Climb", "Swim", "Fly", "Vision", "Senses", "Languages",
                                                    "Resistances")):
        s.entry(cell, label, **LABEL)
    s.ruled(section(s, notes, "Notes"), 5, RULE, 0.5)
    footer(s, page)


def page_two(s):
    page = s.page(LETTER)
    area = page.inset(34, 24, 34, 28)
    head, body = area.rows(Pt(26), 1, gap=9)
    masthead(s, head, "Leaf two: feats, goods and spells")
    left, right = body.cols(1, 1, gap=24)
    gutter(s, left, right)
    feats, purse = left.rows(1, Pt(96), gap=11)
    cells = [(str(n),) for n in range(1, 21)]
    titles = ("Level", "Ancestry or class", "Skill or general", "Boosts & features")
    s.table(section(s, feats, "Feats by level"), titles, (0.42, 1.2, 1.2, 1.2), 20, aligns="clll", cells=cells, cell_font="Lato-Bold", **HEADS)
    inner = section(s, purse, "Wealth")
    coins, rest = inner.rows(Pt(30), 1, gap=4)
    for cell, name in zip(coins.cols(1, 1, 1, 1, gap=6), ("Copper", "Silver", "Gold", "Platinum")):
        s.rect(Box(cell.x, cell.y, cell.w, cell.h - 8), INK, LEAF, 0.6)
        s.text(cell.cx, cell.bottom - 1.5, name, 5.8, "Lato-Bold", SOFT, "center")
    s.ruled(rest, 3, RULE, 0.5)
    goods, magic, spells = right.rows(Pt(236), Pt(74), 1, gap=11)
    s.table(section(s, goods, "Inventory"), ("Item", "Where", "Worn", "Bulk"), (2.4, 1, 0.5, 0.5), 14, aligns="llcc",
            **HEADS)
    inner = section(s, magic, "Spellcasting")
    proficiency(s, inner, (("Spell attack", ""), ("Spell DC", ""), ("Counteract", "")), ("Attr.", "Item", "Other"))
    s.table(section(s, spells, "Spell ledger"), ("Rank", "Spell", "Acts", "Range", "Notes", "Cast"),
            (0.45, 1.7, 0.5, 0.7, 1.6, 0.45), 20, aligns="clccll", **HEADS)
    footer(s, page)


def draw(s):
    s.font, s.ink = "Lato", INK
    page_one(s)
    page_two(s)
