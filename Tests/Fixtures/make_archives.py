# SPDX-License-Identifier: Apache-2.0
"""Writes archives that no importer may trust, and honest ones, into the folder named on the command line.

The name of a hostile one begins with the finding that it must get: `archive_path--dotdot.sheetbundle`.
"""
import hashlib
import io
import json
import pathlib
import struct
import sys
import zipfile
import zlib

EPOCH = (1980, 1, 1, 0, 0, 0)


def pdf():
    """A one-page PDF."""
    parts = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
             b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> /Contents 4 0 R >>",
             b"<< /Length 22 >>\nstream\n40 40 500 700 re S     \nendstream"]
    data, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, part in enumerate(parts, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    start = len(data)
    data += b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % o for o in offsets)
    data += b"trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start
    return bytes(data)


def manifest(content, **changes):
    value = {
        "format": "sheetbundle", "formatVersion": 1, "kind": "sheet", "fileName": "sheet.pdf", "pictures": [],
        "metadata": {"name": "Archived", "version": "1.0.0"},
        "artifact": {"path": "artifact/template.pdf", "mediaType": "application/pdf", "sizeBytes": len(content),
                     "sha256": hashlib.sha256(content).hexdigest()},
    }
    value.update(changes)
    return json.dumps(value).encode()


def entry(name, mode=0o100644, method=zipfile.ZIP_DEFLATED):
    info = zipfile.ZipInfo(name, EPOCH)
    info.external_attr = mode << 16
    info.create_system = 3
    info.compress_type = method
    return info


def bundle(extra=(), content=None, **changes):
    content = content or pdf()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry("manifest.json"), manifest(content, **changes))
        archive.writestr(entry("artifact/template.pdf"), content)
        for info, data in extra:
            archive.writestr(info, data)
    return buffer.getvalue()


def patched(data, old, new, count=-1):
    assert len(old) == len(new) and old in data
    return data.replace(old, new, count)


def encrypted():
    """The flag of encryption, set in both headers of the last entry."""
    data = bytearray(bundle())
    central = data.rfind(b"PK\1\2")
    local = struct.unpack_from("<I", data, central + 42)[0]
    data[local + 6] |= 1
    data[central + 8] |= 1
    return bytes(data)


def overlapping(count=200, size=4 << 20):
    """Entries that share one body, after David Fifield's better zip bomb (2019), simplified."""
    body = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = body.compress(b"\0" * size) + body.flush()
    crc = zlib.crc32(b"\0" * size)
    data = bytearray(bundle())
    end = data.rfind(b"PK\5\6")
    start = struct.unpack_from("<I", data, end + 16)[0]
    old = bytes(data[start:end])
    del data[start:]
    offset = len(data)
    data += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 33, crc, len(packed), size, 1, 0) + b"a" + packed
    start, directory = len(data), bytearray(old)
    for index in range(count):
        name = b"%06d" % index
        directory += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0x0314, 20, 0, 8, 0, 33, crc, len(packed), size,
                                 len(name), 0, 0, 0, 0, 0o100644 << 16, offset) + name
    data += directory
    data += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count + 2, count + 2, len(directory), start, 0)
    return bytes(data)


def duplicate():
    one = entry("extra-a.txt")
    two = entry("extra-b.txt")
    return patched(bundle([(one, b"1"), (two, b"2")]), b"extra-b.txt", b"extra-a.txt")


def bzip2():
    return bundle([(entry("notes.txt", method=zipfile.ZIP_BZIP2), b"x" * 1000)])


def lying_size():
    """The directory promises fewer bytes than there are."""
    data = bytearray(bundle([(entry("regions.json"), b'{"pages":[]}' + b" " * 5000)]))
    at = data.rfind(b"PK\1\2")
    struct.pack_into("<I", data, at + 24, 12)
    return bytes(data)


HOSTILE = {
    "archive_path--dotdot": lambda: bundle([(entry("../../etc/cron.d/x"), b"x")]),
    "archive_path--absolute": lambda: bundle([(entry("/etc/passwd"), b"x")]),
    "archive_path--backslash": lambda: patched(bundle([(entry("a_._.b"), b"x")]), b"a_._.b", b"a\\..\\b"),
    "archive_path--drive": lambda: bundle([(entry("C:/autoexec.bat"), b"x")]),
    "archive_path--control": lambda: patched(bundle([(entry("a_b"), b"x")]), b"a_b", b"a\x1bb"),
    "archive_path--deep": lambda: bundle([(entry("a/" * 60 + "b"), b"x")]),
    "archive_link--symlink": lambda: bundle([(entry("regions.json", 0o120777), b"/etc/passwd")]),
    "archive_link--device": lambda: bundle([(entry("null", 0o020666), b"")]),
    "archive_duplicate--same": duplicate,
    "archive_duplicate--case": lambda: bundle([(entry("A.txt"), b"1"), (entry("a.txt"), b"2")]),
    "archive_duplicate--file-and-folder": lambda: bundle([(entry("a"), b"1"), (entry("a/", 0o040755), b"")]),
    "encrypted--flag": encrypted,
    "decompression_bomb--ratio": lambda: bundle([(entry("zeros"), b"\0" * (60 << 20))]),
    "archive_too_large--entry": lambda: bundle([(entry("zeros"), b"\0" * (70 << 20))]),
    "archive_too_large--entries": lambda: bundle([(entry(f"{i}"), b"") for i in range(3000)]),
    "malformed--bzip2": bzip2,
    "malformed--cut": lambda: bundle()[:-40],
    "malformed--crc": lambda: bundle()[:60] + b"\xff\xff" + bundle()[62:],
    "malformed--lying-size": lying_size,
    "invalid_format--hash": lambda: bundle(**{"artifact": {
        "path": "artifact/template.pdf", "mediaType": "application/pdf", "sizeBytes": 3, "sha256": "0" * 64}}),
    "invalid_format--newer": lambda: bundle(formatVersion=2),
    "invalid_format--kind": lambda: bundle(kind="of_tomorrow"),
    "invalid_format--missing": lambda: bundle(**{"artifact": {
        "path": "elsewhere.pdf", "mediaType": "application/pdf", "sizeBytes": 3, "sha256": "0" * 64}}),
    "not_a_pdf--artifact": lambda: bundle(content=b"just text"),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in HOSTILE.items():
        (folder / f"{name}.sheetbundle").write_bytes(make())
    bomb = overlapping()
    (folder / "decompression_bomb--overlapping.sheetbundle").write_bytes(bomb)
    (folder / "good.sheetbundle").write_bytes(bundle())


if __name__ == "__main__":
    main()
