"""The Hugging Face dataset: evidence, verdicts and leaderboards as Parquet, streamed attempt by attempt.

What may not leave does not: cases of manual suites are left out, and a package that holds held-out cases in the clear
is refused unless the caller says that they are to be left out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from fcbench import __version__
from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import BOARD_COLUMNS, Scored, verdict_frame
from fcbench.aggregate.tables import board_table
from fcbench.aggregate.verdict_columns import json_text
from fcbench.aggregate.verdict_files import read_verdicts
from fcbench.core.boards import BoardKey
from fcbench.core.cases import Case
from fcbench.core.contracts import contracts_of
from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId, Digest
from fcbench.core.records import Record
from fcbench.errors import BadInputError, PackageError, WriteError
from fcbench.export import features
from fcbench.export.card import CardFacts, card
from fcbench.export.conversation import messages, offered_tools, prompt_texts
from fcbench.export.parquet import DatasetFiles
from fcbench.export.rows import RunRows, attempt_row, case_row, round_row, run_row, run_rows, tool_row
from fcbench.packages.files import write_error, write_whole
from fcbench.packages.store import Package

MARKER = "fcbench-export.json"
"""Tells an earlier export, which may be replaced, from a folder of someone else's."""
EXPORT_FORMAT = 1
MANUAL = "manual"


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """How an export is made."""

    name: str = "fcbench: function calling, round by round"
    licence: str = "apache-2.0"
    leave_out_held_out: bool = False
    """Leave out held-out cases instead of refusing the package that holds them."""
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


@dataclass(kw_only=True)
class _Progress:
    """What the run over the sources has met so far."""

    files: DatasetFiles
    options: ExportOptions
    schemas: dict[str, pa.Schema] = field(default_factory=dict)
    cases_seen: set[Digest] = field(default_factory=set)
    tools_seen: set[tuple[str, Digest]] = field(default_factory=set)
    runs_seen: set[str] = field(default_factory=set)
    held_out: set[CaseId] = field(default_factory=set)
    manual: set[CaseId] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    canaries: set[str] = field(default_factory=set)
    boards: list[BoardKey] = field(default_factory=list)
    attempts: int = 0

    def add(self, config: str, split: str, schema: pa.Schema, row: dict[str, object]) -> None:
        self.schemas[config] = schema
        self.files.add(config, split, schema, row)


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


def is_manual(case: Case) -> bool:
    """Whether a case belongs to a manual suite: outside the evaluation and outside every export (PROTOCOL 8)."""
    return case.suite == MANUAL or case.suite.startswith((f"{MANUAL}/", f"{MANUAL}-", f"{MANUAL}_"))


