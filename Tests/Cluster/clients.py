# SPDX-License-Identifier: Apache-2.0
"""People who use a market all the time, through its proxy, and write down what they were told."""
import hashlib
import http.client
import json
import random
import ssl
import threading
import time
import uuid
import zlib

from history import OK, REFUSED, UNKNOWN, Claim, Decision, Read, Release, Set, Write

WORDS = ("amber anvil basilisk beacon briar cavern cinder comet copper crown dagger dawn ember falcon fen forge gale "
         "glyph griffin harrow heron hollow iron ivory jade kelp lantern lark marrow mist moss nettle oak onyx otter "
         "pyre quarry quill raven reed rune saffron sable shale spire sorrel talon thorn tide umber vale vesper wick "
         "willow wren yarrow zephyr").split()
# What a market in trouble may say. Anything else of 500 and more is a fault of ours.
TROUBLE = {502, 503, 504, 507}


class Answer:
    def __init__(self, status, body=b"", headers=None):
        self.status, self.body, self.headers = status, body, headers or {}

    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        try:
            return json.loads(self.body).get("code")
        except (ValueError, AttributeError):
            return None


class Record:
    """What all clients saw, by the phase in which the call began."""

    def __init__(self):
        self.lock = threading.Lock()
        self.events = []
        self.phase = "start"
        self.calls = []
        self.wrong = []

    def add(self, event):
        with self.lock:
            self.events.append(event)

    def complain(self, text):
        with self.lock:
            self.wrong.append(text)

    def call(self, phase, method, path, status, begun, ended):
        with self.lock:
            self.calls.append((phase, method, path, status, begun, ended))


class Caller:
    """One person at one connection."""

    def __init__(self, record, address, token=None, seed=0):
        self.record, self.address, self.token = record, address, token
        self.random = random.Random(seed)
        self.connection = None
        self.is_over = threading.Event()
        self.read_after = None

    def call(self, method, path, body=None, key=None, headers=None, kind="application/json", quiet=False):
        """One call; `status` is None where nobody answered."""
        fields = {"Content-Type": kind, **(headers or {})} if body is not None else dict(headers or {})
        if self.token:
            fields["Authorization"] = f"Bearer {self.token}"
        if key:
            fields["Idempotency-Key"] = key
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        phase, begun = self.record.phase, time.monotonic()
        answer = self.send(method, path, body, fields)
        if not quiet:
            self.record.call(phase, method, path, answer.status, begun, time.monotonic())
        if answer.status and answer.status >= 500:
            if answer.status not in TROUBLE:
                self.record.complain(f"{phase}: {method} {path}: {answer.status} {answer.body[:300]!r}")
            elif answer.status in (503, 507) and "retry-after" not in answer.headers:
                self.record.complain(f"{phase}: {method} {path}: {answer.status} without Retry-After")
        return answer

    def send(self, method, path, body, fields):
        try:
            if self.connection is None:
                context = ssl._create_unverified_context()
                self.connection = http.client.HTTPSConnection(*self.address, timeout=70, context=context)
            self.connection.request(method, path, body, fields)
            answer = self.connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, answer.read(), headers)
        except (OSError, http.client.HTTPException):
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return Answer(None)

    def insist(self, method, path, body=None, key=None, **more):
        """Makes a change until it is known what became of it: the answer, and OK, REFUSED or UNKNOWN."""
        key = key or str(uuid.uuid4())
        while True:
            answer = self.call(method, path, body, key, **more)
            if answer.status and 200 <= answer.status < 300:
                self.read_after = answer.headers.get("read-after", self.read_after)
                return answer, OK
            if answer.code == "idempotency_answer_not_kept":
                return answer, OK
            is_under_way = answer.code == "idempotency_key_in_use"
            if answer.status and answer.status < 500 and answer.status != 429 and not is_under_way:
                return answer, REFUSED
            if self.is_over.is_set():
                return answer, UNKNOWN
            time.sleep(0.3)

    def pause(self, seconds):
        """Waits for about so long; False once it is over."""
        return not self.is_over.wait(self.random.expovariate(1 / seconds))


