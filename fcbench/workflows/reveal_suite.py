"""Reveal sealed cases: write them back, and publish the salts with which anybody can check the commitments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.names import CaseId
from fcbench.errors import NotFoundError, SuiteError, WriteError
from fcbench.packages.files import is_there, write_whole
from fcbench.suites.commitments import SEALED_NAME, Commitment, SealedFile, keeps, read_sealed
from fcbench.suites.golden import FORMAT as GOLDEN_FORMAT
from fcbench.suites.golden import GoldenFile, read_golden, write_golden
from fcbench.suites.held_out import Secrets, SecretSuite, read_secrets
from fcbench.workflows.project import Material, Project, load
from fcbench.workflows.seal_suite import own_project, write_sealed


@dataclass(frozen=True)
class Revealed:
    """What was revealed."""

    cases: dict[str, tuple[CaseId, ...]]
    """By suite."""
    written: tuple[str, ...]

    def text(self) -> str:
        """For a terminal."""
        count = sum(map(len, self.cases.values()))
        lines = [f"revealed  {count} cases; each is the one that was committed to"]
        lines += [
            f"  {suite}: {', '.join(ids[:8])}{' ...' if len(ids) > 8 else ''}" for suite, ids in self.cases.items()
        ]
        lines += [f"  written {name}" for name in self.written]
        return "\n".join(lines)

    def data(self) -> object:
        """As plain JSON values."""
        cases = {suite: list(ids) for suite, ids in self.cases.items()}
        return {"cases": cases, "written": list(self.written)}


def reveal(folder: Path | None, secrets: Path) -> Revealed:
    """Write sealed cases back into their suites and publish their salts. All is checked before anything is written.

    Args:
        folder: the project that published the commitments.
        secrets: the file that `seal` wrote.

    Raises:
        UsageError: the project is the embedded default.
        NotFoundError: the project has published no such commitment.
        SuiteError: a case is not the one that was committed to.
        WriteError: a file cannot be written, or another lies in its place.
    """
    project = own_project(folder)
    opened = read_secrets(secrets)
    published = {one.suite: _published(project, one) for one in opened.suites}
    material = load(project, opened)  # reads every case of the secret file and compares it with its commitment
    _refuse_files_there(project, opened)
    written: list[str] = []
    for secret in opened.suites:
        written += _write_back(project, secret)
        _publish_salts(project, secret, published[secret.suite], material)
        written.append(f"suites/{secret.suite}/{SEALED_NAME}")
    load(project)  # what was written reads
    return Revealed(
        cases={one.suite: tuple(case.id for case in one.cases) for one in opened.suites}, written=tuple(written)
    )


def _published(project: Project, secret: SecretSuite) -> SealedFile:
    """The commitments of a suite, all of which the secret file must open as published."""
    shown = f"suites/{secret.suite}/{SEALED_NAME}"
    found = read_sealed(project.suites / secret.suite, shown)
    known = {one.id: one for one in found.cases} if found else {}
    for one in secret.cases:
        there = known.get(one.id)
        if found is None or there is None:
            raise NotFoundError(
                "no commitment to this case was published",
                wanted=f"{one.id} in {shown}",
                found="no such case" if found else "no such file",
                where=str(project.root),
                next_step="reveal it in the project that sealed it: without a commitment nothing is proved",
            )
        if there.commitment != one.commitment:
            raise SuiteError(
                "the published commitment is another one",
                wanted=one.commitment[:12],
                found=there.commitment[:12],
                where=f"{shown}, case {one.id}",
                next_step="take the secret file that was written when these commitments were published",
            )
        if there.salt is not None:
            raise SuiteError("this case is revealed already", found=one.id, where=shown)
    assert found is not None
    return found


def _refuse_files_there(project: Project, secrets: Secrets) -> None:
    for secret in secrets.suites:
        for file in secret.files:
            path = project.suites / secret.suite / file.name
            if is_there(path):
                raise WriteError(
                    "another file lies where a sealed one belongs",
                    wanted="a free place",
                    where=str(path),
                    next_step="rename the file that is there",
                )


def _write_back(project: Project, secret: SecretSuite) -> list[str]:
    folder = project.suites / secret.suite
    for file in secret.files:
        write_whole(folder / file.name, file.text.encode())
    if secret.golden:
        there = read_golden(folder, folder.name) or GoldenFile(format=GOLDEN_FORMAT)
        write_golden(folder, replace(there, cases={**there.cases, **secret.golden}))
    return [f"suites/{secret.suite}/{file.name}" for file in secret.files]


def _publish_salts(project: Project, secret: SecretSuite, published: SealedFile, material: Material) -> None:
    salts = {one.id: one.salt for one in secret.cases}
    shown = f"suites/{secret.suite}/{SEALED_NAME}"
    cases: list[Commitment] = []
    for one in published.cases:
        opened = replace(one, salt=salts[one.id]) if one.id in salts else one
        if opened.salt and one.id in salts and not keeps(material.suites.cases[one.id], opened, where=shown):
            raise SuiteError("this case is not the one that was committed to", found=one.id, where=shown)
        cases.append(opened)
    write_sealed(project.suites / secret.suite, replace(published, cases=tuple(cases)))


__all__ = ["Revealed", "reveal"]
