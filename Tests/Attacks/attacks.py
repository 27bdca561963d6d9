#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks a running market over plain sockets, and checks that it stays up, small, and goes on answering others.

usage: attacks.py URL --pid PID [--idle N] [--memory MiB] [--patience SECONDS] [--longest-wait SECONDS] [--only NAME]

Only Python's own library: what is sent must be exactly what is written here. A bystander asks for the catalog all the
while, and must be answered each time and before `--longest-wait` is over. Prints one line for each attack; exits with 1 when
one was not withstood. All comes from one address: the market needs SHEETMARKET_LIMIT_ADDRESS=1000000/1s (INVALID_CREDENTIALS and ACCOUNT alike)."""
import argparse, base64, concurrent.futures, gzip, json, os, random, re, resource, select, socket, ssl, subprocess, sys, tempfile, threading, time, urllib.parse

ATTACKS = []


def attack(function):
    ATTACKS.append(function)
    return function


class Answer:
    def __init__(self, status, head, body):
        self.status, self.head, self.body = status, head, body

    def json(self):
        return json.loads(self.body)


class Target:
    def __init__(self, url, pid, patience, certificate=None):
        address = urllib.parse.urlparse(url)
        self.host, self.port, self.pid, self.patience = address.hostname, address.port, pid, patience
        self.tls = certificate and ssl.create_default_context(cafile=certificate)

    def connect(self, timeout=None):
        plain = socket.create_connection((self.host, self.port), timeout or self.patience)
        return self.tls.wrap_socket(plain, server_hostname=SITE) if self.tls else plain

    def raw(self, data, timeout=None, shut=False):
        """Sends bytes, reads until the server closes or falls silent; the answers' bytes."""
        with self.connect(timeout) as s:
            try:
                s.sendall(data)
                if shut: s.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # refused before all was sent
            got = b""
            s.settimeout(2)
            try:
                while part := s.recv(65536):
                    got += part
            except OSError:
                pass
            return got

    def ask(self, method, path, fields=(), body=b"", timeout=None):
        """One request that is well-formed but for what is in its parts."""
        if isinstance(path, str): path = path.encode()
        head = method.encode() + b" " + path + b" HTTP/1.1\r\nHost: market\r\nConnection: close\r\n"
        for name, value in fields:
            head += name.encode() + b": " + (value if isinstance(value, bytes) else value.encode()) + b"\r\n"
        if body or method in ("POST", "PUT", "PATCH"): head += b"Content-Length: %d\r\n" % len(body)
        with self.connect(timeout) as s:
            try:
                s.sendall(head + b"\r\n" + body)
            except OSError:
                pass
            got = b""
            try:
                while part := s.recv(65536): got += part
            except OSError:
                pass
        match = re.match(rb"HTTP/1.1 (\d+)", got)
        head, _, rest = got.partition(b"\r\n\r\n")
        return Answer(int(match[1]) if match else 0, head.decode("latin-1"), rest)

    def api(self, method, path, value=None, token=None, timeout=None):
        fields = [("Content-Type", "application/json")] if value is not None else []
        if token: fields.append(("Authorization", f"Bearer {token}"))
        return self.ask(method, "/api/v1" + path, fields, json.dumps(value).encode() if value is not None else b"", timeout)

    def memory(self, peak=False):
        """Resident MiB of the server: now, or the most since `forget_peak`."""
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith("VmHWM:" if peak else "VmRSS:"): return int(line.split()[1]) / 1024
        raise SystemExit("the server is gone")

    def forget_peak(self):
        """From here on the peak is counted anew (proc(5), clear_refs); where that is not allowed, it is that of the whole life."""
        try:
            with open(f"/proc/{self.pid}/clear_refs", "w") as file: file.write("5")
        except OSError:
            pass


class Bystander(threading.Thread):
    """Somebody who only wants to browse."""
    def __init__(self, target):
        super().__init__(daemon=True)
        self.target, self.failures, self.asked, self.on = target, [], 0, True
        # Which attack goes on, and the longest wait, with those that went on when it began and when it ended.
        self.during, self.longest, self.worst = "", 0, ""

    def run(self):
        while self.on:
            begin, during = time.monotonic(), self.during
            try:
                answer = self.target.ask("GET", "/api/v1/templates?limit=5" + "&" * (self.asked % 997))
                if answer.status != 200: self.failures.append((answer.status, during))
            except OSError as error:
                self.failures.append((repr(error), during))
            self.asked += 1
            waited = time.monotonic() - begin
            if waited > self.longest:
                self.longest, self.worst = waited, during if during == self.during else f"{during} to {self.during}"
            time.sleep(0.05)


