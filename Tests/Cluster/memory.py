# SPDX-License-Identifier: Apache-2.0
"""Control groups that bound memory, of either version, where this process may make some."""
import os
import pathlib
import signal
import time

from children import LeftOut

ROOT = pathlib.Path("/sys/fs/cgroup")


class MemoryGroup:
    def __init__(self, name):
        name = f"sheetmarket-{os.getpid()}-{name}"
        self.is_old = (ROOT / "memory").is_dir()
        self.path = (ROOT / "memory" if self.is_old else ROOT) / name
        try:
            if not self.is_old:
                (ROOT / "cgroup.subtree_control").write_text("+memory")
            self.path.mkdir()
            self.limit(None)
        except OSError as error:
            raise LeftOut(f"no control group for memory can be made here: {error}") from None

    def limit(self, count):
        """The most bytes that whatever is in it may use."""
        if self.is_old:
            (self.path / "memory.limit_in_bytes").write_text(str(count or -1))
        else:
            (self.path / "memory.max").write_text(str(count or "max"))

    def squeeze(self):
        """Leaves less room than there are bytes that cannot be had back. Old groups take no limit below what is used: there
        it holds from the next start on."""
        room = self.counts("memory.stat")["rss" if self.is_old else "anon"] * 6 // 10
        try:
            self.limit(room)
        except OSError:
            for process in (self.path / "cgroup.procs").read_text().split():
                os.kill(int(process), signal.SIGKILL)
            time.sleep(0.2)
            self.limit(room)

    @property
    def kills(self):
        return self.counts("memory.oom_control" if self.is_old else "memory.events")["oom_kill"]

    def counts(self, file):
        lines = (self.path / file).read_text().splitlines()
        return {name: int(value) for name, value in (line.split() for line in lines)}

    def end(self):
        try:
            self.path.rmdir()
        except OSError:
            pass
