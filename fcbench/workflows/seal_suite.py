"""Seal held-out cases: publish their commitments, and move the cases into a secret file outside the project."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fcbench.core.cases import Case
from fcbench.core.findings import Finding
from fcbench.core.names import CaseId, JsonObject
from fcbench.core.records import to_plain
from fcbench.errors import NotFoundError, SuiteError, UsageError, WriteError
from fcbench.packages.files import is_there, write_error, write_whole
from fcbench.suites.commitments import (
    ABOUT,
    SEALED_NAME,
    Commitment,
    SealedFile,
    commitment_of,
    keeps,
    new_salt,
    read_sealed,
    revealed_in,
)
from fcbench.suites.golden import GOLDEN_NAME, GoldenFile, write_golden
from fcbench.suites.held_out import ABOUT as ABOUT_SECRETS
from fcbench.suites.held_out import FORMAT as SECRETS_FORMAT
from fcbench.suites.held_out import Secret, SecretFile, Secrets, SecretSuite
from fcbench.suites.model import nearest
from fcbench.workflows.project import Material, Project, find_project, load

Draw = Callable[[], bytes]
"""Draws a salt."""


@dataclass(frozen=True)
class Sealed:
    """What was sealed."""

    secrets: Path
    cases: dict[str, tuple[CaseId, ...]]
    """By suite."""
    removed: tuple[str, ...]
    """Files that lie in the secret file now and no longer in the project."""

    def text(self) -> str:
        """For a terminal."""
        lines = [f"sealed  {sum(map(len, self.cases.values()))} cases"]
        lines += [f"  suites/{suite}/{SEALED_NAME}: {shortened(ids)}" for suite, ids in self.cases.items()]
        lines += [f"  removed {name}" for name in self.removed]
        return "\n".join(
            [
                *lines,
                f"secret file: {self.secrets}",
                "Keep it, and keep a copy: without it the cases are lost and nothing can be proved.",
                "Cases that were ever committed to a public repository are still in its history.",
            ]
        )

    def data(self) -> object:
        """As plain JSON values."""
        cases = {suite: list(ids) for suite, ids in self.cases.items()}
        return {"secrets": str(self.secrets), "cases": cases, "removed": list(self.removed)}


def shortened(ids: Sequence[CaseId]) -> str:
    """The first ids of a list, for a terminal."""
    return ", ".join(ids[:8]) + (f" and {len(ids) - 8} more" if len(ids) > 8 else "")


def seal(folder: Path | None, suites: Sequence[str], secrets: Path, draw: Draw = new_salt) -> Sealed:
    """Seal the held-out cases of some suites.

    The secret file is written before anything is taken out of the project, so that a kill loses nothing.

    Args:
        folder: the project.
        suites: their names; all that hold held-out cases without any.
        secrets: the file to write; outside the project and outside every repository.
        draw: draws a salt of 256 bits.

    Raises:
        UsageError: the project is the embedded default, or the secret file would lie in a repository.
        NotFoundError: there is no such suite, or no held-out case.
        SuiteError: a held-out case shares its file with one that is not.
        WriteError: a file cannot be written, or the secret file exists.
    """
    project = own_project(folder)
    _refuse_place(secrets, project)
    material = load(project)
    chosen = [_Taken(material, name) for name in _suites(material, suites)]
    found = tuple(one.secret(draw) for one in chosen)
    whole = Secrets(format=SECRETS_FORMAT, about=ABOUT_SECRETS, suites=found)
    _write_secretly(secrets, json_text(to_plain(whole)))
    for taken, secret in zip(chosen, found, strict=True):
        taken.publish(secret)
    return Sealed(
        secrets=secrets,
        cases={one.suite: tuple(secret.id for secret in one.cases) for one in found},
        removed=tuple(f"suites/{one.suite}/{file.name}" for one in found for file in one.files),
    )


def own_project(folder: Path | None) -> Project:
    """The project of the user.

    Raises:
        UsageError: it is the embedded default, where nothing is written.
    """
    project = find_project(folder)
    if project.embedded:
        raise UsageError(
            "the embedded suites are not yours to seal",
            wanted="a project of your own",
            where="--project",
            next_step="name one with --project",
        )
    return project


def _refuse_place(secrets: Path, project: Project) -> None:
    if is_there(secrets):
        raise WriteError(
            "the secret file exists already",
            wanted="a name that nothing has yet: a salt that is lost is lost for ever",
            where=str(secrets),
            next_step="choose another name with --secrets",
        )
    place = secrets.resolve()
    root = project.root.resolve()
    inside = next((one for one in place.parents if one == root or (one / ".git").exists()), None)
    if inside is not None:
        raise UsageError(
            "the secret file would lie in a repository",
            wanted="a place outside the project and outside every repository",
            found=f"a place below {inside}",
            where="--secrets",
            next_step="choose a private folder of your own, and keep a copy elsewhere",
        )


def _suites(material: Material, names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in material.suites.suites:
            known = sorted(material.suites.suites)
            raise NotFoundError(
                "there is no such suite", wanted=", ".join(known), found=name[:80], next_step=nearest(name, known)
            )
    holding = sorted({case.suite for case in material.suites.cases.values() if case.held_out})
    chosen = [name for name in holding if not names or name in names]
    if not chosen:
        raise NotFoundError(
            "there is no held-out case to seal",
            wanted="cases with `held_out: true`, in files of their own",
            found=f"none in {', '.join(names)}" if names else "none in any suite",
            next_step="add the field to the cases that nobody is to see, then seal again",
        )
    return chosen


class _Taken:
    """The held-out cases of one suite, on their way out."""

    def __init__(self, material: Material, name: str) -> None:
        self._suites = material.suites
        self._folder = material.project.suites / name
        self._name = name
        self._cases = [case for case in self._suites.of_suite(name) if case.held_out]
        self._files = sorted({self._file_of(case) for case in self._cases})
        self._refuse_mixed_files()

    def secret(self, draw: Draw) -> SecretSuite:
        """What goes into the secret file."""
        golden = self._suites.golden.get(self._name)
        recorded = golden.cases if golden else {}
        return SecretSuite(
            suite=self._name,
            cases=tuple(_secret(case, draw()) for case in self._cases),
            files=tuple(SecretFile(name=name, text=_text(self._folder / name)) for name in self._files),
            golden={case.id: recorded[case.id] for case in self._cases if case.id in recorded},
        )

    def publish(self, secret: SecretSuite) -> None:
        """Write the commitments, and take the cases out of the suite."""
        there = read_sealed(self._folder, SEALED_NAME)
        new = [Commitment(id=one.id, commitment=one.commitment) for one in secret.cases]
        mine = {one.id for one in new}
        kept = [one for one in (there.cases if there else ()) if one.id not in mine]
        write_sealed(self._folder, SealedFile(about=ABOUT, suite=self._name, cases=(*kept, *new)))
        golden = self._suites.golden.get(self._name)
        if golden and secret.golden:
            write_without(self._folder, golden, secret)
        for name in self._files:
            try:
                (self._folder / name).unlink()
            except OSError as error:
                raise write_error(self._folder / name, error) from error

    def _file_of(self, case: Case) -> str:
        return Path(self._suites.places[case.id].document.file).name

    def _refuse_mixed_files(self) -> None:
        for case in self._suites.of_suite(self._name):
            if not case.held_out and self._file_of(case) in self._files:
                place = self._suites.places[case.id]
                raise SuiteError(
                    "this file holds held-out cases and others",
                    wanted="held-out cases in files of their own: the whole file goes into the secret file",
                    found=f"{case.id}, which is not held out",
                    where=f"{place.document.file}:{place.line_of('/id')}",
                    next_step="move the held-out cases into a file of their own beside it, such as held-out.yaml",
                )


def _secret(case: Case, salt: bytes) -> Secret:
    return Secret(id=case.id, commitment=commitment_of(case, salt), salt=salt.hex())


def _text(path: Path) -> str:
    # Line ends as they are: revealing writes back every byte.
    return path.read_bytes().decode("utf-8")


def write_sealed(folder: Path, file: SealedFile) -> None:
    """Write the commitments of a suite, by id, whole or not at all."""
    ordered = tuple(sorted(file.cases, key=lambda one: one.id))
    plain = {"format": file.format, **to_plain(msgspec.structs.replace(file, cases=ordered))}
    write_whole(folder / SEALED_NAME, json_text(plain).encode())


def write_without(folder: Path, golden: GoldenFile, secret: SecretSuite) -> None:
    """Write the golden runs of a suite without those of sealed cases; they tell which tools a case expects."""
    left = {case: entry for case, entry in golden.cases.items() if case not in secret.golden}
    if left:
        write_golden(folder, msgspec.structs.replace(golden, cases=left))
    else:
        (folder / GOLDEN_NAME).unlink(missing_ok=True)


def seal_findings(material: Material) -> Iterator[Finding]:
    """Revealed cases that are not the committed ones any more, or that are gone.

    Warnings: a mistake in a case may be mended after the reveal, but what was published before was on the old one.
    """
    folder = material.project.suites
    for case_id, published in sorted(revealed_in(folder).items()):
        case, place = material.suites.cases.get(case_id), material.suites.places.get(case_id)
        if case is None or place is None:
            yield Finding(
                rule="sealed",
                message=f"{case_id} was revealed and is gone: nobody can compute its commitment",
                file=f"{folder.name}/*/{SEALED_NAME}",
                severity="warning",
            )
        elif not keeps(case, published, where=place.document.file):
            yield Finding(
                rule="sealed",
                message=f"{case_id} was changed after it was revealed: it is not the case that was committed to",
                file=place.document.file,
                line=place.line_of("/id"),
                severity="warning",
            )


def json_text(plain: JsonObject) -> str:
    """JSON for people and for `git diff`."""
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def _write_secretly(path: Path, text: str) -> None:
    """Write a new file that only its owner may read."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise WriteError(
            "the secret file cannot be written",
            found=error.strerror,
            where=str(path),
            next_step="choose another place with --secrets; nothing was changed in the project",
        ) from error


__all__ = [
    "Draw",
    "Sealed",
    "json_text",
    "own_project",
    "seal",
    "seal_findings",
    "shortened",
    "write_sealed",
    "write_without",
]
