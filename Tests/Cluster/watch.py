# SPDX-License-Identifier: Apache-2.0
"""Who says that something is wrong: readiness of each server, and the alerts of deploy/ in a real Prometheus."""
import http.client
import json
import os
import re
import shutil
import threading
import time
import urllib.parse
from collections import Counter

from children import ROOT, Child, free_ports, wait_until
from cluster import SERVERS


class Watch:
    """Minutes of the alerts are seconds here."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.lock = threading.Lock()
        self.failing = Counter()
        self.is_over = threading.Event()
        self.prometheus = None
        self.port = free_ports(1)[0]

    def start(self):
        for number in SERVERS:
            threading.Thread(target=self.ask_readiness, args=(number,), daemon=True).start()
        program = shutil.which("prometheus")
        if program:
            self.start_prometheus(program)

    def start_prometheus(self, program):
        folder = self.cluster.folder
        rules = (ROOT / "deploy/prometheus/sheetmarket.rules.yml").read_text()
        rules = re.sub(r"for: (\d+)m", lambda match: f"for: {min(int(match[1]), 3)}s", rules)
        (folder / "rules.yml").write_text(re.sub(r"\[\d+[mh]\]", "[5s]", rules))
        targets = [f"127.0.0.1:{self.cluster.ports[number]}" for number in SERVERS]
        (folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": ["rules.yml"],
            "scrape_configs": [{"job_name": "sheetmarket", "static_configs": [{"targets": targets}]}]}))
        self.prometheus = Child("prometheus", [
            program, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/metrics",
            f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn"], os.environ, folder)
        wait_until(lambda: self.get(self.port, "/-/ready")[0] == 200, 30, "Prometheus is ready")

    @staticmethod
    def get(port, path, seconds=2):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return None, b""
        finally:
            connection.close()

    def ask_readiness(self, number):
        while not self.is_over.wait(0.5):
            status, body = self.get(self.cluster.ports[number], "/readyz", seconds=7)
            try:
                parts = [part for part, state in json.loads(body)["checks"].items() if state != "ok"]
            except (ValueError, KeyError):
                parts = ["no answer"] if status is None else [str(status)]
            with self.lock:
                self.failing.update(parts)

    def is_well(self):
        return all(self.get(self.cluster.ports[number], "/readyz")[0] == 200 for number in SERVERS)

    def alerts(self, seconds):
        """Those that fired within the last so many seconds."""
        query = f'max by (alertname) (max_over_time(ALERTS{{alertstate="firing"}}[{int(seconds) + 1}s]))'
        status, body = self.get(self.port, "/api/v1/query?" + urllib.parse.urlencode({"query": query}))
        found = json.loads(body)["data"]["result"] if status == 200 else []
        return sorted(one["metric"]["alertname"].removeprefix("Sheetmarket") for one in found)

    def begin(self):
        """Waits until the last fault's alerts are over, for a while."""
        limit = time.monotonic() + 15
        while self.alerts(0) and time.monotonic() < limit:
            time.sleep(0.5)
        with self.lock:
            self.failing.clear()

    def told(self, seconds):
        """What was said since `begin`, which is so long ago."""
        with self.lock:
            ready = sorted(self.failing)
        return ready, self.alerts(seconds)

    def stop(self):
        self.is_over.set()
        if self.prometheus:
            self.prometheus.end()
