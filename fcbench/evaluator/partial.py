"""Partial scores: diagnosis, in a column of their own (PROTOCOL 4)."""

from __future__ import annotations

from fcbench.core.verdicts import PartialScore
from fcbench.evaluator.facts import Facts, StepFacts
from fcbench.evaluator.rules import EXECUTION_TIERS
from fcbench.evaluator.scene import Scene

CONTRACT_WEIGHTS = (0.45, 0.35, 0.20)
"""Tool coverage, arguments, schema validity."""
EXECUTION_WEIGHTS = (0.35, 0.25, 0.15, 0.10, 0.15)
"""The same, then observed and successful execution."""
EXTRA_COST = 0.05
"""For each unexpected state-changing call."""
HIGHEST_FAILING = 0.99


def partial_score(facts: Facts, *, passed: bool) -> PartialScore:
    """The score of a case whose decision is to call."""
    steps, calls = facts.steps, facts.scene.calls
    matched = [item for item in steps if item.call is not None]
    expected = len(steps) or 1
    parts = [
        len(matched) / expected,
        sum(map(_arguments, matched)) / expected,
        sum(call.valid for call in calls) / len(calls) if calls else 0.0,
    ]
    weights: tuple[float, ...] = CONTRACT_WEIGHTS
    executed = succeeded = None
    if facts.scene.rules.tier in EXECUTION_TIERS:
        weights = EXECUTION_WEIGHTS
        executed = sum(item.call is not None and item.call.call.executed for item in steps) / expected
        succeeded = sum(item.call is not None and item.call.call.succeeded for item in steps) / expected
        parts += [executed, succeeded]
    unexpected = sum(extra.changes for extra in facts.untolerated)
    score = max(0.0, sum(map(_product, weights, parts)) - EXTRA_COST * unexpected)
    # Rounded, so that the same parts give the same number whatever the order of the sums was.
    score = round(score, 12) if passed else min(HIGHEST_FAILING, round(score, 12))
    return PartialScore(
        score=score,
        tool_coverage=parts[0],
        arguments=parts[1],
        schema_validity=parts[2],
        observed_execution=executed,
        successful_execution=succeeded,
        unexpected_state_changes=unexpected,
    )


def _product(left: float, right: float) -> float:
    return left * right


def _arguments(item: StepFacts) -> float:
    """Right keys over expected keys of one matched step; a step without arguments has them all."""
    if item.reading is None or not item.reading.keys:
        return 1.0
    return item.reading.right / item.reading.keys


def restraint_score(scene: Scene, *, passed: bool, unexpected: int) -> PartialScore:
    """Where no call is due the score is 1 or 0."""
    valid = sum(call.valid for call in scene.calls) / len(scene.calls) if scene.calls else 1.0
    whole = 1.0 if passed else 0.0
    both = whole if scene.rules.tier in EXECUTION_TIERS else None
    return PartialScore(
        score=whole,
        tool_coverage=whole,
        arguments=whole,
        schema_validity=valid,
        observed_execution=both,
        successful_execution=both,
        unexpected_state_changes=unexpected,
    )
