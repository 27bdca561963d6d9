#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small hostile PDFs, and honest ones beside them, with what the reader should say of each.

    python3 Tests/Fixtures/make_hostile.py OUTDIR [NAME...]

Without names all of them. OUTDIR/expected.json maps each file name to a refusal code, or to "accepted". A file that wants
more than its share (`decompression_bomb`, `too_complex`) may as well end in `time_limit` or `memory_limit`: what counts is
that it ends.

Everything here is inert: scripts do nothing, programs and hosts do not exist. Same bytes on every run with one zlib.
"""

import gzip
import hashlib
import io
import json
import pathlib
import struct
import sys
import zipfile
import zlib

ACCEPTED = "accepted"
SCRIPT = "/S /JavaScript /JS (var nothing = 0;)"
CASES = []


def case(expected):
    """Registers a function whose name becomes a file name and whose result becomes its bytes."""
    def register(function):
        CASES.append((function.__name__.replace("_", "-") + ".pdf", expected, function))
        return function
    return register


class Document:
    """A one-page sheet that a case may add to. Objects: 1 catalog, 2 page tree, 3 page, 4 content, 5 font, 6… free."""

    def __init__(self, catalog="", page="", tree="/Kids [3 0 R] /Count 1", content=None, resources=""):
        self.objects = {}
        self.put(1, f"<< /Type /Catalog /Pages 2 0 R {catalog} >>")
        self.put(2, f"<< /Type /Pages {tree} >>")
        self.put(3, self.page_body(page, resources))
        self.stream(4, content or words("Strength 12", "Dexterity 14", "Skills", "Equipment"))
        self.put(5, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")

    @staticmethod
    def page_body(extra="", resources="", box="/MediaBox [0 0 595 842]"):
        return (f"<< /Type /Page /Parent 2 0 R {box} /Contents 4 0 R "
                f"/Resources << /Font << /F 5 0 R >> {resources} >> {extra} >>")

    def put(self, number, body):
        self.objects[number] = body if isinstance(body, bytes) else body.encode("latin-1")
        return self

    def stream(self, number, data, entries=""):
        data = data if isinstance(data, bytes) else data.encode("latin-1")
        return self.put(number, b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries.encode(), len(data), data))

    def add(self, body):
        number = max(self.objects) + 1
        self.put(number, body)
        return number

    def bytes(self, header=b"%PDF-1.7\n%\xc2\xb5\xc2\xb6\n", trailer="", startxref=None, tail=b"%%EOF\n"):
        """The file with an ordinary cross-reference table."""
        out, offsets = bytearray(header), {}
        for number in sorted(self.objects):
            offsets[number] = len(out)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, self.objects[number])
        table, size = len(out), max(self.objects) + 1
        out += b"xref\n0 %d\n0000000000 65535 f \n" % size
        for number in range(1, size):
            out += b"%010d 00000 n \n" % offsets[number] if number in offsets else b"0000000000 00000 f \n"
        out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n" % (size, trailer.encode("latin-1"))
        return bytes(out) + b"%d\n" % (table if startxref is None else startxref) + tail

    def packed(self, padding=0):
        """The file with its dictionaries in a compressed object stream and a cross-reference stream.

        `padding` mebibytes of spaces follow in the object stream."""
        out, entries = bytearray(b"%PDF-1.7\n%\xc2\xb5\xc2\xb6\n"), {}
        holder = max(self.objects) + 1
        loose = [n for n in sorted(self.objects) if not self.objects[n].endswith(b"endstream")]
        index, body = b"", b""
        for place, number in enumerate(loose):
            index += b"%d %d " % (number, len(body))
            body += self.objects[number] + b"\n"
            entries[number] = (2, holder, place)
        keep = {n: b for n, b in self.objects.items() if n not in loose}
        data, filters = zlib.compress(index + body, 9), b"/FlateDecode"
        if padding:
            data, filters = zlib.compress(deflated_run(0x20, padding, index + body), 9), b"[/FlateDecode /FlateDecode]"
        keep[holder] = b"<< /Type /ObjStm /N %d /First %d /Filter %s /Length %d >>\nstream\n%s\nendstream" % (
            len(loose), len(index), filters, len(data), data)
        for number in sorted(keep):
            entries[number] = (1, len(out), 0)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, keep[number])
        last = holder + 1
        entries[last] = (1, len(out), 0)
        rows = struct.pack(">BIH", 0, 0, 65535) + b"".join(
            struct.pack(">BIH", *entries.get(n, (0, 0, 0))) for n in range(1, last + 1))
        data = zlib.compress(rows, 9)
        out += (b"%d 0 obj\n<< /Type /XRef /Size %d /W [1 4 2] /Root 1 0 R /Filter /FlateDecode /Length %d >>\n"
                b"stream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n") % (
                    last, last + 1, len(data), data, entries[last][1])
        return bytes(out)


def words(*lines):
    """A content stream that writes the lines below each other."""
    return "BT /F 14 Tf 72 760 Td 22 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"


def pages(count, box="/MediaBox [0 0 595 842]", last_box=None):
    """A document of many pages that share one content stream."""
    kids = " ".join(f"{n} 0 R" for n in [3, *range(6, count + 5)])
    document = Document(tree=f"/Kids [{kids}] /Count {count}").put(3, Document.page_body(box=box))
    for number in range(6, count + 5):
        ends = number == count + 4 and last_box
        document.put(number, Document.page_body(box=last_box if ends else box))
    return document


def annotation(entries, *more):
    """A document whose page has one annotation (object 6) and further objects from 7."""
    document = Document(page="/Annots [6 0 R]").put(6, f"<< /Type /Annot /Rect [72 72 200 100] {entries} >>")
    for number, body in enumerate(more, 7):
        document.put(number, body)
    return document


def field(entries="", form=""):
    """A document with one text field (object 6)."""
    return Document(catalog=f"/AcroForm << /Fields [6 0 R] /DA (/F 10 Tf 0 g) /DR << /Font << /F 5 0 R >> >> {form} >>",
                    page="/Annots [6 0 R]").put(
        6, "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /F 4 /DA (/F 10 Tf 0 g) "
           f"/Rect [72 600 300 620] {entries} >>")


# Honest sheets

@case(ACCEPTED)
def honest_plain():
    return Document().bytes()


@case(ACCEPTED)
def honest_three_pages():
    return pages(3).bytes()


@case(ACCEPTED)
def honest_object_streams():
    return Document().packed()


@case(ACCEPTED)
def honest_form():
    document = field()
    document.put(1, document.objects[1].replace(b"[6 0 R]", b"[6 0 R 7 0 R]"))
    document.put(3, document.objects[3].replace(b"[6 0 R]", b"[6 0 R 7 0 R]"))
    document.put(7, "<< /Type /Annot /Subtype /Widget /FT /Btn /T (trained) /V /Off /AS /Off /F 4 "
                    "/Rect [72 560 84 572] /AP << /N << /Yes 8 0 R /Off 9 0 R >> >> >>")
    document.stream(8, "2 2 8 8 re f", "/Type /XObject /Subtype /Form /BBox [0 0 12 12]")
    return document.stream(9, "", "/Type /XObject /Subtype /Form /BBox [0 0 12 12]").bytes()


@case(ACCEPTED)
def honest_rotated_and_cropped():
    return Document(page="/Rotate 90 /CropBox [40 40 555 802]").bytes()


@case(ACCEPTED)
def honest_inherited_box():
    document = Document(tree="/Kids [3 0 R] /Count 1 /MediaBox [0 0 420 595]")
    return document.put(3, Document.page_body(box="")).bytes()


@case(ACCEPTED)
def honest_nested_page_tree():
    document = Document(tree="/Kids [6 0 R] /Count 1")
    document.put(6, "<< /Type /Pages /Parent 2 0 R /Kids [7 0 R] /Count 1 >>")
    document.put(7, "<< /Type /Pages /Parent 6 0 R /Kids [3 0 R] /Count 1 >>")
    return document.put(3, document.objects[3].replace(b"/Parent 2", b"/Parent 7")).bytes()


@case(ACCEPTED)
def honest_web_link():
    return annotation("/Subtype /Link /A << /S /URI /URI (https://example.invalid/rules) >>").bytes()


@case(ACCEPTED)
def honest_internal_links():
    return annotation("/Subtype /Link /A << /S /GoTo /D [3 0 R /Fit] /Next << /S /Named /N /NextPage >> >>").bytes()


@case(ACCEPTED)
def honest_outline():
    document = Document(catalog="/Outlines 6 0 R /PageMode /UseOutlines")
    document.put(6, "<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>")
    return document.put(7, "<< /Title (Skills) /Parent 6 0 R /Dest [3 0 R /Fit] >>").bytes()


@case(ACCEPTED)
def honest_words_of_attacks():
    return Document(content=words("/JavaScript /JS /Launch", "/EmbeddedFiles /XFA /OpenAction /GoToR")).bytes()


@case(ACCEPTED)
def honest_incremental_update():
    data = Document().bytes()
    previous = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    fresh = words("Strength 18", "the newer text").encode()
    where = len(data)
    data += b"4 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (len(fresh), fresh)
    table = len(data)
    return data + (b"xref\n4 1\n%010d 00000 n \ntrailer\n<< /Size 6 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n"
                   % (where, previous, table))


@case(ACCEPTED)
def honest_wrong_startxref():
    return Document().bytes(startxref=7)


@case(ACCEPTED)
def honest_line_ends_behind():
    return Document().bytes(tail=b"%%EOF\r\n\r\n\n")


@case(ACCEPTED)
def honest_metadata_with_folders():
    document = Document(catalog="/Metadata 6 0 R")
    document.stream(6, "<x:xmpmeta><stRef:filePath>C:\\Users\\somebody\\sheet.ai</stRef:filePath></x:xmpmeta>",
                    "/Type /Metadata /Subtype /XML")
    number = document.add("<< /Title (file:///home/somebody/sheet.odt) /Producer (A program\\000\\033[31m) >>")
    return document.bytes(trailer=f"/Info {number} 0 R")


# Not a PDF, empty, broken

@case("not_a_pdf")
def text_file():
    return b"The sheet is in the other envelope.\n" * 60


@case("not_a_pdf")
def png_picture():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\x40\x80\0\x80\x40")) + chunk(b"IEND", b""))


@case("not_a_pdf")
def gzip_of_a_pdf():
    return gzip.compress(Document().bytes(), mtime=0)


@case("not_a_pdf")
def html_page():
    return b"<!doctype html><title>Sheet</title><p>This page speaks of PDF.</p>\n" * 30


@case("empty")
def zero_bytes():
    return b""


@case("empty")
def no_pages():
    return Document(tree="/Kids [] /Count 0").bytes()


@case("malformed")
def truncated():
    data = Document().bytes()
    return data[:data.index(b"2 0 obj") + 12]


@case("malformed")
def noise_behind_header():
    noise, block = b"", b"seed"
    while len(noise) < 4096:
        block = hashlib.sha256(block).digest()
        noise += block
    return b"%PDF-1.6\n" + noise.replace(b"obj", b"...")


@case("malformed")
def catalog_missing():
    return Document().bytes().replace(b"/Root 1 0 R", b"/Info 1 0 R").replace(b"/Type /Catalog", b"/Type /Nothing")


@case("malformed")
def catalog_is_a_number():
    return Document().put(1, "7").bytes()


@case("malformed")
def page_tree_loop():
    return Document(tree="/Kids [2 0 R] /Count 1").bytes()


@case("malformed")
def page_tree_long_loop():
    document = Document(tree="/Kids [6 0 R] /Count 1")
    document.put(6, "<< /Type /Pages /Parent 2 0 R /Kids [7 0 R] /Count 1 >>")
    return document.put(7, "<< /Type /Pages /Parent 6 0 R /Kids [2 0 R] /Count 1 >>").bytes()


@case("malformed")
def encryption_that_refers_to_itself():
    return Document().put(6, "6 0 R").bytes(trailer="/Encrypt 6 0 R")


@case("malformed")
def encryption_that_is_not_there():
    return Document().bytes(trailer="/Encrypt 99 0 R")


@case("malformed")
def encryption_that_is_a_number():
    return Document().bytes(trailer="/Encrypt 7")


# Encrypted

PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def rc4(key, data):
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def rc4_chain(key, data):
    """Twenty rounds with the key altered by the round's number (revision 3)."""
    for round_number in range(20):
        data = rc4(bytes(k ^ round_number for k in key), data)
    return data