def statuses(answer):
    return [int(s) for s in re.findall(rb"(?:^|\n|\})HTTP/1.1 (\d+)", answer)]


def need(condition, words):
    if not condition: raise AssertionError(words)


# Slow clients --------------------------------------------------------------------------------------------------------------

SLOW_HEAD = b"GET /api/v1/templates HTTP/1.1\r\nHost: m\r\nX-Slow: "
SLOW_BODY = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: m\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
MANY = b"GET /api/v1/templates?limit=100 HTTP/1.1\r\nHost: m\r\n\r\n" * 20
UNFETCHED = 50


class SlowClients(threading.Thread):
    """Connections that each send a byte now and then, until they are cut off."""
    def __init__(self, connections):
        super().__init__(daemon=True)
        self.begin, self.open, self.on = time.monotonic(), list(connections), True

    def run(self):
        while self.on and self.open:
            poll = select.poll()
            for s in self.open: poll.register(s, select.POLLRDHUP)
            ended = {number for number, _ in poll.poll(0)}
            self.open = [s for s in self.open if s.fileno() not in ended]
            for s in self.open:
                try: s.send(b"a")
                except OSError: pass
            time.sleep(0.5)


def deaf(t):
    """Asks for far more than lies ready on the way, and fetches none of it."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(t.patience)
    s.connect((t.host, t.port))
    s.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: m\r\n\r\n" * UNFETCHED)
    return s


def fetched(s, deadline):
    """How many bytes there still are, and whether the other side ends in time."""
    count = 0
    s.settimeout(max(1, deadline - time.monotonic()))
    try:
        while part := s.recv(1 << 20): count += len(part)
    except TimeoutError:
        return count, False
    except OSError:
        pass
    return count, True


@attack
def slow_clients(t):
    """Heads and bodies that come a byte at a time, and answers that nobody fetches: others are answered beside them."""
    t.document = len(t.ask("GET", "/openapi.json").body)
    slow, t.many, t.deaf = [], [], []
    for n in range(300):
        s = t.connect()
        s.sendall((SLOW_HEAD, SLOW_BODY, MANY)[n % 3])
        (t.many if n % 3 == 2 else slow).append(s)
    t.deaf = [deaf(t) for _ in range(4)]
    # They go on beside all that follows, until `slow_clients_are_cut_off`.
    t.slow = SlowClients(slow); t.slow.start()
    time.sleep(3)
    need(t.ask("GET", "/healthz").status == 200, "nobody is answered beside slow clients")


# What a request is made of -------------------------------------------------------------------------------------------------

@attack
def oversized_heads(t):
    for what, data in {
        "a field of 1 MB": b"GET / HTTP/1.1\r\nHost: m\r\nX-A: " + b"a" * (1 << 20) + b"\r\n\r\n",
        "20,000 fields": b"GET / HTTP/1.1\r\nHost: m\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(20000)) + b"\r\n",
        "an address of 1 MB": b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\nHost: m\r\n\r\n",
        "a method of 1 MB": b"G" * (1 << 20) + b" / HTTP/1.1\r\nHost: m\r\n\r\n",
        "endless head": b"GET / HTTP/1.1\r\nHost: m\r\n" + b"X-A: b\r\n" * 400_000,
    }.items():
        got = t.raw(data)
        need(not got or 400 <= statuses(got)[0] < 500, f"{what}: {got[:200]!r}")


@attack
def oversized_bodies(t):
    big = b'{"login":"' + b"a" * (3 << 20) + b'","password":"b"}'
    answer = t.ask("POST", "/api/v1/auth/login", [("Content-Type", "application/json")], big)
    need(answer.status in (413, 400), f"a body of 3 MB: {answer.status} {answer.body[:200]}")
    deep = b"[" * 100_000 + b"]" * 100_000
    answer = t.ask("POST", "/api/v1/updates", [("Content-Type", "application/json")], deep)
    need(answer.status in (400, 413), f"deep JSON: {answer.status} {answer.body[:200]}")
    for length in ("99999999999999999999", "-1", "1e3", "0x10"):
        got = t.raw(b"POST /api/v1/auth/login HTTP/1.1\r\nHost: m\r\nContent-Type: application/json\r\nContent-Length: "
                    + length.encode() + b"\r\n\r\n{}", shut=True)
        need(not got or statuses(got)[0] >= 400, f"Content-Length {length}: {got[:200]!r}")


@attack
def compressed_bodies(t):
    bomb = gzip.compress(b'{"updates":[' + b" " * (64 << 20) + b"]}")
    before = t.memory()
    answer = t.ask("POST", "/api/v1/updates", [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], bomb)
    need(answer.status in (400, 413, 415), f"a gzip bomb: {answer.status} {answer.body[:200]}")
    need(t.memory() - before < 30, "the bomb went off")


@attack
def invalid_text(t):
    for path in (b"/api/v1/templates/\xff\xfe", b"/api/v1/templates?q=%ff%fe", b"/api/v1/templates?q=\xc3\x28", b"/api/v1/templates/%c0%af",
                 b"/api/v1/templates/%00", b"/api/v1/templates?q=a%00b", b"/sheets/%e2%28%a1", b"/api/v1/templates?tag=%ed%a0%80"):
        answer = t.ask("GET", path)
        need(answer.status in (200, 400, 404, 422), f"{path}: {answer.status} {answer.body[:200]}")
    for body in (b'{"login":"\xff\xfe","password":"x"}', b'{"login":"a\\u0000b","password":"x"}', b'{"login":"\\ud800","password":"x"}', b"\xef\xbb\xbf{}"):
        answer = t.ask("POST", "/api/v1/auth/login", [("Content-Type", "application/json")], body)
        need(400 <= answer.status < 500, f"{body}: {answer.status} {answer.body[:200]}")
    answer = t.ask("GET", "/api/v1/me", [("Authorization", b"Bearer \xff\xfe\xfd"), ("Cookie", b"sheetmarket=\xff")])
    need(answer.status == 401, f"fields that are no text: {answer.status}")


@attack
def sql(t):
    reference = {s["slug"] for s in t.api("GET", "/game-systems").json()["gameSystems"]}
    strings = ["'; DROP TABLE templates; --", "' OR '1'='1", "1; SELECT pg_sleep(600)", "\\'; --", "$1", "%27%20OR%201=1", "a' & 'b", "!!!", "(((", ":*", "'\\",
               "a\ud7ffb", "=s:dnd5e", "'=a:admin'"]
    names = ("q", "gameSystem", "tag", "author", "license", "language", "kind", "minRating", "minPages", "sort", "cursor", "limit", "facets", "channel")
    for text in strings:
        for name in names:
            begin = time.monotonic()
            answer = t.ask("GET", f"/api/v1/templates?{name}={urllib.parse.quote(text)}")
            need(answer.status in (200, 400, 422), f"{name}={text!r}: {answer.status} {answer.body[:300]}")
            need(time.monotonic() - begin < t.patience * 2, f"{name}={text!r} slept")
        for path in (f"/templates/{{}}", "/templates/{}/versions", "/templates/{}/reviews", "/submissions/{}", "/collections/{}", "/suggest?q={}", "/changes?since={}"):
            answer = t.api("GET", path.format(urllib.parse.quote(text)))
            need(answer.status < 500, f"{path} {text!r}: {answer.status} {answer.body[:300]}")
    need({s["slug"] for s in t.api("GET", "/game-systems").json()["gameSystems"]} == reference, "the systems are others now")


@attack
def templates_and_scripts(t):
    for text in ("<script>alert(1)</script>", "{{{name}}}", "{{#each}}", "\"><img src=x onerror=alert(1)>", "javascript:alert(1)", "</title><script>"):
        for path in ("/?q={}", "/templates?q={}", "/login?next={}", "/no/{}", "/sheets/{}"):
            answer = t.ask("GET", path.format(urllib.parse.quote(text)))
            page = answer.body.decode("utf-8", "replace")
            need(answer.status < 500, f"{path} {text}: {answer.status}")
            need("<script>alert" not in page and "<img src=x" not in page and 'href="javascript' not in page, f"{path} {text}: not escaped")
            policy = re.search(r"content-security-policy: (.*)", answer.head, re.I)
            if "text/html" in answer.head: need(policy and "unsafe-inline" not in policy[1], f"{path}: no policy for scripts")
    for target in ("//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"):
        answer = t.ask("GET", f"/login?next={urllib.parse.quote(target)}")
        need("evil.example" not in re.findall(r"location: (.*)", answer.head, re.I), "an open redirect")


@attack
def header_injection(t):
    for text in ("a%0d%0aRefresh:%20own", "a%0aX-Own:%201", "%0d%0a%0d%0aHTTP/1.1%20200%20OK"):
        for path in (f"/api/v1/templates/{text}", f"/login?next=/{text}", f"/api/v1/templates/{text}/download", f"/files/{text}/x", f"/no/{text}"):
            answer = t.ask("GET", path)
            need("\nrefresh: own" not in answer.head.lower() and "\nx-own" not in answer.head.lower(), f"{path}: {answer.head}")
    # A request's own id must not carry anything into answers and logs.
    answer = t.ask("GET", "/healthz", [("X-Request-Id", "a b\tc<script>"), ("X-Forwarded-For", "1.2.3.4\t, evil"), ("User-Agent", 'x" level=error "')])
    need("<script>" not in answer.head, f"the id came back: {answer.head}")
    # What would end a line, or a text within it, as it is: the log must hold it as text (AttackTests reads it there).
    for text in ('/no/"},{"level":"error","message":"forged', '/no/\\","message":"forged', "/no/\u2028forged", "/no/\x1b[31mforged",
                 '/no/%0a{"level":"error","message":"forged"}', '/no/\n{"level":"error","message":"forged"}'):
        answer = t.ask("GET", text)
        need(400 <= answer.status < 500 or not answer.status, f"{text!r}: {answer.status}")


@attack
def path_tricks(t):
    for path in ("/static/../../../../etc/passwd", "/static/%2e%2e/%2e%2e/etc/passwd", "/static/..%2f..%2fetc%2fpasswd", "/static//etc/passwd", "/..%5c..%5cetc/passwd",
                 "/files/../../etc/passwd", "/files/" + "a" * 64 + "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/static/market.css%00.html", "/./././healthz/../static",
                 "http://169.254.169.254/latest/meta-data/", "*"):
        answer = t.ask("GET", path)
        need(b"root:" not in answer.body, f"{path} leads outside")
        need(answer.status < 500, f"{path}: {answer.status}")


@attack
def forged_cursors(t):
    def cursor(value): return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    for text in ["", "x", "a" * 100_000, cursor([]), cursor({}), cursor(["templates.updated"]), cursor(["templates.updated", "9" * 400, "x"]),
                 cursor(["templates.updated", "1", "not-a-uuid"]), cursor(["templates.updated", None, None]), cursor(["templates.updated", "1e400", "0" * 36]),
                 cursor(["templates.updated", "-9223372036854775808", "00000000-0000-7000-8000-000000000000"]),
                 cursor(["templates.name", "'; --", "00000000-0000-7000-8000-000000000000"]), cursor(["templates.relevance"] + ["x"] * 8),
                 cursor(["templates.relevance", "o", "p-1", "999999999999", "-1", "", "", "", "", "a"]), cursor([["["] * 1000])]:
        for path in ("/templates?sort=updated&cursor=", "/templates?sort=name&cursor=", "/templates?q=a&cursor=", "/templates?sort=rating&cursor="):
            answer = t.api("GET", path + text)
            need(answer.status in (200, 400, 414, 431, 0), f"{path}{text[:80]}: {answer.status} {answer.body[:300]}")
    for template in t.api("GET", "/templates?limit=1").json()["templates"]:
        for sort in ("newest", "helpful"):
            for key in ("-9223372036854775808", "9223372036854775807", "x", "1e9"):
                text = cursor([f"reviews.{sort}", key, "00000000-0000-7000-8000-000000000000"])
                answer = t.api("GET", f"/templates/{template['slug']}/reviews?sort={sort}&cursor={text}")
                need(answer.status in (200, 400), f"reviews by {sort} behind {key}: {answer.status} {answer.body[:300]}")


# How requests are told apart -----------------------------------------------------------------------------------------------

def smuggled(path=b"/api/v1/updates"):
    """Requests whose end two readers could see in different places, each hiding a request for /smuggled."""
    inner = b"GET /smuggled HTTP/1.1\r\nHost: m\r\n\r\n"
    post = b"POST " + path + b" HTTP/1.1\r\nHost: m\r\nContent-Type: application/json\r\n"
    chunked = b"0\r\n\r\n" + inner
    return {
        "length and chunks": post + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % len(chunked) + chunked,
        "two lengths": post + b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(inner) + inner,
        "a list of lengths": post + b"Content-Length: 0, %d\r\n\r\n" % len(inner) + inner,
        "an unknown coding": post + b"Content-Length: %d\r\nTransfer-Encoding: xchunked\r\n\r\n" % len(chunked) + chunked,
        "a blank before the colon": post + b"Content-Length : %d\r\n\r\n" % len(inner) + inner,
        "a tab in the coding": post + b"Content-Length: %d\r\nTransfer-Encoding:\tchunked\r\n\r\n" % len(chunked) + chunked,
        "a folded field": post + b"X-A: b\r\n Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(inner) + inner,
        "a bare line feed": post + b"Content-Length: %d\nTransfer-Encoding: chunked\r\n\r\n" % len(chunked) + chunked,
        "two codings": post + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nContent-Length: %d\r\n\r\n" % len(chunked) + chunked,
        "a signed length": post + b"Content-Length: +%d\r\n\r\n" % len(inner) + inner,
        "a chunk that overflows": post + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n" + inner,
        "a chunk with a sign": post + b"Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n" + inner,
        "HTTP/1.0 with chunks": post.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n" % len(chunked) + chunked,
        # These are well-formed, and are there for whoever answers before they have read a body.
        "a body that is a request": post + b"Content-Length: %d\r\n\r\n" % len(inner) + inner,
        "a chunk that is a request": post + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(inner) + inner + b"\r\n0\r\n\r\n",
        "a body that stops short": post + b"Content-Length: %d\r\n\r\n" % (len(inner) + 100) + inner,
        "a NUL in a name": post + b"Content-Le\x00ngth: 0\r\nContent-Length: %d\r\n\r\n" % len(inner) + inner,
    }


@attack
def smuggling(t):
    for what, data in smuggled().items():
        got = t.raw(data)
        answers = statuses(got)
        # Two answers are right only where the first says where its body ends beyond doubt, which none of these does.
        need(len(answers) <= 1, f"{what}: answered {answers}")
        need(not answers or answers[0] >= 400 or b"smuggled" not in got, f"{what}: {got[:300]!r}")


SITE = "sheets.example.org"
NGINX = """daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log; worker_rlimit_nofile 1024;
events {{ worker_connections 256; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    include {folder}/site.conf;
}}
"""


def shipped_site(t, folder, plain, front):
    """The site as operators get it, with addresses and certificate of our own; nothing else in it is changed."""
    text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/nginx/sheetmarket.conf")).read()
    for pattern, ours in {
        r"server 127\.0\.0\.1:8080 [^;]*;": f"server {t.host}:{t.port};",
        r"listen 80;": f"listen 127.0.0.1:{plain};", r"listen \[::\]:80;": "",
        r"listen 443 ssl": f"listen 127.0.0.1:{front} ssl", r"listen \[::\]:443 [^;]*;": "",
        r"ssl_certificate  [^;]*;": f"ssl_certificate {folder}/certificate.pem;", r"ssl_certificate_key [^;]*;": f"ssl_certificate_key {folder}/key.pem;",
    }.items():
        text, count = re.subn(pattern, ours, text)
        need(count == 1, f"the shipped site has {count} of '{pattern}'")
    return text


def free_ports(count):
    """Not of those that the kernel gives to whoever asks for any: until nginx has them, nobody else gets them."""
    ports = []
    for port in random.sample(range(20000, 32000), 1000):
        with socket.socket() as s:
            try: s.bind(("127.0.0.1", port))
            except OSError: continue
        ports.append(port)
        if len(ports) == count: return ports
    raise OSError("no free ports")


@attack
def smuggling_behind_nginx(t):
    """Whatever nginx lets through must end, for us, where it ends for nginx: else the next caller gets another's answer."""
    front, plain = free_ports(2)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={SITE}", "-addext",
                        f"subjectAltName=DNS:{SITE}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"], check=True, capture_output=True)
        open(f"{folder}/site.conf", "w").write(shipped_site(t, folder, plain, front))
        open(f"{folder}/nginx.conf", "w").write(NGINX.format(folder=folder))
        nginx = subprocess.Popen(["/usr/sbin/nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
        try:
            behind = Target(f"https://127.0.0.1:{front}", t.pid, t.patience, f"{folder}/certificate.pem")
            for _ in range(1200):
                try:
                    behind.connect(1).close(); break
                except OSError: time.sleep(0.1)
            moved = Target(f"http://127.0.0.1:{plain}", t.pid, t.patience).ask("GET", "/templates?q=a")
            need(moved.status == 301 and "\nlocation: https://" in moved.head.lower(), f"without TLS: {moved.status} {moved.head}")
            need("\nstrict-transport-security: " in behind.ask("GET", "/").head.lower(), "nothing says that it is TLS from here on")
            answer = behind.ask("GET", "/healthz", [("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA")])
            need(answer.status == 200, f"an upgrade: {answer.status}")
            # Bodies are read whole by nginx, or stream through it, as uploads do.
            for path in (b"/api/v1/updates", b"/api/v1/templates"):
                for what, data in smuggled(path).items():
                    nothing_smuggled(behind, f"{path.decode()}, {what}", data)
        finally:
            nginx.kill(); nginx.wait()  # a test may hand its own deafness to SIGTERM down to us


def nothing_smuggled(behind, what, data):
    got = behind.raw(data)
    answers = statuses(got)
    need(len(answers) <= 2 and (len(answers) < 2 or b"smuggled" not in got.split(b"HTTP/1.1")[1]), f"{what}: answered {answers}")
    # nginx may answer the hidden request as one of its own, once it has told the two apart; what must not happen is that the
    # market saw another end than nginx and the next caller gets what is left over.
    for n in range(6):
        answer = behind.ask("GET", f"/healthz?n={n}")
        need(answer.status == 200 and b"smuggled" not in answer.body and b"problems" not in answer.body, f"{what}: the next caller got {answer.status} {answer.body[:200]}")


# People ---------------------------------------------------------------------------------------------------------------------

@attack
def accounts_cannot_be_told(t):
    name = f"mark{os.getpid()}"
    t.api("POST", "/auth/register", dict(handle=name, displayName="Mark", email=f"{name}@example.org", password="correct horse battery staple"))
    def refusal(login):
        answer = t.api("POST", "/auth/login", dict(login=login, password="wrong horse battery staple"))
        problem = answer.json()
        return answer.status, problem.get("code"), problem.get("detail"), problem.get("title")
    def made(handle, email):
        answer = t.api("POST", "/auth/register", dict(handle=handle, email=email, password="correct horse battery staple"))
        return answer.status, sorted(answer.json())
    need(made(f"{name}-b", f"{name}@example.org") == made(f"{name}-c", f"{name}-c@example.org"),
         "an address that has an account is told from one that has none")
    need(refusal(name) == refusal(f"nobody{os.getpid()}"), "a wrong password and an unknown name are answered differently")
    # In turns, and the quickest: whatever else the machine has to do makes some of them slower, and none quicker.
    times = {name: [], f"nobody{os.getpid()}": []}
    for _ in range(5):
        for login, taken in times.items():
            begin = time.monotonic(); refusal(login); taken.append(time.monotonic() - begin)
    known, unknown = (min(taken) for taken in times.values())
    need(known / 4 < unknown < known * 4, f"an unknown name is refused in {unknown * 1000:.0f} ms, a known one in {known * 1000:.0f} ms")


@attack
def mass_sign_in(t):
    def attempt(n):
        return t.api("POST", "/auth/login", dict(login=f"victim{n % 5}", password=f"guess {n} guess"), timeout=t.patience * 10).status
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(attempt, range(300)))
    need(set(answers) <= {401, 429, 503}, f"answers {set(answers)}")
    need(answers.count(429) + answers.count(503) > 200, f"only {answers.count(429)} of 300 attempts were refused unseen")


# Connections ----------------------------------------------------------------------------------------------------------------

@attack
def idle_connections(t):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted, files = t.idle, t.idle + 600
    if soft != resource.RLIM_INFINITY and soft < files:
        need(hard == resource.RLIM_INFINITY or hard >= files,
             f"{wanted} connections take {files} open files, and at most {hard} are allowed here: raise the limit (ulimit -Hn), or ask for fewer with --idle")
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    held = []
    for _ in range(wanted):
        s = socket.socket(); s.settimeout(t.patience)
        try:
            s.connect((t.host, t.port))
        except OSError:
            break
        held.append(s)
    t.note = f"{len(held)} held, {t.memory():.0f} MiB"
    need(len(held) >= wanted * 0.99, f"only {len(held)} of {wanted} connections could be made")
    begin = time.monotonic()
    need(t.ask("GET", "/api/v1/templates?limit=1&&").status == 200, "nobody is answered beside idle connections")
    t.note += f", another answered in {(time.monotonic() - begin) * 1000:.0f} ms"
    for s in held: s.close()


# How long the service waits is no setting; `IdleTimeoutHandler` has it: 75 s for a head, 30 s for a body or an answer that does not
# move, looked at each 15 s. A busy machine gets more than twice that.
CUT_OFF_AFTER = 240


@attack
def slow_clients_are_cut_off(t):
    """Those of `slow_clients` do not stay for good. All that was done since counts for them, so that little is left to wait for."""
    if not hasattr(t, "slow"): slow_clients(t)
    deadline = t.slow.begin + CUT_OFF_AFTER
    while t.slow.open and time.monotonic() < deadline: time.sleep(0.5)
    t.slow.on = False; t.slow.join()
    seconds = time.monotonic() - t.slow.begin
    need(not t.slow.open, f"{len(t.slow.open)} slow clients are still connected after {seconds:.0f} s")
    for s in t.deaf:
        count, is_over = fetched(s, deadline)
        need(is_over and count < UNFETCHED * t.document, f"{count} bytes of answers were kept for who fetched none in {seconds:.0f} s")
    for s in t.many: need(fetched(s, deadline)[1], f"who asks for nothing more is still connected after {CUT_OFF_AFTER} s")
    t.note = f"all were cut off within {time.monotonic() - t.slow.begin:.0f} s"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("url"); p.add_argument("--pid", type=int, required=True)
    p.add_argument("--idle", type=int, default=10_000); p.add_argument("--memory", type=int, default=300)
    p.add_argument("--patience", type=float, default=15, help="seconds that anybody may wait for an answer")
    p.add_argument("--longest-wait", type=float, default=5, help="seconds that the bystander may wait for any answer")
    p.add_argument("--only", default=".")
    a = p.parse_args()
    target = Target(a.url, a.pid, a.patience)
    target.idle = a.idle
    bystander = Bystander(target); bystander.start()
    failed, most = [], 0
    for function in ATTACKS:
        if not re.search(a.only, function.__name__): continue
        target.note = ""
        bystander.during = function.__name__
        target.forget_peak()
        begin = time.monotonic()
        try:
            function(target)
            verdict = "withstood"
        except AssertionError as error:
            failed.append(function.__name__)
            verdict = f"FAILED: {error}"
        peak = target.memory(peak=True)
        most = max(most, peak)
        print(f"{function.__name__:28} {time.monotonic() - begin:6.1f} s {peak:6.0f} MiB  {verdict} {target.note}", flush=True)
    bystander.on = False; bystander.join(a.patience * 2)
    print(f"bystander: asked {bystander.asked} times, longest {bystander.longest * 1000:.0f} ms during {bystander.worst}, failures {bystander.failures[:5]}")
    print(f"most memory seen: {most:.0f} MiB")
    if bystander.failures: failed.append("bystander")
    if bystander.is_alive(): failed.append("the bystander's last request is not answered")
    if bystander.longest > a.longest_wait:
        failed.append(f"the bystander waited {bystander.longest:.1f} s, over {a.longest_wait:.1f} s, during {bystander.worst}")
    if most > a.memory: failed.append(f"memory over {a.memory} MiB")
    if failed: print("not withstood: " + ", ".join(failed)); sys.exit(1)


if __name__ == "__main__":
    main()
