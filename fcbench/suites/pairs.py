"""Twins: one situation in two languages, joined by a `pair` label, so that the language alone differs (PROTOCOL 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fcbench.core.canonical import canonical_text
from fcbench.core.cases import Case
from fcbench.core.names import CaseId
from fcbench.core.records import to_plain


def pairs_of(cases: Mapping[CaseId, Case]) -> dict[str, tuple[Case, ...]]:
    """Pair label -> the cases that carry it, sorted by id."""
    found: dict[str, list[Case]] = {}
    for case in cases.values():
        if case.oracle.labels.pair is not None:
            found.setdefault(case.oracle.labels.pair, []).append(case)
    return {label: tuple(sorted(members, key=lambda case: case.id)) for label, members in sorted(found.items())}


def broken_pairs(cases: Mapping[CaseId, Case]) -> Iterator[tuple[CaseId, str]]:
    """What keeps two cases of one label from being twins: the case that is named, and the sentence."""
    for label, members in pairs_of(cases).items():
        if len(members) != len({case.suite for case in members}):
            for case in members:
                if sum(other.suite == case.suite for other in members) > 1:
                    yield case.id, f"{case.id}: the pair {label} stands on several cases of one suite"
        elif len(members) == 1:
            yield members[0].id, f"{members[0].id}: the pair {label} has no twin in another suite"
        else:
            first, *others = members
            for other in others:
                if other.task.language == first.task.language:
                    yield other.id, f"{other.id}: its twin {first.id} has the same language"
                for part in _differences(first, other):
                    yield other.id, f"{other.id}: {part} is not that of its twin {first.id}"


def _differences(one: Case, other: Case) -> Iterator[str]:
    mine, theirs = one.oracle.labels, other.oracle.labels
    compared: dict[str, tuple[object, object]] = {
        "the decision": (one.oracle.decision, other.oracle.decision),
        "the list of offered tools": (one.task.tools, other.task.tools),
        "the mix": (mine.mix, theirs.mix),
        "the difficulty": (mine.difficulty, theirs.difficulty),
        "what is missing": (mine.missing, theirs.missing),
        "the target": (mine.target, theirs.target),
        "the set of expected calls": (_calls(one), _calls(other)),
    }
    yield from (name for name, (left, right) in compared.items() if left != right)


def _calls(case: Case) -> str:
    runs = (case.oracle.calls, *case.oracle.alternatives)
    return canonical_text([[to_plain(call) for call in run] for run in runs])
