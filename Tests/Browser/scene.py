# SPDX-License-Identifier: Apache-2.0
"""A market as it looks after some weeks: people with reviews, uploads, cases and news, made by its API.

    scene.furnish(base, program, data)

`program` is `sheetmarket`, `data` the folder of the market that runs with its examples at `base`. Says by name where
what it made is to be found. Passwords are `correct horse battery HANDLE`, as in the tests."""

import base64
import email
import email.policy
import hashlib
import hmac
import json
import pathlib
import pickle
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

SHEETS = pathlib.Path(__file__).resolve().parents[2] / "examples/sheets"
# A vocabulary pack, which is no sheet.
WORDS = json.dumps({"name": "Words of Dusk", "korean_words": [
    {"word": "\uac80", "romanization": "geom", "meaning": "sword", "category": "gear", "difficulty": 1}]}).encode()
REVIEWS = (
    ("oathbound-journal", "nell", 5, "Printed it on heavy paper: the margins are just right, and everything finds "
     "its place. We have played a whole winter with it."),
    ("oathbound-journal", "hanno", 4, "Clear, calm, quick to fill in. I would like a larger box for notes."),
    ("oathbound-journal", "ines", 5, "My players asked where I bought it."),
    ("rust-season", "nell", 3, "Good, but dark: my printer was not amused."),
    ("far-orbit-dossier", "ines", 5, "The gear page alone is worth it."),
    ("wayfarers-ledger", "hanno", 4, None),
)

# Twelve boxes in two rows, in the blank part of a page.
NEW_BOXES = b"0.4 0.3 0.2 RG 0.2 0.15 0.1 rg 1 w " + b" ".join(
    b"%d %d 9 9 re %s" % (228 + 20 * (box % 6), 96 - 16 * (box // 6), b"B" if box < 4 else b"S") for box in range(12))


def password(handle):
    return f"correct horse battery {handle}"


def one_time_code(secret):
    """RFC 6238, as an authenticator app makes it."""
    key = base64.b32decode(secret.replace(" ", ""))
    mac = hmac.new(key, int(time.time() // 30).to_bytes(8, "big"), hashlib.sha1).digest()
    word = int.from_bytes(mac[mac[-1] & 15:][:4], "big") & 0x7FFFFFFF
    return f"{word % 1_000_000:06}"


def stamped(sheet, drawing):
    """An example's file with something more drawn on its first page, as a next version has it."""
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawing), drawing)]
    stamp, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(stamp))
        stamp += b"%d 0 obj%s endobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    stamp += b"xref\n0 5\n0000000000 65535 f \n%strailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table, len(stamp))
    with tempfile.TemporaryDirectory(prefix="sm-scene-") as folder:
        (pathlib.Path(folder) / "stamp.pdf").write_bytes(stamp)
        made = pathlib.Path(folder) / "made.pdf"
        subprocess.run(
            ["qpdf", str(SHEETS / f"{sheet}.pdf"), "--overlay", f"{folder}/stamp.pdf", "--", str(made)], check=True)
        return made.read_bytes()


class Person:
    """Somebody who calls the API."""

    def __init__(self, base, token=None):
        self.base, self.token = base, token

    def send(self, method, path, body=None, kind="application/json"):
        if body is not None and kind == "application/json":
            body = json.dumps(body).encode()
        request = urllib.request.Request(self.base + "/api/v1" + path, data=body, method=method)
        if body is not None:
            request.add_header("Content-Type", kind)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None

    def upload(self, sheet, path="/templates", file=None, **changes):
        """Sends one of the examples' files with its description, changed; gives the submission once it was read."""
        metadata = json.loads((SHEETS / f"{sheet}.json").read_text(encoding="utf-8")) | changes
        edge = "scene-edge-5f1c"
        body = b"".join((
            f"--{edge}\r\nContent-Disposition: form-data; name=\"metadata\"\r\n"
            f"Content-Type: application/json\r\n\r\n{json.dumps(metadata)}\r\n".encode(),
            f"--{edge}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{sheet}.pdf\"\r\n"
            f"Content-Type: application/pdf\r\n\r\n".encode(),
            file or (SHEETS / f"{sheet}.pdf").read_bytes(), f"\r\n--{edge}--\r\n".encode()))
        submission = self.send("POST", path, body, f"multipart/form-data; boundary={edge}")
        deadline = time.monotonic() + 600
        while submission["state"] in ("received", "inspecting"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"still being read: {submission}")
            time.sleep(0.2)
            submission = self.send("GET", f"/submissions/{submission['id']}")
        return submission


