#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""runbook.py SHEETMARKET SHEETS FOLDER: what docs/trust.md tells operators to type when something is lost, typed.

Takes the commands from the page as they stand there, so that a page which does not work fails here. FOLDER is the data
folder of a market that was stopped, with the examples in it. What stands in capitals on the page is put in its place.
"""
import json, os, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, time, urllib.request

from waiting import until

sheetmarket, sheets, prepared = (pathlib.Path(word) for word in sys.argv[1:4])
scratch = pathlib.Path(tempfile.mkdtemp(prefix="runbook-"))
# The database may run as another user.
scratch.chmod(0o755)
page = (pathlib.Path(__file__).parents[2] / "docs/trust.md").read_text()
programs = scratch / "bin"
programs.mkdir()
for program in (sheetmarket, sheets):
    (programs / program.name).symlink_to(program.resolve())
QUIET = {"SHEETMARKET_LIMIT_ADDRESS": "1000000/1s", "SHEETMARKET_DB_POOL_TIMEOUT": "60s"}


def commands(heading):
    """The commands under a heading of the page, one of each line that is set as code."""
    section = re.split(rf"\n#+ {re.escape(heading)}\n", page)[1].split("\n#")[0]
    lines = [line.strip() for line in section.split("\n") if line.startswith("    ")]
    assert lines, heading
    return [re.sub(r"\s+# .*", "", line) for line in lines]


def row(purpose):
    """The command of the page's table for this."""
    return re.search(rf"^\| {re.escape(purpose)} \| `([^`]+)` \|$", page, re.MULTILINE).group(1)


def typed(line, names, library="player", status=0):
    """Runs a line of the page with what its names stand for; answers what it said."""
    for name in sorted(names, key=len, reverse=True):
        line = re.sub(rf"\b{name}\b", str(names[name]), line)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(scratch), **QUIET,
                   "SHEETS_LIBRARY": str(scratch / library), "SHEETS_SERVER": names.get("MARKET", "")}
    done = subprocess.run(["bash", "-ec", line], capture_output=True, text=True, env=environment, cwd=scratch, timeout=120)
    assert done.returncode == status, (line, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


class Market:
    """A market that runs on a folder, always at the same address."""

    def __init__(self, data):
        self.data = data
        address = "127.0.0.1:0" if data != globals()["data"] else f"127.0.0.1:{port}"
        self.process = subprocess.Popen([sheetmarket, "up", "--data", data, "--listen", address], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **QUIET})
        for line in self.process.stdout:
            if line.startswith("ready "):
                self.base = line.split()[1]
                break
        else:
            raise SystemExit("the market does not start")

    def get(self, path):
        with urllib.request.urlopen(self.base + path) as answer:
            return answer.read()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def status(market):
    return typed(f"sheetmarket keys status --data {market.data}", {})


def root_is(market, version):
    until(lambda: f"root  version {version} " in status(market), f"root {version}")
    # Another process published it; the server hears of that a moment later.
    until(lambda: subprocess.run(["curl", "-sf", f"{market.base}/trust/{version}.root.json"], capture_output=True)
          .returncode == 0, f"{version}.root.json")


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
data, stick = scratch / "data", scratch / "stick"
subprocess.run(["cp", "-a", prepared, data], check=True)
stick.mkdir()
market = Market(data)
until(lambda: "10 files in" in status(market), "ten signed files")
# In one line `up` says how to take the root key away.
told = re.search(r"\((mv \S+/root\.json) /media/STICK/\)", market.process.stdout.readline())
typed(f"{told.group(1)} {stick}/", {})
for key in (data / "trust-keys").iterdir():
    shutil.move(key, stick)
slugs = [template["slug"] for template in json.loads(market.get("/api/v1/templates?limit=3"))["templates"]]
names = {"DIR": data, "STICK": stick, "MARKET": market.base}
for library in ("player", "other"):
    typed(f"sheets install --no-progress {slugs[0]}", names, library)

# The disk is stolen: somebody has a market with the very keys, and a mirror of it, which nobody can tell from the real one.
market.stop()
stolen = scratch / "stolen"
subprocess.run(["cp", "-a", data, stolen], check=True)
market = Market(data)
thief, lies = Market(stolen), scratch / "lies"
subprocess.run(["psql", "--quiet", "--no-psqlrc", f"--host={next(stolen.rglob('.s.PGSQL.5432')).parent}",
                "--username=sheetmarket", "--dbname=sheetmarket",
                "--command=UPDATE trust_bins SET is_dirty = true"], check=True, capture_output=True)
