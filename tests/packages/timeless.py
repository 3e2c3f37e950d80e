"""What of a package must not depend on when and where it was made."""

from __future__ import annotations

import json
from typing import Any

from fcbench.packages.store import Package

_TIMES = {"started_at", "duration_s", "reply_s", "at_s"}


def without_times(value: Any) -> Any:
    """A JSON value without its times, at every depth."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in _TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def timeless(package: Package) -> dict[str, Any]:
    """Everything in a package but times, ids of runs, what follows from these, and where merged parts came from."""
    manifest = json.loads((package.folder / "manifest.json").read_bytes())
    for name in ("sealed_at", "merged_from"):
        manifest.pop(name, None)
    for name in ("run_id", "created_at"):
        manifest["header"].pop(name)
    manifest["files"].pop("attempts.jsonl")
    for entry in manifest["attempts"]:
        entry.pop("sha256")
    lines = (package.folder / "attempts.jsonl").read_bytes().splitlines()
    return {
        "manifest": manifest,
        "attempts": [without_times(json.loads(line)) for line in lines],
        "names": sorted(path.name for path in package.folder.iterdir() if path.suffix in (".jsonl", ".txt", ".json")),
    }
