"""Imported cases, whose tools share names: a dataset of them is replicated, and its project asks the same."""

from __future__ import annotations

import shlex
from pathlib import Path

from fcbench.cli.main import main
from fcbench.packages.store import find_packages, open_package
from fcbench.workflows.export_dataset import ExportRequest, export_as
from fcbench.workflows.project import Material
from fcbench.workflows.replicate_source import replicate_source
from fcbench.workflows.run import RunRequest, run
from tests.workflows.test_imported import material, project

__all__ = ["material", "project"]


def test_two_contracts_of_one_name_stay_two(material: Material, tmp_path: Path) -> None:
    run(material, RunRequest(target="shapes", model="scripted:oracle"), tmp_path / "runs")
    export_as(ExportRequest(runs=tmp_path / "runs", project=material.project.root), tmp_path / "out")
    found = replicate_source(tmp_path / "out", tmp_path / "own")
    assert (found.exit_code, found.replication.differences) == (0, 0), found.text()
    assert found.project is not None
    assert (found.project.notes, found.project.other_boards) == ((), ())
    words = shlex.split(str(found.project.command).replace("PROVIDER:MODEL", "scripted:oracle"))
    assert words[:3] == ["fcbench", "run", "shapes"]
    assert main([*words[1:], "--output", str(tmp_path / "mine"), "--progress", "none"]) == 0
    (mine,) = find_packages(tmp_path / "mine")
    (folder,) = find_packages(tmp_path / "runs")
    assert open_package(mine).header.key == open_package(folder).header.key
    assert found.project.tools == len(material.registries["imported"].contracts)
    assert found.project.cases == len(open_package(folder).cases)
