# SPDX-License-Identifier: Apache-2.0
"""Notebook in Italian for any game: wide margins, dotted lines, headings beside their blocks; one A4 page."""

from sheetkit import A4, Box, HexColor, Pt

INK, WINE, SOFT, DOT, CREAM = (HexColor(c) for c in ("#2a2326", "#7a2e3e", "#75696c", "#a79a9b", "#f8f3ee"))
DOTS = (0.6, 2.2)


def section(s, box, name, hint):
    """The heading hangs in the left margin; a hairline spans both."""
    s.line(box.x, box.y, box.right, box.y, INK, 0.5)
    side, room = box.cols(Pt(112), 1, gap=16)
    s.text(side.x, side.y + 17, name, 14.5, "OldStandard-Italic", WINE)
    s.paragraph(Box(side.x, side.y + 22, side.w, side.h - 22), hint, 7, font="OldStandard", color=SOFT)
    s.region(name, box, 1)
    return room.inset(0, 8, 0, 2)


def dotted(s, box, count):
    s.ruled(box, count, DOT, 0.7, DOTS)


def fields(s, box, plan):
    for row, labels in zip(box.rows(*[1] * len(plan), gap=4), plan):
        for cell, label in zip(row.cols(*[1] * len(labels), gap=14), labels):
            s.line(cell.x, cell.bottom - 9.5, cell.right, cell.bottom - 9.5, DOT, 0.7, DOTS)
            s.text(cell.x, cell.bottom - 1, label, 7.2, "OldStandard", SOFT)


def draw(s):
    s.font, s.ink = "OldStandard", INK
    page = s.page(A4)
    area = page.inset(50, 46, 50, 46)
    head, who, want, able, ties, goods, diary = area.rows(Pt(62), Pt(118), Pt(108), Pt(118), Pt(112), Pt(104), 1, gap=8)
    s.text(head.x, head.y + 30, "Taccuino di viaggio", 32, "OldStandard", INK)
    s.text(head.x + 1, head.y + 46, "per chi parte senza sapere quando torna", 9.5, "OldStandard-Italic", WINE)
    s.circle(head.right - 24, head.y + 24, 22, WINE, CREAM, 0.8)
    s.circle(head.right - 24, head.y + 24, 18.5, WINE, None, 0.4)
    for k, (dx, dy) in enumerate(((0, -17), (17, 0), (0, 17), (-17, 0))):
        s.polygon([(head.right - 24 + dx, head.y + 24 + dy), (head.right - 24 + dy * 0.2, head.y + 24 - dx * 0.2),
                   (head.right - 24 - dy * 0.2, head.y + 24 + dx * 0.2)], WINE, WINE if k == 0 else CREAM, 0.6)
    room = section(s, who, "Identità", "Il nome che usi e quello che hai lasciato a casa.")
    names, portrait = room.cols(1, Pt(86), gap=16)
    fields(s, names, (("Nome",), ("Mestiere", "Origine"), ("Età", "Gioca")))
    s.rect(portrait, DOT, CREAM, 0.7, dash=DOTS)
    s.text(portrait.cx, portrait.bottom - 7, "ritratto", 7.2, "OldStandard-Italic", SOFT, "center")
    room = section(s, want, "Motivazioni", "Che cosa cerchi, che cosa temi, che cosa non faresti mai.")
    for lane, label in zip(room.rows(1, 1, 1, gap=6), ("Cerco", "Temo", "Mai")):
        s.text(lane.x, lane.bottom - 2, label, 9, "OldStandard-Italic", INK)
        s.line(lane.x + 34, lane.bottom, lane.right, lane.bottom, DOT, 0.7, DOTS)
    room = section(s, able, "Capacità", "Ciò che sai fare bene. Da uno a cinque punti, quando il gioco li chiede.")
    for column in room.cols(1, 1, gap=18):
        for lane in column.rows(*[1] * 5):
            s.line(lane.x, lane.bottom, lane.right - 54, lane.bottom, DOT, 0.7, DOTS)
            s.pips(lane.right - 48, lane.bottom - 4, 5, 10, 3.4, color=WINE, width=0.6)
    room = section(s, ties, "Legami", "Amici, rivali, debiti. Un segno per ogni promessa.")
    s.table(room, ("Chi", "Che cosa ci unisce", "Promesse"), (1.2, 2, 0.7), 5, font="OldStandard-Italic", color=SOFT,
            rule=DOT, size=7.4, columns=False)
    room = section(s, goods, "Bagaglio", "Quello che pesa e quello che conta.")
    for column in room.cols(1, 1, gap=18):
        dotted(s, column, 5)
    room = section(s, diary, "Diario", "Una riga per ogni giorno che vale la pena ricordare.")
    dotted(s, room, 6)
    s.text(page.cx, page.bottom - 24, "Senza regole, per qualunque gioco. Pubblico dominio (CC0 1.0).", 6.4,
           "OldStandard-Italic", SOFT, "center")
