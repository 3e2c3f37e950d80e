"""Replicate a dataset, and make a project of it where one is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fcbench.export.catalogue import read_catalogue
from fcbench.export.reading import DatasetFolder
from fcbench.workflows.import_bfcl import refuse_filled
from fcbench.workflows.replicate import Replication, replicate
from fcbench.workflows.replicate_project import Made, make_project


@dataclass(frozen=True, kw_only=True)
class Replicated:
    """What was found, and what was written."""

    replication: Replication
    project: Made | None = None

    @property
    def exit_code(self) -> int:
        """That of the replication: a project may be written from a dataset that differs, and it says so."""
        return self.replication.exit_code

    def text(self) -> str:
        """For a terminal."""
        return "\n".join([self.replication.text(), *([self.project.text()] if self.project else [])])

    def data(self) -> object:
        """As plain JSON values."""
        return {"replication": self.replication.data(), "project": self.project.data() if self.project else None}


def replicate_source(
    folder: Path, project: Path | None = None, *, on_run: Callable[[int, int], None] | None = None
) -> Replicated:
    """Replicate the dataset in a folder, and write a project of its cases and tools.

    Args:
        folder: the dataset.
        project: where the project goes: a folder that does not exist or is empty. None for no project.
        on_run: told the number of runs done and the number of all runs.

    Raises:
        NotFoundError: the folder holds no dataset.
        BadInputError: the dataset is of another format, has no run that reads, or names that cannot be folders.
        WriteError: the project's folder holds something already, or the disk refuses.
    """
    if project is not None:
        refuse_filled(project)
    found = replicate(folder, on_run=on_run)
    if project is None:
        return Replicated(replication=found)
    dataset = DatasetFolder(folder)
    return Replicated(replication=found, project=make_project(dataset, read_catalogue(dataset, _said), project))


def _said(sentence: str) -> None:
    """What differs in the catalogue was told by the replication already."""
