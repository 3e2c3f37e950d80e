"""What tables need to know of one attempt: counts of calls, how retrieval did, tokens by reply."""

from __future__ import annotations

import json
from collections.abc import Iterable

from fcbench.core.cases import Case
from fcbench.core.evidence import Attempt, Call
from fcbench.core.names import ToolName


def retrieval_recall(case: Case, attempt: Attempt) -> float | None:
    """Share of the expected tools among the candidates; None where no tool is expected or nothing was retrieved."""
    expected = expected_tools(case)
    if not expected or not attempt.candidates:
        return None
    return len(expected & {candidate.name for candidate in attempt.candidates}) / len(expected)


def worst_rank(case: Case, attempt: Attempt) -> int | None:
    """The rank, from 1, of the expected tool that retrieval found last; None where one of them was not found."""
    ranks = {candidate.name: candidate.rank for candidate in attempt.candidates}
    found = [ranks.get(tool) for tool in expected_tools(case)]
    known = [rank for rank in found if rank is not None]
    return max(known) if known and len(known) == len(found) else None


def expected_tools(case: Case) -> frozenset[ToolName]:
    """The tools that the golden run calls, each once."""
    return frozenset(call.tool for call in case.oracle.calls)


def counted_calls(case: Case, attempt: Attempt) -> tuple[Call, ...]:
    """The calls that are held against the expected ones: of the first reply alone in single-call tasks, else all.

    What follows the first reply of a single-call task answers an error reply and is no call too many.
    """
    if case.task.single_call:
        return attempt.rounds[0].calls if attempt.rounds else ()
    return attempt.calls


def over_calls(case: Case, attempt: Attempt) -> int:
    """How many calls there are beyond the number that the golden run makes; 0 where there are as many or fewer."""
    return max(0, len(counted_calls(case, attempt)) - len(case.oracle.calls))


def duplicate_calls(calls: Iterable[Call]) -> int:
    """How many calls repeat an earlier one: the same tool with the same arguments, whatever the order of the keys."""
    seen: set[tuple[str, str]] = set()
    repeated = 0
    for call in calls:
        content = call.raw_arguments if call.arguments is None else json.dumps(call.arguments, sort_keys=True)
        repeated += (call.name, content) in seen
        seen.add((call.name, content))
    return repeated


def invalid_calls(attempt: Attempt) -> int:
    """How many calls were refused because their arguments are broken or against the schema."""
    return sum(call.result.status == "invalid" for call in attempt.calls)


def reply_tokens(attempt: Attempt) -> list[int | None]:
    """Tokens read and written up to each reply; null from the first one that nobody counted."""
    total: int | None = 0
    sums = []
    for turn in attempt.rounds:
        read, written = turn.usage.input_tokens, turn.usage.output_tokens
        total = None if None in (total, read, written) else (total or 0) + (read or 0) + (written or 0)
        sums.append(total)
    return sums
