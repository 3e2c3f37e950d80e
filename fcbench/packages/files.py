"""Files that are complete or absent: write beside, flush to disk, rename."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from fcbench.core.names import Digest
from fcbench.errors import WriteError


def write_whole(path: Path, data: bytes | Iterable[bytes]) -> Digest:
    """Write a file so that a reader sees the old one or the whole new one, and return its SHA-256.

    Args:
        path: of the file.
        data: its bytes, at once or in parts.

    Raises:
        WriteError: the folder cannot be written or the disk is full; nothing is left half-written.
    """
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    digest = hashlib.sha256()
    try:
        with scratch.open("wb") as stream:
            for part in (data,) if isinstance(data, bytes) else data:
                stream.write(part)
                digest.update(part)
            stream.flush()
            os.fsync(stream.fileno())
        scratch.replace(path)
    except OSError as error:
        scratch.unlink(missing_ok=True) if path.parent.is_dir() else None
        raise write_error(path, error) from error
    return Digest(digest.hexdigest())


def digest_file(path: Path) -> Digest:
    """SHA-256 of a file, read in parts."""
    with path.open("rb") as stream:
        return Digest(hashlib.file_digest(stream, "sha256").hexdigest())


def is_there(path: Path) -> bool:
    """Whether a path exists; a folder that may not even be looked into is an error, not an absence.

    Raises:
        WriteError: permission is denied on the way.
    """
    try:
        return path.exists()
    except OSError as error:
        raise write_error(path, error) from error


def write_error(path: Path, error: OSError) -> WriteError:
    """An OSError in the words of this program."""
    return WriteError(
        f"{path.name or path} cannot be written",
        wanted="a folder that may be written, on a disk with room",
        found=error.strerror or type(error).__name__,
        where=str(path),
        next_step="choose another place with --output, or mend the permissions",
    )


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries, so that a rename survives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
