"""Rejected invalid calls that were followed by a right call of the same tool (PROTOCOL 3, rule 4)."""

from __future__ import annotations

from msgspec.structs import replace

from fcbench.core.cases import ExpectedCall
from fcbench.core.comparators import references
from fcbench.evaluator.conditions import call_conditions
from fcbench.evaluator.facts import Facts, gather
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.scene import Scene, scene_of


def passes_with_recovery(scene: Scene, run: tuple[ExpectedCall, ...]) -> bool:
    """Whether a completion tier passes once the recovered calls are left out. Strict tiers know no recovery."""
    found = _without_recovered(scene, run)
    return found is not None and all(condition.passed for condition in call_conditions(found[0]))


def recovered_calls(scene: Scene, run: tuple[ExpectedCall, ...]) -> frozenset[int]:
    """Positions of the recovered calls among those that count."""
    found = _without_recovered(scene, run)
    return found[1] & frozenset(call.index for call in scene.calls) if found is not None else frozenset()


def _without_recovered(scene: Scene, run: tuple[ExpectedCall, ...]) -> tuple[Facts, frozenset[int]] | None:
    """The facts without the recovered calls, and which those are; None where there are none."""
    if scene.rules.strict or scene.timed_out:
        return None
    if scene.case.task.single_call:
        # The verdict judges the first reply alone; recovery asks what came of the error replies.
        scene = scene_of(scene.case, scene.attempt, scene.rules.contracts, scene.rules.tier, first_reply=False)
    rejected = [call for call in scene.calls if not call.valid and call.call.result.status == "invalid"]
    if not rejected:
        return None
    kept = tuple(call for call in scene.calls if call not in rejected)
    facts = gather(replace(scene, calls=kept), run)
    recovered = frozenset(call.index for call in rejected if _is_recovered(call, facts))
    if not recovered:
        return None
    if len(recovered) < len(rejected):
        kept = tuple(call for call in scene.calls if call.index not in recovered)
        facts = gather(replace(scene, calls=kept), run)
    return facts, recovered


def _is_recovered(rejected: Observed, facts: Facts) -> bool:
    for item in facts.steps:
        call = item.call
        if call is not None and _follows(call, rejected) and not item.differences:
            return True
    # A matching call may also stand after another one that took the step.
    return any(_follows(extra.call, rejected) and _matches_some_step(extra.call, facts) for extra in facts.extras)


def _follows(call: Observed, rejected: Observed) -> bool:
    return call.name == rejected.name and call.index > rejected.index and call.valid


def _matches_some_step(call: Observed, facts: Facts) -> bool:
    for item in facts.steps:
        if call.name != item.step.tool or references(item.step.arguments):
            continue
        reading = facts.scene.rules.read(item.step, item.step.arguments, call)
        if reading is not None and not reading.differences:
            return True
    return False
