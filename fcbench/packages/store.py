"""Execution packages on disk: `runs/<registry_hash[:12]>/<run_id>/`.

While a run is under way its directory ends in `.partial`. Sealing writes the manifest last and renames the directory,
so that a package is complete or is not there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path

import msgspec

from fcbench.core.canonical import canonical_bytes, clean_text, digest_bytes, parse_json
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract, contract_digest
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, CaseId, Digest, ToolName
from fcbench.core.records import R, decode_line, encode_line, to_plain
from fcbench.errors import BadInputError, FcbenchError, NotFoundError, PackageError, WriteError
from fcbench.harnesses.clock import iso
from fcbench.packages.files import sync_folder, write_error, write_whole
from fcbench.packages.journal import LOCK, Journal
from fcbench.packages.manifest import FORMAT_VERSION, AttemptEntry, Manifest, RunHeader, read_header, read_manifest

HEADER, MANIFEST, LOG = "run.json", "manifest.json", "run.log"
SEALED = ("cases.jsonl", "contracts.jsonl", "prompt.txt", "attempts.jsonl", "chat_template.jinja")
FINAL = SCORABLE | {"schema_refused"}
"""Outcomes that need no further try."""


class RunDirectory:
    """A run under way."""

    def __init__(self, folder: Path, header: RunHeader) -> None:
        self.folder = folder
        self.header = header
        self.journal = Journal(folder)

    @property
    def attempts(self) -> list[Attempt]:
        """All attempts so far, in the order of the journal."""
        return self.journal.attempts

    @property
    def latest(self) -> dict[tuple[str, int], Attempt]:
        """The last try of each (case, repeat)."""
        return self.journal.latest

    def log(self, moment: datetime, text: str) -> None:
        """Add a line to `run.log`, which helps to diagnose a run: never sealed, never evidence.

        A line that cannot be written is dropped: the journal will say what is wrong with the disk.
        """
        line = f"{iso(moment)} {clean_text(text)}".replace("\n", " ")
        with suppress(OSError), (self.folder / LOG).open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")

    def seal(self, now: datetime, *, repeats_done: int, deterministic: str | None, allow_incomplete: bool) -> Package:
        """Turn the directory into a package.

        Raises:
            PackageError: a planned (case, repeat) has no final outcome, and `allow_incomplete` is false.
            WriteError: the disk refuses; the run stays resumable.
        """
        missing = self.missing(repeats_done)
        if missing and not allow_incomplete:
            raise PackageError(
                f"the run is incomplete: {len(missing)} attempts have no scorable outcome",
                found=", ".join(f"{case} repeat {repeat}" for case, repeat in missing[:5]),
                where=str(self.folder),
                next_step="run it again to go on, or seal it as it is with --seal-incomplete",
            )
        order = {case: place for place, case in enumerate(self.header.cases)}
        attempts = sorted(self.attempts, key=lambda one: (order[one.task_id], one.repeat, one.try_number))
        lines = [encode_line(attempt) for attempt in attempts]
        write_whole(self.journal.path, b"".join(lines))
        manifest = Manifest(
            header=self.header,
            sealed_at=iso(now),
            complete=not missing,
            repeats_done=repeats_done,
            deterministic=deterministic,
            counts=_counts(self.latest.values()),
            files=_digests(self.folder),
            attempts=tuple(_entry(attempt, line) for attempt, line in zip(attempts, lines, strict=True)),
        )
        return self._rename(manifest)

    def missing(self, repeats: int) -> list[tuple[CaseId, int]]:
        """Planned (case, repeat) without a final outcome, in the order of the plan."""
        done = {key for key, attempt in self.latest.items() if attempt.outcome in FINAL}
        planned = [(case, repeat) for repeat in range(1, repeats + 1) for case in self.header.cases]
        return [key for key in planned if key not in done]

    def _rename(self, manifest: Manifest) -> Package:
        target = self.folder.with_suffix("")
        write_whole(self.folder / MANIFEST, pretty(manifest))
        try:
            for left_over in self.folder.glob(".*.tmp"):
                left_over.unlink()
            self.folder.rename(target)
            sync_folder(target.parent)
            # Only now: a kill between the two must not leave a directory that looks like a fresh start.
            (target / HEADER).unlink()
            (target / LOCK).unlink(missing_ok=True)
        except OSError as error:
            raise write_error(target, error) from error
        self.journal.close()
        return open_package(target)

    def close(self) -> None:
        """Leave the run as it is, resumable."""
        self.journal.close()


class Package:
    """A sealed execution package. Files are read when they are asked for."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def header(self) -> RunHeader:
        """What the run fixed before its first request."""
        return self.manifest.header

    @cached_property
    def cases(self) -> dict[CaseId, Case]:
        """Cases as run, by id, in the order of the plan."""
        return {case.id: case for case in _read_lines(self.folder / "cases.jsonl", Case)}

    @cached_property
    def contracts(self) -> dict[ToolName, ToolContract]:
        """Every contract that an offered or expected call of this run names."""
        return {one.name: one for one in _read_lines(self.folder / "contracts.jsonl", ToolContract)}

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

    def check_digests(self) -> tuple[str, ...]:
        """What does not agree with the manifest, one sentence each; empty for an intact package."""
        problems = []
        for name, expected in self.manifest.files.items():
            path = self.folder / name
            found = digest_bytes(path.read_bytes()) if path.is_file() else None
            if found != expected:
                problems.append(f"{name}: wanted SHA-256 {expected[:12]}, found {found[:12] if found else 'no file'}")
        if problems:
            return tuple(problems)
        lines = list(self.raw_attempts())
        if len(lines) != len(self.manifest.attempts):
            return (f"attempts.jsonl: wanted {len(self.manifest.attempts)} lines, found {len(lines)}",)
        for entry, line in zip(self.manifest.attempts, lines, strict=True):
            if digest_bytes(line) != entry.sha256:
                problems.append(f"attempts.jsonl: the record of {entry.task_id} repeat {entry.repeat} was altered")
        return tuple(problems)


