"""The page cache: rendered pages by path, each with the digest of everything that it was made from.

It lies outside the site's output, which MkDocs empties before each build.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

import msgspec
from msgspec import field

from fcbench.core.names import Digest
from fcbench.core.records import Record
from fcbench.packages.files import write_error
from fcbench.site.links import PageLinks

INDEX = "index.json"
FORMAT = 1


class Entry(Record, frozen=True, kw_only=True):
    """One cached page."""

    key: Digest
    links: PageLinks


class Index(Record, frozen=True, kw_only=True):
    """The table of contents, written last: what it does not name is not there."""

    format: int = FORMAT
    pages: dict[str, Entry] = field(default_factory=dict)


class Cache:
    """Pages of earlier builds.

    Raises:
        WriteError: the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            (folder / "pages").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(folder, error) from error
        self._entries = _read(folder / INDEX)

    def file(self, path: str, key: Digest) -> Path:
        """Where a page lies; its key is in the name, so that a killed build leaves no page under a wrong key.

        The path comes from `slugs`, never from an id.
        """
        return self.folder / "pages" / f"{path}.{key[:16]}"

    def find(self, path: str, key: Digest) -> PageLinks | None:
        """Links of a page that is here and was made from the same; None where it must be rendered."""
        entry = self._entries.get(path)
        if entry is None or entry.key != key or not self.file(path, key).is_file():
            return None
        return entry.links

    def store(self, path: str, key: Digest, page: str, links: PageLinks) -> None:
        """Keep a page. The file is replaced, never written into: a copy elsewhere may be a hard link to it.

        Raises:
            WriteError: the folder cannot be written.
        """
        goal = self.file(path, key)
        scratch = goal.with_name(goal.name + ".tmp")
        try:
            goal.parent.mkdir(parents=True, exist_ok=True)
            # No flush to disk for each page: a torn page after a power cut is not in the index, which comes last.
            scratch.write_text(page, encoding="utf-8")
            scratch.replace(goal)
        except OSError as error:
            raise write_error(goal, error) from error
        self._entries[path] = Entry(key=key, links=links)

    def finish(self, keep: AbstractSet[str]) -> int:
        """Forget every page that is not in `keep`, delete files that no entry names, and write the index.

        Returns:
            How many files went.

        Raises:
            WriteError: the folder cannot be written.
        """
        self._entries = {path: entry for path, entry in self._entries.items() if path in keep}
        gone = 0
        root = self.folder / "pages"
        files = {self.file(path, entry.key) for path, entry in self._entries.items()}
        for file in root.rglob("*"):
            if file.is_file() and file not in files:
                file.unlink()
                gone += 1
        for folder in sorted((one for one in root.rglob("*") if one.is_dir()), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()
        self._write()
        return gone

    def _write(self) -> None:
        goal = self.folder / INDEX
        scratch = goal.with_name(INDEX + ".tmp")
        try:
            scratch.write_bytes(msgspec.json.encode(Index(pages=self._entries)))
            scratch.replace(goal)
        except OSError as error:
            raise write_error(goal, error) from error


def _read(path: Path) -> dict[str, Entry]:
    """The index, or nothing where it is missing, damaged or of another format: a cache may always be empty."""
    try:
        index = msgspec.json.decode(path.read_bytes(), type=Index)
    except (OSError, msgspec.DecodeError):
        return {}
    return dict(index.pages) if index.format == FORMAT else {}
