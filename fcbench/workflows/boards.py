"""From packages to scored packages: what tables, site and dataset start from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fcbench.aggregate.frames import Scored, latest_verdicts
from fcbench.aggregate.verdict_files import read_info, verdict_file_name
from fcbench.errors import BadInputError, PackageError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.store import Package
from fcbench.workflows.score import open_each, score


def scored(packages: Sequence[Package]) -> list[Scored]:
    """Each package with the verdict file of this evaluator; a package without one is judged now.

    Raises:
        PackageError: the evidence of one that had to be judged is not what was sealed.
        WriteError: its folder cannot be written.
    """
    return [Scored(package=package, verdicts=_verdicts(package)) for package in packages]


def _verdicts(package: Package) -> Path:
    """The file of exactly this evaluator, the package's own oracle and this evidence: none else is ever used.

    A file of a newer evaluator cannot be recomputed here, so its rows are no better than an assertion.
    """
    path = package.folder / verdict_file_name(EVALUATOR_VERSION, package.header.oracle_hash)
    if package.manifest.redaction is not None and not path.is_file():
        # Nobody can judge sealed cases anew: a redacted package stays on the board of the evaluator that judged them.
        path = latest_verdicts(package) or path
    return path if path.is_file() and _fits(path, package) else score(package).path


def _fits(path: Path, package: Package) -> bool:
    try:
        info = read_info(path)
    except BadInputError:  # damaged: verdicts can always be recomputed
        return False
    redacted = package.manifest.redaction is not None
    own = (redacted or info.evaluator_version == EVALUATOR_VERSION) and info.oracle_hash == package.header.oracle_hash
    return own and info.run_id == package.manifest.run_id and info.belongs_to(package)


def scored_below(runs: Path) -> list[Scored]:
    """The same for every sealed package below a folder. Shards are on no board before they are merged.

    Raises:
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package, nothing but shards, or one whose evidence was altered.
    """
    return list(each_scored(runs))


def each_scored(runs: Path) -> Iterator[Scored]:
    """The same, each package opened and judged when it is asked for, so that no two need lie in memory together.

    Raises:
        NotFoundError: the folder does not exist.
        PackageError: as `scored_below`, when the package that is wrong is asked for.
    """
    packages = whole = 0
    for package in open_each(runs):
        packages += 1
        if package.header.purpose != "shard":
            whole += 1
            yield from scored([package])
    if not whole:
        raise PackageError(
            "there are only shards here, and a shard is on no board",
            wanted="a sealed run",
            found=f"{packages} shards",
            where=str(runs),
            next_step="merge them with `fcbench package merge`",
        )
