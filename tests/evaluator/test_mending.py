"""Would pass if: checked against the evaluator, edit by edit."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.core.cases import Case
from fcbench.core.evidence import Attempt
from fcbench.core.names import HarnessName, Tier
from fcbench.errors import BadInputError
from fcbench.evaluator import applicable_tiers, golden_attempt, judge, mutations
from fcbench.evaluator.judge import passes
from fcbench.evaluator.mend_apply import Bench, applied
from fcbench.evaluator.mend_edits import MAX_EDITS, Edit, sides
from fcbench.evaluator.mending import Mending, would_pass_if
from tests.evaluator.rows import ROWS, Row
from tests.evaluator.test_mutations import CASES, places
from tests.evaluator.world import CONTRACTS, attempt, call, case, step

SUBSETS_UP_TO = 6


def mended(judged: Case, made: Attempt, harness: HarnessName, tier: Tier) -> Mending | None:
    verdict = judge(judged, made, CONTRACTS, harness, tier)
    return would_pass_if(Bench(case=judged, contracts=CONTRACTS, harness=harness), made, verdict)


def passes_with(judged: Case, made: Attempt, place: tuple[HarnessName, Tier], edits: tuple[Edit, ...]) -> bool:
    """Whether the attempt passes with exactly these edits: made and judged here once more."""
    harness, tier = place
    if judged.task.single_call:
        made = replace(made, rounds=made.rounds[:1])
    verdict = judge(judged, made, CONTRACTS, harness, tier)
    run = judged.oracle.calls if judged.oracle.decision == "call" else ()
    both = sides(made, run, verdict)
    try:
        changed = applied(Bench(case=judged, contracts=CONTRACTS, harness=harness), both, edits)
    except BadInputError:  # a value would come from an answer that nothing gives
        return False
    return judge(judged, changed, CONTRACTS, harness, tier).passed


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_every_kind_of_fault_has_changes_that_pass_and_none_of_them_can_stay_away(row: Row) -> None:
    found = mended(row.case, row.attempt, row.harness, row.tier)
    assert found is not None
    assert all(edit.kind != "golden_run" for edit in found.edits)
    if row.case.oracle.alternatives:
        return
    place = (row.harness, row.tier)
    assert passes_with(row.case, row.attempt, place, found.edits)
    for size in range(min(len(found.edits), SUBSETS_UP_TO)):
        for fewer in combinations(found.edits, size):
            assert not passes_with(row.case, row.attempt, place, fewer), fewer


@pytest.mark.parametrize(("name", "harness", "tier"), places())
def test_one_change_of_a_golden_run_is_mended_by_few(name: str, harness: HarnessName, tier: Tier) -> None:
    judged = CASES[name]
    golden = golden_attempt(judged, CONTRACTS, harness=harness)
    for operator, mutated in mutations(judged, golden, CONTRACTS):
        if judge(judged, mutated, CONTRACTS, harness, tier).passed:
            continue
        found = mended(judged, mutated, harness, tier)
        assert found is not None, operator
        if operator in ("wrong_value", "dropped_required_key", "wrong_tool", "missing_step", "duplicate"):
            assert len(found.edits) == 1, (operator, found.edits)


@pytest.mark.parametrize(("name", "harness", "tier"), places())
def test_the_short_answer_is_that_of_the_verdict(name: str, harness: HarnessName, tier: Tier) -> None:
    judged = CASES[name]
    golden = golden_attempt(judged, CONTRACTS, harness=harness)
    for made in (golden, *(mutated for _, mutated in mutations(judged, golden, CONTRACTS))):
        verdict = judge(judged, made, CONTRACTS, harness, tier)
        assert passes(judged, made, CONTRACTS, harness, tier) is verdict.passed


def kinds(found: Mending | None) -> list[tuple[str, str | None]]:
    assert found is not None
    return [(edit.kind, edit.pointer) for edit in found.edits]


TWO = case(step("find", "search_gene", {"name": "araA"}), step("read", "get_bases", {"start": 3, "end": 7}))


@pytest.mark.parametrize(
    ("calls", "wanted"),
    [
        pytest.param(
            [call("search_gene", {"name": "araA"}), call("get_bases", {"start": 3, "end": 8})],
            [("set_value", "/end")],
            id="a wrong value",
        ),
        pytest.param(
            [call("search_gene", {"name": "araB"}), call("get_bases", {"start": 3, "end": 8})],
            [("set_value", "/name"), ("set_value", "/end")],
            id="two wrong values",
        ),
        pytest.param([call("get_bases", {"start": 3, "end": 7})], [("add_call", None)], id="a missing call"),
        pytest.param(
            [call("get_bases", {"start": 3, "end": 7}), call("search_gene", {"name": "araA"})],
            [("order", None)],
            id="the wrong order",
        ),
        pytest.param(
            [
                call("search_gene", {"name": "araA"}),
                call("get_bases", {"start": 3, "end": 7}),
                call("get_bases", {"start": 3, "end": 7}),
            ],
            [("drop_call", None)],
            id="a call too many",
        ),
        pytest.param([], [("add_call", None), ("add_call", None)], id="no call"),
    ],
)
def test_the_changes_are_those_that_a_person_would_name(calls: list[object], wanted: list[tuple[str, str]]) -> None:
    made = attempt(*calls, *([] if calls else ["Done."]))  # type: ignore[arg-type]
    assert kinds(mended(TWO, made, "contract", "native-function-contract")) == wanted


def test_an_attempt_that_passed_has_no_changes() -> None:
    golden = golden_attempt(TWO, CONTRACTS)
    assert mended(TWO, golden, "contract", "native-function-contract") is None


def test_a_changed_call_on_the_workbench_takes_its_result_for_granted() -> None:
    judged = case(step("find", "search_gene", {"name": "araA"}))
    made = golden_attempt(judged, CONTRACTS, harness="workbench")
    wrong = replace(made.rounds[0].calls[0], arguments={"name": "x"}, raw_arguments='{"name": "x"}')
    made = replace(made, rounds=(replace(made.rounds[0], calls=(wrong,)), *made.rounds[1:]))
    found = mended(judged, made, "workbench", "task-completion-execution")
    assert found is not None
    assert found.takes_results_for_granted
    on_contract = mended(judged, made, "contract", "native-function-contract")
    assert on_contract is not None
    assert not on_contract.takes_results_for_granted


def test_an_attempt_further_away_than_any_list_needs_the_whole_golden_run() -> None:
    calls = [call("insert", {"position": number}) for number in range(1, MAX_EDITS + 3)]
    found = mended(TWO, attempt(*calls), "contract", "native-function-contract")
    assert kinds(found) == [("golden_run", None)]


ARGUMENTS = st.dictionaries(
    st.sampled_from(["start", "end", "name", "x", ""]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=5,
)
CALLS = st.lists(
    st.builds(call, st.sampled_from(["search_gene", "get_bases", "insert", "no_such"]), ARGUMENTS), max_size=4
)


@given(
    calls=CALLS, place=st.sampled_from([(one, tier) for one in TWO.harnesses for tier in applicable_tiers(TWO, one)])
)
def test_whatever_a_model_did_the_changes_are_judged(calls: list[object], place: tuple[HarnessName, Tier]) -> None:
    made = attempt(*calls)  # type: ignore[arg-type]
    harness, tier = place
    if judge(TWO, made, CONTRACTS, harness, tier).passed:
        return
    found = mended(TWO, made, harness, tier)
    assert found is not None
    if found.edits[0].kind != "golden_run":
        assert passes_with(TWO, made, place, found.edits)
