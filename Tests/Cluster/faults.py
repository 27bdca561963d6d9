# SPDX-License-Identifier: Apache-2.0
"""What breaks: nodes, databases, memory and clocks. Storage, network and whole releases have files of their own."""
import pathlib
import random
import signal
import sys
import time
from dataclasses import dataclass

import databases
from children import Failure, LeftOut, descendants, run, send_all, wait_until
from cluster import SERVERS
from memory import MemoryGroup


@dataclass
class Fault:
    name: str
    # Called with the cluster and the options of the command line.
    happen: object
    # What the market must be: "bucket", "disk", or "releases".
    market: str = "bucket"
    # Whether not a single call may fail meanwhile.
    is_smooth: bool = False


def calm(cluster, _):
    time.sleep(6)


def rolling_restart(cluster, _):
    """Each server is told to end, and started again."""
    for number in SERVERS:
        cluster.restart("server", number)
        time.sleep(1)


def stop_at_work(cluster, worker):
    """Has a worker stand still in the middle of a job."""
    child = cluster.workers[worker]
    for _ in range(200):
        child.send(signal.SIGSTOP)
        if cluster.sql("SELECT count(*) FROM jobs WHERE state = 'running' AND lease_expires_at > now() "
                       f"AND worker LIKE '%:{child.process.pid}'") != "0":
            return
        child.send(signal.SIGCONT)
        time.sleep(0.05)
    raise Failure(f"{child.name} never has a job")


def paused_nodes(seconds):
    """A server and a worker stand still for longer than a job's lease, the worker with a job."""
    def happen(cluster, _):
        stop_at_work(cluster, 0)
        cluster.servers[1].send(signal.SIGSTOP)
        time.sleep(seconds)
        for child in (cluster.servers[1], cluster.workers[0]):
            child.send(signal.SIGCONT)
        time.sleep(4)
    return happen


def killed_server(cluster, _):
    cluster.servers[2].end(signal.SIGKILL)
    time.sleep(4)
    cluster.start_server(2)
    time.sleep(3)


def killed_worker(cluster, _):
    stop_at_work(cluster, 1)
    cluster.workers[1].process.kill()
    cluster.workers[1].process.wait(10)
    time.sleep(6)
    cluster.start_worker(1)
    time.sleep(3)


def readers(cluster):
    """The processes that read uploads now."""
    found = []
    for node in (*cluster.servers.values(), *cluster.workers.values()):
        for process in descendants(node.process.pid)[1:]:
            try:
                if pathlib.Path(f"/proc/{process}/comm").read_text().strip() == "sheet-inspect":
                    found.append(process)
            except OSError:
                pass
    return found


def killed_readers(cluster, _):
    end = time.monotonic() + 6
    while time.monotonic() < end:
        send_all(readers(cluster), signal.SIGKILL)
        time.sleep(1)
    time.sleep(3)


def lagging_replica(cluster, _):
    cluster.sql("SELECT pg_wal_replay_pause()", on="r2")
    time.sleep(7)
    cluster.sql("SELECT pg_wal_replay_resume()", on="r2")
    time.sleep(2)


def lost_replica(cluster, _):
    cluster.databases.running["r1"].end(signal.SIGKILL)
    time.sleep(6)
    cluster.databases.start("r1")
    cluster.databases.wait_for_replicas(2)
    time.sleep(2)


def paused_primary(cluster, _):
    data = cluster.databases
    data.signal(data.primary, signal.SIGSTOP)
    time.sleep(4)
    data.signal(data.primary, signal.SIGCONT)
    time.sleep(4)


def read_only_primary(cluster, _):
    data = cluster.databases
    data.set_on(data.primary, "default_transaction_read_only", "on")
    time.sleep(6)
    data.set_on(data.primary, "default_transaction_read_only", "off")
    time.sleep(4)


def full_primary(cluster, _):
    data = cluster.databases
    if not data.is_mounted:
        raise LeftOut("no file system can be mounted here")
    with cluster.supervised():
        data.fill()
        time.sleep(8)
        data.empty()
        wait_until(lambda: data.answers(data.primary), 60, "the primary is back")
        time.sleep(4)


def killed_primary(cluster, _):
    data = cluster.databases
    with cluster.supervised(pause=2):
        data.running[data.primary].end(signal.SIGKILL)
        time.sleep(8)


def lost_primary(cluster, _):
    """It stands still, is killed, and the replica that has most takes its place."""
    data = cluster.databases
    dead = data.running[data.primary]
    data.signal(data.primary, signal.SIGSTOP)
    time.sleep(2)
    data.signal(data.primary, signal.SIGKILL)
    dead.process.wait(20)
    time.sleep(1)
    data.promote()
    data.wait_for_replicas(1)
    time.sleep(8)


