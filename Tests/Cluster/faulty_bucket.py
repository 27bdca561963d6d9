#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The way to an S3 server, which can be bad.

    faulty_bucket.py UPSTREAM_HOST:PORT

Prints its address, and passes requests on, signature and all. `PUT /-fault/KIND` says what becomes of them from now on, and
`PUT /-fault/KIND/COUNT` of the next so many: "none", "error", "slow", "truncated", "changed" (a byte of what is sent or read is
another), "gone" (hung up at once) or "silent" (taken, and never answered).
"""
import http.client
import http.server
import socketserver
import sys
import threading
import time

SLOW_SECONDS = 3
ERROR = b"<Error><Code>InternalError</Code><Message>On purpose.</Message></Error>"
# Of one connection; whoever passes requests on has to set their own.
HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-connection"}


class State:
    fault = "none"
    # Of how many requests more; None is for good.
    count = None
    lock = threading.Lock()

    @classmethod
    def next(cls):
        with cls.lock:
            fault = cls.fault
            if cls.count is not None:
                cls.count -= 1
                if cls.count <= 0:
                    cls.fault, cls.count = "none", None
            return fault

    @classmethod
    def set(cls, fault, count=None):
        with cls.lock:
            cls.fault, cls.count = fault, count and int(count)


class Way(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = None

    def log_message(self, *_):
        pass

    def hang_up(self):
        self.close_connection = True

    def answer(self):
        if self.path.startswith("/-fault/"):
            State.set(*self.path.split("/")[2:])
            return self.give(200, [], b"")
        fault = State.next()
        if fault == "gone":
            return self.hang_up()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if fault == "silent":
            while State.fault == "silent":
                time.sleep(0.1)
            return self.hang_up()
        if fault == "slow":
            time.sleep(SLOW_SECONDS)
        if fault == "error":
            return self.give(500, [("Content-Type", "application/xml")], ERROR)
        if fault == "changed" and len(body) > 100:
            body = spoiled(body)
        status, fields, content = self.ask(body)
        if fault == "changed" and self.command == "GET" and status in (200, 206) and content:
            content = spoiled(content)
        self.give(status, fields, content, whole=fault != "truncated" or len(content) < 2)

    def ask(self, body):
        connection = http.client.HTTPConnection(self.upstream, timeout=60)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in HOP | {"expect"}:
                    connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        except (OSError, http.client.HTTPException):
            return 502, [], b""
        finally:
            connection.close()

    def give(self, status, fields, body, whole=True):
        self.send_response_only(status)
        has_length = False
        for name, value in fields:
            if name.lower() not in HOP:
                has_length |= name.lower() == "content-length"
                self.send_header(name, value)
        if not has_length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body if whole else body[:len(body) // 2])
        if not whole:
            self.hang_up()

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """Clients that went away are no news."""


def spoiled(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:]


if __name__ == "__main__":
    Way.upstream = sys.argv[1]
    with Server(("127.0.0.1", 0), Way) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
        server.serve_forever()