def _refuse_before_work(sources: Sequence[Scored], options: ExportOptions) -> None:
    folders: dict[str, Path] = {}
    for source in sources:
        package = source.package
        run_id, folder = package.manifest.run_id, package.folder.resolve()
        if folders.setdefault(run_id, folder) != folder:
            raise PackageError("two packages have one run id", found=run_id[:80], where=str(package.folder))
        held_out = [case.id for case in package.cases.values() if case.held_out]
        if held_out and not options.leave_out_held_out:
            raise PackageError(
                "this package holds held-out cases in the clear",
                wanted="a package without held-out cases, or a redacted one",
                found=f"{len(held_out)} held-out cases",
                where=str(package.folder),
                next_step="leave the held-out cases out of the export, or reveal their suite first",
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
    progress = _Progress(files=DatasetFiles(folder / "data"), options=options)
    try:
        for source in sources:
            rows = run_rows(source.package)
            _write_evidence(progress, rows)
            _write_verdicts(progress, source, rows)
        _write_leaderboards(progress, sources)
        counts = progress.files.close()
    except BaseException:
        progress.files.abandon()
        raise
    facts = CardFacts(
        name=options.name,
        licence=options.licence,
        fcbench_version=__version__,
        counts=counts,
        runs=len(progress.runs_seen),
        boards=tuple(progress.boards),
        languages=tuple(sorted(progress.languages)),
        canaries=tuple(sorted(progress.canaries)),
        left_out_held_out=len(progress.held_out),
        left_out_manual=len(progress.manual),
    )
    write_whole(folder / "README.md", card(facts, progress.schemas).encode())
    marker = {"format_version": EXPORT_FORMAT, "fcbench_version": __version__, "rows": counts}
    write_whole(folder / MARKER, json_text(marker).encode() + b"\n")
    return ExportReport(
        output=str(output),
        counts=counts,
        runs=len(progress.runs_seen),
        left_out_held_out=tuple(sorted(progress.held_out)),
        left_out_manual=tuple(sorted(progress.manual)),
    )


def _write_evidence(progress: _Progress, rows: RunRows) -> None:
    """Cases, tools, run, attempts, rounds and messages of one package, once."""
    package = rows.package
    if package.manifest.run_id in progress.runs_seen:
        return
    progress.runs_seen.add(package.manifest.run_id)
    prompt = _prompt(package)
    progress.add("runs", package.header.key.collection, features.RUNS, run_row(rows, prompt=prompt))
    for case in package.cases.values():
        _write_case(progress, case, rows.digests[case.id])
    for contract in package.contracts.values():
        row = tool_row(contract, package.header.registry)
        key = (package.header.registry, Digest(str(row["contract_sha256"])))
        if key not in progress.tools_seen:
            progress.tools_seen.add(key)
            progress.add("tools", package.header.registry, features.TOOLS, row)
    texts = prompt_texts(prompt)
    for attempt, sha256 in _attempts(package):
        if _may_leave(package.cases[attempt.task_id]):
            _write_attempt(progress, rows, attempt, sha256, texts)


def _write_case(progress: _Progress, case: Case, sha256: Digest) -> None:
    if is_manual(case):
        progress.manual.add(case.id)
    elif case.held_out:
        progress.held_out.add(case.id)
    elif sha256 not in progress.cases_seen:
        progress.cases_seen.add(sha256)
        progress.languages.add(case.task.language)
        if case.canary:
            progress.canaries.add(case.canary)
        progress.add("cases", case.suite, features.CASES, case_row(case))


def _write_attempt(progress: _Progress, rows: RunRows, attempt: Attempt, sha256: Digest, texts: dict[str, str]) -> None:
    package = rows.package
    case = package.cases[attempt.task_id]
    start = rows.of_attempt(attempt.task_id, attempt.repeat)
    progress.add("attempts", case.suite, features.ATTEMPTS, attempt_row(start, attempt, sha256))
    for turn in attempt.rounds:
        progress.add("rounds", case.suite, features.ROUNDS, round_row(start, turn))
    told = {
        **start,
        "outcome": attempt.outcome,
        "messages": messages(case.task, attempt, texts),
        "tools": offered_tools(attempt, contracts_of(case.task, package.contracts)),
    }
    progress.add("messages", case.suite, features.MESSAGES, told)
    progress.attempts += 1
    if progress.options.on_attempt:
        progress.options.on_attempt(progress.attempts)


def _write_verdicts(progress: _Progress, source: Scored, rows: RunRows) -> None:
    info, frame = read_verdicts(source.verdicts)
    for verdict in frame.iter_rows(named=True):
        task_id, tier = CaseId(verdict["task_id"]), str(verdict["tier"])
        case = source.package.cases.get(task_id)
        if case is None or not _may_leave(case):
            continue
        # The oracle that judged, which need not be the one that the run was planned with.
        row = {**rows.of_attempt(task_id, verdict["repeat"]), **verdict, "oracle_hash": info.oracle_hash}
        progress.add(f"verdicts_{tier.replace('-', '_')}", case.suite, features.VERDICTS, row)


def _write_leaderboards(progress: _Progress, sources: Sequence[Scored]) -> None:
    for board, frame in boards(verdict_frame(sources)).items():
        progress.boards.append(board)
        key = {**{name: getattr(board.run, name, None) for name in BOARD_COLUMNS}, **_outside_run(board)}
        for row in board_table(frame).iter_rows(named=True):
            config = f"leaderboard_{board.tier.replace('-', '_')}"
            progress.add(config, board.run.collection, features.LEADERBOARD, {"board": board.slug, **key, **row})


def _outside_run(board: BoardKey) -> dict[str, object]:
    return {"oracle_hash": board.oracle_hash, "tier": board.tier, "evaluator_version": board.evaluator_version}


def _attempts(package: Package) -> Iterator[tuple[Attempt, Digest]]:
    """The last try of each (case, repeat) with the SHA-256 of its record."""
    digests = {(entry.task_id, entry.repeat, entry.try_number): entry.sha256 for entry in package.manifest.attempts}
    for attempt in package.attempts():
        key = (attempt.task_id, attempt.repeat, attempt.try_number)
        if attempt.task_id not in package.cases or key not in digests:
            raise PackageError(
                "an attempt is not in the manifest",
                found=f"{attempt.task_id[:80]} repeat {attempt.repeat}",
                where=str(package.folder),
                next_step="verify the package",
            )
        yield attempt, digests[key]


def _may_leave(case: Case) -> bool:
    return not case.held_out and not is_manual(case)


def _prompt(package: Package) -> str:
    try:
        return (package.folder / "prompt.txt").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PackageError("prompt.txt does not read", found=str(error)[:200], where=str(package.folder)) from error
