"""What differs between two states of the registries, and which cases that touches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fcbench.core.cases import Case
from fcbench.core.names import RegistryHash, ToolName
from fcbench.core.records import to_plain
from fcbench.errors import NotFoundError
from fcbench.registry import (
    LOCK_NAME,
    LockedRegistry,
    Registry,
    RegistryChange,
    diff,
    load_registries,
    read_lock,
)
from fcbench.workflows.project import find_project, load

State = Mapping[str, Registry | LockedRegistry]
_NOTHING = LockedRegistry(hash=RegistryHash(""), tools={})


@dataclass(frozen=True)
class Compared:
    """What differs between two states of all registries."""

    changes: Mapping[str, RegistryChange]
    touched: Mapping[str, tuple[str, ...]]
    """Registry -> ids of cases that offer or expect a changed tool; under retrieval any case may be touched."""

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
                yield f"{name}: {len(cases)} cases name a touched tool: {', '.join(cases[:12]) or 'none'}"

    def data(self) -> object:
        """As plain JSON values."""
        return {name: {**to_plain(change), "cases": list(self.touched[name])} for name, change in self.changes.items()}


def compare_registries(folder: Path | None, before: Path | None) -> Compared:
    """Compare today's contracts with an earlier state.

    Args:
        folder: the project.
        before: another `tools_registry` folder, or a lock file; the project's own lock file without.

    Raises:
        NotFoundError: `before` does not exist.
        RegistryError: it does not read.
    """
    material = load(find_project(folder))
    old, new = _state(before or material.project.tools_registry / LOCK_NAME), material.registries
    changes = {name: diff(old.get(name, _NOTHING), new.get(name, _NOTHING)) for name in sorted({*old, *new})}
    cases = tuple(material.suites.cases.values())
    return Compared(changes, {name: _naming(cases, name, change.touched) for name, change in changes.items()})


def _state(path: Path) -> State:
    if path.is_dir():
        return load_registries(path)
    if path.name != LOCK_NAME:
        raise NotFoundError(
            "there is no earlier state here",
            wanted=f"a tools_registry folder, or a file {LOCK_NAME}",
            found="another file" if path.exists() else "nothing",
            where=str(path),
            next_step="name the tools_registry folder of the earlier state, or leave the argument out",
        )
    return read_lock(path.parent).registries


def _naming(cases: tuple[Case, ...], registry: str, tools: frozenset[ToolName]) -> tuple[str, ...]:
    return tuple(case.id for case in cases if case.task.registry == registry and tools & _named(case))


def _named(case: Case) -> set[ToolName]:
    runs = (case.oracle.calls, *case.oracle.alternatives)
    by_digest = {ToolName(digest) for digest in case.task.contracts.values()}
    return {*case.task.tools, *by_digest, *(step.tool for steps in runs for step in steps)}
