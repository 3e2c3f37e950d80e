"""Judge one attempt of one case at one tier.

`judge` is a pure function of its arguments: the same evidence gives the same verdict, on every machine and in any
order. `EVALUATOR_VERSION` is raised whenever any input could get another verdict.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, TIERS_OF_HARNESS, HarnessName, Tier, ToolName
from fcbench.core.verdicts import CallJudgement, Condition, Verdict
from fcbench.errors import BadInputError, TierNotApplicableError
from fcbench.evaluator.anomalies import anomalies
from fcbench.evaluator.conditions import call_conditions, restraint_conditions
from fcbench.evaluator.dimensions import call_dimensions, restraint_dimensions
from fcbench.evaluator.facts import Facts, gather
from fcbench.evaluator.faults import call_faults
from fcbench.evaluator.partial import partial_score, restraint_score
from fcbench.evaluator.recovery import passes_with_recovery, recovered_calls
from fcbench.evaluator.restraint import restraint_faults
from fcbench.evaluator.scene import Scene, scene_of

EVALUATOR_VERSION = 1
"""An integer, part of the board key."""


def applicable_tiers(case: Case, harness: HarnessName) -> tuple[Tier, ...]:
    """The tiers at which attempts of this case on this harness can be judged (PROTOCOL 3)."""
    if harness not in case.harnesses:
        return ()
    tiers = TIERS_OF_HARNESS[harness]
    return tuple(tier for tier in tiers if not (case.oracle.call_only and tier == "real-tool-execution"))


def judge(
    case: Case,
    attempt: Attempt,
    contracts: Mapping[ToolName, ToolContract],
    harness: HarnessName,
    tier: Tier,
) -> Verdict:
    """What this version of the evaluator says of one attempt at one tier.

    Args:
        case: the case as run.
        attempt: its evidence.
        contracts: every contract that an offered or expected call names.
        harness: the harness that made the evidence.
        tier: the tier to judge at.

    Raises:
        TierNotApplicableError: the evidence of this harness, or this case, cannot support the tier.
        BadInputError: the attempt has no scorable outcome, belongs to another case, or a contract is missing.
    """
    _check(case, attempt, contracts, harness, tier)
    scene = scene_of(case, attempt, contracts, tier, first_reply=case.task.single_call)
    verdict = _judge_restraint(scene) if case.oracle.decision != "call" else _judge_calls(scene)
    if case.task.single_call and case.oracle.decision == "call":
        return replace(verdict, conforming_replies=_conforming_replies(scene))
    return verdict


def _check(
    case: Case,
    attempt: Attempt,
    contracts: Mapping[ToolName, ToolContract],
    harness: HarnessName,
    tier: Tier,
) -> None:
    applicable = applicable_tiers(case, harness)
    if tier not in applicable:
        raise TierNotApplicableError(
            f"{tier} cannot be judged from this evidence",
            wanted=", ".join(applicable) or f"a case that the {harness} harness can carry",
            found=f"tier {tier}, harness {harness}{', a call-only case' if case.oracle.call_only else ''}",
            where=f"case {case.id}",
            next_step="choose one of the wanted tiers, or run the case on another harness",
        )
    if attempt.outcome not in SCORABLE:
        raise BadInputError(
            "an attempt without a scorable outcome is never judged",
            wanted=", ".join(sorted(SCORABLE)),
            found=attempt.outcome,
            where=f"case {case.id}, repeat {attempt.repeat}",
            next_step="count it in the completion rate instead (PROTOCOL 2)",
        )
    if attempt.task_id != case.id:
        raise BadInputError(
            "the attempt belongs to another case", wanted=case.id, found=attempt.task_id, where=f"case {case.id}"
        )
    runs = _runs(case)
    lacking = sorted({step.tool for run in runs for step in run if step.tool not in contracts})
    if lacking or (case.oracle.decision == "call" and not all(runs)):
        raise BadInputError(
            "the case cannot be judged",
            wanted="a golden run with at least one call, and a contract of every expected tool",
            found=f"no contract of {', '.join(lacking)}" if lacking else "an empty golden run",
            where=f"case {case.id}",
        )


def _runs(case: Case) -> tuple[tuple[ExpectedCall, ...], ...]:
    """Every golden run. For imported `any_call` data each expected tool alone is one."""
    oracle = case.oracle
    if oracle.decision != "call":
        return ()
    if oracle.any_call:
        return tuple((step,) for step in oracle.calls)
    return (oracle.calls, *oracle.alternatives)


def _judge_calls(scene: Scene) -> Verdict:
    """Judge against every golden run and keep the best: passed first, then the higher partial score, then the first."""
    best: Verdict | None = None
    for run in _runs(scene.case):
        verdict = _judge_run(scene, run)
        if best is None or _rank(verdict) > _rank(best):
            best = verdict
        if best.passed:
            break
    if best is None:  # pragma: no cover - `_check` refuses a case without a golden run
        raise BadInputError("the case has no golden run", where=f"case {scene.case.id}")
    return best


def _rank(verdict: Verdict) -> tuple[bool, bool, float]:
    return verdict.passed, verdict.passed_with_recovery, verdict.partial.score


def _judge_run(scene: Scene, run: tuple[ExpectedCall, ...]) -> Verdict:
    facts = gather(scene, run)
    conditions = call_conditions(facts)
    passed = all(condition.passed for condition in conditions)
    faults = () if passed else call_faults(facts)
    partial = partial_score(facts, passed=passed)
    offered = _are_offered(scene)
    return Verdict(
        task_id=scene.case.id,
        repeat=scene.attempt.repeat,
        tier=scene.rules.tier,
        evaluator_version=EVALUATOR_VERSION,
        passed=passed,
        passed_with_recovery=passed or passes_with_recovery(scene, run),
        conditions=conditions,
        partial=partial,
        dimensions=call_dimensions(facts, faults),
        faults=faults,
        judgements=_judgements(facts, recovered_calls(scene, run) if not passed else frozenset()),
        expected_tools_offered=offered,
        anomalies=anomalies(scene, partial, faults, offered=offered),
    )


def _are_offered(scene: Scene) -> bool:
    """Whether every tool of some golden run was among the candidates."""
    runs = _runs(scene.case)
    if not scene.candidates or not runs:
        return True
    return any(all(step.tool in scene.candidates for step in run) for run in runs)


def _judgements(facts: Facts, recovered: frozenset[int]) -> tuple[CallJudgement, ...]:
    found = [
        CallJudgement(
            call=item.call.index,
            step=item.step.step,
            role="expected" if item.call.name == item.step.tool else "equivalent",
            reason=(item.reading.how if item.reading is not None else None)
            or "of all calls it resembles this step most",
        )
        for item in facts.steps
        if item.call is not None and item.call.index not in recovered
    ]
    found += [
        CallJudgement(call=extra.call.index, role="tolerated" if extra.tolerated else "unexpected", reason=extra.reason)
        for extra in facts.extras
        if extra.call.index not in recovered
    ]
    found += [
        CallJudgement(call=index, role="recovered", reason="rejected, and followed by a right call of the same tool")
        for index in recovered
    ]
    return tuple(sorted(found, key=lambda judgement: judgement.call))


def _judge_restraint(scene: Scene) -> Verdict:
    conditions: tuple[Condition, ...] = restraint_conditions(scene)
    passed = all(condition.passed for condition in conditions)
    faults = () if passed else restraint_faults(scene)
    changes = sum(call.contract is not None and call.contract.changes_state for call in scene.calls)
    partial = restraint_score(scene, passed=passed, unexpected=changes)
    return Verdict(
        task_id=scene.case.id,
        repeat=scene.attempt.repeat,
        tier=scene.rules.tier,
        evaluator_version=EVALUATOR_VERSION,
        passed=passed,
        passed_with_recovery=passed,
        conditions=conditions,
        partial=partial,
        dimensions=restraint_dimensions(scene, faults),
        faults=faults,
        judgements=tuple(
            CallJudgement(call=call.index, role="tolerated" if passed else "unexpected", reason="no call is due")
            for call in scene.calls
        ),
        anomalies=anomalies(scene, partial, faults, offered=True),
    )


def _conforming_replies(scene: Scene) -> tuple[bool, ...]:
    """For each of the first three replies: did it hold calls, and did all of them conform?"""
    whole = scene_of(scene.case, scene.attempt, scene.rules.contracts, scene.rules.tier, first_reply=False)
    return tuple(
        bool(calls) and all(call.valid for call in calls)
        for turn in scene.attempt.rounds[:3]
        for calls in [[call for call in whole.calls if call.round == turn.number]]
    )
