"""Killed at any moment, a run goes on and seals what an undisturbed one seals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.answering import ROOT


def killed(folder: Path, kills: int, seed: int) -> dict[str, int]:
    environment = {**os.environ, "TMPDIR": str(folder)}  # a killed workbench leaves its session's files behind
    command = [sys.executable, "-m", "tests.engine.kill_run", str(folder / "runs"), "--kills", str(kills)]
    done = subprocess.run(
        [*command, "--seed", str(seed)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    counted: dict[str, int] = json.loads(done.stdout)
    return counted


def test_five_kills_change_nothing_but_times(tmp_path: Path) -> None:
    assert killed(tmp_path, 5, seed=5)["kills"] == 5


@pytest.mark.slow
def test_two_hundred_kills_change_nothing_but_times(tmp_path: Path) -> None:
    counted = killed(tmp_path, 200, seed=1)
    assert counted["kills"] == 200
    assert counted["sealed"] >= 10
