# SPDX-License-Identifier: Apache-2.0
"""Makes, fills in and reads PDF forms with pypdf.

  form_pdf.py make PDF                a form with one field of each kind; prints the size of its page
  form_pdf.py fill PDF FILLED JSON    fills in fields by their names; of buttons states, such as /Two
  form_pdf.py values PDF              prints what is filled in, and which buttons are shown pushed
"""
import json
import sys

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject, DecodedStreamObject, DictionaryObject, FloatObject, NameObject, NumberObject, TextStringObject)

READ_ONLY, MULTILINE, COMB, RADIO, COMBO, EDIT, SEVERAL = 1, 1 << 12, 1 << 24, 1 << 15, 1 << 17, 1 << 18, 1 << 21


def name(text):
    return NameObject("/" + text)


def make(file):
    writer = PdfWriter()
    page = writer.add_blank_page(612, 792)
    font = writer._add_object(DictionaryObject({
        name("Type"): name("Font"), name("Subtype"): name("Type1"), name("BaseFont"): name("Helvetica"),
        name("Encoding"): name("WinAnsiEncoding")}))
    fields, widgets = ArrayObject(), ArrayObject()

    def look():
        stream = DecodedStreamObject()
        stream.set_data(b"")
        stream.update({
            name("Type"): name("XObject"), name("Subtype"): name("Form"),
            name("BBox"): ArrayObject(FloatObject(n) for n in (0, 0, 12, 12))})
        return writer._add_object(stream)

    def widget(**entries):
        top = 760 - 24 * len(widgets)
        made = DictionaryObject({
            name("Type"): name("Annot"), name("Subtype"): name("Widget"), name("F"): NumberObject(4),
            name("Rect"): ArrayObject(FloatObject(n) for n in (72, top - 18, 300, top))})
        made.update({name(key): value for key, value in entries.items()})
        reference = writer._add_object(made)
        widgets.append(reference)
        return reference

    def field(title, kind, flags=0, **more):
        fields.append(widget(
            T=TextStringObject(title), FT=name(kind), Ff=NumberObject(flags), DA=TextStringObject("/Helv 10 Tf 0 g"), **more))

    def button(state, **more):
        states = DictionaryObject({name(state): look(), name("Off"): look()})
        return widget(AP=DictionaryObject({name("N"): states}), AS=name("Off"), **more)

    def texts(*all_of):
        return ArrayObject(TextStringObject(text) for text in all_of)

    field("CharacterName", "Tx")
    field("STR", "Tx")
    field("Backstory", "Tx", MULTILINE)
    field("Code", "Tx", COMB, MaxLen=NumberObject(4))
    field("Serial", "Tx", READ_ONLY, V=TextStringObject("A-1"))
    fields.append(button("On", T=TextStringObject("STR prof"), FT=name("Btn")))
    group = DictionaryObject({
        name("T"): TextStringObject("Alignment"), name("FT"): name("Btn"), name("Ff"): NumberObject(RADIO), name("V"): name("Off")})
    reference = writer._add_object(group)
    group[name("Kids")] = ArrayObject(button(state, Parent=reference) for state in ("Lawful", "Neutral", "Chaotic"))
    fields.append(reference)
    pairs = ArrayObject([texts("w", "Wizard"), texts("f", "Fighter")])
    field("Class", "Ch", COMBO, Opt=pairs)
    field("Race", "Ch", COMBO | EDIT, Opt=texts("Elf", "Orc"))
    field("Languages", "Ch", SEVERAL, Opt=texts("Common", "Elvish", "Orcish"))
    page[name("Annots")] = widgets
    writer._root_object[name("AcroForm")] = DictionaryObject({
        name("Fields"): fields, name("DR"): DictionaryObject({name("Font"): DictionaryObject({name("Helv"): font})}),
        name("DA"): TextStringObject("/Helv 10 Tf 0 g")})
    writer.write(file)
    print(json.dumps([[612, 792]]))


def shown(reader):
    """Widgets with the names of their fields."""
    for page in reader.pages:
        for entry in page.get("/Annots", []):
            widget = entry.get_object()
            if widget.get("/Subtype") == "/Widget":
                yield widget if "/T" in widget else widget["/Parent"].get_object(), widget


def fill(file, filled, values):
    writer = PdfWriter(clone_from=file)
    plain = {}
    for title, value in json.loads(values).items():
        if not isinstance(value, str) or not value.startswith("/"):
            plain[title] = value
            continue
        for field, widget in shown(writer):
            if field["/T"] == title:
                field[NameObject("/V")] = NameObject(value)
                states = widget["/AP"]["/N"]
                widget[NameObject("/AS")] = NameObject(value if value in states else "/Off")
    for page in writer.pages:
        writer.update_page_form_field_values(page, plain, auto_regenerate=False)
    writer.write(filled)


def values(file):
    reader = PdfReader(file)
    found = {}
    for title, field in (reader.get_fields() or {}).items():
        value = field.get("/V")
        if value is not None:
            found[title] = [str(one) for one in value] if isinstance(value, list) else str(value)
    pushed = {}
    for field, widget in shown(reader):
        if field.get("/FT") == "/Btn":
            pushed.setdefault(str(field["/T"]), []).append(str(widget.get("/AS")))
    print(json.dumps({"values": found, "pushed": pushed}))


{"make": make, "fill": fill, "values": values}[sys.argv[1]](*sys.argv[2:])
