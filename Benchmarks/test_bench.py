#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the programs of `make bench` end with, and what `make bench-trust` counts by, tried on made-up figures and a made-up
market. Run by `make test`."""
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import bench
import clients
import goals
import trust

HERE = pathlib.Path(__file__).resolve().parent
# Figures of drawings that meet every goal.
INK = {"write 50": 1, "read 50": 0.5, "write 10000": 50, "read 10000": 50, "times smaller than exact JSON": 20, "loss": 0.018,
       "export": 1.5, "export one": 0.06}


class Judging(unittest.TestCase):
    def test_a_goal_is_the_most_or_the_least(self):
        self.assertTrue(goals.most(1.3).is_met(1.3) and goals.least(0.4).is_met(0.4))
        self.assertFalse(goals.most(1.3).is_met(1.31) or goals.least(0.4).is_met(0.39))

    def test_what_is_no_figure_meets_none(self):
        for value in (None, float("nan")):
            self.assertFalse(goals.most(1).is_met(value) or goals.least(1).is_met(value))

    def test_a_report_says_what_was_missed(self):
        report = {"list": {"ratio": 0.28}, "middleware": {"mix": {"share": 0.06}}}
        asked = {("list", "ratio"): goals.least(0.35), ("middleware", "mix", "share"): goals.most(0.1), ("ink", "loss"): goals.most(1)}
        self.assertEqual(goals.judge(report, asked), ["list ratio", "ink loss"])
        self.assertEqual(report["goals"]["list ratio"], {"value": 0.28, "limit": 0.35, "least": True, "met": False})
        self.assertTrue(report["goals"]["middleware mix share"]["met"])

    def test_only_what_is_measured_is_held_to_anything(self):
        self.assertEqual(list(bench.asked_goals(["detail", "accel"], None)), [("detail", "ratio")])
        self.assertEqual(bench.asked_goals(["middleware"], ["limits"]), {})
        self.assertEqual(list(bench.asked_goals(["middleware"], None)), [("middleware", "mix", "share")])


class Endings(unittest.TestCase):
    def end(self, program):
        """The status of a program, and what it printed, with `FILE` for a report; that is read, too."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "report.json")
            done = subprocess.run([sys.executable, "-B", "-c", program.replace("FILE", file)], cwd=HERE, text=True, capture_output=True)
            with open(file) as text: report = json.load(text)
        return done.returncode, done.stdout.splitlines(), report

    def bench(self, ink):
        return self.end("import sys, bench\nsys.argv[1:] = ['--only', 'readers,ink', '--json', 'FILE']\n"
                        f"bench.readers = lambda: {{'ready': 1}}\nbench.ink = lambda: {ink}\nsys.exit(bench.main())")

    def test_every_goal_is_met(self):
        status, lines, report = self.bench(INK)
        self.assertEqual((status, lines[-1]), (0, "every goal is met"))
        self.assertTrue(all(goal["met"] for goal in report["goals"].values()))

    def test_a_goal_is_missed(self):
        status, lines, report = self.bench(INK | {"export": 3.5, "loss": 0.03})
        self.assertEqual((status, lines[-1]), (3, "goals missed: ink loss, ink export"))
        self.assertEqual(report["ink"]["export"], 3.5)

    def test_it_could_not_measure(self):
        status, lines, report = self.bench("sys.exit('qpdf ended with 2')")
        # What was measured before is written all the same.
        self.assertEqual((status, lines, report), (1, [], {"readers": {"ready": 1}}))

    def clients(self, measure):
        return self.end("import sys, clients\nsys.argv[1:] = ['--json', 'FILE']\n"
                        f"def measure(options, report):\n    {measure}\nclients.measure = measure\nsys.exit(clients.main())")

    def test_clients_end_likewise(self):
        figures = {part: {} for part, _ in clients.GOALS}
        for part, figure in clients.GOALS: figures[part][figure] = 1
        self.assertEqual(self.clients(f"report.update({figures})")[:2], (0, ["every goal is met"]))
        figures["install"]["ratio"] = 3.8
        self.assertEqual(self.clients(f"report.update({figures})")[:2], (3, ["goals missed: install ratio"]))
        self.assertEqual(self.clients("raise OSError('no market')")[:2], (1, []))