until(lambda: b"{" in thief.get("/trust/timestamp.json"), "a timestamp of the thief's")
time.sleep(2)
typed(f"sheetmarket mirror --to {lies} --data {stolen}", names)
thief.stop()
for library in ("player", "other"):
    assert "up to date" in typed(f"sheets update --mirror {lies}", names, library)
for line in commands("A stolen server, disk or database"):
    typed(line, names)
root_is(market, 2)
# The thief hands out the new root, too: nothing else would be believed for long.
(lies / "trust/2.root.json").write_bytes(market.get("/trust/2.root.json"))
said = typed(f"sheets update --mirror {lies}", names, "other", status=3)
assert "valid signatures" in said, said
mirror = scratch / "mirror"
typed(f"sheetmarket mirror --to {mirror} --data {data}", names)
assert "up to date" in typed(f"sheets update --mirror {mirror}", names, "other")

# A mirror that lies: the very lines that a player and its operator type.
names |= {"MIRROR": mirror, "NAME": slugs[1]}
for path in (mirror / "trust/targets").rglob("*.pdf"):
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
install, remove, write = commands("A malicious mirror")
assert "not what the server announced" in typed(install, names, "other", status=3)
typed(remove, names)
typed(write, names)
typed(install, names, "other")

# A root key is lost, while others are left to sign: first there are three, of which two must sign.
for name in ("r2", "r3"):
    typed(f"sheetmarket keys new-offline-key STICK/{name}.json", names)
own = "--key STICK/root.json --data DIR"
typed(f"sheetmarket keys add-root-key STICK/r2.json.pub {own}", names)
root_is(market, 3)
typed(f"sheetmarket keys add-root-key STICK/r3.json.pub --threshold 2 {own} --key STICK/r2.json", names)
root_is(market, 4)
names["ID"] = [line for line in status(market).split("\n") if line.startswith("root ")][0].split(" of ")[1].split(",")[0]
(stick / "root.json").unlink()
for line in commands("A lost root key"):
    typed(line, names)
root_is(market, 5)
assert names["ID"] not in status(market).split("\n")[0]
typed(f"sheetmarket mirror --to {mirror} --data {data}", names)
typed(f"sheets update --mirror {mirror}", names, "other")

# Too few are left: the market begins anew, and players pin what they are told.
before = re.search(r"fingerprint.*: ([0-9a-f]{64})", status(market)).group(1)
lines = commands("Too few root keys left, or enough stolen to sign")
for line in lines[:-1]:
    typed(line, names)
until(lambda: re.search(r"fingerprint.*: (?!%s)[0-9a-f]{64}" % before, status(market)), "another fingerprint")
until(lambda: subprocess.run(["curl", "-sf", f"{market.base}/trust/timestamp.json"], capture_output=True)
      .returncode == 0, "a timestamp")
fingerprint = re.search(r"fingerprint.*: ([0-9a-f]{64})", status(market)).group(1)
typed(f"sheetmarket mirror --to {mirror} --data {data}", names)
said = typed(f"sheets update --mirror {mirror}", names, "other", status=3)
assert "valid signatures" in said or "older than" in said, said
names["FINGERPRINT"] = fingerprint
typed(f"{lines[-1]} --mirror {mirror}", names, "other")
assert "up to date" in typed(f"sheets update --mirror {mirror}", names, "other")

# Offline keys that never touch the server.
def replaced(line, old, new):
    assert old in line, line
    return line.replace(old, new)


new, init, sign, sign_targets, publish = commands("Keys")
for key in ("r1", "r2", "r3", "t1"):
    typed(replaced(new, "r1", key), names)
typed(f"{init} --anew", names)
typed(sign, names)
assert "1 valid signatures" in typed(publish, names, status=1)
typed(replaced(sign, "r1", "r2"), names)
typed(sign_targets, names)
typed(publish, names)
until(lambda: "  2 of " in status(market).split("\n")[0] and "10 files in" in status(market), "a root of two keys")

# The root is given another year: signed by those who can, and in force.
ends = re.search(r"^root .*", status(market), re.MULTILINE).group()
typed(f"{row('extend a root or targets')} --days 400 --key r1 --key r2 --data DIR", names)
root_is(market, 2)
assert re.search(r"^root .*", status(market), re.MULTILINE).group() != ends.replace("version 1 ", "version 2 ")
market.stop()
shutil.rmtree(scratch, ignore_errors=True)
print("what the page tells to type works, as it is written")
