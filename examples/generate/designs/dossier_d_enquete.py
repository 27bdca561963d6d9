# SPDX-License-Identifier: Apache-2.0
"""Investigator in French: rounded art-deco frames on ivory, two A4 pages."""

from sheetkit import A4, Box, HexColor, Pt

TEAL, GOLD, IVORY, SOFT, PALE = (HexColor(c) for c in ("#0f3d3e", "#a97f2f", "#fbf8ef", "#4f6566", "#efe6cf"))
WHITE = HexColor("#ffffff")
LABEL = {"size": 6.6, "font": "OldStandard-Italic", "color": SOFT, "rule": TEAL}
TRAITS = (("FOR", "Force"), ("CON", "Constitution"), ("TAI", "Taille"), ("DEX", "Dextérité"),
          ("INT", "Intelligence"), ("POU", "Pouvoir"), ("CHA", "Charisme"), ("ÉDU", "Éducation"))
SKILLS = (
    "Acrobatie", "Archéologie", "Arts martiaux", "Athlétisme", "Bibliothèque", "Bricolage", "Chimie", "Comptabilité",
    "Conduite", "Connaissance de la rue", "Crochetage", "Déguisement", "Discrétion", "Droit", "Écouter",
    "Équitation", "Esquive", "Étiquette", "Histoire", "Imposture", "Intimidation", "Langue étrangère",
    "Langue maternelle", "Lire sur les lèvres", "Marchandage", "Mécanique", "Médecine", "Natation", "Observation",
    "Occultisme", "Orientation", "Persuasion", "Photographie", "Pilotage", "Premiers soins", "Psychologie",
    "Sciences", "Sténographie")


def fan(s, cx, y, r, up=True):
    """A small sunburst, the ornament of the page."""
    import math
    for i in range(7):
        a = math.pi * (i + 0.5) / 7
        d = -1 if up else 1
        s.line(cx + r * 0.3 * math.cos(a), y + d * r * 0.3 * math.sin(a), cx + r * math.cos(a),
               y + d * r * math.sin(a), GOLD, 0.8)


def stepped(s, box):
    """The page's border: two lines with stepped corners."""
    for pad, width, color in ((0, 1.4, TEAL), (4, 0.5, GOLD)):
        b, k = box.inset(pad), 12
        x, y, r, t = b.x, b.y, b.right, b.bottom
        s.polygon([(x + 2 * k, y), (r - 2 * k, y), (r - 2 * k, y + k), (r - k, y + k), (r - k, y + 2 * k),
                   (r, y + 2 * k), (r, t - 2 * k), (r - k, t - 2 * k), (r - k, t - k), (r - 2 * k, t - k),
                   (r - 2 * k, t), (x + 2 * k, t), (x + 2 * k, t - k), (x + k, t - k), (x + k, t - 2 * k),
                   (x, t - 2 * k), (x, y + 2 * k), (x + k, y + 2 * k), (x + k, y + k), (x + 2 * k, y + k)],
                  color, None, width)


def panel(s, box, name):
    s.rect(box, TEAL, WHITE, 1.1, 11)
    s.rect(box.inset(2.6), GOLD, None, 0.45, 9)
    title = name.upper()
    width = s.measure(title, "OldStandard-Bold", 9, 1.8)
    x, y = box.cx - width / 2, box.y + 15.5
    s.text(x, y, title, 9, "OldStandard-Bold", TEAL, tracking=1.8)
    for side in (-1, 1):
        edge = box.cx + side * (width / 2 + 9)
        s.diamond(edge, y - 3, 2.2, None, GOLD)
        end = box.x + 14 if side < 0 else box.right - 14
        s.line(edge + side * 5, y - 3, end, y - 3, GOLD, 0.6)
    s.region(name, box, 0.5)
    return box.inset(12, 23, 12, 10)


def ground(s):
    page = s.page(A4)
    s.rect(page, None, IVORY)
    stepped(s, page.inset(20))
    return page.inset(36, 38, 36, 53)


def title(s, box, words, small):
    s.text(box.cx, box.y + 25, words, 25, "OldStandard-Bold", TEAL, "center", tracking=5)
    s.text(box.cx, box.y + 39, small, 7.6, "OldStandard-Italic", GOLD, "center", tracking=1.1)
    half = s.measure(words, "OldStandard-Bold", 25, 5) / 2
    for side in (-1, 1):
        fan(s, box.cx + side * (half + 36), box.y + 24, 17)
        s.line(box.cx + side * (half + 19), box.y + 26, box.cx + side * (half + 53), box.y + 26, TEAL, 0.9)


def identity(s, box):
    inner = panel(s, box, "Identité")
    rows = inner.rows(1, 1, 1, gap=4)
    plan = ((("Nom", 1.5), ("Joueur ou joueuse", 1)), (("Profession", 1.5), ("Âge", 0.4), ("Né·e à", 1)),
            (("Domicile", 1.5), ("Études", 1), ("Langues", 1)))
    for row, fields in zip(rows, plan):
        for cell, (label, _) in zip(row.cols(*(w for _, w in fields), gap=10), fields):
            s.entry(cell, label, **LABEL)


def characteristics(s, box):
    inner = panel(s, box, "Caractéristiques")
    for cell, (short, long) in zip(inner.grid(4, 2, 10, 8), TRAITS):
        s.rect(Box(cell.right - 22, cell.y, 22, cell.h - 9), TEAL, PALE, 0.8, 6)
        s.text(cell.x, cell.y + (cell.h - 9) / 2 + 4, short, 10.5, "OldStandard-Bold", TEAL)
        s.text(cell.right, cell.bottom - 0.5, long, 6.8, "OldStandard-Italic", SOFT, "right", fit=cell.w)


