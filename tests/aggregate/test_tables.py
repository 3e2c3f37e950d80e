"""Tables of one board: every number from hand-made rows, with its numerator and denominator."""

from __future__ import annotations

from typing import get_args

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from fcbench.aggregate.frames import FRAME_SCHEMA, Scored, verdict_frame
from fcbench.aggregate.intervals import ClusterSums, cluster_robust, wilson
from fcbench.aggregate.tables import (
    BOARD_SCHEMA,
    FAULT_SCHEMA,
    SEGMENT_SCHEMA,
    Segment,
    board_table,
    fault_table,
    flat,
    segment_table,
)
from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.errors import BadInputError, MixedBoardsError, UsageError
from tests.aggregate.tiny_runs import attempt_of, call_case, restraint_case, sealed, verdict_for

BASE = {
    "collection": "tiny",
    "task_hash": "1" * 64,
    "oracle_hash": "2" * 64,
    "registry_hash": "3" * 64,
    "fixture_hash": "4" * 64,
    "prompt_hash": "5" * 64,
    "harness": "contract",
    "harness_mode": "production-parity",
    "retrieval": "given",
    "decoding": "free",
    "tier": "native-function-contract",
    "evaluator_version": 1,
    "run_id": "run-a",
    "model": "model-a",
    "provider": "scripted",
    "purpose": "board",
    "control": False,
    "sealed_complete": True,
    "repeats": 1,
    "cases_planned": 4,
    "created_at": "2026-05-04T03:02:01.000Z",
    "harness_assistance": "step count not disclosed; rounds: 10",
    "badges": "",
    "package": "cd/run-a",
    "task_id": "t-1",
    "suite": "tiny",
    "decision": "call",
    "category": "sequence",
    "mix": "explicit",
    "language": "en",
    "difficulty": "medium",
    "traps": [],
    "expected_calls": 1,
    "single_call": False,
    "repeat": 1,
    "outcome": "completed",
    "duration_s": 1.0,
    "rounds": 1,
    "calls": 1,
    "input_tokens": 100,
    "output_tokens": 10,
    "retries": 0,
    "passed": True,
    "passed_with_recovery": True,
    "expected_tools_offered": True,
    "partial_score": 1.0,
    "partial_tool_coverage": 1.0,
    "syntactic_validity": True,
    "schema_conformance": True,
    "argument_fidelity": True,
    "restraint": True,
    "exact_match": True,
    "conforming_replies": [],
    "fault_kinds": [],
    "anomalies": [],
}
VERDICT_COLUMNS = """passed passed_with_recovery expected_tools_offered partial_score partial_tool_coverage fault_kinds
syntactic_validity schema_conformance argument_fidelity restraint exact_match conforming_replies
anomalies"""
UNJUDGED = dict.fromkeys(VERDICT_COLUMNS.split())


def rows(*changes):
    return pl.DataFrame([{**BASE, **change} for change in changes], schema=FRAME_SCHEMA, orient="row")


def only(table):
    assert table.height == 1
    return table.row(0, named=True)


def test_strict_accuracy_is_the_mean_over_cases_of_the_share_of_passing_repeats():
    frame = rows(
        {"task_id": "t-1", "repeat": 1, "repeats": 2},
        {"task_id": "t-1", "repeat": 2, "repeats": 2, "passed": False},
        {"task_id": "t-2", "repeat": 1, "repeats": 2},
        {"task_id": "t-2", "repeat": 2, "repeats": 2},
    )
    row = only(board_table(frame))
    assert (row["strict"], row["strict_sum"], row["strict_n"]) == (0.75, 1.5, 2)
    assert (row["strict_attempts_passed"], row["strict_attempts"]) == (3, 4)
    sums = {"total": 1.5, "cases": 2, "clusters": 2, "attempts": 4, "squares": 1.25, "products": 1.5, "sizes": 2.0}
    assert (row["strict_low"], row["strict_high"]) == cluster_robust(ClusterSums(**sums))
    assert row["strict_note"] == "cluster-robust over cases: repeats of a case are not independent"
    assert (row["flip_rate"], row["flip_rate_sum"], row["flip_rate_n"]) == (0.5, 1.0, 2)


