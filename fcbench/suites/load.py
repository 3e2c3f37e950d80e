"""Reading everything below `suites/`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fcbench.core.cases import Case
from fcbench.core.names import CaseId
from fcbench.core.yaml12 import Document, load_yaml
from fcbench.errors import NotFoundError, SuiteError
from fcbench.suites.cases import CaseReader, ToolSource, case_places
from fcbench.suites.golden import GOLDEN_NAME, GoldenFile, read_golden, with_end_state
from fcbench.suites.groups import read_collections, read_subsets
from fcbench.suites.model import Place, Suite, Suites, nearest

SUITE_FILE = "suite.yaml"
NOT_SUITES = ("subsets", "fixtures", "manual")
"""Folders below `suites/` that hold something else."""


def load_suites(root: Path, registries: Mapping[str, ToolSource]) -> Suites:
    """Read every suite, collection and subset.

    Args:
        root: the folder `suites/`.
        registries: the registries by name, as `load_registries` returns them.

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
    suites: dict[str, Suite] = {}
    documents: dict[str, Document] = {}
    cases: dict[CaseId, Case] = {}
    places: dict[CaseId, Place] = {}
    golden: dict[str, GoldenFile] = {}
    for folder in folders:
        suite, document = _read_suite(folder, root, registries)
        suites[suite.suite], documents[suite.suite] = suite, document
        recorded = read_golden(folder, _shown(folder / GOLDEN_NAME, root))
        if recorded is not None:
            golden[suite.suite] = recorded
        for path in sorted(folder.glob("*.yaml")):
            if path.name != SUITE_FILE:
                _read_cases(
                    load_yaml(path, error=SuiteError, name=_shown(path, root)), suite, registries, cases, places
                )
    collections = read_collections(root / "collections.yaml", _shown(root / "collections.yaml", root), suites)
    ordered = {name: with_end_state(case, golden.get(case.suite)) for name, case in sorted(cases.items())}
    files = [(path, _shown(path, root)) for path in sorted((root / "subsets").glob("*.yaml"))]
    return Suites(
        suites=suites,
        cases=ordered,
        collections=collections,
        subsets=read_subsets(files, collections, ordered),
        places=places,
        documents=documents,
        golden=golden,
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
