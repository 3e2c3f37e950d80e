"""The Hugging Face dataset: evidence, verdicts and leaderboards as Parquet, streamed attempt by attempt.

What may not leave does not: cases of manual suites are left out, and a package that holds held-out cases in the clear
is refused unless the caller says that they are to be left out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fcbench import __version__
from fcbench.aggregate.frames import Scored
from fcbench.core.contracts import ToolContract
from fcbench.core.names import CaseId
from fcbench.core.records import Record
from fcbench.errors import BadInputError, PackageError, WriteError
from fcbench.export.card import CARD, CardFacts, card
from fcbench.export.croissant import CROISSANT, croissant_text
from fcbench.export.marker import MARKER, DatasetMarker, marker_text
from fcbench.export.parquet import FileFacts, rows_by_split
from fcbench.export.writing import DatasetWriter
from fcbench.packages.files import write_error, write_whole
from fcbench.packages.held_out import secret_cases


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """How an export is made."""

    name: str = "fcbench: function calling, round by round"
    licence: str = "apache-2.0"
    """Identifier as the Hugging Face hub spells it."""
    leave_out_held_out: bool = False
    """Leave out held-out cases instead of refusing the package that holds them."""
    registries: Mapping[str, Iterable[ToolContract]] = field(default_factory=dict)
    """Whole registries by hash, for packages that lie without their `registry.json`."""
    on_attempt: Callable[[int], None] | None = None
    """Told the number of attempts written so far, for a progress display."""


class ExportReport(Record, frozen=True, kw_only=True):
    """What was written."""

    output: str
    counts: dict[str, dict[str, int]]
    """Rows by config and split."""
    runs: int
    left_out_held_out: tuple[CaseId, ...]
    left_out_manual: tuple[CaseId, ...]
    partial_registries: tuple[str, ...]
    """Hashes of registries of which only the contracts that a run offered or expected are here."""


def export_dataset(sources: Sequence[Scored], output: Path, options: ExportOptions | None = None) -> ExportReport:
    """Write the dataset of some packages, each with a verdict file, as a folder that `datasets` opens offline.

    A package may come with several verdict files (as several sources): its evidence is written once. Equal sources give
    equal bytes, in whatever order they come.

    Args:
        sources: packages with their verdict files.
        output: the folder; an earlier export there is replaced, anything else is refused.
        options: see `ExportOptions`.

    Raises:
        PackageError: a package holds held-out cases in the clear, two packages have one run id, or one is damaged.
        BadInputError: there is no source.
        WriteError: the folder holds something else, or the disk refuses; nothing is left half-written.
    """
    chosen = options or ExportOptions()
    if not sources:
        raise BadInputError("there is nothing to export", wanted="at least one package with a verdict file")
    ordered = sorted(sources, key=lambda one: (one.package.manifest.run_id, one.verdicts.name))
    _refuse_before_work(ordered, chosen)
    _refuse_foreign(output)
    scratch = output.with_name(f".{output.name}.{os.getpid()}.tmp")
    try:
        scratch.mkdir(parents=True)
        report = _write(ordered, scratch, output, chosen)
        _swap(scratch, output)
    except OSError as error:
        raise write_error(output, error) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return report


def _refuse_before_work(sources: Sequence[Scored], options: ExportOptions) -> None:
    folders: dict[str, Path] = {}
    for source in sources:
        package = source.package
        run_id, folder = package.manifest.run_id, package.folder.resolve()
        if folders.setdefault(run_id, folder) != folder:
            raise PackageError("two packages have one run id", found=run_id[:80], where=str(package.folder))
        held_out = secret_cases(package)
        if held_out and not options.leave_out_held_out:
            raise PackageError(
                "this package holds held-out cases in the clear",
                wanted="a package without held-out cases, or a redacted one",
                found=f"{len(held_out)} held-out cases",
                where=str(package.folder),
                next_step="export its redacted form (`fcbench package redact`), or reveal the cases first",
            )


def _refuse_foreign(output: Path) -> None:
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        found = "a link" if output.is_symlink() else "a file"
    elif output.is_dir() and any(output.iterdir()) and not (output / MARKER).is_file():
        found = "a folder that is not an earlier export"
    else:
        return
    raise WriteError(
        "the output exists already",
        wanted=f"a new folder, an empty one, or an earlier export (with {MARKER})",
        found=found,
        where=str(output),
        next_step="choose another place with --output",
    )


def _swap(scratch: Path, output: Path) -> None:
    """Put the new folder in the place of the old one; whoever looks sees the old, none for a moment, or the new."""
    old = output.with_name(f".{output.name}.{os.getpid()}.old")
    if output.exists():
        output.rename(old)
    try:
        scratch.rename(output)
    except OSError:
        if old.exists():
            old.rename(output)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write(sources: Sequence[Scored], folder: Path, output: Path, options: ExportOptions) -> ExportReport:
    writer = DatasetWriter(folder / "data", registries=options.registries, on_attempt=options.on_attempt)
    try:
        for source in sources:
            writer.add(source)
        files = writer.close()
    except BaseException:
        writer.abandon()
        raise
    seen = writer.seen
    facts = CardFacts(
        name=options.name,
        licence=options.licence,
        fcbench_version=__version__,
        counts=rows_by_split(files),
        runs=len(seen.runs),
        boards=tuple(seen.boards),
        languages=tuple(sorted(seen.languages)),
        canaries=tuple(sorted(seen.canaries)),
        left_out_held_out=len(seen.held_out),
        left_out_manual=len(seen.manual),
        partial_registries=writer.partial_registries,
    )
    _describe(folder, facts, writer, files)
    return ExportReport(
        output=str(output),
        counts=facts.counts,
        runs=len(seen.runs),
        left_out_held_out=tuple(sorted(seen.held_out)),
        left_out_manual=tuple(sorted(seen.manual)),
        partial_registries=writer.partial_registries,
    )


def _describe(folder: Path, facts: CardFacts, writer: DatasetWriter, files: Mapping[str, FileFacts]) -> None:
    """The files beside the data: card, Croissant metadata, marker."""
    placed = {f"data/{path}": one for path, one in files.items()}
    newest = max(writer.seen.sealed_at, default="")
    described = {
        CARD: card(facts, writer.schemas),
        CROISSANT: croissant_text(facts, writer.schemas, placed, newest),
    }
    for name, text in described.items():
        write_whole(folder / name, text.encode())
    marker = DatasetMarker(fcbench_version=__version__, rows=facts.counts, files=placed)
    write_whole(folder / MARKER, marker_text(marker).encode())
