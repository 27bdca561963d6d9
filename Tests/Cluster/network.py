# SPDX-License-Identifier: Apache-2.0
"""Networks of the market's own, as root on Linux."""
import ctypes
import json
import os
import pathlib
import subprocess
import sys

from children import die_with_parent, run

CLONE_NEWNET = 0x40000000


def enter_own_network():
    """Has this process and whatever it starts be alone in a network; False where that is not allowed."""
    if os.geteuid() != 0 or not pathlib.Path("/dev/net/tun").exists():
        return False
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        return False
    run("ip", "link", "set", "lo", "up")
    # Databases follow each other from network to network.
    pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    return True


class Link:
    """A network for one machine, and the way there: `link.py`."""

    def __init__(self, number):
        self.address = f"10.77.{number}.2"
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(pathlib.Path(__file__).with_name("link.py")), str(number)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        if self.process.stdout.readline().strip() != "ready":
            raise OSError("there is no link to a network of its own")

    def inside(self, command):
        """The command, to be run there."""
        return ["nsenter", f"--net=/proc/{self.process.pid}/ns/net", *command]

    def be(self, **words):
        """How packets fare from now on: `delay`, `loss`, `cut`; nothing named is a good link."""
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.wait(10)
