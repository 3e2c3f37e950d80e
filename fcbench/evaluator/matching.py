"""Which observed call stands for which expected step (PROTOCOL 3): one-to-one and optimal.

Assignment and reference resolution are one exact search in topological order: what a `$from` means depends on the call
that was assigned to its source. First as many steps as possible are matched, then the faults are fewest, then the calls
are the earliest, step by step. The search is bounded by the cheapest assignment in which every reference counts as
right.
"""

from __future__ import annotations

from collections.abc import Sequence

from fcbench.core.cases import ExpectedCall
from fcbench.core.comparators import Reference, references
from fcbench.core.names import JsonObject, JsonValue, StepId
from fcbench.core.records import Record
from fcbench.evaluator.arguments import Reading
from fcbench.evaluator.assignment import cheapest
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.rules import Rules
from fcbench.evaluator.values import opened, resolved

MAX_CALLS = 512
"""Calls that can be assigned; the harnesses stop at 64, so only foreign evidence has more."""
MAX_NODES = 1000
"""Nodes of the search. Only evidence made to be slow gets here; then the best assignment so far stands."""
_TIE = 1 << 20
_FAULT = 10 * _TIE
_EQUIVALENT = 1 * _TIE
# A little less than a wrong value: two calls in the wrong order are swapped calls, not two calls with wrong values.
_WRONG_ORDER = 9 * _TIE
_UNMATCHED = 1_000_000 * _TIE
_IMPOSSIBLE = 1_000 * _UNMATCHED


def _faults(cost: int) -> int:
    """A cost without its tie-break: the search goes on for fewer faults, never for earlier calls alone."""
    return cost // _TIE


class Matching(Record, frozen=True, kw_only=True):
    """The assignment. Both tuples follow the order of the expected steps."""

    calls: tuple[Observed | None, ...]
    readings: tuple[Reading | None, ...]

    def step_of(self) -> dict[int, int]:
        """Position of the expected step, by position of the observed call."""
        return {call.index: step for step, call in enumerate(self.calls) if call is not None}


def match(steps: tuple[ExpectedCall, ...], calls: Sequence[Observed], rules: Rules) -> Matching:
    """Assign observed calls to expected steps."""
    search = _Search(steps, _collapsed(calls[:MAX_CALLS], len(steps)), rules)
    chosen = search.run()
    readings = tuple(None if call is None else search.reading(step, call, chosen) for step, call in enumerate(chosen))
    return Matching(calls=tuple(chosen), readings=readings)


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


def topological(steps: tuple[ExpectedCall, ...]) -> list[int]:
    """Positions of the steps, every step after those that it needs; a circle falls back to the order of the case."""
    place = {step.step: index for index, step in enumerate(steps)}
    needs = [{place[name] for name in needed_steps(step) if name in place} for step in steps]
    order: list[int] = []
    left = list(range(len(steps)))
    while left:
        following = next((index for index in left if needs[index] <= set(order)), left[0])
        order.append(following)
        left.remove(following)
    return order


def needed_steps(step: ExpectedCall) -> tuple[StepId, ...]:
    """Steps that must lie in an earlier round: those of `after` and the sources of references."""
    return tuple(dict.fromkeys([*step.after, *(item.step for item in references(step.arguments))]))


class _Plan(Record, frozen=True, kw_only=True):
    """What the search needs to know of a golden run before it sees a call."""

    steps: tuple[ExpectedCall, ...]
    place: dict[StepId, int]
    sources: list[tuple[StepId, ...]]
    order: list[int]


_MAX_PLANS = 4096
# By identity, like `schemas`: a case is judged once for every model, repeat and tier, and its golden run never changes.
_PLANS: dict[int, _Plan] = {}


def _plan(steps: tuple[ExpectedCall, ...]) -> _Plan:
    known = _PLANS.get(id(steps))
    if known is not None:
        return known
    plan = _Plan(
        steps=steps,
        place={step.step: index for index, step in enumerate(steps)},
        sources=[tuple(dict.fromkeys(item.step for item in references(step.arguments))) for step in steps],
        order=topological(steps),
    )
    if len(_PLANS) >= _MAX_PLANS:
        _PLANS.clear()
    _PLANS[id(steps)] = plan
    return plan


