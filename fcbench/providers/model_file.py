"""What a run records about a model file and the processor that reads it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from fcbench.core.canonical import parse_json
from fcbench.core.names import Digest, JsonObject
from fcbench.errors import BadInputError

_CACHE_FILE = "model-digests.json"


def cache_folder(environment: Mapping[str, str], home: Path) -> Path:
    """The user's cache folder for fcbench (XDG base directories; `Library/Caches` on macOS)."""
    given = environment.get("XDG_CACHE_HOME", "")
    if given.startswith("/"):
        return Path(given) / "fcbench"
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "fcbench"


def model_digest(path: Path, cache: Path | None = None) -> Digest:
    """SHA-256 of a model file, remembered by path, size and time of change: hashing gigabytes takes seconds.

    Args:
        path: the file.
        cache: the folder of the remembered digests; None remembers nothing.

    Raises:
        BadInputError: the file cannot be read.
    """
    try:
        status = path.stat()
        key = f"{path.resolve()}|{status.st_size}|{status.st_mtime_ns}"
        known = _remembered(cache)
        found = known.get(key)
        if isinstance(found, str) and len(found) == 64:
            return Digest(found)
        with path.open("rb") as file:
            computed = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadInputError("the model file cannot be read", found=str(error), where=str(path)) from error
    _remember(cache, {**known, key: computed})
    return Digest(computed)


def _remembered(cache: Path | None) -> JsonObject:
    try:
        value = parse_json((cache / _CACHE_FILE).read_bytes()) if cache else {}
    except (OSError, BadInputError):
        return {}  # a missing or torn cache costs seconds, nothing else
    return value if isinstance(value, dict) else {}


def _remember(cache: Path | None, known: JsonObject) -> None:
    if cache is None:
        return
    try:
        cache.mkdir(parents=True, exist_ok=True)
        part = cache / f"{_CACHE_FILE}.{os.getpid()}"
        part.write_text(json.dumps(known, indent=1, sort_keys=True), encoding="utf-8")
        part.replace(cache / _CACHE_FILE)
    except OSError:
        return  # a cache that cannot be written is not an error of the run


def processor_name() -> str:
    """The processor's name: replies of one engine build may differ between processors."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
