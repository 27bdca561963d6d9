# SPDX-License-Identifier: Apache-2.0
"""What breaks of storage, and on the way to it and to the database."""
import time

from children import LeftOut
from faults import Fault, calm


def bad_bucket(kind, seconds=6):
    def happen(cluster, _):
        cluster.storage.be(kind)
        time.sleep(seconds)
        cluster.storage.be("none")
        time.sleep(4)
    return happen


def read_only_disk(cluster, _):
    cluster.storage.remount("ro")
    time.sleep(6)
    cluster.storage.remount("rw")
    time.sleep(4)


def full_disk(cluster, _):
    cluster.storage.fill()
    time.sleep(6)
    cluster.storage.empty()
    time.sleep(4)


def bad_disk(kind):
    def happen(cluster, _):
        cluster.storage.be(kind)
        time.sleep(6)
        cluster.storage.be("")
        time.sleep(4)
    return happen


def bad_link(seconds=6, **how):
    """Between the primary and everybody else."""
    def happen(cluster, _):
        data = cluster.databases
        if not data.links:
            raise LeftOut("no network can be made here")
        data.links[data.primary].be(**how)
        time.sleep(seconds)
        data.links[data.primary].be()
        time.sleep(5)
    return happen


FAULTS = [
    Fault("S3 answers 500 for 6 s", bad_bucket("error")),
    Fault("S3 3 s late for 9 s", bad_bucket("slow", 9)),
    Fault("S3 ends its answers early for 6 s", bad_bucket("truncated")),
    Fault("S3 gets and sends other bytes for 6 s", bad_bucket("changed")),
    Fault("S3 gone for 6 s", bad_bucket("gone")),
    Fault("S3 silent for 25 s", bad_bucket("silent", 25)),
    Fault("network to the primary 50 ms late", bad_link(delay=0.025)),
    Fault("network to the primary loses 5 %", bad_link(loss=0.05)),
    Fault("network to the primary cut for 4 s", bad_link(4, cut="both")),
    Fault("network cut towards the primary for 30 s", bad_link(30, cut="in")),
    Fault("network cut from the primary for 30 s", bad_link(30, cut="out")),
]
DISK = [
    Fault("none, with a disk", calm, market="disk", is_smooth=True),
    Fault("disk read-only for 6 s", read_only_disk, market="disk"),
    Fault("disk full for 6 s", full_disk, market="disk"),
    Fault("disk 0.5 s late at each call for 6 s", bad_disk("slow 0.5"), market="disk"),
    Fault("disk answers errors for 6 s", bad_disk("error"), market="disk"),
]
