"""The lock file: the hash of every registry and tool, so that a change is seen in review."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from fcbench.core.canonical import parse_json
from fcbench.core.findings import Finding
from fcbench.core.names import Digest, RegistryHash, ToolName
from fcbench.core.records import Record, from_plain, to_plain
from fcbench.errors import BadInputError, NotFoundError, RegistryError, WriteError
from fcbench.registry.model import Registry

LOCK_NAME = "registry.lock.json"


class LockedRegistry(Record, frozen=True, kw_only=True):
    """What the lock file says of one registry."""

    hash: RegistryHash
    tools: dict[ToolName, Digest]


class Lock(Record, frozen=True, kw_only=True):
    """All registries, by name."""

    registries: dict[str, LockedRegistry]


def lock_of(registries: Mapping[str, Registry]) -> Lock:
    """The lock data of registries as they are now."""
    return Lock(
        registries={
            name: LockedRegistry(hash=registry.hash, tools=dict(registry.hashes))
            for name, registry in sorted(registries.items())
        }
    )


def write_lock(root: Path, registries: Mapping[str, Registry]) -> Path:
    """Write the lock file into the folder of all registries, whole or not at all.

    Raises:
        WriteError: the folder cannot be written.
    """
    path = root / LOCK_NAME
    plain = to_plain(lock_of(registries))["registries"]
    text = json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise WriteError("the lock file cannot be written", found=error.strerror, where=str(path)) from error
    return path


def read_lock(root: Path) -> Lock:
    """Read the lock file.

    Raises:
        NotFoundError: there is none.
        RegistryError: it is not lock data.
    """
    path = root / LOCK_NAME
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise NotFoundError(
            "the lock file cannot be read",
            found=error.strerror,
            where=str(path),
            next_step="write it with `fcbench registry lock`",
        ) from error
    try:
        return from_plain({"registries": parse_json(raw)}, Lock)
    except BadInputError as error:
        raise RegistryError(
            "the lock file does not read as it should",
            wanted="{registry: {hash, tools: {name: hash}}}",
            found=error.found,
            where=str(path),
            next_step="write it again with `fcbench registry lock`",
        ) from error


def check_lock(root: Path, registries: Mapping[str, Registry]) -> tuple[Finding, ...]:
    """One finding for each registry or tool whose hash is not the locked one; empty when all agree.

    Raises:
        NotFoundError: there is no lock file.
        RegistryError: it is not lock data.
    """
    locked, now = read_lock(root).registries, lock_of(registries).registries
    found: list[Finding] = []
    for name in sorted(locked.keys() | now.keys()):
        if name not in locked or name not in now:
            found.append(_finding(name, "is not in the lock file" if name in now else "is locked and does not exist"))
            continue
        before, after = locked[name].tools, now[name].tools
        for tool in sorted(before.keys() | after.keys()):
            if before.get(tool) != after.get(tool):
                what = "is new" if tool not in before else "is gone" if tool not in after else "changed"
                found.append(_finding(f"{name}/{tool}", f"{what} since the lock was written"))
        if before == after and locked[name].hash != now[name].hash:
            found.append(_finding(name, "has another hash than the lock although its tools agree"))
    return tuple(found)


def _finding(name: str, what: str) -> Finding:
    return Finding(rule="lock", message=f"{name} {what}; run `fcbench registry lock`", file=LOCK_NAME)
