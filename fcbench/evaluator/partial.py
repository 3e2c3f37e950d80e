"""Partial scores: diagnosis, in a column of their own (PROTOCOL 4)."""

from __future__ import annotations

from typing import Final

from fcbench.core.verdicts import PartialScore
from fcbench.evaluator.facts import Facts
from fcbench.evaluator.scene import Scene

CONTRACT_WEIGHTS: Final = (0.45, 0.35, 0.20)
"""Tool coverage, arguments, schema validity."""
EXECUTION_WEIGHTS: Final = (0.35, 0.25, 0.15, 0.10, 0.15)
"""The same, then observed and successful execution."""
EXTRA_COST: Final = 0.05
"""For each unexpected state-changing call."""
HIGHEST_FAILING: Final = 0.99
WHOLE: Final = PartialScore(score=1.0, tool_coverage=1.0, arguments=1.0, schema_validity=1.0)
"""Of an attempt that passes `native-function-contract`."""


def partial_score(facts: Facts, *, passed: bool) -> PartialScore:
    """The score of a case whose decision is to call."""
    scene, steps, calls = facts.scene, facts.steps, facts.scene.calls
    expected = len(steps)
    coverage = (expected - len(facts.unmatched)) / expected
    arguments = facts.key_share / expected
    validity = 1.0 if calls else 0.0
    if not scene.all_valid:
        validity = sum([call.valid for call in calls]) / len(calls)
    executed = succeeded = None
    if scene.rules.scores_execution:
        executed = sum([item.call is not None and item.call.executed for item in steps]) / expected
        succeeded = sum([item.call is not None and item.call.succeeded for item in steps]) / expected
        parts = (coverage, arguments, validity, executed, succeeded)
        whole = sum([weight * part for weight, part in zip(EXECUTION_WEIGHTS, parts, strict=True)])
    else:
        first, second, third = CONTRACT_WEIGHTS
        whole = first * coverage + second * arguments + third * validity
    unexpected = 0
    if facts.untolerated:
        unexpected = sum([extra.changes for extra in facts.untolerated])
        whole = max(0.0, whole - EXTRA_COST * unexpected)
    # Rounded, so that the same parts give the same number whatever the order of the sums was.
    score = round(whole, 12)
    return PartialScore(
        score=score if passed or score < HIGHEST_FAILING else HIGHEST_FAILING,
        tool_coverage=coverage,
        arguments=arguments,
        schema_validity=validity,
        observed_execution=executed,
        successful_execution=succeeded,
        unexpected_state_changes=unexpected,
    )


def decision_score(scene: Scene, *, passed: bool) -> PartialScore:
    """Where the decision is not a golden run the score is 1 or 0."""
    calls = scene.calls
    whole = 1.0 if passed else 0.0
    both = whole if scene.rules.scores_execution else None
    return PartialScore(
        score=whole,
        tool_coverage=whole,
        arguments=whole,
        schema_validity=sum([call.valid for call in calls]) / len(calls) if calls else 1.0,
        observed_execution=both,
        successful_execution=both,
        unexpected_state_changes=sum([call.contract is not None and call.contract.changes_state for call in calls]),
    )