class Signer(http.server.BaseHTTPRequestHandler):
    """A made-up market of 16 bins, which signs nothing, and lists a path from the third question for its timestamp on."""
    protocol_version = "HTTP/1.1"
    path_of_it, asked = "", 0

    def log_message(self, *_):
        pass

    def files(self):
        cls, file = type(self), trust.bin_file(trust.bin_of(self.path_of_it, 16), 16)
        new = cls.asked > 2
        meta = {trust.bin_file(number, 16): {"version": 5} for number in range(16)} | {"targets.json": {"version": 1}}
        if new: meta[file] = {"version": 8}
        version = 8 if new else 6
        targets = {f"other/{number}.pdf": {"length": 1} for number in range(40)} | ({self.path_of_it: {"length": 1}} if new else {})
        return {"timestamp.json": {"signed": {"version": version, "meta": {"snapshot.json": {"version": version}}}},
                f"{version}.snapshot.json": {"signed": {"meta": meta}},
                f"{meta[file]['version']}.{file}": {"signed": {"targets": targets}}}

    def do_GET(self):
        name = self.path.removeprefix("/trust/")
        if name == "timestamp.json": type(self).asked += 1
        found = self.files().get(name)
        body = json.dumps(found, separators=(",", ":")).encode() if found else b"{}"
        tag = f'"{hashlib.sha256(body).hexdigest()}"'
        status = 404 if found is None else 304 if self.headers.get("If-None-Match") == tag else 200
        if status == 304: body = b""
        if self.headers.get("Accept-Encoding") == "gzip": body = gzip.compress(body)
        self.send_response(status)
        self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Learning(unittest.TestCase):
    def setUp(self):
        self.path = "0193c1f0-0000-7000-8000-000000000000/1.0.1.pdf"
        self.file = trust.bin_file(trust.bin_of(self.path, 16), 16)
        handler = type("Handler", (Signer,), {"path_of_it": self.path, "asked": 0})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def test_a_version_is_seen_when_its_bin_names_it(self):
        with trust.Metadata(self.base) as metadata:
            before = trust.Seen.by(metadata)
            self.assertIsNone(trust.Seen.by(metadata, before.tag))
        seen, body = trust.wait_for(self.base, self.path, self.file, before, seconds=20)
        self.assertEqual((before.version, seen.version, seen.rewritten(before)), (6, 8, 1))
        self.assertEqual(seen.name(self.file), f"8.{self.file}")
        slopes = trust.slopes(seen, body)
        self.assertAlmostEqual(slopes["bin bytes"], len('"bin-0.json":{"version":5},'), delta=0.2)
        counter = clients.Counter(self.base)
        plain = trust.learn(counter, 1, before, seen, self.file)
        packed = trust.learn(counter, 1, before, seen, self.file, Accept_Encoding="gzip")
        # Four answers with their heads.
        self.assertTrue(seen.bytes + len(body) < plain < seen.bytes + len(body) + 4 * 300, plain)
        self.assertLess(packed, plain)

    def test_one_that_never_comes_is_told_of(self):
        with trust.Metadata(self.base) as metadata: before = trust.Seen.by(metadata)
        with self.assertRaisesRegex(SystemExit, "not signed"):
            trust.wait_for(self.base, "another.pdf", self.file, before, seconds=0.3)

    def test_what_is_not_there_ends_the_program(self):
        with trust.Metadata(self.base) as metadata, self.assertRaisesRegex(SystemExit, "404"):
            metadata.get("9.root.json")

    def test_new_targets_are_waited_for(self):
        market = type("Market", (), {"base": self.base})
        self.assertEqual(trust.targets_in_force(market), 1)
        trust.wait_for_targets(market, 0)


class Bins(unittest.TestCase):
    def test_names_and_places_are_the_products(self):
        self.assertEqual([trust.bin_file(5, 16), trust.bin_file(5, 64), trust.bin_file(1023, 1024)],
                         ["bin-5.json", "bin-05.json", "bin-3ff.json"])
        start = int(hashlib.sha256(b"path").hexdigest()[:4], 16)
        for power in range(4, 15):
            self.assertEqual(trust.bin_of("path", 1 << power), start >> (16 - power))

    def test_the_best_number_of_bins_is_about_the_root_of_the_files(self):
        self.assertEqual(trust.best_bins(1_000, 36, 263)[0], 64)
        self.assertEqual(trust.best_bins(100_000, 36, 263)[0], 1_024)
        self.assertEqual(trust.best_bins(1_000_000, 36, 263)[0], 2_048)

    def test_slugs_are_of_names(self):
        self.assertEqual(trust.long_slug(7, "Mörk Borg  Sheet!"), "m-rk-borg-sheet-7")
        self.assertLessEqual(len(trust.long_slug(999_999, "x" * 100)), 64)

    def test_figures_are_lines_of_the_page(self):
        row = {"bins": 64, "files": 1_000, "plain": 8_123.0, "gzip": 3_012.0, "seconds": 2.51, "most seconds": 5.4, "signing": 0.123,
               "signed anew": 1.26}
        self.assertEqual(list(trust.table([row]))[-1], "| 64 | 1,000 | 8 kB | 3 kB | 2.5, 5.4 s | 0.12 s | 1.3 s |")


if __name__ == "__main__":
    unittest.main()
