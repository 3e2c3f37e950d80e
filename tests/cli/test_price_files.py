"""`prices.yaml` of the project's folder holds for every command that knows prices; `--prices` goes before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcbench.workflows.project import MARKS
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed
from tests.cli.test_commands import Capture, run

PRICES = "date: 2026-12-01\ncurrency: {}\nmodels:\n  scripted:m:\n    - input: 1\n      output: 2\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is the current folder, with a package `a` and one `b` of one board."""
    for mark in MARKS:
        (tmp_path / mark).mkdir()
    for name in ("a", "b"):
        package = sealed(tmp_path / name, [call_case("t-1")], [attempt_of("t-1", arguments={"start": 1})], model="m")
        package.folder.rename(tmp_path / f"package-{name}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["run", "anything", "--model", "scripted:oracle"], id="run"),
        pytest.param(["sweep", "sweep.yaml"], id="sweep"),
        pytest.param(["tables", "package-a"], id="tables"),
        pytest.param(["cost", "package-a"], id="cost"),
        pytest.param(["compare", "package-a", "package-b"], id="compare"),
        pytest.param(["gate", "package-a", "--max-cost", "1"], id="gate"),
    ],
)
def test_a_broken_price_file_of_the_project_is_named(capsys: Capture, project: Path, command: list[str]) -> None:
    (project / "prices.yaml").write_text("date: yesterday\n")
    code, _, error = run(capsys, *command)
    assert code == 65
    assert "prices.yaml" in error


def test_a_named_price_file_goes_before_the_projects_own(capsys: Capture, project: Path) -> None:
    (project / "prices.yaml").write_text(PRICES.format("EUR"))
    assert "EUR" in run(capsys, "cost", "package-a")[1]
    (project / "mine.yaml").write_text(PRICES.format("SEK"))
    named = run(capsys, "cost", "package-a", "--prices", "mine.yaml")[1]
    assert "SEK" in named
    assert "EUR" not in named