def sheet(words):
    """A PDF of one page with these words."""
    lines = "".join(f"BT /F1 18 Tf 60 {720 - 40 * n} Td ({word}) Tj ET\n60 {700 - 40 * n} 300 20 re S\n"
                    for n, word in enumerate(words))
    content = zlib.compress(lines.encode())
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, text)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % at for at in places)
    return data + table + b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))


def form(metadata, file):
    """Media type and bytes of an upload."""
    border = "border-" + hashlib.sha256(file).hexdigest()[:20]
    head = (f'--{border}\r\nContent-Disposition: form-data; name="metadata"\r\nContent-Type: application/json\r\n\r\n'
            f'{json.dumps(metadata)}\r\n--{border}\r\nContent-Disposition: form-data; name="file"; '
            'filename="sheet.pdf"\r\nContent-Type: application/pdf\r\n\r\n')
    return f"multipart/form-data; boundary={border}", head.encode() + file + f"\r\n--{border}--\r\n".encode()


class Author(Caller):
    """Uploads one sheet after the other."""
    pace = 2.0

    def work(self, name):
        number = 0
        while self.pause(self.pace):
            number += 1
            title = f"{name} {number}"
            words = self.random.sample(WORDS, 9)
            metadata = dict(name=title, summary=" ".join(words[:4]), description="Made under load.", gameSystem="dnd5e",
                            tags=["load"], license="CC0-1.0", language="en", version="1.0.0", changelog="First.")
            kind, body = form(metadata, sheet([title, *words]))
            start = time.monotonic()
            _, outcome = self.insist("POST", "/api/v1/templates", body, kind=kind)
            self.record.add(Write(name, "template", title, start, time.monotonic(), outcome))


class Editor(Caller):
    """Changes the title of a collection of theirs, and reads it back."""
    pace = 0.3

    def work(self, name):
        value = 0
        start = time.monotonic()
        answer, outcome = self.insist("POST", "/api/v1/member-collections", {"title": f"{name} 0", "items": []})
        if outcome != OK:
            return self.record.complain(f"{name} has no collection: {answer.status} {answer.body[:300]!r}")
        self.record.add(Set(name, name, 0, start, time.monotonic(), OK))
        path = "/api/v1/member-collections/" + answer.json()["collection"]["id"]
        while self.pause(self.pace):
            if self.random.random() < 0.5:
                value += 1
                start = time.monotonic()
                answer, outcome = self.insist("PUT", path, {"title": f"{name} {value}", "items": []})
                if outcome == REFUSED:
                    self.record.complain(f"{name}: {answer.status} {answer.body[:300]!r}")
                self.record.add(Set(name, name, value, start, time.monotonic(), outcome))
            start = time.monotonic()
            after = {"Read-After": self.read_after} if self.read_after else {}
            answer = self.call("GET", path, headers=after)
            if answer.status == 200:
                seen = int(answer.json()["collection"]["title"].split()[-1])
                self.record.add(Read(name, name, seen, start, time.monotonic()))


class Moderator(Caller):
    """Takes cases from the top of the queue, where the others do, too, and decides them."""
    pace = 0.7

    def work(self, name):
        while self.pause(self.pace):
            queue = self.call("GET", "/api/v1/moderation/queue?state=open&limit=3")
            cases = [one["id"] for one in queue.json()["cases"]] if queue.status == 200 else []
            if not cases:
                continue
            case = self.random.choice(cases)
            start = time.monotonic()
            claim = self.call("POST", f"/api/v1/moderation/cases/{case}/claim", {})
            if claim.status != 200:
                continue
            self.record.add(Claim(case, name, start, time.monotonic()))
            self.is_over.wait(self.random.expovariate(1 / 0.4))
            decision = "approve" if self.random.random() < 0.75 else "reject"
            body = dict(decision=decision, reasonCode="meets_guidelines" if decision == "approve" else "other",
                        message="Decided under load.")
            start = time.monotonic()
            self.record.add(Release(case, name, start))
            _, outcome = self.insist("POST", f"/api/v1/moderation/cases/{case}/decision", body)
            self.record.add(Decision(case, name, decision, start, time.monotonic(), outcome))


