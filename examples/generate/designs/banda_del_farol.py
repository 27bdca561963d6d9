# SPDX-License-Identifier: Apache-2.0
"""Scoundrel in Spanish: captions stand upright in dark strips; A4 with crop marks outside its crop box."""

import math

from sheetkit import A4, Box, HexColor, Pt

NIGHT, PLUM, LAMP, MIST, GREY, WHITE = (
    HexColor(c) for c in ("#16161c", "#4a3a63", "#d9a441", "#f1eff5", "#6a6675", "#ffffff"))
LABEL = {"size": 6.2, "font": "Condensed", "color": GREY, "rule": NIGHT}
BLEED = (17.0, 17.0, 17.0, 17.0)


def panel(s, box, name, color=PLUM):
    """A strip on the left that carries the upright caption, and a thin frame."""
    strip, room = box.cols(Pt(17), 1)
    s.rect(box, NIGHT, WHITE, 0.8)
    s.rect(strip, None, color)
    size = 8.6
    while s.measure(name.upper(), "Condensed-Bold", size, 1.2) > box.h - 8:
        size -= 0.2
    s.text(strip.cx + size * 0.35, strip.cy, name.upper(), size, "Condensed-Bold", WHITE, "center", tracking=1.2,
           up=True)
    s.region(name, box, 0.4)
    return room.inset(9, 8, 8, 8)


def crop_marks(s, page):
    """Lines and a colour strip in the bleed, outside what a reader shows."""
    s.rect(page.inset(-BLEED[0]), None, WHITE)
    for x in (0, page.w):
        s.line(x, -15, x, -5, NIGHT, 0.4)
        s.line(x, page.h + 5, x, page.h + 15, NIGHT, 0.4)
    for y in (0, page.h):
        s.line(-15, y, -5, y, NIGHT, 0.4)
        s.line(page.w + 5, y, page.w + 15, y, NIGHT, 0.4)
    for i, color in enumerate((NIGHT, PLUM, LAMP, MIST, GREY)):
        s.rect(Box(page.cx - 30 + i * 12, -13, 10, 8), None, color)


def masthead(s, box):
    s.rect(box, None, NIGHT)
    x, y = box.x + 29, box.cy
    for k in range(9):
        a = math.pi * (0.1 + 0.8 * k / 8) + math.pi
        s.line(x + 15 * math.cos(a), y + 15 * math.sin(a), x + 20 * math.cos(a), y + 20 * math.sin(a), LAMP, 1)
    s.polygon([(x - 6, y - 6), (x + 6, y - 6), (x + 8, y + 11), (x - 8, y + 11)], LAMP, NIGHT, 1.3)
    s.polygon([(x - 4, y - 6), (x + 4, y - 6), (x, y - 11)], LAMP, LAMP, 0.6)
    s.circle(x, y + 3.5, 3.2, None, LAMP)
    s.text(box.x + 58, box.cy + 4, "Banda del Farol", 24, "Condensed-Bold", WHITE)
    s.text(box.x + 59, box.cy + 15, "HOJA DE CANALLA · GOLPES NOCTURNOS EN LA CIUDAD SIN SOL", 6.2, "Condensed", LAMP,
           tracking=1.1)


def teeth(s, x, cy, count, step=12.5):
    for i in range(count):
        left = x + i * step
        s.polygon([(left, cy - 5), (left + 9, cy - 5), (left + 9, cy + 2), (left + 4.5, cy + 6), (left, cy + 2)],
                  NIGHT, WHITE, 0.7)
    return x + count * step


def actions(s, box, name, rows):
    inner = panel(s, box, name)
    for lane, action in zip(inner.rows(*[1] * 4), rows):
        s.pips(lane.x, lane.cy, 4, 11.5, 4, color=NIGHT)
        s.text(lane.x + 56, lane.cy + 2.8, action, 8.4, "Condensed", NIGHT)


def harm(s, box):
    inner = panel(s, box, "Daño", NIGHT)
    effects = ("Ayuda necesaria", "−1 dado", "Menos efecto")
    for lane, level, effect in zip(inner.rows(1, 1, 1, gap=4), (3, 2, 1), effects):
        s.rect(Box(lane.x, lane.y, 15, lane.h), None, NIGHT)
        s.text(lane.x + 7.5, lane.cy + 3.2, str(level), 9, "Condensed-Bold", WHITE, "center")
        cells = Box(lane.x + 19, lane.y, lane.w - 92, lane.h).cols(*[1] * (1 if level == 3 else 2), gap=4)
        for cell in cells:
            s.rect(cell, NIGHT, MIST, 0.6)
        s.text(lane.right, lane.cy + 2.3, effect, 6.6, "Condensed-Italic", GREY, "right")


def clock(s, cx, cy, r, parts):
    s.circle(cx, cy, r, NIGHT, WHITE, 0.9)
    for k in range(parts):
        a = 2 * math.pi * k / parts - math.pi / 2
        s.line(cx, cy, cx + r * math.cos(a), cy + r * math.sin(a), NIGHT, 0.6)


def stress(s, box):
    inner = panel(s, box, "Estrés", NIGHT)
    top, low = inner.rows(1, 1, gap=6)
    end = teeth(s, top.x, top.cy, 9)
    s.text(end + 4, top.cy + 2.6, "Al llenarse: trauma", 6.6, "Condensed-Italic", GREY)
    s.text(low.x, low.cy + 2.6, "Traumas", 7.4, "Condensed-Bold", NIGHT)
    for k, cell in enumerate(Box(low.x + 42, low.y, low.w - 42, low.h).cols(1, 1, 1, 1, gap=5)):
        s.line(cell.x, cell.bottom - 2, cell.right, cell.bottom - 2, NIGHT, 0.6)


