"""New files and folders put in place together: all of them, or none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from fcbench.core.records import Record
from fcbench.errors import FcbenchError, WriteError


class Placement(Record, frozen=True, kw_only=True):
    """One file or folder, ready beside its place."""

    source: Path
    target: Path
    before: bytes | None = None
    """What the target holds now, where a file is extended; without it the target must not exist."""


@contextmanager
def staging(root: Path) -> Iterator[Path]:
    """A hidden folder on the file system of `root`; it is gone afterwards, and so are folders that were made for it.

    Raises:
        WriteError: it cannot be made.
    """
    base = root.absolute()
    missing = [each for each in (base, *base.parents) if not each.exists()]
    try:
        base.mkdir(parents=True, exist_ok=True)
        folder = Path(mkdtemp(prefix=".fcbench-", dir=base))
    except OSError as error:
        _remove_empty(missing)
        raise WriteError("the project cannot be written", found=error.strerror, where=str(root)) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _remove_empty(missing)


def _remove_empty(folders: Sequence[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:
            return


def place(placements: Sequence[Placement]) -> None:
    """Move every source to its target; after a failure the targets are as they were.

    Raises:
        WriteError: a target exists, or cannot be written.
    """
    done: list[Placement] = []
    try:
        for each in placements:
            if each.before is None and (each.target.exists() or each.target.is_symlink()):
                raise in_the_way(each.target)
            each.target.parent.mkdir(parents=True, exist_ok=True)
            each.source.replace(each.target)
            done.append(each)
    except (OSError, FcbenchError) as error:
        for each in reversed(done):
            _undo(each)
        if isinstance(error, FcbenchError):
            raise
        raise WriteError("the suite cannot be written", found=error.strerror, where=str(error.filename)) from error


def _undo(each: Placement) -> None:
    if each.before is not None:
        each.target.write_bytes(each.before)
    elif each.target.is_dir():
        shutil.rmtree(each.target, ignore_errors=True)
    else:
        each.target.unlink(missing_ok=True)


def in_the_way(path: Path) -> WriteError:
    """The error for something that stands where something new shall be."""
    return WriteError(
        "something is in the way, and nothing is overwritten",
        wanted="a place where nothing is yet",
        found="a folder" if path.is_dir() else "a file",
        where=str(path),
        next_step="choose other names with --name, --suite or --registry, or another --project",
    )