class _Search:
    def __init__(self, steps: tuple[ExpectedCall, ...], calls: list[Observed], rules: Rules) -> None:
        self.steps, self.calls, self.rules = steps, calls, rules
        plan = _plan(steps)
        self.place, self.sources, self.order = plan.place, plan.sources, plan.order
        self.readings: dict[tuple[int, int, tuple[int, ...]], Reading | None] = {}
        self.nodes = 0
        self.best: list[Observed | None] = [None] * len(steps)
        self.best_cost = 0

    def run(self) -> list[Observed | None]:
        if not self.steps or not self.calls:
            return self.best
        self.bounds = [[self._least(step, call) for call in self.calls] for step in range(len(self.steps))]
        bound, columns = self._cheapest(self.order, set())
        for step, column in zip(self.order, columns, strict=True):
            self.best[step] = self.calls[column] if column < len(self.calls) else None
        self.best_cost = self._whole_cost(self.best)
        if _faults(self.best_cost) > _faults(bound):
            self._tighten()
            self._descend(0, [None] * len(self.steps), set(), 0)
        return self.best

    def _tighten(self) -> None:
        """Better bounds for steps with one source: the cheapest over every call that the source may be."""
        for step, sources in enumerate(self.sources):
            if len(sources) != 1 or sources[0] not in self.place:
                continue
            source = self.place[sources[0]]
            chosen: list[Observed | None] = [None] * len(self.steps)
            for column, call in enumerate(self.calls):
                if self.bounds[step][column] >= _IMPOSSIBLE:
                    continue
                least = _IMPOSSIBLE
                for candidate in (None, *self.calls):
                    chosen[source] = candidate
                    least = min(least, self._price(self.reading(step, call, chosen), self.steps[step], call))
                self.bounds[step][column] = least

    def reading(self, step: int, call: Observed, chosen: Sequence[Observed | None]) -> Reading | None:
        """How the call reads as this step, given what was assigned to the sources of its references."""
        sources = [chosen[self.place[name]] if name in self.place else None for name in self.sources[step]]
        key = (step, call.index, tuple(-1 if source is None else source.index for source in sources))
        if key not in self.readings:
            expected = self._resolved(step, call, dict(zip(self.sources[step], sources, strict=True)))
            self.readings[key] = self.rules.read(self.steps[step], expected, call)
        return self.readings[key]

    def _resolved(self, step: int, call: Observed, sources: dict[StepId, Observed | None]) -> JsonObject:
        arguments = self.steps[step].arguments
        if not sources:
            return arguments

        def lookup(reference: Reference) -> JsonValue:
            source = sources[reference.step]
            if source is None or not source.call.succeeded or source.round >= call.round:
                raise KeyError(reference.step)
            return reference.resolve(source.call.result.content)

        return {key: resolved(value, lookup) for key, value in arguments.items()}

    def _least(self, step: int, call: Observed) -> int:
        if not self.sources[step]:
            return self._price(self.reading(step, call, self.best), self.steps[step], call)
        arguments = {key: opened(value) for key, value in self.steps[step].arguments.items()}
        return self._price(self.rules.read(self.steps[step], arguments, call), self.steps[step], call)

    def _price(self, reading: Reading | None, step: ExpectedCall, call: Observed) -> int:
        if reading is None:
            return _IMPOSSIBLE
        flaws = (not call.valid) + (not call.offered) + (self.rules.needs_success and not call.call.succeeded)
        other = _EQUIVALENT if call.name != step.tool else 0
        return (len(reading.differences) + flaws) * _FAULT + other + call.index

    def _cheapest(self, steps: Sequence[int], used: set[int]) -> tuple[int, list[int]]:
        """Bound for the steps that are left, with the column of each; columns beyond the calls mean unmatched."""
        if not steps:
            return 0, []
        free = [column for column in range(len(self.calls)) if self.calls[column].index not in used]
        unmatched = [_UNMATCHED] * len(steps)
        total, chosen = cheapest([[self.bounds[step][column] for column in free] + unmatched for step in steps])
        return total, [free[column] if column < len(free) else len(self.calls) for column in chosen]

    def _cost(self, step: int, call: Observed | None, chosen: Sequence[Observed | None]) -> int:
        """What it really costs to give this call to this step, after the assignments made so far."""
        if call is None:
            return _UNMATCHED
        price = self._price(self.reading(step, call, chosen), self.steps[step], call)
        return price + (_WRONG_ORDER if self.rules.is_out_of_order(self.steps, step, call, chosen) else 0)

    def _whole_cost(self, chosen: list[Observed | None]) -> int:
        so_far: list[Observed | None] = [None] * len(chosen)
        total = 0
        for step in self.order:
            total += self._cost(step, chosen[step], so_far)
            so_far[step] = chosen[step]
        return total

    def _descend(self, depth: int, chosen: list[Observed | None], used: set[int], cost: int) -> None:
        self.nodes += 1
        if depth == len(self.order):
            if _faults(cost) < _faults(self.best_cost):
                self.best, self.best_cost = list(chosen), cost
            return
        step, rest = self.order[depth], self.order[depth + 1 :]
        options: list[tuple[int, Observed | None]] = [(_UNMATCHED, None)]
        for column, each in enumerate(self.calls):
            if each.index not in used and self.bounds[step][column] < _IMPOSSIBLE:
                options.append((self._cost(step, each, chosen), each))
        options.sort(key=lambda option: option[0])
        least = self._cheapest(rest, used)[0]
        for price, call in options:
            # Options come cheapest first, and taking one cannot make the rest cheaper: none further can win either.
            if self.nodes >= MAX_NODES or _faults(cost + price + least) >= _faults(self.best_cost):
                return
            taken = used if call is None else used | {call.index}
            if _faults(cost + price + self._cheapest(rest, taken)[0]) >= _faults(self.best_cost):
                continue
            chosen[step] = call
            self._descend(depth + 1, chosen, taken, cost + price)
            chosen[step] = None
