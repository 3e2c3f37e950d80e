"""What two packages of one plan have in common: everything but times, ids of the run and what follows from them."""

from __future__ import annotations

from pathlib import Path

from fcbench.core.evidence import Attempt
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import to_plain
from fcbench.packages.store import Package

TIMES = ("started_at", "duration_s", "reply_s", "at_s", "sealed_at", "created_at")
OF_THE_RUN = ("run_id",)
FOLLOWS = ("sha256",)
"""Digests of records that hold times."""


def _without(value: JsonValue, names: tuple[str, ...]) -> JsonValue:
    if isinstance(value, dict):
        return {name: _without(part, names) for name, part in value.items() if name not in names}
    return [_without(part, names) for part in value] if isinstance(value, list) else value


def timeless_attempt(attempt: Attempt) -> JsonValue:
    """One attempt without its times; phases keep their names and order."""
    return _without(to_plain(attempt), TIMES)


def timeless(package: Package) -> JsonObject:
    """A package without its times: manifest, every attempt with every try, and the other files byte for byte."""
    manifest = to_plain(package.manifest)
    files = dict(manifest["files"])  # type: ignore[call-overload]
    del files["attempts.jsonl"]
    manifest["files"] = files
    lines = [timeless_attempt(one) for one in package.attempts()]
    return {
        "manifest": _without(manifest, (*TIMES, *OF_THE_RUN, *FOLLOWS)),
        "attempts": lines,
        "lines": sum(1 for _ in package.raw_attempts()),
        "names": sorted(path.name for path in package.folder.iterdir() if path.name != "run.log"),
        "bytes": {name: (Path(package.folder) / name).read_bytes() for name in files},
    }
