"""Versions of registries and suites as packages show them, and what each change touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from fcbench.core.canonical import json_equal
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.names import CaseId
from fcbench.core.records import to_plain
from fcbench.site.data import RunView, SiteData

T = TypeVar("T")
_PARTS = {
    "parameters": "schema",
    "returns": "returns",
    "description": "description",
    "effect": "effect",
    "synthetic": "synthetic answers",
    "equivalents": "relations",
    "argument_forms": "relations",
    "neutral_arguments": "relations",
    "follow_ups": "relations",
    "lookalikes": "relations",
}


@dataclass(frozen=True, kw_only=True)
class Change:
    """What one version has that the one before it had not."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(name, parts that differ)."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing that packages show differs."""
        return not (self.added or self.removed or self.changed)


@dataclass(kw_only=True)
class Version:
    """One state of a registry, or of the cases of a collection."""

    digest: str
    first: str
    """Day of the first run that used it."""
    runs: list[RunView] = field(default_factory=list)
    change: Change | None = None
    """Against the version before it; None for the first."""
    is_whole: bool = True
    """Whether the whole of it is known: of a registry packages hold only what they offered."""
    parts: list[str] = field(default_factory=list)
    """What else differs from the version before it, in words."""


def registry_versions(data: SiteData) -> dict[str, list[Version]]:
    """By name of the registry, oldest first."""
    found: dict[str, dict[str, Version]] = {}
    for run in _by_date(data):
        header = run.manifest.header
        versions = found.setdefault(header.registry, {})
        _join(versions, str(header.key.registry_hash), run)
    for versions in found.values():
        before: Mapping[str, ToolContract] | None = None
        for digest, version in versions.items():
            version.is_whole = digest in data.registries
            contracts = _contracts(data, version)
            if before is not None:
                version.change = _between(before, contracts, _tool_parts, whole=version.is_whole)
            before = contracts
    return {name: list(versions.values()) for name, versions in sorted(found.items())}


def _contracts(data: SiteData, version: Version) -> Mapping[str, ToolContract]:
    """Every contract of a version that is known."""
    if version.digest in data.registries:
        return {str(contract.name): contract for contract in data.registries[version.digest]}
    return {str(name): contract for run in version.runs for name, contract in run.package.contracts.items()}


def suite_versions(data: SiteData) -> dict[str, list[Version]]:
    """By name of the collection, oldest first; another oracle of the same tasks is a version of its own."""
    found: dict[str, dict[str, Version]] = {}
    for run in _by_date(data):
        header = run.manifest.header
        versions = found.setdefault(header.key.collection, {})
        _join(versions, f"{header.key.task_hash} {header.oracle_hash}", run)
    for versions in found.values():
        before: RunView | None = None
        for version in versions.values():
            run = version.runs[0]
            if before is not None:
                version.change = _between(_cases(before), _cases(run), _case_parts, whole=True)
                version.parts = list(_key_parts(before, run))
            before = run
    return {name: list(versions.values()) for name, versions in sorted(found.items())}


def _cases(run: RunView) -> Mapping[str, Case]:
    return {str(task_id): case for task_id, case in run.package.cases.items()}


def _by_date(data: SiteData) -> list[RunView]:
    return sorted(data.runs, key=lambda run: (run.manifest.header.created_at, run.slug))


def _join(versions: dict[str, Version], digest: str, run: RunView) -> None:
    day = run.manifest.header.created_at[:10]
    versions.setdefault(digest, Version(digest=digest, first=day)).runs.append(run)


def _between(
    before: Mapping[str, T], after: Mapping[str, T], parts: Callable[[T, T], tuple[str, ...]], *, whole: bool
) -> Change:
    shared = [name for name in after if name in before and before[name] != after[name]]
    return Change(
        added=tuple(sorted(after.keys() - before.keys())),
        # What packages do not show may still be there.
        removed=tuple(sorted(before.keys() - after.keys())) if whole else (),
        changed=tuple((name, parts(before[name], after[name])) for name in sorted(shared)),
    )


def _tool_parts(before: ToolContract, after: ToolContract) -> tuple[str, ...]:
    old, new = to_plain(before), to_plain(after)
    differing = [name for name in {**old, **new} if not json_equal(old.get(name), new.get(name))]
    # The version says that something changed, and this says what.
    return tuple(
        dict.fromkeys(_PARTS.get(name, name.replace("_", " ")) for name in sorted(differing) if name != "version")
    )


def _case_parts(before: Case, after: Case) -> tuple[str, ...]:
    parts = []
    if before.task != after.task:
        same_words = before.task.instruction == after.task.instruction
        parts.append("task" if same_words else "instruction")
    old, new = before.oracle, after.oracle
    if (old.decision, old.calls, old.alternatives) != (new.decision, new.calls, new.alternatives):
        parts.append("expected answer")
    if old.labels != new.labels:
        parts.append("labels")
    return tuple(parts or ["other"])


def _key_parts(before: RunView, run: RunView) -> Iterator[str]:
    """What else parts the boards of two versions."""
    old, new = before.manifest.header.key, run.manifest.header.key
    names = {"registry_hash": "registry", "fixture_hash": "fixtures", "prompt_hash": "prompt"}
    for name, words in names.items():
        if getattr(old, name) != getattr(new, name):
            yield words


def touched(version: Version) -> list[CaseId]:
    """Cases of a version's runs that expect a tool which the version added, removed or changed."""
    if version.change is None:
        return []
    names = {*version.change.added, *version.change.removed, *(name for name, _ in version.change.changed)}
    found: dict[CaseId, None] = {}
    for run in version.runs:
        for task_id, case in run.package.cases.items():
            if any(step.tool in names for step in case.oracle.calls):
                found[task_id] = None
    return list(found)
