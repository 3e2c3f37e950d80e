from __future__ import annotations

from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import HarnessName, Tier, ToolName
from fcbench.core.verdicts import Verdict
from fcbench.errors import BadInputError, TierNotApplicableError
from fcbench.evaluator import applicable_tiers, judge
from tests.evaluator.world import CONTRACTS, attempt, call, case, dutch, step

STRICT: Tier = "native-function-contract"
REAL: Tier = "real-tool-execution"
DONE: Tier = "task-completion-execution"
COMPLETE: Tier = "task-completion-contract"


def verdict(case: Case, found: Attempt, tier: Tier = COMPLETE) -> Verdict:
    harness: HarnessName = "workbench" if tier in (REAL, DONE) else "contract"
    return judge(case, found, CONTRACTS, harness, tier)


FIND = step("find", "search_gene", {"name": "araA"})
FOUND = call("search_gene", {"name": "araA"})
BASES = step("read", "get_bases", {"start": 10, "end": 20})
READ = call("get_bases", {"start": 10, "end": 20})
PUT = step("put", "insert", {"position": 3})
INSERTED = call("insert", {"position": 3})


@dataclass(frozen=True)
class Row:
    """A case, an attempt, and whether it passes at the strict contract tier and at the completion tier."""

    case: Case
    attempt: Attempt
    strict: bool
    complete: bool


def expecting(arguments: dict[str, object], **more: object) -> Case:
    return case(step("read", "get_bases", arguments, **more))


def calling(arguments: dict[str, object]) -> Attempt:
    return attempt(call("get_bases", arguments))