def encrypted_with(document, user, owner):
    """The standard security handler, revision 3, 128-bit RC4; gives the file."""
    def stretched(password):
        key = hashlib.md5((password + PADDING)[:32]).digest()
        for _ in range(50):
            key = hashlib.md5(key).digest()
        return key
    identity, permissions = hashlib.md5(b"sheet").digest(), -3904
    owner_entry = rc4_chain(stretched(owner), (user + PADDING)[:32])
    key = hashlib.md5((user + PADDING)[:32] + owner_entry + struct.pack("<i", permissions) + identity).digest()
    for _ in range(50):
        key = hashlib.md5(key).digest()
    user_entry = rc4_chain(key, hashlib.md5(PADDING + identity).digest()) + bytes(16)
    for number, body in list(document.objects.items()):
        if body.endswith(b"endstream"):
            head, data = body.split(b"\nstream\n", 1)
            local = hashlib.md5(key + struct.pack("<I", number)[:3] + b"\0\0").digest()
            document.put(number, head + b"\nstream\n" + rc4(local, data[:-len(b"\nendstream")]) + b"\nendstream")
    number = document.add(f"<< /Filter /Standard /V 2 /R 3 /Length 128 /P {permissions} "
                          f"/O <{owner_entry.hex()}> /U <{user_entry.hex()}> >>")
    return document.bytes(trailer=f"/Encrypt {number} 0 R /ID [<{identity.hex()}> <{identity.hex()}>]")