def create_run(
    folder: Path, header: RunHeader, cases: Sequence[Case], contracts: Iterable[ToolContract], prompt: str
) -> RunDirectory:
    """Make a run directory, or go on with the one that is there.

    Args:
        folder: `runs/<registry_hash[:12]>/<run_id>.partial`.
        header: what this run fixes; an existing directory must have an equal one.
        cases: planned cases.
        contracts: every contract that an offered or expected call names.
        prompt: the frozen prompt texts.

    Raises:
        PackageError: the directory holds a run with other hashes or parameters.
        WriteError: it cannot be written, or another process works on it.
    """
    target = folder.with_suffix("")
    if target.exists():
        raise WriteError(
            "the place of the package is taken",
            wanted="a name that nothing has yet",
            found=str(target),
            next_step="choose another --run-id or --output",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from error
    if (folder / HEADER).exists():
        return resume_run(folder, header)
    write_whole(folder / "cases.jsonl", b"".join(encode_line(case) for case in cases))
    by_digest = sorted(contracts, key=contract_digest)
    write_whole(folder / "contracts.jsonl", b"".join(encode_line(contract) for contract in by_digest))
    write_whole(folder / "prompt.txt", prompt.encode())
    if header.provider.chat_template:
        write_whole(folder / "chat_template.jinja", header.provider.chat_template.encode())
    # The header comes last: with it the directory is a run, without it a failed start that may be made again.
    write_whole(folder / HEADER, pretty(header))
    return RunDirectory(folder, header)


def resume_run(folder: Path, header: RunHeader | None = None) -> RunDirectory:
    """Go on with a run under way.

    Raises:
        PackageError: its hashes or parameters differ from `header`, or it does not read.
        WriteError: another process works on it.
    """
    found = _header_of(folder)
    differences = header.differences(found) if header else ()
    if differences:
        raise PackageError(
            "this directory holds another run",
            wanted="equal hashes and parameters",
            found="different " + ", ".join(differences),
            where=str(folder),
            next_step="repeat the run as it was begun, or choose another --run-id",
        )
    return RunDirectory(folder, found)


def find_sealed(folder: Path, header: RunHeader) -> Package | None:
    """The package that a run of this header and id has become already, if it has.

    Raises:
        PackageError: the id is taken by another run.
    """
    if not (folder / MANIFEST).exists():
        return None
    package = open_package(folder)
    differences = header.differences(package.header)
    if differences:
        raise PackageError(
            "this run id is taken by another run",
            wanted="a new id, or equal hashes and parameters",
            found="different " + ", ".join(differences),
            where=str(folder),
            next_step="choose another --run-id or --output",
        )
    return package


def find_partial(folder: Path, header: RunHeader) -> Path | None:
    """A run under way below `folder` that this header may go on with, the newest first."""
    fitting = []
    for path in folder.glob("*.partial"):
        try:
            found = _header_of(path)
        except FcbenchError:  # a broken or newer run of somebody else's must not block this one
            continue
        if not header.differences(found):
            fitting.append((found.created_at, path))
    return max(fitting)[1] if fitting else None


def _header_of(folder: Path) -> RunHeader:
    return read_header(_read_json(folder / HEADER), where=str(folder / HEADER))


def open_package(folder: Path) -> Package:
    """Open a sealed package.

    Raises:
        NotFoundError: there is no package here.
        PackageError: the run is still under way, the manifest is damaged, or its format is newer.
    """
    path = folder / MANIFEST
    if folder.suffix == ".partial":
        raise PackageError(
            "this run is not sealed", where=str(folder), next_step="repeat `fcbench run` with the same options to go on"
        )
    if not path.is_file():
        raise NotFoundError(
            "there is no execution package here", wanted="a folder with manifest.json", where=str(folder)
        )
    return Package(folder, read_manifest(_read_json(path), where=str(path)))


def find_packages(root: Path) -> list[Path]:
    """Folders of all sealed packages below a folder (or the folder itself), sorted by path.

    Raises:
        NotFoundError: the folder does not exist.
    """
    if not root.is_dir():
        raise NotFoundError("this folder does not exist", where=str(root))
    return sorted(path.parent for path in root.rglob(MANIFEST) if path.parent.suffix != ".partial")


def write_registry(runs: Path, registry_hash: str, contracts: Iterable[ToolContract]) -> Path:
    """Write `registry.json`, the whole registry of a hash, beside the packages that used it."""
    folder = runs / registry_hash[:12]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from error
    path = folder / "registry.json"
    plain = [to_plain(one) for one in sorted(contracts, key=lambda one: one.name)]
    write_whole(path, canonical_bytes({"hash": registry_hash, "tools": plain}) + b"\n")
    return path


def pretty(record: RunHeader | Manifest) -> bytes:
    """A record for people and for `git diff`: indented JSON with a newline at the end."""
    plain = {"format_version": FORMAT_VERSION, **to_plain(record)}
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def _read_json(path: Path) -> object:
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
        raise PackageError("a file of the package is missing", found=error.strerror, where=str(path)) from error
    for number, line in enumerate(lines, start=1):
        yield decode_line(line, kind, where=f"{path}:{number}")


def _entry(attempt: Attempt, line: bytes) -> AttemptEntry:
    return AttemptEntry(
        task_id=attempt.task_id,
        repeat=attempt.repeat,
        try_number=attempt.try_number,
        outcome=attempt.outcome,
        sha256=digest_bytes(line.removesuffix(b"\n")),
    )


def _digests(folder: Path) -> dict[str, Digest]:
    present = (folder / name for name in SEALED)
    return {path.name: digest_bytes(path.read_bytes()) for path in present if path.exists()}


def _counts(attempts: Iterable[Attempt]) -> dict[str, int]:
    return dict(sorted(Counter(attempt.outcome for attempt in attempts).items()))
