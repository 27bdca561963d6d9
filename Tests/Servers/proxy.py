#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTP proxy for tests, which connects to servers (RFC 9110, section 9.3.6); with --socks one of SOCKS 5 (RFC 1928).

Names that end in .test are this machine. Prints its port, then a line for each request: what was asked for, and the
credentials that came along. With --user NAME:PASSWORD it refuses everybody else.
"""
import argparse, base64, http.server, socket, socketserver, threading

parser = argparse.ArgumentParser()
parser.add_argument("--user")
parser.add_argument("--socks", action="store_true")
options = parser.parse_args()
EXPECTED = options.user and "Basic " + base64.b64encode(options.user.encode()).decode()


def place(host):
    return "127.0.0.1" if host.endswith(".test") else host


def pass_on(one, other):
    try:
        while data := one.recv(1 << 16):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def join(here, there):
    """Passes on what each says until both have ended."""
    back = threading.Thread(target=pass_on, args=(there, here), daemon=True)
    back.start()
    pass_on(here, there)
    back.join()


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def allowed(self):
        print(f"{self.command} {self.path} {self.headers.get('Proxy-Authorization', '-')}", flush=True)
        if EXPECTED and self.headers.get("Proxy-Authorization") != EXPECTED:
            self.send_response(407)
            self.send_header("Proxy-Authenticate", 'Basic realm="test"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False
        return True

    def do_CONNECT(self):
        if not self.allowed():
            return
        host, port = self.path.rsplit(":", 1)
        there = socket.create_connection((place(host), int(port)))
        self.send_response(200)
        self.end_headers()
        join(self.connection, there)
        self.close_connection = True


class Socks(socketserver.BaseRequestHandler):
    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.request.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def handle(self):
        version, count = self.exactly(2)
        methods = self.exactly(count)
        if version != 5 or 0 not in methods or EXPECTED:
            # A sign-in is wanted of everybody (RFC 1929), which the tests' clients do not offer.
            print(f"SIGN-IN {sorted(methods)}", flush=True)
            self.request.sendall(b"\x05\xff")
            return
        self.request.sendall(b"\x05\x00")
        _, command, _, kind = self.exactly(4)
        if kind == 3:
            host = self.exactly(self.exactly(1)[0]).decode()
        else:
            family, size = (socket.AF_INET, 4) if kind == 1 else (socket.AF_INET6, 16)
            host = socket.inet_ntop(family, self.exactly(size))
        port = int.from_bytes(self.exactly(2), "big")
        print(f"SOCKS {command} {host}:{port} by {'name' if kind == 3 else 'address'}", flush=True)
        try:
            there = socket.create_connection((place(host), port))
        except OSError:
            self.request.sendall(b"\x05\x05\x00\x01" + bytes(6))
            return
        self.request.sendall(b"\x05\x00\x00\x01" + bytes(6))
        join(self.request, there)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


with Server(("127.0.0.1", 0), Socks if options.socks else Proxy) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