@case("encrypted")
def user_password():
    return encrypted_with(Document(), b"open sesame", b"owner")


@case("encrypted")
def unknown_security_handler():
    document = Document()
    number = document.add("<< /Filter /Example.Handler /V 4 /SubFilter /example.none /Length 128 >>")
    return document.bytes(trailer=f"/Encrypt {number} 0 R /ID [<{'00' * 16}> <{'00' * 16}>]")


# Scripts

@case("javascript")
def script_on_open():
    return Document(catalog=f"/OpenAction << {SCRIPT} >>").bytes()


@case("javascript")
def script_in_name_tree():
    document = Document(catalog="/Names << /JavaScript << /Kids [6 0 R] >> >>")
    document.put(6, "<< /Limits [(start) (start)] /Names [(start) 7 0 R] >>")
    return document.put(7, f"<< {SCRIPT} >>").bytes()


@case("javascript")
def script_of_a_field():
    return field(f"/AA << /K << {SCRIPT} >> /C << {SCRIPT} >> >>").bytes()


@case("javascript")
def script_of_a_page():
    return Document(page=f"/AA << /O << {SCRIPT} >> >>").bytes()


@case("javascript")
def script_of_a_button():
    return annotation(f"/Subtype /Widget /FT /Btn /Ff 65536 /T (roll) /A << {SCRIPT} >>").bytes()


