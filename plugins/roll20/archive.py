# SPDX-License-Identifier: Apache-2.0
"""A ZIP of a Roll20 sheet folder, read with care."""
import io
import json
import posixpath
import re
import stat
import zipfile

MOST_ENTRIES = 2000
MOST_BYTES = 64 << 20
MOST_RATIO = 200
HARMLESS_BYTES = 4 << 20


class Refusal(Exception):
    """Why nothing can be made of the file: a stable code and a sentence."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = "".join(c if c.isprintable() else " " for c in message)[:300]


class SheetArchive:
    def __init__(self, data):
        self.stem = "sheet"
        self.info = {}
        self.prefix = ""
        try:
            self.zip = zipfile.ZipFile(io.BytesIO(data))
            self.entries = self.zip.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, UnicodeError, OSError):
            raise Refusal("malformed", "The archive cannot be opened; pack it again.") from None
        self.size = len(data)
        self._find()

    def _find(self):
        """The folder with sheet.json: the top, or the only folder at the top."""
        names = {entry.filename for entry in self.entries[:MOST_ENTRIES]}
        found = sorted((n for n in names if posixpath.basename(n) == "sheet.json" and n.count("/") <= 1), key=len)
        if not found:
            return
        self.prefix = posixpath.dirname(found[0])
        try:
            info = json.loads(self._read(found[0]).decode("utf-8-sig"))
        except (ValueError, UnicodeError, RecursionError, Refusal):
            return
        if isinstance(info, dict):
            self.info = info
            stem = re.sub(r"[^a-z0-9]+", "-", self.folder_name.lower()).strip("-")
            self.stem = stem[:60] or "sheet"

    @property
    def folder_name(self):
        name = self.prefix or posixpath.splitext(str(self.info.get("html") or "sheet"))[0]
        words = posixpath.basename(name).replace("_", " ").replace("-", " ")
        return words.title() if words == words.lower() else words

    @property
    def confidence(self):
        html = self.info.get("html")
        if not isinstance(html, str):
            return 0
        return 0.95 if self._path(html) in self.zip.NameToInfo else 0.6

    def check(self):
        if len(self.entries) > MOST_ENTRIES:
            raise Refusal("archive_too_large", f"The archive has more than {MOST_ENTRIES} entries.")
        seen = set()
        total = 0
        for entry in self.entries:
            name = entry.filename
            parts = name.rstrip("/").split("/")
            if "\\" in name or ":" in name or not name.isprintable() or any(p in ("", ".", "..") for p in parts):
                raise Refusal("archive_path", "An entry's name leads out of the archive, or cannot be shown.")
            if name.rstrip("/").lower() in seen:
                raise Refusal("archive_duplicate", f"Two entries of the archive are called '{name}'.")
            seen.add(name.rstrip("/").lower())
            mode = entry.external_attr >> 16
            if entry.create_system == 3 and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise Refusal("archive_link", f"'{name}' is a link or a device; only files are taken.")
            if entry.flag_bits & 1:
                raise Refusal("encrypted", f"'{name}' is encrypted; pack it without a password.")
            if entry.file_size > HARMLESS_BYTES and entry.file_size > MOST_RATIO * max(1, entry.compress_size):
                raise Refusal("decompression_bomb", "The archive unpacks to far more than a sheet can be.")
            total += entry.file_size
        if total > MOST_BYTES:
            raise Refusal("decompression_bomb", "The archive unpacks to far more than a sheet can be.")

    def html(self):
        name = self.info.get("html")
        if not isinstance(name, str):
            raise Refusal("invalid_format", "sheet.json names no HTML file ('html').")
        return self._read(self._path(name)).decode("utf-8", "replace")

    def _path(self, name):
        return posixpath.join(self.prefix, name) if self.prefix else name

    def _read(self, name):
        entry = self.zip.NameToInfo.get(name)
        if entry is None:
            raise Refusal("invalid_format", f"The archive has no '{name}'.")
        if entry.file_size > MOST_BYTES or entry.flag_bits & 1:
            raise Refusal("invalid_format", f"'{name}' cannot be read.")
        try:
            with self.zip.open(entry) as file:
                data = file.read(entry.file_size + 1)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError):
            raise Refusal("malformed", f"'{name}' is damaged.") from None
        except Exception as error:  # zlib.error and its kin have no common parent
            raise Refusal("malformed", f"'{name}' is damaged ({type(error).__name__}).") from None
        return data
