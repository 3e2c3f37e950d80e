"""`fcbench suite import` and `fcbench suite crosscheck` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fcbench.cli.main import main
from tests.suites.bfcl_rows import pair, write_pairs

Capture = pytest.CaptureFixture[str]
ANSWERS = [{"park.book": {"city": ["Delft"]}}]
RIGHT = pair("simple_python_0", [{"park.book": {"city": "Delft"}}], ANSWERS)
FOLDED = pair("simple_python_0", [{"park.book": {"city": "DELFT"}}], ANSWERS, perturbation="string_swapcase")
WRONG = pair("simple_python_1", [{"park.book": {"city": "Gouda"}}], ANSWERS)


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_an_import_says_what_it_wrote_and_checks(capsys: Capture, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "pairs.jsonl", RIGHT, WRONG)
    code, out, err = run(capsys, "suite", "import", "bfcl", path, "--output", tmp_path / "imported")
    assert code == 0
    assert "2 cases and 1 contracts written" in out
    assert "reading bfcl data" in err
    code, out, _ = run(capsys, "suite", "check", "--project", tmp_path / "imported")
    assert code == 0
    assert "2 cases in 1 suites: 0 errors, 1 findings" in out


def test_an_import_in_json_names_the_counts(capsys: Capture, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "pairs.jsonl", RIGHT)
    code, out, _ = run(capsys, "suite", "import", "bfcl", path, "--output", tmp_path / "imported", "--json")
    assert code == 0
    data = json.loads(out)
    assert (data["cases"], data["categories"]) == (1, {"simple_python": 1})


def test_an_imported_case_runs_and_is_judged_right(capsys: Capture, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "pairs.jsonl", RIGHT)
    run(capsys, "suite", "import", "bfcl", path, "--output", tmp_path / "imported")
    runs = tmp_path / "runs"
    options = ["--project", tmp_path / "imported", "--output", runs, "--json"]
    code, out, _ = run(capsys, "run", "bfcl", "--model", "scripted:oracle", *options)
    assert code == 0
    assert json.loads(out)["counts"] == {"completed": 1}
    assert run(capsys, "verify", runs)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["import", "bfcl", "none", "--output", "x"], 66, id="no such data"),
        pytest.param(["import", "other", "none", "--output", "x"], 64, id="no such source"),
        pytest.param(["import", "bfcl", "pairs.jsonl"], 64, id="no output"),
        pytest.param(["import", "bfcl", "pairs.jsonl", "--output", "."], 73, id="a filled folder"),
        pytest.param(["import", "bfcl", "torn.jsonl", "--output", "x"], 65, id="a torn line"),
        pytest.param(["crosscheck", "none.jsonl"], 66, id="no such pairs"),
        pytest.param(["crosscheck", "torn.jsonl"], 65, id="torn pairs"),
        pytest.param(["crosscheck", "pairs.jsonl", "--report", "."], 73, id="a report that is a folder"),
    ],
)
def test_what_is_wrong_has_its_exit_code(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path / "pairs.jsonl", RIGHT)
    (tmp_path / "torn.jsonl").write_text('{"id": ')
    found, out, err = run(capsys, "suite", *arguments)
    assert found == code
    assert out == ""
    assert err


def test_a_crosscheck_with_known_causes_passes(capsys: Capture, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "pairs.jsonl.gz", RIGHT, FOLDED)
    code, out, err = run(capsys, "suite", "crosscheck", path, "--report", tmp_path / "page.md")
    assert code == 0
    assert "agreement 1 of 2 (50.0 %)" in out
    assert "1 letter_case" in out
    assert "page.md" in err
    assert (tmp_path / "page.md").read_text(encoding="utf-8").startswith("# Agreement with the checker of BFCL\n")


def test_a_crosscheck_with_an_unknown_cause_fails_and_names_the_row(capsys: Capture, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "pairs.jsonl", RIGHT, WRONG)
    code, out, _ = run(capsys, "suite", "crosscheck", path, "--json")
    assert code == 1
    assert json.loads(out)["unexplained"] == ["simple_python_1::perfect"]