ROWS = {
    "golden": Row(case(FIND), attempt(FOUND, "There."), True, True),
    "keys in another order": Row(expecting({"start": 1, "end": 2}), calling({"end": 2, "start": 1}), True, True),
    "default left out": Row(expecting({"start": 1, "strand": "+"}), calling({"start": 1}), False, True),
    "default that is not the value": Row(expecting({"start": 1, "strand": "-"}), calling({"start": 1}), False, False),
    "default said": Row(expecting({"start": 1}), calling({"start": 1, "strand": "+"}), False, True),
    "extra that is not the default": Row(expecting({"start": 1}), calling({"start": 1, "strand": "-"}), False, False),
    "may omit": Row(expecting({"start": 1, "end": 2}, may_omit=("end",)), calling({"start": 1}), True, True),
    "may omit, but wrong": Row(
        expecting({"start": 1, "end": 2}, may_omit=("end",)), calling({"start": 1, "end": 3}), False, False
    ),
    "neutral argument": Row(case(FIND), attempt(call("search_gene", {"name": "araA", "limit": 5})), False, True),
    "argument form": Row(expecting({"start": 10, "end": 20}), calling({"offset": 9, "end": 20}), False, True),
    "argument form by presence": Row(
        expecting({"start": 10, "end": 20}), calling({"offset": 8, "end": 20}), False, False
    ),
    "both forms": Row(
        expecting({"start": 10, "end": 20}), calling({"start": 10, "offset": 9, "end": 20}), False, False
    ),
    "equivalent tool": Row(case(FIND), attempt(call("search_feature", {"query": "araA", "kind": "gene"})), False, True),
    "equivalent tool, wrong value": Row(
        case(FIND), attempt(call("search_feature", {"query": "araA", "kind": "cds"})), False, False
    ),
    "equivalent tool, condition not met": Row(
        case(step("find", "search_gene", {"name": "araA", "strict": True})),
        attempt(call("search_feature", {"query": "araA", "kind": "gene"})),
        False,
        False,
    ),
    "equivalent is not mutual": Row(
        case(step("find", "search_feature", {"query": "araA", "kind": "gene"})), attempt(FOUND), False, False
    ),
    "other order": Row(case(FIND, BASES), attempt(READ, FOUND), False, True),
    "one reply, in order": Row(case(FIND, BASES), attempt([FOUND, READ]), True, True),
    "one reply, other order": Row(case(FIND, BASES), attempt([READ, FOUND]), False, True),
    "free block": Row(case(replace(FIND, block=1), replace(BASES, block=1)), attempt(READ, FOUND), True, True),
    "free block, then one more": Row(
        case(replace(FIND, block=1), replace(BASES, block=1), PUT), attempt(READ, INSERTED, FOUND), False, True
    ),
    "needed step later": Row(
        case(PUT, step("run", "apply", after=("put",))), attempt(call("apply"), INSERTED), False, False
    ),
    "needed step earlier": Row(
        case(PUT, step("run", "apply", after=("put",))), attempt(INSERTED, call("apply")), True, True
    ),
    "extra read": Row(case(FIND), attempt(FOUND, READ), False, True),
    "extra view": Row(case(FIND), attempt(FOUND, call("go_to", {"position": 1})), False, True),
    "extra view where the view is the task": Row(
        case(step("mark", "bookmark", {"name": "a"})),
        attempt(call("bookmark", {"name": "a"}), call("go_to", {"position": 1})),
        False,
        False,
    ),
    "another instance of the capability": Row(
        case(PUT), attempt(INSERTED, call("insert", {"position": 9})), False, True
    ),
    "declared follow-up": Row(case(PUT), attempt(INSERTED, call("apply")), False, True),
    "follow-up of nothing": Row(case(FIND), attempt(FOUND, call("apply")), False, False),
    "extra file": Row(case(FIND), attempt(FOUND, call("save", {"path": "a"})), False, False),
    "extra session change": Row(case(FIND), attempt(FOUND, call("bookmark", {"name": "a"})), False, False),
    "failed call": Row(case(FIND), attempt(call("search_gene", {"name": "araA"}, "error")), True, False),
    "failed, then repeated": Row(
        case(FIND), attempt(call("search_gene", {"name": "araA"}, "error"), FOUND), False, True
    ),
    "failed call in a call-only case": Row(
        case(FIND, oracle={"call_only": True}), attempt(call("search_gene", {"name": "araA"}, "error")), True, True
    ),
    "invalid extra read": Row(case(FIND), attempt(FOUND, call("get_bases", {"start": 0})), False, False),
    "text that claims": Row(case(FIND), attempt("I called search_gene(name='araA')."), False, False),
    "no call is due": Row(case(decision="no_call"), attempt("It is 4."), True, True),
    "no call is due, a read": Row(case(decision="no_call"), attempt(FOUND, "It is 4."), False, True),
    "no call is due, an invalid read": Row(
        case(decision="no_call"), attempt(call("search_gene", {}), "It is 4."), False, False
    ),
    "no call is due, a view": Row(
        case(decision="unavailable"), attempt(call("go_to", {"position": 1}), "No."), False, False
    ),
    "nothing at all": Row(case(decision="unavailable"), attempt(), True, True),
    "ask": Row(case(decision="ask"), attempt("Which gene?"), True, True),
    "ask after a read": Row(case(decision="ask"), attempt(FOUND, "Which of the two?"), False, True),
    "ask, cut off": Row(
        case(decision="ask"),
        replace(attempt("Which"), rounds=(replace(attempt("Which").rounds[0], finish_reason="length"),)),
        False,
        False,
    ),
    "any call": Row(case(decision="any_call"), attempt(call("insert", {"position": 77})), True, True),
    "any call, invalid": Row(case(decision="any_call"), attempt(call("search_gene", {})), True, True),
    "any call, not offered": Row(case(decision="any_call"), attempt(call("drop", {"name": "a"})), True, True),
    "any call, but text": Row(case(decision="any_call"), attempt("I would search."), False, False),
    "any call, too late": Row(case(decision="any_call"), attempt(FOUND, outcome="timeout"), False, False),
    "second golden run": Row(case(FIND, oracle={"alternatives": ((BASES,), (PUT,))}), attempt(INSERTED), True, True),
    "half of each golden run": Row(
        case(FIND, BASES, oracle={"alternatives": ((PUT, step("run", "apply")),)}),
        attempt(FOUND, INSERTED),
        False,
        False,
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_each_tier_judges_as_the_protocol_says(name: str) -> None:
    row = ROWS[name]
    for tier, passes in ((STRICT, row.strict), (COMPLETE, row.complete)):
        found = verdict(row.case, row.attempt, tier)
        assert found.passed is passes, (tier, [fault.sentence for fault in found.faults])
        assert bool(found.faults) is not passes
        assert all(condition.passed for condition in found.conditions) is passes
        assert (found.partial.score == 1.0) is passes


def test_real_execution_wants_execution_and_success() -> None:
    assert verdict(case(FIND), attempt(FOUND), REAL).passed
    found = verdict(case(FIND), attempt(call("search_gene", {"name": "araA"}, "error")), REAL)
    assert {condition.name for condition in found.conditions if not condition.passed} == {"succeeded"}
    assert (found.partial.observed_execution, found.partial.successful_execution) == (1.0, 0.0)
    found = verdict(case(FIND), attempt(call("search_gene", {"name": "araA"}, "over_limit")), REAL)
    assert {condition.name for condition in found.conditions if not condition.passed} == {"executed", "succeeded"}


@pytest.mark.parametrize(
    ("end_state", "passes"),
    [
        pytest.param({"project": "p", "files": "f", "view": "other", "session": "other"}, True, id="view-not-expected"),
        pytest.param({"project": "q", "files": "f"}, False, id="project"),
        pytest.param({"project": "p"}, False, id="files-not-recorded"),
        pytest.param(None, False, id="nothing-recorded"),
    ],
)
def test_the_end_state_decides_on_the_workbench(end_state: dict[str, object] | None, passes: bool) -> None:
    wanted = {"project": "p", "files": "f", "view": "v", "session": "s"}
    found = verdict(case(PUT, oracle={"end_state": wanted}), attempt(INSERTED, end_state=end_state), DONE)
    assert found.passed is passes


def test_a_further_instance_fails_only_if_the_end_state_differs() -> None:
    twice = attempt(INSERTED, call("insert", {"position": 9}), end_state={"project": "q"})
    assert not verdict(case(PUT, oracle={"end_state": {"project": "p"}}), twice, DONE).passed
    assert verdict(case(PUT, oracle={"end_state": {"project": "q"}}), twice, DONE).passed


def test_a_recovered_call_has_a_column_of_its_own() -> None:
    found = verdict(case(FIND), attempt(call("search_gene", {}), FOUND))
    assert (found.passed, found.passed_with_recovery) == (False, True)
    assert [judgement.role for judgement in found.judgements] == ["recovered", "expected"]
    assert not verdict(case(FIND), attempt(call("search_gene", {}), FOUND), STRICT).passed_with_recovery
    assert verdict(case(FIND), attempt(FOUND)).passed_with_recovery


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param((FOUND, call("search_gene", {})), id="nothing-follows"),
        pytest.param((call("search_gene", {}), call("search_gene", {"name": "araB"})), id="what-follows-is-wrong"),
        pytest.param((call("go_to", {}), FOUND), id="another-tool-follows"),
        pytest.param((call("drop", {"name": "x"}), FOUND), id="not-offered"),
    ],
)
def test_what_is_not_recovered_stays_a_fault(rounds: tuple[object, ...]) -> None:
    assert not verdict(case(FIND), attempt(*rounds)).passed_with_recovery  # type: ignore[arg-type]


