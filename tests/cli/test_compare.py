"""`fcbench compare` as a user calls it: the answer's exit code, what is printed, and what is written."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from msgspec.structs import replace

from fcbench.cli.main import main
from tests.workflows.test_compare_runs import case, package

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main(["compare", *map(str, arguments)])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty cases: `large` passes all, `small` all but two, `tiny` half; `hostile` has such a name."""
    root = tmp_path_factory.mktemp("runs")
    cases = [case(number, level="L2" if number % 2 else "L3", category=f"c{number % 4}") for number in range(80)]
    package(root, "large", cases, ["+"] * 80)
    package(root, "small", cases, ["-"] * 2 + ["+"] * 78)
    package(root, "tiny", cases, ["+-"[number % 2] for number in range(80)])
    few = [case(number) for number in range(5)]
    package(root, "few", few, ["+"] * 5)
    plain = package(root, "plain", few, ["+"] * 5)
    hostile = replace(plain.header.provider, model="\x1b[2J|<b>\n# x")
    package(root, "hostile", few, ["-"] * 5, provider=hostile)
    return next(root.iterdir())


@pytest.mark.parametrize(
    ("b", "margin", "code", "answer"),
    [
        pytest.param("small", "10%", 0, "yes", id="yes"),
        pytest.param("tiny", "0.1", 1, "no", id="no"),
        pytest.param("small", "3%", 2, "cannot tell", id="cannot tell"),
    ],
)
def test_the_exit_code_is_the_answer(capsys: Capture, runs: Path, b: str, margin: str, code: int, answer: str) -> None:
    found, out, err = run(capsys, runs / "large", runs / b, "--margin", margin)
    assert (found, err) == (code, "")
    (line,) = [line for line in out.splitlines() if line.startswith("may B stand in for A")]
    assert line.endswith(f"? {answer}")


def test_without_a_margin_the_exit_code_is_0_whatever_is_found(capsys: Capture, runs: Path) -> None:
    code, out, _ = run(capsys, runs / "large", runs / "tiny")
    lines = out.splitlines()
    assert code == 0
    assert "may B" not in out
    assert "  strict accuracy (call cases)  80     100.0 %  50.0 %  -50.0 (" in out
    assert "  40 worse in B: hypotheek-001, " in out
    assert "and 28 more (all with --json)" in out
    assert "by level, call cases" in lines
    assert "by mix, call cases" not in lines


def test_it_says_to_go_by_the_test_where_interval_and_exact_test_disagree(capsys: Capture, tmp_path: Path) -> None:
    cases = [case(number) for number in range(40)]
    a = package(tmp_path, "a", cases, ["+"] * 40)
    b = package(tmp_path, "b", cases, ["-"] * 4 + ["+"] * 36)
    told = [run(capsys, a.folder, one.folder)[1] for one in (b, a)]
    # Four lost and none gained: p = 2 / 2^4, while the score lies 2 standard errors from 0.
    assert "p = 0.125" in told[0]
    assert ["go by the test" in one for one in told] == [True, False]


def test_json_has_everything(capsys: Capture, runs: Path) -> None:
    code, out, _ = run(capsys, runs / "large", runs / "small", "--margin", "10%", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["good_enough"]["answer"], data["tier"]) == ("yes", "native-function-contract")
    assert data["strict"]["lost"] == 2
    assert len(data["bootstrap"]) == 2
    assert {one["axis"] for one in data["segments"]} == {"category", "level"}


@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
def test_a_table_can_be_written(capsys: Capture, runs: Path, tmp_path: Path, form: str) -> None:
    code, _, err = run(capsys, runs / "large", runs / "small", "--output", tmp_path / "out", "--format", form)
    assert (code, err) == (0, "")
    path = tmp_path / "out" / f"compare.{form}"
    table = {"csv": pl.read_csv, "parquet": pl.read_parquet, "json": pl.read_json}[form](path)
    assert table["axis"].to_list() == ["strict", *["category"] * 4, *["level"] * 2]
    assert table["lost"][0] == 2


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_page_can_be_written(capsys: Capture, runs: Path, tmp_path: Path, form: str) -> None:
    code, out, _ = run(capsys, runs / "large", runs / "small", "--output", tmp_path, "--format", form)
    (file,) = tmp_path.iterdir()
    assert code == 0
    assert file.name == {"text": "compare.txt", "markdown": "compare.md"}[form]
    assert (file.read_text(encoding="utf-8") == out) is (form == "text")


def test_markdown_is_printed_and_no_name_is_obeyed(capsys: Capture, runs: Path) -> None:
    code, out, _ = run(capsys, runs / "few", runs / "hostile", "--format", "markdown")
    assert code == 0
    assert out.startswith("## Two runs of one board\n")
    assert "\x1b" not in out
    assert "<b>" not in out
    assert "\n# x" not in out
    _, shown, _ = run(capsys, runs / "few", runs / "hostile")
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(("--margin", "5"), 64, "--margin", id="no share"),
        pytest.param(("--margin", "0"), 64, "--margin", id="nought"),
        pytest.param(("--tier", "gold"), 64, "no such tier", id="no tier"),
        pytest.param(("--format", "csv"), 64, "--output FOLDER", id="no place"),
        pytest.param(("--prices", "nowhere.yaml"), 66, "nowhere.yaml", id="no prices"),
    ],
)
def test_what_is_refused(capsys: Capture, runs: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    found, out, err = run(capsys, runs / "large", runs / "small", *arguments)
    assert (found, out) == (code, "")
    assert said in err


def test_other_cases_are_another_board(capsys: Capture, runs: Path) -> None:
    code, out, err = run(capsys, runs / "large", runs / "few")
    assert (code, out) == (78, "")
    assert "task_hash" in err
