# SPDX-License-Identifier: Apache-2.0
"""Programs that are started, watched and ended."""
import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PR_SET_PDEATHSIG = 1


class Failure(Exception):
    pass


class LeftOut(Exception):
    """What a fault needs is not to be had here; the text says what."""


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


def run(*command, **options):
    """What a program prints; whatever else it does is a failure."""
    options = dict(stdin=subprocess.DEVNULL, timeout=120) | options
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))[:300]}: {done.stdout[-500:]} {done.stderr[-2000:]}")
    return done.stdout


def descendants(process):
    """The process, and whatever it and its children started."""
    found = [process]
    for one in found:
        try:
            found += map(int, pathlib.Path(f"/proc/{one}/task/{one}/children").read_text().split())
        except OSError:
            pass
    return found


def send_all(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


class Child:
    """A program whose output goes to a file."""

    def __init__(self, name, command, environment, folder, group=None):
        """`group` is a control group that it starts in."""
        self.name = name
        self.log = folder / f"{name}.log"

        def prepare():
            die_with_parent()
            if group:
                (group / "cgroup.procs").write_text("0")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                list(map(str, command)), env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                preexec_fn=prepare, start_new_session=True)

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

    def sweep(self):
        """Ends what it left behind."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def tail(self):
        return self.log.read_text(errors="replace")[-3000:]
