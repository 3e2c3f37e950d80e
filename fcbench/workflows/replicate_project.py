"""A project made of a dataset's cases and tools, so that an own model is asked the same: equal hashes, equal board.

Fixtures are files, and no dataset holds them: they are copied from the installed fcbench, and their digests say whether
they are those of the published runs.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.boards import RunKey
from fcbench.core.canonical import digest_text
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.hashes import fixture_hash, oracle_hash, task_hash
from fcbench.core.names import CaseId
from fcbench.core.records import R, Record, decode_line, to_plain
from fcbench.errors import BadInputError, FcbenchError, WriteError
from fcbench.export.catalogue import Catalogue, listed, shown
from fcbench.export.reading import DatasetFolder, record_of
from fcbench.harnesses.prompts import prompt_hash
from fcbench.packages.manifest import RunHeader
from fcbench.registry import load_registries, write_lock
from fcbench.suites.bfcl.yaml_text import yaml_text
from fcbench.workflows.import_bfcl import refuse_filled
from fcbench.workflows.project import Project, embedded_root, fixture_files, load
from fcbench.workflows.replicate_documents import (
    case_document,
    collection_documents,
    contract_path,
    subset_documents,
    suite_document,
)

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""What may become a folder: suites and registries of a foreign dataset are named by somebody else."""
_RESERVED = ("subsets", "fixtures", "manual")
CASES_FILE = "cases.yaml"


class Made(Record, frozen=True, kw_only=True):
    """A project that was written."""

    output: str
    cases: int
    tools: int
    fixtures: int
    """Fixture files that were copied from the installed fcbench."""
    same_boards: tuple[str, ...]
    """Targets that `fcbench run` puts on a published board, with harness and mode."""
    other_boards: tuple[str, ...]
    """Targets whose runs would stand on a board of their own, and why."""
    notes: tuple[str, ...] = ()
    """What is not as it was."""
    command: str | None = None
    """Runs a model on the first of the same boards."""

    def text(self) -> str:
        """For a terminal."""
        lines = [
            f"project  {self.output}: {self.cases} cases, {self.tools} tools, {self.fixtures} fixture files",
            *(f"  same board as published  {one}" for one in self.same_boards),
            *(f"  another board  {one}" for one in self.other_boards),
            *(f"  note  {one}" for one in self.notes),
        ]
        if self.command:
            lines.append(f"  next: {self.command}")
        return "\n".join(lines)

    def data(self) -> object:
        """As plain JSON values."""
        return {**to_plain(self), "notes": list(self.notes)}


