# SPDX-License-Identifier: Apache-2.0
"""What figures are held to, and what a benchmark ends with: 0 when every goal is met, MISSED when one is not, and 1, as Python
itself ends with an error, when it could not measure. So a script can tell a slow machine from a broken program."""
import dataclasses

MISSED = 3


@dataclasses.dataclass(frozen=True)
class Goal:
    """The most that a figure may be, or the least."""
    limit: float
    is_least: bool = False

    def is_met(self, value):
        """What was not measured, or is no number, meets no goal."""
        return value is not None and (value >= self.limit if self.is_least else value <= self.limit)


def most(limit):
    return Goal(limit)


def least(limit):
    return Goal(limit, is_least=True)


def figure(report, path):
    """The figure at that path of names; `None` where there is none."""
    for name in path:
        if not isinstance(report, dict): return None
        report = report.get(name)
    return report


def judge(report, goals):
    """Adds to the report which goals, by their paths in it, were met; answers the names of those that were not."""
    report["goals"] = {}
    for path, goal in goals.items():
        value = figure(report, path)
        report["goals"][" ".join(path)] = dict(value=value, limit=goal.limit, least=goal.is_least, met=goal.is_met(value))
    return [name for name, goal in report["goals"].items() if not goal["met"]]


def conclude(missed):
    """Prints the last line; answers the status to end with. To be called when everything else is printed and written."""
    print(f"goals missed: {', '.join(missed)}" if missed else "every goal is met", flush=True)
    return MISSED if missed else 0