def jumping_clock(cluster, _):
    """One server and one worker are an hour ahead, and then an hour late."""
    library, offset = cluster.folder / "jumping_clock.so", cluster.folder / "clock"
    run("cc", "-shared", "-fPIC", "-O1", "-o", library, pathlib.Path(__file__).with_name("jumping_clock.c"), "-ldl")

    def jump(seconds):
        offset.with_suffix(".new").write_text(str(seconds))
        offset.with_suffix(".new").rename(offset)
    jump(0)
    for kind in ("server", "worker"):
        cluster.restart(kind, 0, {"LD_PRELOAD": str(library), "JUMPING_CLOCK": str(offset)})
    for seconds in (3600, -3600, 0):
        time.sleep(2)
        jump(seconds)
        time.sleep(6)
    for kind in ("server", "worker"):
        cluster.restart(kind, 0)
    time.sleep(2)


def out_of_memory(cluster, _):
    """A server and a worker may not use what they need, so that the kernel ends them as often as they start."""
    groups = {name: MemoryGroup(name) for name in ("server-1", "worker-1")}
    try:
        cluster.groups.update(groups_paths(groups))
        for kind in ("server", "worker"):
            cluster.restart(kind, 1)
        time.sleep(5)
        with cluster.supervised(pause=0.5):
            for group in groups.values():
                group.squeeze()
            time.sleep(8)
            for group in groups.values():
                group.limit(None)
            kills = {name: group.kills for name, group in groups.items()}
            print(f"nightly: out of memory: {kills}", file=sys.stderr)
            time.sleep(6)
        if not all(kills.values()):
            raise Failure(f"the kernel ended too few for want of memory: {kills}")
        cluster.groups.clear()
        for kind in ("server", "worker"):
            cluster.restart(kind, 1)
    finally:
        cluster.groups.clear()
        for group in groups.values():
            group.end()


def groups_paths(groups):
    return {name: group.path for name, group in groups.items()}


def kill_everything(cluster, options):
    """`kill -9` of one part after the other, now and then of all at once, which a supervisor starts again."""
    chance = random.Random(options.seed)
    end = time.monotonic() + 60 * options.minutes
    count = 0
    with cluster.supervised(pause=0.5):
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.5, 4))
            names = sorted(child.name for child, _ in cluster.children) + ["reader", "session", "bucket"]
            name, place = chance.choice(names), chance.random()
            everything = chance.random() < 0.03
            count += 1
            for child, _ in cluster.children:
                if everything or child.name == name:
                    child.send(signal.SIGKILL)
            others = {"reader": lambda: readers(cluster), "session": lambda: sessions(cluster),
                      "bucket": cluster.storage.processes}
            found = others[name]() if name in others else []
            if found:
                send_all([found[int(place * len(found))]], signal.SIGKILL)
        for name in databases.NAMES:
            wait_until(lambda: cluster.databases.answers(name), 60, f"database {name} is back")
        cluster.databases.wait_for_replicas(2)
        time.sleep(5)
    print(f"nightly: {count} times something was killed; again with --seed {options.seed}", file=sys.stderr)


def sessions(cluster):
    """Processes of the primary, of which one that dies takes all with it."""
    return descendants(cluster.databases.running[cluster.databases.primary].process.pid)[1:]


FAULTS = [
    Fault("none", calm, is_smooth=True),
    Fault("rolling restart of the servers", rolling_restart, is_smooth=True),
    Fault("a server and a worker (with a job) stopped for 9 s", paused_nodes(9)),
    Fault("the same for a minute", paused_nodes(61)),
    Fault("a server killed", killed_server),
    Fault("a worker killed with a job", killed_worker),
    Fault("readers killed for 6 s", killed_readers),
    Fault("a server and a worker out of memory for 8 s", out_of_memory),
    Fault("clock of a server and a worker 1 h ahead, then late", jumping_clock),
    Fault("a replica lags by 7 s", lagging_replica),
    Fault("a replica killed, back after 6 s", lost_replica),
    Fault("primary stopped for 4 s", paused_primary),
    Fault("primary read-only for 6 s", read_only_primary),
    Fault("primary's disk full for 8 s", full_primary),
    Fault("primary killed, back after 2 s", killed_primary),
]
LAST = [
    Fault("kill -9 of everything at random", kill_everything),
    Fault("primary stopped for 2 s and killed, a replica promoted 1 s later", lost_primary),
]
