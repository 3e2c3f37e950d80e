"""The journal: attempts appended one line at a time, safe against a kill at any moment.

A line is written with one call and flushed to disk before the next attempt may count on it. What a kill leaves behind
is at most one torn last line, which is cut when the run goes on.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import ExitStack
from pathlib import Path

from fcbench.core.evidence import Attempt
from fcbench.core.records import decode_line, encode_line
from fcbench.errors import BadInputError, PackageError, WriteError
from fcbench.packages.files import write_error

LOCK = "run.lock"


class Journal:
    """Appends attempts to `attempts.jsonl`; only one process may hold it.

    Attributes:
        attempts: all lines, in their order.
        latest: the last try of each (case, repeat).

    Raises:
        WriteError: another process holds the run directory, or it cannot be written.
        PackageError: a line before the last one is broken: that is no crash, it is damage.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "attempts.jsonl"
        with ExitStack() as undo:
            try:
                self._lock = undo.enter_context((folder / LOCK).open("wb"))
                _hold(self._lock.fileno(), folder)
                self.attempts = _recover(self.path)
                # Unbuffered: a buffer would keep the rest of a refused line and write it when the file is closed.
                self._stream = undo.enter_context(self.path.open("ab", buffering=0))
            except OSError as error:
                raise write_error(self.path, error) from error
            self._release = undo.pop_all()
        self.latest = last_tries(self.attempts)

    def append(self, attempt: Attempt) -> None:
        """Write one attempt and flush it to disk.

        Raises:
            WriteError: the disk is full or gone. The line is taken back, so that the journal stays whole.
            BadInputError: the attempt would not read back; nothing is written.
        """
        line = encode_line(attempt)
        decode_line(line, Attempt)  # what does not read back would damage the journal
        size = self._stream.seek(0, os.SEEK_END)
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._stream.write(rest) :]
            os.fsync(self._stream.fileno())
        except OSError as error:
            self._take_back(size)
            raise write_error(self.path, error) from error
        self.attempts.append(attempt)
        self.latest |= last_tries([attempt])

    def _take_back(self, size: int) -> None:
        try:
            os.truncate(self.path, size)
        except OSError:  # the disk is gone: the torn line is cut on resume
            return

    def close(self) -> None:
        """Release the file and the lock."""
        self._release.close()


def _hold(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise WriteError(
            "another process is working on this run",
            wanted="one process for one run directory",
            found="its lock is held",
            where=str(folder),
            next_step="wait for it, or end it",
        ) from error


def _recover(path: Path) -> list[Attempt]:
    """Read what an earlier process wrote, cutting a torn last line."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole, torn = data[: data.rfind(b"\n") + 1], data[data.rfind(b"\n") + 1 :]
    if torn:
        os.truncate(path, len(whole))
    lines = whole.splitlines()
    return [_attempt(line, number, path) for number, line in enumerate(lines, start=1)]


def _attempt(line: bytes, number: int, path: Path) -> Attempt:
    try:
        return decode_line(line, Attempt)
    except BadInputError as error:
        raise PackageError(
            "a line of the journal is damaged",
            wanted="one attempt a line",
            found=str(error).splitlines()[0],
            where=f"{path}:{number}",
            next_step="restore the file from a copy, or start the run anew in another directory",
        ) from error


def last_tries(attempts: list[Attempt]) -> dict[tuple[str, int], Attempt]:
    """The last try of each (case, repeat), which is the one that counts."""
    latest: dict[tuple[str, int], Attempt] = {}
    for attempt in attempts:
        key = (attempt.task_id, attempt.repeat)
        if key not in latest or latest[key].try_number <= attempt.try_number:
            latest[key] = attempt
    return latest
