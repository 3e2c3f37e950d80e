"""Runs under way: their directory ends in `.partial`.

Sealing writes the manifest last and renames the directory, so that a package is complete or is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from fcbench.core.canonical import canonical_bytes, clean_text, digest_bytes
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract, contract_digest
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, CaseId, Digest
from fcbench.core.records import encode_line, to_plain
from fcbench.errors import FcbenchError, PackageError, WriteError
from fcbench.harnesses.clock import iso
from fcbench.packages.files import digest_file, is_there, sync_folder, write_error, write_whole
from fcbench.packages.journal import Journal
from fcbench.packages.journal_index import Entry, Key
from fcbench.packages.lock import LOCK, OWNER, RunLock, take_lock
from fcbench.packages.manifest import (
    AttemptEntry,
    Manifest,
    MergedShard,
    RunHeader,
    check_plan,
    planned_pairs,
    read_header,
)
from fcbench.packages.store import FINAL, HEADER, LOG, MANIFEST, SEALED, Package, open_package, read_json_file

Ending = Callable[[Package], object]
"""What is done with a package before its run counts as ended."""


def nothing(package: Package) -> None:
    """Ends a run with nothing more."""


class RunDirectory:
    """A run under way, held by this process alone."""

    def __init__(self, folder: Path, header: RunHeader, lock: RunLock | None = None) -> None:
        """Open it.

        Args:
            folder: ends in `.partial`.
            header: what the run fixed.
            lock: that of the folder, where it is held already; taken here without, and released by `close`.

        Raises:
            WriteError: another process holds the folder, or it cannot be written.
            PackageError: the journal is damaged, or the plan is larger than any real one.
        """
        self.folder = folder
        self.header = header
        self._lock = lock or take_lock(folder)
        try:
            check_plan(header, header.repeats)
            self.journal = Journal(folder, header.cases, header.repeats)
        except BaseException:
            self._lock.release()
            raise

    def attempts(self) -> Iterator[Attempt]:
        """All attempts so far, in the order of the journal, read back from disk."""
        return self.journal.attempts()

    @property
    def made(self) -> int:
        """Attempts in the journal, every try counted."""
        return len(self.journal.index)

    @property
    def done(self) -> int:
        """(case, repeat) with a final outcome."""
        return sum(count for outcome, count in self.counts().items() if outcome in FINAL)

    @property
    def was_answered(self) -> bool:
        """Whether the provider answered any attempt so far."""
        return any(outcome in SCORABLE for outcome in self.counts())

    def last(self, case: CaseId, repeat: int) -> Entry | None:
        """The last try of a planned (case, repeat) in short, if there is one."""
        return self.journal.index.last(case, repeat)

    def latest_of(self, cases: Iterable[CaseId]) -> dict[Key, Attempt]:
        """The last tries of some cases, read back from disk."""
        found = self.journal.attempts(self.journal.index.last_of(cases))
        return {(one.task_id, one.repeat): one for one in found}

    def log(self, moment: datetime, text: str) -> None:
        """Add a line to `run.log`, which helps to diagnose a run: never sealed, never evidence.

        A line that cannot be written is dropped: the journal will say what is wrong with the disk.
        """
        line = f"{iso(moment)} {clean_text(text)}".replace("\n", " ")
        with suppress(OSError), (self.folder / LOG).open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")

    def seal(
        self,
        now: datetime,
        *,
        repeats_done: int,
        deterministic: str | None,
        allow_incomplete: bool,
        merged_from: tuple[MergedShard, ...] = (),
        then: Ending = nothing,
    ) -> Package:
        """Turn the directory into a package.

        Args:
            now: when it is sealed.
            repeats_done: repeats that every case has.
            deterministic: as the manifest has it.
            allow_incomplete: whether attempts may lack a scorable outcome.
            merged_from: the shards that it was merged from.
            then: what belongs to the end of the run, such as judging. A kill before its end leaves the mark by which
                `find_unfinished` finds the package, so that the same command ends what this one began.

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
        listed: list[AttemptEntry] = []
        write_whole(self.journal.path, _listing(self.journal, tuple(self.journal.index.ordered()), listed))
        manifest = Manifest(
            header=self.header,
            sealed_at=iso(now),
            complete=not missing,
            repeats_done=repeats_done,
            deterministic=deterministic,
            counts=self.counts(),
            files=_digests(self.folder),
            attempts=tuple(listed),
            merged_from=merged_from,
        )
        return self._rename(manifest, then)

    def missing(self, repeats: int) -> list[tuple[CaseId, int]]:
        """Planned (case, repeat) without a final outcome, in the order of the plan."""
        return [pair for pair in planned_pairs(self.header, repeats) if not self._is_done(*pair)]

    def _is_done(self, case: CaseId, repeat: int) -> bool:
        entry = self.last(case, repeat)
        return entry is not None and entry.outcome in FINAL

    def counts(self) -> dict[str, int]:
        """(case, repeat) by the outcome of the last try."""
        return self.journal.index.counts()

    def _rename(self, manifest: Manifest, then: Ending) -> Package:
        target = self.folder.with_suffix("")
        write_whole(self.folder / MANIFEST, pretty(manifest))
        try:
            for left_over in self.folder.glob(".*.tmp"):
                left_over.unlink()
            self.folder.rename(target)
            sync_folder(target.parent)
        except OSError as error:
            raise write_error(target, error) from error
        package = open_package(target)
        then(package)
        _tidied(target)
        self.close()
        return package

    def close(self) -> None:
        """Leave the run as it is, resumable. Calling it twice is fine."""
        self.journal.close()
        self._lock.release()


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
    if is_there(target):
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
    lock = take_lock(folder)
    try:
        # Under the lock: of two that begin at once, one writes the header and the other is refused.
        if not (folder / HEADER).exists():
            _write_start(folder, header, cases, contracts, prompt)
        return _resumed(folder, header, lock)
    except BaseException:
        lock.release()
        raise


