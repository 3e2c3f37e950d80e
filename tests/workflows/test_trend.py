"""Runs of packages over time, as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from msgspec.structs import replace

from fcbench.aggregate.trend import REGRESSION_SCHEMA, TREND_SCHEMA
from fcbench.cli.main import main
from fcbench.core.cases import Case
from fcbench.errors import UsageError
from fcbench.workflows.trend import SHOWN, TrendRequest, trend
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed


def independent(case: Case) -> Case:
    """The same case as its own family."""
    return replace(case, oracle=replace(case.oracle, labels=replace(case.oracle.labels, family=None)))


CASES = [independent(call_case(f"t-{number:02d}")) for number in range(30)]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that gets 28, then 4 of 30 cases right, one that stays, and an earlier run over other cases."""
    folder = tmp_path_factory.mktemp("runs")

    def run(name: str, model: str, day: int, right: int, cases=CASES) -> None:
        attempts = [
            attempt_of(case.id, arguments={"start": 1 if place < right else 2}) for place, case in enumerate(cases)
        ]
        made = f"2026-05-{day:02d}T00:00:00.000Z"
        sealed(folder, cases, attempts, run_id=name, model=model, created_at=made)

    run("run-2", "falling", 2, 4)
    run("run-1", "falling", 1, 28)
    run("same-1", "steady", 1, 15)
    run("same-2", "steady", 3, 14)
    run("other", "falling", 9, 1, CASES[:2])
    return folder


STRICT = TrendRequest(tier="native-function-contract")


def test_a_fall_is_named_with_its_cases_and_boards_stay_apart(runs: Path) -> None:
    report = trend(runs, STRICT)
    assert [one.runs.height for one in report.boards] == [4, 1]
    assert report.boards[0].family == report.boards[1].family
    whole = report.boards[0].regressions
    told = {row["model"]: row for row in whole.to_dicts()}
    assert (told["falling"]["finding"], len(told["falling"]["lost"])) == ("significant fall", 24)
    assert (told["steady"]["finding"], told["steady"]["lost"]) == ("cases lost", ["t-14"])
    assert report.boards[1].regressions.is_empty()


def test_a_terminal_names_some_cases_and_json_all(runs: Path) -> None:
    report = trend(runs, STRICT)
    (line,) = (line for line in report.text().splitlines() if "a significant fall" in line)
    assert "t-04, t-05" in line
    assert line.count("t-") == SHOWN
    assert "and 4 more" in line
    assert "nothing can have fallen" in report.text()
    data = json.loads(json.dumps(report.data()))
    assert len(data[0]["regressions"][0]["lost"]) == 24


def test_one_model_can_be_chosen_without_changing_the_correction(runs: Path) -> None:
    whole = trend(runs, STRICT).boards[0].regressions
    one = trend(runs, TrendRequest(tier="native-function-contract", model="steady")).boards
    assert [board.runs["model"].to_list() for board in one] == [["steady", "steady"]]
    assert one[0].regressions.equals(whole.filter(pl.col("model") == "steady"))


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        pytest.param(TrendRequest(model="nobody"), "no run fits", id="no-such-model"),
        pytest.param(TrendRequest(collection="elsewhere"), "no run fits", id="no-such-collection"),
        pytest.param(TrendRequest(tier="best"), "no such tier", id="no-such-tier"),
    ],
)
def test_what_fits_nothing_says_so(runs: Path, request_: TrendRequest, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        trend(runs, request_)


def test_files_hold_runs_and_regressions(runs: Path, tmp_path: Path) -> None:
    report = trend(runs, STRICT)
    for form, read in (("csv", pl.read_csv), ("parquet", pl.read_parquet)):
        columns = [read(path).columns for path in report.write(tmp_path, form)]
        assert columns == [TREND_SCHEMA.names(), REGRESSION_SCHEMA.names()] * 2
    assert sum("a significant fall" in path.read_text() for path in report.write(tmp_path, "markdown")) == 1
    assert len(report.write(tmp_path, "text")) == 2


def test_the_command_prints_text_markdown_or_json(capsys: Capture, runs: Path) -> None:
    assert main(["trend", str(runs), "--tier", "native-function-contract"]) == 0
    assert "each run beside the one before it" in capsys.readouterr().out
    assert main(["trend", str(runs), "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("## tiny")
    assert main(["trend", str(runs), "--json"]) == 0
    assert {board["board"]["tier"] for board in json.loads(capsys.readouterr().out)} == {
        "native-function-contract",
        "task-completion-contract",
    }
    assert main(["trend", str(runs), "--format", "csv"]) == 64
    assert "--output FOLDER" in capsys.readouterr().err
