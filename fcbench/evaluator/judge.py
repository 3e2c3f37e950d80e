"""Judge one attempt of one case at one tier.

`judge` is a pure function of its arguments: the same evidence gives the same verdict, on every machine and in any
order. `EVALUATOR_VERSION` is raised whenever any input could get another verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, HarnessName, Tier, ToolName
from fcbench.core.verdicts import CallJudgement, Condition, Verdict
from fcbench.errors import BadInputError
from fcbench.evaluator.anomalies import anomalies
from fcbench.evaluator.conditions import STRICT_PASS, call_conditions
from fcbench.evaluator.decisions import judge_any_call, judge_restraint
from fcbench.evaluator.dimensions import ALL_RIGHT, call_dimensions
from fcbench.evaluator.facts import Facts, gather
from fcbench.evaluator.faults import call_faults
from fcbench.evaluator.partial import WHOLE, partial_score
from fcbench.evaluator.plan import RESEMBLES, RunPlan, applicable_tiers, plan_of
from fcbench.evaluator.recovery import passes_with_recovery, recovered_calls
from fcbench.evaluator.scene import Scene, scene_of
from fcbench.evaluator.version import EVALUATOR_VERSION

__all__ = ["EVALUATOR_VERSION", "applicable_tiers", "judge", "passes"]


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
        contracts: every contract that an offered or expected call names, by the name that the model sees
            (`core.contracts.contracts_of`); neither it nor the case is changed between calls.
        harness: the harness that made the evidence.
        tier: the tier to judge at.

    Raises:
        TierNotApplicableError: the evidence of this harness, or this case, cannot support the tier.
        BadInputError: the attempt has no scorable outcome, belongs to another case, or a contract is missing.
    """
    plan = plan_of(case, contracts, harness, tier)
    _check(case, attempt)
    scene = scene_of(plan, attempt, first_reply=case.task.single_call)
    decision = case.oracle.decision
    if decision != "call":
        return judge_any_call(scene) if decision == "any_call" else judge_restraint(scene)
    return _judge_calls(scene)


def passes(
    case: Case,
    attempt: Attempt,
    contracts: Mapping[ToolName, ToolContract],
    harness: HarnessName,
    tier: Tier,
) -> bool:
    """Whether `judge` would pass an attempt, without a word on why not: for who asks of many changed attempts.

    Raises:
        TierNotApplicableError: as `judge`.
        BadInputError: as `judge`.
    """
    plan = plan_of(case, contracts, harness, tier)
    _check(case, attempt)
    scene = scene_of(plan, attempt, first_reply=case.task.single_call)
    decision = case.oracle.decision
    if decision != "call":
        return (judge_any_call(scene) if decision == "any_call" else judge_restraint(scene)).passed
    return any(_all_hold(scene, call_conditions(gather(scene, run))) for run in plan.runs)


def _all_hold(scene: Scene, conditions: tuple[Condition, ...]) -> bool:
    # At the strict tier of contracts the other passing conditions do not exist: only `STRICT_PASS` passes.
    if scene.rules.tier == "native-function-contract":
        return conditions == STRICT_PASS
    return all([condition.passed for condition in conditions])


def _check(case: Case, attempt: Attempt) -> None:
    if attempt.outcome not in SCORABLE:
        raise BadInputError(
            "an attempt without a scorable outcome is never judged",
            wanted=", ".join(sorted(SCORABLE)),
            found=attempt.outcome,
            where=f"case {case.task.id}, repeat {attempt.repeat}",
            next_step="count it in the completion rate instead (PROTOCOL 2)",
        )
    if attempt.task_id != case.task.id:
        raise BadInputError(
            "the attempt belongs to another case", wanted=case.id, found=attempt.task_id, where=f"case {case.id}"
        )


def _judge_calls(scene: Scene) -> Verdict:
    """Judge against every golden run and keep the best: passed first, then the higher partial score, then the first."""
    best, *others = scene.plan.runs
    verdict = _judge_run(scene, best)
    for run in others:
        if verdict.passed:
            break
        other = _judge_run(scene, run)
        if _rank(other) > _rank(verdict):
            verdict = other
    return verdict


