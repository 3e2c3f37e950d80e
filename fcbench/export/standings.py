"""The leaderboards of the dataset, run by run: what is kept of a run is small (`aggregate.streamed.BoardStream`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import BOARD_COLUMNS, FRAME_SCHEMA, Scored, verdict_frame
from fcbench.aggregate.streamed import BoardStream
from fcbench.core.boards import BoardKey
from fcbench.errors import PackageError
from fcbench.export.rows import Row


class Standings:
    """The runs of every board so far."""

    def __init__(self) -> None:
        self._boards: dict[BoardKey, BoardStream] = {}
        self._seen: set[tuple[BoardKey, str]] = set()

    def add(self, source: Scored) -> None:
        """Take in one run under one verdict file.

        Raises:
            PackageError: the file was made from other evidence, or the run was taken in before.
        """
        header = source.package.header
        # Where a package lies is nobody's business: the published place is the one that a run is written to.
        place = pl.lit(f"{header.key.registry_hash[:12]}/{header.run_id}", FRAME_SCHEMA["package"]).alias("package")
        for board, frame in boards(verdict_frame([source])).items():
            if (board, header.run_id) in self._seen:
                raise PackageError("one run comes twice", wanted="each run once", found=header.run_id[:80])
            self._seen.add((board, header.run_id))
            self._boards.setdefault(board, BoardStream()).add(frame.with_columns(place))

    def tables(self) -> Iterator[tuple[BoardKey, pl.DataFrame]]:
        """Each board with its table as `BOARD_SCHEMA`, sorted by the board's file name."""
        for board in sorted(self._boards, key=lambda one: one.slug):
            yield board, self._boards[board].board()


def leaderboard_rows(tables: Iterable[tuple[BoardKey, pl.DataFrame]]) -> Iterator[tuple[BoardKey, Row]]:
    """The rows of `leaderboard_*`, each with the board that it stands on."""
    for board, table in tables:
        key = {**{name: getattr(board.run, name, None) for name in BOARD_COLUMNS}, **_outside_run(board)}
        for row in table.iter_rows(named=True):
            yield board, {"board": board.slug, **key, **row}


def _outside_run(board: BoardKey) -> Row:
    return {"oracle_hash": board.oracle_hash, "tier": board.tier, "evaluator_version": board.evaluator_version}
