"""Compare what two evaluator versions say of one package, by its own oracle. Nothing is written.

A version of today is computed from the evidence; another one is read from its verdict file, which cannot be recomputed
here and is as trustworthy as whoever wrote it.
"""

from __future__ import annotations

from pathlib import Path

from fcbench.aggregate.verdict_changes import VerdictChanges, compare_verdicts
from fcbench.aggregate.verdict_files import (
    VerdictFileInfo,
    read_info,
    read_verdicts,
    verdict_file_name,
    verdict_files,
    verdict_records,
)
from fcbench.core.records import Record
from fcbench.core.verdicts import Verdict
from fcbench.errors import BadInputError, NotFoundError, PackageError, UsageError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.integrity import refuse_altered
from fcbench.packages.store import Package, open_package
from fcbench.workflows.score import judge_package

COMPUTED = f"evaluator {EVALUATOR_VERSION}, computed now"


class EvaluatorComparison(Record, frozen=True, kw_only=True):
    """One package, judged twice."""

    folder: str
    run_id: str
    before: str
    """The name of a verdict file, or that the verdicts were computed now."""
    after: str
    verdicts_before: int
    verdicts_after: int
    changes: VerdictChanges

    @property
    def differs(self) -> bool:
        """Whether any verdict is another one, or on one side only."""
        return bool(self.changes)


def compare_evaluators(folder: Path, versions: tuple[int, int] | None = None) -> EvaluatorComparison:
    """Compare two evaluator versions over one package.

    Args:
        folder: the package.
        versions: before and after. Without, the newest stored file of an older evaluator is compared with what this one
            says; where no older one is stored, this evaluator's own file.

    Raises:
        UsageError: both versions are the same.
        NotFoundError: the folder is no package, or it has no verdict file of a version.
        PackageError: the evidence was altered, or a verdict file is damaged or judges other evidence.
    """
    if versions is not None and versions[0] == versions[1]:
        raise UsageError(
            "an evaluator version differs in nothing from itself",
            wanted="two versions",
            found=f"{versions[0]} twice",
            where="--evaluator",
            next_step="leave the option out to compare the newest stored verdicts with this evaluator's",
        )
    package = refuse_altered(open_package(folder))
    if versions is None:
        (before, old), (after, new) = _newest_stored(package), _computed(package)
    else:
        (before, old), (after, new) = (_verdicts_of(package, version) for version in versions)
    return EvaluatorComparison(
        folder=str(folder),
        run_id=package.manifest.run_id,
        before=before,
        after=after,
        verdicts_before=len(old),
        verdicts_after=len(new),
        changes=compare_verdicts(old, new),
    )


def _verdicts_of(package: Package, version: int) -> tuple[str, list[Verdict]]:
    if version == EVALUATOR_VERSION:
        return _computed(package)
    path = package.folder / verdict_file_name(version, package.header.oracle_hash)
    if not path.is_file():
        raise _not_stored(package, f"a verdict file of evaluator {version}")
    info = read_info(path)
    if not _fits(path, info, package):
        raise PackageError(
            "this verdict file is not what its name says",
            wanted=f"verdicts of evaluator {version} and the package's own oracle over this evidence",
            found=f"evaluator {info.evaluator_version}, oracle {info.oracle_hash[:12]}, run {info.run_id[:80]}",
            where=str(path),
            next_step="see `fcbench verify`; remove the file, or take it again from where it came",
        )
    return _read(path)


def _newest_stored(package: Package) -> tuple[str, list[Verdict]]:
    """An older evaluator's file before this one's: a damaged or foreign one is passed over, as `score` does."""
    fitting = []
    for path in verdict_files(package):
        try:
            info = read_info(path)
        except (BadInputError, NotFoundError):
            continue
        if info.evaluator_version <= EVALUATOR_VERSION and _fits(path, info, package):
            fitting.append((info.evaluator_version == EVALUATOR_VERSION, -info.evaluator_version, path))
    if not fitting:
        raise _not_stored(package, f"a verdict file of evaluator {EVALUATOR_VERSION} or older")
    return _read(min(fitting)[2])


def _computed(package: Package) -> tuple[str, list[Verdict]]:
    return COMPUTED, list(judge_package(package))


def _read(path: Path) -> tuple[str, list[Verdict]]:
    return path.name, list(verdict_records(read_verdicts(path)[1]))


def _fits(path: Path, info: VerdictFileInfo, package: Package) -> bool:
    """Whether the file holds what its name says, of the package's own oracle and this evidence."""
    named = path.name == verdict_file_name(info.evaluator_version, package.header.oracle_hash)
    own = info.oracle_hash == package.header.oracle_hash and info.run_id == package.manifest.run_id
    return named and own and info.belongs_to(package)


def _not_stored(package: Package, wanted: str) -> NotFoundError:
    names = [path.name for path in verdict_files(package)]
    return NotFoundError(
        "the package lacks these verdicts",
        wanted=f"{wanted}, by the package's own oracle",
        found=", ".join(names[:5]) or "no verdict file",
        where=str(package.folder),
        next_step="`fcbench score` writes a file of this evaluator; one of another version comes from that version",
    )