class Scene:
    """The people, by handle, and the places of what they made."""

    deprecated = "burrow-briar"

    def __init__(self, base, program, data):
        self.base, self.program, self.data = base, program, data
        self.people = {}

    def person(self, handle, role=None, name=None):
        anyone = Person(self.base)
        account = {"handle": handle, "email": f"{handle}@example.org", "password": password(handle)}
        anyone.send("POST", "/auth/register", account | ({"displayName": name} if name else {}))
        if role:
            subprocess.run([self.program, "admin", "user", "role", handle, role, "--data", self.data], check=True,
                           stdout=subprocess.DEVNULL)
        scopes = ["read", "account", "templates:write", "reviews:write", "webhooks"] + (["moderation"] if role else [])
        made = anyone.send("POST", "/auth/tokens", {
            "name": "scene", "login": handle, "password": password(handle), "scopes": scopes})
        self.people[handle] = Person(self.base, made["token"])
        return self.people[handle]

    def wait_for_examples(self):
        deadline = time.monotonic() + 600
        while len(Person(self.base).send("GET", "/templates?limit=50")["templates"]) < 10:
            if time.monotonic() > deadline:
                raise RuntimeError("the examples do not come")
            time.sleep(0.5)

    def decide(self, submission, decision, code, message):
        case, moderator = submission["caseId"], self.people["moritz"]
        moderator.send("POST", f"/moderation/cases/{case}/claim")
        moderator.send("POST", f"/moderation/cases/{case}/decision", {
            "decision": decision, "reasonCode": code, "message": message})

    def review(self):
        for sheet, handle, stars, text in REVIEWS:
            review = {"stars": stars} | ({"text": text} if text else {})
            self.people[handle].send("PUT", f"/templates/{sheet}/reviews/mine", review)
        nell = self.people["nell"]
        found = Person(self.base).send("GET", "/templates/oathbound-journal")
        nell.send("PUT", f"/me/favorites/{found['id']}")
        nell.send("PUT", f"/me/following/authors/{found['author']}")
        reviews = Person(self.base).send("GET", "/templates/rust-season/reviews")["reviews"]
        self.a_review = reviews[0]["id"]

    def publish(self):
        """Tess's own sheet in two versions, an upload to be mended, one that was refused, and one that waits."""
        tess = self.people["tess"]
        first = tess.upload(
            "lantern-and-blade", name="Lamplighter's Folio", version="1.0.0", changelog="First edition.",
            summary="Two calm pages for an investigator who writes everything down.")
        self.decide(first, "approve", "meets_guidelines", "Welcome.")
        self.sheet = first["templateSlug"]
        self.waiting = tess.upload(
            "lantern-and-blade", f"/templates/{self.sheet}/versions", stamped("lantern-and-blade", NEW_BOXES),
            name="Lamplighter's Folio", version="1.1.0", changelog="Boxes to tick for lamp oil.")
        self.mended = tess.upload("far-orbit-dossier", name="Orbit Notes", version="1.0.0")
        self.decide(self.mended, "request_changes", "regions_need_work", "The gear has no region yet.")
        self.refused = tess.upload("rust-season", name="Buy Cheap Dice", version="1.0.0")
        self.decide(self.refused, "reject", "not_a_sheet", "It advertises a shop.")
        appealed = tess.upload("wayfarers-ledger", name="Dice Ledger", version="1.0.0")
        self.decide(appealed, "reject", "not_a_sheet", "It advertises a shop, too.")
        tess.send("POST", "/appeals", {"subject": "case", "id": appealed["caseId"], "text": "The shop is my own."})
        down = tess.upload("rust-season", name="Rust and Ruin", version="1.0.0")
        self.decide(down, "approve", "meets_guidelines", "Welcome.")
        self.taken_down = down["templateSlug"]

    def collect(self):
        """Nell's own collection."""
        journal, ledger = (Person(self.base).send("GET", f"/templates/{slug}")["id"]
                           for slug in ("oathbound-journal", "wayfarers-ledger"))
        made = self.people["nell"].send("POST", "/member-collections", {
            "title": "For rainy evenings", "summary": "Calm sheets for long talks at the table.", "isListed": True,
            "items": [{"templateId": journal, "note": "Begin here."}, {"templateId": ledger}]})
        self.collection = made["collection"]["id"]

    def claim(self):
        """Copyright notices: one that waits, and one for which a sheet was taken down."""
        def notice(template, work):
            return Person(self.base).send("POST", "/copyright/notices", {
                "subject": {"kind": "template", "id": template}, "name": "Cora Copeland", "email": "cora@example.org",
                "address": "1 Main Street", "phone": "+1 555 0100", "work": work, "signature": "Cora Copeland",
                "explanation": "The second page is my drawing.", "inGoodFaith": True, "underPenaltyOfPerjury": True})["id"]

        self.accepted_notice = notice(self.taken_down, "Rust, page 12")
        self.people["olga"].send(
            "POST", f"/copyright/notices/{self.accepted_notice}/decision",
            {"decision": "accept", "message": "It is the same drawing."})
        self.waiting_notice = notice("far-orbit-dossier", "Orbits, page 3")

    def deprecate(self):
        """An example, as its author would: nobody can sign in as the author of the examples."""
        self.database(f"""
            UPDATE templates SET deprecated_at = now(), deprecation_message = 'The second page has no room for burrows.',
                successor_id = (SELECT id FROM templates WHERE slug = 'oathbound-journal')
            WHERE slug = '{self.deprecated}'""")

    def complain(self):
        nell = self.people["nell"]
        nell.send("PUT", "/me/profile", {"bio": "Plays every week.", "links": []})
        hanno = self.people["hanno"]
        other = Person(self.base).send("GET", "/templates/far-orbit-dossier/reviews")["reviews"][0]["id"]
        for subject in ({"kind": "review", "id": other},
                        {"kind": "user", "id": "nell", "part": "profile"},
                        {"kind": "user", "id": "nell", "part": "collection", "collection": self.collection}):
            hanno.send("POST", "/reports", {"subject": subject, "reason": "spam", "text": "It advertises."})
        self.report = nell.send("POST", "/reports", {
            "subject": {"kind": "template", "id": "rust-season"}, "reason": "misleading",
            "text": "It says fillable, and is not."})
        tess = self.people["tess"]
        made = tess.send("POST", "/webhooks", {
            "url": "https://example.org/hooks/sheets", "events": ["submission.decided"]})
        self.webhook = made["webhook"]

    def find_cases(self):
        """Those that wait: the update, the upload that is to be mended, and the report."""
        queue = self.people["moritz"].send("GET", "/moderation/queue")["cases"]
        self.cases = {
            "update": self.waiting["caseId"], "mended": self.mended["caseId"],
            "report": next(
                case["id"] for case in queue if case["kind"] == "report" and case["subject"] == "template"),
            "review": next(case["id"] for case in queue if case["subject"] == "review"),
            "profile": next(case["id"] for case in queue if case.get("part") == "profile"),
            "collection": next(case["id"] for case in queue if case.get("part") == "collection"),
            "appeal": next(case["id"] for case in queue if case["kind"] == "appeal"),
            "proposal": self.proposed}

    def sanction(self):
        """A warning, and a ban that a second moderator has to confirm."""
        moritz = self.people["moritz"]
        moritz.send("POST", "/moderation/users/ines/sanctions", {
            "kind": "warn", "reasonCode": "spam", "message": "Please do not advertise."})
        case = moritz.send("POST", "/moderation/cases", {
            "subject": {"kind": "user", "id": "hanno"}, "note": "The same words under three names."})["id"]
        moritz.send("POST", f"/moderation/cases/{case}/claim")
        moritz.send("POST", f"/moderation/cases/{case}/decision", {
            "decision": "ban", "reasonCode": "spam", "message": "Nothing but advertisements."})
        self.proposed = case

    def be_visited(self):
        """Tess's sheet is reviewed, and was taken for four weeks, as the market would have counted that."""
        for handle, stars, text in (("nell", 5, "My lamp has never burnt so long."), ("hanno", 4, None)):
            review = {"stars": stars} | ({"text": text} if text else {})
            self.people[handle].send("PUT", f"/templates/{self.sheet}/reviews/mine", review)
        self.database(f"""
            UPDATE reviews SET created_at = created_at - interval '20 days' * (6 - stars)
            WHERE template_id = (SELECT id FROM templates WHERE slug = '{self.sheet}');
            WITH sheet AS (SELECT id FROM templates WHERE slug = '{self.sheet}'),
                days AS (SELECT (now() AT TIME ZONE 'UTC')::date - n AS day, 4 + (n * 7) % 11 AS much
                    FROM generate_series(1, 28) AS n),
                counted AS (INSERT INTO interest_days (day, template_id, kind, value, count)
                    SELECT day, id, kind, value, count FROM sheet, days, LATERAL (VALUES
                        ('view', '', 2 * much), ('source', 'forum.example', much), ('source', 'market', much - 1),
                        ('search', 'lantern', much - 1), ('search', 'investigator', much / 4 + 1),
                        ('download', '1.0.0', much - much / 3), ('install', '1.0.0', much / 3)) AS part (kind, value, count)
                    ON CONFLICT DO NOTHING),
                taken AS (INSERT INTO download_days (day, template_id, downloads) SELECT day, id, much FROM sheet, days
                    ON CONFLICT DO NOTHING RETURNING downloads)
            UPDATE templates SET downloads = downloads + (SELECT coalesce(sum(downloads), 0) FROM taken)
            WHERE id = (SELECT id FROM sheet)""")

    def letters(self, handle, about=""):
        """The texts of the market's e-mails to somebody whose subjects have some words, oldest first."""
        files = sorted((pathlib.Path(self.data) / "mail").glob("*.eml"))
        letters = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
        return [letter.get_content() for letter in letters
                if f"{handle}@example.org" in letter["To"] and about in letter["Subject"]]

    def database(self, statement):
        """What time and mishaps would bring, written into the database of the market."""
        cluster = pathlib.Path(self.data).resolve() / "postgres/cluster"
        port, sockets = (cluster / "postmaster.pid").read_text(encoding="utf-8").splitlines()[3:5]
        told = subprocess.run(
            ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", str((cluster / sockets).resolve()), "-p", port,
             "-U", "sheetmarket", "-c", statement, "sheetmarket"], check=True, stdout=subprocess.PIPE, text=True)
        return told.stdout.strip()

    @property
    def email(self):
        """The name of one of the market's e-mails."""
        return sorted(file.name for file in (pathlib.Path(self.data) / "mail").glob("*.eml"))[0]