def _rank(verdict: Verdict) -> tuple[bool, bool, float]:
    return verdict.passed, verdict.passed_with_recovery, verdict.partial.score


_NOTHING: Final[frozenset[int]] = frozenset()


def _judge_run(scene: Scene, run: RunPlan) -> Verdict:
    offered = _are_offered(scene)
    facts = gather(scene, run)
    conditions = call_conditions(facts)
    if conditions == STRICT_PASS:
        return _plain_pass(facts, offered)
    passed = _all_hold(scene, conditions)
    faults = () if passed else call_faults(facts)
    partial = partial_score(facts, passed=passed)
    lenient = not passed and not scene.rules.strict
    return Verdict(
        task_id=scene.attempt.task_id,
        repeat=scene.attempt.repeat,
        tier=scene.rules.tier,
        evaluator_version=EVALUATOR_VERSION,
        passed=passed,
        passed_with_recovery=passed or (lenient and passes_with_recovery(scene, run)),
        conditions=conditions,
        partial=partial,
        dimensions=call_dimensions(facts, faults),
        faults=faults,
        judgements=_judgements(facts, recovered_calls(scene, run) if lenient else _NOTHING),
        conforming_replies=_conforming_replies(scene) if scene.first_reply else (),
        expected_tools_offered=offered,
        anomalies=anomalies(scene, partial, faults, offered=offered),
    )


def _plain_pass(facts: Facts, offered: bool) -> Verdict:
    """The verdict of an attempt that passes `native-function-contract`: what follows from that is the same for all."""
    attempt = facts.scene.attempt
    return Verdict(
        task_id=attempt.task_id,
        repeat=attempt.repeat,
        tier=facts.scene.rules.tier,
        evaluator_version=EVALUATOR_VERSION,
        passed=True,
        passed_with_recovery=True,
        conditions=STRICT_PASS,
        partial=WHOLE,
        dimensions=ALL_RIGHT[facts.fields > 0],
        judgements=_judgements(facts, _NOTHING),
        conforming_replies=_conforming_replies(facts.scene) if facts.scene.first_reply else (),
        expected_tools_offered=offered,
        anomalies=anomalies(facts.scene, WHOLE, (), offered=offered),
    )


def _are_offered(scene: Scene) -> bool:
    """Whether every tool of some golden run was among the candidates."""
    runs, candidates = scene.plan.runs, scene.candidates
    return not candidates or runs[0].tools <= candidates or any(run.tools <= candidates for run in runs[1:])


def _judgements(facts: Facts, recovered: frozenset[int]) -> tuple[CallJudgement, ...]:
    if facts.scene.rules.strict and facts.are_straight:
        return facts.run.as_written
    found = [
        CallJudgement(
            call=item.call.index,
            step=item.step.step,
            role="expected" if item.call.name == item.step.tool else "equivalent",
            reason=(item.reading.how if item.reading is not None else None) or RESEMBLES,
        )
        for item in facts.steps
        if item.call is not None and item.call.index not in recovered
    ]
    for extra in facts.extras:
        if extra.call.index not in recovered:
            role = "tolerated" if extra.tolerated else "unexpected"
            found.append(CallJudgement(call=extra.call.index, role=role, reason=extra.reason))  # type: ignore[arg-type]
    for index in recovered:
        reason = "rejected, and followed by a right call of the same tool"
        found.append(CallJudgement(call=index, role="recovered", reason=reason))
    if len(found) > 1:
        found.sort(key=_place)
    return tuple(found)


def _place(judgement: CallJudgement) -> int:
    return judgement.call


def _conforming_replies(scene: Scene) -> tuple[bool, ...]:
    """For each of the first three replies: did it hold calls, and did all of them conform?"""
    rounds = scene.attempt.rounds[:3]
    if len(rounds) == 1:
        return (bool(scene.calls) and scene.all_valid,)
    whole = scene.with_all_replies()
    return tuple(
        bool(calls) and all(call.valid for call in calls)
        for turn in rounds
        for calls in [[call for call in whole.calls if call.round == turn.number]]
    )
