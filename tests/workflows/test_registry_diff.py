"""What a change of the contracts touches: cases, and runs that were published before it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fcbench.cli.main import main
from tests.workflows.sealing_project import make_project

Capture = pytest.CaptureFixture[str]
ALL = ["h-001", "h-002", "h-003", "t-001", "t-002", "t-003"]


def told(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    found = capsys.readouterr()
    return code, found.out, found.err


def change(project: Path, tool: str, **fields: object) -> None:
    path = project / f"tools_registry/parts/parts/{tool}.yaml"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def runs(tmp_path: Path, project: Path, capsys: Capture) -> Path:
    """A run of the project as it is: it offers the one tool of its cases."""
    options = ["--project", project, "--output", tmp_path / "runs", "--run-id", "before"]
    assert told(capsys, "run", "all", "--model", "scripted:oracle", *options)[0] == 0
    shutil.copytree(project / "tools_registry", tmp_path / "old")
    return tmp_path / "runs"


def difference(capsys: Capture, *arguments: object) -> dict[str, object]:
    code, out, err = told(capsys, "registry", "diff", *arguments, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


def test_a_changed_tool_touches_its_cases_and_the_runs_of_the_old_registry(
    tmp_path: Path, project: Path, runs: Path, capsys: Capture
) -> None:
    change(project, "get_part", description="Returns another part of a record.")
    options = ["--project", project, "--output", runs, "--run-id", "after"]
    assert told(capsys, "run", "all", "--model", "scripted:oracle", *options)[0] == 0
    parts = difference(capsys, tmp_path / "old", "--runs", runs, "--project", project)["parts"]
    assert isinstance(parts, dict)
    assert parts["cases"] == ALL
    (run,) = parts["runs"]
    assert (run["run_id"], run["model"], run["collection"], run["planned"]) == ("before", "oracle", "all", 6)
    assert run["cases"] == ALL
    assert run["registry_hash"] == parts["before"] != parts["after"]
    code, out, _ = told(capsys, "registry", "diff", tmp_path / "old", "--runs", runs, "--project", project)
    assert code == 0
    assert "parts: ~ get_part (description)" in out
    assert f"1 published run stays on the boards of registry {parts['before'][:12]}" in out
    assert "oracle on all, 6 of 6 cases met a touched tool" in out


def test_a_tool_that_no_case_meets_moves_the_board_and_touches_no_case(
    tmp_path: Path, project: Path, runs: Path, capsys: Capture
) -> None:
    change(project, "get_whole", description="Returns everything of a record.")
    parts = difference(capsys, tmp_path / "old", "--runs", runs, "--project", project)["parts"]
    assert isinstance(parts, dict)
    assert parts["cases"] == []
    assert [(run["run_id"], run["cases"]) for run in parts["runs"]] == [("before", [])]


def test_a_tool_that_was_only_offered_touches_the_run_that_offered_it(
    tmp_path: Path, project: Path, runs: Path, capsys: Capture
) -> None:
    options = ["--project", project, "--output", runs, "--run-id", "wide", "--retrieval", "all"]
    assert told(capsys, "run", "all", "--model", "scripted:null", *options)[0] == 0
    change(project, "get_whole", description="Returns everything of a record.")
    parts = difference(capsys, tmp_path / "old", "--runs", runs, "--project", project)["parts"]
    assert isinstance(parts, dict)
    assert [(run["run_id"], run["cases"]) for run in parts["runs"]] == [("before", []), ("wide", ALL)]


def test_two_states_are_compared_whatever_the_project_holds(
    tmp_path: Path, project: Path, runs: Path, capsys: Capture
) -> None:
    (beside,) = runs.glob("*/registry.json")
    lock = tmp_path / "old" / "registry.lock.json"
    for old, new in ((beside, lock), (lock, beside), (tmp_path / "old", lock)):
        (part,) = difference(capsys, old, new, "--project", project).values()
        assert isinstance(part, dict)
        assert {"added", "removed", "changed"}.isdisjoint(part), old
        assert part["before"] == part["after"]
    change(project, "get_part", description="Returns another part of a record.")
    parts = difference(capsys, beside, project / "tools_registry", "--project", project)["parts"]
    assert isinstance(parts, dict)
    assert [(one["name"], one["parts"]) for one in parts["changed"]] == [("get_part", ["description"])]


def test_an_old_package_stays_readable_and_on_a_board_of_its_own(
    tmp_path: Path, project: Path, runs: Path, capsys: Capture
) -> None:
    change(project, "get_part", description="Returns another part of a record.")
    options = ["--project", project, "--output", runs, "--run-id", "after"]
    assert told(capsys, "run", "all", "--model", "scripted:oracle", *options)[0] == 0
    assert told(capsys, "verify", runs)[0] == 0
    code, out, _ = told(capsys, "tables", runs, "--tier", "native-function-contract", "--json")
    assert code == 0
    boards = json.loads(out)
    assert [[row["run_id"] for row in one["rows"]] for one in boards] in (
        [["before"], ["after"]],
        [["after"], ["before"]],
    )


@pytest.mark.parametrize("name", ["nothing", "project/suites/collections.yaml"])
def test_what_is_no_state_of_a_registry_is_refused(tmp_path: Path, project: Path, capsys: Capture, name: str) -> None:
    code, _, err = told(capsys, "registry", "diff", tmp_path / name, "--project", project)
    assert code == 66
    assert "registry.lock.json" in err


def test_a_registry_without_packages_beside_it_has_no_name(
    tmp_path: Path, project: Path, runs: Path, capsys: Capture
) -> None:
    (beside,) = runs.glob("*/registry.json")
    lonely = tmp_path / "lonely" / "registry.json"
    lonely.parent.mkdir()
    lonely.write_bytes(beside.read_bytes())
    code, _, err = told(capsys, "registry", "diff", lonely, "--project", project)
    assert code == 65
    assert "nothing says which registry this is" in err
