from __future__ import annotations

import json
from typing import Any, get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Call, CallResult, CallStatus
from fcbench.core.names import Tier, ToolName
from fcbench.core.records import encode_line
from fcbench.core.verdicts import Verdict
from fcbench.evaluator import EXPECTED, applicable_tiers, golden_attempt, judge, mutations, wrong_reason
from tests.evaluator.world import CONTRACTS, attempt
from tests.strategies import json_objects, judged_cases, rich_cases

World = dict[ToolName, ToolContract]
Judged = tuple[Case, World]
STRICT: Tier = "native-function-contract"
COMPLETE: Tier = "task-completion-contract"
drawn = judged_cases() | rich_cases()
few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def at_every_tier(case: Case, contracts: World, found: Attempt) -> list[Verdict]:
    return [
        judge(case, found, contracts, harness, tier)
        for harness in case.harnesses
        for tier in applicable_tiers(case, harness)
    ]


def edited(found: Attempt, edit: Any) -> Attempt:
    """The attempt with `edit` applied to the arguments of every call."""
    return replace(
        found,
        rounds=tuple(
            replace(
                turn,
                calls=tuple(
                    replace(call, arguments=edit(call.arguments), raw_arguments=json.dumps(edit(call.arguments)))
                    for call in turn.calls
                ),
            )
            for turn in found.rounds
        ),
    )


def reversed_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    return [reversed_keys(item) for item in value] if isinstance(value, list) else value


def numbers_for_booleans(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dict):
        return {key: numbers_for_booleans(item) for key, item in value.items()}
    return [numbers_for_booleans(item) for item in value] if isinstance(value, list) else value


@given(drawn)
@few
def test_the_golden_run_passes_at_every_tier(judged: Judged) -> None:
    case, contracts = judged
    for verdict in at_every_tier(case, contracts, golden_attempt(case, contracts)):
        assert verdict.passed, [fault.sentence for fault in verdict.faults]
        assert verdict.partial.score == 1.0
        assert verdict.dimensions.exact_match


@given(drawn)
@few
def test_every_mutation_does_what_the_table_says(judged: Judged) -> None:
    case, contracts = judged
    for operator, mutated in mutations(case, golden_attempt(case, contracts), contracts):
        for verdict in at_every_tier(case, contracts, mutated):
            wanted = EXPECTED[operator, verdict.tier] == "pass"
            assert verdict.passed is wanted, (operator, verdict.tier, [fault.sentence for fault in verdict.faults])
            if not wanted:
                assert wrong_reason(operator, case, verdict) is None, (
                    operator,
                    verdict.tier,
                    wrong_reason(operator, case, verdict),
                )


@given(drawn)
@few
def test_the_order_of_keys_never_matters(judged: Judged) -> None:
    case, contracts = judged
    golden = golden_attempt(case, contracts)
    turned = edited(golden, reversed_keys)
    assert at_every_tier(case, contracts, turned) == at_every_tier(case, contracts, golden)
    other_order = dict(reversed(contracts.items()))
    assert at_every_tier(case, other_order, golden) == at_every_tier(case, contracts, golden)


@given(drawn)
@few
def test_true_is_not_one(judged: Judged) -> None:
    case, contracts = judged
    golden = golden_attempt(case, contracts)
    plain = edited(golden, numbers_for_booleans)
    same = all(
        repr(one.arguments) == repr(other.arguments) for one, other in zip(golden.calls, plain.calls, strict=True)
    )
    for verdict in at_every_tier(case, contracts, plain):
        assert verdict.passed is same


@given(drawn, st.randoms(use_true_random=False))
@few
def test_a_free_order_block_may_come_in_any_order(judged: Judged, chance: Any) -> None:
    case, contracts = judged
    golden = golden_attempt(case, contracts)
    rounds = []
    for turn in golden.rounds:
        calls = list(turn.calls)
        chance.shuffle(calls)
        rounds.append(replace(turn, calls=tuple(calls)))
    for verdict in at_every_tier(case, contracts, replace(golden, rounds=tuple(rounds))):
        assert verdict.passed, [fault.sentence for fault in verdict.faults]


def _call(name: str, arguments: dict[str, Any] | None, status: CallStatus, content: Any) -> Call:
    raw = "{broken" if arguments is None else json.dumps(arguments)
    result = CallResult(status=status, content=content)
    return Call(id="c", name=name, raw_arguments=raw, arguments=arguments, result=result)


def hostile_calls(names: list[str]) -> st.SearchStrategy[Call]:
    likely = st.fixed_dictionaries(
        {},
        optional={
            "a": st.integers(0, 3),
            "ref": st.integers(0, 9),
            "name": st.text(max_size=3),
            "dossier_id": st.none(),
        },
    )
    return st.builds(
        _call,
        st.sampled_from([*names, "no_such_tool", ""]),
        st.none() | json_objects | likely,
        st.sampled_from(get_args(CallStatus)),
        st.none() | st.fixed_dictionaries({"at": st.integers(0, 9) | st.text(max_size=2)}),
    )


@given(drawn, st.data())
@few
def test_no_evidence_crashes_the_evaluator_or_slips_past_its_own_conditions(
    judged: Judged, data: st.DataObject
) -> None:
    case, contracts = judged
    every = {**CONTRACTS, **contracts}
    calls = hostile_calls(sorted(every))
    rounds = data.draw(st.lists(st.lists(calls, max_size=3) | st.text(max_size=5), max_size=4))
    found = attempt(*rounds, task_id=case.id)
    verdicts = {verdict.tier: verdict for verdict in at_every_tier(case, every, found)}
    for verdict in verdicts.values():
        assert encode_line(verdict)
        assert bool(verdict.faults) is not verdict.passed
        assert 0 <= verdict.partial.score <= 1
        assert {judgement.call for judgement in verdict.judgements} == set(range(len(found.calls)))
        assert verdict.passed_with_recovery or not verdict.passed
    if verdicts["real-tool-execution"].passed:
        assert verdicts[STRICT].passed
        assert verdicts[COMPLETE].passed


@given(drawn)
@few
def test_judging_again_gives_the_same_verdict(judged: Judged) -> None:
    case, contracts = judged
    golden = golden_attempt(case, contracts)
    changed = [mutated for _, mutated in mutations(case, golden, contracts)][:5]
    for found in (golden, *changed):
        assert at_every_tier(case, contracts, found) == at_every_tier(case, dict(contracts), found)
