"""Files of a session: read below the fixture folder, written below the attempt's own output folder, nothing else."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path

from fcbench.core.canonical import digest_bytes
from fcbench.core.names import Digest
from fcbench.workbench.errors import ToolError

MAX_READ_BYTES = 64 << 20
MAX_WRITTEN_BYTES = 64 << 20
"""All files of one attempt together."""
MAX_WRITTEN_FILES = 100
MAX_PATH_LETTERS = 200
MAX_DEPTH = 8
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
"""One part of a path: no leading dot, so neither `..` nor a hidden file."""


def path_parts(path: str) -> tuple[str, ...]:
    """The parts of a relative path as users write it; a leading `./` is left out.

    Raises:
        ToolError: `path_refused` for an absolute path, `..`, an empty or strange name, or one that is too long.
    """
    parts = path.removeprefix("./").split("/")
    if len(path) > MAX_PATH_LETTERS or len(parts) > MAX_DEPTH or not all(_NAME.fullmatch(part) for part in parts):
        shown = path[:80].encode("unicode_escape").decode()
        raise ToolError(
            "path_refused",
            f"{shown!r} is refused: a path is relative, stays in its folder, has at most {MAX_DEPTH} parts and "
            f"{MAX_PATH_LETTERS} characters, and its names are of letters, digits, dots, hyphens and underscores",
        )
    return tuple(parts)


class FileRoom:
    """The files that one session may touch."""

    def __init__(self, fixture_folder: Path, readable: Iterable[str]) -> None:
        """Open the room; nothing is written before the first output.

        Args:
            fixture_folder: what paths of inputs start from.
            readable: the files that the fixture holds, relative to the folder. No other file can be read, since only
                these are part of the fixture hash.
        """
        self._fixture_folder = fixture_folder.resolve()
        self._readable = frozenset(readable)
        self._output: Path | None = None
        self._closed = False
        self._kept = False
        self.written: dict[str, Digest] = {}
        """Path below the output folder -> SHA-256 of what was written last."""
        self._sizes: dict[str, int] = {}

    @property
    def readable(self) -> tuple[str, ...]:
        """The files of the fixture, sorted."""
        return tuple(sorted(self._readable))

    def input_path(self, path: str) -> Path:
        """Where a file of the fixture lies, for libraries that open files themselves.

        Raises:
            ToolError: `path_refused` or `file_not_found`.
        """
        name = "/".join(path_parts(path))
        if name not in self._readable:
            near = [each for each in self.readable if each.rpartition("/")[2] == name.rpartition("/")[2]]
            hint = f"did you mean {near[0]}?" if near else f"there are {len(self._readable)} files"
            raise ToolError("file_not_found", f"the session has no file {name}; {hint}")
        try:
            found = (self._fixture_folder / name).resolve()
        except (OSError, RuntimeError) as error:  # a link to itself; which of the two is a matter of Python's version
            raise ToolError("path_refused", f"{name} is no plain file of the session") from error
        if not found.is_relative_to(self._fixture_folder) or not found.is_file():
            raise ToolError("path_refused", f"{name} is no plain file of the session")
        return found

    def read_text(self, path: str) -> str:
        """The content of a file of the fixture.

        Raises:
            ToolError: `path_refused`, `file_not_found`, or `parse_error` where it is too large or no UTF-8 text. A
                letter that was guessed would end up in results and exports.
        """
        found = self.input_path(path)
        if found.stat().st_size > MAX_READ_BYTES:
            raise ToolError("parse_error", f"{path} is larger than {MAX_READ_BYTES >> 20} MB")
        try:
            text = found.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            said = f"{path} is no UTF-8 text: byte {error.start + 1} is {error.object[error.start]:#04x}"
            raise ToolError("parse_error", said) from error
        if "\0" in text:
            raise ToolError("parse_error", f"{path} is no text: letter {text.index(chr(0)) + 1} is NUL")
        return text

    def write_text(self, path: str, text: str, *, folder: str = "") -> str:
        """Write an output, whole or not at all, and return its path below the output folder.

        Args:
            path: as the call gives it.
            text: the content.
            folder: the session's working folder.

        Raises:
            ToolError: `path_refused` where the path leaves the folder, names a folder, or the attempt wrote too much.
        """
        # The limits hold for the whole path, which results repeat.
        parts = path_parts("/".join((*path_parts(folder), *path_parts(path)))) if folder else path_parts(path)
        name, raw = "/".join(parts), text.encode("utf-8", errors="replace")
        others = sum(size for written, size in self._sizes.items() if written != name)
        too_many = name not in self._sizes and len(self._sizes) >= MAX_WRITTEN_FILES
        if self._closed or too_many or others + len(raw) > MAX_WRITTEN_BYTES:
            limit = f"{MAX_WRITTEN_FILES} files and {MAX_WRITTEN_BYTES >> 20} MB"
            raise ToolError("path_refused", f"a session writes at most {limit}")
        target = self._output_folder().joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            inside = target.parent.resolve().is_relative_to(self._output_folder().resolve())
            if not inside or target.is_symlink() or (target.exists() and not target.is_file()):
                raise ToolError("path_refused", f"{name} is no place for a file: a folder or a link is there")
            with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as draft:
                draft.write(raw)
            os.replace(draft.name, target)
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise ToolError("path_refused", f"{name} is no place for a file: part of its path is a file") from error
        self.written[name], self._sizes[name] = digest_bytes(raw), len(raw)
        return name

    def _output_folder(self) -> Path:
        if self._output is None:
            self._output = Path(tempfile.mkdtemp(prefix="fcbench-session-"))
            if not self._kept:
                # A session that nobody closes leaves nothing behind either.
                weakref.finalize(self, shutil.rmtree, self._output, ignore_errors=True)
        return self._output

    def keep(self) -> None:
        """Leave the outputs where they are when the session ends; said before the first of them."""
        self._kept = True

    def output_path(self, name: str) -> Path:
        """Where an output lies, for tests and for the end-state check.

        Raises:
            ToolError: `file_not_found`.
        """
        if name not in self.written or self._output is None:
            raise ToolError("file_not_found", f"the session has not written {name}")
        return self._output / name

    def close(self) -> None:
        """Remove all outputs; what a cancelled tool writes after that is refused."""
        self._closed = True
        if self._output is not None:
            shutil.rmtree(self._output, ignore_errors=True)
