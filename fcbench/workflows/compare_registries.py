"""What differs between two states of the registries, and which cases and which published runs that touches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fcbench.core.cases import Case
from fcbench.core.names import CaseId, RegistryHash, ToolName
from fcbench.core.records import to_plain
from fcbench.errors import NotFoundError, RegistryError
from fcbench.packages.header_facts import REGISTRY, read_registry
from fcbench.packages.store import Package, find_packages, open_package
from fcbench.registry import (
    LOCK_NAME,
    LockedRegistry,
    Registry,
    RegistryChange,
    diff,
    load_registries,
    make_registry,
    read_lock,
)
from fcbench.workflows.project import find_project, load

State = Mapping[str, Registry | LockedRegistry]
_NOTHING = LockedRegistry(hash=RegistryHash(""), tools={})
_SHOWN = 12


@dataclass(frozen=True)
class TouchedRun:
    """A published run of an earlier registry."""

    folder: Path
    run_id: str
    model: str
    collection: str
    registry: str
    registry_hash: RegistryHash
    cases: tuple[CaseId, ...]
    """Its cases that expect a touched tool, or in which one was offered, sorted."""
    planned: int

    def line(self) -> str:
        """For a terminal."""
        what = f"{len(self.cases)} of {self.planned} cases met a touched tool" if self.cases else "no case met one"
        return f"{self.folder}: {self.model} on {self.collection}, {what}"

    def data(self) -> object:
        """As plain JSON values."""
        return {
            "folder": str(self.folder),
            "run_id": self.run_id,
            "model": self.model,
            "collection": self.collection,
            "registry_hash": self.registry_hash,
            "planned": self.planned,
            "cases": list(self.cases),
        }


@dataclass(frozen=True)
class Compared:
    """What differs between two states of all registries."""

    changes: Mapping[str, RegistryChange]
    touched: Mapping[str, tuple[str, ...]]
    """Registry -> ids of cases that offer or expect a changed tool; under retrieval any case may be touched."""
    hashes: Mapping[str, tuple[RegistryHash, RegistryHash]] = field(default_factory=dict)
    """Registry -> its hash before and after."""
    runs: tuple[TouchedRun, ...] | None = None
    """Published runs of the earlier state; None where nobody asked for them."""

    def text(self) -> str:
        """For a terminal."""
        return "\n".join(self._lines()) or "no difference"

    def _lines(self) -> Iterator[str]:
        for name, change in self.changes.items():
            yield from (f"{name}: + {tool}" for tool in change.added)
            yield from (f"{name}: - {tool}" for tool in change.removed)
            yield from (f"{name}: ~ {one.name} ({', '.join(one.parts)})" for one in change.changed)
            if change.touched:
                cases = self.touched[name]
                shown = ", ".join(cases[:_SHOWN]) + (" ..." if len(cases) > _SHOWN else "")
                yield f"{name}: {len(cases)} cases name a touched tool: {shown or 'none'}"
                yield from self._run_lines(name)

    def _run_lines(self, name: str) -> Iterator[str]:
        if self.runs is None:
            return
        before, after = (value[:12] or "none" for value in self.hashes[name])
        mine = [run for run in self.runs if run.registry == name]
        what = "1 published run stays" if len(mine) == 1 else f"{len(mine)} published runs stay"
        yield f"{name}: {what} on the boards of registry {before}; runs of {after} come to boards of their own"
        yield from (f"  {run.line()}" for run in mine)

    def data(self) -> object:
        """As plain JSON values."""
        return {
            name: {
                **to_plain(change),
                "cases": list(self.touched[name]),
                "before": self.hashes[name][0],
                "after": self.hashes[name][1],
                **({} if self.runs is None else {"runs": [run.data() for run in self.runs if run.registry == name]}),
            }
            for name, change in self.changes.items()
        }


def compare_registries(
    folder: Path | None, before: Path | None, after: Path | None = None, runs: Path | None = None
) -> Compared:
    """Compare two states of the contracts.

    Args:
        folder: the project, whose cases are looked at.
        before: another `tools_registry` folder, a lock file, or a `registry.json` that lies beside packages; the
            project's own lock file without.
        after: the same; the project's contracts as they are without.
        runs: a folder with packages below it, those of the earlier state are looked for.

    Raises:
        NotFoundError: `before`, `after` or `runs` does not exist.
        RegistryError: one does not read.
        PackageError: a package does not read.
    """
    material = load(find_project(folder))
    old = _state(before or material.project.tools_registry / LOCK_NAME)
    new = _state(after) if after else material.registries
    # One registry's own file says nothing of the others.
    names = {*old, *new} if not _is_one(before) and not _is_one(after) else {*old} & {*new} or {*old, *new}
    changes = {name: diff(old.get(name, _NOTHING), new.get(name, _NOTHING)) for name in sorted(names)}
    cases = tuple(material.suites.cases.values())
    return Compared(
        changes=changes,
        touched={name: _naming(cases, name, change.touched) for name, change in changes.items()},
        hashes={name: (old.get(name, _NOTHING).hash, new.get(name, _NOTHING).hash) for name in changes},
        runs=None if runs is None else tuple(_touched_runs(runs, old, changes)),
    )


def _is_one(path: Path | None) -> bool:
    return path is not None and path.name == REGISTRY


def _state(path: Path) -> State:
    if path.is_dir():
        return load_registries(path)
    if path.name == LOCK_NAME:
        return read_lock(path.parent).registries
    if path.name == REGISTRY and path.is_file():
        return _beside_packages(path)
    raise NotFoundError(
        "there is no state of a registry here",
        wanted=f"a tools_registry folder, a file {LOCK_NAME}, or the {REGISTRY} beside packages",
        found="another file" if path.exists() else "nothing",
        where=str(path),
        next_step="name one of them, or leave the argument out",
    )


def _beside_packages(path: Path) -> State:
    """The one registry of a `registry.json`; its name stands in the packages beside it."""
    contracts = read_registry(path)
    names = sorted({open_package(one).header.registry for one in find_packages(path.parent)})
    if len(names) != 1:
        raise RegistryError(
            "nothing says which registry this is",
            wanted="packages of one registry beside it",
            found=", ".join(names) or "no package",
            where=str(path),
            next_step="name a tools_registry folder or a lock file instead",
        )
    return {names[0]: make_registry(names[0], contracts)}


def _touched_runs(runs: Path, old: State, changes: Mapping[str, RegistryChange]) -> Iterator[TouchedRun]:
    for folder in find_packages(runs):
        package = open_package(folder)
        header = package.header
        change = changes.get(header.registry)
        if change is None or not change.touched or header.key.registry_hash != old[header.registry].hash:
            continue
        yield TouchedRun(
            folder=folder,
            run_id=header.run_id,
            model=header.provider.model,
            collection=header.key.collection,
            registry=header.registry,
            registry_hash=header.key.registry_hash,
            cases=tuple(sorted(_met(package, change.touched))),
            planned=len(header.cases),
        )


def _met(package: Package, tools: frozenset[ToolName]) -> set[CaseId]:
    """The cases of a package in which a tool was offered or expected."""
    met = {case.id for case in package.cases.values() if tools & _named(case)}
    for attempt in package.attempts():
        if attempt.task_id not in met and any(one.name in tools for one in attempt.candidates):
            met.add(attempt.task_id)
    return met


def _naming(cases: tuple[Case, ...], registry: str, tools: frozenset[ToolName]) -> tuple[str, ...]:
    return tuple(case.id for case in cases if case.task.registry == registry and tools & _named(case))


def _named(case: Case) -> set[ToolName]:
    runs = (case.oracle.calls, *case.oracle.alternatives)
    by_digest = {ToolName(digest) for digest in case.task.contracts.values()}
    return {*case.task.tools, *by_digest, *(step.tool for steps in runs for step in steps)}
