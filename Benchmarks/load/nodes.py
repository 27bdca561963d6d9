# SPDX-License-Identifier: Apache-2.0
"""A market to be asked on this machine: PostgreSQL, N servers and a worker behind nginx with the site of deploy/, filled with a
generated catalog and the example sheets.

Unlike that of `make nightly` it has one database, which waits for the disk, and none that follow.
"""
import json
import os
import pathlib

import paths
import catalog
from children import Child, Failure, descendants, run, wait_until
from clients import Load, Record
from cluster import Cluster, Release
from databases import Databases

TICKS = os.sysconf("SC_CLK_TCK")
# As many as this machine ever answers: limits are kept, and nobody is refused.
LIMITS = {f"SHEETMARKET_LIMIT_{name}": "12000000/1m" for name in ("ADDRESS", "ACCOUNT", "TOKEN")}
PEOPLE = {"authors": 12, "readers": 24, "moderators": 4}


class Database(Databases):
    """The primary alone."""

    def __init__(self, folder):
        super().__init__(folder, has_network=False)

    @property
    def settings(self):
        return {"DATABASE_URL": f"host={self.sockets('p')} user=sheetmarket dbname=market"}

    def make(self):
        self.sockets("p").mkdir(parents=True)
        if os.geteuid() == 0:
            run("chown", "postgres:", self.sockets("p"))
        run(*self.as_postgres(
            self.programs / "initdb", "-D", self.data("p"), "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8", "--no-sync"))
        self.start("p")
        self.sql("CREATE ROLE sheetmarket LOGIN", database="postgres")
        self.sql("CREATE DATABASE market OWNER sheetmarket", database="postgres")

    def launch(self, name):
        settings = {
            "listen_addresses": "", "unix_socket_directories": self.sockets(name), "max_connections": 100,
            "shared_buffers": "512MB", "max_wal_size": "4GB", "log_min_messages": "warning"}
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        self.running[name] = Child(
            f"postgres-{name}", self.as_postgres(self.programs / "postgres", "-D", self.data(name), *options),
            os.environ, self.folder)


class Storage:
    def __init__(self, folder):
        self.path = folder / "storage"
        self.path.mkdir()
        self.settings = {"SHEETMARKET_STORAGE": str(self.path)}

    def end(self):
        pass


class Market(Cluster):
    def __init__(self, folder, programs, settings=None):
        super().__init__(folder, Release(programs), has_bucket=False, has_network=False)
        self.databases = Database(self.folder)
        # Sheets are read however busy the machine is with other work.
        self.more = {"SHEETMARKET_LOG_LEVEL": "warning", "SHEETMARKET_JOB_LEASE": "30", "SHEETMARKET_CLAIM_TTL": "900",
                     "SHEETMARKET_READER_TIMEOUT": "300", **LIMITS, **(settings or {})}

    def environment(self, release=None, **more):
        return super().environment(release, **{**self.more, **more})

    def make(self, count):
        """Everything but the servers, filled with `count` made-up templates and the examples, which have files and pictures."""
        self.storage = Storage(self.folder)
        self.databases.make()
        self.command("migrate")
        psql = [str(self.databases.programs / "psql"), "-h", str(self.databases.sockets("p")), "-U", "postgres", "-d", "market"]
        catalog.load(psql, count)
        run(self.release.programs / "sheetmarket", "admin", "search", "rebuild", env=self.environment(), timeout=3600)
        run(self.release.programs / "sheetmarket", "seed", env=self.environment(), timeout=3600)
        if not self.census(count)["files"]:
            raise Failure("no example was published")
        self.sql("VACUUM (ANALYZE)")
        self.start_worker(0)

    def serve(self, count):
        """Exactly so many servers, and nginx before them."""
        for number in list(self.servers):
            self.servers.pop(number).end()
        if self.nginx:
            self.nginx.end()
            (self.folder / "nginx.pid").unlink(missing_ok=True)
        for number in range(count):
            self.launch("server", number)
        for number in range(count):
            self.wait_for_server(number)
        self.write_site(range(count))
        conf = self.folder / "nginx.conf"
        conf.write_text(conf.read_text().replace("events {}", "events { worker_connections 4096; }"))
        self.launch_nginx()
        wait_until(lambda: (self.folder / "nginx.pid").exists(), 20, "nginx runs")

    def enrol(self):
        """Tokens of everybody who needs one, by what they do."""
        load = Load(self, Record())
        return {who: [load.account(f"{who[:-1]}{number}") for number in range(count)] for who, count in PEOPLE.items()}

    def census(self, count):
        """What visitors can ask for."""
        def rows(where):
            found = self.sql(f"""
                SELECT json_agg(json_build_object('id', t.id, 'slug', t.slug, 'version', v.number,
                    'sha256', encode(v.artifact_sha256, 'hex')) ORDER BY t.downloads DESC, t.id)
                FROM templates AS t JOIN versions AS v ON v.id = t.latest_version_id
                JOIN users AS u ON u.id = t.owner_id WHERE {where}""")
            return json.loads(found or "null") or []
        reviews = self.sql("SELECT id FROM reviews").split()
        return {"count": count, "templates": rows("true"), "files": rows("u.handle = 'sheetmarket'"), "reviews": reviews}

    # What it takes up

    def log_bytes(self):
        """Of the database's write-ahead log so far."""
        return int(self.sql("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"))

    def sizes(self):
        """Bytes of the largest tables with their indexes, rows of some, and bytes and files of the storage."""
        tables = json.loads(self.sql("""
            SELECT json_object_agg(relname, size) FROM (
                SELECT relname, pg_total_relation_size(relid) AS size FROM pg_stat_user_tables ORDER BY 2 DESC LIMIT 20) AS t"""))
        rows = json.loads(self.sql("""
            SELECT json_build_object('templates', (SELECT count(*) FROM templates), 'versions', (SELECT count(*) FROM versions),
                'artifacts', (SELECT count(*) FROM artifacts), 'submissions', (SELECT count(*) FROM submissions))"""))
        files = [one.stat().st_size for one in self.storage.path.rglob("*") if one.is_file()]
        return {"database": int(self.sql("SELECT pg_database_size('market')")), "tables": tables, "rows": rows,
                "files": len(files), "file bytes": sum(files)}

    # What its parts use

    @property
    def parts(self):
        """Processes of each part, by name."""
        found = {"postgres": [self.databases.running["p"]], "servers": list(self.servers.values()),
                 "worker and readers": list(self.workers.values()), "nginx": [self.nginx]}
        return {name: [child.process.pid for child in children] for name, children in found.items()} | {
            "load": [os.getpid()]}

    def processor(self):
        """Seconds of processor time that each part has used since it began."""
        return {name: sum(seconds(pid) for root in roots for pid in (descendants(root) if name != "load" else [root]))
                for name, roots in self.parts.items()}


def seconds(pid):
    """Of one process, and of those children that it has waited for."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    # This program's own children are counted as what they are.
    return sum(map(int, fields[11:13 if pid == os.getpid() else 15])) / TICKS


def machine():
    """Seconds that all cores together were busy, and seconds that others took from this machine."""
    fields = list(map(int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]))
    return (sum(fields[:3]) + sum(fields[5:8])) / TICKS, fields[7] / TICKS
