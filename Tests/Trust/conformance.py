#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conformance.py CLIENT SOURCES: the TUF project's tests of client behaviour, against our client.

SOURCES is the archive of python-tuf's sources (scripts/setup fetches it), whose tests of its client's workflow are those
that tuf-conformance came of; CLIENT is `trust-conformance`. The tests run as they are, with a repository that they
simulate, but `tuf.ngclient.Updater` is one that asks our client over HTTP. Prints how many pass. What does not pass is
listed below with the reason, and must go on failing.
"""
import datetime, hashlib, http.server, importlib, io, itertools, json, pathlib, subprocess, sys, tarfile, tempfile
import threading, unittest, urllib.parse

import tuf.ngclient
from tuf.api import exceptions
from tuf.api.metadata import TargetFile
from tuf.ngclient import UpdaterConfig

MODULES = ["test_updater_top_level_update", "test_updater_key_rotations", "test_updater_delegation_graphs",
           "test_updater_fetch_target", "test_updater_consistent_snapshot"]
CACHE = "counts how often python-tuf opens its own files"
DEVIATIONS = {
    "TestRefresh.test_intermediate_root_cache": CACHE,
    "TestRefresh.test_intermediate_root_cache_poisoning": "earlier roots are not kept: the newest is where a run begins",
    "TestRefresh.test_load_metadata_from_cache": CACHE,
    "TestRefresh.test_not_loading_targets_twice": CACHE,
}
ERRORS = {
    "tooFewSignatures": exceptions.UnsignedMetadataError, "wrongVersion": exceptions.BadVersionNumberError,
    "rollback": exceptions.BadVersionNumberError, "expired": exceptions.ExpiredMetadataError,
    "wrongBytes": exceptions.LengthOrHashMismatchError, "tooLarge": exceptions.DownloadLengthMismatchError,
    "malformed": exceptions.RepositoryError, "notInSnapshot": exceptions.RepositoryError,
    "metadataMissing": exceptions.RepositoryError, "noRoot": OSError, "damagedPin": exceptions.UnsignedMetadataError}

program, sources = sys.argv[1], sys.argv[2]
simulators = {}
numbers = itertools.count()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        _, number, rest = self.path.split("/", 2)
        # The simulated repository knows files by their names, and roles as they are escaped.
        rest = urllib.parse.unquote(rest) if rest.startswith("targets/") else rest
        try:
            data, status = b"".join(simulators[int(number)].fetch(f"https://example.com/{rest}")), 200
        except exceptions.DownloadError:
            data, status = b"", 404
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()


class Updater:
    """What the tests take for python-tuf's client."""

    def __init__(self, metadata_dir, metadata_base_url, target_dir=None, target_base_url=None, fetcher=None, config=None,
                 *, bootstrap):
        self.config = config or UpdaterConfig()
        self.metadata_dir, self.target_dir = metadata_dir, target_dir
        number = next(numbers)
        simulators[number] = fetcher
        self.base = f"http://127.0.0.1:{server.server_port}/{number}"
        self.process = None
        if bootstrap is not None and not (pathlib.Path(metadata_dir) / "root.json").exists():
            with tempfile.NamedTemporaryFile() as root:
                root.write(bootstrap)
                root.flush()
                subprocess.run([program, "--metadata-dir", metadata_dir, *self.time(), "init", root.name], check=True,
                               capture_output=True)

    @staticmethod
    def time():
        # The tests set the clock of this process alone.
        return ["--time", str(datetime.datetime.now(datetime.timezone.utc).timestamp())]

    def start(self):
        config = self.config
        limits = {"root-limit": config.root_max_length, "timestamp-limit": config.timestamp_max_length,
                  "snapshot-limit": config.snapshot_max_length, "targets-limit": config.targets_max_length,
                  "root-rotations": config.max_root_rotations, "delegations": config.max_delegations}
        words = [word for name, value in limits.items() for word in (f"--{name}", str(value))]
        self.process = subprocess.Popen(
            [program, "--metadata-dir", self.metadata_dir, "--metadata-url", f"{self.base}/metadata/", *self.time(), *words,
             "session"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command, **more):
        if self.process is None:
            self.start()
        self.process.stdin.write(json.dumps({"command": command, **more}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ERRORS.get(answer["error"], exceptions.RepositoryError)(answer.get("message", answer["error"]))
        return answer

    def __del__(self):
        if getattr(self, "process", None):
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()

    def refresh(self):
        self.ask("refresh")

    def get_targetinfo(self, path):
        answer = self.ask("find", path=path)
        if answer.get("isUnknown"):
            return None
        return TargetFile(answer["length"], {"sha256": answer["sha256"]}, path)

    def place(self, info):
        return str(pathlib.Path(self.target_dir) / urllib.parse.quote(info.path, ""))

    def find_cached_target(self, info, filepath=None):
        file = pathlib.Path(filepath or self.place(info))
        isit = file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == info.hashes["sha256"]
        return str(file) if isit else None

    def download_target(self, info, filepath=None, target_base_url=None):
        place = filepath or self.place(info)
        self.ask("download", path=info.path, to=place, base=f"{self.base}/targets/",
                 hasHashInName=self.config.prefix_targets_with_hash, isCached=False)
        return place


scratch = tempfile.TemporaryDirectory(prefix="conformance-")
with tarfile.open(sources) as archive:
    archive.extractall(scratch.name)
sys.path.insert(0, str(next(pathlib.Path(scratch.name).iterdir())))
tuf.ngclient.Updater = Updater
suite = unittest.TestSuite()
for module in MODULES:
    suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"tests.{module}")))
log = io.StringIO()
result = unittest.TextTestRunner(log, verbosity=0).run(suite)
failed = {}
for test, text in result.failures + result.errors:
    # A part of a test counts for the whole.
    failed.setdefault(getattr(test, "test_case", test).id().split(".", 2)[2], text)
wrong = sorted(set(failed) ^ set(DEVIATIONS))
for name in wrong:
    print(f"{name}: " + (failed[name] if name in failed else "passes, though it is listed as one that does not"),
          file=sys.stderr)
for name in sorted(set(failed) & set(DEVIATIONS)):
    print(f"{name}: {DEVIATIONS[name]}")
print(f"{result.testsRun - len(failed)} of {result.testsRun} tests of the TUF project pass")
sys.exit(1 if wrong or not result.testsRun else 0)
