"""Merge the shards of one plan that several machines made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from fcbench.errors import PackageError
from fcbench.harnesses.clock import Clock, SystemClock
from fcbench.packages.files import write_whole
from fcbench.packages.header_facts import REGISTRY, is_in_place
from fcbench.packages.merge import merged_header, parts_of_one_plan, write_merged
from fcbench.packages.store import Package, find_packages, open_package
from fcbench.workflows.header import made_run_id
from fcbench.workflows.planning import check_run_id
from fcbench.workflows.verify import verify


def merge(folders: Sequence[Path], runs: Path, *, run_id: str | None = None, clock: Clock | None = None) -> Package:
    """Write the package that one machine would have made; the shards stay as they are.

    Every shard is verified first: its files, its recorded facts and every call in it.

    Args:
        folders: shards, or folders with shards below them.
        runs: the folder of packages; the package lies in `<registry_hash[:12]>/<run_id>`.
        run_id: made from the time of the first shard without.
        clock: the machine's clock unless given.

    Raises:
        UsageError: the run id cannot name a folder.
        NotFoundError: a folder does not exist.
        PackageError: a shard is missing, doubled, incomplete or altered, or of another plan.
        WriteError: the package cannot be written.
    """
    check_run_id(run_id)
    paths = [path for folder in folders for path in _below(folder)]
    parts = parts_of_one_plan([_verified(path) for path in paths])
    header = merged_header(parts)
    header = replace(header, run_id=run_id or made_run_id(header))
    parent = runs / header.key.registry_hash[:12]
    package = write_merged(parts, header, parent, (clock or SystemClock()).now())
    _bring_registry(parts, parent)
    return package


def _below(folder: Path) -> list[Path]:
    found = find_packages(folder)
    if not found:
        raise PackageError(
            "there is no sealed shard here",
            wanted="folders with manifest.json",
            found="none below this folder",
            where=str(folder),
            next_step="a run under way ends in .partial: repeat its command to go on with it",
        )
    return found


def _verified(path: Path) -> Package:
    found = verify(path)
    if found.problems:
        raise PackageError(
            "this shard is not what was sealed, or does not follow from itself",
            wanted="a package without problems under `fcbench verify`",
            found="; ".join(found.problems[:3]),
            where=str(path),
            next_step="take the shard again from where it was made, or run it again",
        )
    return open_package(path)


def _bring_registry(parts: Sequence[Package], parent: Path) -> None:
    """The whole registry lies beside a package, so that it can be compared with its hash; verified with the shards."""
    if (parent / REGISTRY).exists():
        return
    for package in parts:
        path = package.folder.resolve().parent / REGISTRY
        if is_in_place(package) and path.is_file():
            write_whole(parent / REGISTRY, path.read_bytes())
            return


__all__ = ["merge"]
