# SPDX-License-Identifier: Apache-2.0
"""German sheet for Fate: nothing but rules and white space, one A5 page."""

from sheetkit import A5, Box, HexColor, Pt

INK, ACCENT, SOFT, HAIR = (HexColor(c) for c in ("#22282b", "#00707a", "#6d7478", "#9aa1a4"))
SMALL = {"size": 6.4, "font": "Lato", "color": SOFT, "rule": HAIR, "width": 0.4}


def section(s, box, name, note=""):
    """A heading on a hairline."""
    s.line(box.x, box.y, box.right, box.y, ACCENT, 0.9)
    s.text(box.x, box.y + 12.5, name, 10.5, "Lato-Light", ACCENT)
    if note:
        s.text(box.right, box.y + 12, note, 6.2, "Lato-Italic", SOFT, "right")
    s.region(name, box, 1)
    return box.inset(0, 18, 0, 0)


def lines(s, box, labels):
    for lane, label in zip(box.rows(*[1] * len(labels)), labels):
        s.line(lane.x, lane.bottom, lane.right, lane.bottom, HAIR, 0.4)
        s.text(lane.x, lane.bottom - 3, label, 6.4, "Lato", SOFT)


def stress(s, box, name, note):
    inner = section(s, box, name, note)
    for k in range(4):
        x = inner.x + k * 30
        s.text(x, inner.cy + 3.4, str(k + 1), 8, "Lato-Light", SOFT)
        s.rect(Box(x + 8, inner.cy - 6.5, 13, 13), INK, None, 0.6)


def draw(s):
    s.font, s.ink = "Lato", INK
    page = s.page(A5)
    area = page.inset(32, 28, 32, 34)
    head, aspects, middle, strain, results = area.rows(Pt(82), Pt(118), 1, Pt(42), Pt(88), gap=12)
    s.text(head.x, head.y + 17, "Schicksalsbogen", 21, "Lato-Light", INK)
    s.text(head.right, head.y + 17, "für Fate", 8, "Lato-Italic", ACCENT, "right")
    who = head.inset(0, 24, 0, 0)
    s.region("Name und Beschreibung", who, 1)
    top, low = who.rows(1, 1, gap=4)
    for cell, label in zip(top.cols(2.4, 1, 1, gap=14), ("Name", "Erneuerung", "Fatepunkte")):
        s.entry(cell, label, **SMALL)
    for cell, label in zip(low.cols(2.4, 2, gap=14), ("Beschreibung", "Gespielt von")):
        s.entry(cell, label, **SMALL)
    lines(s, section(s, aspects, "Aspekte", "Wer du bist, was dich treibt, was dir Ärger bringt"),
          ("Konzept", "Dilemma", "Aspekt", "Aspekt", "Aspekt"))
    left, right = middle.cols(1.25, 1, gap=18)
    inner = section(s, left, "Fertigkeiten", "Pyramide")
    steps = (("Fantastisch", 6), ("Hervorragend", 5), ("Großartig", 4), ("Gut", 3), ("Ordentlich", 2),
             ("Durchschnittlich", 1))
    for lane, (word, value) in zip(inner.rows(*[1] * 6), steps):
        s.text(lane.x, lane.bottom - 1.5, f"+{value}", 9.5, "Lato-Light", ACCENT)
        s.text(lane.x, lane.bottom - 11.5, word, 5.8, "Lato", SOFT)
        spans = Box(lane.x + 44, lane.y, lane.w - 44, lane.h).cols(1, 1, 1, gap=5)
        for span in spans[:min(6 - value + 1, 3)]:
            s.line(span.x, span.bottom, span.right, span.bottom, INK, 0.45)
    stunts, extras = right.rows(1.35, 1, gap=12)
    s.ruled(section(s, stunts, "Stunts"), 4, HAIR, 0.4)
    s.ruled(section(s, extras, "Extras"), 3, HAIR, 0.4)
    one, two = strain.cols(1, 1, gap=18)
    stress(s, one, "Körperliche Belastung", "")
    stress(s, two, "Geistige Belastung", "")
    inner = section(s, results, "Konsequenzen")
    kinds = (("Leicht", 2), ("Mittel", 4), ("Schwer", 6))
    for lane, (word, value) in zip(inner.rows(1, 1, 1), kinds):
        s.text(lane.x, lane.bottom - 2.5, str(value), 10.5, "Lato-Light", ACCENT)
        s.text(lane.x + 13, lane.bottom - 2.5, word, 7, "Lato-Light", INK)
        s.line(lane.x + 44, lane.bottom, lane.right, lane.bottom, INK, 0.45)
    s.text(page.cx, page.bottom - 14, "Beruht auf dem Fate Core System, Evil Hat Productions, LLC, "
           "lizenziert unter CC BY 3.0.", 4.8, "Lato", SOFT, "center")
