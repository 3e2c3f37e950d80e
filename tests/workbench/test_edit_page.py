"""How to edit a genome: the page shows what the shell prints, but for times, versions and digests."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from fcbench.cli.main import main

PAGE = Path(__file__).parents[2] / "docs/how-to/edit-a-genome.md"


def blocks(language: str) -> list[str]:
    """The fenced blocks of the page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def plain(text: str) -> str:
    """Without times, versions and digests, which say nothing to a reader of the page."""
    return re.sub(r"\b\d+\.\d+ ms|(?<=[a-z] )\d+(?:\.\d+)+\b|\b[0-9a-f]{12}\b", "*", text)


def test_the_page_shows_what_the_shell_prints_and_what_the_check_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script, shown, checked = blocks("text")
    (check,) = blocks("python")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(script.encode())))
    assert main(["workbench", "shell", "--output", "out"]) == 0
    assert plain(capsys.readouterr().out) == plain(shown)
    exec(compile(check, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == checked
