#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""suite.py CLIENT FOLDER: the TUF project's tuf-conformance, of which FOLDER is a copy, against our client.

CLIENT is `trust-conformance`. The suite's repositories are signed with ECDSA keys unless a case says otherwise; here with
Ed25519, the kind that our client reads. Instead of faketime(1), under which programs in Swift do not get their arguments,
the client's own `--time` sets its clock. Prints how many cases pass. What does not pass is listed below with the reason,
and must go on failing.
"""
import os, pathlib, sys, tempfile

import pytest

OTHER_KEYS = "keys of other kinds than Ed25519 are not read"
DEVIATIONS = {
    "test_keytype_and_scheme[ecdsa/ecdsa-sha2-nistp256]": OTHER_KEYS,
    "test_keytype_and_scheme[rsa/rsassa-pss-sha256]": OTHER_KEYS,
    "test_static_repository[sigstore-root-signing]": OTHER_KEYS,
    "test_static_repository[tuf-on-ci-0.11]": OTHER_KEYS,
}
FAKETIME = f"""#!{sys.executable}
import datetime, os, sys
time = datetime.datetime.fromisoformat(sys.argv[1]).timestamp()
os.execv(sys.argv[2], [sys.argv[2], "--time", str(time), *sys.argv[3:]])
"""


class Results:
    """What came of each case."""

    def __init__(self):
        self.passed, self.failed = set(), {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("::", 1)[1]
        if report.failed:
            self.failed[name] = report.longreprtext
        elif report.when == "call" and report.passed:
            self.passed.add(name)


program, folder = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
os.chdir(folder)
sys.path.insert(0, os.getcwd())
sys.dont_write_bytecode = True
from tuf_conformance._internal.repository_simulator import RepositorySimulator

assert RepositorySimulator.new_signer.__defaults__ == ("ecdsa", "ecdsa-sha2-nistp256")
RepositorySimulator.new_signer.__defaults__ = ("ed25519", "ed25519")
with tempfile.TemporaryDirectory(prefix="suite-") as scratch:
    tool = pathlib.Path(scratch, "faketime")
    tool.write_text(FAKETIME)
    tool.chmod(0o755)
    os.environ["PATH"] = f"{scratch}{os.pathsep}{os.environ['PATH']}"
    results = Results()
    pytest.main(["tuf_conformance", "--quiet", "--no-summary", "--tb=short", "-p", "no:cacheprovider", "--entrypoint",
                 program], plugins=[results])
count = len(results.passed) + len(results.failed)
expected = {name for name in DEVIATIONS if name in results.passed or name in results.failed}
wrong = sorted(set(results.failed) ^ expected)
for name in wrong:
    print(f"{name}: {results.failed.get(name, 'passes, though it is listed as one that does not')}", file=sys.stderr)
for name in sorted(set(results.failed) & expected):
    print(f"{name}: {DEVIATIONS[name]}")
print(f"{len(results.passed)} of {count} cases of tuf-conformance pass")
sys.exit(1 if wrong or not count else 0)
