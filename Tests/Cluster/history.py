# SPDX-License-Identifier: Apache-2.0
"""What clients of a market saw, held against what is there at the end.

A history is a list of events: what one client did, when, and what it was told. Times are seconds of one clock; `start` is
before the request went out, `end` after the answer was there. An event is one of

  Write(client, kind, key, start, end, outcome)                  something new; `key` occurs once
  Set(client, name, value, start, end, outcome)                  a value of a thing with one writer; values only grow
  Read(client, name, value, start, end)                          of such a thing, by its writer, from where it had written
  Claim(case, client, start, end)                                granted
  Release(case, client, start)                                   given back, or decided
  Decision(case, client, decision, start, end, outcome)

where the outcome is OK (acknowledged), REFUSED (told that it was not done) or UNKNOWN (an error, or no answer).

`check` returns what is wrong, as texts: nothing, where every acknowledged write is there, once; no write is there twice, or
that was refused; what is read never goes back behind what was acknowledged or read before; a case has one holder at a time; a
case is decided once, and as it was acknowledged; and each counter says what is counted.
"""
from collections import Counter, defaultdict
from dataclasses import dataclass

OK, REFUSED, UNKNOWN = "ok", "refused", "unknown"


@dataclass(frozen=True)
class Write:
    client: str
    kind: str
    key: str
    start: float
    end: float
    outcome: str


@dataclass(frozen=True)
class Set:
    client: str
    name: str
    value: int
    start: float
    end: float
    outcome: str


@dataclass(frozen=True)
class Read:
    client: str
    name: str
    value: int
    start: float
    end: float


@dataclass(frozen=True)
class Claim:
    case: str
    client: str
    start: float
    end: float


@dataclass(frozen=True)
class Release:
    case: str
    client: str
    start: float


@dataclass(frozen=True)
class Decision:
    case: str
    client: str
    decision: str
    start: float
    end: float
    outcome: str


@dataclass
class Final:
    """What is there at the end."""
    # kind -> every key that is there, as often as it is.
    things: dict
    # name -> value.
    values: dict
    # (case, decision), as often as it is.
    decisions: list
    # (what, stated, counted).
    counters: list


def check(history, final, claim_seconds):
    """What is wrong."""
    def of(kind):
        return [event for event in history if type(event) is kind]

    return (check_writes(of(Write), final) + check_sets(of(Set), final) + check_reads(of(Set), of(Read))
            + check_claims(of(Claim), of(Release), claim_seconds) + check_decisions(of(Decision), final)
            + [f"{what}: {stated} is stated, {counted} is counted"
               for what, stated, counted in final.counters if stated != counted])


def check_writes(writes, final):
    wrong = []
    counts = {kind: Counter(keys) for kind, keys in final.things.items()}
    for write in writes:
        count = counts.get(write.kind, Counter())[write.key]
        if write.outcome == OK and count == 0:
            wrong.append(f"{write.kind} {write.key}: acknowledged, and lost")
        if write.outcome == REFUSED and count > 0:
            wrong.append(f"{write.kind} {write.key}: refused, and there")
        if count > 1:
            wrong.append(f"{write.kind} {write.key}: there {count} times")
    return wrong


def check_sets(sets, final):
    wrong = []
    for name, ours in by(sets, "name").items():
        acknowledged = max((one.value for one in ours if one.outcome == OK), default=None)
        # Whoever knows nothing of a change has not made a later one.
        possible = {one.value for one in ours if one.outcome == UNKNOWN} | {acknowledged}
        value = final.values.get(name)
        if acknowledged is not None and (value is None or value < acknowledged):
            wrong.append(f"{name}: {acknowledged} was acknowledged, {value} is there")
        elif acknowledged is not None and value not in possible:
            wrong.append(f"{name}: {value} is there, which nobody wrote last")
    return wrong


def check_reads(sets, reads):
    wrong = []
    for name, ours in by(reads, "name").items():
        writes = [one for one in sets if one.name == name]
        before = None
        for read in sorted(ours, key=lambda one: one.start):
            known = max((one.value for one in writes if one.outcome == OK and one.end <= read.start), default=None)
            if known is not None and read.value < known:
                wrong.append(f"{name}: {read.client} read {read.value} after {known} was acknowledged")
            if before is not None and read.start >= before.end and read.value < before.value:
                wrong.append(f"{name}: {read.client} read {read.value} after {before.value}")
            if not any(one.value == read.value and one.start <= read.end for one in writes):
                wrong.append(f"{name}: {read.client} read {read.value}, which nobody had written")
            before = read
    return wrong


def check_claims(claims, releases, claim_seconds):
    wrong = []
    for case, ours in by(claims, "case").items():
        for one in ours:
            # The holder has it for certain from the answer on, until it was given back or its time may have run out.
            given = [release.start for release in releases
                     if release.case == case and release.client == one.client and release.start >= one.start]
            until = min(given + [one.start + claim_seconds])
            for other in ours:
                if other.client != one.client and other.start >= one.end and other.end < until:
                    wrong.append(f"case {case}: {other.client} got it while {one.client} held it")
    return wrong


def check_decisions(decisions, final):
    wrong = []
    there = defaultdict(list)
    for case, decision in final.decisions:
        there[case].append(decision)
    for case, kinds in there.items():
        if len(kinds) > 1:
            wrong.append(f"case {case}: decided {len(kinds)} times")
    for case, ours in by(decisions, "case").items():
        acknowledged = [one for one in ours if one.outcome == OK]
        if len(acknowledged) > 1:
            wrong.append(f"case {case}: {len(acknowledged)} decisions were acknowledged")
        for one in acknowledged:
            if there[case] != [one.decision]:
                wrong.append(f"case {case}: {one.decision} was acknowledged, {there[case]} is there")
    return wrong


def by(events, field):
    groups = defaultdict(list)
    for event in events:
        groups[getattr(event, field)].append(event)
    return groups
