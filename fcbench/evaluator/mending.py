"""Would pass if: the smallest set of changes after which the evaluator passes an attempt that it failed.

The changes lead towards a golden run. The evaluator judges the attempt with all of them; then each is taken back in
turn, and stays away where the attempt passes without it. So every change that is left is needed, and the set was
judged exactly as it is given. Of several golden runs the one with the fewest changes counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from fcbench.core.cases import ExpectedCall
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE
from fcbench.core.records import Record
from fcbench.core.verdicts import Verdict
from fcbench.errors import BadInputError
from fcbench.evaluator.golden import golden_attempt
from fcbench.evaluator.judge import judge, passes
from fcbench.evaluator.mend_apply import OF_CALLS, Bench, applied
from fcbench.evaluator.mend_edits import MAX_EDITS, Edit, Sides, call_edits, drop, sides

MAX_RUNS: Final = 4
"""Golden runs that are tried."""


class Mending(Record, frozen=True, kw_only=True):
    """Changes that turn a failed attempt into one that passes; the evaluator said so of exactly these."""

    edits: tuple[Edit, ...]
    takes_results_for_granted: bool
    """Whether a changed call would have had to be run: the tools are not, so its answer is assumed."""


def would_pass_if(bench: Bench, attempt: Attempt, verdict: Verdict) -> Mending | None:
    """The smallest set of changes after which an attempt passes at the tier of its verdict.

    Args:
        bench: the case, contracts by the names that the model sees, and the harness of the evidence.
        attempt: the evidence.
        verdict: what the evaluator says of it.

    Returns:
        None where it passed, was not judged, or no change was found that the evaluator accepts.
    """
    if verdict.passed or attempt.outcome not in SCORABLE:
        return None
    if bench.case.task.single_call:
        attempt = replace(attempt, rounds=attempt.rounds[:1])
    oracle = bench.case.oracle
    found: list[Mending] = []
    if oracle.decision == "call":
        for number, run in enumerate((oracle.calls, *oracle.alternatives)[:MAX_RUNS]):
            own = verdict if not oracle.alternatives else _by_run(bench, attempt, verdict, run)
            mended = _towards(bench, attempt, own, run) or _whole_run(bench, verdict, number)
            if mended is not None:
                found.append(mended)
    else:
        mended = _restrained(bench, attempt, verdict) or _whole_run(bench, verdict, 0)
        found += [mended] if mended is not None else []
    return min(found, key=_size, default=None)


def _size(mending: Mending) -> tuple[bool, int]:
    return any(edit.kind == "golden_run" for edit in mending.edits), len(mending.edits)


def _by_run(bench: Bench, attempt: Attempt, verdict: Verdict, run: tuple[ExpectedCall, ...]) -> Verdict:
    """The verdict by one golden run alone: it says which call stands for which of its steps."""
    oracle = replace(bench.case.oracle, calls=run, alternatives=())
    case = replace(bench.case, oracle=oracle)
    try:
        return judge(case, attempt, bench.contracts, bench.harness, verdict.tier)
    except BadInputError:
        return verdict


def _towards(bench: Bench, attempt: Attempt, verdict: Verdict, run: tuple[ExpectedCall, ...]) -> Mending | None:
    both = sides(attempt, run, verdict)
    every = call_edits(both)
    if len(every) > MAX_EDITS:
        return None
    blamed = [edit for edit, is_blamed in every if is_blamed]
    for edits in (blamed, [edit for edit, _ in every]):
        if edits and _passes(bench, both, edits):
            return _smallest(bench, both, edits)
    return None


def _restrained(bench: Bench, attempt: Attempt, verdict: Verdict) -> Mending | None:
    """Where no call is due: without the calls that are too many, and with a text where one is asked for."""
    both = sides(attempt, (), verdict)
    edits = [drop(attempt, index, call) for index, call in enumerate(attempt.calls)]
    if attempt.outcome == "timeout":
        edits.append(Edit(kind="in_time"))
    if bench.case.oracle.decision == "ask":
        edits.append(Edit(kind="reply_in_text"))
    if len(edits) > MAX_EDITS or not edits or not _passes(bench, both, edits):
        return None
    return _smallest(bench, both, edits)


def _smallest(bench: Bench, both: Sides, edits: Sequence[Edit]) -> Mending:
    """Take back every change without which the attempt passes as well, the last first."""
    kept = list(edits)
    for edit in reversed(edits):
        fewer = [one for one in kept if one is not edit]
        if fewer and _passes(bench, both, fewer):
            kept = fewer
    granted = bench.harness == "workbench" and any(edit.kind in OF_CALLS for edit in kept)
    return Mending(edits=tuple(kept), takes_results_for_granted=granted and bench.case.oracle.decision == "call")


def _passes(bench: Bench, both: Sides, edits: Sequence[Edit]) -> bool:
    try:
        attempt = applied(bench, both, edits)
        return passes(bench.case, attempt, bench.contracts, bench.harness, both.verdict.tier)
    except BadInputError:  # no answer can be made up, or a package from elsewhere lacks a contract
        return False


def _whole_run(bench: Bench, verdict: Verdict, number: int) -> Mending | None:
    """The last resort: the attempt that plays a whole golden run, where the evaluator passes it."""
    try:
        attempt = golden_attempt(bench.case, bench.contracts, harness=bench.harness, run=number)
        is_passed = passes(bench.case, attempt, bench.contracts, bench.harness, verdict.tier)
    except (BadInputError, KeyError):  # as above
        return None
    if not is_passed:
        return None
    return Mending(edits=(Edit(kind="golden_run"),), takes_results_for_granted=bench.harness == "workbench")
