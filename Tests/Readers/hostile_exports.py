# SPDX-License-Identifier: Apache-2.0
"""Sends hostile sheets, pictures, texts and requests to `sheet-export`: each has to end with a PDF or with a sentence.

  hostile_exports.py SHEET-EXPORT SHEET.pdf [FOLDER…]   FOLDER: more hostile PDFs

Prints what ended otherwise (a crash, a hang, silence, more memory than allowed), and ends with 1 if anything did. First it
proves that the walls stand before the first byte of a request is read.
"""
import io
import pathlib
import random
import resource
import subprocess
import sys
import time
import zlib

from PIL import Image

# The program limits itself to 30 s of processor time, 60 s in all and 2 GiB.
MOST_SECONDS, MOST_MEMORY = 120, 2_200
# There was no memory; its time was over.
ENDS = {0, 1, 71, -14, -24}
LINE = b"m 10000 10000\nl 90000 90000\nline 000000FF 2000\n"


def request(marks=LINE, pdf=b"", images=(), flat=True, size=(612, 792)):
    head = b"sheet-export 2\nas annotations\n" + (b"flatten\n" if flat else b"")
    for image in images:
        head += b"image %d\n%s\n" % (len(image), image)
    head += b"page 0 %d000 %d000\nlayer 700 multiply\n" % size
    return head + marks + b"pdf %d\n" % len(pdf) + pdf


def text(words, font="DejaVu Sans", width=300):
    words, font = words if isinstance(words, bytes) else words.encode(), font.encode()
    return b"text 50000 50000 %d000 200000 0 12000 leading natural 000000FF %d %d\n%s\n%s\n" % (
        width, len(font), len(words), font, words)


def pdf(page=b"", catalog=b"", more=b"", media=b"[0 0 612 792]"):
    """A PDF whose table of objects has to be guessed, as readers do."""
    return (b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R" + catalog + b">>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\n"
            b"endobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox" + media + page + b">>\nendobj\n" + more + b"trailer\n<</Root 1 0 R>>\n%%EOF\n")


def stream(number, data, dictionary=b""):
    return b"%d 0 obj\n<</Length %d%s>>\nstream\n%s\nendstream\nendobj\n" % (number, len(data), dictionary, data)


def field(number, rest):
    return b"%d 0 obj\n<</Type/Annot/Subtype/Widget/Rect[100 100 300 120]/FT/Tx/T(a)/V(Hello)%s>>\nendobj\n" % (number, rest)


def form(rest, more=b""):
    return pdf(b"/Annots[4 0 R]", b"/AcroForm<</Fields[4 0 R]/NeedAppearances true>>", field(4, rest) + more)


