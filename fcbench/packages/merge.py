"""Shards of one plan become the package that one machine would have made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.errors import PackageError, WriteError
from fcbench.packages.files import digest_file, is_there, write_whole
from fcbench.packages.integrity import TEMPLATE, checked_records
from fcbench.packages.manifest import MergedShard, RunHeader, planned_pairs
from fcbench.packages.run_directory import create_run, resume_run
from fcbench.packages.store import MANIFEST, Package

_SAME_FILES = ("cases.jsonl", "contracts.jsonl", "prompt.txt", TEMPLATE)
"""Files that every part holds, byte by byte: those of the whole plan."""


def parts_of_one_plan(packages: Sequence[Package]) -> tuple[Package, ...]:
    """The parts in the order of their numbers.

    Raises:
        PackageError: one is no shard or is incomplete, they are of different plans, one is missing or comes twice.
    """
    if not packages:
        raise PackageError("there is nothing to merge", wanted="every shard of one plan", found="no package")
    for package in packages:
        _refuse_whole(package)
    first = packages[0]
    for other in packages[1:]:
        _refuse_other_plan(first, other)
    found: dict[int, Package] = {}
    for package in packages:
        number = package.header.shard.number if package.header.shard else 0
        if number in found:
            raise PackageError(
                f"shard {package.header.shard} comes twice",
                wanted="each shard once",
                found=f"{found[number].folder} and {package.folder}",
                next_step="leave one of them out",
            )
        found[number] = package
    of = first.header.shard.of if first.header.shard else 0
    missing = [number for number in range(1, of + 1) if number not in found]
    if missing:
        raise PackageError(
            "shards are missing",
            wanted=f"all {of} shards of the plan",
            found=f"{len(found)} of them; missing: " + ", ".join(f"{number}/{of}" for number in missing[:20]),
            next_step=f"run `fcbench run` with the same options and `--shard {missing[0]}/{of}`, then merge again",
        )
    return tuple(found[number] for number in sorted(found))


def _refuse_whole(package: Package) -> None:
    if package.header.purpose != "shard" or package.header.shard is None:
        raise PackageError(
            "this package is no shard",
            wanted="a package that `fcbench run --shard i/n` sealed",
            found=f"a package of purpose {package.header.purpose}",
            where=str(package.folder),
            next_step="leave it out",
        )
    if not package.manifest.complete:
        raise PackageError(
            f"shard {package.header.shard} is incomplete",
            wanted="a final outcome for each of its attempts",
            found=", ".join(f"{count} {outcome}" for outcome, count in package.manifest.counts.items()) or "no attempt",
            where=str(package.folder),
            next_step="run this shard again without --seal-incomplete",
        )


def _refuse_other_plan(first: Package, other: Package) -> None:
    one, two = _common(first.header), _common(other.header)
    names = [*one.differences(two)]
    shards = first.header.shard, other.header.shard
    if shards[0] and shards[1] and shards[0].of != shards[1].of:
        names.append("number of shards")
    files = first.manifest.files, other.manifest.files
    names += [name for name in _SAME_FILES if files[0].get(name) != files[1].get(name)]
    if names:
        raise PackageError(
            "these shards are of different plans",
            wanted="equal hashes, parameters, versions and engine build",
            found="different " + ", ".join(names) + _detail(one, two),
            where=f"{first.folder} and {other.folder}",
            next_step="run the odd one again as the others were run",
        )


def _detail(one: RunHeader, two: RunHeader) -> str:
    """The first version that differs, which is what machines differ in most often."""
    names = sorted(one.versions.keys() | two.versions.keys())
    said = [f"{name} {one.versions.get(name)} and {two.versions.get(name)}" for name in names]
    differ = [text for name, text in zip(names, said, strict=True) if one.versions.get(name) != two.versions.get(name)]
    return f" ({differ[0]})" if differ else ""


def _common(header: RunHeader) -> RunHeader:
    return replace(header, shard=None)


def merged_header(parts: Sequence[Package]) -> RunHeader:
    """The header of the whole run, as yet without an id: begun when its first part was begun."""
    header = _common(parts[0].header)
    return replace(header, purpose="board", run_id="", created_at=min(one.header.created_at for one in parts))


def write_merged(parts: Sequence[Package], header: RunHeader, parent: Path, now: datetime) -> Package:
    """Write and seal the whole package.

    Args:
        parts: as `parts_of_one_plan` gives them.
        header: as `merged_header` gives it, with an id.
        parent: the folder of packages of this registry.
        now: when it is sealed.

    Raises:
        PackageError: a part was altered meanwhile, or holds an attempt of another part.
        WriteError: the folder cannot be written, or the place of the package is taken.
    """
    first = parts[0]
    if is_there(parent / header.run_id):
        raise WriteError(
            "the place of the package is taken",
            wanted="a name that nothing has yet",
            found=str(parent / header.run_id),
            next_step="choose another --run-id or --output",
        )
    _refuse_other_cases(first)
    folder = parent / f"{header.run_id}.partial"
    prompt = (first.folder / "prompt.txt").read_text(encoding="utf-8")
    create_run(folder, header, tuple(first.cases.values()), first.contracts.values(), prompt).close()
    write_whole(folder / "attempts.jsonl", _lines(parts))
    directory = resume_run(folder, header)
    try:
        return directory.seal(
            now,
            repeats_done=header.repeats,
            deterministic=None,
            allow_incomplete=False,
            merged_from=tuple(map(_origin, parts)),
        )
    finally:
        directory.close()


def _refuse_other_cases(package: Package) -> None:
    header, cases = package.header, package.cases.values()
    if (task_hash(cases), oracle_hash(cases)) != (header.key.task_hash, header.oracle_hash):
        raise PackageError("the cases are not those of the hashes", where=str(package.folder))


def _lines(parts: Sequence[Package]) -> Iterator[bytes]:
    for package in parts:
        mine = set(planned_pairs(package.header, package.header.repeats))
        lines = package.raw_attempts()
        for (entry, _), line in zip(checked_records(package), lines, strict=True):
            if (entry.task_id, entry.repeat) not in mine:
                raise PackageError(
                    f"shard {package.header.shard} holds an attempt of another shard",
                    wanted="attempts of its own part of the plan",
                    found=f"{entry.task_id} repeat {entry.repeat}",
                    where=str(package.folder),
                )
            yield line + b"\n"


def _origin(package: Package) -> MergedShard:
    shard = package.header.shard
    assert shard is not None
    return MergedShard(
        shard=shard,
        run_id=package.header.run_id,
        created_at=package.header.created_at,
        sealed_at=package.manifest.sealed_at,
        manifest_sha256=digest_file(package.folder / MANIFEST),
    )


__all__ = ["merged_header", "parts_of_one_plan", "write_merged"]
