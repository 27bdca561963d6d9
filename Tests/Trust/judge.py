#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""judge.py BASE DATA SHEETMARKET: python-tuf's own client against a running market.

Begins with the market's first root, verifies and downloads every version that the catalog offers, follows changes of the
root's keys and threshold and new keys of all other roles, and verifies again.
"""
import hashlib, json, pathlib, re, subprocess, sys, tempfile, time, urllib.error, urllib.request

from tuf.ngclient import Updater

from waiting import until

base, data, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
scratch = pathlib.Path(tempfile.mkdtemp(prefix="judge-"))
KEYS = data / "trust-keys"


def get(path):
    with urllib.request.urlopen(base + path) as answer:
        return answer.read(), answer.headers


def keys(*words, refused=None):
    """What it says; it must refuse with `refused` where that is given."""
    done = subprocess.run([program, "keys", *words], capture_output=True, text=True, cwd=scratch)
    if refused:
        assert done.returncode != 0 and refused in done.stderr, (words, done.stdout, done.stderr)
    else:
        assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def elsewhere(*words):
    """On a keeper's machine: the same program, with no network, no market's folder, and nothing in its environment."""
    done = subprocess.run(["unshare", "--map-root-user", "--net", program, "keys", *words], capture_output=True, text=True,
                          cwd=scratch, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(scratch / "nowhere")})
    assert done.returncode == 0, (words, done.stdout, done.stderr)


def updater():
    for folder in ("metadata", "files"):
        (scratch / folder).mkdir(exist_ok=True)
    client = Updater(str(scratch / "metadata"), f"{base}/trust/", str(scratch / "files"), f"{base}/trust/targets/",
                     bootstrap=first_root)
    client.refresh()
    return client


def check_all():
    """Each version on offer is signed for, and its bytes are what the catalog says."""
    client = updater()
    for template in json.loads(get("/api/v1/templates?limit=100")[0])["templates"]:
        versions = json.loads(get(f"/api/v1/templates/{template['id']}/versions")[0])["versions"]
        for version in versions:
            info = client.get_targetinfo(f"{template['id']}/{version['version']}.pdf")
            assert info is not None, template["slug"]
            assert info.custom["slug"] == template["slug"]
            path = client.download_target(info)
            digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
            assert digest == version["sha256"] == info.hashes["sha256"]
    return client._trusted_set.root.version


def check_root(version):
    """The root of that version is in force; another process published it, and the server hears of that a moment later."""
    for _ in range(150):
        try:
            get(f"/trust/{version}.root.json")
            break
        except urllib.error.HTTPError as error:
            assert error.code == 404, error
        time.sleep(0.2)
    assert check_all() == version


def wait_until_signed(count):
    for _ in range(150):
        if f"{count} files in" in keys("status", "--data", str(data)):
            return
        time.sleep(0.2)
    raise SystemExit("not signed within 30 seconds")


def key_of(role):
    """The id of its first key."""
    status = keys("status", "--data", str(data))
    return [line for line in status.split("\n") if line.startswith(f"{role} ")][0].split(" of ")[1].split(", ")[0]


def ends():
    """What /metrics tells of each role: the second at which it ends."""
    text = get("/metrics")[0].decode()
    assert re.search(r"^sheetmarket_trust_unpublished_changes 0$", text, re.MULTILINE), "changes that nobody signed"
    return {role: float(end) for role, end in re.findall(
        r'^sheetmarket_trust_expiry_timestamp_seconds\{role="(\w+)"\} (\S+)$', text, re.MULTILINE)}


def withdraw():
    """A withdrawal over the API is signed with its reason, and its end as well."""
    template = json.loads(get("/api/v1/templates?limit=1")[0])["templates"][0]
    version = f"/api/v1/templates/{template['id']}/versions/{template['version']}"
    token = (data / "admin-token").read_text().strip()

    def post(path, body):
        request = urllib.request.Request(base + path, json.dumps(body).encode(), method="POST", headers={
            "Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        urllib.request.urlopen(request).close()

    def custom():
        return updater().get_targetinfo(f"{template['id']}/{template['version']}.pdf").custom

    assert "state" not in custom()
    post(f"{version}/yank", {"reason": "Page two is missing."})
    until(lambda: custom().get("state") == "yanked", "a signed withdrawal")
    assert custom()["reason"] == "Page two is missing.", custom()
    post(f"{version}/unyank", {})
    until(lambda: "state" not in custom() and "reason" not in custom(), "a signed end of a withdrawal")


def offered():
    return len(json.loads(get("/api/v1/templates?limit=100")[0])["templates"])


# A market that starts publishes its ten examples first.
for _ in range(300):
    if offered() >= 10:
        break
    time.sleep(0.2)
wait_until_signed(offered())
first_root, headers = get("/trust/1.root.json")
assert "immutable" in headers["Cache-Control"], headers
assert "immutable" not in get("/trust/timestamp.json")[1]["Cache-Control"]
check_root(1)
timestamp = json.loads(get("/trust/timestamp.json")[0])["signed"]["expires"]
told = ends()
assert {"root", "targets", "snapshot", "timestamp"} <= told.keys(), told
assert time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(told["timestamp"])) == timestamp, (told, timestamp)
withdraw()
# What a mirror has a copy of.
subprocess.run([program, "admin", "dump", "--data", str(data)], check=True, capture_output=True)

second, third = scratch / "second.json", scratch / "third.json"
elsewhere("new-offline-key", str(second))
elsewhere("new-offline-key", str(third))
own = ["--key", str(KEYS / "root.json")]
keys("add-root-key", f"{second}.pub", "--threshold", "2", *own, "--key", str(second), "--data", str(data))
check_root(2)

# The first key goes. Signed on three machines: nothing is in force before two of the old and two of the new have signed.
draft = scratch / "root.json"
keys("rotate", "root", "--with", f"{third}.pub", "--replace", key_of("root"), *own, "--out", str(draft), "--data", str(data))
check_root(2)
elsewhere("sign", str(draft), "--key", str(second))
elsewhere("sign", str(draft), "--key", str(third))
keys("publish", str(draft), "--data", str(data))
check_root(3)

# New keys of all online roles at once: one draft for the root's keepers, which does not write over the one that lies there.
online = ["rotate", "timestamp", "snapshot", "bins", "--key", str(second), "--key", str(KEYS / "targets.json"),
          "--data", str(data)]
keys(*online, refused="is there already")
draft.unlink()
keys(*online)
check_root(3)
keys("sign", str(draft), "--key", str(third))
keys("publish", str(draft), "--data", str(data))
check_root(4)

# Another key of the targets, and targets that it signed: handed in together, in whatever order they are named.
fourth, targets = scratch / "fourth.json", scratch / "targets.json"
keys("new-offline-key", str(fourth))
draft.unlink()
one = ["--key", str(second), "--data", str(data)]
keys("rotate", "targets", "--with", f"{fourth}.pub", "--replace", key_of("targets"), *one)
keys("expire", "targets", "--days", "100", *one)
keys("sign", str(draft), "--key", str(third))
keys("sign", str(targets), "--key", str(fourth))
keys("publish", str(targets), str(draft), "--data", str(data))
check_root(5)

# One online role alone; the others keep their keys.
before = {role: key_of(role) for role in ("timestamp", "snapshot")}
keys("rotate", "snapshot", "--key", str(second), "--key", str(third), "--data", str(data))
check_root(6)
assert key_of("timestamp") == before["timestamp"] and key_of("snapshot") != before["snapshot"], before
print("python-tuf verified every file, before and after changes of the root and new keys of all roles")
