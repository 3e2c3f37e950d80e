"""Published verdicts and leaderboards beside those that come out of the rebuilt packages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from fcbench.aggregate.frames import Scored
from fcbench.aggregate.verdict_changes import compare_verdicts
from fcbench.aggregate.verdict_columns import VERDICT_SCHEMA, row_of, verdict_of
from fcbench.aggregate.verdict_files import write_verdicts
from fcbench.core.names import CaseId
from fcbench.core.verdicts import Verdict
from fcbench.errors import PackageError
from fcbench.evaluator import EVALUATOR_VERSION
from fcbench.export.catalogue import Tell, shown
from fcbench.export.reading import DatasetFolder
from fcbench.export.rebuilding import RebuiltRun
from fcbench.export.rows import Row
from fcbench.export.standings import Standings, leaderboard_rows
from fcbench.workflows.score import judge_package
from fcbench.workflows.verify import unworded

Key: TypeAlias = tuple[str, int, str]
"""Task, repeat and tier."""
_CLOSE = 1e-9
"""Sums of shares may differ in the last bits from one machine to the next."""


class Published:
    """The verdicts and leaderboards of a dataset, compared run by run."""

    def __init__(self, dataset: DatasetFolder, differs: Tell, flips: Tell, cannot_tell: Tell) -> None:
        self.dataset = dataset
        self.verdicts = self.leaderboard_rows = 0
        """What was recomputed and compared."""
        self._differs, self._flips, self._cannot_tell = differs, flips, cannot_tell
        self._standings = Standings()
        self._without: set[tuple[str, object, object]] = set()
        """(run, oracle, evaluator) that has no place in the standings here, so that its rows cannot be compared."""

    def compare(self, run: RebuiltRun, name: str) -> None:
        """Compare the verdicts of one run.

        Raises:
            BadInputError: a file of the dataset does not read.
            WriteError: the folder of the rebuilt package cannot be written.
        """
        groups = self._groups(run.package.header.run_id)
        own = run.package.header.oracle_hash
        if not any(oracle == own and version == EVALUATOR_VERSION for oracle, version in groups):
            self._cannot_tell(
                f"{name}: no verdicts of this evaluator (version {EVALUATOR_VERSION}) and the oracle that the run was "
                "planned with"
            )
        for (oracle, version), rows in sorted(groups.items(), key=str):
            if oracle != own or not isinstance(version, int) or version > EVALUATOR_VERSION:
                why = (
                    "an oracle that is not in the dataset" if oracle != own else f"evaluator {version}, newer than ours"
                )
                self._cannot_tell(f"{name}: {len(rows)} verdicts of {why} were not recomputed")
                self._without.add((run.package.header.run_id, oracle, version))
            else:
                self._compare_group(run, name, rows, version)

    def _groups(self, run_id: str) -> dict[tuple[object, object], list[Row]]:
        groups: dict[tuple[object, object], list[Row]] = {}
        for config in self.dataset.configs("verdicts"):
            for row in self.dataset.rows(config, run_id):
                if config != f"verdicts_{str(row['tier']).replace('-', '_')}":
                    self._differs(f"{config}: {shown(row['task_id'])} is of the tier {shown(row['tier'])}")
                groups.setdefault((row["oracle_hash"], row["evaluator_version"]), []).append(row)
        return groups

    def _compare_group(self, run: RebuiltRun, name: str, rows: list[Row], version: int) -> None:
        again = {_key(verdict): verdict for verdict in judge_package(run.package)}
        mine = [row for row in rows if row["task_id"] in run.package.cases or not run.left_out]
        if len(mine) < len(rows):
            self._cannot_tell(f"{name}: {len(rows) - len(mine)} verdicts are of cases that are not in the dataset")
        stored = self._stored(mine, name)
        self.verdicts += len(stored)
        if version == EVALUATOR_VERSION:
            self._compare_rows(run, name, stored, again)
            kept: Iterable[Verdict] = again.values()
        else:
            before = [verdict for _, verdict in stored.values()]
            for flip in compare_verdicts(before, list(again.values())).flips:
                self._flips(f"{name}: {flip.task_id} repeat {flip.repeat}, {flip.tier}: {shown(flip.reason)}")
            self._cannot_tell(
                f"{name}: its verdicts are of evaluator {version}, this one is {EVALUATOR_VERSION}: compared as flips; "
                "install the fcbench that the card names to recompute them"
            )
            kept = before
        key = (run.package.header.run_id, run.package.header.oracle_hash, version)
        if run.left_out:
            self._without.add(key)
            return
        oracle = run.package.header.oracle_hash
        path = write_verdicts(run.package, kept, oracle_hash=oracle, evaluator_version=version)
        self._standings.add(Scored(package=run.package, verdicts=path))

    def _stored(self, rows: Iterable[Row], name: str) -> dict[Key, tuple[Row, Verdict]]:
        found: dict[Key, tuple[Row, Verdict]] = {}
        for row in rows:
            try:
                verdict = verdict_of(row)
            except PackageError as error:
                self._differs(f"{name}: the verdict of {shown(error.where)} does not read: {shown(error.found)}")
                continue
            if _key(verdict) in found:
                self._differs(f"{_place(name, _key(verdict))}: comes twice")
            found.setdefault(_key(verdict), (row, verdict))
        return found

    def _compare_rows(
        self, run: RebuiltRun, name: str, stored: Mapping[Key, tuple[Row, Verdict]], again: Mapping[Key, Verdict]
    ) -> None:
        worded = 0
        for key in sorted(stored.keys() | again.keys()):
            if key not in stored or key not in again:
                self._differs(
                    f"{_place(name, key)}: is {'missing' if key in again else 'of no attempt that is judged'}"
                )
                continue
            row, verdict = stored[key]
            cells = _cells(run, again[key])
            differing = [column for column in cells if row[column] != cells[column]]
            if not differing:
                continue
            if set(differing) <= {"faults"} and unworded(verdict) == unworded(again[key]):
                worded += 1
                continue
            self._differs(f"{_place(name, key)}: {_values(differing, row, cells)}")
        if worded:
            self._cannot_tell(f"{name}: {worded} verdicts say the same in other words: another validator worded them")

    def compare_leaderboards(self) -> None:
        """Compare the leaderboards, when all runs were compared.

        Raises:
            BadInputError: a file of the dataset does not read.
        """
        wanted: dict[tuple[str, object, object], Row] = {}
        for board, row in leaderboard_rows(self._standings.tables()):
            wanted[f"leaderboard_{board.tier.replace('-', '_')}", row["board"], row["run_id"]] = row
        skipped = 0
        for config in self.dataset.configs("leaderboard"):
            for row in self.dataset.rows(config):
                place = f"{config}: {shown(row['model'])} (run {shown(row['run_id'])})"
                again = wanted.pop((config, row["board"], row["run_id"]), None)
                if again is not None:
                    self.leaderboard_rows += 1
                    differing = [column for column in again if not _close(row[column], again[column])]
                    if differing:
                        self._differs(f"{place}: {_values(differing, row, again)}")
                elif (str(row["run_id"]), row["oracle_hash"], row["evaluator_version"]) in self._without:
                    skipped += 1
                else:
                    self._differs(f"{place}: no run of the dataset gives this row")
        for config, _, run_id in wanted:
            self._differs(f"{config}: the row of run {shown(run_id)} is missing")
        if skipped:
            self._cannot_tell(f"{skipped} leaderboard rows were not recomputed: see their runs")


def _cells(run: RebuiltRun, verdict: Verdict) -> Row:
    """The whole row of a verdict."""
    cells = dict(zip(VERDICT_SCHEMA.names(), row_of(verdict), strict=True))
    start = run.rows.of_attempt(CaseId(verdict.task_id), verdict.repeat)
    # The digest of a case that was altered is told where the case stands.
    del start["case_sha256"]
    return {**start, **cells}


def _key(verdict: Verdict) -> Key:
    return (str(verdict.task_id), verdict.repeat, verdict.tier)


def _place(name: str, key: Key) -> str:
    return f"{name}: the verdict of {shown(key[0])}, repeat {key[1]}, {key[2]}"


def _values(differing: Iterable[str], row: Mapping[str, object], again: Mapping[str, object]) -> str:
    return "; ".join(
        f"{name} is {shown(row[name])}, recomputing gives {shown(again[name])}" for name in list(differing)[:3]
    )


def _close(found: object, wanted: object) -> bool:
    if isinstance(found, float) and isinstance(wanted, float):
        return math.isclose(found, wanted, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return found == wanted


__all__ = ["Published"]
