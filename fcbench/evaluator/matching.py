"""Which observed call stands for which expected step (PROTOCOL 3): one-to-one and optimal.

Assignment and reference resolution are one exact search in topological order: what a `$from` means depends on the call
that was assigned to its source. First as many steps as possible are matched, then the faults are fewest, then the calls
are the earliest, step by step. The search is bounded by the cheapest assignment in which every reference counts as
right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fcbench.core.names import JsonValue
from fcbench.evaluator.arguments import Reading
from fcbench.evaluator.assignment import cheapest
from fcbench.evaluator.expectation import Writing
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.plan import RunPlan
from fcbench.evaluator.rules import Rules
from fcbench.evaluator.search import TIE, UNMATCHED, Search, flaws_of

MAX_CALLS: Final = 128
"""Calls that can be assigned, twice as many as a harness executes: only evidence made to be slow has more."""


Matching = tuple[Sequence[Observed | None], Sequence[Reading | None]]
"""The call that stands for each step, and how it reads."""


def match(run: RunPlan, calls: Sequence[Observed], rules: Rules) -> Matching:
    """Assign observed calls to expected steps."""
    if not calls:
        return run.nothing, run.nothing
    if len(calls) == len(run.steps) == 1:
        reading = run.expected[0].read(calls[0].name, calls[0].call.arguments)
        return (calls, [reading]) if reading is not None else (run.nothing, run.nothing)
    if not run.is_ordered and rules.strict:
        return _free(run, calls[:MAX_CALLS], rules)
    if run.is_plain and len(calls) == len(run.steps) and _are_as_written(run, calls, rules):
        return calls, run.perfect
    search = Search(run, _collapsed(calls[:MAX_CALLS], len(run.steps)), rules)
    chosen = search.run()
    return chosen, [None if call is None else search.reading(step, call, chosen) for step, call in enumerate(chosen)]


def _are_as_written(run: RunPlan, calls: Sequence[Observed], rules: Rules) -> bool:
    """Whether each call says exactly what is expected at its place: nothing can be better then."""
    for call, expected in zip(calls, run.expected, strict=True):
        if call.name != expected.tool or flaws_of(call, rules):
            return False
        if not expected.own.plain.is_whole(call.arguments):
            return False
    return True


def _free(run: RunPlan, calls: Sequence[Observed], rules: Rules) -> Matching:
    """Steps without any order, no equivalents: each tool's steps and calls are a small assignment of their own."""
    chosen: list[Observed | None] = [None] * len(run.steps)
    readings: list[Reading | None] = [None] * len(run.steps)
    by_tool: dict[str, list[Observed]] = {}
    for call in calls:
        if call.name in run.positions:
            by_tool.setdefault(call.name, []).append(call)
    for name, some in by_tool.items():
        steps = run.positions[name]
        taken = some if len(steps) == len(some) == 1 else _assigned(run, steps, some, rules)
        for step, one in zip(steps, taken, strict=True):
            if one is not None:
                chosen[step] = one
                readings[step] = run.expected[step].own.read(one.arguments)
    return chosen, readings


def _assigned(run: RunPlan, steps: Sequence[int], calls: Sequence[Observed], rules: Rules) -> Sequence[Observed | None]:
    """The best assignment among the steps and calls of one tool."""
    flaws = [flaws_of(call, rules) for call in calls]
    writings = [run.expected[step].own for step in steps]
    if len(steps) == len(calls) and _nothing_is_better(writings, calls, flaws):
        return calls
    costs = [
        [(writing.count(call.arguments) + flaw) * TIE + call.index for call, flaw in zip(calls, flaws, strict=True)]
        + [UNMATCHED] * len(steps)
        for writing in writings
    ]
    return [calls[column] if column < len(calls) else None for column in cheapest(costs)[1]]


def _nothing_is_better(writings: Sequence[Writing], calls: Sequence[Observed], flaws: Sequence[int]) -> bool:
    """Whether each call at its place is as good as any: a wrong one costs no less anywhere, a right one nothing."""
    for place, writing in enumerate(writings):
        own = writing.count(calls[place].call.arguments) + flaws[place]
        if not own:
            continue
        for other, call in enumerate(calls):
            if other != place and flaws[other] < own and writing.count(call.arguments) + flaws[other] < own:
                return False
    return True


def _collapsed(calls: Sequence[Observed], steps: int) -> list[Observed]:
    """The calls without those that no assignment can need: of identical ones, as many as there are steps."""
    if len(calls) <= steps:
        return list(calls)
    counts: dict[tuple[JsonValue, ...], int] = {}
    kept: list[Observed] = []
    for item in calls:
        call = item.call
        key = (call.name, call.raw_arguments, item.round, call.result.status, repr(call.result.content))
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= steps:
            kept.append(item)
    return kept