def test_single_call_tasks_are_judged_by_their_first_reply() -> None:
    wanted = dutch("…", step("vul", "aanvraag", {"dossier_id": "DOS-12345"}))
    wrong, right = call("aanvraag", {}), call("aanvraag", {"dossier_id": "DOS-12345"})
    found = verdict(wanted, attempt(wrong, wrong, right))
    assert (found.passed, found.passed_with_recovery) == (False, True)
    assert found.dimensions.schema_conformance is False
    assert found.conforming_replies == (False, False, True)
    assert verdict(wanted, attempt(right, wrong), STRICT).passed
    assert not verdict(wanted, attempt("Een vraag.", right), STRICT).passed


def test_a_state_change_costs_and_a_failing_score_stays_below_one() -> None:
    extra = [call("apply"), call("save", {"path": "a"})]
    found = verdict(case(FIND), attempt(FOUND, *extra))
    assert found.partial.unexpected_state_changes == 2
    assert found.partial.score == pytest.approx(0.9)
    assert verdict(case(FIND), attempt(FOUND, READ), STRICT).partial.score == 0.99
    assert verdict(case(FIND), attempt(*[call("apply")] * 30), STRICT).partial.score == 0.0


@pytest.mark.parametrize(
    ("tier", "score"),
    [(STRICT, 0.45 / 2 + 0.35 / 4 + 0.2), (REAL, 0.35 / 2 + 0.25 / 4 + 0.15 + 0.1 / 2 + 0.15 / 2)],
)
def test_partial_scores_follow_the_weights(tier: Tier, score: float) -> None:
    # One of two steps is matched, with one of its two arguments right.
    found = verdict(case(BASES, FIND), attempt(call("get_bases", {"start": 10, "end": 21})), tier)
    assert found.partial.score == pytest.approx(score)


