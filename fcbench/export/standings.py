"""The leaderboards of the dataset, run by run: of a run stays one row a board and one share a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import polars as pl

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import BOARD_COLUMNS, Scored, verdict_frame
from fcbench.aggregate.metrics import per_case
from fcbench.aggregate.pairwise import call_shares
from fcbench.aggregate.tables import ranked, run_rows
from fcbench.core.boards import BoardKey
from fcbench.errors import PackageError
from fcbench.export.rows import Row


@dataclass(kw_only=True)
class Standings:
    """The runs of every board so far."""

    _rows: dict[BoardKey, list[pl.DataFrame]] = field(default_factory=dict)
    _shares: dict[BoardKey, list[pl.DataFrame]] = field(default_factory=dict)
    _seen: set[tuple[BoardKey, str]] = field(default_factory=set)

    def add(self, source: Scored) -> None:
        """Take in one run under one verdict file.

        Raises:
            PackageError: the file was made from other evidence, or the run was taken in before.
        """
        header = source.package.header
        place = pl.lit(f"{header.key.registry_hash[:12]}/{header.run_id}").alias("package")
        for board, frame in boards(verdict_frame([source])).items():
            if (board, header.run_id) in self._seen:
                raise PackageError("one run comes twice", wanted="each run once", found=header.run_id[:80])
            self._seen.add((board, header.run_id))
            # Where a package lies is nobody's business: the published place is the one that a run is written to.
            cases = per_case(frame, ["run_id"])
            self._rows.setdefault(board, []).append(run_rows(frame, cases).with_columns(place))
            self._shares.setdefault(board, []).append(call_shares(cases))

    def tables(self) -> Iterator[tuple[BoardKey, pl.DataFrame]]:
        """Each board with its table as `BOARD_SCHEMA`, sorted by the board's file name."""
        for board in sorted(self._rows, key=lambda one: one.slug):
            yield board, ranked(pl.concat(self._rows[board]), pl.concat(self._shares[board]))


def leaderboard_rows(tables: Iterable[tuple[BoardKey, pl.DataFrame]]) -> Iterator[tuple[BoardKey, Row]]:
    """The rows of `leaderboard_*`, each with the board that it stands on."""
    for board, table in tables:
        key = {**{name: getattr(board.run, name, None) for name in BOARD_COLUMNS}, **_outside_run(board)}
        for row in table.iter_rows(named=True):
            yield board, {"board": board.slug, **key, **row}


def _outside_run(board: BoardKey) -> Row:
    return {"oracle_hash": board.oracle_hash, "tier": board.tier, "evaluator_version": board.evaluator_version}
