"""`fcbench reliability` and `fcbench contrast` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fcbench.cli.compare_commands import share
from fcbench.cli.main import main
from fcbench.errors import UsageError
from tests.cli.test_commands import Capture, run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The controls oracle and null over the quick subset."""
    folder = tmp_path_factory.mktemp("reliability") / "runs"
    for model in ("oracle", "null"):
        command = ["run", "complex-schema-nl/quick", "--model", f"scripted:{model}", "--output", str(folder)]
        assert main([*command, "--run-id", model]) == 0
    return folder


@pytest.mark.parametrize(
    ("require", "oracle", "null"), [("40%", "meets", "cannot tell"), ("0.6", "cannot tell", "fails")]
)
def test_the_boundary_is_told_for_each_run(capsys: Capture, runs: Path, require: str, oracle: str, null: str) -> None:
    code, out, _ = run(capsys, "reliability", runs, "--by", "all", "--require", require, "--json")
    board = json.loads(out)["boards"][0]
    told = {row["model"]: row for row in board["boundary"]}
    assert code == 0
    assert (told["oracle"]["standing"], told["null"]["standing"]) == (oracle, null)
    assert (told["oracle"]["cases"], told["oracle"]["failed"], told["null"]["failed"]) == (4, 0, 4)
    assert [row["error_replies"] for row in board["repair"] if row["model"] == "oracle"] == [0, 1, 2]


def test_the_boundary_reads_well_in_a_terminal(capsys: Capture, runs: Path) -> None:
    code, out, _ = run(capsys, "reliability", runs)
    assert code == 0
    assert "99 % asked" in out
    assert "cannot tell 99 %, " in out
    assert "after error replies" in out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        pytest.param(["reliability", "--require", "2"], "between 0 and 1", id="no share"),
        pytest.param(["reliability", "--require", "high"], "between 0 and 1", id="a word"),
        pytest.param(["reliability", "--collection", "genomics"], "complex-schema-nl/quick", id="no such board"),
        pytest.param(["contrast"], "two boards", id="nothing to contrast"),
        pytest.param(["contrast", "--axis", "decoding"], "another decoding", id="no other decoding"),
        pytest.param(["contrast", "--axis", "harness"], "without difference, rank or test", id="harness is no axis"),
        pytest.param(["contrast", "--axis", "mode"], "changes what is measured", id="mode is no axis"),
        pytest.param(["contrast", "--axis", "tier"], "changes what is measured", id="tier is no axis"),
        pytest.param(["contrast", "--axis", "colour"], "schema-version", id="no such axis"),
    ],
)
def test_bad_input_says_what_was_wanted(capsys: Capture, runs: Path, arguments: list[str], word: str) -> None:
    code, out, err = run(capsys, arguments[0], runs, *arguments[1:])
    assert (code, out) == (64, "")
    assert word in err


def test_reliability_is_written_in_every_form(capsys: Capture, runs: Path, tmp_path: Path) -> None:
    wanted = {"csv": 2, "parquet": 2, "json": 2, "markdown": 1, "text": 1}
    for form, files in wanted.items():
        assert run(capsys, "reliability", runs, "--output", tmp_path / form, "--format", form)[0] == 0
        assert len(list((tmp_path / form).iterdir())) == files
    assert "oracle" in next((tmp_path / "csv").glob("*-reliability.csv")).read_text()
    assert "error_replies" in next((tmp_path / "csv").glob("*-repair.csv")).read_text()
    code, out, _ = run(capsys, "reliability", runs, "--format", "markdown")
    assert (code, out[:3]) == (0, "## ")
    assert "| model | segment | cases |" in out
    assert run(capsys, "reliability", runs, "--format", "json")[0] == 64


def test_a_control_on_two_decodings_is_contrasted(capsys: Capture, runs: Path, tmp_path: Path) -> None:
    copy = tmp_path / "runs"
    for package in (path.parent for path in runs.rglob("manifest.json")):
        (copy / package.name).mkdir(parents=True)
        for path in package.iterdir():
            (copy / package.name / path.name).write_bytes(path.read_bytes())
    command = [
        "run",
        "complex-schema-nl/quick",
        "--model",
        "scripted:null",
        "--output",
        str(copy),
        "--run-id",
        "strict",
    ]
    assert main([*command, "--run-id", "strict", "--decoding", "strict"]) == 0
    capsys.readouterr()
    code, out, _ = run(capsys, "contrast", copy, "--axis", "decoding")
    assert code == 0
    assert "decoding free against strict: pass" in out or "decoding strict against free: pass" in out
    code, out, _ = run(capsys, "contrast", copy, "--axis", "decoding", "--json")
    (found,) = json.loads(out)["contrasts"]
    assert {row["decision"] for row in found["rows"]} == {"call", "restraint"}
    assert [row["difference"] for row in found["rows"]] == [0.0, 0.0]
    code, _, err = run(capsys, "contrast", copy, "--axis", "retrieval")
    assert code == 64
    assert "decoding" in err, "the closest two boards differ in the decoding"


@pytest.mark.parametrize(("text", "value"), [("0.99", 0.99), ("99%", 0.99), (" 95 % ", 0.95), ("99.5%", 0.995)])
def test_a_share_is_a_number_or_a_percentage(text: str, value: float) -> None:
    assert share(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "0", "1", "100%", "nan", "0.9.9", "5%%", "-1"])
def test_anything_else_is_no_share(text: str) -> None:
    with pytest.raises(UsageError):
        share(text)
