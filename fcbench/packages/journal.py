"""The journal: attempts appended one line at a time, safe against a kill at any moment.

A line is written with one call and flushed to disk before the next attempt may count on it. What a kill leaves behind
is at most one torn last line, which is cut when the run goes on. Records stay on disk: memory holds an entry for each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId, Outcome
from fcbench.core.records import Record, decode_line, encode_line
from fcbench.errors import BadInputError, PackageError
from fcbench.packages.files import write_error

Key = tuple[str, int]
"""(case, repeat)."""
OpenFile = Callable[[Path, str], BinaryIO]
"""Opens a file without a buffer, in mode `ab` or `rb`."""


def _open(path: Path, mode: str) -> BinaryIO:
    # Unbuffered: a buffer would keep the rest of a refused line and write it when the file is closed.
    return path.open(mode, buffering=0)  # type: ignore[return-value]


class Entry(Record, frozen=True, kw_only=True):
    """Where one line of the journal is, and what it says in short."""

    task_id: CaseId
    repeat: int
    try_number: int
    outcome: Outcome
    at: int
    """First byte."""
    size: int
    """Bytes, the newline included."""

    @property
    def key(self) -> Key:
        """(case, repeat)."""
        return self.task_id, self.repeat


class Journal:
    """Appends attempts to `attempts.jsonl`. Whoever makes one holds the lock of the run directory.

    Attributes:
        entries: one for each line, in their order.
        latest: the last try of each (case, repeat).

    Raises:
        WriteError: the file cannot be written.
        PackageError: a line before the last one is broken: that is no crash, it is damage.
    """

    def __init__(self, folder: Path, open_file: OpenFile = _open) -> None:
        self.path = folder / "attempts.jsonl"
        self.entries: list[Entry] = []
        self.latest: dict[Key, Entry] = {}
        self._open_file = open_file
        try:
            self._size = self._recover()
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
            self._take_back(self._size)
            raise write_error(self.path, error) from error
        self._note(attempt, line)

    def attempts(self, entries: Iterable[Entry] | None = None) -> Iterator[Attempt]:
        """Attempts read back from disk.

        Args:
            entries: which; all in the order of the journal without.
        """
        for line in self.lines(entries):
            yield decode_line(line, Attempt, where=str(self.path))

    def lines(self, entries: Iterable[Entry] | None = None) -> Iterator[bytes]:
        """Lines read back from disk, newline included; see `attempts`."""
        if not self.entries:
            return
        with self.path.open("rb") as stream:
            for entry in self.entries if entries is None else entries:
                stream.seek(entry.at)
                yield stream.read(entry.size)

    def close(self) -> None:
        """Release the file. Calling it twice is fine."""
        self._stream.close()

    def _note(self, attempt: Attempt, line: bytes) -> None:
        entry = Entry(
            task_id=attempt.task_id,
            repeat=attempt.repeat,
            try_number=attempt.try_number,
            outcome=attempt.outcome,
            at=self._size,
            size=len(line),
        )
        self.entries.append(entry)
        self._size += len(line)
        before = self.latest.get(entry.key)
        if before is None or before.try_number <= entry.try_number:
            self.latest[entry.key] = entry

    def _recover(self) -> int:
        """Read what an earlier process wrote, cutting a torn last line; gives the size of what is whole."""
        self._size = 0
        if not self.path.exists():
            return 0
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    os.truncate(self.path, self._size)
                    break
                self._note(_attempt(line, number, self.path), line)
        return self._size

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