def test_the_best_golden_run_is_kept() -> None:
    runs = case(FIND, BASES, oracle={"alternatives": ((PUT, step("run", "apply")), (PUT,))})
    found = verdict(runs, attempt(call("insert", {"position": 4})))
    assert [fault.kind for fault in found.faults] == ["wrong_value"]


def test_accuracy_where_all_tools_were_offered_can_be_told() -> None:
    only = (Candidate(name=ToolName("search_feature"), rank=1),)
    equivalent = attempt(call("search_feature", {"query": "araA", "kind": "gene"}), candidates=only)
    found = verdict(case(FIND), equivalent)
    assert (found.passed, found.expected_tools_offered) == (True, False)
    assert "retrieval_miss" in found.anomalies


def test_a_tier_that_the_evidence_cannot_support_is_refused_by_name() -> None:
    for tier in (REAL, DONE):
        with pytest.raises(TierNotApplicableError, match=tier):
            judge(case(FIND), attempt(FOUND), CONTRACTS, "contract", tier)
    with pytest.raises(TierNotApplicableError, match="call-only"):
        verdict(case(FIND, oracle={"call_only": True}), attempt(FOUND), REAL)
    with pytest.raises(TierNotApplicableError):
        verdict(case(FIND, harnesses=("workbench",)), attempt(FOUND), STRICT)


def test_applicable_tiers_follow_harness_and_case() -> None:
    assert applicable_tiers(case(FIND), "contract") == (STRICT, COMPLETE)
    assert applicable_tiers(case(FIND), "workbench") == (STRICT, REAL, DONE)
    assert applicable_tiers(case(FIND, oracle={"call_only": True}), "workbench") == (STRICT, DONE)
    assert applicable_tiers(case(FIND, harnesses=("workbench",)), "contract") == ()


@pytest.mark.parametrize("outcome", ["provider_error", "schema_refused", "harness_error"])
def test_an_attempt_that_is_not_the_models_fault_is_never_judged(outcome: str) -> None:
    with pytest.raises(BadInputError, match="scorable"):
        verdict(case(FIND), replace(attempt(FOUND), outcome=outcome))


def test_a_foreign_attempt_and_a_missing_contract_are_refused() -> None:
    with pytest.raises(BadInputError, match="another case"):
        verdict(case(FIND), replace(attempt(FOUND), task_id="other"))
    unknown: ExpectedCall = step("find", "unknown_tool")
    with pytest.raises(BadInputError, match="unknown_tool"):
        verdict(case(unknown), attempt(FOUND))
    with pytest.raises(BadInputError, match="empty golden run"):
        verdict(case(), attempt(FOUND))


def test_of_two_equally_bad_golden_runs_the_first_is_kept() -> None:
    runs = case(FIND, oracle={"alternatives": ((step("other", "search_gene", {"name": "araC"}),),)})
    found = verdict(runs, attempt(call("search_gene", {"name": "araB"})))
    assert [(fault.step, fault.expected) for fault in found.faults] == [("find", "araA")]


def test_the_harness_word_that_a_tool_was_not_offered_counts() -> None:
    refused = call("search_gene", {"name": "araA"}, "not_offered")
    assert [fault.kind for fault in verdict(case(FIND), attempt(refused), STRICT).faults] == ["tool_not_offered"]


def test_imported_evidence_without_candidates_is_judged_by_the_harness_word() -> None:
    assert verdict(case(FIND), attempt(FOUND, candidates=()), STRICT).passed


def test_an_equivalent_may_leave_out_what_may_be_omitted_and_nothing_else() -> None:
    found = attempt(call("search_feature", {"query": "araA", "kind": "gene"}))
    wanted = {"name": "araA", "limit": 5}
    assert verdict(case(step("find", "search_gene", wanted, may_omit=("limit",))), found, COMPLETE).passed
    assert not verdict(case(step("find", "search_gene", wanted)), found, COMPLETE).passed
