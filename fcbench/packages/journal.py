"""The journal: attempts appended one line at a time, safe against a kill at any moment.

A line is written with one call and flushed to disk before the next attempt may count on it. What a kill leaves behind
is at most one torn last line, which is cut when the run goes on. Records stay on disk: memory holds where they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId
from fcbench.core.records import decode_line, encode_line
from fcbench.errors import BadInputError, PackageError
from fcbench.packages.files import write_error
from fcbench.packages.journal_index import Entry, JournalIndex, Key

OpenFile = Callable[[Path, str], BinaryIO]
"""Opens a file without a buffer, in mode `ab` or `rb`."""


def _open(path: Path, mode: str) -> BinaryIO:
    # Unbuffered: a buffer would keep the rest of a refused line and write it when the file is closed.
    return path.open(mode, buffering=0)  # type: ignore[return-value]


class Journal:
    """Appends attempts to `attempts.jsonl`. Whoever makes one holds the lock of the run directory.

    Attributes:
        index: where each line is, and the last try of each (case, repeat).

    Raises:
        WriteError: the file cannot be written.
        PackageError: a line before the last one is broken, or is of another run: that is no crash, it is damage.
    """

    def __init__(self, folder: Path, cases: Sequence[CaseId], repeats: int, open_file: OpenFile = _open) -> None:
        """Open it, and read what is there.

        Args:
            folder: the run directory.
            cases: planned.
            repeats: planned, of each case.
            open_file: opens the file.
        """
        self.path = folder / "attempts.jsonl"
        self.index = JournalIndex(cases, repeats)
        self._open_file = open_file
        try:
            self._recover()
            self._stream = open_file(self.path, "ab")
        except OSError as error:
            raise write_error(self.path, error) from error

    def append(self, attempt: Attempt) -> None:
        """Write one attempt and flush it to disk.

        Raises:
            WriteError: the disk is full or gone. The line is taken back, so that the journal stays whole.
            BadInputError: the attempt would not read back; nothing is written.
        """
        line = encode_line(attempt)
        decode_line(line, Attempt)  # what does not read back would damage the journal
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._stream.write(rest) :]
            os.fsync(self._stream.fileno())
        except OSError as error:
            self._take_back(self.index.size)
            raise write_error(self.path, error) from error
        self.index.add(attempt, len(line))

    def attempts(self, entries: Iterable[Entry] | None = None) -> Iterator[Attempt]:
        """Attempts read back from disk.

        Args:
            entries: which; all in the order of the journal without.
        """
        for line in self.lines(entries):
            yield decode_line(line, Attempt, where=str(self.path))

    def lines(self, entries: Iterable[Entry] | None = None) -> Iterator[bytes]:
        """Lines read back from disk, newline included; see `attempts`."""
        if not len(self.index):
            return
        with self.path.open("rb") as stream:
            for entry in self.index if entries is None else entries:
                stream.seek(entry.at)
                yield stream.read(entry.size)

    def close(self) -> None:
        """Release the file. Calling it twice is fine."""
        self._stream.close()

    def _recover(self) -> None:
        """Read what an earlier process wrote, cutting a torn last line."""
        if not self.path.exists():
            return
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    os.truncate(self.path, self.index.size)
                    break
                self.index.add(_attempt(line, number, self.path), len(line))

    def _take_back(self, size: int) -> None:
        try:
            os.truncate(self.path, size)
        except OSError:  # the disk is gone: the torn line is cut on resume
            return


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


def last_tries(attempts: list[Attempt]) -> dict[Key, Attempt]:
    """The last try of each (case, repeat), which is the one that counts."""
    latest: dict[Key, Attempt] = {}
    for attempt in attempts:
        key = (attempt.task_id, attempt.repeat)
        if key not in latest or latest[key].try_number <= attempt.try_number:
            latest[key] = attempt
    return latest


__all__ = ["Entry", "Journal", "Key", "OpenFile", "last_tries"]
