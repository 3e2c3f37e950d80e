"""Replicate a dataset from itself alone: every hash, every record, every verdict and every number of a leaderboard.

Each run is rebuilt as a package in a folder of ours and goes the way of `fcbench verify`; then verdict rows and
leaderboards are compared with what comes out. Nothing is believed but the rows, and nothing else is read.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from fcbench.core.records import Record, to_plain
from fcbench.errors import BadInputError, FcbenchError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.export.catalogue import Catalogue, read_catalogue, shown
from fcbench.export.reading import DatasetFolder
from fcbench.export.rebuilding import RebuiltRun, rebuild
from fcbench.export.rows import Row
from fcbench.packages.header_facts import header_problems, offer_problems, whole_contracts
from fcbench.packages.replay import call_problems, uncomputed
from fcbench.packages.tallies import tally_problems
from fcbench.workbench.pure import computed_answer, is_answered
from fcbench.workflows.replicate_verdicts import Published
from fcbench.workflows.verify import WORLD

MAX_KEPT = 200
"""Sentences of each kind that a report holds; a dataset of another evaluator may give a million."""


class Replication(Record, frozen=True, kw_only=True):
    """What replicating a dataset found."""

    dataset: str
    made_by: str
    """The fcbench that exported it."""
    evaluator: int = EVALUATOR_VERSION
    counts: dict[str, int]
    """What was read and recomputed: registries, tools, cases, runs, attempts, verdicts, leaderboard rows."""
    differences: int
    shown_differences: tuple[str, ...]
    """The first of them, one sentence each."""
    flips: int
    shown_flips: tuple[str, ...]
    """Verdicts of an older evaluator that this one judges otherwise."""
    open_questions: tuple[str, ...]
    """What could not be recomputed, and why."""

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """0: all recomputed and equal; 1: something differs; 2: something could not be recomputed."""
        return 1 if self.differences else 2 if self.open_questions else 0

    def text(self) -> str:
        """For a terminal."""
        counted = ", ".join(f"{name} {count:,}" for name, count in self.counts.items())
        lines = [
            f"replicated  {self.dataset} (exported by fcbench {self.made_by}; evaluator {self.evaluator} here)",
            f"  read and recomputed: {counted}",
        ]
        lines += _block("differs", self.differences, self.shown_differences)
        lines += _block("flips", self.flips, self.shown_flips)
        lines += [f"  cannot tell  {one}" for one in self.open_questions]
        lines.append(f"  {self.differences:,} difference{'' if self.differences == 1 else 's'}")
        return "\n".join(lines)

    def data(self) -> object:
        """As plain JSON values."""
        return {**to_plain(self), "evaluator": self.evaluator, "exit_code": self.exit_code}


def _block(word: str, count: int, sentences: tuple[str, ...]) -> list[str]:
    lines = [f"  {word}  {one}" for one in sentences]
    more = count - len(sentences)
    return [*lines, f"  {word}  {more:,} more"] if more else lines


def replicate(folder: Path, *, on_run: Callable[[int, int], None] | None = None) -> Replication:
    """Replicate the dataset in a folder.

    Args:
        folder: what `fcbench dataset export` wrote, or a copy of it.
        on_run: told the number of runs done and the number of all runs.

    Raises:
        NotFoundError: the folder holds no dataset.
        BadInputError: the dataset is of another format, or has no run that reads.
        WriteError: there is no room for the rebuilt packages.
    """
    dataset = DatasetFolder(folder)
    found = _Findings()
    for problem in dataset.file_problems():
        found.differs(problem)
    catalogue = read_catalogue(dataset, found.differs)
    runs = _runs(dataset)
    published = Published(dataset, found.differs, found.flips, found.cannot_tell)
    with tempfile.TemporaryDirectory(prefix="fcbench-replicate-") as scratch:
        for number, row in enumerate(runs, start=1):
            place = Path(scratch) / str(number)
            _run(row, catalogue, place, published, found)
            shutil.rmtree(place, ignore_errors=True)
            if on_run:
                on_run(number, len(runs))
        published.compare_leaderboards()
    missing = sorted({str(row["registry_hash"]) for row in runs} - catalogue.registries.keys())
    for key in missing:
        found.cannot_tell(f"the registry {shown(key)[:12]} is not here whole: its hash cannot be rebuilt")
    counts = {
        "registries": len(catalogue.registries),
        "tools": len(catalogue.contracts),
        "cases": len(catalogue.cases),
        "runs": len(runs),
        "attempts": found.attempts,
        "verdicts": published.verdicts,
        "leaderboard rows": published.leaderboard_rows,
    }
    return Replication(
        dataset=str(folder),
        made_by=dataset.marker.fcbench_version,
        counts=counts,
        differences=found.differences,
        shown_differences=tuple(found.shown_differences),
        flips=found.flipped,
        shown_flips=tuple(found.shown_flips),
        open_questions=tuple(found.open_questions),
    )


def _runs(dataset: DatasetFolder) -> list[Row]:
    rows = list(dataset.rows("runs"))
    if not rows:
        raise BadInputError(
            "this dataset has no run",
            wanted="rows in the config `runs`",
            found="none",
            where=str(dataset.folder / "data" / "runs"),
            next_step="download the whole dataset, not one config of it",
        )
    return rows


class _Findings:
    def __init__(self) -> None:
        self.differences = self.flipped = self.attempts = 0
        self.shown_differences: list[str] = []
        self.shown_flips: list[str] = []
        self.open_questions: list[str] = []

    def differs(self, sentence: str) -> None:
        self.differences += 1
        if len(self.shown_differences) < MAX_KEPT:
            self.shown_differences.append(sentence)

    def flips(self, sentence: str) -> None:
        self.flipped += 1
        if len(self.shown_flips) < MAX_KEPT:
            self.shown_flips.append(sentence)

    def cannot_tell(self, sentence: str) -> None:
        if sentence not in self.open_questions and len(self.open_questions) < MAX_KEPT:
            self.open_questions.append(sentence)


def _run(row: Row, catalogue: Catalogue, folder: Path, published: Published, found: _Findings) -> None:
    name = f"run {shown(row['run_id'])}"
    try:
        run = rebuild(published.dataset, row, catalogue, folder, found.differs)
        if run is None:
            return
        found.attempts += len(run.attempts)
        if run.left_out:
            found.cannot_tell(
                f"{name}: {run.left_out} of its cases are not in the dataset (held out): its hashes, counts and "
                "leaderboard rows were not recomputed"
            )
        _check_package(run, name, found)
        published.compare(run, name)
    except WORLD as error:
        told = (error.found or error.message) if isinstance(error, FcbenchError) else f"{type(error).__name__}: {error}"
        found.differs(f"{name}: cannot be replicated: {shown(told)}")


def _check_package(run: RebuiltRun, name: str, found: _Findings) -> None:
    """What `fcbench verify` asks of a package, but for the tries that a dataset leaves out."""
    package, attempts = run.package, list(run.attempts)
    problems = [
        *whole_contracts(package),
        *offer_problems(package, attempts),
        *call_problems(package, attempts, computed_answer),
    ]
    if not run.left_out:
        problems += [
            *header_problems(package),
            *tally_problems(package, [replace(attempt, try_number=1) for attempt in attempts]),
        ]
    for problem in problems:
        found.differs(f"{name}: {problem}")
    for question in uncomputed(package, attempts, is_answered):
        found.cannot_tell(f"{name}: {question}")


__all__ = ["Replication", "replicate"]
