"""Why the source's checker and our evaluator part on one row: computed, never read from the row's label.

A row that the source accepts and we do not is judged again with one of the source's rules applied to both sides; a row
that we accept and it does not, with one of its rules added. The first rule that makes the verdicts meet is the cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

from msgspec.structs import replace

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call
from fcbench.core.names import JsonObject, ToolName
from fcbench.evaluator import judge
from fcbench.suites.bfcl import PairRow, source_to_case
from fcbench.suites.bfcl.source_rules import (
    Change,
    changed_attempt,
    changed_case,
    code_points,
    folded,
    refuses_number,
    same_case,
    truth_as_number,
    with_types_only,
)
from fcbench.suites.bfcl.types import parameters_of

Cause = Literal[
    "letter_case",
    "punctuation",
    "truth_as_number",
    "omission_mark",
    "merged_calls",
    "number_form",
    "code_points",
    "greedy",
    "unexplained",
]
CHANGES: dict[Cause, tuple[Change, ...]] = {
    "letter_case": (same_case,),
    "punctuation": (folded,),
    "truth_as_number": (truth_as_number,),
}
"""Rules that accept more, in the order in which they are tried; then their combinations."""
MAX_PAIRS = 4096
"""Pairs of an expected and an observed call that are judged alone to explain one row; the shared pairs need 36."""
Contracts = Mapping[ToolName, ToolContract]
Table = list[list[bool]]
"""Whether an expected call (row) is satisfied by an observed one (column)."""


def passes(case: Case, attempt: Attempt, contracts: Contracts) -> bool:
    """Our verdict at the tier that compares with a checker of single calls."""
    return judge(case, attempt, contracts, "contract", "native-function-contract").passed


def causes(row: PairRow, case: Case, attempt: Attempt, contracts: Contracts, ours: bool) -> tuple[Cause, ...]:
    """What explains that the two verdicts differ, one cause or several that only together explain it.

    Args:
        row: the pair.
        case: its case.
        attempt: its attempt.
        contracts: the contracts that the case offers.
        ours: our verdict; the source's is the other one.
    """
    if case.oracle.decision != "call":
        return ("unexplained",)
    return _why_stricter(row, case, attempt, contracts) if not ours else _why_looser(row, case, attempt, contracts)


def _why_stricter(row: PairRow, case: Case, attempt: Attempt, contracts: Contracts) -> tuple[Cause, ...]:
    """We refuse what the source accepts."""
    loose = {name: replace(each, parameters={"type": "object"}) for name, each in contracts.items()}
    if any(len(entry) > 1 for entry in row.calls or ()):
        return ("merged_calls",)
    if passes(case, attempt, loose):
        # The schema alone stands between the two: a fault of the mapping, which leaves out what an answer breaks.
        return ("unexplained",)
    marked, _ = source_to_case(with_types_only(row.source))
    for size in (1, 2, 3):
        for names in combinations(("omission_mark", *CHANGES), size):
            chosen, tried = marked if "omission_mark" in names else case, attempt
            for name in names:
                for change in CHANGES.get(name, ()):
                    chosen, tried = changed_case(chosen, change), changed_attempt(tried, change)
            if passes(chosen, tried, loose):
                return names
    return ("unexplained",)


def _why_looser(row: PairRow, case: Case, attempt: Attempt, contracts: Contracts) -> tuple[Cause, ...]:
    """We accept what the source refuses."""
    if len(case.oracle.calls) * len(attempt.calls) > MAX_PAIRS:
        return ("unexplained",)
    ours = _table(case, attempt, contracts)
    exact = _table(changed_case(case, code_points), changed_attempt(attempt, code_points), contracts)
    numbers = _numbers_fit(row, case, attempt)
    if not _pairs_up(_both(ours, numbers)):
        return ("number_form",)
    if not _pairs_up(_both(ours, exact)):
        return ("code_points",)
    if not _pairs_up(_both(_both(ours, exact), numbers)):
        return ("number_form", "code_points")
    alike = _table(changed_case(case, folded), changed_attempt(attempt, folded), contracts)
    if not _taken_in_turn(_both(_both(alike, exact), numbers)):
        return ("greedy",)
    return ("unexplained",)


def _table(case: Case, attempt: Attempt, contracts: Contracts) -> Table:
    return [
        [passes(_with_step(case, step), _with_calls(attempt, (call,)), contracts) for call in attempt.calls]
        for step in case.oracle.calls
    ]


def _with_step(case: Case, step: ExpectedCall) -> Case:
    return replace(case, oracle=replace(case.oracle, calls=(step,)))


def _with_calls(attempt: Attempt, calls: Sequence[Call]) -> Attempt:
    first = attempt.rounds[0]
    return replace(attempt, rounds=(replace(first, calls=tuple(calls)),))


def _numbers_fit(row: PairRow, case: Case, attempt: Attempt) -> Table:
    """Whether the source takes the numbers of each call as they are written."""
    documents: dict[str, JsonObject] = {}
    for function in row.source.functions:
        documents.setdefault(str(function.get("name")), function)
    answers = [listed for answer in row.source.answers or () for listed in answer.values()]
    table: Table = []
    for step, listed in zip(case.oracle.calls, answers, strict=True):
        parameters = parameters_of(documents[step.tool])
        known = listed if isinstance(listed, dict) else {}
        table.append([not refuses_number(parameters, known, call.arguments or {}) for call in attempt.calls])
    return table


def _both(left: Table, right: Table) -> Table:
    return [[one and other for one, other in zip(*rows, strict=True)] for rows in zip(left, right, strict=True)]


def _pairs_up(table: Table) -> bool:
    """Whether every expected call can have an observed call of its own."""
    owner: dict[int, int] = {}

    def place(step: int, tried: set[int]) -> bool:
        for column in _columns(table[step]):
            if column not in tried:
                tried.add(column)
                if column not in owner or place(owner[column], tried):
                    owner[column] = step
                    return True
        return False

    return all(place(step, set()) for step in range(len(table)))


def _taken_in_turn(table: Table) -> bool:
    """The same, where each expected call takes the first call that is left and satisfies it, as the source does."""
    taken: set[int] = set()
    for row in table:
        column = next((each for each in _columns(row) if each not in taken), None)
        if column is None:
            return False
        taken.add(column)
    return True


def _columns(row: Sequence[bool]) -> Iterator[int]:
    return (column for column, satisfied in enumerate(row) if satisfied)
