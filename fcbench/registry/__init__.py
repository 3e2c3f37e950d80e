"""Registries of tool contracts: load, check, digest and compare."""

from __future__ import annotations

from fcbench.registry.changes import ChangedTool, RegistryChange, diff
from fcbench.registry.lint import lint
from fcbench.registry.load import load_registries, load_registry
from fcbench.registry.lock import LOCK_NAME, Lock, LockedRegistry, check_lock, lock_of, read_lock, write_lock
from fcbench.registry.model import Registry, Source, make_registry, registry_hash

__all__ = [
    "LOCK_NAME",
    "ChangedTool",
    "Lock",
    "LockedRegistry",
    "Registry",
    "RegistryChange",
    "Source",
    "check_lock",
    "diff",
    "lint",
    "load_registries",
    "load_registry",
    "lock_of",
    "make_registry",
    "read_lock",
    "registry_hash",
    "write_lock",
]