def test_one_verdict_says_nothing_about_flipping() -> None:
    lone = [{"task_id": "t-1"}, {"task_id": "t-2", "passed": False}, {"task_id": "r-1", "decision": "ask"}]
    row = only(board_table(rows(*lone)))
    assert (row["flip_rate"], row["flip_rate_n"]) == (None, 0)


def test_call_cases_and_restraint_cases_are_never_pooled():
    frame = rows(
        {"task_id": "t-1"},
        {"task_id": "t-2", "passed": False},
        {"task_id": "r-1", "decision": "no_call"},
        {"task_id": "r-2", "decision": "ask", "passed": False, "partial_score": 0.0},
        {"task_id": "r-3", "decision": "unavailable"},
    )
    row = only(board_table(frame))
    assert (row["strict_sum"], row["strict_n"]) == (1.0, 2)
    assert (row["restraint_accuracy_sum"], row["restraint_accuracy_n"]) == (2.0, 3)
    assert (row["restraint_accuracy_low"], row["restraint_accuracy_high"]) == wilson(2, 3)
    assert (row["partial_n"], row["exact_match_n"], row["restraint_n"]) == (2, 2, 2)


def test_a_board_without_call_cases_has_no_strict_accuracy_and_no_rank():
    row = only(board_table(rows({"decision": "no_call"})))
    assert (row["strict"], row["strict_n"], row["strict_low"], row["rank"]) == (None, 0, None, None)
    assert row["restraint_accuracy"] == 1.0


def test_an_open_dimension_counts_as_not_conforming_and_not_faithful():
    frame = rows(
        {"task_id": "t-1"},
        {"task_id": "t-2", "passed": False, "syntactic_validity": False, "schema_conformance": None}
        | {"argument_fidelity": None, "restraint": None, "exact_match": False},
    )
    row = only(board_table(frame))
    for name in ("syntactic_validity", "schema_conformance", "argument_fidelity", "restraint", "exact_match"):
        assert (row[name], row[f"{name}_sum"], row[f"{name}_n"]) == (0.5, 1.0, 2), name


def test_an_attempt_without_verdict_is_no_failure_but_lowers_completion():
    frame = rows(
        {"task_id": "t-1"},
        {"task_id": "t-2", "passed": False},
        {"task_id": "t-3", "outcome": "provider_error", **UNJUDGED},
        {"task_id": "t-4", "outcome": None, "duration_s": None, "input_tokens": None, **UNJUDGED},
    )
    row = only(board_table(frame))
    assert (row["strict"], row["strict_n"]) == (0.5, 2)
    assert (row["completion"], row["completion_sum"], row["completion_n"]) == (0.5, 2.0, 4)
    assert (row["strict_worst"], row["strict_best"]) == (0.25, 0.75)
    assert (row["complete"], row["rank"]) == (False, None)
    assert (row["schema_conformance_sum"], row["schema_conformance_n"]) == (2.0, 2)


def test_ranks_leave_out_controls_incomplete_and_interactive_runs_and_share_ties():
    frame = rows(
        {"run_id": "b", "model": "b"},
        {"run_id": "a", "model": "a"},
        {"run_id": "c", "model": "c", "passed": False},
        {"run_id": "control", "model": "a control", "control": True},
        {"run_id": "try", "model": "try", "purpose": "interactive"},
        {"run_id": "half", "model": "half"},
        {"run_id": "half", "model": "half", "task_id": "t-2", "outcome": "provider_error", **UNJUDGED},
    )
    table = board_table(frame).select("run_id", "rank")
    expected = pl.DataFrame(
        [("a", 1), ("b", 1), ("c", 3), ("half", None), ("try", None), ("control", None)],
        schema={"run_id": pl.String, "rank": pl.Int32},
        orient="row",
    )
    assert_frame_equal(table, expected)


