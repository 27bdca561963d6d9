#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mirrors.py BASE MIRROR SHEETS: `sheets --mirror` against the static mirror in the folder MIRROR of the market at BASE.

Everything that players do works from the folder and from nginx alone, set up as deploy/nginx has it, with the market out of reach; and a
mirror that was tampered with, rolled back or frozen is refused, each time with what to do. What is signed by keys that only
an attacker with the market's own could have is made by the repository of attacks.py.
"""
import hashlib, json, os, pathlib, shutil, socket, subprocess, sys, tempfile, time, urllib.error, urllib.request

import attacks

base, mirror, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
scratch = pathlib.Path(tempfile.mkdtemp(prefix="mirrors-"))
# Nobody listens there: whatever works has it from the mirror.
MARKET = "http://127.0.0.1:9"


SITE = pathlib.Path(__file__).parents[2] / "deploy/nginx/mirror.conf"
nginxes = []


def serve(folder):
    """nginx with the site of deploy/nginx, on this folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = pathlib.Path(tempfile.mkdtemp(prefix="nginx-", dir=scratch))
    site = SITE.read_text()
    for old, new in (("listen 80;", f"listen 127.0.0.1:{port};"), ("    listen [::]:80;\n", ""),
                     ("root /srv/sheetmarket-mirror;", f"root {folder};")):
        assert old in site, old
        site = site.replace(old, new)
    (place / "site.conf").write_text(site)
    user = "user root;" if os.geteuid() == 0 else ""
    (place / "nginx.conf").write_text(
        f"{user} daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error.log; events {{}} "
        f"http {{ access_log off; client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; "
        f"fastcgi_temp_path {place}/fastcgi; uwsgi_temp_path {place}/uwsgi; scgi_temp_path {place}/scgi; "
        f"include {place}/site.conf; }}")
    nginxes.append(subprocess.Popen(["nginx", "-p", str(place), "-c", str(place / "nginx.conf")],
                                    env={"PATH": f"{os.environ['PATH']}:/usr/sbin"}))
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.1)
    raise SystemExit("nginx does not listen: " + (place / "error.log").read_text())


def headers():
    """What caches are told, and what is nobody's business."""
    address = serve(mirror)

    def head(path, **fields):
        request = urllib.request.Request(f"{address}/{path}", headers=fields)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, b""

    assert "immutable" in head("trust/1.root.json")[1]["Cache-Control"]
    assert head("trust/timestamp.json")[1]["Cache-Control"] == "public, max-age=10"
    assert head("trust/1.root.json")[1]["Content-Type"].startswith("application/json")
    assert head("trust/1.targets.json", **{"Accept-Encoding": "gzip"})[1]["Content-Encoding"] == "gzip"
    file = next((mirror / "trust/targets").rglob("*.pdf"))
    status, _, part = head(file.relative_to(mirror), Range="bytes=100-199")
    assert status == 206 and part == file.read_bytes()[100:200], "downloads go on where they stopped"
    dump = json.loads(head("dumps/index.json")[2])["dumps"][0]
    assert hashlib.sha256(head(f"dumps/{dump['name']}")[2]).hexdigest() == dump["sha256"], dump
    for path in (".sheetmarket-mirror", "catalog/names.jsonl.new", "trust/"):
        assert head(path)[0] in (403, 404), path


def sheets(library, source, *words, status=0, says=None, silent=None):
    """What it says; it must end so, say so, and say nothing of `silent`."""
    done = subprocess.run([program, *words, "--server", MARKET, "--mirror", str(source)], capture_output=True, text=True,
                          timeout=60, env={"HOME": str(scratch), "SHEETS_LIBRARY": str(scratch / library)})
    text = done.stdout + done.stderr
    assert done.returncode == status, (words, source, done.returncode, text)
    assert says is None or says in text, (words, source, says, text)
    assert silent is None or silent not in text, (words, source, silent, text)
    return done.stdout


