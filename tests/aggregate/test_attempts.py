"""Counts of one attempt, and the means that a table makes of them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.aggregate.attempts import (
    counted_calls,
    duplicate_calls,
    invalid_calls,
    over_calls,
    reply_tokens,
    retrieval_recall,
    worst_rank,
)
from fcbench.aggregate.frames import Scored, verdict_frame
from fcbench.aggregate.tables import board_table, segment_table
from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.core.cases import Case, ExpectedCall, Labels, Oracle, Task
from fcbench.core.evidence import Attempt, Call, CallResult, CallStatus, Candidate, Round, Usage
from fcbench.core.names import CaseId, Digest, JsonObject, StepId, ToolName
from tests.aggregate.test_tables import UNJUDGED, only, rows
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed, verdict_for

SHA = Digest("ab" * 32)


@dataclass(frozen=True)
class Made:
    """A call to be made."""

    tool: str = "gc_content"
    arguments: JsonObject | None = None
    raw: str = "{}"
    status: CallStatus = "ok"


def call(made: Made) -> Call:
    result = CallResult(status=made.status, content=None)
    return Call(id="c", name=made.tool, raw_arguments=made.raw, arguments=made.arguments, result=result)


def attempt(*replies: list[Made], offered: tuple[str, ...] = (), usage: tuple[Usage, ...] = ()) -> Attempt:
    rounds = tuple(
        Round(
            number=number,
            started_at="2026-05-04T03:02:01.000Z",
            duration_s=1.0,
            reply_s=1.0,
            finish_reason="stop",
            calls=tuple(map(call, made)),
            request_sha256=SHA,
            reply_sha256=SHA,
            usage=usage[number - 1] if usage else Usage(),
        )
        for number, made in enumerate(replies, start=1)
    )
    candidates = tuple(Candidate(name=ToolName(name), rank=rank) for rank, name in enumerate(offered, start=1))
    return Attempt(
        task_id=CaseId("t-1"),
        repeat=1,
        outcome="completed",
        candidates=candidates,
        rounds=rounds,
        started_at="2026-05-04T03:02:01.000Z",
        duration_s=1.0,
    )


def case(*tools: str, single: bool = False) -> Case:
    calls = tuple(
        ExpectedCall(step=StepId(f"s{place}"), tool=ToolName(tool), arguments={}) for place, tool in enumerate(tools)
    )
    return Case(
        suite="tiny",
        task=Task(id=CaseId("t-1"), instruction="Do.", language="en", registry="genomics", single_call=single),
        oracle=Oracle(decision="call" if tools else "no_call", calls=calls, labels=Labels(category="a")),
        canary="canary fcbench tiny",
    )


@pytest.mark.parametrize(
    ("tools", "calls", "beyond"),
    [
        pytest.param(("a", "b"), 1, 0, id="fewer"),
        pytest.param(("a", "b"), 2, 0, id="as-many"),
        pytest.param(("a", "b"), 5, 3, id="more"),
        pytest.param((), 2, 2, id="none-due"),
    ],
)
def test_calls_beyond_the_expected_number(tools: tuple[str, ...], calls: int, beyond: int) -> None:
    assert over_calls(case(*tools), attempt([Made()] * calls)) == beyond


def test_in_a_single_call_task_only_the_first_reply_counts() -> None:
    made = attempt([Made(status="invalid")], [Made()], [Made()])
    assert over_calls(case("a", single=True), made) == 0
    assert over_calls(case("a"), made) == 2
    assert counted_calls(case("a", single=True), attempt()) == ()


def test_a_repeated_call_is_told_by_tool_and_arguments() -> None:
    calls = [
        Made("a", {"x": 1, "y": 2}),
        Made("a", {"y": 2, "x": 1}),
        Made("b", {"x": 1, "y": 2}),
        Made("a", {"x": True, "y": 2}),
        Made("a", None, "{broken"),
        Made("a", None, "{broken"),
        Made("a", {"x": 1, "y": 2}),
    ]
    assert duplicate_calls(map(call, calls)) == 3


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner) | inner
)


@given(st.dictionaries(st.text(), _VALUES, max_size=4), st.integers(1, 5))
def test_whatever_a_model_sends_its_repetitions_are_counted(arguments: JsonObject, times: int) -> None:
    assert duplicate_calls([call(Made("a", arguments))] * times) == times - 1


def test_refused_calls_are_those_with_invalid_arguments() -> None:
    statuses: list[CallStatus] = ["ok", "invalid", "error", "not_offered", "invalid", "duplicate", "over_limit"]
    assert invalid_calls(attempt([Made(status=status) for status in statuses])) == 2


@pytest.mark.parametrize(
    ("offered", "rank", "recall"),
    [
        pytest.param(("x", "b", "y", "a"), 4, 1.0, id="both"),
        pytest.param(("a", "x"), None, 0.5, id="one-is-missing"),
        pytest.param((), None, None, id="nothing-was-retrieved"),
    ],
)
def test_the_worst_rank_is_that_of_the_expected_tool_found_last(
    offered: tuple[str, ...], rank: int | None, recall: float | None
) -> None:
    made = attempt(offered=offered)
    assert (worst_rank(case("a", "b", "a"), made), retrieval_recall(case("a", "b", "a"), made)) == (rank, recall)


def test_a_case_without_calls_has_no_rank() -> None:
    assert worst_rank(case(), attempt(offered=("a",))) is None


def test_tokens_by_reply_are_unknown_from_the_first_that_nobody_counted() -> None:
    usage = (Usage(input_tokens=10, output_tokens=1), Usage(input_tokens=5), Usage(input_tokens=1, output_tokens=1))
    assert reply_tokens(attempt([], [], [], usage=usage)) == [11, None, None]


def test_means_over_attempts_keep_call_and_restraint_cases_apart() -> None:
    frame = rows(
        {"task_id": "t-1", "calls": 3, "over_calls": 2, "duplicate_calls": 1, "rounds": 4},
        {"task_id": "t-2", "calls": 1, "over_calls": 0, "duplicate_calls": 0, "rounds": 1},
        {"task_id": "t-3", "calls": 9, "over_calls": 8, "duplicate_calls": 8, "rounds": 9, **UNJUDGED},
        {"task_id": "r-1", "calls": 5, "over_calls": 5, "duplicate_calls": 0, "rounds": 6, "decision": "ask"},
    )
    row = only(board_table(frame))
    means = {name: (row[name], row[f"{name}_sum"], row[f"{name}_n"]) for name in ("over_calls", "duplicate_calls")}
    assert means == {"over_calls": (1.0, 2.0, 2), "duplicate_calls": (0.5, 1.0, 2)}
    assert (row["calls"], row["restraint_calls"], row["restraint_calls_n"], row["rounds"]) == (2.0, 5.0, 1, 2.5)


def test_recovery_is_over_attempts_in_which_a_call_was_refused() -> None:
    frame = rows(
        {"task_id": "t-1", "invalid_calls": 0},
        {"task_id": "t-2", "invalid_calls": 2, "passed": False, "passed_with_recovery": True},
        {"task_id": "t-3", "invalid_calls": 1, "passed": False, "passed_with_recovery": False},
        {"task_id": "r-1", "invalid_calls": 1, "decision": "ask"},
    )
    row = only(board_table(frame))
    assert (row["recovery"], row["recovery_sum"], row["recovery_n"]) == (0.5, 1.0, 2)
    assert (row["recovered"], row["strict"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_quantiles_of_ranks_are_over_attempts_to_which_all_was_offered() -> None:
    ranks = [1, 1, 2, 9, None]
    told = [{"task_id": f"t-{number}", "worst_rank": rank} for number, rank in enumerate(ranks)]
    row = only(board_table(rows(*told, {"task_id": "r-1", "decision": "ask", "worst_rank": 20})))
    known = pl.Series([1, 1, 2, 9])
    assert row["worst_rank_n"] == 4
    assert (row["worst_rank_p50"], row["worst_rank_p95"]) == (
        known.quantile(0.5, "linear"),
        pytest.approx(known.quantile(0.95, "linear")),
    )


def test_bounds_of_restraint_cases_take_missing_verdicts_either_way() -> None:
    frame = rows(
        {"task_id": "r-1", "decision": "ask"},
        {"task_id": "r-2", "decision": "ask", "passed": False},
        {"task_id": "r-3", "decision": "ask", **UNJUDGED},
        {"task_id": "t-1", "passed": False},
    )
    row = only(board_table(frame))
    assert (row["restraint_worst"], row["restraint_best"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert (row["strict_worst"], row["strict_best"]) == (0.0, 0.0)


def test_several_runs_of_a_model_stand_as_runs_over_time() -> None:
    frame = rows(
        {"run_id": "late", "created_at": "2026-06-01T00:00:00.000Z"},
        {"run_id": "early", "passed": False},
        {"run_id": "other", "model": "model-b"},
        {"run_id": "elsewhere", "provider": "another"},
    )
    shown = board_table(frame).select("run_id", "model_run", "model_runs").sort("run_id").rows()
    assert shown == [("early", 1, 2), ("elsewhere", 1, 1), ("late", 2, 2), ("other", 1, 1)]


def test_a_case_counts_for_each_tool_that_it_expects_and_for_its_schema() -> None:
    frame = rows(
        {"tools": ["a", "b"], "target_tool": None},
        {"task_id": "t-2", "tools": ["b"], "target_tool": "b", "passed": False},
        {"task_id": "r-1", "tools": [], "target_tool": "a", "decision": "ask"},
    )
    tools = segment_table(frame, "tool").select("segment", "strict", "strict_n", "restraint_accuracy_n").rows()
    assert tools == [("(none)", None, 0, 1), ("a", 1.0, 1, 0), ("b", 0.5, 2, 0)]
    schemas = segment_table(frame, "schema").select("segment", "strict_n", "restraint_accuracy_n").rows()
    assert schemas == [("(none)", 1, 0), ("a", 0, 1), ("b", 1, 0)]


def test_a_real_package_gives_these_columns(tmp_path) -> None:
    cases = [call_case("t-1")]
    package = sealed(tmp_path, cases, [attempt_of("t-1", arguments={"start": 1})])
    path = write_verdicts(
        package, [verdict_for("t-1", passed=True)], oracle_hash=package.header.oracle_hash, evaluator_version=1
    )
    row = only(verdict_frame([Scored(package=package, verdicts=path)]))
    names = ("over_calls", "duplicate_calls", "invalid_calls", "worst_rank", "tools", "target_tool")
    assert [row[name] for name in names] == [0, 0, 0, 1, ["gc_content"], "gc_content"]