class Reader(Caller):
    """Browses, searches, downloads and checks what comes, and reviews it."""
    pace = 0.25

    def work(self, name):
        reviewed = set()
        while self.pause(self.pace):
            query = self.random.choice(["sort=newest&limit=20", "q=" + self.random.choice(WORDS), "sort=name"])
            found = self.call("GET", f"/api/v1/templates?{query}")
            templates = found.json()["templates"] if found.status == 200 else []
            if not templates:
                continue
            slug = self.random.choice(templates)["slug"]
            self.call("GET", f"/api/v1/templates/{slug}")
            if self.random.random() < 0.5:
                self.download(slug)
            if self.token and slug not in reviewed and self.random.random() < 0.3:
                reviewed.add(slug)
                start = time.monotonic()
                body = {"stars": self.random.randint(1, 5), "text": "Read under load."}
                _, outcome = self.insist("PUT", f"/api/v1/templates/{slug}/reviews/mine", body)
                self.record.add(Write(name, "review", f"{name} {slug}", start, time.monotonic(), outcome))

    def download(self, slug):
        ticket = self.call("GET", f"/api/v1/templates/{slug}/versions/latest/download?redirect=false")
        if ticket.status != 200:
            return
        told = ticket.json()
        path = "/" + told["url"].split("://", 1)[-1].split("/", 1)[1]
        file = self.call("GET", path)
        if file.status == 200 and hashlib.sha256(file.body).hexdigest() != told["sha256"]:
            self.record.complain(f"{slug}: the file is not what was promised")


class Load:
    """Everybody at once."""

    def __init__(self, cluster, record):
        self.cluster, self.record = cluster, record
        self.people, self.threads = [], []

    def account(self, handle):
        """A token for somebody new."""
        caller = Caller(self.record, self.cluster.address)
        password = f"correct horse battery {handle}"
        made = caller.call("POST", "/api/v1/auth/register", dict(
            handle=handle, email=f"{handle}@example.org", password=password))
        if made.status != 201:
            raise RuntimeError(f"{handle}: {made.status} {made.body[:500]!r}")
        if handle.startswith("moderator"):
            self.cluster.command("admin", "user", "role", handle, "moderator")
        scopes = ["read", "templates:write", "reviews:write"] + ["moderation"] * handle.startswith("moderator")
        token = caller.call("POST", "/api/v1/auth/tokens", dict(
            name="load", scopes=scopes, login=handle, password=password))
        if token.status != 201:
            raise RuntimeError(f"{handle}: {token.status} {token.body[:500]!r}")
        return token.json()["token"]

    def start(self):
        plan = [(Author, "author", 3), (Editor, "editor", 3), (Moderator, "moderator", 3), (Reader, "reader", 2),
                (Reader, None, 1)]
        for kind, role, count in plan:
            for number in range(count):
                handle = f"{role}{number}" if role else f"stranger{number}"
                token = self.account(handle) if role else None
                person = kind(self.record, self.cluster.address, token, seed=handle)
                self.people.append((handle, person))
        for handle, person in self.people:
            thread = threading.Thread(target=self.work, args=(handle, person), daemon=True)
            self.threads.append(thread)
            thread.start()

    def work(self, handle, person):
        try:
            person.work(handle)
        except Exception as error:  # What ends one of them is found at the end.
            self.record.complain(f"{handle} gave up: {error!r}")

    def stop(self):
        for _, person in self.people:
            person.is_over.set()
        for thread in self.threads:
            thread.join(90)
            if thread.is_alive():
                self.record.complain("somebody still waits for an answer")
