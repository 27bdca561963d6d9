# SPDX-License-Identifier: Apache-2.0
"""Makes, fills in and reads PDF forms with pypdf.

  form_pdf.py make PDF                a form with one field of each kind; prints the size of its page
  form_pdf.py vary KIND PDF VARIANT   the same form: "xfa" beside its fields, "xfa-alone" without fields, "locked" with a
                                      password for changes alone, "secret" with one for reading
  form_pdf.py fill PDF FILLED JSON    fills in fields by their names; of buttons states, such as /Two
  form_pdf.py values PDF              prints what is filled in, and which buttons are shown pushed
  form_pdf.py filled ORIGINAL PDF AGAIN FIELDS
                                      says which of the fields, as `sheets fill --json` lists them, does not hold and show what
                                      the tests fill in: 7, yes or the first choice; in AGAIN only, not hold
"""
import functools
import io
import json
import subprocess
import sys

from PIL import Image, ImageChops
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject, BooleanObject, DecodedStreamObject, DictionaryObject, FloatObject, NameObject, NumberObject, StreamObject,
    TextStringObject)

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


def vary(kind, file, variant):
    writer = PdfWriter(clone_from=file)
    if kind in ("locked", "secret"):
        writer.encrypt(user_password="sesame" if kind == "secret" else "", owner_password="owner", algorithm="AES-256")
    else:
        form = writer._root_object["/AcroForm"].get_object()
        stream = DecodedStreamObject()
        stream.set_data(b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'/>")
        form[name("XFA")] = writer._add_object(stream)
        if kind == "xfa-alone":
            form[name("Fields")] = ArrayObject()
            for page in writer.pages:
                page.pop("/Annots", None)
    writer.write(variant)


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
    form = reader.trailer["/Root"].get("/AcroForm", {})
    print(json.dumps({"values": found, "pushed": pushed, "xfa": "/XFA" in form}))


HIDDEN = 1 | 2 | 32


def inherited(field, key):
    while field is not None:
        if key in field:
            return field[key].get_object()
        field = field["/Parent"].get_object() if "/Parent" in field else None
    return None


def qualified(field):
    names = []
    while field is not None:
        names += [field["/T"]] if "/T" in field else []
        field = field["/Parent"].get_object() if "/Parent" in field else None
    return ".".join(reversed(names))


@functools.cache
def widgets_of(reader):
    """Pages and widgets by the names of their fields."""
    found = {}
    for number, page in enumerate(reader.pages):
        for entry in (page["/Annots"].get_object() or []) if "/Annots" in page else []:
            widget = entry.get_object()
            if widget.get("/Subtype") == "/Widget":
                found.setdefault(qualified(widget), []).append((number, widget))
    return found


@functools.cache
def drawn(file, number):
    data = subprocess.run(["pdftoppm", "-r", "72", "-cropbox", "-f", str(number + 1), "-l", str(number + 1), file],
                          check=True, capture_output=True).stdout
    return Image.open(io.BytesIO(data)).convert("L")


def place(page, rect):
    """A rectangle in pixels of the page as displayed."""
    box = page.cropbox
    x1, x2 = sorted(float(value) - float(box.left) for value in (rect[0], rect[2]))
    y1, y2 = sorted(float(value) - float(box.bottom) for value in (rect[1], rect[3]))
    width, height = float(box.width), float(box.height)
    return {0: (x1, height - y2, x2, height - y1), 90: (y1, x1, y2, x2), 180: (width - x2, y1, width - x1, y2),
            270: (height - y2, width - x2, height - y1, width - x1)}[page.rotation % 360]


def holds(field, widgets):
    """Whether a field holds what was filled in."""
    if field["kind"] == "text":
        return any(str(inherited(widget, "/V")) == "7" for _, widget in widgets)
    states = [str(widget.get("/AS", "/Off")) for _, widget in widgets]
    if field["kind"] == "checkBox":
        return any(state != "/Off" for state in states)
    first = next(option["value"] for option in field["options"] if option["label"])
    if field["kind"] == "radio":
        return "/" + first in states
    values = inherited(widgets[0][1], "/V")
    return first in ([str(one) for one in values] if isinstance(values, list) else [str(values)])


def filled(original, once, again, wanted):
    fields = json.load(open(wanted))
    reader = PdfReader(once)
    for name, file in (("once", reader), ("again", PdfReader(again))):
        widgets = widgets_of(file)
        for field in fields:
            if field["name"] not in widgets:
                yield f"{name}: there is no field {field['name']}"
            elif not holds(field, widgets[field["name"]]):
                yield f"{name}: {field['name']} ({field['kind']}) does not hold it"
    texts = [field for field in fields if field["kind"] == "text" and field["value"] != "7"]
    seen, unseen = looks(original, once, reader, texts)
    if unseen:
        # A font may have no digits: then nobody shows them.
        writer = PdfWriter(clone_from=original)
        widgets, names = widgets_of(writer), {field["name"] for field in unseen}
        for _, widget in (one for name in names for one in widgets[name]):
            while "/T" not in widget:
                widget = widget["/Parent"].get_object()
            widget[NameObject("/V")] = TextStringObject("7")
        writer._root_object["/AcroForm"].get_object()[NameObject("/NeedAppearances")] = BooleanObject(True)
        writer.write(once + ".theirs.pdf")
        theirs = {field["name"] for field in looks(original, once + ".theirs.pdf", reader, unseen)[0]}
        unseen = [field["name"] for field in unseen if field["name"] in theirs]
        if unseen:
            yield f"{len(unseen)} fields show nothing that would if pypdf filled them in: {', '.join(unseen[:8])}"
    # Programs that draw no field anew show what is in the file.
    blank = [field["name"] for field in seen for _, widget in widgets_of(reader)[field["name"]]
             if "/AP" in widget and not has_seven(widget["/AP"].get("/N").get_object())]
    if blank:
        yield f"{len(blank)} fields have an appearance without it: {', '.join(blank[:8])}"


def has_seven(look):
    return isinstance(look, StreamObject) and b"(7)" in look.get_data()


def looks(original, file, reader, fields):
    """Fields in whose box, if it is no hidden one, the page looks otherwise than in the original, and those where it does not."""
    widgets, changes, seen, unseen = widgets_of(reader), {}, [], []
    for field in fields:
        for number, widget in widgets.get(field["name"], []):
            box = [round(value) for value in place(reader.pages[number], widget["/Rect"])]
            if int(widget.get("/F", 0)) & HIDDEN or box[2] - box[0] < 3 or box[3] - box[1] < 3:
                continue
            if number not in changes:
                changes[number] = ImageChops.difference(drawn(original, number), drawn(file, number))
            (seen if changes[number].crop(box).getbbox() else unseen).append(field)
    return seen, unseen


def check(*arguments):
    wrong = list(filled(*arguments))
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


{"make": make, "vary": vary, "fill": fill, "values": values, "filled": check}[sys.argv[1]](*sys.argv[2:])
