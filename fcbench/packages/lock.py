"""One process for one run directory: a lock that ends with its holder, and says who that is."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from fcbench.core.canonical import clean_text, parse_json
from fcbench.errors import BadInputError, WriteError
from fcbench.packages.files import write_error

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without flock: a file that names the process stands in
    _SYSTEM_FLOCK = None
else:

    def _system_flock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    _SYSTEM_FLOCK = _system_flock

LOCK = "run.lock"
OWNER = "run.owner"
"""Stands in for the lock on a file system that knows none, such as some network drives."""
Flock = Callable[[int], None]
"""Locks an open file for this process without waiting, as flock(2) does."""
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)


class RunLock:
    """The right to write in a run directory. The system takes it back when the process ends, however it ends."""

    def __init__(self, stream: BinaryIO, owner: Path | None) -> None:
        self._stream = stream
        self._owner = owner

    def release(self) -> None:
        """Let others write. Calling it twice is fine."""
        if not self._stream.closed and self._owner is not None:
            with suppress(OSError):
                self._owner.unlink()
        self._stream.close()

    @property
    def is_held(self) -> bool:
        """Whether it was not released yet."""
        return not self._stream.closed


def take_lock(folder: Path, flock: Flock | None = _SYSTEM_FLOCK) -> RunLock:
    """Take the lock of a run directory.

    Args:
        folder: the run directory; it must exist.
        flock: how a file is locked; None where the system knows no locks.

    Raises:
        WriteError: another process holds it (its process id and host are named), or the folder cannot be written.
    """
    path = folder / LOCK
    try:
        stream = path.open("a+b", buffering=0)
    except OSError as error:
        raise write_error(path, error) from error
    try:
        owner = _lock(stream, folder, flock)
        _sign(stream)
    except BaseException:
        stream.close()
        raise
    return RunLock(stream, owner)


def _lock(stream: BinaryIO, folder: Path, flock: Flock | None) -> Path | None:
    if flock is None:
        return _own(folder)
    try:
        flock(stream.fileno())
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise _taken(folder, folder / LOCK) from error
        if error.errno not in _NO_LOCKS:
            raise write_error(folder / LOCK, error) from error
        return _own(folder)
    if not _is_at(stream, folder / LOCK):  # it was sealed between our opening the file and our locking it
        raise WriteError(
            "another process has just sealed this run",
            wanted="a run under way",
            found="it is a package now",
            where=str(folder.with_suffix("")),
            next_step="nothing is left to do",
        )
    return None


def _own(folder: Path) -> Path:
    """The stand-in: a file that only one process can create. What a dead process of this host left is taken over."""
    path = folder / OWNER
    for _ in range(2):
        try:
            with path.open("xb") as stream:
                stream.write(_card())
            return path
        except FileExistsError:
            if not _is_dead(_read(path)):
                break
            with suppress(OSError):
                path.unlink()
        except OSError as error:
            raise write_error(path, error) from error
    raise _taken(folder, path)


def _card() -> bytes:
    return json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode() + b"\n"


def _sign(stream: BinaryIO) -> None:
    # A full disk does not matter here: the lock holds without a name in it.
    with suppress(OSError):
        stream.truncate(0)
        stream.write(_card())


def _read(path: Path) -> tuple[int, str] | None:
    """Process id and host of a holder, or None where the file does not say."""
    try:
        said = parse_json(path.read_bytes()[:4096])
    except (OSError, BadInputError):
        return None
    pid, host = (said.get("pid"), said.get("host")) if isinstance(said, dict) else (None, None)
    return (pid, clean_text(host)[:255]) if isinstance(pid, int) and isinstance(host, str) else None


def _is_dead(holder: tuple[int, str] | None) -> bool:
    if holder is None or holder[1] != socket.gethostname() or holder[0] <= 0:
        return False
    try:
        os.kill(holder[0], 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _is_at(stream: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except OSError:
        return False


def _taken(folder: Path, path: Path) -> WriteError:
    holder = _read(path)
    by = f"process {holder[0]} on host {holder[1]} holds its lock" if holder else "its lock is held"
    stand_in = f"; if that process is gone, delete {path}" if path.name == OWNER else ""
    return WriteError(
        "another process is working on this run",
        wanted="one process for one run directory",
        found=by,
        where=str(folder),
        next_step=f"wait for it, or end it{stand_in}",
    )


__all__ = ["LOCK", "OWNER", "Flock", "RunLock", "take_lock"]
