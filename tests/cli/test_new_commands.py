"""`fcbench suite new` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import Capture, run
from tests.workflows.test_new_suite import FUNCTION, write


def test_from_a_schema_to_a_verdict_of_the_controls(capsys: Capture, tmp_path: Path) -> None:
    schema, root = write(tmp_path, FUNCTION), tmp_path / "own"
    code, out, _ = run(capsys, "suite", "new", "--schema", schema, "--project", root, "--lang", "nl", "--json")
    made = json.loads(out)
    assert (code, made["suite"], made["language"], made["findings"]) == (0, "create-ticket", "nl", [])
    assert made["cases_needed"][0] == {"failures": 0, "cases": 299}
    assert sorted(made["examples"]) == ["edge", "explicit", "noise"]

    suite = root / "suites/create-ticket/suite.yaml"
    assert run(capsys, "suite", "check", "--project", root)[0] == 1
    suite.write_text(suite.read_text().replace("ethics: pending", "ethics: reviewed"))
    assert run(capsys, "suite", "check", "--project", root)[0] == 0
    assert run(capsys, "registry", "check", "--project", root)[0] == 0

    for model in ("oracle", "null"):
        arguments = ["--project", root, "--model", f"scripted:{model}", "--output", root / "runs", "--run-id", model]
        assert run(capsys, "run", "create-ticket", *arguments)[0] == 0
    code, out, _ = run(capsys, "reliability", root / "runs", "--by", "all", "--require", "10%", "--json")
    (board,) = json.loads(out)["boards"]
    told = {row["model"]: (row["cases"], row["failed"], row["standing"]) for row in board["boundary"]}
    assert (code, told) == (0, {"oracle": (2, 0, "meets"), "null": (2, 2, "cannot tell")})


def test_the_report_says_what_comes_next(capsys: Capture, tmp_path: Path) -> None:
    root = tmp_path / "own"
    code, out, err = run(capsys, "suite", "new", "--schema", write(tmp_path, FUNCTION), "--project", root)
    assert (code, err) == (0, "")
    for word in ("gates:", "cases to claim 99 %", f"fcbench suite check --project {root}", "--require 99%"):
        assert word in out


def test_a_description_cannot_write_to_the_terminal(capsys: Capture, tmp_path: Path) -> None:
    hostile = {**FUNCTION["parameters"]["properties"]["due"], "pattern": "\u001bc"}  # type: ignore[index]
    schema = {"type": "object", "properties": {"due\u001b[2J": hostile}}
    code, out, _ = run(capsys, "suite", "new", "--schema", write(tmp_path, schema), "--project", tmp_path / "own")
    assert code == 0
    assert "\u001b" not in out


@pytest.mark.parametrize(
    ("more", "code", "word"),
    [
        pytest.param(["--require", "2"], 64, "between 0 and 1", id="no share"),
        pytest.param(["--lang", "fr"], 64, "fr", id="another language"),
        pytest.param(["--suite", "No Name"], 64, "lower case", id="no name"),
    ],
)
def test_bad_options_say_what_was_wanted(
    capsys: Capture, tmp_path: Path, more: list[str], code: int, word: str
) -> None:
    given = run(capsys, "suite", "new", "--schema", write(tmp_path, FUNCTION), "--project", tmp_path / "own", *more)
    assert given[0] == code
    assert word in given[2]
    assert not (tmp_path / "own").exists()