def gear(s, box):
    inner = panel(s, box, "Equipo")
    load, items = inner.rows(Pt(12), 1, gap=5)
    s.text(load.x, load.cy + 2.6, "Carga", 7.4, "Condensed-Bold", NIGHT)
    for k, name in enumerate(("ligera 3", "normal 5", "pesada 6")):
        x = load.x + 36 + k * 52
        s.pip(x, load.cy, 3.6, "diamond", color=NIGHT)
        s.text(x + 7, load.cy + 2.5, name, 7, "Condensed", NIGHT)
    names = ("Arma de filo", "Cuchillos", "Pistola", "Ganzúas", "Cuerda y garfio", "Disfraz", "Documentos", "Farol",
             "Herramientas", "Armadura", "", "", "", "")
    for column, part in zip(items.cols(1, 1, gap=12), (names[:7], names[7:])):
        for lane, name in zip(column.rows(*[1] * 7), part):
            s.rect(Box(lane.x, lane.cy - 3.4, 6.8, 6.8), NIGHT, WHITE, 0.6)
            s.line(lane.x + 11, lane.cy + 4, lane.right, lane.cy + 4, GREY, 0.35)
            if name:
                s.text(lane.x + 12, lane.cy + 2.2, name, 7.4, "Condensed", NIGHT)


def draw(s):
    s.font, s.ink = "Condensed", NIGHT
    page = s.page(A4, bleed=BLEED)
    crop_marks(s, page)
    area = page.inset(26, 24, 26, 32)
    head, who, body, low = area.rows(Pt(50), Pt(92), 1, Pt(176), gap=8)
    masthead(s, head)
    inner = panel(s, who, "Identidad")
    plan = ((("Nombre", 1.4), ("Apodo", 1), ("Banda", 1)),
            (("Ascendencia", 1), ("Trasfondo", 1), ("Vicio y proveedor", 1.4)),
            (("Aspecto", 2.4), ("Quién juega", 1)))
    for row, fields in zip(inner.rows(1, 1, 1, gap=2), plan):
        for cell, (label, _) in zip(row.cols(*(w for _, w in fields), gap=10), fields):
            s.entry(cell, label, **LABEL)
    left, right = body.cols(1, 1.75, gap=8)
    blocks = (("Perspicacia", ("Acechar", "Estudiar", "Observar", "Trastear")),
              ("Destreza", ("Afinar", "Deslizarse", "Escabullirse", "Pelear")),
              ("Determinación", ("Convencer", "Mandar", "Sintonizar", "Tratar")))
    *thirds, purse = left.rows(1, 1, 1, 0.62, gap=8)
    for box, (name, rows) in zip(thirds, blocks):
        actions(s, box, name, rows)
    inner = panel(s, purse, "Botín", NIGHT)
    top, bottom = inner.rows(1, 1, gap=4)
    s.text(top.x, top.cy + 2.6, "Monedas", 7.4, "Condensed-Bold", NIGHT)
    s.pips(top.x + 50, top.cy, 4, 13, 4.6, color=LAMP, fill=MIST, width=1)
    s.text(bottom.x, bottom.cy + 2.6, "Reserva", 7.4, "Condensed-Bold", NIGHT)
    s.line(bottom.x + 50, bottom.cy + 5, bottom.right, bottom.cy + 5, NIGHT, 0.5)
    strain, wounds, skills, kit = right.rows(Pt(58), Pt(82), 1, Pt(146), gap=8)
    stress(s, strain)
    harm(s, wounds)
    s.ruled(panel(s, skills, "Talentos"), 6, GREY, 0.4)
    gear(s, kit)
    friends, clocks, notes = low.cols(1, 0.86, 1.1, gap=8)
    inner = panel(s, friends, "Contactos", NIGHT)
    for lane in inner.rows(*[1] * 7):
        s.polygon([(lane.x, lane.cy + 4), (lane.x + 7, lane.cy + 4), (lane.x + 3.5, lane.cy - 2.5)], NIGHT, WHITE, 0.6)
        s.polygon([(lane.x + 10, lane.cy - 2.5), (lane.x + 17, lane.cy - 2.5), (lane.x + 13.5, lane.cy + 4)], NIGHT,
                  NIGHT, 0.6)
        s.line(lane.x + 22, lane.cy + 5, lane.right, lane.cy + 5, GREY, 0.4)
    inner = panel(s, clocks, "Proyectos", NIGHT)
    for cell, parts in zip(inner.grid(2, 2, 8, 6), (4, 6, 6, 8)):
        clock(s, cell.cx, cell.cy - 6, 23, parts)
        s.line(cell.x + 4, cell.bottom - 3, cell.right - 4, cell.bottom - 3, GREY, 0.4)
    s.ruled(panel(s, notes, "Notas", NIGHT), 8, GREY, 0.4)
    s.text(page.cx, page.bottom - 15, "Basada en Blades in the Dark, de One Seven Design (John Harper), con licencia "
           "CC BY 3.0. Diseño: CC BY 4.0.", 5.2, "Condensed", GREY, "center")
