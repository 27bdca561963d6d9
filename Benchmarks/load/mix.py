# SPDX-License-Identifier: Apache-2.0
"""What visitors do, and how many of them do what.

The shares are assumed: a market that is read a thousand times as often as something is uploaded. Sheets and words are drawn
by Zipf's law, so that caches are hit as often as they would be. A visit is one request, but for downloads (the ticket, then the
file) and moderators (the next case, then its decision).
"""
import json
import random
import uuid

import paths
import catalog
from clients import WORDS, form, sheet
from openloop import Request

# Of a hundred visits.
READS = {
    "browse": 13, "search": 9, "suggest": 5, "detail": 17, "list page": 8, "sheet page": 14, "picture": 14, "download": 6,
    "updates": 10, "news": 2,
}
CHANGES = {"favorite": 0.8, "vote": 0.5, "review": 0.5, "upload": 0.1, "moderate": 0.12}
SORTS = ("newest", "updated", "downloads", "rating", "trending", "name")
JSON = ("Content-Type", "application/json")
GZIP = ("Accept-Encoding", "gzip")


class Visitors:
    """Makes visits to a market that `census` describes. `changes` says how many times their share changes have."""

    def __init__(self, census, changes=1.0, seed=3):
        self.census = census
        self.random = rng = random.Random(seed)
        made = catalog.Catalog(census["count"])
        self.words = catalog.Zipf(rng, made.words, 0.95)
        self.systems = catalog.Zipf(rng, made.systems, 1.1)
        self.templates = catalog.Zipf(rng, census["templates"], 0.8)
        self.files = catalog.Zipf(rng, census["files"], 0.8)
        shares = {**READS, **{name: share * changes for name, share in CHANGES.items()}}
        self.kinds = [getattr(self, name.replace(" ", "_")) for name in shares]
        self.weights = list(shares.values())
        whole = sum(self.weights)
        self.shares = {name: share / whole for name, share in shares.items()}
        self.uploads = 0
        self.run = uuid.uuid4().hex[:8]

    def visit(self):
        return self.random.choices(self.kinds, self.weights)[0]()

    def word(self):
        return self.words.draw()

    def signed(self, who, *more, key=False):
        fields = [("Authorization", f"Bearer {self.random.choice(self.census[who])}"), *more]
        return fields + [("Idempotency-Key", uuid.uuid4().hex)] if key else fields

    # Reads

    def browse(self):
        more = f"&gameSystem={self.systems.draw()}" if self.random.random() < 0.5 else ""
        yield Request("browse", "GET", f"/api/v1/templates?sort={self.random.choice(SORTS)}&limit=20{more}", [GZIP])

    def search(self):
        words = "+".join(self.word() for _ in range(self.random.choice((1, 1, 2))))
        yield Request("search", "GET", f"/api/v1/templates?q={words}", [GZIP])

    def suggest(self):
        yield Request("suggest", "GET", f"/api/v1/suggest?q={self.word()[:self.random.choice((2, 3, 4))]}", [GZIP])

    def detail(self):
        yield Request("detail", "GET", f"/api/v1/templates/{self.templates.draw()['slug']}", [GZIP])

    def list_page(self):
        query = self.random.choice(("", f"?gameSystem={self.systems.draw()}", f"?q={self.word()}"))
        yield Request("list page", "GET", f"/{query}", [GZIP])

    def sheet_page(self):
        yield Request("sheet page", "GET", f"/sheets/{self.templates.draw()['slug']}", [GZIP])

    def picture(self):
        file = self.files.draw()
        path = f"/api/v1/templates/{file['id']}/versions/{file['version']}/pages/0/preview?width=360"
        yield Request("picture", "GET", path)

    def download(self):
        file = self.files.draw()
        path = f"/api/v1/templates/{file['id']}/versions/{file['version']}/download?redirect=false"
        ticket = yield Request("ticket", "GET", path)
        url = ticket.json()["url"]
        yield Request("file", "GET", url if url.startswith("/") else "/" + url.split("://", 1)[1].split("/", 1)[1])

    def updates(self):
        """Of a library with twenty sheets."""
        installed = [{"templateId": one["id"], "version": one["version"], "sha256": one["sha256"]}
                     for one in {t["id"]: t for t in self.templates.draw(20)}.values()]
        yield Request("updates", "POST", "/api/v1/updates", [JSON], json.dumps({"installed": installed}).encode())

    def news(self):
        yield Request("news", "GET", "/api/v1/me/news", self.signed("readers", GZIP))

    # Changes

    def favorite(self):
        # There may be 500 of one person.
        path = f"/api/v1/me/favorites/{self.templates.draw()['id']}"
        yield Request("favorite", "PUT", path, self.signed("readers"), b"", (204, 409))

    def vote(self):
        if self.census["reviews"]:
            path = f"/api/v1/reviews/{self.random.choice(self.census['reviews'])}/votes"
            # Nobody may vote on their own.
            yield Request("vote", "POST", path, self.signed("readers", JSON, key=True), b'{"helpful":true}', (200, 403))

    def review(self):
        path = f"/api/v1/templates/{self.templates.draw()['slug']}/reviews/mine"
        body = json.dumps({"stars": self.random.randint(1, 5), "text": "Read under load."}).encode()
        answer = yield Request("review", "PUT", path, self.signed("readers", JSON, key=True), body, (200, 201))
        # Readers find some of them.
        reviews = self.census["reviews"]
        if len(reviews) < 2000:
            reviews.append(answer.json()["id"])

    def upload(self):
        self.uploads += 1
        title = f"Load {self.run} {self.uploads}"
        words = self.random.sample(WORDS, 9)
        metadata = dict(name=title, summary=" ".join(words[:4]), description="Made under load.", gameSystem="dnd5e",
                        tags=["load"], license="CC0-1.0", language="en", version="1.0.0", changelog="First.")
        kind, body = form(metadata, sheet([title, *words]))
        yield Request("upload", "POST", "/api/v1/templates", self.signed("authors", ("Content-Type", kind), key=True), body, (201, 202))

    def moderate(self):
        who = self.signed("moderators", JSON)
        next_ = yield Request("next case", "POST", "/api/v1/moderation/queue/next", who, b"{}", (200, 204))
        if next_.status == 204:
            return
        approves = self.random.random() < 0.75
        body = dict(decision="approve" if approves else "reject", reasonCode="meets_guidelines" if approves else "other",
                    message="Decided under load.")
        yield Request("decision", "POST", f"/api/v1/moderation/cases/{next_.json()['id']}/decision", who,
                      json.dumps(body).encode())