@case("javascript")
def script_at_the_end_of_a_chain():
    return Document(catalog="/OpenAction << /S /GoTo /D [3 0 R /Fit] /Next [<< /S /Named /N /FirstPage /Next << "
                            f"{SCRIPT} >> >>] >>").bytes()


@case("javascript")
def script_in_object_stream():
    return Document(catalog="/OpenAction 6 0 R").put(6, f"<< {SCRIPT} >>").packed()


@case("javascript")
def script_with_escaped_names():
    return Document(catalog="/Open#41ction << /S /J#61va#53cript /J#53 (var nothing = 0;) >>").bytes()


@case("javascript")
def script_in_a_stream():
    document = Document(catalog="/OpenAction << /S /JavaScript /JS 6 0 R >>")
    return document.stream(6, zlib.compress(b"var nothing = 0;", 9), "/Filter /FlateDecode").bytes()


@case("javascript")
def script_of_an_outline_item():
    document = Document(catalog="/Outlines 6 0 R")
    document.put(6, "<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 1 >>")
    return document.put(7, f"<< /Title (Skills) /Parent 6 0 R /A << {SCRIPT} >> >>").bytes()


@case("javascript")
def script_in_a_forms_xfa():
    document = field(form="/XFA [(template) 7 0 R]")
    return document.stream(7, '<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><event activity="click">'
                              '<script contentType="application/x-javascript">var nothing = 0;</script></event>'
                              '</template>').bytes()


@case("javascript")
def script_of_a_three_dimensional_scene():
    document = annotation("/Subtype /3D /3DD 7 0 R")
    document.stream(7, "U3D", "/Type /3D /Subtype /U3D /OnInstantiate 8 0 R")
    return document.stream(8, "var nothing = 0;").bytes()


@case("javascript")
def script_as_address():
    return annotation("/Subtype /Link /A << /S /URI /URI (Java\\012Script:void\\(0\\)) >>").bytes()


@case("javascript")
def script_of_a_field_by_reference():
    document = field("/AA 7 0 R")
    document.put(7, "<< /C 8 0 R >>").put(8, "<< /S 9 0 R /JS 10 0 R >>")
    return document.put(9, "/JavaScript").put(10, "(var nothing = 0;)").bytes()


