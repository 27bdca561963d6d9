#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `make bench-load` and `make bench-soak` count by, tried on made-up servers and samples. Run by `make test`."""
import random
import socket
import threading
import unittest

import paths
from histogram import Histogram, bucket, highest
from knee import find_knee
from openloop import AnswerReader, Crowd, Request
from samples import Verdict

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Histograms(unittest.TestCase):
    def test_buckets_are_narrow_and_in_order(self):
        for value in [*range(3000), *(random.Random(1).randrange(10 ** 9) for _ in range(3000))]:
            most = highest(bucket(value))
            self.assertLessEqual(value, most)
            self.assertLessEqual(most - value, value // 128)
            self.assertEqual(bucket(most + 1), bucket(most) + 1)

    def test_percentiles(self):
        one, other = Histogram(), Histogram()
        for number in range(1, 1001):
            (one if number % 3 else other).add(number / 1000)
        one.merge(other)
        for share, milliseconds in ((0.5, 500), (0.99, 990), (0.999, 999), (1, 1000)):
            self.assertAlmostEqual(one.percentile(share), milliseconds, delta=milliseconds * 0.008)
        self.assertEqual(one.count, 1000)


class Answers(unittest.TestCase):
    def expect(self, data, body):
        for place in range(1, len(data)):
            reader = AnswerReader()
            self.assertIsNone(reader.take(data[:place]))
            answer = reader.take(data[place:])
            self.assertEqual((answer.status, answer.body), (200, body))

    def test_length(self):
        self.expect(HELLO, b"hello")

    def test_chunks(self):
        self.expect(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", b"hello")

    def test_none(self):
        self.assertEqual(AnswerReader().take(b"HTTP/1.1 204 No Content\r\n\r\n").status, 204)


class Clock:
    """Goes on by a millisecond whenever it is looked at."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.001
        return self.now


class Stub:
    """Answers each request with the same bytes, or never."""

    def __init__(self, data):
        self.data = data
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        connections = []
        while True:
            try:
                connections.append(self.listener.accept()[0])
            except OSError:
                return
            if self.data:
                threading.Thread(target=self.answer, args=connections[-1:], daemon=True).start()

    def answer(self, connection):
        while connection.recv(65536):
            connection.sendall(self.data)


def visit():
    first = yield Request("first", "GET", "/first")
    if first.body == b"hello":
        yield Request("second", "GET", "/second")


class Visits(unittest.TestCase):
    def crowd(self, data, clock=Clock):
        stub = Stub(data)
        self.addCleanup(stub.listener.close)
        return Crowd(stub.address, visit, is_secure=False, clock=clock())

    def test_time_begins_when_it_was_due(self):
        crowd = self.crowd(HELLO)
        crowd.begin(crowd.clock() - 5)
        while crowd.open:
            crowd.wait(0.1)
        self.assertGreaterEqual(crowd.figures.kinds["first"].most, 5)
        # What follows is due when it can be asked.
        self.assertLess(crowd.figures.kinds["second"].most, 5)
        self.assertEqual((crowd.figures.visits, crowd.figures.asked, crowd.figures.good), (1, 2, 2))

    def test_nobody_waits_for_others(self):
        crowd = self.crowd(b"")
        crowd.wait = lambda seconds: None
        figures = crowd.run(100, 4, grace=0)
        self.assertGreater(figures.visits, 300)
        self.assertEqual(figures.good, 0)
        # Those that were never answered are no faster for that.
        self.assertEqual(figures.all.count, figures.visits)
        self.assertGreater(figures.all.percentile(0.5), 1000)
        self.assertEqual(figures.failed, {"first: no answer in time": figures.visits})

    def test_refusals_are_not_served(self):
        crowd = self.crowd(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
        crowd.begin(crowd.clock())
        while crowd.open:
            crowd.wait(0.1)
        self.assertEqual((crowd.figures.asked, crowd.figures.good), (1, 0))
        self.assertEqual(crowd.figures.failed, {"first: 503": 1})


class Knee(unittest.TestCase):
    class Step:
        def __init__(self, rate, capacity):
            self.rate, self.capacity = rate, capacity

        def holds(self, bound):
            return self.rate <= self.capacity

    def test_between_two_rates(self):
        steps, knee = find_knee(lambda rate: self.Step(rate, 180), 100, 250)
        self.assertEqual([step.rate for step in steps], [100, 150, 225, 187.5, 168.75])
        self.assertEqual(knee.rate, 168.75)

    def test_none(self):
        steps, knee = find_knee(lambda rate: self.Step(rate, 50), 100, 250)
        self.assertEqual((len(steps), knee), (1, None))


def samples(minutes=120, memory=lambda minute: 100, latency=lambda minute: 0.01, rows=lambda minute: 1000,
            size=lambda minute: 10):
    """Of a market in which nothing grows but what is said; `memory` and `size` in MB."""
    found = []
    for minute in range(minutes):
        times = Histogram()
        for number in range(100):
            times.add(latency(minute) * (1 + number / 100))
        found.append({
            "at": minute * 60.0, "asked": 100, "kinds": {"detail": times}, "failed": {}, "others": 0, "exact": True,
            "parts": {"servers": {"bytes": memory(minute) << 20, "files": 40}},
            "tables": {"reviews": {"bytes": size(minute) << 20, "rows": rows(minute), "dead": 0}}})
    return found


class Verdicts(unittest.TestCase):
    def wrong(self, **more):
        verdict = Verdict(samples(**more))
        self.assertIn("verdict: ", verdict.judge())
        return "; ".join(verdict.wrong)

    def test_flat(self):
        self.assertEqual(self.wrong(), "")

    def test_memory_that_settles(self):
        self.assertEqual(self.wrong(memory=lambda minute: min(100, 60 + minute * 4)), "")

    def test_memory_that_grows(self):
        self.assertIn("memory of servers grows by 60.0 MB an hour", self.wrong(memory=lambda minute: 100 + minute))

    def test_slower(self):
        self.assertIn("p99 rose", self.wrong(latency=lambda minute: 0.01 + minute / 2000))

    def test_table_that_grows_with_its_rows(self):
        self.assertEqual(self.wrong(rows=lambda minute: 1000 + 100 * minute, size=lambda minute: 10 + minute), "")

    def test_table_that_grows_without(self):
        self.assertIn("reviews grew by 119 MB for 0 rows", self.wrong(size=lambda minute: 10 + minute))


if __name__ == "__main__":
    unittest.main()