def test_recovery_offered_tools_coverage_and_recall_have_their_own_denominators():
    frame = rows(
        {"task_id": "t-1", "passed": False, "partial_tool_coverage": 0.5, "retrieval_recall": 1.0},
        {"task_id": "t-2", "retrieval_recall": 0.5},
        {"task_id": "t-3", "passed": False, "passed_with_recovery": False, "expected_tools_offered": False}
        | {"partial_score": 0.25, "partial_tool_coverage": 0.0, "retrieval_recall": 0.0},
        {"task_id": "r-1", "decision": "no_call"},
    )
    row = only(board_table(frame))
    assert (row["recovered_sum"], row["recovered_n"]) == (2.0, 3)
    assert (row["offered_sum"], row["offered_n"], row["offered"]) == (1.0, 2, 0.5)
    assert (row["tool_coverage_sum"], row["tool_coverage_n"], row["tool_coverage"]) == (1.5, 3, 0.5)
    assert (row["retrieval_recall_sum"], row["retrieval_recall_n"], row["retrieval_recall"]) == (1.5, 3, 0.5)
    assert (row["partial_sum"], row["partial"]) == (2.25, 0.75)
    assert (row["cases_applicable"], row["cases_planned"]) == (4, 4)


def test_latency_and_tokens_count_judged_attempts_and_unknown_is_not_nought():
    frame = rows(
        {"task_id": "t-1", "duration_s": 1.0},
        {"task_id": "t-2", "duration_s": 3.0, "input_tokens": None},
        {"task_id": "t-3", "duration_s": 99.0, "outcome": "provider_error", "input_tokens": 5, **UNJUDGED},
    )
    row = only(board_table(frame))
    assert (row["latency_p50_s"], row["latency_p95_s"]) == (2.0, pytest.approx(2.9))
    assert (row["input_tokens"], row["output_tokens"], row["tokens_known_n"]) == (100, 20, 1)
    unknown = only(board_table(rows({"input_tokens": None, "output_tokens": None})))
    assert (unknown["input_tokens"], unknown["output_tokens"], unknown["tokens_known_n"]) == (None, None, 0)


def test_badges_come_apart_again():
    frame = rows({"run_id": "a"}, {"run_id": "b", "badges": "local; quantisation Q4_K_M"})
    assert board_table(frame).get_column("badges").to_list() == [[], ["local", "quantisation Q4_K_M"]]


def test_a_board_table_has_the_declared_columns_and_no_double_row():
    table = board_table(rows({"run_id": "a"}, {"run_id": "b"}))
    assert table.schema == BOARD_SCHEMA
    assert table.get_column("run_id").to_list() == ["a", "b"]


@pytest.mark.parametrize("table", [board_table, fault_table, lambda frame: segment_table(frame, "category")])
@pytest.mark.parametrize("change", [{"tier": "task-completion-contract"}, {"decoding": "strict"}, {"collection": "x"}])
def test_no_table_takes_a_mixture(table, change):
    with pytest.raises(MixedBoardsError, match="different boards") as caught:
        table(rows({}, {"run_id": "b", **change}))
    assert next(iter(change)) in caught.value.found


def test_no_table_takes_no_rows():
    with pytest.raises(BadInputError):
        board_table(rows())


@pytest.mark.parametrize("by", [by for by in get_args(Segment) if by not in ("fault_kind", "k")])
def test_every_segment_has_its_table(by):
    table = segment_table(rows({}, {"task_id": "r-1", "decision": "ask"}), by)
    assert table.schema == SEGMENT_SCHEMA
    assert table.select("strict_n", "restraint_accuracy_n", "completion_n").rows() == [(1, 1, 2)]