@case("javascript")
def script_on_the_last_page():
    document = pages(80)
    last = max(document.objects)
    return document.put(last, Document.page_body(f"/AA << /C << {SCRIPT} >> >>")).bytes()


# Actions that reach outside

@case("launch_action")
def launch_on_open():
    return Document(catalog="/OpenAction << /S /Launch /F (no-such-program) >>").bytes()


@case("launch_action")
def launch_by_link():
    return annotation("/Subtype /Link /A << /S /Launch /Win << /F (no-such-program.exe) /P (nothing) >> >>").bytes()


@case("external_action")
def remote_goto():
    return annotation("/Subtype /Link /A << /S /GoToR /F (elsewhere.pdf) /D [0 /Fit] >>").bytes()


@case("external_action")
def remote_goto_on_open():
    return Document(catalog="/OpenAction << /S /GoToR /F (elsewhere.pdf) /D [0 /Fit] >>").bytes()


@case("external_action")
def submit_form():
    document = field()
    document.put(3, document.objects[3].replace(b"[6 0 R]", b"[6 0 R 7 0 R]"))
    return document.put(7, "<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (send) /Rect [72 500 150 520] "
                           "/A << /S /SubmitForm /F << /FS /URL /F (https://example.invalid/take) >> >> >>").bytes()


@case("external_action")
def import_data():
    return Document(catalog="/OpenAction << /S /ImportData /F (elsewhere.fdf) >>").bytes()


@case("external_action")
def goto_embedded():
    return annotation("/Subtype /Link /A << /S /GoToE /F (elsewhere.pdf) /D [0 /Fit] >>").bytes()


@case("external_action")
def picture_from_elsewhere():
    document = Document(resources="/XObject << /I 6 0 R >>", content="q 40 0 0 40 90 200 cm /I Do Q")
    return document.stream(6, "", "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 "
                                  "/ColorSpace /DeviceGray /F 7 0 R").put(7, "(elsewhere.bin)").bytes()


@case("external_action")
def page_of_another_file():
    document = Document(resources="/XObject << /X 6 0 R >>", content="/X Do")
    return document.stream(6, "", "/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
                                  "/Ref << /F (elsewhere.pdf) /Page 0 >>").bytes()


def address(text):
    return annotation(f"/Subtype /Link /A << /S /URI /URI ({text}) >>").bytes()


@case("external_action")
def link_to_a_local_file():
    return address("file:///etc/no-such-file")


@case("external_action")
def link_to_a_share():
    return address("\\\\\\\\nowhere.invalid\\\\share")


@case("external_action")
def link_of_another_scheme():
    return address("smb://nowhere.invalid/share")


@case("embedded_media")
def film_in_another_file():
    return annotation("/Subtype /Movie /Movie << /F (elsewhere.avi) >>").bytes()


# Things carried along

def attachment(document, first, name="notes.txt"):
    document.put(first, f"<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F {first + 1} 0 R >> >>")
    return document.stream(first + 1, "nothing of interest", "/Type /EmbeddedFile")


@case("embedded_files")
def attachment_in_name_tree():
    return attachment(Document(catalog="/Names << /EmbeddedFiles << /Names [(notes.txt) 6 0 R] >> >>"), 6).bytes()


@case("embedded_files")
def attachment_as_annotation():
    return attachment(annotation("/Subtype /FileAttachment /FS 7 0 R /Contents (notes)"), 7).bytes()


@case("embedded_files")
def attachment_with_a_climbing_name():
    document = Document(catalog="/Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >>")
    return attachment(document, 6, "../../../../etc/no-such-file").bytes()


@case("embedded_files")
def portfolio():
    document = Document(catalog="/Collection << /View /T >> /Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >>")
    return attachment(document, 6).bytes()


@case("xfa")
def xfa_stream():
    document = field(form="/XFA 7 0 R")
    return document.stream(7, '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"></xdp:xdp>').bytes()


@case("xfa")
def xfa_alone():
    document = Document(catalog="/NeedsRendering true /AcroForm << /Fields [] /XFA 6 0 R >>",
                        content=words("Please wait"))
    return document.stream(6, "<xdp:xdp></xdp:xdp>").bytes()


@case("embedded_files")
def film_inside():
    document = annotation("/Subtype /RichMedia /RichMediaContent << /Assets << /Names [(a) 7 0 R] >> >>")
    return attachment(document, 7, "film.mp4").bytes()


