"""Verify packages from themselves alone: every file, every recorded fact, every call and every verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from fcbench.aggregate.verdict_changes import verdict_key
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
from fcbench.errors import FcbenchError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.packages.header_facts import header_problems, offer_problems, place_problems, unbound, whole_contracts
from fcbench.packages.integrity import (
    checked_records,
    evidence_without_manifest,
    file_problems,
    left_behind,
    runs_under_way,
)
from fcbench.packages.redacted import sealed_cases
from fcbench.packages.replay import call_problems, uncomputed
from fcbench.packages.store import Package, find_packages, open_package
from fcbench.packages.tallies import tally_problems
from fcbench.workbench.pure import computed_answer, is_answered
from fcbench.workflows.score import judge_package

Status = Literal["intact", "failed", "cannot tell"]


class Verified(Record, frozen=True, kw_only=True):
    """What verifying one package found."""

    folder: Path
    run_id: str
    attempts: int = 0
    verdicts: int = 0
    """Verdicts that were recomputed and compared."""
    verdict_files: int = 0
    problems: tuple[str, ...] = ()
    """What is wrong."""
    open_questions: tuple[str, ...] = ()
    """What could not be checked and would have to be, so that the package is neither intact nor wrong."""
    notes: tuple[str, ...] = ()
    """What was not checked and need not be."""
    sealed: int = 0
    """Cases of a redacted package that stand there by commitment only: one of the open questions is about them."""

    @property
    def is_intact_but_for_seals(self) -> bool:
        """Whether nothing is wrong, and nothing is open but what nobody can check before cases are revealed."""
        return not self.problems and len(self.open_questions) == (1 if self.sealed else 0)

    @property
    def status(self) -> Status:
        """`failed` where something is wrong, else `cannot tell` where something is open, else `intact`."""
        return "failed" if self.problems else "cannot tell" if self.open_questions else "intact"

    @property
    def intact(self) -> bool:
        """Whether all was checked and nothing is wrong."""
        return self.status == "intact"


class Verification(Record, frozen=True, kw_only=True):
    """What verifying a folder found."""

    packages: tuple[Verified, ...] = ()
    why_none: str | None = None
    """Why there was nothing to verify."""

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """0: all intact; 1: something is wrong; 2: cannot tell."""
        found = {one.status for one in self.packages}
        return 1 if "failed" in found else 0 if found == {"intact"} else 2


def verify_all(root: Path) -> Verification:
    """Verify every package below a folder. One that does not open is a finding, not an exception.

    Evidence that lies there without a manifest is a finding too: a package must not vanish without a word.

    Raises:
        NotFoundError: the folder does not exist.
    """
    stray = [Verified(folder=one, run_id=one.name, problems=(_STRAY,)) for one in evidence_without_manifest(root)]
    found = [*map(verify, find_packages(root)), *stray]
    if found:
        return Verification(packages=tuple(sorted(found, key=lambda one: one.folder)))
    under_way = runs_under_way(root)
    more = f"; {len(under_way)} runs there are under way and not sealed, such as {under_way[0]}" if under_way else ""
    return Verification(why_none=f"there is no execution package in {root}{more}")


_STRAY = "manifest.json: is missing, although the folder holds the evidence of a package"
WORLD = (FcbenchError, OSError, LookupError, ValueError, TypeError, ArithmeticError, RecursionError)
"""What a hostile package may raise on the way. It ends its own verification, never that of the others."""


def verify(folder: Path) -> Verified:
    """Verify one package from itself alone: files, digests, recorded facts, every call and every verdict."""
    try:
        package = open_package(folder)
        problems = file_problems(package)
        if problems:
            return Verified(folder=folder, run_id=package.manifest.run_id, problems=problems)
        return _verify_content(package)
    except WORLD as error:
        told = str(error) if isinstance(error, FcbenchError) else f"{type(error).__name__}: {error}"
        return Verified(folder=folder, run_id=folder.name, problems=(told,))


def _verify_content(package: Package) -> Verified:
    attempts = [attempt for _, attempt in checked_records(package)]
    problems = [
        *whole_contracts(package),
        *header_problems(package),
        *_miscounted(package),
        *place_problems(package),
        *tally_problems(package, attempts),
        *offer_problems(package, attempts),
        *call_problems(package, attempts, computed_answer),
    ]
    notes = [f"{name}: left behind by an interrupted sealing, may be removed" for name in left_behind(package.folder)]
    if reason := unbound(package):
        notes.append(reason)
    judged = _VerdictFiles(package)
    judged.check_all()
    return Verified(
        folder=package.folder,
        run_id=package.manifest.run_id,
        attempts=len(attempts),
        verdicts=judged.compared,
        verdict_files=judged.files,
        problems=(*problems, *judged.problems),
        open_questions=(*_sealed(package), *uncomputed(package, attempts, is_answered), *judged.open_questions),
        notes=(*notes, *judged.notes),
        sealed=len(sealed_cases(package)),
    )


def _miscounted(package: Package) -> Iterator[str]:
    redaction, sealed = package.manifest.redaction, sealed_cases(package)
    said = redaction.cases if redaction else 0
    if said != len(sealed):
        yield f"manifest.json: says {said} sealed cases, and {len(sealed)} stand in cases.jsonl"


def _sealed(package: Package) -> Iterator[str]:
    """What of a redacted package nobody can check yet."""
    sealed = sealed_cases(package)
    if sealed:
        yield (
            f"{len(sealed)} cases are sealed: their verdicts, and the hashes of all cases, can be recomputed once they "
            "are revealed (`fcbench package prove`)"
        )


class _VerdictFiles:
    """The verdict files of one package, compared with what recomputing gives."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self.compared = self.files = 0
        self.problems: list[str] = []
        self.open_questions: list[str] = []
        self.notes: list[str] = []

    def check_all(self) -> None:
        """Check each file; without one of this evaluator and the package's own oracle nothing was recomputed."""
        for path in verdict_files(self._package):
            try:
                self._check(path, read_info(path))
            except FcbenchError as error:
                self.problems.append(f"{path.name}: {error.message} ({error.found or 'no more is known'})")
        if not self.files:
            self.open_questions.append(
                f"no verdict file of this evaluator (version {EVALUATOR_VERSION}) and the package's own oracle: no "
                f"verdict was recomputed; write one with `fcbench score {self._package.folder}`"
            )

    def _check(self, path: Path, info: VerdictFileInfo) -> None:
        package = self._package
        own = info.oracle_hash == package.header.oracle_hash
        if path.name != verdict_file_name(info.evaluator_version, info.oracle_hash):
            self.problems.append(f"{path.name}: is named after another evaluator or oracle than it holds")
        elif not info.belongs_to(package) or info.run_id != package.manifest.run_id:
            self.problems.append(f"{path.name}: judges other evidence than this package's")
        elif info.evaluator_version > EVALUATOR_VERSION:
            self.open_questions.append(
                f"{path.name}: of evaluator {info.evaluator_version}, newer than this one ({EVALUATOR_VERSION}): not "
                "recomputed, and used for no table; install a newer fcbench"
            )
        elif not own or info.evaluator_version < EVALUATOR_VERSION:
            other = f"evaluator {info.evaluator_version}" if own else "another oracle than the package's own"
            self.notes.append(f"{path.name}: of {other}, not recomputed, and used for no table")
        else:
            self._compare(path)

    def _compare(self, path: Path) -> None:
        _, frame = read_verdicts(path)
        rows = list(verdict_records(frame))
        stored = {verdict_key(one): one for one in rows}
        if len(stored) != len(rows):
            self.problems.append(f"{path.name}: a verdict comes twice")
        recomputed = {verdict_key(verdict): verdict for verdict in judge_package(self._package)}
        sealed = sealed_cases(self._package)
        stored = {key: one for key, one in stored.items() if one.task_id not in sealed}
        self.files += 1
        self.compared += len(stored)
        other = [key for key in sorted(stored.keys() | recomputed) if stored.get(key) != recomputed.get(key)]
        worded = [key for key in other if unworded(stored.get(key)) == unworded(recomputed.get(key))]
        self.problems += [
            f"{path.name}: the verdict of {task}, repeat {repeat}, {tier} is not what recomputing gives"
            for task, repeat, tier in other
            if (task, repeat, tier) not in worded
        ]
        if worded:
            self.open_questions.append(
                f"{path.name}: {len(worded)} verdicts say the same in other words, such as that of {worded[0][0]}: "
                f"another validator worded them, or somebody did; write today's with `fcbench score {path.parent}`"
            )


def unworded(verdict: Verdict | None) -> Verdict | None:
    """A verdict without the sentences of its faults: some come from a schema validator, whose releases differ."""
    if verdict is None:
        return None
    return replace(verdict, faults=tuple(replace(fault, sentence="") for fault in verdict.faults))
