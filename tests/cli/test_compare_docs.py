"""The page on switching to a cheaper model: its real runs are real, its commands work and give the answers it shows."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.test_commands import Capture, run

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/how-to/switch-to-a-cheaper-model"
PAGE = FOLDER.with_suffix(".md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^Exit (\d)\n\n```text\n\$ fcbench ([^\n]+)\n(.*?)\n```", re.MULTILINE | re.DOTALL)
SHOWN = BLOCK.findall(PAGE)
SHELL = [
    line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]


def test_every_command_of_the_page_has_its_output() -> None:
    assert [(code, "runs/0d9de520fe4d" in command) for code, command, _ in SHOWN] == [
        ("0", False),
        ("2", False),
        ("2", True),
    ]
    compared = [line for line in SHELL if line.startswith("fcbench compare")]
    assert [re.sub(r"<registry hash>", "9e6207100c8f", line) for line in compared] == [
        f"fcbench {command}" for _, command, _ in SHOWN[:2]
    ]


def test_the_run_of_a_real_model_is_real(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code, command, shown = SHOWN[2]
    found, out, err = run(capsys, *shlex.split(command))
    assert (found, err) == (int(code), "")
    assert out.splitlines() == shown.splitlines()


@pytest.mark.slow
def test_the_two_programs_give_the_answers_that_the_page_shows(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All of it in a copy of the folder; figures may move with the suite, answers and lines may not."""
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for line in SHELL[1:3]:
        words = [word.replace("command:python", f"command:{sys.executable}") for word in shlex.split(line)[1:]]
        assert run(capsys, *words, "--progress", "none")[0] == 0
    (registry,) = [path.name for path in (tmp_path / "runs").iterdir()]
    for code, command, shown in SHOWN[:2]:
        found, out, _ = run(capsys, *shlex.split(command.replace("9e6207100c8f", registry)))
        assert found == int(code)
        answers = [line for line in out.splitlines() if line.startswith("may B stand in")]
        assert answers[0] in shown.splitlines()
        if "..." not in shown.splitlines():
            assert [shape(line) for line in out.splitlines()] == [shape(line) for line in shown.splitlines()]


def shape(line: str) -> str:
    """The words of a line without its figures, names of cases and rules."""
    return re.sub(r"[\d.,+%()-]+|cs-nl|\s+|[0-9a-f]{12}", "", line.replace("0.0001", ""))
