"""The rows of the dataset, package after package: what has been met so far is counted for the card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from fcbench.aggregate.frames import Scored
from fcbench.aggregate.verdict_files import read_verdicts
from fcbench.core.boards import BoardKey
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId
from fcbench.core.records import decode_line
from fcbench.errors import PackageError
from fcbench.export import features
from fcbench.export.conversation import messages, offered_tools, prompt_texts
from fcbench.export.parquet import DatasetFiles, FileFacts
from fcbench.export.registries import Contracts
from fcbench.export.rows import Row, RunRows, attempt_row, case_row, round_row, run_row, run_rows
from fcbench.export.standings import Standings, leaderboard_rows
from fcbench.packages.store import Package

MANUAL = "manual"


@dataclass(kw_only=True)
class Seen:
    """What was met while writing."""

    runs: set[str] = field(default_factory=set)
    cases: set[str] = field(default_factory=set)
    held_out: set[CaseId] = field(default_factory=set)
    manual: set[CaseId] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    canaries: set[str] = field(default_factory=set)
    sealed_at: set[str] = field(default_factory=set)
    boards: list[BoardKey] = field(default_factory=list)
    attempts: int = 0


class DatasetWriter:
    """Writes packages, one after the other, into the folder `data/` of a dataset."""

    def __init__(
        self,
        folder: Path,
        *,
        registries: Mapping[str, Iterable[ToolContract]],
        on_attempt: Callable[[int], None] | None = None,
    ) -> None:
        self.seen = Seen()
        self.schemas: dict[str, pa.Schema] = {}
        self._files = DatasetFiles(folder)
        self._contracts = Contracts(known=registries)
        self._standings = Standings()
        self._on_attempt = on_attempt

    @property
    def partial_registries(self) -> tuple[str, ...]:
        """Hashes of the registries that are not here whole, sorted."""
        return tuple(sorted(key for key, whole in self._contracts.registries.items() if not whole))

    def add(self, source: Scored) -> None:
        """Write one package under one verdict file; its evidence only the first time.

        Raises:
            PackageError: the package or its verdict file is damaged.
            WriteError: the disk refuses.
        """
        # A package of its own: what it has read is let go with it.
        package = Package(source.package.folder, source.package.manifest, source.package.revealed)
        rows = run_rows(package)
        self._evidence(rows)
        self._verdicts(source.verdicts, rows)
        self._standings.add(Scored(package=package, verdicts=source.verdicts, cases=source.cases))

    def close(self) -> dict[str, FileFacts]:
        """Write what only the whole shows, contracts and leaderboards, and finish all files."""
        for registry, row in self._contracts.rows():
            self._write("tools", registry, features.TOOLS, row)
        for board, row in leaderboard_rows(self._standings.tables()):
            self._write(_of_tier("leaderboard", board.tier), board.run.collection, features.LEADERBOARD, row)
            if board not in self.seen.boards:
                self.seen.boards.append(board)
        return self._files.close()

    def abandon(self) -> None:
        """Release all files after an error."""
        self._files.abandon()

    def _write(self, config: str, split: str, schema: pa.Schema, row: Row) -> None:
        self.schemas[config] = schema
        self._files.add(config, split, schema, row)

    def _evidence(self, rows: RunRows) -> None:
        """Cases, contracts, run, attempts, rounds and messages of one package, once."""
        package = rows.package
        if package.manifest.run_id in self.seen.runs:
            return
        self.seen.runs.add(package.manifest.run_id)
        self.seen.sealed_at.add(package.manifest.sealed_at)
        prompt = _prompt(package)
        row = run_row(
            rows,
            prompt=prompt,
            cases=[case.id for case in package.cases.values() if may_leave(case)],
            contracts=self._contracts.add(package),
        )
        self._write("runs", package.header.key.collection, features.RUNS, row)
        for case in package.cases.values():
            self._case(case, rows.lines[case.id])
        texts, offered = prompt_texts(prompt), OfferedTools(package)
        for attempt, line in _attempts(package):
            if may_leave(package.cases[attempt.task_id]):
                self._attempt(rows, attempt, line)
                self._conversation(rows, attempt, texts, offered)

    def _case(self, case: Case, line: str) -> None:
        if is_manual(case):
            self.seen.manual.add(case.id)
        elif case.held_out:
            self.seen.held_out.add(case.id)
        elif line not in self.seen.cases:
            self.seen.cases.add(line)
            self.seen.languages.add(case.task.language)
            if case.canary:
                self.seen.canaries.add(case.canary)
            self._write("cases", case.suite, features.CASES, case_row(case, line))

    def _attempt(self, rows: RunRows, attempt: Attempt, line: str) -> None:
        suite = rows.package.cases[attempt.task_id].suite
        start = rows.of_attempt(attempt.task_id, attempt.repeat)
        self._write("attempts", suite, features.ATTEMPTS, attempt_row(start, attempt, line))
        for turn in attempt.rounds:
            self._write("rounds", suite, features.ROUNDS, round_row(start, turn))
        self.seen.attempts += 1
        if self._on_attempt:
            self._on_attempt(self.seen.attempts)

    def _conversation(self, rows: RunRows, attempt: Attempt, texts: Mapping[str, str], offered: OfferedTools) -> None:
        case = rows.package.cases[attempt.task_id]
        told = {
            **rows.of_attempt(attempt.task_id, attempt.repeat),
            "outcome": attempt.outcome,
            "messages": messages(case.task, attempt, texts),
            "tools": offered.text(case, attempt),
        }
        self._write("messages", case.suite, features.MESSAGES, told)

    def _verdicts(self, path: Path, rows: RunRows) -> None:
        info, frame = read_verdicts(path)
        for verdict in frame.iter_rows(named=True):
            task_id = CaseId(verdict["task_id"])
            case = rows.package.cases.get(task_id)
            # Of a sealed case of a redacted package the verdict is all that may be shown, and it holds no word.
            if case is None or is_manual(case) or case.is_secret:
                continue
            # The oracle that judged, which need not be the one that the run was planned with.
            row = {**rows.of_attempt(task_id, verdict["repeat"]), **verdict, "oracle_hash": info.oracle_hash}
            self._write(_of_tier("verdicts", str(verdict["tier"])), case.suite, features.VERDICTS, row)


class OfferedTools:
    """The offered tools of a package's attempts as text: the same few lists come again and again."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._known: dict[tuple[CaseId, tuple[str, ...]], str] = {}

    def text(self, case: Case, attempt: Attempt) -> str:
        """The JSON text of a request's `tools`."""
        key = (case.id, tuple(one.name for one in attempt.candidates))
        if key not in self._known:
            self._known[key] = offered_tools(attempt, contracts_of(case.task, self._package.contracts))
        return self._known[key]


