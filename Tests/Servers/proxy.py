#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTP proxy for tests, which connects to servers (RFC 9110, section 9.3.6).

Names that end in .test are this machine. Prints its port, then a line for each request: what was asked for, and the
credentials that came along. With --user NAME:PASSWORD it refuses everybody else.
"""
import argparse, base64, http.server, socket, socketserver, threading

parser = argparse.ArgumentParser()
parser.add_argument("--user")
options = parser.parse_args()
EXPECTED = options.user and "Basic " + base64.b64encode(options.user.encode()).decode()


def place(host):
    return "127.0.0.1" if host.endswith(".test") else host


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
        def pass_on(one, other):
            try:
                while data := one.recv(1 << 16):
                    other.sendall(data)
                other.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        back = threading.Thread(target=pass_on, args=(there, self.connection), daemon=True)
        back.start()
        pass_on(self.connection, there)
        back.join()
        self.close_connection = True


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


with Server(("127.0.0.1", 0), Proxy) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
