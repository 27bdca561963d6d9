# SPDX-License-Identifier: Apache-2.0
"""Breaks a market's data on purpose, once its clients are gone: whoever looks for faults must find each of these."""
import re

# What is broken, by what, and which pattern must be among the findings.
BREAKS = [
    ("a review is lost", "DELETE FROM reviews WHERE ctid = (SELECT max(ctid) FROM reviews)", r"^review .*: acknowledged, and lost"),
    ("a change is undone", "UPDATE member_collections SET title = 'editor0 -1' WHERE title LIKE 'editor0 %'",
     "was acknowledged, -1 is there"),
    ("an upload is there twice",
     "UPDATE templates SET name = (SELECT max(name) FROM templates) WHERE name = (SELECT min(name) FROM templates)",
     "there 2 times"),
    ("a decision is another one", "UPDATE decisions SET decision = CASE decision WHEN 'approve' THEN 'reject' ELSE 'approve' END "
     "WHERE ctid = (SELECT max(ctid) FROM decisions)", r"acknowledged, \['\w+'\] is there"),
    ("an entry of the audit log is lost", "DELETE FROM audit_entries WHERE action = 'case.decided' AND ctid = "
     "(SELECT max(ctid) FROM audit_entries WHERE action = 'case.decided')", "audit log"),
]


def sabotage(cluster):
    for _, statement, _ in BREAKS:
        cluster.sql(f"SET session_replication_role = replica; {statement}")


def overlooked(findings):
    """What was broken and not found."""
    return [what for what, _, words in BREAKS if not any(re.search(words, one) for one in findings)]
