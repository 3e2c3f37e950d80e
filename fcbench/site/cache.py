"""The page cache: rendered pages by path, each with the digest of everything that it was made from.

It lies outside the site's output, which MkDocs empties before each build. Pages of the output are hard links into it
where the file system can: copying 20,000 files costs as much as everything else of a build in which nothing changed.
Who edits a page of the output in place edits the cache's, so each page is looked at before it is taken again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

import msgspec
from mkdocs.structure.files import File
from msgspec import field

from fcbench.core.canonical import digest_bytes
from fcbench.core.names import Digest
from fcbench.core.records import Record
from fcbench.packages.files import write_error
from fcbench.site.links import PageLinks

INDEX = "index.json"
FORMAT = 3


class Entry(Record, frozen=True, kw_only=True):
    """One cached page."""

    key: Digest
    links: PageLinks
    """Of its body; those of the shell are the same for all pages of a folder."""
    size: int
    """In bytes."""
    changed_ns: int
    """Time of the file's last change, in nanoseconds."""
    sha256: Digest


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
        self._root = str(folder / "pages")
        try:
            (folder / "pages").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(folder, error) from error
        self._entries = _read(folder / INDEX)

    def file(self, path: str, key: Digest) -> str:
        """Where a page lies; its key is in the name, so that a killed build leaves no page under a wrong key.

        The path comes from `slugs`, never from an id. A text, since a site has thousands of them.
        """
        return f"{self._root}/{path}.{key[:16]}"

    def find(self, path: str, key: Digest) -> PageLinks | None:
        """Links of a page that is here and was made from the same; None where it must be rendered."""
        entry = self._entries.get(path)
        if entry is None or entry.key != key:
            return None
        try:
            status = os.stat(self.file(path, key))
        except OSError:
            return None
        if (status.st_size, status.st_mtime_ns) == (entry.size, entry.changed_ns):
            return entry.links
        return self._looked_at(path, entry) if status.st_size == entry.size else None

    def _looked_at(self, path: str, entry: Entry) -> PageLinks | None:
        """The same for a page whose time changed, as in a cache that was copied: its bytes decide."""
        place = self.file(path, entry.key)
        try:
            if digest_bytes(Path(place).read_bytes()) != entry.sha256:
                return None
            changed_ns = os.stat(place).st_mtime_ns
        except OSError:
            return None
        self._entries[path] = msgspec.structs.replace(entry, changed_ns=changed_ns)
        return entry.links

    def store(self, path: str, key: Digest, page: str, links: PageLinks) -> None:
        """Keep a page. It gets a file of its own, never written into: a page of the output may be a link to it.

        Raises:
            WriteError: the folder cannot be written.
        """
        goal, content = self.file(path, key), page.encode()
        try:
            # No flush to disk for each page: a torn page after a power cut is not in the index, which comes last.
            descriptor = _created(goal)
            try:
                with open(descriptor, "wb", buffering=0, closefd=False) as stream:
                    stream.write(content)
                changed_ns = os.fstat(descriptor).st_mtime_ns
            finally:
                os.close(descriptor)
        except OSError as error:
            raise write_error(Path(goal), error) from error
        self._entries[path] = Entry(
            key=key, links=links, size=len(content), changed_ns=changed_ns, sha256=digest_bytes(content)
        )

    def finish(self, keep: AbstractSet[str]) -> int:
        """Forget every page that is not in `keep`, delete files that no entry names, and write the index.

        Returns:
            How many files went.

        Raises:
            WriteError: the folder cannot be written.
        """
        self._entries = {path: entry for path, entry in self._entries.items() if path in keep}
        named = {self.file(path, entry.key) for path, entry in self._entries.items()}
        gone = [file for file in _files_below(self._root) if file not in named]
        for file in gone:
            os.unlink(file)
        for folder, _, _ in os.walk(self._root, topdown=False):
            # Those that hold something stay.
            with suppress(OSError):
                if folder != self._root:
                    os.rmdir(folder)
        self._write()
        return len(gone)

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


def _files_below(root: str) -> Iterator[str]:
    for folder, _, names in os.walk(root):
        for name in names:
            yield f"{folder}/{name}"


def _created(path: str) -> int:
    """A descriptor of a new file, in place of one of that name."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        return os.open(path, flags, 0o666)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except FileExistsError:
        os.unlink(path)
    return os.open(path, flags, 0o666)


class CachedPage(File):
    """A page of the output: a hard link to the cache's file, or a copy where there can be none."""

    def copy_file(self, dirty: bool = False) -> None:
        """Put the page in its place."""
        try:
            _linked(str(self.abs_src_path), self.abs_dest_path)
        except OSError:
            super().copy_file(dirty)


def _linked(source: str, goal: str) -> None:
    try:
        os.link(source, goal)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(goal), exist_ok=True)
        os.link(source, goal)
