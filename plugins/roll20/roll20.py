# SPDX-License-Identifier: Apache-2.0
"""Imports a Roll20 community sheet (a ZIP with sheet.json, HTML, CSS, preview): draws its sections, headings and fields
as a fillable PDF. Nothing of the sheet is executed: scripts, roll templates and styles are passed over.

Speaks version 1 of the importers' protocol, see plugins/README.md: one JSON request on standard input, the file as
descriptor 3, the artifact to descriptor 4, JSON lines on standard output.
"""
import json
import os
import sys

# Python's -I keeps the script's own folder out of the search path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from archive import Refusal, SheetArchive  # noqa: E402
from drawing import Drawing  # noqa: E402
from markup import read_sections  # noqa: E402

NAME = "roll20"
VERSION = "1.0.0"
PROTOCOL = 1


def say(line_type, **members):
    sys.stdout.write(json.dumps({"type": line_type, **members}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def recognize(data):
    try:
        confidence = SheetArchive(data).confidence
    except Refusal:
        return
    if confidence > 0:
        say("claim", confidence=confidence)


def plain(text, most):
    """One line without characters that control or hide."""
    cleaned = "".join(c if c.isprintable() else " " for c in str(text))
    return " ".join(cleaned.split())[:most].strip()


def metadata_of(sheet, sections):
    name = plain(sheet.info.get("name") or sheet.info.get("title") or sheet.folder_name, 80)
    metadata = {"name": name, "tags": ["roll20", "fillable"]}
    authors = plain(sheet.info.get("authors") or "", 200)
    instructions = sheet.info.get("instructions")
    lines = []
    if authors:
        lines.append(f"By {authors}, for Roll20.")
    if isinstance(instructions, str) and instructions.strip():
        lines.append(plain(instructions, 4000))
    lines.append("Sections: " + ", ".join(section.title for section in sections[:40]) + ".")
    metadata["description"] = "\n\n".join(lines)
    metadata["summary"] = plain(f"{name}: {len(sections)} sections, imported from a Roll20 sheet.", 200)
    return {key: value for key, value in metadata.items() if value}


def convert(data, output):
    sheet = SheetArchive(data)
    sheet.check()
    say("progress", fraction=0.2, step="reading the sheet's HTML")
    sections, left_out = read_sections(sheet.html())
    if not sections:
        raise Refusal("invalid_format", "The sheet's HTML has neither fields nor headings, so there is nothing to draw.")
    if left_out:
        say("finding", code="scripts_left_out", severity="info",
            message="Left out because it only works on Roll20: " + ", ".join(sorted(left_out)) + ".")
    say("progress", fraction=0.5, step="drawing the pages")
    metadata = metadata_of(sheet, sections)
    drawing = Drawing(metadata["name"])
    for section in sections:
        drawing.add(section)
    pdf, regions = drawing.finish()
    say("progress", fraction=0.9, step="writing the PDF")
    with os.fdopen(output["descriptor"], "wb") as file:
        file.write(pdf)
    say("result", kind="sheet", metadata=metadata, regions=regions, fileName=f"{sheet.stem}.pdf",
        artifact={"source": "written", "mediaType": "application/pdf", "bytes": len(pdf)})


def main():
    request = json.load(sys.stdin)
    if request.get("protocolVersion") != PROTOCOL:
        sys.exit("roll20: this protocol version is not spoken here")
    kind = request.get("request")
    if kind == "hello":
        say("hello", name=NAME, version=VERSION, protocolVersion=PROTOCOL)
        return
    with os.fdopen(request["file"]["descriptor"], "rb") as file:
        data = file.read(request["limits"]["fileBytes"] + 1)
    if len(data) > request["limits"]["fileBytes"]:
        if kind == "import":
            say("finding", code="too_large", severity="blocker", message="The file is too large.")
        return
    if kind == "recognize":
        recognize(data)
        return
    try:
        convert(data, request["artifact"])
    except Refusal as refusal:
        say("finding", code=refusal.code, severity="blocker", message=refusal.message)


if __name__ == "__main__":
    main()
