# SPDX-License-Identifier: Apache-2.0
"""Visitors who come at random times, whether or not those before them were answered, over HTTPS.

As in wrk2, a time begins when the visitor was due, not when there was a connection or this program got round to it: what a
server that stalls makes others wait for is in the figures. All of it runs in one thread; a request costs it about 0.1 ms.
"""
import collections
import gzip
import json
import random
import select
import socket
import ssl
import time

from histogram import Histogram

MOST_CONNECTIONS = 500
PIECE = 1 << 18


class Request:
    __slots__ = ("kind", "method", "path", "fields", "body", "expected")

    def __init__(self, kind, method, path, fields=(), body=b"", expected=(200, 304)):
        self.kind, self.method, self.path, self.fields, self.body, self.expected = kind, method, path, fields, body, expected

    def bytes(self, host):
        length = f"Content-Length: {len(self.body)}\r\n" if self.method != "GET" else ""
        more = "".join(f"{name}: {value}\r\n" for name, value in self.fields)
        return f"{self.method} {self.path} HTTP/1.1\r\nHost: {host}\r\n{length}{more}\r\n".encode() + self.body


class Answer:
    __slots__ = ("status", "fields", "body")

    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def json(self):
        return json.loads(gzip.decompress(self.body) if self.fields.get("content-encoding") == "gzip" else self.body)


class AnswerReader:
    """Takes bytes as they come, until an answer is whole."""

    def __init__(self):
        self.buffer = bytearray()
        self.head = None
        self.length = None
        self.body = bytearray()

    def take(self, piece):
        """The answer, or None while there is more to come."""
        self.buffer += piece
        if self.head is None and not self.take_head():
            return None
        if self.length is not None:
            if len(self.buffer) < self.length:
                return None
            return self.answer(bytes(self.buffer))
        return self.answer(bytes(self.body)) if self.take_chunks() else None

    def take_head(self):
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        del self.buffer[:end + 4]
        status = int(lines[0].split(" ", 2)[1])
        fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        self.head = status, fields
        if status in (204, 304):
            self.length = 0
        elif "chunked" not in fields.get("transfer-encoding", ""):
            self.length = int(fields.get("content-length", "0"))
        return True

    def take_chunks(self):
        while True:
            end = self.buffer.find(b"\r\n")
            if end < 0:
                return False
            size = int(self.buffer[:end].split(b";")[0], 16)
            if len(self.buffer) < end + 4 + size:
                return False
            self.body += self.buffer[end + 2:end + 2 + size]
            del self.buffer[:end + 4 + size]
            if size == 0:
                return True

    def answer(self, body):
        return Answer(*self.head, body)


