"""A package as one file to hand in: a ZIP archive with the same bytes for the same package, and its careful opening.

ZIP and not tar: every entry is listed with its size before anything is unpacked, and no header can claim memory.
What stands in an archive is foreign: names, sizes and kinds are held to our own rules, and bytes are counted while they
are unpacked, since a listed size may lie.
"""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from io import BufferedWriter
from pathlib import Path

from fcbench.errors import PackageError
from fcbench.packages.files import write_error
from fcbench.packages.header_facts import REGISTRY
from fcbench.packages.held_out import refuse_secret
from fcbench.packages.integrity import VERDICTS, refuse_altered, sealed_names
from fcbench.packages.signature import SIGNATURE
from fcbench.packages.store import MANIFEST, Package

SUFFIX = ".fcbench.zip"
MAX_BYTES = 2 << 30
"""Unpacked, all files together. A larger package is checked as a folder."""
MAX_FILES = 64
_ENTRY = re.compile(r"runs/[0-9a-f]{12}/(?:[A-Za-z0-9][A-Za-z0-9._-]{0,99}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The least time that a ZIP entry can bear: the time of packing says nothing of a package."""
_PART = 1 << 20


def pack(package: Package, output: Path) -> Path:
    """Write a sealed package, its verdicts, its signature and its registry into one archive.

    Everything that is evidence comes along; `run.log` stays, since nothing in it is sealed.

    Args:
        package: sealed and unaltered.
        output: an existing folder, or the file to write.

    Returns:
        The archive. The same package gives the same bytes wherever the same zlib packs it.

    Raises:
        PackageError: the package was altered or holds held-out cases in the clear.
        WriteError: the archive cannot be written.
    """
    refuse_secret(refuse_altered(package), "packed")
    target = output / f"{package.header.run_id}{SUFFIX}" if output.is_dir() else output
    scratch = target.with_name(f".{target.name}.tmp")
    try:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, path in _entries(package):
                _add(archive, name, path)
        scratch.replace(target)
    except OSError as error:
        scratch.unlink(missing_ok=True) if scratch.parent.is_dir() else None
        raise write_error(target, error) from error
    return target


def _entries(package: Package) -> Iterator[tuple[str, Path]]:
    folder, header = package.folder, package.header
    place = f"runs/{header.key.registry_hash[:12]}"
    kept = {MANIFEST, SIGNATURE, *sealed_names(package.manifest)}
    for path in sorted(folder.iterdir()):
        if path.name in kept or VERDICTS.fullmatch(path.name):
            yield f"{place}/{header.run_id}/{path.name}", path
    registry = folder.resolve().parent / REGISTRY
    if registry.is_file():
        yield f"{place}/{REGISTRY}", registry


def _add(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    entry = zipfile.ZipInfo(name, date_time=_ZIP_EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
        while part := source.read(_PART):
            target.write(part)


def unpack(path: Path, folder: Path) -> Path:
    """Unpack an archive that somebody handed in.

    Args:
        path: of the archive.
        folder: an empty folder; nothing is written outside it.

    Returns:
        `folder/runs`.

    Raises:
        PackageError: it is no archive of a package: another kind of file, a damaged one, one with entries that a
            package has not, or larger than `MAX_BYTES`.
        WriteError: the folder cannot be written.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = _checked(archive, path)
            left = MAX_BYTES
            for entry in entries:
                left -= _extract(archive, entry, folder / entry.filename, left, path)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        # RuntimeError: an entry is encrypted; NotImplementedError: packed in a way that we do not read.
        raise _refused(path, "an undamaged ZIP archive", str(error)[:200] or type(error).__name__) from error
    return folder / "runs"


def _checked(archive: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    entries = archive.infolist()
    if len(entries) > MAX_FILES:
        raise _refused(path, f"at most {MAX_FILES} entries", f"{len(entries)} entries")
    seen: set[str] = set()
    for entry in entries:
        kind = stat.S_IFMT(entry.external_attr >> 16)
        # Two names that a file system without case takes for one would overwrite each other.
        if not _ENTRY.fullmatch(entry.filename) or entry.filename.casefold() in seen:
            raise _refused(
                path, "runs/<registry hash>/<run id>/<file>, each once", f"the entry {entry.filename[:120]!r}"
            )
        if kind not in (0, stat.S_IFREG):
            raise _refused(path, "regular files", f"{entry.filename} is a link or another kind of file")
        seen.add(entry.filename.casefold())
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise _refused(path, f"at most {MAX_BYTES} bytes unpacked", "more")
    return entries


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, left: int, path: Path) -> int:
    written = 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        stream = target.open("xb")
    except OSError as error:
        raise write_error(target, error) from error
    with stream:
        for part in _parts(archive, entry, path):
            written += len(part)
            if written > min(left, entry.file_size):
                raise _refused(path, "entries of the size that is listed", f"{entry.filename} is larger")
            _put(stream, part, target)
    return written


def _parts(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> Iterator[bytes]:
    """The bytes of an entry. What the archive says of its place may be any number, such as one before the file."""
    try:
        with archive.open(entry) as source:
            while part := source.read(_PART):
                yield part
    except OSError as error:
        raise _refused(path, "entries that can be read", f"{entry.filename}: {error.strerror}") from error


def _put(stream: BufferedWriter, part: bytes, target: Path) -> None:
    try:
        stream.write(part)
        stream.flush()
    except OSError as error:
        raise write_error(target, error) from error


def _refused(path: Path, wanted: str, found: str) -> PackageError:
    return PackageError(
        "this is no archive of an execution package",
        wanted=wanted,
        found=found,
        where=str(path),
        next_step="pack it with `fcbench package pack`; a large package can be checked as a folder",
    )
