from __future__ import annotations

from typing import get_args

import pytest

from fcbench.core.cases import Case
from fcbench.core.names import HarnessName, Tier, ToolName
from fcbench.core.verdicts import FaultKind
from fcbench.evaluator import (
    CONDITIONS,
    EXPECTED,
    OPERATORS,
    REASONS,
    applicable_tiers,
    golden_attempt,
    judge,
    mutations,
    wrong_reason,
)
from tests.evaluator.world import CONTRACTS, attempt, call, case, dutch, step

FIND = step("find", "search_gene", {"name": "araA"})
CASES = {
    "one-call": case(FIND),
    "chain": case(
        FIND,
        step("read", "get_bases", {"start": 3, "end": {"$one_of": [7, 8]}}),
        step("put", "insert", {"position": {"$tolerance": {"value": 5, "absolute": 2}}}),
        step("run", "apply", after=("put",)),
        step("keep", "save", {"path": {"$path": "out/a"}}),
    ),
    "block": case(
        step("one", "search_gene", {"name": "a"}, block=1),
        step("two", "search_feature", {"query": {"$casefold": "b"}}, block=1),
        step("three", "go_to", {"position": 4}),
    ),
    "complex": dutch(
        "…",
        step("vul", "aanvraag", {"dossier_id": "DOS-12345", "delen": {"$set": [{"hoofdsom": 1}, {"hoofdsom": 2}]}}),
    ),
    "call-only": case(FIND, oracle={"call_only": True}),
    "no-other-tool": case(FIND, task={"tools": (ToolName("search_gene"),)}),
    "ask": case(decision="ask", missing=("name",)),
    "no-call": case(decision="no_call"),
    "ask-complex": dutch("…", decision="ask", missing=("dossier_id",)),
    "alternatives": case(FIND, oracle={"alternatives": ((step("other", "search_feature", {"query": "araA"}),),)}),
}


def places() -> list[tuple[str, HarnessName, Tier]]:
    return [
        (name, harness, tier)
        for name, judged in CASES.items()
        for harness in judged.harnesses
        for tier in applicable_tiers(judged, harness)
    ]


def verdicts(judged: Case, harness: HarnessName, tier: Tier) -> list[tuple[str, str]]:
    golden = golden_attempt(judged, CONTRACTS, harness=harness)
    found = []
    for operator, mutated in mutations(judged, golden, CONTRACTS):
        verdict = judge(judged, mutated, CONTRACTS, harness, tier)
        found.append((operator, "pass" if verdict.passed else "fail"))
        assert bool(verdict.faults) is not verdict.passed
        if not verdict.passed:
            assert wrong_reason(operator, judged, verdict) is None, (operator, wrong_reason(operator, judged, verdict))
    return found


@pytest.mark.parametrize(("name", "harness", "tier"), places())
def test_every_mutation_does_what_the_table_says(name: str, harness: HarnessName, tier: Tier) -> None:
    found = verdicts(CASES[name], harness, tier)
    assert found
    for operator, result in found:
        assert result == EXPECTED[operator, tier], operator  # type: ignore[index]


def test_every_operator_is_exercised_at_every_tier() -> None:
    met = {(operator, tier) for name, harness, tier in places() for operator, _ in verdicts(CASES[name], harness, tier)}
    assert met == set(EXPECTED)
    assert {operator for operator, _ in EXPECTED} == set(OPERATORS)
    assert {tier for _, tier in EXPECTED} == set(get_args(Tier))


@pytest.mark.parametrize("run", [0, 1])
def test_each_golden_run_passes(run: int) -> None:
    judged = CASES["alternatives"]
    golden = golden_attempt(judged, CONTRACTS, run=run)
    assert judge(judged, golden, CONTRACTS, "contract", "native-function-contract").passed


def test_any_call_data_have_no_mutations() -> None:
    judged = case(decision="any_call")
    assert list(mutations(judged, golden_attempt(judged, CONTRACTS), CONTRACTS)) == []


def test_steps_that_can_stand_for_one_another_are_not_exchanged() -> None:
    # The second search equals the first, so after the exchange the first one may give the place: that attempt is right.
    again = step("again", "search_gene", {"name": "araA"})
    judged = case(FIND, again, step("read", "get_bases", {"start": 3}, after=("again",)))
    golden = golden_attempt(judged, CONTRACTS)
    assert not [operator for operator, _ in mutations(judged, golden, CONTRACTS) if operator.startswith("swapped")]


def test_every_failure_of_the_table_has_a_reason_and_no_other() -> None:
    assert set(REASONS) == {key for key, result in EXPECTED.items() if result == "fail"}
    for reasons in REASONS.values():
        for reason in reasons:
            assert reason.conditions | reason.perhaps <= set(CONDITIONS)
            assert reason.kinds | reason.consequences <= set(get_args(FaultKind))


def test_a_failure_for_another_reason_is_told() -> None:
    found = attempt(call("search_gene", {"name": "araB"}))
    verdict = judge(case(FIND), found, CONTRACTS, "contract", "native-function-contract")
    assert wrong_reason("wrong_value", case(FIND), verdict) is None
    assert wrong_reason("missing_step", case(FIND), verdict) == "conditions argument_values, fault kinds wrong_value"
    # The right kind, but one more condition fails than the change can explain.
    beside = attempt(call("search_gene", {"name": "araB"}), call("search_gene", {"name": "araA", "x": 1}))
    verdict = judge(case(FIND), beside, CONTRACTS, "contract", "native-function-contract")
    assert wrong_reason("wrong_value", case(FIND), verdict) is not None
