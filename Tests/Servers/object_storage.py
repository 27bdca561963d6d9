#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An S3 server for tests: OpenStack Swift with its S3 middleware, from Debian's packages, on free ports.

    object_storage.py FOLDER BUCKET

Prints one JSON line once it answers: {"endpoint": …, "accessKey": …, "secretKey": …, "bucket": …}. Ends, with all its
processes, when it is told to, or when whoever started it has ended. FOLDER must be on a file system with extended attributes.
"""
import ctypes
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

PR_SET_PDEATHSIG = 1
SECRET = "secret-of-the-tests"

SERVER = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {folder}/conf
devices = {folder}/devices
mount_check = false
fallocate_reserve = 0
log_level = ERROR
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""

PROXY = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {folder}/conf
log_level = ERROR
[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {secret} .admin
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memcached}
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""

COMMON = """[swift-hash]
swift_hash_path_prefix = a
swift_hash_path_suffix = b
[storage-policy:0]
name = gold
default = yes
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def die_with_parent():
    """Also when this is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def make_ring(kind, folder, port):
    builder = str(folder / "conf" / f"{kind}.builder")
    for step in (["create", "4", "1", "1"], ["add", f"r1z1-127.0.0.1:{port}/one", "1"], ["rebalance"]):
        subprocess.run(
            ["swift-ring-builder", builder, *step], check=step[0] != "rebalance", stdout=subprocess.DEVNULL)


def answers(endpoint):
    try:
        urllib.request.urlopen(endpoint + "/", timeout=5)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def make_bucket(endpoint, bucket):
    """By Swift's own way of signing in, so that our signatures are not what makes the bucket."""
    sign_in = urllib.request.Request(
        endpoint + "/auth/v1.0", headers={"X-Auth-User": "test:tester", "X-Auth-Key": SECRET})
    with urllib.request.urlopen(sign_in, timeout=30) as answer:
        address, token = answer.headers["X-Storage-Url"], answer.headers["X-Auth-Token"]
    make = urllib.request.Request(f"{address}/{bucket}", method="PUT", headers={"X-Auth-Token": token})
    urllib.request.urlopen(make, timeout=30).close()


def main():
    parent = os.getppid()
    folder, bucket = pathlib.Path(sys.argv[1]), sys.argv[2]
    user = pwd.getpwuid(os.getuid()).pw_name
    ports = dict(zip(("account", "container", "object", "proxy", "memcached"), free_ports(5)))
    (folder / "conf").mkdir(parents=True)
    (folder / "devices" / "one").mkdir(parents=True)
    (folder / "conf" / "swift.conf").write_text(COMMON)
    for kind in ("account", "container", "object"):
        make_ring(kind, folder, ports[kind])
        (folder / "conf" / f"{kind}.conf").write_text(
            SERVER.format(kind=kind, port=ports[kind], user=user, folder=folder))
    (folder / "conf" / "proxy.conf").write_text(
        PROXY.format(port=ports["proxy"], user=user, folder=folder, secret=SECRET, memcached=ports["memcached"]))

    environment = dict(os.environ, SWIFT_CONF_FILE=str(folder / "conf" / "swift.conf"))
    log = (folder / "log").open("w")
    programs = [["memcached", "-l", "127.0.0.1", "-p", str(ports["memcached"]), "-u", user, "-m", "8"]]
    programs += [
        [f"swift-{kind}-server", str(folder / "conf" / f"{kind}.conf")]
        for kind in ("account", "container", "object", "proxy")
    ]
    def start(program):
        return subprocess.Popen(
            program, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent)

    running = [start(program) for program in programs]
    try:
        endpoint = f"http://127.0.0.1:{ports['proxy']}"
        for _ in range(300):
            if any(one.poll() is not None for one in running) or answers(endpoint):
                break
            time.sleep(0.1)
        for attempt in range(120):
            try:
                make_bucket(endpoint, bucket)
                break
            except urllib.error.HTTPError as error:
                # The proxy answers before the servers behind it do.
                if error.code < 500 or attempt == 119:
                    raise
                time.sleep(0.5)
        print(
            json.dumps({"endpoint": endpoint, "accessKey": "test:tester", "secretKey": SECRET, "bucket": bucket}),
            flush=True)
        while os.getppid() == parent:
            time.sleep(0.5)
            # Some tests kill them.
            running = [one if one.poll() is None else start(one.args) for one in running]
    except BaseException:
        sys.stderr.write((folder / "log").read_text()[-4000:])
        raise
    finally:
        for one in running:
            one.send_signal(signal.SIGTERM)
        for one in running:
            try:
                one.wait(5)
            except subprocess.TimeoutExpired:
                one.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    main()
