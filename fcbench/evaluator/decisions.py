"""Verdicts of cases without a golden run: `no_call`, `unavailable`, `ask`, and `any_call` of imported data."""

from __future__ import annotations

from fcbench.core.verdicts import CallJudgement, Condition, Dimensions, Fault, Verdict
from fcbench.evaluator.anomalies import anomalies
from fcbench.evaluator.conditions import any_call_conditions, restraint_conditions
from fcbench.evaluator.dimensions import any_call_dimensions, restraint_dimensions
from fcbench.evaluator.faults import finished, whole_faults
from fcbench.evaluator.partial import decision_score
from fcbench.evaluator.restraint import restraint_faults
from fcbench.evaluator.scene import Scene
from fcbench.evaluator.version import EVALUATOR_VERSION
from fcbench.evaluator.wording import bounded


def judge_restraint(scene: Scene) -> Verdict:
    """No call is due (PROTOCOL 3, decisions)."""
    conditions = restraint_conditions(scene)
    faults = () if _all_pass(conditions) else restraint_faults(scene)
    return _verdict(scene, conditions, faults, restraint_dimensions(scene, faults), "no call is due")


def judge_any_call(scene: Scene) -> Verdict:
    """Imported data that say no more than that a function is relevant: any structured call is right.

    Whether it conforms stands in the dimensions. This is what the source's own relevance check asks (docs/explanation/
    bfcl-agreement.md), and no case of our own is decided so.
    """
    conditions = any_call_conditions(scene)
    faults: tuple[Fault, ...] = ()
    if not _all_pass(conditions):
        found = [fault for fault in whole_faults(scene) if fault.kind == "timed_out"]
        if not scene.calls:
            said = bounded(scene.final_text or None)
            found.append(Fault(kind="no_call", sentence="The attempt holds no structured call.", found=said))
        faults = finished(found)
    return _verdict(scene, conditions, faults, any_call_dimensions(scene), "any call is right")


def _all_pass(conditions: tuple[Condition, ...]) -> bool:
    return all([condition.passed for condition in conditions])


def _verdict(
    scene: Scene, conditions: tuple[Condition, ...], faults: tuple[Fault, ...], dimensions: Dimensions, reason: str
) -> Verdict:
    passed = _all_pass(conditions)
    partial = decision_score(scene, passed=passed)
    return Verdict(
        task_id=scene.attempt.task_id,
        repeat=scene.attempt.repeat,
        tier=scene.rules.tier,
        evaluator_version=EVALUATOR_VERSION,
        passed=passed,
        passed_with_recovery=passed,
        conditions=conditions,
        partial=partial,
        dimensions=dimensions,
        faults=faults,
        judgements=tuple(
            CallJudgement(call=call.index, role="tolerated" if passed else "unexpected", reason=reason)
            for call in scene.calls
        ),
        anomalies=anomalies(scene, partial, faults, offered=True),
    )
