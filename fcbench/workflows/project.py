"""Where a project's cases, contracts and pages lie: a folder of the user's, or the embedded default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import fcbench
from fcbench.core.canonical import digest_bytes
from fcbench.core.cases import Case
from fcbench.core.names import Digest
from fcbench.core.records import Record
from fcbench.core.yaml12 import load_yaml
from fcbench.errors import NotFoundError, SuiteError, UsageError
from fcbench.registry import Registry, load_registries
from fcbench.suites import Suites, load_suites
from fcbench.suites.held_out import Secrets
from fcbench.workbench.description import Fixture

MARKS = ("suites", "tools_registry")


class Project(Record, frozen=True, kw_only=True):
    """The folders of one benchmark project."""

    root: Path
    embedded: bool
    """Whether it is the default that travels with fcbench: nothing is ever written there."""

    @property
    def suites(self) -> Path:
        """Cases."""
        return self.root / "suites"

    @property
    def tools_registry(self) -> Path:
        """Contracts."""
        return self.root / "tools_registry"

    @property
    def site(self) -> Path:
        """The site's own sources."""
        return self.root / "site"


@dataclass(frozen=True, kw_only=True)
class Material:
    """A loaded project."""

    project: Project
    registries: Mapping[str, Registry]
    suites: Suites


def find_project(folder: Path | None = None) -> Project:
    """The project in `folder`; without one the current folder if it holds a project, else the embedded default.

    Raises:
        UsageError: `folder` holds no project.
    """
    if folder is not None:
        if not _is_project(folder):
            raise UsageError(
                "this folder holds no fcbench project",
                wanted="the folders suites/ and tools_registry/",
                found="a folder without them" if folder.is_dir() else "no such folder",
                where=str(folder),
                next_step="name another folder with --project, or leave the option out for the embedded default",
            )
        return Project(root=folder, embedded=False)
    here = Path.cwd()
    return Project(root=here, embedded=False) if _is_project(here) else Project(root=embedded_root(), embedded=True)


def embedded_root() -> Path:
    """Where the default project lies: inside the wheel, or beside the package in a checkout.

    Raises:
        NotFoundError: neither is there, so the installation is broken.
    """
    package = Path(fcbench.__file__).parent
    for root in (package / "_data", package.parent):
        if _is_project(root):
            return root
    raise NotFoundError(
        "the embedded suites are missing",
        where=str(package),
        next_step="install fcbench again, from a wheel or a clone",
    )


def _is_project(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in MARKS)


def load(project: Project, held_out: Secrets | None = None) -> Material:
    """Load contracts and cases.

    Args:
        project: where they lie.
        held_out: opens the sealed cases of its suites.

    Raises:
        RegistryError: a contract is wrong.
        SuiteError: a case, suite, collection or subset is wrong.
    """
    registries = load_registries(project.tools_registry)
    return Material(project=project, registries=registries, suites=load_suites(project.suites, registries, held_out))


def fixture_files(project: Project, cases: tuple[Case, ...]) -> dict[str, Digest]:
    """SHA-256 of every fixture file that the cases start from, by path below `suites/fixtures`.

    A fixture is described by `suites/fixtures/<registry>/<fixture>.yaml`: a title and the files that it holds.

    Raises:
        SuiteError: a case names a fixture that does not exist, or a fixture names a file that does not.
    """
    base = project.suites / "fixtures"
    found: dict[str, Digest] = {}
    for registry, fixture in sorted({(case.task.registry, case.task.fixture) for case in cases if case.task.fixture}):
        folder = base / registry
        description = folder / f"{fixture}.yaml"
        if not description.is_file():
            raise SuiteError("a case names a fixture that does not exist", found=fixture, where=str(description))
        read = load_yaml(description, error=SuiteError).read(Fixture)
        for path in (description, *(folder / name for name in read.files)):
            if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
                raise SuiteError("a fixture names a file that is not there", found=path.name, where=str(description))
            found[path.relative_to(base).as_posix()] = digest_bytes(path.read_bytes())
    return found
