"""Frames: one row for each planned attempt, whatever became of it; boards are never mixed."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from fcbench.aggregate.boards import boards, single_board
from fcbench.aggregate.frames import FRAME_SCHEMA, Scored, badges, latest_verdicts, verdict_frame
from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.core.names import Digest
from fcbench.errors import BadInputError, MixedBoardsError, PackageError
from tests.aggregate.tiny_runs import attempt_of, call_case, restraint_case, sealed, verdict_for

CASES = [call_case("t-2"), call_case("t-1"), restraint_case("r-1")]
CALL = {"start": 1}


def scored(tmp_path, *, run_id="run-a", attempts=None, verdicts=None, version=1):
    if attempts is None:
        attempts = [attempt_of("t-1", arguments=CALL), attempt_of("t-2", outcome="provider_error"), attempt_of("r-1")]
    if verdicts is None:
        verdicts = [
            verdict_for("t-1", passed=False, faults=["wrong_value"], version=version),
            verdict_for("r-1", passed=True, version=version),
        ]
    package = sealed(tmp_path, CASES, attempts, run_id=run_id)
    oracle = package.header.oracle_hash
    return Scored(
        package=package,
        verdicts=write_verdicts(package, verdicts, oracle_hash=oracle, evaluator_version=version),
    )


def test_every_planned_attempt_has_a_row_in_the_order_of_the_plan(tmp_path):
    frame = verdict_frame([scored(tmp_path)])
    assert frame.schema == FRAME_SCHEMA
    shown = frame.select(
        "task_id", pl.col("decision", "outcome").cast(pl.String), "passed", "fault_kinds", "calls", "retrieval_recall"
    )
    expected = pl.DataFrame(
        [
            ("t-2", "call", "provider_error", None, None, 0, 1.0),
            ("t-1", "call", "completed", False, ["wrong_value"], 1, 1.0),
            ("r-1", "no_call", "completed", True, [], 0, None),
        ],
        schema=shown.schema,
        orient="row",
    )
    assert_frame_equal(shown, expected)


def test_an_attempt_that_is_missing_has_a_row_without_outcome(tmp_path):
    source = scored(tmp_path, attempts=[attempt_of("t-1")], verdicts=[verdict_for("t-1", passed=True)])
    frame = verdict_frame([source])
    assert frame.filter(pl.col("outcome").is_null()).get_column("task_id").to_list() == ["t-2", "r-1"]


def test_a_run_whose_every_request_failed_still_has_rows_at_every_tier(tmp_path):
    attempts = [attempt_of(case.id, outcome="provider_error") for case in CASES]
    frame = verdict_frame([scored(tmp_path, attempts=attempts, verdicts=[])])
    counts = {board.tier: part.height for board, part in boards(frame).items()}
    assert counts == {"native-function-contract": 3, "task-completion-contract": 3}


def test_a_scorable_attempt_that_a_tier_did_not_judge_is_not_applicable(tmp_path):
    attempts = [attempt_of(case.id) for case in CASES]
    frame = verdict_frame([scored(tmp_path, attempts=attempts, verdicts=[verdict_for("t-1", passed=True)])])
    assert frame.get_column("task_id").to_list() == ["t-1"]
    assert frame.get_column("cases_planned").to_list() == [3]


def test_no_sources_give_an_empty_frame_with_all_columns():
    assert_frame_equal(verdict_frame([]), pl.DataFrame(schema=FRAME_SCHEMA))


def test_verdicts_of_other_evidence_are_refused(tmp_path):
    one, other = (
        scored(tmp_path, run_id="one"),
        scored(tmp_path, run_id="two", attempts=[attempt_of("t-1")], verdicts=[]),
    )
    with pytest.raises(PackageError, match="other evidence"):
        verdict_frame([Scored(package=other.package, verdicts=one.verdicts)])


def test_a_verdict_without_an_attempt_is_refused(tmp_path):
    with pytest.raises(PackageError, match="a verdict has no attempt"):
        verdict_frame([scored(tmp_path, verdicts=[verdict_for("t-1", 7, passed=True)])])


def test_one_run_may_not_come_twice(tmp_path):
    source = scored(tmp_path)
    with pytest.raises(PackageError, match="comes twice"):
        verdict_frame([source, source])


def test_the_latest_verdicts_are_those_of_the_packages_own_oracle(tmp_path):
    source = scored(tmp_path)
    write_verdicts(source.package, [], oracle_hash=Digest("9" * 64), evaluator_version=5)
    assert latest_verdicts(source.package) == source.verdicts


def test_boards_take_a_frame_apart_without_losing_a_row(tmp_path):
    verdicts = [verdict_for("t-1", passed=True), verdict_for("t-1", passed=True, tier="task-completion-contract")]
    frame = verdict_frame([scored(tmp_path, verdicts=verdicts)])
    parts = boards(frame)
    assert [board.tier for board in parts] == ["native-function-contract", "task-completion-contract"]
    assert sum(part.height for part in parts.values()) == frame.height
    assert all(single_board(part) == board for board, part in parts.items())


def test_mixed_boards_are_refused_by_the_parts_that_differ(tmp_path):
    frame = verdict_frame([scored(tmp_path / "a"), scored(tmp_path / "b", run_id="run-b", verdicts=None, version=2)])
    with pytest.raises(MixedBoardsError) as caught:
        single_board(frame)
    assert caught.value.found == "evaluator_version 1 and 2"


def test_no_row_has_no_board():
    with pytest.raises(BadInputError, match="no board"):
        single_board(pl.DataFrame(schema=FRAME_SCHEMA))
    assert boards(pl.DataFrame(schema=FRAME_SCHEMA)) == {}


def test_badges_say_what_distinguishes_a_row(tmp_path):
    package = sealed(tmp_path, CASES, [attempt_of("t-1")], control=True, purpose="interactive")
    assert badges(package.manifest) == ("control", "interactive", "incomplete")
