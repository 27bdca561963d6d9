#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A network of its own behind a link that can be bad.

    link.py NUMBER      (as root)

One end of the link is in the network it is started in, as 10.77.NUMBER.1, the other in a new one, as 10.77.NUMBER.2, which
others enter by `nsenter --net=/proc/PID/ns/net`. Packets go through this program, since not every kernel has netem. Prints
"ready", then reads what is to be done with them, one JSON object a line: {"delay": SECONDS, "loss": PART OF 1,
"cut": "in" | "out" | "both" | null}, where "in" is towards the new network. Both networks end with it.
"""
import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import struct
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
MTU = 9000


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def tunnel(name, mine, other):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    ip("address", "add", mine, "peer", other, "dev", name)
    ip("link", "set", name, "mtu", str(MTU), "up")
    return device


class Link:
    def __init__(self, number):
        ours, theirs = f"10.77.{number}.1", f"10.77.{number}.2"
        self.out = tunnel(f"link{number}", ours, theirs)
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        ip("link", "set", "lo", "up")
        self.inside = tunnel("market", theirs, ours)
        ip("route", "add", "default", "via", ours)
        self.random = random.Random(number)
        self.delay, self.loss, self.cut = 0.0, 0.0, None
        self.waiting = []
        self.count = 0

    def command(self, text):
        words = json.loads(text)
        self.delay, self.loss, self.cut = words.get("delay", 0.0), words.get("loss", 0.0), words.get("cut")

    def take(self, source, target, direction):
        for _ in range(64):
            try:
                packet = os.read(source, MTU + 100)
            except BlockingIOError:
                return
            if self.cut in (direction, "both") or (self.loss and self.random.random() < self.loss):
                continue
            if not self.delay:
                self.give(target, packet)
            else:
                self.count += 1
                heapq.heappush(self.waiting, (time.monotonic() + self.delay, self.count, target, packet))

    @staticmethod
    def give(target, packet):
        try:
            os.write(target, packet)
        except OSError:
            # A full queue loses packets, as real ones do.
            pass

    def run(self):
        reader = open(0, "rb", buffering=0)
        while True:
            wait = max(0, self.waiting[0][0] - time.monotonic()) if self.waiting else None
            ready, _, _ = select.select([self.out, self.inside, reader], [], [], wait)
            if reader in ready:
                line = reader.readline()
                if not line:
                    return
                self.command(line)
            if self.out in ready:
                self.take(self.out, self.inside, "in")
            if self.inside in ready:
                self.take(self.inside, self.out, "out")
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                _, _, target, packet = heapq.heappop(self.waiting)
                self.give(target, packet)


if __name__ == "__main__":
    link = Link(int(sys.argv[1]))
    print("ready", flush=True)
    link.run()