def sheets(sheet):
    yield "nothing but a head", b"%PDF-1.7\n"
    yield "noise", random.Random(1).randbytes(100_000)
    yield "cut in the middle", sheet[:len(sheet) // 2]
    yield "without its end", sheet[:-300]
    yield "deep array", pdf(catalog=b"/X " + b"[" * 500_000 + b"]" * 500_000)
    deep = b"".join(b"%d 0 obj\n<</Type/Pages/Kids[%d 0 R]/Count 1>>\nendobj\n" % (n, n + 1) for n in range(2, 400_000))
    yield "deep tree of pages", b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n" + deep + b"trailer\n<</Root 1 0 R>>\n"
    yield "tree of pages in a ring", pdf().replace(b"/Kids[3 0 R]", b"/Kids[2 0 R 3 0 R]")
    yield "page twice in its tree", pdf().replace(b"/Kids[3 0 R]", b"/Kids[3 0 R 3 0 R]")
    yield "no pages", pdf().replace(b"/Kids[3 0 R]/Count 1", b"/Kids[]/Count 9999999")
    yield "boxes of the wrong kind", pdf(media=b"[(a) /b null 1]")
    yield "box of infinite size", pdf(media=b"[0 0 1e308 1e308]")
    yield "turned by 45 degrees", pdf(b"/Rotate 45")
    yield "turned by a word", pdf(b"/Rotate (east)")
    yield "content that grows", pdf(b"/Contents 4 0 R", more=stream(4, zlib.compress(bytes(1 << 27), 9), b"/Filter/FlateDecode"))
    yield "content in a ring", pdf(b"/Contents[4 0 R 4 0 R]", more=b"4 0 obj\n[4 0 R 4 0 R]\nendobj\n")
    yield "resources in a ring", pdf(b"/Resources 4 0 R", more=b"4 0 obj\n<</XObject 4 0 R/A 4 0 R>>\nendobj\n")
    yield "annotations of the wrong kind", pdf(b"/Annots[1 (a) null 99 0 R 3 0 R <</Subtype/Widget>>]")
    yield "a hundred thousand annotations", pdf(b"/Annots[" + b"4 0 R " * 100_000 + b"]", more=field(4, b""))
    yield "field in a ring", form(b"/Parent 5 0 R", b"5 0 obj\n<</Parent 4 0 R/Kids[4 0 R]>>\nendobj\n")
    yield "field with kids in a ring", form(b"/Kids[4 0 R]/Parent 4 0 R")
    yield "manner of words", form(b"/DA(one two Tf rg \\000 q 1e999 /F 99999999999 Tf -1 -1 -1 rg)")
    yield "no rectangle", form(b"/DA(/H 0 Tf)").replace(b"/Rect[100 100 300 120]", b"/Rect[(a)]")
    yield "turned field", form(b"/MK<</R 91/BG[1 2 3 4 5]/BC[(a)]>>/BS<</W -9e99>>")
    yield "long value", form(b"/Ff 4096/DA(/H 12 Tf)").replace(b"(Hello)", b"(" + b"word " * 200_000 + b")")
    yield "appearance in a ring", form(b"/AP<</N 5 0 R>>", stream(5, b"/A Do", b"/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</A 5 0 R>>>>")).replace(b"true", b"false")
    yield "appearance of the wrong kind", form(b"/AP<</N[1 2]/D 4 0 R>>/AS 7").replace(b"true", b"false")
    rng = random.Random(31)
    for turn in range(20):
        data = bytearray(sheet)
        for _ in range(rng.randrange(1, 60)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        yield f"damaged at random, {turn}", bytes(data)


def picture(kind, *arguments, size=(64, 64), **options):
    file = io.BytesIO()
    Image.new("RGB", size, (9, 99, 199)).save(file, kind, **options)
    return file.getvalue()


def requests(sheet):
    good = request(text("Hello") + LINE, sheet)
    yield "nothing", b""
    yield "noise", random.Random(2).randbytes(100_000)
    yield "of another version", good.replace(b"sheet-export 2", b"sheet-export 1")
    yield "cut", good[:200]
    yield "larger than it is", good.replace(b"pdf %d" % len(sheet), b"pdf 99999999999")
    yield "numbers too large", request(b"m 999999999999 999999999999\nl -999999999999 0\nline 000000FF 999999999999\n", sheet)
    yield "numbers that are none", request(b"m x y\n", sheet)
    yield "picture of no number", request(b"picture 0 0 1000 1000 0 7\n", sheet)
    yield "picture longer than the request", b"sheet-export 2\nimage 99999999999\nabc\n"
    yield "letters that are none", request(text(b"\xff\xfe\xc0\x80abc\xed\xa0\x80"), sheet)
    yield "nested directions", request(text("\u202a\u202bא" * 20_000), sheet)
    yield "accents without end", request(text("a" + "\u0301\u0323" * 100_000), sheet)
    yield "a long word", request(text("א" * 200_000, width=1), sheet)
    yield "many families", request(b"".join(text("a", f"Font {n}") for n in range(600)), sheet)
    yield "family of noise", request(text("a", "\x01:lang=\\,x:file=/etc/passwd:" * 50), sheet)
    png, jpeg = picture("PNG"), picture("JPEG", progressive=True)
    rng = random.Random(32)
    mark = b"picture 50000 50000 90000 90000 0 %d\n"
    for turn in range(20):
        images = []
        for source in (png, jpeg):
            data = bytearray(source)
            for _ in range(rng.randrange(1, 12)):
                data[rng.randrange(8, len(data))] = rng.randrange(256)
            images.append(bytes(data))
        yield f"damaged pictures, {turn}", request(mark % 0 + mark % 1, sheet, images)
    # Scan after scan of the same, each as dear as the whole picture.
    wide = picture("JPEG", size=(6000, 6000), progressive=True)
    start = wide.rindex(b"\xff\xda")
    yield "a picture in a thousand passes", request(mark % 0, sheet, [wide[:-2] + wide[start:-2] * 1000 + b"\xff\xd9"])
    bomb = io.BytesIO()
    Image.new("1", (32_000, 32_000)).save(bomb, "PNG")
    yield "a picture of a thousand million pixels", request(mark % 0, sheet, [bomb.getvalue()])
    large = [picture("JPEG", size=(6000 + number, 6000)) for number in range(3)]
    yield "pictures that are too large together", request(mark % 0 + mark % 1 + mark % 2, sheet, large)


def wrong(program, name, data):
    file = io.BytesIO()
    start = time.monotonic()
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            output, errors = child.communicate(data, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            return f"{name}: still runs after {MOST_SECONDS} s"
    lines = errors.decode(errors="replace").splitlines()
    if child.returncode not in ENDS:
        return f"{name}: ended with {child.returncode}: {lines[-1:]}"
    if child.returncode == 0 and not output.startswith(b"%PDF-"):
        return f"{name}: no PDF"
    if child.returncode > 0 and (output or not lines or not lines[-1].endswith((".", "?"))):
        return f"{name}: does not say what is wrong: {lines[-1:]}"
    if len(lines) > 51:
        return f"{name}: says {len(lines)} things"
    return None


def walls(program, good):
    """Says if a process that has not been sent anything yet is not confined."""
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        status = {}
        for _ in range(600):
            lines = pathlib.Path(f"/proc/{child.pid}/status").read_text().splitlines()
            status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
            if status.get("Seccomp") == "2":
                break
            time.sleep(0.05)
        else:
            yield "reads without walls"
        if status.get("NoNewPrivs") != "1":
            yield "may gain privileges"
        output, errors = child.communicate(good, timeout=MOST_SECONDS)
        if child.returncode or not output.startswith(b"%PDF-"):
            yield f"does not work behind its walls: {errors!r}"


def main():
    program, sheet = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes()
    found = list(walls(program, request(text("Hello שלום"), sheet, [picture("PNG")])))
    cases = [("sheet, " + name, request(pdf=data)) for name, data in sheets(sheet)]
    cases += [("request, " + name, data) for name, data in requests(sheet)]
    for folder in sys.argv[3:]:
        cases += [(path.name, request(pdf=path.read_bytes())) for path in sorted(pathlib.Path(folder).glob("*.pdf"))]
    found += filter(None, (wrong(program, name, data) for name, data in cases))
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    if used > MOST_MEMORY:
        found.append(f"took {used} MiB")
    print("\n".join(found) if found else f"{len(cases)} hostile requests, {used} MiB at most")
    sys.exit(1 if found else 0)


main()