def opened(library, slug):
    """What is installed opens, whatever a mirror does."""
    done = subprocess.run([program, "open", "--path", slug, "--library", str(scratch / library)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip()).read_bytes()


names = [json.loads(line) for line in (mirror / "catalog/names.jsonl").read_text().splitlines()]
assert len(names) >= 10, len(names)
first, second = names[0]["slug"], names[1]["slug"]


def pin(library, source, folder):
    """A player was told the fingerprint of the market's root: the market itself, which has that, is out of reach."""
    fingerprint = hashlib.sha256((folder / "trust/1.root.json").read_bytes()).hexdigest()
    sheets(library, source, "trust", "init", "--fingerprint", fingerprint, says=fingerprint)


def honest():
    for number, source in enumerate((mirror, serve(mirror), mirror.as_uri())):
        library = f"honest-{number}"
        found = json.loads(sheets(library, source, "search", "--json"))["templates"]
        assert len(found) == len(names), found
        found = json.loads(sheets(library, source, "search", names[0]["name"].upper(), "--json"))["templates"]
        assert found[0]["slug"] == first, found
        sheets(library, source, "search", "--fillable", status=3, says="ask the market itself")
        # Whose root it is a mirror is not asked: with the market out of reach somebody must tell.
        sheets(library, source, "install", "--no-progress", first, status=3, says="cannot be verified")
        sheets(library, source, "trust", "init", status=3, says="Ask its operator for the root or its fingerprint")
        pin(library, source, mirror)
        for slug in (first, second):
            sheets(library, source, "install", "--no-progress", slug, says="and verified", silent="fingerprint")
        file = opened(library, first)
        version = json.loads(sheets(library, source, "show", first, "--json"))
        assert version["source"] == "market" and any(page["regions"] for page in version["regions"]), version
        sheets(library, source, "update", says="Everything is up to date.")
        for path in (scratch / library / "objects").rglob("*"):
            if path.is_file() and path.read_bytes() == file:
                path.chmod(0o644)
                path.write_bytes(b"damaged")
        sheets(library, source, "verify", status=3, says="damaged")
        sheets(library, source, "verify", "--repair", says="All is well")
        assert opened(library, first) == file
        record = json.loads(next(path for path in (scratch / library / "templates").iterdir()
                                 if f'"slug":"{first}"' in path.read_text()).read_text())
        assert record["versions"][0]["preview"] and record["versions"][0]["regions"], "the mirror has pictures and regions"
    sheets("honest-0", mirror, "install", "nothing-of-this-name", status=1, says="has no template")
    sheets("honest-0", scratch / "nowhere", "install", "nothing-of-this-name", status=4, says="there is no mirror in it")
    named = subprocess.run([program, "search", "--mirror", str(mirror)], capture_output=True, text=True, env={"HOME": str(scratch)})
    assert named.returncode == 2 and "Of which market" in named.stderr, named.stderr


def fresh(name):
    """A copy of the mirror whose metadata an attacker can sign."""
    folder = scratch / name
    shutil.copytree(mirror, folder)
    files, attacks.Repository.path = attacks.market_files(base)
    repository = attacks.Repository(files)
    put(folder, repository)
    attacks.Repository.old = dict(repository.files)
    return folder, repository


def put(folder, repository):
    for path in (folder / "trust").glob("*.json"):
        path.unlink()
    for name, data in repository.files.items():
        (folder / "trust" / name).write_bytes(data)


def attack(name, change, says, advice):
    """A library that knows the honest mirror meets the other one: by update, by install, from disk and over HTTP."""
    folder, repository = fresh(name)
    library = f"library-{name}"
    pin(library, folder, folder)
    sheets(library, folder, "install", "--no-progress", first)
    put(folder, repository.publish())
    sheets(library, folder, "update", says="up to date")
    file = opened(library, first)
    change(folder, repository)
    for source in (folder, serve(folder)):
        sheets(library, source, "install", "--no-progress", second, status=3, says=says)
        sheets(library, source, "install", "--no-progress", second, status=3, says=advice)
        if name not in ("tampered", "lying"):
            sheets(library, source, "update", status=3, says=says)
    assert opened(library, first) == file


def tampered(folder, _):
    for path in (folder / "trust/targets").rglob("*.pdf"):
        data = bytearray(path.read_bytes())
        data[100] ^= 1
        path.write_bytes(data)


def signed(change):
    def attack(folder, repository):
        change(repository)
        put(folder, repository)
    return attack


def lying(folder, _):
    """The files are those that are signed; what is said of them is not."""
    for path in (folder / "catalog").glob("*.json"):
        entry = json.loads(path.read_text())
        for extra in entry["extras"]:
            for page in extra["regions"]:
                for region in page["regions"]:
                    region["name"] = "Forged"
        path.write_text(json.dumps(entry))


EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/clients/python/install_sheet.py"


def example():
    """The example on python-tuf installs from a mirror, and refuses one that lies, all that a take-down says, and another root
    than the one that it pinned."""
    def install(source, status, says):
        done = subprocess.run([sys.executable, EXAMPLE, source, first, scratch / "example"], capture_output=True, text=True)
        assert done.returncode == status and says in done.stdout + done.stderr, (source, says, done)
        return pathlib.Path(done.stdout.split()[0]) if status == 0 else None

    folder, repository = fresh("example-mirror")
    file = install(folder, 0, "Trusting the root")
    kept = file.read_bytes()
    assert kept in {path.read_bytes() for path in (mirror / "trust/targets").rglob("*.pdf")}
    file.unlink()
    tampered(folder, repository)
    install(folder, 1, "was not installed")
    assert not file.exists(), "nothing of it is kept"
    install(mirror, 1, "was not installed")
    path = next(path for role in repository.bins.values() for path in role.targets if names[0]["id"] in path)
    target = repository.bins[repository.bin(path)].targets[path]
    target.unrecognized_fields["custom"] |= {"state": "taken_down", "reason": "It names people."}
    put(folder, repository.publish())
    install(folder, 1, "was taken down: It names people.")
    # So does ours, whatever the mirror's catalog says.
    pin("example-library", folder, folder)
    sheets("example-library", folder, "install", "--no-progress", first, status=3, says="It names people.")


try:
    headers()
    honest()
    example()
    attack("tampered", tampered, "not what the server announced", "or from elsewhere")
    attack("lying", lying, "is not what it has signed", "from the market itself")
    attack("rolled-back", signed(attacks.timestamp_rollback), "older than version", "from elsewhere")
    attack("frozen", signed(attacks.freeze), "was good until", "holds news back")
    attack("strangers", signed(attacks.wrong_key("timestamp")), "valid signatures", "tell its operator")
finally:
    for nginx in nginxes:
        nginx.terminate()
shutil.rmtree(scratch, ignore_errors=True)
print("sheets has all it needs from a mirror, and refuses those that lie")
