# SPDX-License-Identifier: Apache-2.0
"""From the HTML of a Roll20 sheet to sections with fields."""
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

MOST_SECTIONS = 200
MOST_FIELDS = 3000
MOST_TEXT = 120

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6", "legend", "summary"}
SKIPPED = {"script", "style", "rolltemplate", "template", "svg"}
BLOCKS = {"div", "section", "article", "fieldset", "table", "tr", "p", "ul", "ol", "li", "details", "form", "main"}
VOID = {"input", "br", "img", "hr", "meta", "link", "col", "area", "base", "source", "wbr", "embed", "track"}


@dataclass
class Field:
    kind: str  # text, number, check, choice, area
    name: str
    label: str
    value: str = ""


@dataclass
class Section:
    title: str
    fields: list = field(default_factory=list)
    is_repeating: bool = False


class SheetParser(HTMLParser):
    """Follows headings, labels and fields. Markup is read, never run."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.sections = []
        self.left_out = set()
        self.skip_depth = 0
        self.skip_tag = None
        self.heading = None
        self.label = ""
        self.loose = ""
        self.stack = []
        self.count = 0

    def section(self):
        if not self.sections:
            self.sections.append(Section("Sheet"))
        return self.sections[-1]

    def open_section(self, title, is_repeating=False):
        if len(self.sections) < MOST_SECTIONS:
            self.sections.append(Section(title, is_repeating=is_repeating))
        self.loose = ""

    def handle_starttag(self, tag, attributes):
        if self.skip_tag:
            if tag == self.skip_tag:
                self.skip_depth += 1
            return
        attributes = {key: value or "" for key, value in attributes}
        if tag in SKIPPED:
            self.skip_tag, self.skip_depth = tag, 1
            self.left_out.add({"script": "scripts", "style": "styles", "rolltemplate": "roll templates"}.get(tag, tag))
            return
        if tag not in VOID:
            self.stack.append(tag)
            del self.stack[400:]
        if tag in HEADINGS:
            self.heading = ""
        elif tag == "label":
            self.label = ""
        elif tag == "fieldset" and "repeating_" in attributes.get("class", ""):
            name = re.search(r"repeating_([A-Za-z0-9-]+)", attributes["class"])
            self.open_section(self.words(name.group(1)) if name else "List", is_repeating=True)
        elif tag == "button" and attributes.get("type") in ("roll", "action"):
            self.left_out.add("roll buttons")
        elif tag in ("input", "select", "textarea"):
            self.add_field(tag, attributes)
        if tag in BLOCKS:
            self.loose = ""

    def handle_endtag(self, tag):
        if self.skip_tag:
            if tag == self.skip_tag:
                self.skip_depth -= 1
                if self.skip_depth == 0:
                    self.skip_tag = None
            return
        if tag in HEADINGS and self.heading is not None:
            title = self.clean(self.heading)
            self.heading = None
            if title:
                self.open_section(title)
        while self.stack and self.stack.pop() != tag:
            pass

    def handle_data(self, data):
        if self.skip_tag:
            return
        if self.heading is not None:
            self.heading += data
        elif "button" not in self.stack and "option" not in self.stack:
            self.loose = (self.loose + " " + data)[-400:]
            if "label" in self.stack:
                self.label = (self.label + " " + data)[-400:]

    def add_field(self, tag, attributes):
        name = attributes.get("name", "")
        kind = attributes.get("type", "text").lower() if tag == "input" else tag
        if not name.startswith("attr_") or kind in ("hidden", "button", "submit", "image", "file", "password"):
            return
        if self.count >= MOST_FIELDS:
            return
        self.count += 1
        label = self.clean(self.label) or self.clean(self.loose) or self.words(name[5:])
        known = {"checkbox": "check", "radio": "check", "number": "number", "select": "choice", "textarea": "area"}
        self.section().fields.append(
            Field(known.get(kind, "text"), name[5:], label.rstrip(":").strip() or self.words(name[5:])))
        self.loose = ""
        self.label = ""

    @staticmethod
    def clean(text):
        # Translations are written as data-i18n="…" with a readable default, or as plain text.
        text = "".join(c if c.isprintable() else " " for c in text)
        return " ".join(text.split())[:MOST_TEXT]

    @classmethod
    def words(cls, name):
        name = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
        return cls.clean(re.sub(r"[_\-]+", " ", name)).capitalize()


def read_sections(html):
    """Sections in reading order, and what was left out. Sections without fields lend their title to the next."""
    parser = SheetParser()
    try:
        parser.feed(html)
        parser.close()
    except (AssertionError, RecursionError, ValueError):
        pass  # what was read up to here is what there is
    sections = []
    for section in parser.sections:
        if section.fields or not sections:
            sections.append(section)
    sections = [s for s in sections if s.fields] or [s for s in parser.sections if s.title != "Sheet"]
    return sections, parser.left_out
