# SPDX-License-Identifier: Apache-2.0
"""A whole market on this machine: a primary with two replicas, three servers, two workers, and nginx with the site of deploy/.

Everything is a child of this process and dies with it. PostgreSQL does not wait for the disk here: what is killed are
processes, not the machine.
"""
import base64
import ctypes
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PR_SET_PDEATHSIG = 1
DATABASES = ["p", "r1", "r2"]


class Failure(Exception):
    pass


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(condition, seconds, what):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.1)


class Child:
    """A program whose output goes to a file."""

    def __init__(self, name, command, environment, folder):
        self.name = name
        self.log = folder / f"{name}.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                preexec_fn=die_with_parent)

    def is_running(self):
        return self.process.poll() is None

    def send(self, number):
        if self.is_running():
            self.process.send_signal(number)

    def end(self, number=signal.SIGTERM, seconds=40):
        self.send(signal.SIGCONT)
        self.send(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"{self.name} did not end within {seconds} s: {self.log}") from None

    def tail(self):
        return self.log.read_text(errors="replace")[-3000:]


class Cluster:
    def __init__(self, folder, programs):
        self.folder = pathlib.Path(folder)
        self.programs = pathlib.Path(programs)
        self.postgres = sorted(pathlib.Path("/usr/lib/postgresql").iterdir(), key=lambda one: int(one.name))[-1] / "bin"
        self.databases, self.servers, self.workers = {}, {}, {}
        self.nginx = None
        self.primary = "p"
        self.ports = free_ports(4)
        self.storage = self.folder / "storage"
        self.has_own_storage = False

    # PostgreSQL

    def as_postgres(self, *command):
        if os.geteuid() != 0:
            return list(command)
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig", "KILL", *command]

    def run(self, *command, **options):
        done = subprocess.run(
            list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, command))[:300]}: {done.stdout[-500:]} {done.stderr[-2000:]}")
        return done.stdout

    def data(self, name):
        return self.folder / "databases" / name / "data"

    def sockets(self, name):
        return self.folder / "databases" / name

    def start_database(self, name):
        settings = {
            "listen_addresses": "", "unix_socket_directories": self.sockets(name), "fsync": "off",
            "max_connections": 200, "shared_buffers": "64MB", "wal_keep_size": "256MB",
            "wal_retrieve_retry_interval": "100ms", "log_min_messages": "warning",
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        self.databases[name] = Child(
            f"postgres-{name}", self.as_postgres(str(self.postgres / "postgres"), "-D", str(self.data(name)), *options),
            os.environ, self.folder)
        wait_until(lambda: self.answers(name), 60, f"database {name} answers")

    def answers(self, name):
        try:
            self.sql("SELECT 1", on=name, database="postgres")
            return True
        except Failure:
            return False

    def sql(self, text, on=None, database="market"):
        """The output of a statement, which the superuser runs."""
        return self.run(
            self.postgres / "psql", "-h", self.sockets(on or self.primary), "-U", "postgres", "-d", database, "-XAtq",
            "-v", "ON_ERROR_STOP=1", "-c", text, timeout=60).strip()

    def start_databases(self):
        for name in DATABASES:
            self.sockets(name).mkdir(parents=True)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            for name in DATABASES:
                os.chown(self.sockets(name), owner.pw_uid, owner.pw_gid)
        self.run(*self.as_postgres(
            self.postgres / "initdb", "-D", self.data("p"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8", "--no-sync"))
        self.start_database("p")
        self.sql("CREATE ROLE sheetmarket LOGIN", database="postgres")
        self.sql("CREATE DATABASE market OWNER sheetmarket", database="postgres")
        self.command("migrate")
        self.command("seed", "--no-examples")
        hosts = ",".join(str(self.sockets(name)) for name in DATABASES)
        for name in DATABASES[1:]:
            self.run(*self.as_postgres(
                self.postgres / "pg_basebackup", "-h", self.sockets("p"), "-U", "postgres", "-D", self.data(name),
                "--checkpoint=fast", "--no-sync", "--write-recovery-conf"))
            # Whoever takes writes is followed, whichever it is by then.
            with open(self.data(name) / "postgresql.auto.conf", "a") as conf:
                conf.write(f"primary_conninfo = 'host={hosts} user=postgres application_name={name} "
                           "target_session_attrs=read-write'\n")
            self.start_database(name)
        for name in DATABASES:
            # No commit is acknowledged before a replica has it.
            self.set_on(name, "synchronous_standby_names", "ANY 1 (r1, r2)")
        self.wait_for_replicas(2)

    def set_on(self, name, setting, value):
        self.sql(f"ALTER SYSTEM SET {setting} = '{value}'", on=name)
        self.sql("SELECT pg_reload_conf()", on=name)

    def wait_for_replicas(self, count):
        wait_until(
            lambda: self.sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == str(count), 60,
            f"{count} replicas follow")

    def promote(self):
        """Makes the replica that has most the primary."""
        def received(name):
            high, low = self.sql("SELECT pg_last_wal_receive_lsn()", on=name).split("/")
            return int(high, 16) << 32 | int(low, 16)
        best = max((name for name in DATABASES if self.databases[name].is_running()), key=received)
        self.sql("SELECT pg_promote()", on=best)
        self.primary = best

    def signal_database(self, name, number):
        """To each of its processes."""
        parent = self.databases[name].process.pid
        children = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        for process in [parent, *map(int, children)]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    # The market

    def environment(self, **more):
        hosts = ",".join(str(self.sockets(name)) for name in DATABASES)
        replicas = [f"postgresql:///market?host={self.sockets(name)}&user=sheetmarket" for name in DATABASES[1:]]
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(self.folder),
            "DATABASE_URL": f"host={hosts} user=sheetmarket dbname=market target_session_attrs=read-write",
            "SHEETMARKET_REPLICA_URLS": " ".join(replicas), "SHEETMARKET_REPLICA_LAG": "2s",
            "SHEETMARKET_STORAGE": str(self.storage), "SHEETMARKET_ASSETS": str(ROOT),
            "SHEETMARKET_DOWNLOAD_KEYS": "k1:" + base64.b64encode(bytes([7]) * 32).decode(),
            "SHEETMARKET_SECRET_KEYS": "s1:" + base64.b64encode(bytes([8]) * 32).decode(),
            "SHEETMARKET_AUDIT_KEYS": "a1:" + base64.b64encode(bytes([9]) * 32).decode(),
            "SHEETMARKET_STAFF_SECOND_FACTOR": "off", "SHEETMARKET_TRUSTED_PROXIES": "127.0.0.1",
            "SHEETMARKET_LIMIT_ADDRESS": "1000000/1s", "SHEETMARKET_LIMIT_ACCOUNT": "1000000/1s",
            "SHEETMARKET_LIMIT_TOKEN": "1000000/1s", "SHEETMARKET_JOB_LEASE": "4", "SHEETMARKET_CLAIM_TTL": "30",
            "SHEETMARKET_WORKERS": "1", "SHEETMARKET_LOG_FORMAT": "json", **more,
        }

    def command(self, *arguments):
        return self.run(self.programs / "sheetmarket", *arguments, env=self.environment(), timeout=120)

    def start_server(self, number, waits=True):
        child = Child(
            f"server-{number}", [str(self.programs / "sheetmarket"), "serve"],
            self.environment(SHEETMARKET_LISTEN=f"127.0.0.1:{self.ports[number]}"), self.folder)
        self.servers[number] = child
        if waits:
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

    def start_worker(self, number):
        self.workers[number] = Child(
            f"worker-{number}", [str(self.programs / "sheetmarket"), "work"], self.environment(), self.folder)

    def start_nginx(self):
        """The site that is shipped, with this machine's names, certificate and servers."""
        self.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
                 "-keyout", self.folder / "key.pem", "-out", self.folder / "cert.pem")
        site = (ROOT / "deploy/nginx/sheetmarket.conf").read_text()
        servers = "\n    ".join(rf"server 127.0.0.1:{self.ports[number]} \1;" for number in range(3))
        changes = [
            (r"server 127\.0\.0\.1:8080 ([^;]+);", servers), (r"listen 443 ssl http2;", f"listen 127.0.0.1:{self.ports[3]} ssl http2;"),
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
        path = os.environ["PATH"] + ":/usr/sbin"
        self.nginx = Child(
            "nginx", [shutil.which("nginx", path=path), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")],
            os.environ, self.folder)
        wait_until(lambda: (self.folder / "nginx.pid").exists(), 20, "nginx runs")

    @property
    def address(self):
        return "127.0.0.1", self.ports[3]

    # Storage

    def start_storage(self, megabytes=512):
        """A small disk of its own, where this process may mount one."""
        self.storage.mkdir()
        self.has_own_storage = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(self.storage)],
            capture_output=True).returncode == 0

    def remount_storage(self, options):
        self.run("mount", "-o", f"remount,{options}", self.storage)

    def start(self):
        self.start_storage()
        self.start_databases()
        for number in range(3):
            self.start_server(number, waits=False)
        for number in range(3):
            self.wait_for_server(number)
        for number in range(2):
            self.start_worker(number)
        self.start_nginx()

    def stop(self):
        children = [*self.servers.values(), *self.workers.values(), *filter(None, [self.nginx]), *self.databases.values()]
        for child in children:
            child.send(signal.SIGCONT)
            child.send(signal.SIGKILL if child in self.databases.values() else signal.SIGTERM)
        for child in children:
            try:
                child.process.wait(30)
            except subprocess.TimeoutExpired:
                child.process.kill()
        if self.has_own_storage:
            subprocess.run(["umount", "--lazy", str(self.storage)], check=False)