def _write_start(
    folder: Path, header: RunHeader, cases: Sequence[Case], contracts: Iterable[ToolContract], prompt: str
) -> None:
    write_whole(folder / "cases.jsonl", b"".join(encode_line(case) for case in cases))
    by_digest = sorted(contracts, key=contract_digest)
    write_whole(folder / "contracts.jsonl", b"".join(encode_line(contract) for contract in by_digest))
    write_whole(folder / "prompt.txt", prompt.encode())
    if header.provider.chat_template:
        write_whole(folder / "chat_template.jinja", header.provider.chat_template.encode())
    # The header comes last: with it the directory is a run, without it a failed start that may be made again.
    write_whole(folder / HEADER, pretty(header))


def resume_run(folder: Path, header: RunHeader | None = None) -> RunDirectory:
    """Go on with a run under way.

    Raises:
        PackageError: its hashes or parameters differ from `header`, or it does not read.
        WriteError: another process works on it.
    """
    return _resumed(folder, header, None)


def _resumed(folder: Path, header: RunHeader | None, lock: RunLock | None) -> RunDirectory:
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
    return RunDirectory(folder, found, lock)


def find_sealed(folder: Path, header: RunHeader) -> Package | None:
    """The package that a run of this header and id has become already, if it has.

    Raises:
        PackageError: the id is taken by another run.
    """
    if not is_there(folder / MANIFEST):
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
    with suppress(OSError):
        tidy(folder)
    return package


def end_run(folder: Path, then: Ending = nothing) -> Package:
    """Bring a sealed run to its end, which a kill may have kept from it; see `find_unfinished`.

    Raises:
        PackageError: the package does not read.
        WriteError: another process works on it.
    """
    if not (folder / HEADER).exists():
        package = open_package(folder)
        then(package)
        return package
    lock = take_lock(folder)
    try:
        package = open_package(folder)
        then(package)
        _tidied(folder)
    finally:
        lock.release()
    return package


def _tidied(folder: Path) -> None:
    try:
        tidy(folder)
    except OSError as error:
        raise write_error(folder, error) from error


def tidy(folder: Path) -> None:
    """Remove from a sealed package what belongs to a run under way; a kill in the middle of sealing may leave it."""
    for name in (HEADER, LOCK, OWNER):
        (folder / name).unlink(missing_ok=True)


def find_unfinished(folder: Path, header: RunHeader) -> Path | None:
    """A run below `folder` that this header may go on with, the newest first.

    It is under way (`.partial`), or it is a package that was sealed by a command which was killed before its end:
    the user was never told of it, and `run.json` still lies in it.
    """
    fitting = []
    for path in (one.parent for one in folder.glob(f"*/{HEADER}")):
        if path.suffix != ".partial" and not (path / MANIFEST).is_file():
            continue
        try:
            found = _header_of(path)
        except FcbenchError:  # a broken or newer run of somebody else's must not block this one
            continue
        if not header.differences(found):
            fitting.append((found.created_at, path))
    return max(fitting)[1] if fitting else None


def _header_of(folder: Path) -> RunHeader:
    return read_header(read_json_file(folder / HEADER), where=str(folder / HEADER))


def write_registry(runs: Path, registry_hash: str, contracts: Iterable[ToolContract]) -> Path:
    """Write `registry.json`, the whole registry of a hash, beside the packages that used it."""
    folder = runs / registry_hash[:12]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from error
    path = folder / "registry.json"
    plain = [to_plain(one) for one in sorted(contracts, key=lambda one: (one.name, contract_digest(one)))]
    write_whole(path, canonical_bytes({"hash": registry_hash, "tools": plain}) + b"\n")
    return path


def pretty(record: RunHeader | Manifest) -> bytes:
    """A record for people and for `git diff`: indented JSON with a newline at the end."""
    plain = {"format_version": record.format_version, **to_plain(record)}
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def _listing(journal: Journal, entries: Sequence[Entry], listed: list[AttemptEntry]) -> Iterator[bytes]:
    """The lines of the journal in another order, each noted in `listed` as it passes."""
    for entry, line in zip(entries, journal.lines(entries), strict=True):
        listed.append(
            AttemptEntry(
                task_id=entry.task_id,
                repeat=entry.repeat,
                try_number=entry.try_number,
                outcome=entry.outcome,
                sha256=digest_bytes(line.removesuffix(b"\n")),
            )
        )
        yield line


def _digests(folder: Path) -> dict[str, Digest]:
    present = (folder / name for name in SEALED)
    return {path.name: digest_file(path) for path in present if path.exists()}
