# SPDX-License-Identifier: Apache-2.0
"""A primary and two replicas, each in a network of its own where that is possible.

PostgreSQL does not wait for the disk here: what is killed are processes, not the machine.
"""
import os
import pathlib
import pwd
import shutil
import subprocess

from children import Child, Failure, descendants, run, send_all, wait_until
from network import Link

NAMES = ["p", "r1", "r2"]


class Databases:
    def __init__(self, folder, has_network):
        self.folder = folder
        self.programs = sorted(pathlib.Path("/usr/lib/postgresql").iterdir(), key=lambda one: int(one.name))[-1] / "bin"
        self.running = {}
        self.primary = "p"
        # Whether the first primary has a file system of its own.
        self.is_mounted = False
        self.links = {name: Link(number) for number, name in enumerate(NAMES, 1)} if has_network else {}

    def host(self, name):
        """Where nodes and other databases reach it."""
        return self.links[name].address if self.links else str(self.sockets(name))

    @property
    def hosts(self):
        return ",".join(map(self.host, NAMES))

    @property
    def settings(self):
        """Of nodes."""
        replicas = [f"postgresql:///market?host={self.host(name)}&user=sheetmarket" for name in NAMES[1:]]
        return {
            "DATABASE_URL": f"host={self.hosts} user=sheetmarket dbname=market target_session_attrs=read-write",
            "SHEETMARKET_REPLICA_URLS": " ".join(replicas), "SHEETMARKET_REPLICA_LAG": "2s",
        }

    def as_postgres(self, *command):
        if os.geteuid() != 0:
            return list(command)
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig", "KILL", *command]

    def data(self, name):
        return self.folder / "databases" / name / "data"

    def sockets(self, name):
        """Where this process reaches it, whatever becomes of the network."""
        return self.folder / "databases" / name

    def launch(self, name):
        settings = {
            "listen_addresses": self.links[name].address if self.links else "",
            "unix_socket_directories": self.sockets(name), "fsync": "off", "max_connections": 200,
            "shared_buffers": "64MB", "wal_keep_size": "256MB", "wal_retrieve_retry_interval": "100ms",
            "wal_receiver_timeout": "5s", "wal_sender_timeout": "5s", "log_min_messages": "warning",
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        command = self.as_postgres(self.programs / "postgres", "-D", self.data(name), *options)
        self.running[name] = Child(
            f"postgres-{name}", self.links[name].inside(command) if self.links else command, os.environ, self.folder)

    def start(self, name):
        self.launch(name)
        wait_until(lambda: self.answers(name), 60, f"database {name} answers")

    def answers(self, name):
        try:
            self.sql("SELECT 1", on=name, database="postgres")
            return True
        except Failure:
            return False

    def sql(self, text, on=None, database="market"):
        """The output of a statement, which the superuser runs."""
        return run(
            self.programs / "psql", "-h", self.sockets(on or self.primary), "-U", "postgres", "-d", database, "-XAtq",
            "-v", "ON_ERROR_STOP=1", "-c", text, timeout=60,
            # Also where it is set to read only.
            env={**os.environ, "PGOPTIONS": "-c default_transaction_read_only=off"}).strip()

    def make_primary(self):
        for name in NAMES:
            self.sockets(name).mkdir(parents=True)
        self.is_mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4g", "tmpfs", str(self.sockets("p"))], capture_output=True).returncode == 0
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            for name in NAMES:
                os.chown(self.sockets(name), owner.pw_uid, owner.pw_gid)
        run(*self.as_postgres(
            self.programs / "initdb", "-D", self.data("p"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8", "--no-sync"))
        with open(self.data("p") / "pg_hba.conf", "a") as access:
            access.write("host all all 10.77.0.0/16 trust\nhost replication all 10.77.0.0/16 trust\n")
        self.start("p")
        self.sql("CREATE ROLE sheetmarket LOGIN", database="postgres")
        self.sql("CREATE DATABASE market OWNER sheetmarket", database="postgres")

    def make_replicas(self):
        for name in NAMES[1:]:
            run(*self.as_postgres(
                self.programs / "pg_basebackup", "-h", self.sockets("p"), "-U", "postgres", "-D", self.data(name),
                "--checkpoint=fast", "--no-sync", "--write-recovery-conf"))
            # Whoever takes writes is followed, whichever it is by then.
            with open(self.data(name) / "postgresql.auto.conf", "a") as conf:
                conf.write(f"primary_conninfo = 'host={self.hosts} user=postgres application_name={name} "
                           "target_session_attrs=read-write connect_timeout=2'\n")
            self.start(name)
        for name in NAMES:
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
        best = max((name for name in NAMES if self.running[name].is_running()), key=received)
        self.sql("SELECT pg_promote()", on=best)
        self.primary = best

    def signal(self, name, number):
        """To each of its processes."""
        send_all(descendants(self.running[name].process.pid), number)

    def fill(self):
        """Leaves the first primary hardly any room."""
        used = shutil.disk_usage(self.sockets("p")).used
        run("mount", "-o", f"remount,size={used // 1024 + 64}k", self.sockets("p"))

    def empty(self):
        run("mount", "-o", "remount,size=4g", self.sockets("p"))

    def end(self):
        for link in self.links.values():
            link.end()
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", str(self.sockets("p"))], check=False)
