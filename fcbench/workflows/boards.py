"""From packages to scored packages: what tables, site and dataset start from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fcbench.aggregate.frames import Scored, latest_verdicts
from fcbench.aggregate.verdict_files import read_info
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.store import Package
from fcbench.workflows.score import open_all, score


def scored(packages: Sequence[Package]) -> list[Scored]:
    """Each package with the verdict file of this evaluator; a package without one is judged now."""
    return [Scored(package=package, verdicts=_verdicts(package)) for package in packages]


def _verdicts(package: Package) -> Path:
    found = latest_verdicts(package)
    if found is not None:
        info = read_info(found)
        if info.evaluator_version >= EVALUATOR_VERSION and info.belongs_to(package):
            return found
    return score(package).path


def scored_below(runs: Path) -> list[Scored]:
    """The same for every sealed package below a folder.

    Raises:
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package.
    """
    return scored(open_all(runs))