def sign_in_link(base, data):
    """The place that signs in the administrator of a market that just began, as `up` wrote it."""
    file = pathlib.Path(data) / "sign-in-link"
    deadline = time.monotonic() + 600
    # One from an earlier start leads to where the market was then.
    while not (file.exists() and file.read_text(encoding="utf-8").startswith(base)):
        if time.monotonic() > deadline:
            raise RuntimeError(f"there is no {file} that leads to {base}")
        time.sleep(0.2)
    return file.read_text(encoding="utf-8").strip().removeprefix(base)


def address(letter):
    """The place that a letter leads to first, without the market's own address."""
    return re.search(r"https?://[^/\s]+(/\S+)", letter)[1]


def furnish(base, program, data):
    """Does it once: the next story of the same market goes on with what is there."""
    kept = pathlib.Path(data) / "scene.pickle"
    if kept.exists():
        scene = pickle.loads(kept.read_bytes())
        scene.base, scene.program, scene.data = base, program, data
        for person in scene.people.values():
            person.base = base
        return scene
    scene = Scene(base, program, data)
    scene.wait_for_examples()
    scene.person("moritz", "moderator", "Moritz M.")
    scene.person("olga", "administrator", "Olga O.")
    scene.person("tess", name="Tess Tinker")
    for handle, name in (("nell", "Nell North"), ("hanno", "Hanno"), ("ines", "Inês")):
        scene.person(handle, name=name)
    scene.review()
    scene.publish()
    scene.collect()
    scene.claim()
    scene.deprecate()
    scene.complain()
    scene.sanction()
    scene.find_cases()
    kept.write_bytes(pickle.dumps(scene))
    return scene
