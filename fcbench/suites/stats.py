"""What a suite is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import median

from fcbench.core.cases import Case
from fcbench.core.records import Record
from fcbench.suites.model import Suites
from fcbench.suites.targets import word_count


class Composition(Record, frozen=True, kw_only=True):
    """Counts over the cases of one suite; each case counts once in every part but `traps`, `tools` and `calls`."""

    suite: str
    cases: int
    decisions: dict[str, int]
    categories: dict[str, int]
    mix: dict[str, int]
    levels: dict[str, int]
    """Level of the target schema; `none` for cases without one."""
    exercised_levels: dict[str, int]
    difficulty: dict[str, int]
    traps: dict[str, int]
    """A case counts for each of its traps."""
    tools: dict[str, int]
    """A case counts once for each tool that its golden run calls."""
    mix_by_level: dict[str, dict[str, int]]
    """Level -> mix -> cases."""
    traps_by_level: dict[str, dict[str, int]]
    """Trap -> level -> cases; a case counts for each of its traps."""
    mix_by_tool: dict[str, dict[str, int]]
    """Target tool -> mix -> cases: the expected tool, or the one that a case without calls names as its target."""
    words: dict[str, int]
    """`least`, `median` and `most` words of an instruction."""
    calls: dict[str, int]
    """Number of expected calls -> cases whose decision is `call`."""


def stats(suites: Suites) -> dict[str, Composition]:
    """The composition of every suite, by name."""
    return {name: composition(name, suites.of_suite(name)) for name in suites.suites}


def composition(name: str, cases: Iterable[Case]) -> Composition:
    """The composition of any set of cases."""
    members = list(cases)
    labels = [case.oracle.labels for case in members]
    called = [case for case in members if case.oracle.decision == "call"]
    return Composition(
        suite=name,
        cases=len(members),
        decisions=_counts(case.oracle.decision for case in members),
        categories=_counts(each.category for each in labels),
        mix=_counts(each.mix for each in labels),
        levels=_counts(each.level or "none" for each in labels),
        exercised_levels=_counts(each.exercised_level or "none" for each in labels),
        difficulty=_counts(each.difficulty for each in labels),
        traps=_counts(trap for each in labels for trap in each.traps),
        tools=_counts(tool for case in called for tool in {call.tool for call in case.oracle.calls}),
        mix_by_level=_cross((each.level or "none", each.mix) for each in labels),
        traps_by_level=_cross((trap, each.level or "none") for each in labels for trap in each.traps),
        mix_by_tool=_cross((tool, case.oracle.labels.mix) for case in members for tool in _targets(case)),
        words=_spread([word_count(case.task.instruction) for case in members]),
        calls=_counts(str(len(case.oracle.calls)) for case in called),
    )


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _targets(case: Case) -> set[str]:
    called: set[str] = {call.tool for call in case.oracle.calls}
    return called or ({case.oracle.labels.target} if case.oracle.labels.target else set())


def _cross(values: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    table: dict[str, list[str]] = {}
    for row, column in values:
        table.setdefault(row, []).append(column)
    return {row: _counts(columns) for row, columns in sorted(table.items())}


def _spread(words: list[int]) -> dict[str, int]:
    return {"least": min(words), "median": int(median(words)), "most": max(words)} if words else {}
