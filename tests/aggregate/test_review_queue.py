"""The anomaly queue and both scores, over tiny runs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl
import pytest

from fcbench.aggregate.disputed import both_scores, disputed_in
from fcbench.aggregate.frames import FRAME_SCHEMA, Scored, verdict_frame
from fcbench.aggregate.review_queue import HIGH_FLIP_RATE, NO_MODEL_PASSES, QueueItem, QueueRules, anomaly_queue
from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.core.verdicts import Verdict
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed, verdict_for

CASES = ("t-1", "t-2", "t-3")
Passes = dict[str, tuple[bool, ...]]
"""Case -> whether each repeat passed."""


def frame_of(
    tmp_path: Path, runs: dict[str, Passes], marks: dict[tuple[str, str, int], tuple[str, ...]]
) -> pl.DataFrame:
    """A frame of runs; a run whose name begins with `control` is one. `marks` are anomalies by run, case and repeat."""
    sources = []
    for name, cases in runs.items():
        repeats = max(map(len, cases.values()))
        attempts = [
            attempt_of(case, number, arguments={"start": 1})
            for case, told in cases.items()
            for number in range(1, len(told) + 1)
        ]
        package = sealed(
            tmp_path / "runs",
            [call_case(case) for case in cases],
            attempts,
            run_id=name,
            model=f"model of {name}",
            control=name.startswith("control"),
            repeats=repeats,
        )
        verdicts: list[Verdict] = []
        for case, told in cases.items():
            for number, passed in enumerate(told, 1):
                anomalies = marks.get((name, case, number), ())
                for tier in ("native-function-contract", "task-completion-contract"):
                    one = verdict_for(case, number, passed=passed, tier=tier)  # type: ignore[arg-type]
                    verdicts.append(msgspec.structs.replace(one, anomalies=anomalies))
        path = write_verdicts(package, verdicts, oracle_hash=package.header.oracle_hash, evaluator_version=1)
        sources.append(Scored(package=package, verdicts=path))
    return verdict_frame(sources)


def told(items: list[QueueItem], reason: str) -> list[tuple[str, str | None, int | None]]:
    return [(one.case, one.run, one.repeat) for one in items if one.reason == reason]


def test_an_attempt_is_listed_once_a_reason_whatever_the_number_of_tiers(tmp_path: Path) -> None:
    marks = {("a", "t-1", 2): ("call_shaped_text", "timed_out"), ("a", "t-2", 1): ("timed_out",)}
    items = anomaly_queue(frame_of(tmp_path, {"a": {"t-1": (True, True), "t-2": (True, True)}}, marks), QueueRules())
    assert [(one.reason, one.case, one.run, one.repeat) for one in items] == [
        ("call_shaped_text", "t-1", "a", 2),
        ("timed_out", "t-1", "a", 2),
        ("timed_out", "t-2", "a", 1),
    ]
    assert items[0].detail == "seen at native-function-contract, task-completion-contract"


def test_attempts_of_controls_are_listed_on_request_only(tmp_path: Path) -> None:
    frame = frame_of(tmp_path, {"control-x": {"t-1": (False,)}}, {("control-x", "t-1", 1): ("retrieval_miss",)})
    assert anomaly_queue(frame, QueueRules()) == []
    assert told(anomaly_queue(frame, QueueRules(controls=True)), "retrieval_miss") == [("t-1", "control-x", 1)]


@pytest.mark.parametrize(
    ("runs", "min_models", "cases"),
    [
        pytest.param(
            {"a": {"t-1": (False,), "t-2": (True,)}, "b": {"t-1": (False,), "t-2": (False,)}}, 2, ["t-1"], id="two"
        ),
        pytest.param({"a": {"t-1": (False,)}}, 2, [], id="one model is too few"),
        pytest.param({"a": {"t-1": (False,)}}, 1, ["t-1"], id="unless one is enough"),
        pytest.param(
            {"a": {"t-1": (False,)}, "control-o": {"t-1": (True,)}}, 1, ["t-1"], id="a control does not save it"
        ),
        pytest.param({"a": {"t-1": (False,)}, "control-o": {"t-1": (False,)}}, 2, [], id="nor count as a model"),
        pytest.param({"a": {"t-1": (False, True)}, "b": {"t-1": (False, False)}}, 2, [], id="one pass is a pass"),
    ],
)
def test_a_case_that_no_model_passes_is_listed(
    tmp_path: Path, runs: dict[str, Passes], min_models: int, cases: list[str]
) -> None:
    items = anomaly_queue(frame_of(tmp_path, runs, {}), QueueRules(min_models=min_models))
    assert told(items, NO_MODEL_PASSES) == [(case, None, None) for case in cases]


@pytest.mark.parametrize(
    ("flip", "cases"),
    [
        pytest.param(0.5, ["t-1", "t-2"], id="half"),
        pytest.param(0.6, ["t-1"], id="more than half"),
        pytest.param(0.01, ["t-1", "t-2"], id="never a case that does not flip"),
    ],
)
def test_a_high_flip_rate_is_listed(tmp_path: Path, flip: float, cases: list[str]) -> None:
    runs = {
        "a": {"t-1": (True, False), "t-2": (True, False), "t-3": (True, True)},
        "b": {"t-1": (False, True), "t-2": (True, True), "t-3": (False, False)},
        "control-c": {"t-1": (True, True), "t-2": (True, False), "t-3": (True, False)},
    }
    items = anomaly_queue(frame_of(tmp_path, runs, {}), QueueRules(flip=flip))
    assert told(items, HIGH_FLIP_RATE) == [(case, None, None) for case in cases]


def test_an_empty_frame_has_an_empty_queue() -> None:
    assert anomaly_queue(pl.DataFrame(schema=FRAME_SCHEMA), QueueRules()) == []


def test_both_scores_stand_side_by_side(tmp_path: Path) -> None:
    frame = frame_of(tmp_path, {"a": {"t-1": (False,), "t-2": (True,), "t-3": (True,)}}, {})
    board = frame.filter(pl.col("tier").cast(pl.String) == "native-function-contract")
    row = both_scores(board, {"t-1", "elsewhere"}).row(0, named=True)
    assert (row["strict"], row["strict_n"]) == (pytest.approx(2 / 3), 3)
    assert (row["strict_without"], row["strict_without_n"]) == (1.0, 2)
    assert disputed_in(board, {"t-1", "elsewhere"}) == ["t-1"]


def test_a_board_of_disputed_cases_only_has_no_score_without_them(tmp_path: Path) -> None:
    frame = frame_of(tmp_path, {"a": {"t-1": (True,)}}, {})
    board = frame.filter(pl.col("tier").cast(pl.String) == "native-function-contract")
    row = both_scores(board, {"t-1"}).row(0, named=True)
    assert (row["strict"], row["strict_without"]) == (1.0, None)


def test_manual_cases_of_a_package_from_elsewhere_are_in_no_table(tmp_path: Path) -> None:
    cases = [call_case("t-1"), call_case("m-1", suite="manual"), call_case("m-2", suite="manual/first-look")]
    attempts = [attempt_of(str(case.id), arguments={"start": 1}) for case in cases]
    package = sealed(tmp_path / "runs", cases, attempts)
    verdicts = [verdict_for(str(case.id), passed=True) for case in cases]
    path = write_verdicts(package, verdicts, oracle_hash=package.header.oracle_hash, evaluator_version=1)
    frame = verdict_frame([Scored(package=package, verdicts=path)])
    assert frame.get_column("task_id").to_list() == ["t-1"]
