"""Redact packages with held-out cases for publication, and prove later what was published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from fcbench.aggregate.verdict_files import read_verdicts, verdict_records, write_verdicts
from fcbench.core.names import CaseId, Digest
from fcbench.core.verdicts import Fault, FaultKind, Verdict
from fcbench.errors import PackageError
from fcbench.packages.files import digest_file
from fcbench.packages.header_facts import REGISTRY, is_in_place
from fcbench.packages.redacted import SEALED, sealed_cases, write_redacted
from fcbench.packages.store import MANIFEST, Package, open_package
from fcbench.suites.commitments import Commitment, keeps, revealed_in
from fcbench.suites.held_out import read_secrets
from fcbench.workflows.boards import scored
from fcbench.workflows.project import find_project
from fcbench.workflows.verify import verify


@dataclass(frozen=True)
class Redacted:
    """A redacted package."""

    package: Package
    sealed: int
    """Cases that stand in it by commitment only."""

    def text(self) -> str:
        """For a terminal."""
        cases = len(self.package.header.cases)
        return f"redacted  {self.package.folder}\n  {self.sealed} of {cases} cases by commitment only"

    def data(self) -> object:
        """As plain JSON values."""
        return {"package": str(self.package.folder), "sealed": self.sealed, "cases": len(self.package.header.cases)}


def redact(folder: Path, secrets: Path, output: Path) -> Redacted:
    """Write the redacted form of a package with its verdicts.

    Args:
        folder: the full package.
        secrets: the file that `fcbench suite seal` wrote.
        output: below it the package lies as it does below `runs`.

    Raises:
        NotFoundError: there is no such package or file.
        PackageError: it was altered, holds no held-out case, or one that no commitment fits.
        WriteError: the output cannot be written or exists.
    """
    package = open_package(folder)
    opened = {one.id: one for one in _commitments(secrets)}
    target = output / package.header.key.registry_hash[:12] / package.header.run_id
    redacted = write_redacted(package, opened, target)
    sealed = sealed_cases(redacted)
    (judged,) = scored([package])
    info, frame = read_verdicts(judged.verdicts)
    rows = (stripped(one) if one.task_id in sealed else one for one in verdict_records(frame))
    write_verdicts(redacted, rows, oracle_hash=info.oracle_hash, evaluator_version=info.evaluator_version)
    registry = package.folder.resolve().parent / REGISTRY
    if is_in_place(package) and registry.is_file() and not (target.parent / REGISTRY).exists():
        (target.parent / REGISTRY).write_bytes(registry.read_bytes())
    return Redacted(package=redacted, sealed=len(sealed))


def _commitments(secrets: Path) -> Iterator[Commitment]:
    for suite in read_secrets(secrets).suites:
        for one in suite.cases:
            yield Commitment(id=one.id, commitment=one.commitment, salt=one.salt)


def stripped(verdict: Verdict) -> Verdict:
    """A verdict without a word, a tool or a value: what passed, the scores, and the kinds of faults."""
    return replace(
        verdict,
        conditions=tuple(replace(one, reason=SEALED) for one in verdict.conditions),
        faults=tuple(_wordless(one.kind) for one in verdict.faults),
        judgements=(),
    )


def _wordless(kind: FaultKind) -> Fault:
    return Fault(kind=kind, sentence=SEALED)


@dataclass(frozen=True)
class Proof:
    """Whether a full package is the one that was published redacted."""

    redacted: Path
    full: Path
    cases: int
    """Revealed cases whose commitments were computed anew."""
    problems: tuple[str, ...]

    def text(self) -> str:
        """For a terminal."""
        if self.problems:
            return "\n".join([f"NOT PROVED  {self.redacted}", *(f"  problem: {one}" for one in self.problems)])
        return (
            f"proved  {self.redacted}\n  {self.cases} cases are those of their commitments; every record and verdict "
            f"is that of {self.full}"
        )

    def data(self) -> object:
        """As plain JSON values."""
        return {
            "redacted": str(self.redacted),
            "full": str(self.full),
            "proved": not self.problems,
            "cases": self.cases,
            "problems": list(self.problems),
        }


def prove(redacted: Path, full: Path, project: Path | None) -> Proof:
    """Hold a full package against its redacted form and the revealed commitments, and recompute its verdicts.

    Args:
        redacted: as it was published while the cases were sealed.
        full: as it was published after they were revealed.
        project: whose `sealed.json` files hold the salts.

    Raises:
        NotFoundError: a package does not exist.
        PackageError: one does not read, or the first is not redacted.
    """
    shown, whole = open_package(redacted), open_package(full)
    if shown.manifest.redaction is None:
        raise PackageError(
            "this package is not redacted",
            wanted="the redacted form that was published first",
            where=str(redacted),
            next_step="verify a full package with `fcbench verify`",
        )
    sealed = sealed_cases(shown)
    revealed = revealed_in(find_project(project).suites)
    problems = [
        *_other_manifest(shown, whole),
        *_broken_commitments(whole, sealed, revealed),
        *(f"{full}: {one}" for one in verify(full).problems),
    ]
    if not problems:
        problems += _other_verdicts(shown, whole, sealed)
    return Proof(redacted=redacted, full=full, cases=len(sealed), problems=tuple(problems))


def _other_manifest(shown: Package, whole: Package) -> Iterator[str]:
    assert shown.manifest.redaction is not None
    wanted, found = shown.manifest.redaction.manifest_sha256, digest_file(whole.folder / MANIFEST)
    if wanted != found:
        yield f"manifest.json: the redacted package was made of one with SHA-256 {wanted[:12]}, not {found[:12]}"


def _broken_commitments(
    whole: Package, sealed: Mapping[CaseId, Digest], revealed: Mapping[CaseId, Commitment]
) -> Iterator[str]:
    for case_id, commitment in sealed.items():
        published = revealed.get(case_id)
        case = whole.cases.get(case_id)
        if published is None:
            yield f"{case_id}: is not revealed in this project, so its commitment cannot be computed"
        elif published.commitment != commitment:
            yield f"{case_id}: the project published the commitment {published.commitment[:12]}, not {commitment[:12]}"
        elif case is None or not keeps(case, published, where=str(whole.folder)):
            yield f"{case_id}: the case of the full package is not the one that was committed to"


def _other_verdicts(shown: Package, whole: Package, sealed: Mapping[CaseId, Digest]) -> Iterator[str]:
    """Verdicts that the redacted package shows and that its evaluator's file of the full package does not give."""
    before, after = _verdicts(shown), _verdicts(whole)
    for key in sorted(before.keys() | after.keys()):
        wanted = after.get(key)
        if wanted is not None and key[0] in sealed:
            wanted = stripped(wanted)
        if before.get(key) != wanted:
            yield f"{key[0]} repeat {key[1]}, {key[2]}: the verdict that was shown is not what recomputing gives"


def _verdicts(package: Package) -> dict[tuple[str, int, str], Verdict]:
    (judged,) = scored([package])
    _, frame = read_verdicts(judged.verdicts)
    return {(one.task_id, one.repeat, one.tier): one for one in verdict_records(frame)}


__all__ = ["Proof", "Redacted", "prove", "redact", "stripped"]
