#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers for tests: mail (SMTP; where a certificate is given with STARTTLS and a password, and beside it with TLS from the
first byte) and HTTPS.

    mail_and_tls.py [CERTIFICATE KEY]

Prints one JSON line with the ports, then one for each mail that was taken:
{"from": …, "to": […], "message": base64, "tls": bool, "user": … or null}. Ends when it is told to.
User and password are 'postbox' and 'open sesame'; mails to refused@… are refused with 550.
"""
import asyncio
import base64
import http.server
import json
import logging
import ssl
import sys
import threading
import warnings

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


def say(value):
    print(json.dumps(value), flush=True)


def authenticate(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and (data.login, data.password) == (b"postbox", b"open sesame")
    return AuthResult(success=good, auth_data=data.login.decode() if good else None)


class Postbox:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused@"):
            return "550 nobody here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        say({
            "from": envelope.mail_from, "to": envelope.rcpt_tos,
            "message": base64.b64encode(envelope.original_content).decode(),
            "tls": session.ssl is not None or server.transport.get_extra_info("sslcontext") is not None,
            "user": session.auth_data,
        })
        return "250 OK"


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"over TLS"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    context = None
    if len(sys.argv) == 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    options = {"tls_context": context, "require_starttls": True, "authenticator": authenticate, "auth_required": True}
    loop = asyncio.new_event_loop()
    mail = loop.run_until_complete(
        loop.create_server(
            lambda: SMTP(Postbox(), hostname="localhost", loop=loop, **(options if context else {})), "127.0.0.1", 0))
    threading.Thread(target=loop.run_forever, daemon=True).start()
    ports = {"smtp": mail.sockets[0].getsockname()[1]}
    if context:
        # The library knows of no TLS but what it began itself, and warns.
        warnings.simplefilter("ignore")
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        inside = {"authenticator": authenticate, "auth_required": True, "auth_require_tls": False}
        # The loop runs by now; this is asked of it from outside.
        secure = asyncio.run_coroutine_threadsafe(
            loop.create_server(
                lambda: SMTP(Postbox(), hostname="localhost", loop=loop, **inside), "127.0.0.1", 0, ssl=context),
            loop).result()
        ports["smtps"] = secure.sockets[0].getsockname()[1]
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        pages.socket = context.wrap_socket(pages.socket, server_side=True)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        ports["https"] = pages.server_port
    say(ports)
    threading.Event().wait()


if __name__ == "__main__":
    main()
