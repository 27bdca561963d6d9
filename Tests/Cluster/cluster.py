# SPDX-License-Identifier: Apache-2.0
"""A whole market on this machine: a primary with two replicas, three servers, two workers, a disk or a bucket, and nginx with
the site of deploy/. Everything is a child of this process and dies with it.
"""
import base64
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import databases
from children import ROOT, Child, Failure, free_ports, run, wait_until
from storage import Bucket, Disk

SERVERS, WORKERS = range(3), range(2)


class Release:
    """Programs, and the checkout that has their migrations and pages."""

    def __init__(self, programs, root=ROOT):
        self.programs, self.root = pathlib.Path(programs).resolve(), pathlib.Path(root).resolve()


class Cluster:
    def __init__(self, folder, release, has_bucket, has_network):
        self.folder = pathlib.Path(folder)
        self.release = release
        self.has_bucket = has_bucket
        self.servers, self.workers = {}, {}
        self.nginx = None
        self.ports = free_ports(4)
        self.databases = databases.Databases(self.folder, has_network)
        self.storage = None
        # Beside their own settings, for nodes that start from now on: by the name of the node.
        self.extra = {}
        self.groups = {}
        self.supervisor = Supervisor(self)

    def sql(self, text, **options):
        return self.databases.sql(text, **options)

    # Nodes

    def environment(self, release=None, **more):
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(self.folder),
            "SHEETMARKET_ASSETS": str((release or self.release).root),
            "SHEETMARKET_DOWNLOAD_KEYS": "k1:" + base64.b64encode(bytes([7]) * 32).decode(),
            "SHEETMARKET_SECRET_KEYS": "s1:" + base64.b64encode(bytes([8]) * 32).decode(),
            "SHEETMARKET_AUDIT_KEYS": "a1:" + base64.b64encode(bytes([9]) * 32).decode(),
            "SHEETMARKET_STAFF_SECOND_FACTOR": "off", "SHEETMARKET_TRUSTED_PROXIES": "127.0.0.1",
            "SHEETMARKET_LIMIT_ADDRESS": "1000000/1s", "SHEETMARKET_LIMIT_ACCOUNT": "1000000/1s",
            "SHEETMARKET_LIMIT_TOKEN": "1000000/1s", "SHEETMARKET_JOB_LEASE": "4", "SHEETMARKET_CLAIM_TTL": "30",
            "SHEETMARKET_WORKERS": "1", "SHEETMARKET_LOG_FORMAT": "json",
            "SHEETMARKET_MAIL_FOLDER": str(self.folder / "mail"),
            **self.databases.settings, **self.storage.settings, **more,
        }

    def command(self, *arguments, release=None):
        release = release or self.release
        return run(release.programs / "sheetmarket", *arguments, env=self.environment(release))

    def launch(self, kind, number):
        """Starts a server or worker, and does not wait for it."""
        name = f"{kind}-{number}"
        word, nodes, more = ("serve", self.servers, {"SHEETMARKET_LISTEN": f"127.0.0.1:{self.ports[number]}"}) \
            if kind == "server" else ("work", self.workers, {})
        release, extra = self.extra.get(name, (self.release, {}))
        nodes[number] = Child(
            name, [release.programs / "sheetmarket", word], self.environment(release, **more, **extra), self.folder,
            self.groups.get(name))

    def start_server(self, number):
        self.launch("server", number)
        self.wait_for_server(number)

    def start_worker(self, number):
        self.launch("worker", number)

    def restart(self, kind, number, extra=None, release=None):
        """Ends a node as an operator does, and starts it again, with other settings or programs."""
        node = (self.servers if kind == "server" else self.workers)[number]
        status = node.end(signal.SIGTERM)
        if status != 0:
            raise Failure(f"{node.name} ended with {status}: {node.tail()}")
        self.extra[node.name] = (release or self.release, extra or {})
        self.launch(kind, number)
        if kind == "server":
            self.wait_for_server(number)

    def wait_for_server(self, number):
        child = self.servers[number]

        def is_ready():
            if not child.is_running():
                raise Failure(f"{child.name} ended: {child.tail()}")
            try:
                with socket.create_connection(("127.0.0.1", self.ports[number]), 1):
                    return True
            except OSError:
                return False
        wait_until(is_ready, 60, f"{child.name} is ready")

    # The proxy

    def write_site(self, numbers=SERVERS):
        """The site that is shipped, with this machine's names, certificate and servers."""
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
            "-keyout", self.folder / "key.pem", "-out", self.folder / "cert.pem")
        site = (ROOT / "deploy/nginx/sheetmarket.conf").read_text()
        servers = "\n    ".join(rf"server 127.0.0.1:{self.ports[number]} \1;" for number in numbers)
        changes = [
            (r"server 127\.0\.0\.1:8080 ([^;]+);", servers),
            (r"listen 443 ssl http2;", f"listen 127.0.0.1:{self.ports[3]} ssl http2;"),
            (r" *listen \[::\]:.*\n", ""), (r"listen 80;", f"listen unix:{self.folder}/plain.sock;"),
            (r"(ssl_certificate +)[^;]+", rf"\g<1>{self.folder}/cert.pem"),
            (r"(ssl_certificate_key +)[^;]+", rf"\g<1>{self.folder}/key.pem"),
        ]
        for pattern, text in changes:
            site, count = re.subn(pattern, text, site)
            if count == 0:
                raise Failure(f"deploy/nginx/sheetmarket.conf has no {pattern}")
        (self.folder / "site.conf").write_text(site)
        (self.folder / "nginx.conf").write_text(
            f"pid {self.folder}/nginx.pid; daemon off; worker_processes 2; error_log {self.folder}/nginx.log;\n"
            f"events {{}} http {{ access_log off; client_body_temp_path {self.folder}/bodies;\n"
            f"proxy_temp_path {self.folder}/answers; include site.conf; }}\n")

    def launch_nginx(self):
        # A socket in the file system outlives a server that is killed.
        (self.folder / "plain.sock").unlink(missing_ok=True)
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        self.nginx = Child(
            "nginx", [program, "-p", self.folder, "-c", self.folder / "nginx.conf"], os.environ, self.folder)

    @property
    def address(self):
        return "127.0.0.1", self.ports[3]

    # All of it

    def start(self):
        self.storage = Bucket(self.folder) if self.has_bucket else Disk(self.folder)
        self.databases.make_primary()
        self.command("migrate")
        self.command("seed", "--no-examples")
        self.databases.make_replicas()
        for number in SERVERS:
            self.launch("server", number)
        for number in SERVERS:
            self.wait_for_server(number)
        for number in WORKERS:
            self.start_worker(number)
        self.write_site()
        self.launch_nginx()
        wait_until(lambda: (self.folder / "nginx.pid").exists(), 20, "nginx runs")

    @property
    def children(self):
        """Each with what starts it again."""
        found = [(one, lambda name=name: self.databases.launch(name)) for name, one in self.databases.running.items()]
        for kind, nodes in (("server", self.servers), ("worker", self.workers)):
            found += [(one, lambda kind=kind, number=number: self.launch(kind, number)) for number, one in nodes.items()]
        return found + [(self.nginx, self.launch_nginx)] * (self.nginx is not None)

    def supervised(self, pause=0.5):
        """What ends meanwhile is started again after so many seconds."""
        return self.supervisor(pause)

    def stop(self):
        children = [child for child, _ in self.children]
        for child in children:
            child.send(signal.SIGCONT)
            child.send(signal.SIGKILL if child.name.startswith("postgres") else signal.SIGTERM)
        for child in children:
            try:
                child.process.wait(30)
            except subprocess.TimeoutExpired:
                child.process.kill()
            child.sweep()
        if self.storage:
            self.storage.end()
        self.databases.end()


class Supervisor:
    """Starts what has ended again, as systemd does, for as long as it is entered."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.pause = None
        self.lock = threading.Lock()
        # Never ends: what a thread started dies with it (PR_SET_PDEATHSIG).
        threading.Thread(target=self.work, daemon=True).start()

    def __call__(self, pause):
        self.pause = pause
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self.lock:
            self.pause = None

    def work(self):
        died = {}
        while True:
            time.sleep(0.1)
            with self.lock:
                if self.pause is not None:
                    self.look(died)

    def look(self, died):
        for child, start in self.cluster.children:
            if child.is_running():
                continue
            if time.monotonic() >= died.setdefault(child, time.monotonic() + self.pause):
                child.sweep()
                start()
