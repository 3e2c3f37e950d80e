"""Rejected invalid calls that were followed by a right call of the same tool (PROTOCOL 3, rule 4)."""

from __future__ import annotations

from collections.abc import Sequence

from fcbench.evaluator.conditions import call_conditions
from fcbench.evaluator.facts import Facts, gather
from fcbench.evaluator.observed import Observed
from fcbench.evaluator.plan import RunPlan
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.search import Search


def passes_with_recovery(scene: Scene, run: RunPlan) -> bool:
    """Whether a completion tier passes once the recovered calls are left out. Strict tiers know no recovery."""
    found = _without_recovered(scene, run)
    return found is not None and all(condition.passed for condition in call_conditions(found[0]))


def recovered_calls(scene: Scene, run: RunPlan) -> frozenset[int]:
    """Positions of the recovered calls among those that count."""
    found = _without_recovered(scene, run)
    return found[1] & frozenset(call.index for call in scene.calls) if found is not None else frozenset()


def _without_recovered(scene: Scene, run: RunPlan) -> tuple[Facts, frozenset[int]] | None:
    """The facts without the recovered calls, and which those are; None where there are none."""
    if scene.rules.strict or scene.timed_out:
        return None
    # The verdict of a single-call task judges the first reply alone; recovery asks what came of the error replies.
    scene = scene.with_all_replies()
    rejected = [call for call in scene.calls if not call.valid and call.status == "invalid"]
    if not rejected:
        return None
    refused = frozenset(call.index for call in rejected)
    facts = gather(scene.without(refused), run)
    recovered = frozenset(call.index for call in rejected if _is_recovered(call, facts, run))
    if not recovered:
        return None
    if len(recovered) < len(rejected):
        facts = gather(scene.without(recovered), run)
    return facts, recovered


def _is_recovered(rejected: Observed, facts: Facts, run: RunPlan) -> bool:
    for item in facts.steps:
        call = item.call
        if call is not None and _follows(call, rejected) and not item.differences:
            return True
    # A matching call may also stand after another one that took the step.
    search = Search(run, facts.scene.calls, facts.scene.rules)
    chosen = [item.call for item in facts.steps]
    return any(
        _follows(extra.call, rejected) and _matches_some_step(extra.call, chosen, search) for extra in facts.extras
    )


def _follows(call: Observed, rejected: Observed) -> bool:
    return call.name == rejected.name and call.index > rejected.index and call.valid


def _matches_some_step(call: Observed, chosen: Sequence[Observed | None], search: Search) -> bool:
    for step, expected in enumerate(search.plan.expected):
        if call.name == expected.tool:
            reading = search.reading(step, call, chosen)
            if reading is not None and not reading.differences:
                return True
    return False
