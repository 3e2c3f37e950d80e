"""A case made ready to be judged many times: compiled once, found again by the identity of the case.

A case is judged for every model, repeat and tier, and neither it nor a contract ever changes; so everything that does
not depend on the attempt is worked out here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.comparators import references
from fcbench.core.contracts import ToolContract
from fcbench.core.names import TIERS_OF_HARNESS, HarnessName, StepId, Tier, ToolName
from fcbench.core.verdicts import CallJudgement
from fcbench.errors import BadInputError, TierNotApplicableError
from fcbench.evaluator.expectation import Expectation
from fcbench.evaluator.rules import Rules
from fcbench.evaluator.values import opened

RESEMBLES = "of all calls it resembles this step most"
"""Why a call is read as a step."""


class RunPlan:
    """One golden run.

    Attributes:
        steps: the expected steps.
        expected: what may stand for each; a reference stands open there.
        sources: for each step the steps that its references take a value from.
        order: positions of the steps, every one after those that it needs, those that others need first.
        rank: place of each step in that order.
        decisive: how many steps of the order are needed by others.
        needed: the contract of each step.
        tools: names of the tools.
        fields: leaves of the expected arguments, by step.
        positions: positions of the steps of each tool.
        nothing: the assignment without calls.
        perfect: how the calls read that say exactly what is expected.
        is_ordered: whether a call can be out of order or a reference be open at all.
        is_plain: whether no step needs another one, so that calls in the order of the steps are all in order.
        as_written: how the calls are read that stand in the order of the steps, one for each.
    """

    __slots__ = (
        "after",
        "as_written",
        "decisive",
        "expected",
        "fields",
        "is_ordered",
        "is_plain",
        "needed",
        "nothing",
        "order",
        "perfect",
        "place",
        "positions",
        "rank",
        "sources",
        "steps",
        "tools",
    )

    def __init__(self, steps: tuple[ExpectedCall, ...], rules: Rules) -> None:
        self.steps = steps
        self.place: dict[StepId, int] = {step.step: index for index, step in enumerate(steps)}
        self.sources = [tuple(dict.fromkeys(item.step for item in references(step.arguments))) for step in steps]
        self.expected = [
            Expectation(step, {key: opened(value) for key, value in step.arguments.items()}, rules)
            if sources
            else Expectation(step, step.arguments, rules)
            for step, sources in zip(steps, self.sources, strict=True)
        ]
        wanted = {name for step in steps for name in needed_steps(step)}
        ordered = topological(steps)
        decisive = [index for index in ordered if steps[index].step in wanted]
        self.decisive = len(decisive)
        self.order = [*decisive, *(index for index in ordered if steps[index].step not in wanted)]
        self.rank = {step: place for place, step in enumerate(self.order)}
        self.needed: list[ToolContract] = [rules.contracts[step.tool] for step in steps]
        self.tools = frozenset(str(step.tool) for step in steps)
        self.fields = [expected.own.plain.perfect.fields for expected in self.expected]
        self.nothing: list[None] = [None] * len(steps)
        self.perfect = [expected.own.plain.perfect for expected in self.expected]
        self.after = [frozenset(self.place[name] for name in step.after if name in self.place) for step in steps]
        blocks = {step.block for step in steps}
        one_block = len(steps) == 1 or (len(blocks) == 1 and None not in blocks)
        self.is_plain = not any(self.sources) and not any(self.after)
        self.is_ordered = not self.is_plain or (rules.strict and not one_block)
        self.positions: dict[str, list[int]] = {}
        for index, step in enumerate(steps):
            self.positions.setdefault(step.tool, []).append(index)
        self.as_written = tuple(
            CallJudgement(call=index, step=step.step, role="expected", reason=RESEMBLES)
            for index, step in enumerate(steps)
        )


def needed_steps(step: ExpectedCall) -> tuple[StepId, ...]:
    """Steps that must lie in an earlier round: those of `after` and the sources of references."""
    return tuple(dict.fromkeys([*step.after, *(item.step for item in references(step.arguments))]))


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


class CasePlan:
    """A case at one tier.

    Attributes:
        case: the case.
        rules: of the tier.
        runs: its golden runs; none where no call is due.
        text: what the model was told, for the words and numbers that it may have misread.
        tools: every tool that a golden run expects.
        distractors: tools that the case lists and no golden run expects.
    """

    __slots__ = ("case", "distractors", "harness", "rules", "runs", "text", "tools")

    def __init__(self, case: Case, rules: Rules, harness: HarnessName) -> None:
        oracle = case.oracle
        runs = (oracle.calls, *oracle.alternatives) if oracle.decision == "call" else ()
        _check_runs(case, runs, rules.contracts)
        self.case = case
        self.harness = harness
        self.rules = rules
        self.runs = tuple(RunPlan(run, rules) for run in runs)
        self.text = f"{case.task.instruction}\n{case.task.context or ''}"
        self.tools = frozenset(str(step.tool) for run in (oracle.calls, *oracle.alternatives) for step in run)
        self.distractors = frozenset(map(str, case.task.tools)) - self.tools


def applicable_tiers(case: Case, harness: HarnessName) -> tuple[Tier, ...]:
    """The tiers at which attempts of this case on this harness can be judged (PROTOCOL 3)."""
    if harness not in case.harnesses:
        return ()
    tiers = TIERS_OF_HARNESS[harness]
    return tuple(tier for tier in tiers if not (case.oracle.call_only and tier == "real-tool-execution"))


_MAX_PLANS: Final = 4096
_PLANS: dict[tuple[int, Tier, HarnessName], tuple[CasePlan, Mapping[ToolName, ToolContract]]] = {}


def plan_of(case: Case, contracts: Mapping[ToolName, ToolContract], harness: HarnessName, tier: Tier) -> CasePlan:
    """The plan of a case, from a cache that holds the case, so that its identity is never used twice.

    Args:
        case: the case.
        contracts: by the names that the model sees; not changed while cases are judged with it.
        harness: that made the evidence.
        tier: to judge at.

    Raises:
        TierNotApplicableError: the evidence of this harness, or this case, cannot support the tier.
        BadInputError: a golden run is empty, or a contract of an expected tool is missing.
    """
    key = (id(case), tier, harness)
    known = _PLANS.get(key)
    if known is not None and (known[1] is contracts or known[1] == contracts):
        return known[0]
    _check_tier(case, harness, tier)
    plan = CasePlan(case, Rules(tier, contracts, call_only=case.oracle.call_only), harness)
    if len(_PLANS) >= _MAX_PLANS:
        _PLANS.clear()
    _PLANS[key] = (plan, contracts)
    return plan


def _check_tier(case: Case, harness: HarnessName, tier: Tier) -> None:
    applicable = applicable_tiers(case, harness)
    if tier not in applicable:
        raise TierNotApplicableError(
            f"{tier} cannot be judged from this evidence",
            wanted=", ".join(applicable) or f"a case that the {harness} harness can carry",
            found=f"tier {tier}, harness {harness}{', a call-only case' if case.oracle.call_only else ''}",
            where=f"case {case.id}",
            next_step="choose one of the wanted tiers, or run the case on another harness",
        )


def _check_runs(
    case: Case, runs: tuple[tuple[ExpectedCall, ...], ...], contracts: Mapping[ToolName, ToolContract]
) -> None:
    lacking = sorted({step.tool for run in runs for step in run if step.tool not in contracts})
    if lacking or (case.oracle.decision == "call" and not all(runs)):
        raise BadInputError(
            "the case cannot be judged",
            wanted="a golden run with at least one call, and a contract of every expected tool",
            found=f"no contract of {', '.join(lacking)}" if lacking else "an empty golden run",
            where=f"case {case.id}",
        )
