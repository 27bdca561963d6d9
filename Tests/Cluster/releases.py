# SPDX-License-Identifier: Apache-2.0
"""Two releases that follow each other, on one database."""
import time

from cluster import SERVERS
from faults import Fault


def upgrade(cluster, options):
    """The new release's migrations, and then one node after the other, as docs/operations.md has it."""
    new = options.release
    cluster.command("migrate", release=new)
    time.sleep(2)
    cluster.restart("worker", 0, release=new)
    for number in SERVERS:
        cluster.restart("server", number, release=new)
        # Old and new answer side by side.
        time.sleep(3)
    cluster.restart("worker", 1, release=new)
    time.sleep(3)
    cluster.release = new


FAULTS = [Fault("upgrade of all nodes from the previous release", upgrade, market="releases", is_smooth=True)]
