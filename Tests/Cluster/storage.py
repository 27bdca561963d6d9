# SPDX-License-Identifier: Apache-2.0
"""Where a market's files lie: on a small disk, or in a bucket of a real S3 server behind a way that can be bad."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.request

from children import ROOT, Failure, LeftOut, descendants, die_with_parent, run, wait_until

HERE = pathlib.Path(__file__).resolve().parent


class Disk:
    """A folder, on a file system of its own where this process may mount one, whose system calls can be bad."""

    def __init__(self, folder, megabytes=512):
        self.path = folder / "storage"
        self.path.mkdir()
        self.size = megabytes
        self.is_mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(self.path)],
            capture_output=True).returncode == 0
        self.shim = folder / "slow_disk.so"
        self.fault_file = folder / "disk-fault"
        run("cc", "-shared", "-fPIC", "-O1", "-o", self.shim, HERE / "slow_disk.c", "-ldl")
        self.be("")

    @property
    def settings(self):
        """Of nodes."""
        return {
            "SHEETMARKET_STORAGE": str(self.path), "LD_PRELOAD": str(self.shim), "SLOW_DISK_FOLDER": str(self.path),
            "SLOW_DISK_FAULT": str(self.fault_file)}

    def remount(self, options):
        if not self.is_mounted:
            raise LeftOut("no file system can be mounted here")
        # While a file is written it cannot be made read-only.
        wait_until(lambda: subprocess.run(
            ["mount", "-o", f"remount,{options}", str(self.path)], capture_output=True).returncode == 0,
            20, f"the storage is mounted with {options}")

    def fill(self):
        used = shutil.disk_usage(self.path).used
        self.remount(f"size={used // 1024 + 4}k")

    def empty(self):
        self.remount(f"size={self.size}m")

    def be(self, fault):
        """`slow SECONDS`, `error`, or nothing for a good disk."""
        temporary = self.fault_file.with_suffix(".new")
        temporary.write_text(fault)
        os.replace(temporary, self.fault_file)

    def end(self):
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", str(self.path)], check=False)


class Bucket:
    """OpenStack Swift with its S3 middleware, behind `faulty_bucket.py`."""

    def __init__(self, folder):
        # A file system in memory may not have the extended attributes that it needs.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nightly-bucket-", dir="/var/tmp"))
        self.spool = folder / "spool"
        self.spool.mkdir()
        with open(folder / "bucket.log", "ab") as log:
            self.server = self.child(
                [ROOT / "Tests/Servers/object_storage.py", self.folder / "swift", "market"], log)
            line = self.server.stdout.readline()
            if not line:
                raise Failure(f"no S3 server: {(folder / 'bucket.log').read_text()[-2000:]}")
            told = json.loads(line)
            self.way = self.child([HERE / "faulty_bucket.py", told["endpoint"].split("//")[1]], log)
            self.endpoint = self.way.stdout.readline().strip()
        self.settings = {
            "SHEETMARKET_S3_ENDPOINT": self.endpoint, "SHEETMARKET_S3_BUCKET": told["bucket"],
            "SHEETMARKET_S3_ACCESS_KEY": told["accessKey"], "SHEETMARKET_S3_SECRET_KEY": told["secretKey"],
            "SHEETMARKET_S3_SPOOL": str(self.spool)}

    @staticmethod
    def child(command, log):
        return subprocess.Popen(
            [sys.executable, "-B", *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            text=True, preexec_fn=die_with_parent)

    def be(self, fault):
        """How requests fare from now on; "none" is well."""
        urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/-fault/{fault}", method="PUT"), timeout=10).close()

    def processes(self):
        """Of the S3 server, which starts those again that end."""
        return descendants(self.server.pid)[1:]

    def end(self):
        self.way.kill()
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
