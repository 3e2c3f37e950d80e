"""What differs between two registries: which tools came, went or changed, and in which part."""

from __future__ import annotations

from typing import Literal

from fcbench.core.canonical import json_equal
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonValue, ToolName
from fcbench.core.records import Record, to_plain
from fcbench.registry.lock import LockedRegistry
from fcbench.registry.model import Registry

Part = Literal["schema", "returns", "description", "relations", "effect", "synthetic", "other", "unknown"]
"""Part of a contract; `unknown` where only hashes are compared."""

_PARTS: dict[str, Part] = {
    "parameters": "schema",
    "returns": "returns",
    "description": "description",
    "effect": "effect",
    "synthetic": "synthetic",
    "equivalents": "relations",
    "argument_forms": "relations",
    "neutral_arguments": "relations",
    "follow_ups": "relations",
    "lookalikes": "relations",
}


class ChangedTool(Record, frozen=True, kw_only=True):
    """One tool whose contract is another one now."""

    name: ToolName
    parts: tuple[Part, ...]
    """Which parts differ, each once, sorted."""
    fields: tuple[str, ...] = ()
    """Which fields differ, sorted."""


class RegistryChange(Record, frozen=True, kw_only=True):
    """What differs between two states of a registry."""

    added: tuple[ToolName, ...] = ()
    """Names; the digest where several imported contracts share one name. So in all fields."""
    removed: tuple[ToolName, ...] = ()
    changed: tuple[ChangedTool, ...] = ()

    @property
    def touched(self) -> frozenset[ToolName]:
        """Every tool whose cases and runs are touched by the change."""
        return frozenset((*self.added, *self.removed, *(tool.name for tool in self.changed)))


def diff(old: Registry | LockedRegistry, new: Registry | LockedRegistry) -> RegistryChange:
    """The change from one state to another; lock data tells only that a tool changed, not in which part.

    An imported contract stands under its digest while others share its name, and under its name otherwise. One that is
    there before and after is no change, under whatever key.
    """
    before = old.hashes if isinstance(old, Registry) else old.tools
    after = new.hashes if isinstance(new, Registry) else new.tools
    kept = set(before.values()) & set(after.values())
    changed = [name for name in sorted(before.keys() & after.keys()) if before[name] != after[name]]
    whole = isinstance(old, Registry) and isinstance(new, Registry)
    return RegistryChange(
        added=tuple(key for key in sorted(after.keys() - before.keys()) if after[key] not in kept),
        removed=tuple(key for key in sorted(before.keys() - after.keys()) if before[key] not in kept),
        changed=tuple(
            _changed(old.contracts[name], new.contracts[name])
            if whole and isinstance(old, Registry) and isinstance(new, Registry)
            else ChangedTool(name=name, parts=("unknown",))
            for name in changed
        ),
    )


def _changed(old: ToolContract, new: ToolContract) -> ChangedTool:
    before, after = to_plain(old), to_plain(new)
    missing: JsonValue = {"absent": True}
    fields = [
        name
        for name in sorted(before.keys() | after.keys())
        if not json_equal(before.get(name, missing), after.get(name, missing))
    ]
    parts: set[Part] = {_PARTS.get(name, "other") for name in fields}
    return ChangedTool(name=new.name, parts=tuple(sorted(parts)), fields=tuple(fields))
