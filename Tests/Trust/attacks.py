#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attacks.py BASE SHEETS [--table FILE]: what a malicious server or mirror can try, against python-tuf's own client and ours.

Stands between clients and the market at BASE: passes on the API, and serves signed metadata of its own making, all of
whose keys it has. So each attack is made by somebody with the very keys that it needs, and no more. Both clients first
take an honest state; then they meet the attack, and must refuse it. Prints the table of docs/trust.md.
"""
import argparse, copy, datetime, hashlib, http.server, json, pathlib, re, shutil, subprocess, sys, tempfile, threading
import urllib.error, urllib.request

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (Delegations, DelegatedRole, Key, Metadata, MetaFile, Root, Snapshot, TargetFile, Targets,
                              Timestamp)
from tuf.api.serialization.json import JSONSerializer
from tuf.ngclient import Updater

SAVE = JSONSerializer(compact=True)


class Repository:
    """Root (two of three keys), timestamp, snapshot, targets and two bins; kept as bytes by the names of files."""

    def __init__(self, files):
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        later = now + datetime.timedelta(days=30)
        self.rootkeys = [CryptoSigner.generate_ed25519() for _ in range(3)]
        self.keys = {name: CryptoSigner.generate_ed25519() for name in ("timestamp", "snapshot", "targets", "bins")}
        self.root = Root(expires=later, consistent_snapshot=True)
        for key in self.rootkeys:
            self.root.add_key(key.public_key, "root")
        self.root.roles["root"].threshold = 2
        for name in ("timestamp", "snapshot", "targets"):
            self.root.add_key(self.keys[name].public_key, name)
        bins = self.keys["bins"].public_key
        self.targets = Targets(expires=later)
        roles = {}
        for number, digits in enumerate(("01234567", "89abcdef")):
            name = f"bin-{number}"
            roles[name] = DelegatedRole(name, [bins.keyid], 1, True, path_hash_prefixes=list(digits))
        self.targets.delegations = Delegations({bins.keyid: bins}, roles)
        self.bins = {name: Targets(expires=later) for name in roles}
        for path, info in files.items():
            self.bins[self.bin(path)].targets[path] = info
        self.snapshot = Snapshot(expires=later, meta={"targets.json": MetaFile(1)})
        self.timestamp = Timestamp(expires=later)
        self.files = {}
        self.write_root(self.rootkeys)
        self.link()

    @staticmethod
    def bin(path):
        return f"bin-{int(hashlib.sha256(path.encode()).hexdigest()[0], 16) // 8}"

    @staticmethod
    def signed(role, signers):
        metadata = Metadata(role)
        for signer in signers:
            metadata.sign(signer, append=True)
        return metadata.to_bytes(SAVE)

    def write_root(self, signers):
        self.files[f"{self.root.version}.root.json"] = self.signed(self.root, signers)

    def link(self):
        """Signs everything below the root anew, as it stands."""
        self.files[f"{self.targets.version}.targets.json"] = self.signed(self.targets, [self.keys["targets"]])
        for name, role in self.bins.items():
            self.files[f"{role.version}.{name}.json"] = self.signed(role, [self.keys["bins"]])
            if self.snapshot.meta.get(f"{name}.json") != "gone":
                self.snapshot.meta[f"{name}.json"] = MetaFile(role.version)
        self.snapshot.meta["targets.json"] = MetaFile(self.targets.version)
        self.top()

    def top(self):
        data = self.signed(self.snapshot, [self.keys["snapshot"]])
        self.files[f"{self.snapshot.version}.snapshot.json"] = data
        digest = hashlib.sha256(data).hexdigest()
        self.timestamp.snapshot_meta = MetaFile(self.snapshot.version, len(data), {"sha256": digest})
        self.files["timestamp.json"] = self.signed(self.timestamp, [self.keys["timestamp"]])

    def publish(self):
        for role in self.bins.values():
            role.version += 1
        self.snapshot.version += 1
        self.timestamp.version += 1
        self.link()
        return self


class Stage:
    """What the server between says now."""
    repository = None
    tamper_files = False
    tamper_api = False
    tamper_record = False
    endless_files = False
    raised = None  # (the market's version, what the API calls it): until it offers the older one again
    endless = None


def serve(base):
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def send(self, status, data, kind="application/json"):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            name = self.path.removeprefix("/trust/")
            if name == Stage.endless:
                return self.pour()
            if self.path.startswith("/trust/") and not name.startswith("targets/"):
                data = Stage.repository.files.get(name)
                return self.send(200, data) if data is not None else self.send(404, b"{}")
            try:
                asked = self.path
                if Stage.raised:
                    asked = asked.replace(*reversed(Stage.raised))
                request = urllib.request.Request(base + asked, headers={"Accept": self.headers.get("Accept", "*/*")})
                with urllib.request.urlopen(request) as answer:
                    data, kind = answer.read(), answer.headers["Content-Type"]
            except urllib.error.HTTPError as error:
                return self.send(error.code, error.read(), error.headers["Content-Type"])
            if kind == "application/pdf":
                if Stage.endless_files:
                    return self.pour(kind)
                if Stage.tamper_files:
                    data = data[:100] + bytes([data[100] ^ 1]) + data[101:]
            elif Stage.tamper_api:
                data = re.sub(rb'"sha256":"[0-9a-f]{64}"', b'"sha256":"' + b"0" * 64 + b'"', data)
            elif Stage.tamper_record:
                data = re.sub(rb'"license":"[^"]*"', b'"license":"CC0-1.0"', data)
            if Stage.raised and (kind or "").startswith("application/json"):
                data = data.replace(*(f'"version":"{version}"'.encode() for version in Stage.raised))
            self.send(200, data, kind)

        def pour(self, kind="application/json"):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b" " * 65536)
            except OSError:
                self.close_connection = True

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


class Client:
    """One of the two, with what it keeps in a folder."""

    def __init__(self, address, path, folder):
        self.address, self.path, self.folder = address, path, folder
        folder.mkdir(parents=True, exist_ok=True)


class PythonTUF(Client):
    name = "python-tuf"

    def begin(self, root):
        self.root = root

    def run(self):
        """Nothing when it installed the file, else why not."""
        metadata, files = self.folder / "metadata", self.folder / "files"
        for folder in (metadata, files):
            folder.mkdir(exist_ok=True)
        try:
            updater = Updater(str(metadata), f"{self.address}/trust/", str(files), f"{self.address}/trust/targets/",
                              bootstrap=self.root)
            updater.refresh()
            info = updater.get_targetinfo(self.path)
            if info is None:
                return "no such target"
            for old in files.iterdir():
                old.unlink()
            updater.download_target(info)
            return None
        except Exception as error:  # whatever it refuses with
            return type(error).__name__


class Ours(Client):
    name = "sheets"
    program = None
    # What it says, and in a word or two.
    reasons = {
        "valid signatures": "too few signatures", "older than version": "rollback", "was good until": "expired",
        "was due": "wrong version", "is larger than": "too large", "knows no file": "unknown file",
        "not what it has signed": "not as signed", "older than": "an older version", "The bytes of": "other bytes",
        "bytes where the server announced": "too large",
        "not what the server announced": "other bytes", "A version never changes": "not as before"}

    def call(self, *words):
        return subprocess.run([self.program, *words, "--server", self.address, "--library", str(self.folder / "library")],
                              capture_output=True, text=True, timeout=60)

    def begin(self, root):
        (self.folder / "root.json").write_bytes(root)
        done = self.call("trust", "init", "--root", str(self.folder / "root.json"))
        assert done.returncode == 0, done.stderr

    def run(self):
        template = self.path.split("/")[0]
        shutil.rmtree(self.folder / "library" / "objects", ignore_errors=True)
        done = self.call("install", "--no-progress", template)
        if done.returncode == 0:
            return None
        assert done.returncode in (3, 4), (done.returncode, done.stderr)
        message = done.stderr.strip().split("\n")[-1]
        return next((short for part, short in self.reasons.items() if part in message), message)


# Each takes an honest repository that clients have seen (and published once more), and turns it against them.
def tampered_target(repository): Stage.tamper_files = True
def lying_api(repository): Stage.tamper_api = True
def lying_record(repository): Stage.tamper_record = True
def older_version(repository): Stage.raised = None
def endless_target(repository): Stage.endless_files = True


def followed_roots(repository):
    """Honest: one root key goes and another comes, then all three must sign."""
    root, fresh = repository.root, CryptoSigner.generate_ed25519()
    gone = repository.rootkeys[0]
    root.revoke_key(gone.public_key.keyid, "root")
    root.add_key(fresh.public_key, "root")
    repository.rootkeys[0] = fresh
    root.version += 1
    repository.write_root([gone, *repository.rootkeys])
    yield
    root.roles["root"].threshold = 3
    root.version += 1
    repository.write_root(repository.rootkeys)
    repository.publish()


def fast_forward(repository):
    """A thief of the online keys raises the numbers of versions; the market goes back with new keys."""
    repository.timestamp.version = repository.snapshot.version = 1_000_000
    for role in repository.bins.values():
        role.version = 1_000_000
    repository.link()
    yield
    for role in ("timestamp", "snapshot"):
        old, repository.keys[role] = repository.keys[role], CryptoSigner.generate_ed25519()
        repository.root.revoke_key(old.public_key.keyid, role)
        repository.root.add_key(repository.keys[role].public_key, role)
    repository.root.version += 1
    repository.write_root(repository.rootkeys)
    repository.timestamp.version = repository.snapshot.version = 3
    for role in repository.bins.values():
        role.version = 3
    repository.link()


def timestamp_rollback(repository):
    repository.files["timestamp.json"] = Repository.old["timestamp.json"]


def snapshot_rollback(repository):
    repository.timestamp.version += 1
    repository.snapshot.version = 1
    repository.top()


def bin_rollback(repository):
    for role in repository.bins.values():
        role.version = 1
    repository.snapshot.version += 1
    repository.timestamp.version += 1
    repository.link()


def freeze(repository):
    repository.timestamp.version += 1
    repository.timestamp.expires -= datetime.timedelta(days=31)
    repository.top()


def expired(role):
    def attack(repository):
        for part in {"root": [repository.root], "targets": [repository.targets], "snapshot": [repository.snapshot],
                     "bins": repository.bins.values()}[role]:
            part.expires -= datetime.timedelta(days=31)
        if role == "root":
            repository.root.version += 1
            repository.write_root(repository.rootkeys)
        elif role == "targets":
            repository.targets.version += 1
        repository.publish()
    return attack


def mix_and_match(repository):
    repository.publish()
    name = f"{repository.snapshot.version}.snapshot.json"
    repository.files[name] = Repository.old["1.snapshot.json"]


def mixed_bins(repository):
    repository.publish()
    for name, role in repository.bins.items():
        repository.files[f"{role.version}.{name}.json"] = Repository.old[f"1.{name}.json"]


def wrong_key(role):
    def attack(repository):
        repository.keys[role] = CryptoSigner.generate_ed25519()
        if role == "targets":
            repository.targets.version += 1
        repository.publish()
    return attack


def too_few_signatures(repository):
    repository.root.version += 1
    repository.write_root(repository.rootkeys[:1])


def new_root_of_a_stranger(repository):
    strangers = [CryptoSigner.generate_ed25519() for _ in range(2)]
    for key in repository.rootkeys:
        repository.root.revoke_key(key.public_key.keyid, "root")
    for key in strangers:
        repository.root.add_key(key.public_key, "root")
    repository.root.version += 1
    repository.write_root(strangers)


def endless_timestamp(repository): Stage.endless = "timestamp.json"


def endless_bin(repository):
    repository.publish()
    name = Repository.bin(Repository.path)
    Stage.endless = f"{repository.bins[name].version}.{name}.json"


def path_of_another_bin(repository):
    one, other = repository.bins["bin-0"], repository.bins["bin-1"]
    one.targets, other.targets = other.targets, one.targets
    repository.publish()


# What both must go along with.
HONEST = [
    ("none: an honest market", None),
    ("none: two new roots, one with a higher threshold", followed_roots),
    ("none: new keys after a thief raised all versions (fast-forward)", fast_forward),
]
# What each must be refused with, by python-tuf and by ours.
NOT_ASKED = "(not asked)"
ATTACKS = [
    ("a file with another byte in it", tampered_target, "LengthOrHashMismatchError", "other bytes"),
    ("the API names another hash", lying_api, NOT_ASKED, "not as signed"),
    ("the API, or a mirror, names another licence", lying_record, NOT_ASKED, "not as signed"),
    ("the API offers an older version", older_version, NOT_ASKED, "an older version"),
    ("rollback of the timestamp", timestamp_rollback, "BadVersionNumberError", "rollback"),
    ("rollback of the snapshot", snapshot_rollback, "BadVersionNumberError", "rollback"),
    ("rollback of a bin", bin_rollback, "BadVersionNumberError", "rollback"),
    ("freeze: a timestamp whose time is over", freeze, "ExpiredMetadataError", "expired"),
    ("freeze: a snapshot whose time is over", expired("snapshot"), "ExpiredMetadataError", "expired"),
    ("freeze: targets whose time is over", expired("targets"), "ExpiredMetadataError", "expired"),
    ("freeze: bins whose time is over", expired("bins"), "ExpiredMetadataError", "expired"),
    ("freeze: a root whose time is over", expired("root"), "ExpiredMetadataError", "expired"),
    ("mix and match: an old snapshot", mix_and_match, "LengthOrHashMismatchError", "other bytes"),
    ("mix and match: old bins", mixed_bins, "BadVersionNumberError", "wrong version"),
    ("a stranger's timestamp key", wrong_key("timestamp"), "UnsignedMetadataError", "too few signatures"),
    ("a stranger's snapshot key", wrong_key("snapshot"), "UnsignedMetadataError", "too few signatures"),
    ("a stranger's targets key", wrong_key("targets"), "UnsignedMetadataError", "too few signatures"),
    ("a stranger's key of the bins", wrong_key("bins"), "UnsignedMetadataError", "too few signatures"),
    ("a root with too few signatures", too_few_signatures, "UnsignedMetadataError", "too few signatures"),
    ("a root that only strangers signed", new_root_of_a_stranger, "UnsignedMetadataError", "too few signatures"),
    ("a timestamp without end", endless_timestamp, "DownloadLengthMismatchError", "too large"),
    ("a bin without end", endless_bin, "DownloadLengthMismatchError", "too large"),
    ("a file without end", endless_target, "DownloadLengthMismatchError", "too large"),
    ("a path that the bin may not sign for", path_of_another_bin, "no such target", "unknown file"),
]


def market_customs(base):
    """What the market signs of each file besides its hash."""
    def get(name):
        with urllib.request.urlopen(f"{base}/trust/{name}") as answer:
            return json.load(answer)["signed"]
    snapshot = get(f"{get('timestamp.json')['meta']['snapshot.json']['version']}.snapshot.json")
    customs = {}
    for name, meta in snapshot["meta"].items():
        for path, target in get(f"{meta['version']}.{name}")["targets"].items():
            customs[path] = target["custom"]
    return customs


def market_files(base):
    """What the market offers, as its own metadata would have it; and a path to try."""
    with urllib.request.urlopen(f"{base}/api/v1/templates?limit=20") as answer:
        templates = json.load(answer)["templates"]
    files, customs = {}, market_customs(base)
    for template in templates:
        with urllib.request.urlopen(f"{base}/api/v1/templates/{template['id']}/versions/latest") as answer:
            version = json.load(answer)
        path = f"{template['id']}/{version['version']}.pdf"
        files[path] = TargetFile(version["sizeBytes"], {"sha256": version["sha256"]}, path,
                                 {"custom": customs[path]})
    return files, sorted(files)[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("base")
    parser.add_argument("sheets")
    parser.add_argument("--table")
    options = parser.parse_args()
    Ours.program = options.sheets
    files, path = market_files(options.base)
    Repository.path = path
    # For the attack with an older version each has a later one, too, of the same bytes.
    raised = (path.split("/")[1].removesuffix(".pdf"), "99.0.0")
    for older in list(files):
        files[f"{older.split('/')[0]}/{raised[1]}.pdf"] = copy.deepcopy(files[older])
    address = serve(options.base)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="trust-"))
    lines, failures = ["| attack | refused by python-tuf with | by `sheets` with |", "|---|---|---|"], []
    for number, (title, attack, *expected) in enumerate([(*honest, None, None) for honest in HONEST] + ATTACKS):
        cells = []
        for kind, word in zip((PythonTUF, Ours), expected):
            Stage.tamper_files = Stage.tamper_api = Stage.tamper_record = Stage.endless_files = False
            Stage.raised = raised if attack is older_version else None
            Stage.endless = None
            repository = Stage.repository = Repository(copy.deepcopy(files))
            client = kind(address, path, scratch / f"{number}-{kind.name}")
            client.begin(repository.files["1.root.json"])
            first = client.run()
            Repository.old = dict(repository.files)
            repository.publish()
            second = client.run()
            if first or second:
                failures.append(f"{kind.name} refused an honest market: {first or second}")
            if attack is None:
                cells.append("installed")
                continue
            steps = attack(repository)
            for _ in steps or ():
                if between := client.run():
                    failures.append(f"{kind.name} met: {title}; half way it refused with {between}")
            why = client.run()
            if word is None:
                if why:
                    failures.append(f"{kind.name} met: {title}; it refused with {why}")
                cells.append("installed" if why is None else why)
                continue
            if word == NOT_ASKED and why is None:
                why = word
            if why != word:
                failures.append(f"{kind.name} met: {title}; {why or 'it fell for it'}, not {word}")
            cells.append(why or "INSTALLED")
        lines.append(f"| {title} | {cells[0]} | {cells[1]} |")
    shutil.rmtree(scratch, ignore_errors=True)
    table = "\n".join(lines)
    print(table)
    page = pathlib.Path(options.table or pathlib.Path(__file__).parents[2] / "docs/trust.md")
    text = page.read_text()
    start, end = "<!-- attacks: begin -->", "<!-- attacks: end -->"
    head, rest = text.split(start)
    fresh = f"{head}{start}\n{table}\n{end}{rest.split(end)[1]}"
    if options.table:
        page.write_text(fresh)
    elif text != fresh:
        failures.append(f"{page} has another table; --table writes it")
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