@case("xfa")
def xfa_array():
    document = field(form="/XFA [(preamble) 7 0 R (postamble) 8 0 R]")
    document.stream(7, '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">')
    return document.stream(8, "</xdp:xdp>").bytes()


# More than its share

@case("too_many_pages")
def two_thousand_pages():
    return pages(2000).bytes()


@case("page_too_large")
def page_of_a_kilometre():
    return pages(1, box="/MediaBox [0 0 2834646 2834646]").bytes()


@case("page_too_large")
def last_page_too_wide():
    return pages(3, last_box="/MediaBox [0 0 200000 842]").bytes()


@case(ACCEPTED)
def table_found_wrong_on_the_way():
    """The trailer names an object that is not where the cross-reference table has it."""
    data = Document().put(6, "/Nothing").bytes(trailer="/Type 6 0 R")
    last = data.rindex(b" 00000 n ")
    return data[:last - 10] + b"0000000001" + data[last:]


def deflated_run(byte, mebibytes, start=b""):
    """A zlib stream of one repeated byte behind `start`, made of equal blocks, without ever holding what it unpacks to."""
    chunk, packer, check = bytes([byte]) * (1 << 20), zlib.compressobj(9), zlib.adler32(start)
    first = packer.compress(start + chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    for _ in range(mebibytes):
        check = zlib.adler32(chunk, check)
    return first + block * (mebibytes - 1) + b"\x03\x00" + struct.pack(">I", check)


@case("decompression_bomb")
def content_of_four_gibibytes():
    data = zlib.compress(deflated_run(0x20, 4096), 9)
    return Document().stream(4, data, "/Filter [/FlateDecode /FlateDecode]").bytes()


@case("decompression_bomb")
def picture_of_four_gigapixels():
    document = Document(resources="/XObject << /I 6 0 R >>", content="q 400 0 0 400 90 200 cm /I Do Q")
    data = zlib.compress(deflated_run(0x7f, 4096), 9)
    return document.stream(6, data, "/Type /XObject /Subtype /Image /Width 65536 /Height 65536 /BitsPerComponent 8 "
                                    "/ColorSpace /DeviceGray /Filter [/FlateDecode /FlateDecode]").bytes()


def drawn_a_thousand_times(entries, data):
    document = Document(resources="/XObject << /I 6 0 R >>",
                        content=words("Strength 12") + " q 400 0 0 400 90 200 cm " + "/I Do " * 1000 + "Q")
    return document.stream(6, data, f"/Type /XObject /Subtype /Image {entries} /Filter /FlateDecode").bytes()


@case("too_complex")
def picture_drawn_a_thousand_times():
    return drawn_a_thousand_times("/Width 8192 /Height 8192 /BitsPerComponent 8 /ColorSpace /DeviceGray",
                                  deflated_run(0x7f, 64))


@case("too_complex")
def mask_drawn_a_thousand_times():
    return drawn_a_thousand_times("/Width 8192 /Height 16384 /ImageMask true", deflated_run(0x55, 16))


def long_program():
    """A function of two inputs (ISO 32000-1, 7.10.5) that takes milliseconds."""
    program = b"{ pop" + b" dup mul sqrt" * 1_000_000 + b" }"
    return zlib.compress(program, 9), "/FunctionType 4 /Domain [0 1 0 1] /Range [0 1] /Filter /FlateDecode"


@case("too_complex")
def shading_by_a_long_program():
    document = Document(resources="/Shading << /S 6 0 R >>", content=words("Strength 12") + " /S sh")
    document.put(6, "<< /ShadingType 1 /ColorSpace /DeviceGray /Matrix [595 0 0 842 0 0] /Function 7 0 R >>")
    return document.stream(7, *long_program()).bytes()


def coloured_by_a_long_program(document, number):
    """Adds a picture whose colours take the program minutes, as that object, and the program as the next."""
    document.stream(number, zlib.compress(bytes(range(256)) * 4096, 9),
                    "/Type /XObject /Subtype /Image /Width 1024 /Height 512 /BitsPerComponent 8 /Filter /FlateDecode "
                    f"/ColorSpace [/DeviceN [/One /Two] /DeviceGray {number + 1} 0 R]")
    return document.stream(number + 1, *long_program()).bytes()


@case("too_complex")
def picture_coloured_by_a_long_program():
    document = Document(resources="/XObject << /I 6 0 R >>", content=words("Strength 12") + " q 400 0 0 400 90 200 cm /I Do Q")
    return coloured_by_a_long_program(document, 6)


@case("too_complex")
def script_and_long_second_page():
    document = Document(tree="/Kids [3 0 R 6 0 R] /Count 2", catalog=f"/OpenAction << {SCRIPT} >>")
    document.put(6, Document.page_body(resources="/XObject << /I 8 0 R >>").replace("/Contents 4", "/Contents 7"))
    document.stream(7, "q 400 0 0 400 90 200 cm /I Do Q")
    return coloured_by_a_long_program(document, 8)


@case("too_complex")
def five_hundred_long_pages():
    document = pages(500)
    lines = "".join(f"{number % 595} {number * 7 % 842} m {number * 3 % 595} 9 l S\n" for number in range(300_000))
    return document.stream(4, zlib.compress((words("Strength 12") + lines).encode(), 9), "/Filter /FlateDecode").bytes()


@case("too_complex")
def object_stream_of_a_gibibyte():
    return Document().packed(padding=1024)


def forms_in_forms(count):
    """Ten levels of forms, each of which draws the next so many times."""
    document = Document(resources="/XObject << /X 6 0 R >>", content="/X Do " * count)
    for level in range(10):
        inner = f"/Resources << /XObject << /X {level + 7} 0 R >> >>" if level < 9 else ""
        document.stream(level + 6, "/X Do " * count if level < 9 else "0 0 1 1 re f",
                        f"/Type /XObject /Subtype /Form /BBox [0 0 595 842] {inner}")
    return document.bytes()


@case("too_complex")
def nine_forms_in_each_of_nine():
    return forms_in_forms(9)


@case("too_complex")
def thirty_thousand_annotations():
    document = Document(page=f"/Annots [{' '.join(f'{number} 0 R' for number in range(6, 30_006))}]")
    for number in range(6, 30_006):
        document.put(number, "<< /Type /Annot /Subtype /Square /Rect [72 72 200 100] >>")
    return document.bytes()


@case("too_complex")
def chain_of_fifty_thousand_forms():
    document = Document(resources="/XObject << /X 6 0 R >>", content="/X Do")
    for number in range(6, 50_006):
        document.stream(number, "/X Do", "/Type /XObject /Subtype /Form /BBox [0 0 595 842] "
                        f"/Resources << /XObject << /X {number + 1} 0 R >> >>")
    return document.stream(50_006, "0 0 1 1 re f", "/Type /XObject /Subtype /Form /BBox [0 0 595 842]").bytes()


@case("too_complex")
def millions_of_tiny_paths():
    paths = "".join(f"{number % 595} {number * 7 % 842} m {number % 595 + 1} {number * 7 % 842 + 1} l S\n"
                    for number in range(20_000))
    document = Document(resources="/XObject << /X 6 0 R >>", content="/X Do " * 400)
    return document.stream(6, paths, "/Type /XObject /Subtype /Form /BBox [0 0 595 842]").bytes()


@case("too_complex")
def ten_billion_forms():
    return forms_in_forms(10)


# Two formats at once

def archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr(zipfile.ZipInfo("readme.txt", (1980, 1, 1, 0, 0, 0)), "nothing of interest")
    return out.getvalue()


@case("polyglot")
def zip_in_front():
    return archive() + Document().bytes()


@case("polyglot")
def zip_behind():
    return Document().bytes() + archive()


@case("polyglot")
def html_in_front():
    return b"<!doctype html><title>Sheet</title><!--\n" + Document().bytes() + b"-->\n"


@case("polyglot")
def picture_in_front():
    return b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0, 0, 0) + b"\n" + Document().bytes()


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: make_hostile.py OUTDIR [NAME...]")
    out, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    unknown = set(names) - {name for name, _, _ in CASES}
    if unknown:
        sys.exit(f"there is no {', '.join(sorted(unknown))}")
    out.mkdir(parents=True, exist_ok=True)
    wanted = [case for case in CASES if not names or case[0] in names]
    for name, _, function in wanted:
        (out / name).write_bytes(function())
    expected = {name: code for name, code, _ in wanted}
    (out / "expected.json").write_text(json.dumps(expected, indent=2) + "\n", encoding="utf-8")
    print(f"{len(wanted)} files, {sum(code == ACCEPTED for code in expected.values())} of them honest")


if __name__ == "__main__":
    main()
