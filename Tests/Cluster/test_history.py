#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker finds what it is for: each fault is made in a history that is right, and must be found. Run by `make test`."""
import copy
import unittest

from history import OK, REFUSED, UNKNOWN, Claim, Decision, Final, Read, Release, Set, Write, check

HISTORY = [
    Write("ada", "upload", "u1", 0, 1, OK),
    Write("ada", "upload", "u2", 1, 2, UNKNOWN),
    Write("ada", "upload", "u3", 2, 3, REFUSED),
    Set("noor", "title", 1, 0, 1, OK),
    Read("noor", "title", 1, 1.5, 2),
    Set("noor", "title", 2, 2, 3, OK),
    Read("noor", "title", 2, 3.5, 4),
    Set("noor", "title", 3, 5, 6, UNKNOWN),
    Read("noor", "title", 3, 6.5, 7),
    Claim("c1", "moritz", 0, 1),
    Release("c1", "moritz", 4),
    Claim("c1", "mina", 4.5, 5),
    Release("c1", "mina", 6),
    Decision("c1", "mina", "approve", 6, 7, OK),
    Claim("c2", "moritz", 10, 11),
    # The first claim ran out.
    Claim("c2", "mina", 41, 42),
]
FINAL = Final(
    things={"upload": ["u1", "u2"]}, values={"title": 3}, decisions=[("c1", "approve")],
    counters=[("reviews of t1", 2, 2)])


def found(change=lambda history, final: None):
    history, final = list(HISTORY), copy.deepcopy(FINAL)
    change(history, final)
    return check(history, final, claim_seconds=30)


class Checker(unittest.TestCase):
    def expect(self, text, change):
        wrong = found(change)
        self.assertTrue(any(text in one for one in wrong), f"{text!r} is not among {wrong}")

    def test_nothing_wrong(self):
        self.assertEqual(found(), [])

    def test_unknown_may_be_missing(self):
        self.assertEqual(found(lambda history, final: final.things["upload"].remove("u2")), [])

    def test_lost(self):
        self.expect("u1: acknowledged, and lost", lambda history, final: final.things["upload"].remove("u1"))

    def test_kind_is_gone(self):
        self.expect("u1: acknowledged, and lost", lambda history, final: final.things.clear())

    def test_twice(self):
        self.expect("u1: there 2 times", lambda history, final: final.things["upload"].append("u1"))

    def test_unknown_twice(self):
        self.expect("u2: there 2 times", lambda history, final: final.things["upload"].append("u2"))

    def test_refused_and_there(self):
        self.expect("u3: refused, and there", lambda history, final: final.things["upload"].append("u3"))

    def test_value_went_back(self):
        self.expect("2 was acknowledged, 1 is there", lambda history, final: final.values.update(title=1))

    def test_value_is_gone(self):
        self.expect("2 was acknowledged, None is there", lambda history, final: final.values.clear())

    def test_value_of_nobody(self):
        self.expect("9 is there, which nobody wrote", lambda history, final: final.values.update(title=9))

    def test_read_went_back(self):
        self.expect("read 1 after 2", lambda history, final: history.append(Read("noor", "title", 1, 4.5, 4.8)))

    def test_read_of_unknown_went_back(self):
        self.expect("read 2 after 3", lambda history, final: history.append(Read("noor", "title", 2, 8, 9)))

    def test_read_before_it_was_written(self):
        self.expect("which nobody had written", lambda history, final: history.append(Read("noor", "title", 3, 4.1, 4.2)))

    def test_two_holders(self):
        self.expect("mina got it while moritz held it", lambda history, final: history.append(Claim("c1", "mina", 2, 3)))

    def test_two_holders_after_release_of_another(self):
        self.expect("otto got it while mina", lambda history, final: history.append(Claim("c1", "otto", 5.1, 5.5)))

    def test_holder_before_claim_ran_out(self):
        self.expect("otto got it while moritz", lambda history, final: history.append(Claim("c2", "otto", 20, 21)))

    def test_decided_twice(self):
        self.expect("c1: decided 2 times", lambda history, final: final.decisions.append(("c1", "approve")))

    def test_decided_twice_by_nobody_known(self):
        self.expect("c9: decided 2 times", lambda history, final: final.decisions.extend([("c9", "reject")] * 2))

    def test_decision_is_lost(self):
        self.expect("approve was acknowledged, [] is there", lambda history, final: final.decisions.clear())

    def test_decision_changed(self):
        def change(history, final):
            final.decisions[:] = [("c1", "reject")]
        self.expect("approve was acknowledged, ['reject'] is there", change)

    def test_two_acknowledged(self):
        again = Decision("c1", "moritz", "approve", 8, 9, OK)
        self.expect("2 decisions were acknowledged", lambda history, final: history.append(again))

    def test_counter(self):
        self.expect("2 is stated, 3 is counted", lambda history, final: final.counters.append(("reviews of t2", 2, 3)))


if __name__ == "__main__":
    unittest.main()
