#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads an Atom feed from standard input as a feed reader does, and prints what it understood as JSON.

Ends with an error when the document is not well-formed or lacks what RFC 4287 demands.
"""
import json
import sys
import xml.etree.ElementTree

import feedparser

ATOM = "{http://www.w3.org/2005/Atom}"


def demand(parent, names, what):
    for name in names:
        found = parent.findall(ATOM + name)
        if len(found) != 1:
            sys.exit(f"{what} has {len(found)} times '{name}'")


def main():
    text = sys.stdin.buffer.read()
    root = xml.etree.ElementTree.fromstring(text)
    if root.tag != ATOM + "feed":
        sys.exit(f"the root is {root.tag}")
    demand(root, ["id", "title", "updated"], "the feed")
    relations = sorted(link.get("rel") for link in root.findall(ATOM + "link"))
    if relations != ["alternate", "self"]:
        sys.exit(f"links: {relations}")
    for entry in root.findall(ATOM + "entry"):
        demand(entry, ["id", "title", "updated", "author", "published", "summary"], "an entry")
    feed = feedparser.parse(text)
    if feed.bozo:
        sys.exit(f"feedparser: {feed.bozo_exception}")
    print(json.dumps({
        "version": feed.version, "id": feed.feed.id, "title": feed.feed.title,
        "links": {link.rel: link.href for link in feed.feed.links},
        "entries": [
            {
                "id": e.id, "title": e.title, "link": e.link, "author": e.author, "summary": e.summary,
                "updated": e.updated, "tags": [tag.term for tag in e.get("tags", [])],
            } for e in feed.entries
        ],
    }))


if __name__ == "__main__":
    main()