def track(s, box, name, count):
    s.text(box.x, box.y + 8.5, name, 8.4, "OldStandard-Bold", TEAL)
    for cell, i in zip(Box(box.x, box.y + 12, box.w, box.h - 12).grid(10, -(-count // 10), 2.2, 2.2), range(1, 99)):
        if i > count:
            break
        s.rect(cell, SOFT, WHITE, 0.4, 3)
        s.text(cell.cx, cell.cy + 2.1, str(i), 5.8, "OldStandard", SOFT, "center")


def vital(s, box):
    inner = panel(s, box, "Santé et sang-froid")
    left, right = inner.cols(1, 1, gap=18)
    life, power = left.rows(1, 1, gap=7)
    track(s, life, "Points de vie", 20)
    track(s, power, "Points de pouvoir", 20)
    nerve, state = right.rows(1.95, 1, gap=7)
    track(s, nerve, "Sang-froid", 40)
    states = (("Blessure grave", "Panique"), ("Inconscience", "Obsession"))
    for column, labels in zip(state.cols(1.15, 1, gap=3), states):
        for cell, label in zip(column.rows(1, 1, gap=3), labels):
            s.pip(cell.x + 3.5, cell.cy, 3.2, "diamond", color=TEAL)
            s.text(cell.x + 9, cell.cy + 2.3, label, 7, "OldStandard", TEAL, fit=cell.w - 9)


def skills(s, box):
    inner = panel(s, box, "Compétences")
    names = list(SKILLS) + [""] * 4
    columns = inner.cols(1, 1, 1, gap=14)
    for k, column in enumerate(columns):
        for lane, name in zip(column.rows(*[1] * 14), names[k * 14:(k + 1) * 14]):
            y = lane.cy + 2.6
            s.rect(Box(lane.x, lane.cy - 3, 6, 6), TEAL, WHITE, 0.6, 1.2)
            value = Box(lane.right - 25, lane.y + 1.4, 25, lane.h - 2.8)
            s.rect(value, TEAL, PALE, 0.45, 3)
            s.text(value.right - 3, y - 0.2, "%", 6, "OldStandard", SOFT, "right")
            end = lane.x + 10
            if name:
                end = s.text(lane.x + 10, y, name, 8, "OldStandard", TEAL, fit=lane.w - 38).right + 2
            s.line(end, y, value.x - 3, y, SOFT if name else TEAL, 0.4, (0.5, 2) if name else None)
    for left, right in zip(columns, columns[1:]):
        s.line((left.right + right.x) / 2, inner.y, (left.right + right.x) / 2, inner.bottom, GOLD, 0.45)


def page_one(s):
    area = ground(s)
    head, top, body, know, fight = area.rows(Pt(48), Pt(104), Pt(126), 1, Pt(130), gap=9)
    title(s, head, "DOSSIER D’ENQUÊTE", "Affaires étranges et disparitions · à remplir à la plume")
    portrait, who = top.cols(Pt(92), 1, gap=9)
    s.rect(portrait, TEAL, WHITE, 1.1, 11)
    s.rect(portrait.inset(2.6), GOLD, None, 0.45, 9)
    fan(s, portrait.cx, portrait.cy + 8, 22)
    s.text(portrait.cx, portrait.bottom - 11, "Photographie", 7, "OldStandard-Italic", SOFT, "center")
    identity(s, who)
    left, right = body.cols(1, 1, gap=9)
    characteristics(s, left)
    vital(s, right)
    skills(s, know)
    inner = panel(s, fight, "Combat")
    s.table(inner, ("Arme", "%", "Dégâts", "Portée", "Cadence", "Coups", "Panne"), (2.6, 0.7, 1.2, 1, 1, 0.8, 0.8), 5,
            font="OldStandard-Italic", color=SOFT, rule=TEAL, size=7, aligns="lcccccc", zebra=IVORY)


def page_two(s):
    area = ground(s)
    head, top, middle, clues, foot = area.rows(Pt(48), Pt(196), Pt(150), 1, Pt(104), gap=9)
    title(s, head, "LE FIL DE L’AFFAIRE", "Ce que l’on sait, ce que l’on tait")
    left, right = top.cols(1.2, 1, gap=9)
    s.ruled(panel(s, left, "Histoire personnelle"), 9, SOFT, 0.35)
    s.ruled(panel(s, right, "Équipement"), 9, SOFT, 0.35)
    inner = panel(s, middle, "Relations")
    s.table(inner, ("Nom", "Lien", "Où la trouver", "Confiance"), (1.4, 1.4, 1.6, 0.9), 5, font="OldStandard-Italic",
            color=SOFT, rule=TEAL, size=7, zebra=IVORY)
    inner = panel(s, clues, "Registre d’indices")
    s.table(inner, ("Nº", "Date", "Lieu", "Indice ou témoignage", "Vérifié"), (0.4, 0.8, 1.3, 3.2, 0.6), 11,
            font="OldStandard-Italic", color=SOFT, rule=TEAL, size=7, aligns="cllll", zebra=IVORY,
            cells=[(str(i),) for i in range(1, 12)], cell_font="OldStandard")
    left, right = foot.cols(1, 1.5, gap=9)
    inner = panel(s, left, "Finances")
    for cell, label in zip(inner.rows(1, 1, 1, gap=3), ("Revenu mensuel", "Argent liquide", "Biens et dettes")):
        s.entry(cell.inset(0, 0, 0, 1), label, place="inline", size=7.6, font="OldStandard", color=TEAL, rule=TEAL)
    s.ruled(panel(s, right, "Notes"), 4, SOFT, 0.35)


def draw(s):
    s.font, s.ink = "OldStandard", TEAL
    page_one(s)
    page_two(s)
