"""Which observed call stands for which expected step (PROTOCOL 3): one-to-one and optimal.

Assignment and reference resolution are one exact search in topological order: what a `$from` means depends on the call
that was assigned to its source. First as many steps as possible are matched, then the faults are fewest, then the calls
are the earliest, step by step. The search is bounded by the cheapest assignment in which every reference counts as
right.
"""

from __future__ import annotations

from collections.abc import Sequence

from fcbench.core.names import JsonValue
from fcbench.evaluator.arguments import Reading
from fcbench.evaluator.assignment import cheapest
from fcbench.evaluator.expectation import Writing
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.plan import RunPlan
from fcbench.evaluator.rules import Rules
from fcbench.evaluator.search import TIE, UNMATCHED, Search, flaws_of

MAX_CALLS = 128
"""Calls that can be assigned, twice as many as a harness executes: only evidence made to be slow has more."""


Matching = tuple[Sequence[Observed | None], Sequence[Reading | None]]
"""The call that stands for each step, and how it reads."""


def match(run: RunPlan, calls: Sequence[Observed], rules: Rules) -> Matching:
    """Assign observed calls to expected steps."""
    if not calls:
        return run.nothing, run.nothing
    if run.is_plain:
        if len(calls) == len(run.steps):
            straight = _straight(run, calls, rules)
            if straight is not None:
                return straight
        if rules.strict and not run.is_ordered:
            return _free(run, calls[:MAX_CALLS], rules)
    search = Search(run, _collapsed(calls[:MAX_CALLS], len(run.steps)), rules)
    chosen = search.run()
    return chosen, [None if call is None else search.reading(step, call, chosen) for step, call in enumerate(chosen)]


def _straight(run: RunPlan, calls: Sequence[Observed], rules: Rules) -> Matching | None:
    """Each call for the step at its place, where there is one of each, or as many without a fault as there are steps.

    Nearly all attempts end here.
    """
    if len(calls) == 1:
        reading = run.expected[0].read(calls[0].name, calls[0].call.arguments)
        return (calls, [reading]) if reading is not None else (run.nothing, run.nothing)
    readings: list[Reading] = []
    for call, expected in zip(calls, run.expected, strict=True):
        if call.name != expected.tool or not is_flawless(call, rules):
            return None
        own = expected.own.read(call.call.arguments)
        if own.differences:
            return None
        readings.append(own)
    return calls, readings


def is_flawless(call: Observed, rules: Rules) -> bool:
    """Whether nothing but its arguments can be wrong with a call."""
    return call.valid and call.offered and (not rules.needs_success or call.call.succeeded)


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
        for step, taken in zip(steps, _assigned(run, steps, some, rules), strict=True):
            chosen[step] = taken
            readings[step] = None if taken is None else run.expected[step].own.read(taken.call.arguments)
    return chosen, readings


def _assigned(run: RunPlan, steps: Sequence[int], calls: Sequence[Observed], rules: Rules) -> Sequence[Observed | None]:
    """The best assignment among the steps and calls of one tool."""
    if len(steps) == len(calls) == 1:
        return calls
    writings = [run.expected[step].own for step in steps]
    if len(steps) == len(calls):
        own = [_cost(writing, call, rules) for writing, call in zip(writings, calls, strict=True)]
        # Each wrong pair costs no less with any other call, and the right ones cost nothing: nothing can be better.
        if all(
            not cost or cost <= min([_cost(writing, call, rules) for call in calls])
            for cost, writing in zip(own, writings, strict=True)
        ):
            return calls
    costs = [
        [_cost(writing, call, rules) * TIE + place for place, call in enumerate(calls)] + [UNMATCHED] * len(steps)
        for writing in writings
    ]
    return [calls[column] if column < len(calls) else None for column in cheapest(costs)[1]]


def _cost(writing: Writing, call: Observed, rules: Rules) -> int:
    return flaws_of(call, rules) + writing.count(call.call.arguments)


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
