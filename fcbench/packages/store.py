"""Sealed execution packages on disk: `runs/<registry_hash[:12]>/<run_id>/` (`run_directory` makes them)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.canonical import parse_json
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract, by_key
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, CaseId, ToolName
from fcbench.core.records import R, decode_line
from fcbench.errors import BadInputError, NotFoundError, PackageError
from fcbench.packages.manifest import Manifest, RunHeader, read_manifest

HEADER, MANIFEST, LOG = "run.json", "manifest.json", "run.log"
SEALED = ("cases.jsonl", "contracts.jsonl", "prompt.txt", "attempts.jsonl", "chat_template.jinja")
FINAL = SCORABLE | {"schema_refused"}
"""Outcomes that need no further try."""


class Package:
    """A sealed execution package. Files are read when they are asked for."""

    def __init__(self, folder: Path, manifest: Manifest, revealed: frozenset[CaseId] = frozenset()) -> None:
        """Take what was read.

        Args:
            folder: of the package.
            manifest: its manifest.
            revealed: held-out cases that are no secret any more (`held_out.lifted`).
        """
        self.folder = folder
        self.manifest = manifest
        self.revealed = revealed

    @property
    def header(self) -> RunHeader:
        """What the run fixed before its first request."""
        return self.manifest.header

    @cached_property
    def cases(self) -> dict[CaseId, Case]:
        """Cases as run, by id, in the order of the plan."""
        read = _read_lines(self.folder / "cases.jsonl", Case)
        return {case.id: replace(case, held_out=False) if case.id in self.revealed else case for case in read}

    @cached_property
    def contracts(self) -> dict[ToolName, ToolContract]:
        """Every contract that an offered or expected call of this run names, as `core.contracts.by_key` gives them."""
        return by_key(_read_lines(self.folder / "contracts.jsonl", ToolContract))

    def attempts(self) -> Iterator[Attempt]:
        """The last try of each (case, repeat), in the order of the file, streamed."""
        lines = zip(self.manifest.attempts, self.raw_attempts(), strict=True)
        last = {(entry.task_id, entry.repeat): entry.try_number for entry in self.manifest.attempts}
        for number, (entry, line) in enumerate(lines, start=1):
            if entry.try_number == last[(entry.task_id, entry.repeat)]:
                yield decode_line(line, Attempt, where=f"{self.folder / 'attempts.jsonl'}:{number}")

    def raw_attempts(self) -> Iterator[bytes]:
        """The lines of `attempts.jsonl` without their newline, streamed."""
        with (self.folder / "attempts.jsonl").open("rb") as stream:
            for line in stream:
                yield line.removesuffix(b"\n")


def open_package(folder: Path) -> Package:
    """Open a sealed package.

    Raises:
        NotFoundError: there is no package here.
        PackageError: the run is still under way, the manifest is damaged, or its format is newer.
    """
    path = folder / MANIFEST
    if folder.suffix == ".partial":
        raise PackageError(
            "this run is not sealed",
            wanted="a sealed package",
            found="a run under way",
            where=str(folder),
            next_step="repeat `fcbench run` with the same options to go on",
        )
    if not path.is_file():
        raise NotFoundError(
            "there is no execution package here",
            wanted="a folder with manifest.json",
            found="no such file" if folder.is_dir() else "no such folder",
            where=str(folder),
            next_step="name the folder of one run, such as runs/<registry hash>/<run id>",
        )
    return Package(folder, read_manifest(read_json_file(path), where=str(path)))


def find_packages(root: Path) -> list[Path]:
    """Folders of all sealed packages below a folder (or the folder itself), sorted by path.

    Raises:
        NotFoundError: the folder does not exist.
    """
    require_folder(root)
    return sorted(path.parent for path in root.rglob(MANIFEST) if path.parent.suffix != ".partial")


def require_folder(root: Path) -> None:
    """Refuse a place where no folder of packages is.

    Raises:
        NotFoundError: the folder does not exist.
    """
    if not root.is_dir():
        raise NotFoundError(
            "this folder does not exist",
            wanted="a folder with execution packages below it",
            found="a file" if root.exists() else "nothing",
            where=str(root),
            next_step="name the folder that `fcbench run --output` wrote",
        )


def read_json_file(path: Path) -> object:
    """One JSON value from a file.

    Raises:
        NotFoundError: the file cannot be read.
        PackageError: it is torn or damaged.
    """
    try:
        return parse_json(path.read_bytes(), max_bytes=1 << 30, where=str(path))
    except OSError as error:
        raise NotFoundError("this file cannot be read", found=error.strerror, where=str(path)) from error
    except BadInputError as error:
        raise PackageError("this file is torn or damaged", found=error.found, where=str(path)) from error


def _read_lines(path: Path, kind: type[R]) -> Iterator[R]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise PackageError(
            "a file of the package is missing",
            wanted="every file that the manifest lists",
            found=error.strerror,
            where=str(path),
            next_step="restore it from a copy of the package",
        ) from error
    for number, line in enumerate(lines, start=1):
        yield decode_line(line, kind, where=f"{path}:{number}")