@dataclass(kw_only=True)
class Source:
    """What a project is made of: of everything the newest form that a run used."""

    headers: list[RunHeader] = field(default_factory=list)
    """The newest first."""
    cases: dict[CaseId, Case] = field(default_factory=dict)
    of_run: dict[str, list[CaseId]] = field(default_factory=dict)
    registries: dict[str, list[ToolContract]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def make_project(dataset: DatasetFolder, catalogue: Catalogue, output: Path) -> Made:
    """Write a project of a dataset's cases and tools. It appears whole or not at all.

    Args:
        dataset: the dataset.
        catalogue: its cases and contracts.
        output: a folder that does not exist or is empty.

    Raises:
        BadInputError: no run of the dataset reads, or a name in it cannot be a folder's.
        WriteError: the folder holds something already, or cannot be written.
    """
    refuse_filled(output)
    source = _source(dataset, catalogue)
    scratch = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        files = _write(source, scratch)
        made = _checked(source, scratch, output, files)
        if output.is_dir():
            output.rmdir()
        scratch.rename(output)
    except OSError as error:
        raise WriteError("the project cannot be written", found=error.strerror, where=str(output)) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return made


def _source(dataset: DatasetFolder, catalogue: Catalogue) -> Source:
    found = Source()
    runs = []
    for row in dataset.rows("runs"):
        try:
            runs.append((record_of(row["header"], RunHeader, "runs"), row))
        except BadInputError:
            found.notes.append(f"the header of run {shown(row['run_id'])} does not read")
    for header, row in sorted(runs, key=lambda pair: (pair[0].created_at, pair[0].run_id), reverse=True):
        cases = _records(listed(row["case_digests"]), catalogue.cases, Case)
        found.headers.append(header)
        found.of_run[header.run_id] = [case.id for case in cases]
        for case in cases:
            found.cases.setdefault(case.id, case)
        if header.registry not in found.registries:
            key = str(header.key.registry_hash)
            own = _records(listed(row["contract_digests"]), catalogue.contracts, ToolContract)
            found.registries[header.registry] = catalogue.registries.get(key, own)
            if key not in catalogue.registries:
                found.notes.append(f"the registry {shown(header.registry)} is not in the dataset whole")
    if not found.cases:
        raise BadInputError("this dataset has no run with cases", where=str(dataset.folder))
    for name in {*found.registries, *(case.suite for case in found.cases.values())}:
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise BadInputError("this name cannot be a folder's", wanted=_NAME.pattern, found=shown(name))
    return found


def _records(digests: Iterable[str], lines: Mapping[str, str], kind: type[R]) -> list[R]:
    return [decode_line(lines[one].encode(), kind) for one in digests if one in lines]


def _write(source: Source, root: Path) -> int:
    """Write everything; the number of fixture files."""
    suites, registries = root / "suites", root / "tools_registry"
    for name, contracts in sorted(source.registries.items()):
        for contract in contracts:
            _document(registries / name / contract_path(contract, contracts), to_plain(contract))
    write_lock(registries, load_registries(registries))
    for suite in sorted({case.suite for case in source.cases.values()}):
        members = [case for _, case in sorted(source.cases.items()) if case.suite == suite]
        _document(suites / suite / "suite.yaml", suite_document(suite, members))
        _document(suites / suite / CASES_FILE, [case_document(case) for case in members])
    collections, refused = collection_documents(source.headers, source.of_run, source.cases)
    source.notes += refused
    _document(suites / "collections.yaml", {"collections": collections})
    for name, document in subset_documents(source.headers, source.of_run, collections).items():
        _document(suites / "subsets" / f"{name}.yaml", document)
    return _copy_fixtures(source, suites / "fixtures")


def _document(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml_text(value), encoding="utf-8")


def _copy_fixtures(source: Source, target: Path) -> int:
    installed = Project(root=embedded_root(), embedded=True)
    copied: set[str] = set()
    for fixture in sorted(
        {(case.task.registry, case.task.fixture) for case in source.cases.values() if case.task.fixture}
    ):
        cases = tuple(case for case in source.cases.values() if (case.task.registry, case.task.fixture) == fixture)
        try:
            files = fixture_files(installed, cases)
        except FcbenchError as error:
            source.notes.append(f"the fixture {shown('/'.join(map(str, fixture)))} is not installed: {error.message}")
            continue
        for name in files.keys() - copied:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(installed.suites / "fixtures" / name, target / name)
        copied |= files.keys()
    return len(copied)


def _checked(source: Source, root: Path, output: Path, fixtures: int) -> Made:
    """Load what was written and say for each published target whether a run there stands on the same board."""
    material = load(Project(root=root, embedded=False))
    for case in source.cases.values():
        # A case that was held out once and revealed since is an ordinary one.
        if material.suites.cases.get(case.id) != replace(case, held_out=False):
            source.notes.append(f"the case {shown(case.id)} does not come back as it was")
    same: dict[str, str] = {}
    other: dict[str, str] = {}
    for header in source.headers:
        if header.purpose != "board":
            continue
        key = header.key
        target = f"{key.collection}, {key.harness} harness, {key.harness_mode}, retrieval {key.retrieval}"
        differing = [*_differing(header, material.project, source, dict(material.suites.cases))]
        registry = material.registries.get(header.registry)
        if registry is None or registry.hash != key.registry_hash:
            differing.append("registry")
        if differing:
            other.setdefault(target, ", ".join(differing))
        else:
            same.setdefault(target, _command(key, output))
    return Made(
        output=str(output),
        cases=len(source.cases),
        tools=sum(len(registry.contracts) for registry in material.registries.values()),
        fixtures=fixtures,
        same_boards=tuple(same),
        other_boards=tuple(f"{target}: other {why}" for target, why in other.items() if target not in same),
        notes=tuple(source.notes),
        command=next(iter(same.values()), None),
    )


def _command(key: RunKey, output: Path) -> str:
    """The command that puts an own model on a board."""
    words = ["fcbench", "run", key.collection, "--model", "PROVIDER:MODEL", "--harness", key.harness]
    words += ["--mode", key.harness_mode, "--retrieval", key.retrieval, "--project", str(output)]
    return shlex.join(words)


def _differing(header: RunHeader, project: Project, source: Source, loaded: Mapping[CaseId, Case]) -> Iterator[str]:
    """Parts of the board key that a run in the project does not share with a published one."""
    ids = source.of_run[header.run_id]
    cases = [loaded[one] for one in ids if one in loaded]
    if len(cases) != len(header.cases):
        yield f"tasks ({len(header.cases) - len(cases)} held out)"
    elif task_hash(cases) != header.key.task_hash:
        yield "tasks"
    if oracle_hash(cases) != header.oracle_hash:
        yield "oracle"
    try:
        fixtures = fixture_hash(fixture_files(project, tuple(cases)))
    except FcbenchError:
        fixtures = digest_text("")
    if fixtures != header.key.fixture_hash:
        yield "fixtures (those of the installed fcbench are not those of the run)"
    if prompt_hash(header.key.harness_mode) != header.key.prompt_hash:
        yield "prompt (of another fcbench)"


__all__ = ["Made", "make_project"]
