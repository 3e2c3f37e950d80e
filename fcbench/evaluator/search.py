"""The exact search for the best assignment of calls to steps (see `evaluator.matching`).

What a reference means follows from the calls of the steps that it takes a value from. So the search branches over the
calls of those steps first; once they are fixed, every other price is known, and the steps that are left are one
assignment. The strict tiers also price the order of every two calls, and go on branching there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fcbench.core.comparators import Reference
from fcbench.core.names import JsonValue, StepId
from fcbench.evaluator.arguments import Reading
from fcbench.evaluator.assignment import cheapest
from fcbench.evaluator.expectation import Expectation
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.plan import RunPlan
from fcbench.evaluator.rules import Rules
from fcbench.evaluator.values import resolved

MAX_WORK: Final = 1_500_000
"""Cells of cost tables that are looked at, about half a second. Only evidence made to be slow gets there; then the
best assignment so far stands."""
TIE: Final = 1 << 20
_FAULT: Final = 10 * TIE
_EQUIVALENT: Final = 1 * TIE
# A little less than a wrong value: two calls in the wrong order are swapped calls, not two calls with wrong values.
_WRONG_ORDER: Final = 9 * TIE
UNMATCHED: Final = 1_000_000 * TIE
_IMPOSSIBLE: Final = 1_000 * UNMATCHED

Chosen = Sequence[Observed | None]


def faults_of(cost: int) -> int:
    """A cost without its tie-break: the search goes on for fewer faults, never for earlier calls alone."""
    return cost // TIE


class Search:
    """One search. `best` is the assignment, by step."""

    def __init__(self, run: RunPlan, calls: Sequence[Observed], rules: Rules) -> None:
        self.plan, self.calls, self.rules = run, calls, rules
        self.expectations: dict[tuple[int, tuple[int, ...]], Expectation] = {}
        self.rows: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        self.work = 0
        self.best: list[Observed | None] = [None] * len(run.steps)
        self.best_cost = 0
        # What a call costs whatever step it takes: its flaws, and its place as the tie-break.
        self.flaws = [flaws_of(call, rules) * _FAULT + call.index for call in calls]
        self.places = {call.index: column for column, call in enumerate(calls)}

    def run(self) -> list[Observed | None]:
        """The best assignment."""
        steps = self.plan.steps
        if not steps or not self.calls:
            return self.best
        self.bounds = [self._row(step, self.plan.expected[step], None) for step in range(len(steps))]
        bound, columns = self._cheapest(self.plan.order, [self.bounds[step] for step in self.plan.order], set())
        for step, column in zip(self.plan.order, columns, strict=True):
            self.best[step] = self.calls[column] if column < len(self.calls) else None
        if not self.plan.is_ordered:
            return self.best
        self.best_cost = self.whole_cost(self.best)
        if faults_of(self.best_cost) > faults_of(bound):
            self._descend(0, [None] * len(steps), set(), 0)
        return self.best

    def reading(self, step: int, call: Observed, chosen: Chosen) -> Reading | None:
        """How the call reads as this step, given what was assigned to the sources of its references."""
        return self._expectation(step, call, chosen).read(call.name, call.arguments)

    def _expectation(self, step: int, call: Observed, chosen: Chosen) -> Expectation:
        """What the step expects of this call. A source counts that succeeded in an earlier round."""
        names = self.plan.sources[step]
        if not names:
            return self.plan.expected[step]
        sources: dict[StepId, Observed | None] = {}
        for name in names:
            source = chosen[self.plan.place[name]] if name in self.plan.place else None
            sources[name] = source if source and source.call.succeeded and source.round < call.round else None
        key = (step, tuple([-1 if source is None else source.index for source in sources.values()]))
        if key not in self.expectations:

            def lookup(reference: Reference) -> JsonValue:
                source = sources[reference.step]
                if source is None:
                    raise KeyError(reference.step)
                return reference.resolve(source.call.result.content)

            expected = self.plan.steps[step]
            values = {key: resolved(value, lookup) for key, value in expected.arguments.items()}
            self.expectations[key] = Expectation(expected, values, self.rules)
        return self.expectations[key]

    def _row(self, step: int, expected: Expectation | None, chosen: Chosen | None) -> list[int]:
        """The price of every call for one step: with open references, or with those of the chosen sources."""
        row: list[int] = []
        for column, call in enumerate(self.calls):
            if expected is None and chosen is not None:
                known = self._expectation(step, call, chosen)
            else:
                known = self.plan.expected[step]
            count = known.count(call.name, call.arguments)
            if count is None:
                row.append(_IMPOSSIBLE)
            else:
                other = _EQUIVALENT if call.name != self.plan.steps[step].tool else 0
                row.append(count * _FAULT + other + self.flaws[column])
        self.work += len(row)
        return row

    def _prices(self, step: int, chosen: Chosen, depth: int) -> list[int]:
        """The row of a step as far as its sources are decided; open references cost nothing."""
        if not self.plan.sources[step]:
            return self.bounds[step]
        rank = self.plan.rank
        sources = [self.plan.place[name] for name in self.plan.sources[step] if name in self.plan.place]
        if any(depth <= rank[source] < rank[step] for source in sources):
            return self.bounds[step]
        taken = [chosen[source] for source in sources]
        key = (step, tuple([-1 if source is None else source.index for source in taken]))
        if key not in self.rows:
            self.rows[key] = self._row(step, None, chosen)
        return self.rows[key]

    def _cheapest(self, steps: Sequence[int], rows: Sequence[list[int]], used: set[int]) -> tuple[int, list[int]]:
        """The cheapest assignment of the calls that are left, with the column of each step.

        Columns beyond the calls mean unmatched.
        """
        if not steps:
            return 0, []
        unmatched = [UNMATCHED] * len(steps)
        free = [column for column in range(len(self.calls)) if column not in used]
        self.work += len(steps) * len(steps) * (len(free) + len(steps))
        total, chosen = cheapest([[row[column] for column in free] + unmatched for row in rows])
        return total, [free[column] if column < len(free) else len(self.calls) for column in chosen]

    def _order_cost(self, step: int, call: Observed, chosen: Chosen) -> int:
        return _WRONG_ORDER if is_out_of_order(self.plan, step, call, chosen, self.rules) else 0

    def whole_cost(self, chosen: Chosen) -> int:
        """What an assignment costs, references and order included."""
        so_far: list[Observed | None] = [None] * len(chosen)
        total = 0
        for depth, step in enumerate(self.plan.order):
            call = chosen[step]
            if call is None:
                total += UNMATCHED
            else:
                price = self._prices(step, so_far, depth)[self.places[call.index]]
                total += price + self._order_cost(step, call, so_far)
            so_far[step] = call
        return total

    def _descend(self, depth: int, chosen: list[Observed | None], used: set[int], cost: int) -> None:
        order = self.plan.order
        rest = order[depth:]
        if depth >= self.plan.decisive and not self.rules.strict:
            self._finish(rest, depth, chosen, used, cost)
            return
        if depth == len(order):
            self._take(chosen, cost)
            return
        step = order[depth]
        options: list[tuple[int, int]] = [(UNMATCHED, -1)]
        for column, price in enumerate(self._prices(step, chosen, depth)):
            if column not in used and price < _IMPOSSIBLE:
                options.append((price + self._order_cost(step, self.calls[column], chosen), column))
        options.sort()
        for price, column in options:
            if self.work >= MAX_WORK:
                return
            call = None if column < 0 else self.calls[column]
            taken = used if call is None else used | {column}
            chosen[step] = call
            left = [self._prices(other, chosen, depth + 1) for other in rest[1:]]
            if faults_of(cost + price + self._cheapest(rest[1:], left, taken)[0]) < faults_of(self.best_cost):
                self._descend(depth + 1, chosen, taken, cost + price)
            chosen[step] = None

    def _finish(
        self, rest: Sequence[int], depth: int, chosen: list[Observed | None], used: set[int], cost: int
    ) -> None:
        """All sources are fixed: the steps that are left are one assignment."""
        rows: list[list[int]] = []
        for step in rest:
            row = list(self._prices(step, chosen, depth))
            if self.plan.after[step]:
                for column, price in enumerate(row):
                    if price < _IMPOSSIBLE:
                        row[column] = price + self._order_cost(step, self.calls[column], chosen)
            rows.append(row)
        total, columns = self._cheapest(rest, rows, used)
        for step, column in zip(rest, columns, strict=True):
            chosen[step] = self.calls[column] if column < len(self.calls) else None
        self._take(chosen, cost + total)
        for step in rest:
            chosen[step] = None

    def _take(self, chosen: list[Observed | None], cost: int) -> None:
        if faults_of(cost) < faults_of(self.best_cost):
            self.best, self.best_cost = list(chosen), cost


def flaws_of(call: Observed, rules: Rules) -> int:
    """How many things are wrong with a call whatever step it stands for."""
    return (not call.valid) + (not call.offered) + (rules.needs_success and not call.succeeded)


def is_out_of_order(run: RunPlan, position: int, call: Observed, chosen: Chosen, rules: Rules) -> bool:
    """Whether a call stands wrongly beside the calls that were assigned to other steps.

    `after` asks for an earlier round at every tier; the strict tiers also want the order of the case, except among
    steps of one block.
    """
    block, after = run.steps[position].block, run.after[position]
    for index, taken in enumerate(chosen):
        if taken is None or index == position:
            continue
        if index in after and taken.round >= call.round:
            return True
        ordered = rules.strict and (block is None or block != run.steps[index].block)
        if ordered and (taken.index < call.index) != (index < position):
            return True
    return False
