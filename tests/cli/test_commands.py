"""Commands as a user calls them: the real `main`, exit codes, stdout and stderr."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fcbench
from fcbench.cli.main import main

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sealed packages of the controls oracle and null."""
    runs = tmp_path_factory.mktemp("quick") / "runs"
    for model in ("oracle", "null"):
        command = ["run", "complex-schema-nl/quick", "--model", f"scripted:{model}", "--output", str(runs)]
        assert main([*command, "--run-id", model]) == 0
    return runs


def test_version_and_bare_help(capsys: Capture) -> None:
    assert run(capsys, "--version") == (0, f"fcbench {fcbench.__version__}\n", "")
    code, out, _ = run(capsys)
    assert code == 0
    assert "quickstart" in out


def test_a_run_reports_progress_on_stderr_and_the_package_on_stdout(capsys: Capture, tmp_path: Path) -> None:
    code, out, err = run(capsys, "run", "genomics/quick", "--model", "scripted:oracle", "--output", tmp_path, "--json")
    data = json.loads(out)
    assert code == 0
    assert data["counts"] == {"completed": 8}
    assert data["complete"] is True
    assert "[8/8]" in err
    assert (Path(data["package"]) / "manifest.json").is_file()


def test_the_same_command_finds_what_it_sealed(capsys: Capture, quick: Path) -> None:
    before = sorted(path for path in quick.rglob("*"))
    code, out, err = run(
        capsys,
        "run",
        "complex-schema-nl/quick",
        "--model",
        "scripted:null",
        "--output",
        quick,
        "--run-id",
        "null",
    )
    assert code == 0
    assert "sealed" in out
    assert err == ""
    assert sorted(path for path in quick.rglob("*")) == before


def test_verify_says_intact_and_recomputes_every_verdict(capsys: Capture, quick: Path) -> None:
    code, out, _ = run(capsys, "verify", quick)
    assert code == 0
    assert "2 of 2 packages intact" in out
    assert "18 attempts, 36 verdicts in 1 files recomputed" in out


def test_verify_fails_on_an_altered_attempt(capsys: Capture, quick: Path, tmp_path: Path) -> None:
    (source,) = quick.glob("*/null")
    folder = tmp_path / "altered"
    folder.mkdir()
    for path in source.iterdir():
        (folder / path.name).write_bytes(path.read_bytes().replace(b"I cannot carry it out", b"I have carried it out"))
    code, out, _ = run(capsys, "verify", tmp_path)
    assert code == 1
    assert "FAILED" in out
    assert "attempts.jsonl" in out


def test_verify_fails_on_a_verdict_file_of_other_evidence(capsys: Capture, quick: Path, tmp_path: Path) -> None:
    oracle, null = (next(quick.glob(f"*/{name}")) for name in ("oracle", "null"))
    folder = tmp_path / "mixed"
    folder.mkdir()
    for path in null.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (verdicts,) = oracle.glob("*.parquet")
    (folder / verdicts.name).write_bytes(verdicts.read_bytes())
    code, out, _ = run(capsys, "verify", tmp_path)
    assert code == 1
    assert "judges other evidence" in out


def test_verify_of_an_empty_folder_cannot_tell(capsys: Capture, tmp_path: Path) -> None:
    assert run(capsys, "verify", tmp_path)[0] == 2


def test_tables_keep_boards_and_controls_apart(capsys: Capture, quick: Path) -> None:
    code, out, _ = run(capsys, "tables", quick)
    assert code == 0
    assert out.count("complex-schema-nl/quick: ") == 2, "one table a tier"
    assert out.count("control") >= 4
    code, out, _ = run(capsys, "tables", quick, "--json", "--tier", "native-function-contract")
    (board,) = json.loads(out)
    by_model = {row["model"]: row for row in board["rows"]}
    assert (by_model["oracle"]["strict"], by_model["null"]["strict"]) == (1.0, 0.0)
    assert (by_model["oracle"]["restraint_accuracy"], by_model["null"]["restraint_accuracy"]) == (1.0, 1.0)
    assert [row["rank"] for row in board["rows"]] == [None, None]


@pytest.mark.parametrize("form", ["csv", "parquet", "json", "text", "markdown"])
def test_tables_write_one_file_a_board(capsys: Capture, quick: Path, tmp_path: Path, form: str) -> None:
    code, _, _ = run(capsys, "tables", quick, "--by", "level", "--output", tmp_path, "--format", form)
    assert code == 0
    files = list(tmp_path.iterdir())
    assert len(files) == 2
    assert all(path.stat().st_size for path in files)


def test_tables_check_an_interval_by_the_bootstrap(capsys: Capture, quick: Path) -> None:
    code, out, _ = run(capsys, "tables", quick, "--bootstrap")
    assert code == 0
    assert "by bootstrap" in out
    code, out, _ = run(capsys, "tables", quick, "--bootstrap", "--json")
    rows = {row["model"]: row for board in json.loads(out) for row in board["rows"]}
    # Every case passes, or none does: nothing else can be drawn.
    assert (rows["oracle"]["strict_boot_low"], rows["oracle"]["strict_boot_high"]) == (1.0, 1.0)
    assert (rows["null"]["strict_boot_low"], rows["null"]["strict_boot_high"]) == (0.0, 0.0)
    assert "by bootstrap" not in run(capsys, "tables", quick)[1]


def test_tables_print_markdown_or_a_group_of_columns(capsys: Capture, quick: Path) -> None:
    code, out, _ = run(capsys, "tables", quick, "--format", "markdown")
    assert (code, out.count("\n### Cost\n")) == (0, 2)
    code, out, _ = run(capsys, "tables", quick, "--columns", "tools")
    assert (code, out.count("beyond the expected")) == (0, 2)
    code, out, err = run(capsys, "tables", quick, "--format", "parquet")
    assert (code, out) == (64, "")
    assert "--output FOLDER" in err


def test_score_with_todays_oracle_lists_no_flip_where_nothing_changed(capsys: Capture, quick: Path) -> None:
    code, out, _ = run(capsys, "score", quick, "--oracle", "current")
    assert code == 0
    assert out.count(" 0 flips") == 2


def test_registry_and_suite_commands_are_clean_on_the_embedded_default(capsys: Capture) -> None:
    code, out, _ = run(capsys, "registry", "check")
    assert (code, "0 errors" in out) == (0, True)
    code, out, _ = run(capsys, "registry", "diff")
    assert (code, out) == (0, "no difference\n")
    code, out, _ = run(capsys, "suite", "stats", "--json")
    assert code == 0
    assert json.loads(out)["complex-schema-nl"]["mix"] == {"edge": 30, "explicit": 119, "noise": 51}


def test_an_internal_fault_is_no_verdict(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("bug")

    monkeypatch.setattr("fcbench.workflows.verify.verify_all", broken)
    code, _, err = run(capsys, "verify", ".")
    assert code == 70
    assert "FCBENCH_TRACEBACK" in err


@pytest.mark.parametrize(("number", "expected"), [(errno.EACCES, 66), (errno.ENOSPC, 73)])
def test_what_the_system_refuses_is_no_fault_of_ours(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, number: int, expected: int
) -> None:
    def refuses(*_: object) -> None:
        raise OSError(number, os.strerror(number), "/somewhere")

    monkeypatch.setattr("fcbench.workflows.verify.verify_all", refuses)
    code, _, err = run(capsys, "verify", ".")
    assert code == expected
    assert os.strerror(number) in err
    assert "/somewhere" in err


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m fcbench suite stats | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert done.stdout == "complex-schema-en (en): 200 cases\n"