class Connection:
    """One to the proxy, for one request at a time."""

    def __init__(self, crowd):
        self.crowd = crowd
        self.out = b""
        self.reader = self.done = None
        # On this machine that takes no time worth the trouble of not waiting for it.
        raw = socket.create_connection(crowd.address, timeout=5)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.setblocking(False)
        self.stream = raw
        if crowd.context:
            self.stream = crowd.context.wrap_socket(raw, do_handshake_on_connect=False, server_hostname=crowd.host)
        self.is_open = crowd.context is None
        self.number = self.stream.fileno()
        crowd.poll.register(self.number, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        crowd.connections[self.number] = self

    def send(self, data, done):
        self.out, self.reader, self.done = data, AnswerReader(), done
        self.advance()

    def advance(self):
        """Goes as far as it can without waiting."""
        try:
            if not self.is_open:
                self.stream.do_handshake()
                self.is_open = True
            while self.out:
                self.out = self.out[self.stream.send(self.out):]
            self.read()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            pass
        except (OSError, ValueError) as error:
            self.close(error)

    def read(self):
        while True:
            piece = self.stream.recv(PIECE)
            if not piece:
                return self.close("closed")
            if self.reader is None:
                return self.close("an answer to nothing")
            answer = self.reader.take(piece)
            if answer:
                done, self.reader, self.done = self.done, None, None
                if answer.fields.get("connection") == "close":
                    self.close("told to")
                else:
                    self.crowd.idle.append(self)
                return done(answer)

    def close(self, reason):
        self.crowd.connections.pop(self.number, None)
        if self in self.crowd.idle:
            self.crowd.idle.remove(self)
        self.stream.close()
        done, self.done = self.done, None
        if done:
            done(Answer(0, {}, str(reason).encode()))


class Figures:
    """What was offered and served in some time."""

    def __init__(self):
        self.visits = self.asked = self.good = 0
        self.kinds = collections.defaultdict(Histogram)
        self.failed = collections.Counter()
        # How late this program itself was with what was due.
        self.late = Histogram()

    @property
    def all(self):
        whole = Histogram()
        for one in self.kinds.values():
            whole.merge(one)
        return whole


class Crowd:
    """Everybody who visits. `visit()` makes a generator that yields requests and is sent their answers."""

    def __init__(self, address, visit, is_secure=True, seed=5, clock=time.monotonic):
        self.address, self.visit, self.clock = address, visit, clock
        self.host = "localhost"
        self.context = ssl._create_unverified_context() if is_secure else None
        self.random = random.Random(seed)
        self.poll = select.epoll()
        self.connections, self.idle = {}, []
        self.waiting = collections.deque()
        self.open = {}
        self.figures = Figures()

    # One visit after the other

    def begin(self, due):
        self.figures.visits += 1
        self.figures.late.add(self.clock() - due)
        self.go_on(self.visit(), None, due)

    def go_on(self, visit, answer, due):
        try:
            request = visit.send(answer)
        except StopIteration:
            return
        self.figures.asked += 1
        self.open[id(request)] = (request, due)
        self.waiting.append((visit, request, due))
        self.serve()

    def serve(self):
        while self.waiting:
            if self.idle:
                connection = self.idle.pop()
            elif len(self.connections) < MOST_CONNECTIONS:
                connection = Connection(self)
            else:
                return
            visit, request, due = self.waiting.popleft()
            connection.send(request.bytes(self.host), lambda answer, v=visit, r=request, d=due: self.end(v, r, d, answer))

    def end(self, visit, request, due, answer):
        now = self.clock()
        if self.open.pop(id(request), None) is None:
            return
        self.figures.kinds[request.kind].add(now - due)
        if answer.status in request.expected:
            self.figures.good += 1
            # What follows from an answer is due once that is there.
            self.go_on(visit, answer, now)
        else:
            self.figures.failed[f"{request.kind}: {answer.status or answer.body.decode()}"] += 1
        self.serve()

    # Time

    def run(self, rate, seconds, grace=1.0, between=None):
        """Lets `rate` visitors a second come for so long, and waits `grace` for the last answers. What has none by then is
        in the figures with the time for which it has waited. `between` is called again and again."""
        begun = due = self.clock()
        end = begun + seconds
        while due < end:
            while (now := self.clock()) >= due and due < end:
                self.begin(due)
                due += self.random.expovariate(rate)
            self.wait(min(due, end) - now)
            if between and between(now):
                break
        limit = self.clock() + grace
        while self.open and (now := self.clock()) < limit:
            self.wait(limit - now)
        self.give_up()
        return self.figures

    def wait(self, seconds):
        # A poll object counts in whole milliseconds, select does not.
        if seconds > 0:
            select.select([self.poll], [], [], min(seconds, 0.25))
        for number, _ in self.poll.poll(0):
            if connection := self.connections.get(number):
                connection.advance()

    def give_up(self):
        now = self.clock()
        for request, due in self.open.values():
            self.figures.kinds[request.kind].add(now - due)
            self.figures.failed[f"{request.kind}: no answer in time"] += 1
        self.open.clear()
        self.waiting.clear()
        for connection in list(self.connections.values()):
            if connection.done:
                connection.done = None
                connection.close("given up")