def _of_tier(what: str, tier: str) -> str:
    return f"{what}_{tier.replace('-', '_')}"


def is_manual(case: Case) -> bool:
    """Whether a case belongs to a manual suite: outside the evaluation and outside every export (PROTOCOL 8)."""
    return case.suite == MANUAL or case.suite.startswith((f"{MANUAL}/", f"{MANUAL}-", f"{MANUAL}_"))


def may_leave(case: Case) -> bool:
    """Whether a case may be published: neither held out nor of a manual suite."""
    return not case.held_out and not is_manual(case)


def _attempts(package: Package) -> Iterator[tuple[Attempt, str]]:
    """The last try of each (case, repeat) with its line."""
    last = {(entry.task_id, entry.repeat): entry.try_number for entry in package.manifest.attempts}
    place = package.folder / "attempts.jsonl"
    for number, line in enumerate(package.raw_attempts(), start=1):
        attempt = decode_line(line, Attempt, where=f"{place}:{number}")
        if attempt.task_id not in package.cases or (attempt.task_id, attempt.repeat) not in last:
            raise PackageError(
                "an attempt is not in the manifest",
                found=f"{attempt.task_id[:80]} repeat {attempt.repeat}",
                where=str(package.folder),
                next_step="verify the package",
            )
        if attempt.try_number == last[attempt.task_id, attempt.repeat]:
            yield attempt, line.decode()


def _prompt(package: Package) -> str:
    try:
        return (package.folder / "prompt.txt").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PackageError("prompt.txt does not read", found=str(error)[:200], where=str(package.folder)) from error
