"""What of held-out cases leaves with a dataset, and what an outsider can then recompute."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fcbench.workflows.export_dataset import ExportRequest, export_as
from fcbench.workflows.replicate import Replication, replicate
from fcbench.workflows.replicate_source import replicate_source
from tests.workflows.sealing_project import WORDS
from tests.workflows.test_sealing import IDS, full, project, redacted, secrets, told

__all__ = ["full", "project", "redacted", "secrets"]
Capture = pytest.CaptureFixture[str]


def exported(runs: Path, project: Path, output: Path, *, leave_out: bool = False) -> Replication:
    export_as(ExportRequest(runs=runs, project=project, leave_out_held_out=leave_out), output)
    return replicate(output)


def texts(dataset: Path) -> str:
    return "\n".join(str(pq.read_table(path).to_pylist()) for path in sorted(dataset.rglob("*.parquet")))


def test_of_a_redacted_package_everything_open_is_recomputed(redacted: Path, project: Path, tmp_path: Path) -> None:
    found = exported(redacted.parents[1], project, tmp_path / "out")
    assert (found.differences, found.exit_code) == (0, 2), found.shown_differences
    assert found.counts["attempts"] == 6
    assert any("3 of its cases are not in the dataset" in one for one in found.open_questions)
    assert any("leaderboard rows were not recomputed" in one for one in found.open_questions)
    assert not any(word in texts(tmp_path / "out") for word in WORDS)


def test_of_a_full_package_without_its_held_out_cases_the_same_holds(full: Path, project: Path, tmp_path: Path) -> None:
    found = exported(full.parents[1], project, tmp_path / "out", leave_out=True)
    assert (found.differences, found.exit_code, found.counts["attempts"]) == (0, 2, 6), found.shown_differences
    assert not any(word in texts(tmp_path / "out") for word in WORDS)
    assert replicate_source(tmp_path / "out", tmp_path / "own").project is not None
    assert not any(path.read_text().count(one) for path in (tmp_path / "own").rglob("*.yaml") for one in IDS)


def test_once_revealed_nothing_is_left_open(
    full: Path, project: Path, secrets: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert told(capsys, "suite", "reveal", secrets, "--project", project)[0] == 0
    found = exported(full.parents[1], project, tmp_path / "out")
    assert (found.differences, found.exit_code, found.counts["attempts"]) == (0, 0, 12), found.shown_differences
    made = replicate_source(tmp_path / "out", tmp_path / "own").project
    assert made is not None
    assert made.notes == ()