def test_segments_show_their_own_n():
    frame = rows(
        {"task_id": "t-1", "category": "alignment"},
        {"task_id": "t-2", "category": "sequence", "passed": False},
        {"task_id": "t-3", "category": "sequence"},
    )
    shown = segment_table(frame, "category").select("segment", "strict", "strict_n")
    expected = pl.DataFrame(
        [("alignment", 1.0, 1), ("sequence", 0.5, 2)],
        schema={"segment": pl.String, "strict": pl.Float64, "strict_n": pl.Int64},
        orient="row",
    )
    assert_frame_equal(shown, expected)


def test_a_case_counts_in_each_of_its_traps_and_a_case_without_any_is_kept():
    frame = rows({"traps": ["strand", "off_by_one"]}, {"task_id": "t-2", "traps": [], "passed": False})
    shown = segment_table(frame, "trap").select("segment", "strict").rows()
    assert shown == [("(none)", 0.0), ("off_by_one", 1.0), ("strand", 1.0)]


def test_fault_kinds_count_faults_attempts_and_cases():
    frame = rows(
        {"repeat": 1, "passed": False, "fault_kinds": ["wrong_value", "wrong_value", "no_call"]},
        {"repeat": 2, "passed": False, "fault_kinds": ["wrong_value"]},
        {"task_id": "t-2"},
        {"task_id": "t-3", **UNJUDGED},
    )
    table = segment_table(frame, "fault_kind")
    assert table.schema == FAULT_SCHEMA
    assert table.select("segment", "faults", "cases", "attempts_sum", "attempts_n").rows() == [
        ("no_call", 1, 1, 1.0, 3),
        ("wrong_value", 3, 1, 2.0, 3),
    ]


def test_an_unknown_segment_is_a_usage_error():
    with pytest.raises(UsageError, match="no such segment"):
        segment_table(rows({}), "colour")


def test_a_table_from_real_packages(tmp_path):
    cases = [call_case("t-1"), call_case("t-2"), restraint_case("r-1")]
    sources = []
    for run_id, passed, control in (("good", True, False), ("null", False, True)):
        attempts = [attempt_of(case.id, arguments={"start": 1}) for case in cases]
        package = sealed(tmp_path, cases, attempts, run_id=run_id, model=run_id, control=control)
        verdicts = [verdict_for(case.id, passed=passed) for case in cases]
        path = write_verdicts(package, verdicts, oracle_hash=package.header.oracle_hash, evaluator_version=1)
        sources.append(Scored(package=package, verdicts=path))
    table = board_table(verdict_frame(sources))
    shown = table.select("rank", "run_id", "strict", "strict_n", "restraint_accuracy", "completion").rows()
    assert shown == [(1, "good", 1.0, 2, 1.0, 1.0), (None, "null", 0.0, 2, 0.0, 1.0)]
    assert table.get_column("badges").to_list() == [[], ["control"]]


def test_a_flat_table_can_be_written_as_csv():
    table = flat(board_table(rows({"badges": "local; no seed"})))
    assert table.get_column("badges").to_list() == ["local; no seed"]
    assert table.write_csv().startswith("rank,rank_low,rank_high,run_id,model,control,badges,strict")


def test_conformance_after_error_replies_counts_single_call_tasks_only():
    frame = rows(
        {"task_id": "t-1", "single_call": True, "conforming_replies": [True]},
        {"task_id": "t-2", "single_call": True, "conforming_replies": [False, True], "schema_conformance": False},
        {"task_id": "t-3", "single_call": True, "conforming_replies": [False, False, True]},
        {"task_id": "t-4", "single_call": True, "conforming_replies": []},
        {"task_id": "t-5"},
        {"task_id": "r-1", "single_call": True, "decision": "ask"},
    )
    row = only(board_table(frame))
    assert (row["conforming_after_1_sum"], row["conforming_after_1_n"]) == (2.0, 4)
    assert (row["conforming_after_2_sum"], row["conforming_after_2_n"]) == (3.0, 4)
