"""Reading everything below `suites/`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.cases import Case
from fcbench.core.names import CaseId
from fcbench.core.yaml12 import Document, load_yaml, parse_yaml
from fcbench.errors import NotFoundError, SuiteError
from fcbench.suites.cases import CaseReader, ToolSource, case_places
from fcbench.suites.commitments import SEALED_NAME, SealedCase, commitment_of, read_sealed, salt_of
from fcbench.suites.golden import FORMAT as GOLDEN_FORMAT
from fcbench.suites.golden import GOLDEN_NAME, GoldenFile, read_golden, with_end_state
from fcbench.suites.groups import read_collections, read_subsets
from fcbench.suites.held_out import Secret, Secrets
from fcbench.suites.model import Place, Suite, Suites, nearest

SUITE_FILE = "suite.yaml"
NOT_SUITES = ("subsets", "fixtures", "manual")
"""Folders below `suites/` that hold something else."""


def load_suites(root: Path, registries: Mapping[str, ToolSource], held_out: Secrets | None = None) -> Suites:
    """Read every suite, collection and subset.

    Args:
        root: the folder `suites/`.
        registries: the registries by name, as `load_registries` returns them.
        held_out: the secret file, with which sealed cases are cases like any others.

    Raises:
        NotFoundError: the folder does not exist or holds no suite.
        SuiteError: something in a file is wrong; the message gives file, line and field.
    """
    folders = sorted(each for each in root.iterdir() if _is_suite(each)) if root.is_dir() else []
    if not folders:
        raise NotFoundError(
            "no suite was found",
            wanted=f"a folder with one folder a suite, each with a {SUITE_FILE}",
            found="nothing" if root.is_dir() else "no such folder",
            where=str(root),
        )
    read = _Read(root, registries, held_out)
    for folder in folders:
        read.suite(folder)
    collections = read_collections(root / "collections.yaml", _shown(root / "collections.yaml", root), read.suites)
    cases = {name: with_end_state(case, read.golden.get(case.suite)) for name, case in sorted(read.cases.items())}
    files = [(path, _shown(path, root)) for path in sorted((root / "subsets").glob("*.yaml"))]
    return Suites(
        suites=read.suites,
        cases=cases,
        collections=collections,
        subsets=read_subsets(files, collections, {**read.sealed, **cases}),
        places=read.places,
        documents=read.documents,
        golden=read.golden,
        sealed=read.sealed,
    )


class _Read:
    """What was read so far."""

    def __init__(self, root: Path, registries: Mapping[str, ToolSource], held_out: Secrets | None) -> None:
        self._root = root
        self._registries = registries
        self._held_out = held_out
        self.suites: dict[str, Suite] = {}
        self.documents: dict[str, Document] = {}
        self.cases: dict[CaseId, Case] = {}
        self.places: dict[CaseId, Place] = {}
        self.golden: dict[str, GoldenFile] = {}
        self.sealed: dict[CaseId, SealedCase] = {}

    def suite(self, folder: Path) -> None:
        """Read the folder of one suite."""
        suite, document = _read_suite(folder, self._root, self._registries)
        name = suite.suite
        self.suites[name], self.documents[name] = suite, document
        recorded = read_golden(folder, _shown(folder / GOLDEN_NAME, self._root))
        if recorded is not None:
            self.golden[name] = recorded
        for path in sorted(folder.glob("*.yaml")):
            if path.name != SUITE_FILE:
                self._cases(load_yaml(path, error=SuiteError, name=_shown(path, self._root)), suite)
        opened = self._opened(suite)
        self._seals(folder, opened)

    def _opened(self, suite: Suite) -> dict[CaseId, Secret]:
        """Read the sealed cases of a suite where the secret file is there."""
        secret = self._held_out.of_suite(suite.suite) if self._held_out else None
        if secret is None:
            return {}
        before = set(self.cases)
        for file in secret.files:
            name = f"the secret file, {suite.suite}/{file.name}"
            self._cases(parse_yaml(file.text.encode(), name=name, error=SuiteError), suite)
        if secret.golden:
            known = self.golden.get(suite.suite, GoldenFile(format=GOLDEN_FORMAT))
            self.golden[suite.suite] = replace(known, cases={**known.cases, **secret.golden})
        opened = {one.id: one for one in secret.cases}
        for case_id in [one for one in self.cases if one not in before]:
            _refuse_another(self.cases[case_id], opened.get(case_id), self.places[case_id])
        return opened

    def _seals(self, folder: Path, opened: Mapping[CaseId, Secret]) -> None:
        """Take the commitments of a suite; what is sealed may not stand in the clear, unless its seal was opened."""
        shown = _shown(folder / SEALED_NAME, self._root)
        file = read_sealed(folder, shown)
        for one in file.cases if file else ():
            if one.salt is not None:
                if one.id in self.cases:  # revealed: from now on it is a case like any other
                    self.cases[one.id] = replace(self.cases[one.id], held_out=False)
                continue
            if one.id in opened and opened[one.id].commitment != one.commitment:
                raise SuiteError(
                    "the secret file opens another seal than the published one",
                    wanted=f"commitment {one.commitment[:12]}",
                    found=f"commitment {opened[one.id].commitment[:12]}",
                    where=f"{shown}, case {one.id}",
                    next_step="take the secret file that was written when these commitments were published",
                )
            if one.id in self.cases and one.id not in opened:
                raise SuiteError(
                    "a sealed case stands in the clear",
                    wanted="its commitment only",
                    found=f"the case, in {self.places[one.id].document.file}",
                    where=f"{shown}, case {one.id}",
                    next_step="remove the file, or reveal the case with `fcbench suite reveal`",
                )
            if one.id not in self.cases:
                self.sealed[one.id] = SealedCase(id=one.id, suite=folder.name, commitment=one.commitment)

    def _cases(self, document: Document, suite: Suite) -> None:
        _read_cases(document, suite, self._registries, self.cases, self.places)


def _refuse_another(case: Case, secret: Secret | None, place: Place) -> None:
    """Refuse a case of the secret file that is not what its commitment says."""
    salt = salt_of(secret.salt, where=place.document.file) if secret else None
    if secret is None or salt is None or commitment_of(case, salt) != secret.commitment or not case.held_out:
        raise SuiteError(
            "a case of the secret file is not the one that was sealed",
            wanted="the case that its commitment was made of",
            found="no commitment" if secret is None else "another case, or another suite.yaml than at the time",
            where=f"{place.document.file}, case {case.id}",
            next_step="take the secret file and suite.yaml as they were when the case was sealed",
        )


def _is_suite(folder: Path) -> bool:
    if not folder.is_dir() or folder.name in NOT_SUITES or folder.name.startswith((".", "_")):
        return False
    return any(folder.glob("*.yaml"))


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root.parent).as_posix()


def _read_suite(folder: Path, root: Path, registries: Mapping[str, ToolSource]) -> tuple[Suite, Document]:
    path = folder / SUITE_FILE
    if not path.is_file():
        raise SuiteError("a suite needs a file that describes it", wanted=SUITE_FILE, where=_shown(folder, root) + "/")
    document = load_yaml(path, error=SuiteError, name=_shown(path, root))
    if not isinstance(document.value, dict):
        raise document.complain("a suite is described by one mapping", wanted="suite, title, registry, ...")
    suite = document.read(Suite)
    if suite.suite != folder.name:
        raise document.complain("a suite is called like its folder", "/suite", wanted=folder.name, found=suite.suite)
    if suite.registry not in registries:
        raise document.complain(
            f"the registry {suite.registry} does not exist",
            "/registry",
            wanted=", ".join(sorted(registries)),
            found=suite.registry,
            next_step=nearest(suite.registry, registries),
        )
    return suite, document


def _read_cases(
    document: Document,
    suite: Suite,
    registries: Mapping[str, ToolSource],
    cases: dict[CaseId, Case],
    places: dict[CaseId, Place],
) -> None:
    reader = CaseReader(suite, registries, document)
    for place in case_places(document):
        case = reader.read(place)
        if case.id in cases:
            first = places[case.id]
            raise document.complain(
                f"the case id {case.id} is used twice",
                f"{place}/id",
                wanted="an id that is unique over all suites",
                found=f"also in {first.document.file}:{first.line_of('/id')}",
                next_step="give one of the two another id",
            )
        cases[case.id] = case
        places[case.id] = Place(document, place)
