"""All tables of one board in one pass over its runs, a quarter of a million rows at a time.

Nearly every number of a table belongs to one run, and a package is one run. So the rows of many packages need never lie
in memory together: what stays of a run is one row a table and segment. Ranks come at the end. The numbers are those of
`tables.board_table` and `tables.segment_table` over all rows at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.bootstrap import with_bootstrap
from fcbench.aggregate.frames import BOARD_COLUMNS, FRAME_SCHEMA
from fcbench.aggregate.metrics import per_case
from fcbench.aggregate.pairwise import call_shares
from fcbench.aggregate.repeats import fixed_runs, repeat_rows
from fcbench.aggregate.tables import (
    CASE_LABELS,
    Segment,
    fault_rows,
    ranked,
    run_rows,
    segment_rows,
    segments_in_order,
)
from fcbench.core.boards import BoardKey
from fcbench.engine.prices import PriceList
from fcbench.errors import BadInputError

ROWS_AT_ONCE = 250_000
"""Small packages are taken together up to about this many rows, since each step costs some time of its own."""
_KEY = list(BOARD_COLUMNS)
_UNREAD = (
    *("difficulty", "field_language", "exercised_level", "expected_calls", "outcome", "reply_tokens", "retries"),
    *("partial_arguments", "partial_schema_validity", "partial_observed_execution", "partial_successful_execution"),
    *("partial_unexpected_state_changes", "field_precision", "field_recall", "anomalies"),
)
NEEDED = tuple(name for name in FRAME_SCHEMA.names() if name not in _UNREAD)
"""Columns that tables are made of: no others are read. A metric over one that is left out fails in every test."""


class BoardStream:
    """The tables of one board, from frames that come one after the other, each with whole runs."""

    def __init__(self, segments: Sequence[Segment] = ()) -> None:
        """Tables of these segments are made beside the board's own."""
        self._rows: list[pl.DataFrame] = []
        self._shares: list[pl.DataFrame] = []
        self._keys: list[pl.DataFrame] = []
        self._segments: dict[Segment, list[pl.DataFrame]] = {name: [] for name in segments}

    def add(self, frame: pl.DataFrame) -> None:
        """Take whole runs; what is kept of them is small."""
        self._keys.append(frame.select(_KEY).unique(maintain_order=True))
        cases = per_case(frame, ["run_id"], CASE_LABELS)
        self._rows.append(run_rows(frame, cases))
        self._shares.append(call_shares(cases))
        for name, tables in self._segments.items():
            tables.append(_segment(frame, cases, name))

    def board(self, prices: PriceList | None = None) -> pl.DataFrame:
        """The table of the board, as `tables.board_table` makes it of all rows at once.

        Raises:
            MixedBoardsError: the rows belong to several boards.
            BadInputError: there is no row, or a run came twice.
        """
        return self.board_and_pairs(prices)[0]

    def board_and_pairs(self, prices: PriceList | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The same with the comparisons of all pairs of ranked runs, as `pairwise.PAIR_SCHEMA`.

        Raises:
            MixedBoardsError: the rows belong to several boards.
            BadInputError: there is no row, or a run came twice.
        """
        return ranked(self._checked(), pl.concat(self._shares), prices)

    def with_bootstrap(self, table: pl.DataFrame) -> pl.DataFrame:
        """The table of this board with the seeded bootstrap beside the interval of `strict`, as a check of it."""
        return with_bootstrap(table, pl.concat(self._shares))

    def segment(self, name: Segment) -> pl.DataFrame:
        """One of the tables of segments that were asked for, as `tables.segment_table` makes it.

        Raises:
            MixedBoardsError: the rows belong to several boards.
            BadInputError: there is no row, or a run came twice.
        """
        self._checked()
        return segments_in_order(pl.concat(self._segments[name]), name)

    def _checked(self) -> pl.DataFrame:
        single_board(pl.concat(self._keys) if self._keys else pl.DataFrame(schema=FRAME_SCHEMA))
        rows = pl.concat(self._rows)
        twice = rows.filter(pl.col("run_id").is_duplicated())
        if twice.height:
            raise BadInputError(
                "a run lies in two frames", wanted="all rows of a run in one frame", found=str(twice["run_id"][0])[:80]
            )
        return rows


class BoardStreams:
    """The tables of several boards, from frames of whole runs that come one after the other."""

    def __init__(self, segments: Sequence[Segment] = (), *, rows_at_once: int = ROWS_AT_ONCE) -> None:
        """Rows are held until there are `rows_at_once` of them on all boards together."""
        self._segments, self._limit, self._count = segments, rows_at_once, 0
        self._streams: dict[BoardKey, BoardStream] = {}
        self._held: dict[BoardKey, list[pl.DataFrame]] = {}

    def add(self, key: BoardKey, frame: pl.DataFrame) -> None:
        """Take whole runs of one board, as `boards.boards` gives them."""
        self._streams.setdefault(key, BoardStream(self._segments))
        self._held.setdefault(key, []).append(frame.select(NEEDED))
        self._count += frame.height
        if self._count >= self._limit:
            self._release()

    def streams(self) -> dict[BoardKey, BoardStream]:
        """Every board in the order in which its first run came."""
        self._release()
        return self._streams

    def _release(self) -> None:
        for key, frames in self._held.items():
            self._streams[key].add(pl.concat(frames))
        self._held, self._count = {}, 0


def board_tables(
    runs: Iterable[pl.LazyFrame],
    segments: Sequence[Segment] = get_args(Segment),
    *,
    rows_at_once: int = ROWS_AT_ONCE,
    prices: PriceList | None = None,
) -> dict[str, pl.DataFrame]:
    """The board table under `board`, and each table of segments under its name.

    Args:
        runs: frames of `FRAME_SCHEMA`, each with whole runs of one and the same board, such as a scan of a Parquet
            file a package, on this machine or in object storage. Only the columns that tables need are read.
        segments: the tables of segments that are wanted.
        rows_at_once: runs are taken together until there are this many rows.
        prices: what a million tokens of each model cost.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row, or a run lies in two frames.
    """
    stream = BoardStream(segments)
    for frame in _batches(runs, rows_at_once):
        stream.add(frame)
    return {"board": stream.board(prices), **{name: stream.segment(name) for name in segments}}


def _batches(runs: Iterable[pl.LazyFrame], rows_at_once: int) -> Iterator[pl.DataFrame]:
    held: list[pl.DataFrame] = []
    rows = 0
    for run in runs:
        frame = run.select(NEEDED).collect()
        if frame.height:
            held.append(frame)
            rows += frame.height
        if rows >= rows_at_once:
            yield pl.concat(held)
            held, rows = [], 0
    if held:
        yield pl.concat(held)


def _segment(frame: pl.DataFrame, cases: pl.DataFrame, name: Segment) -> pl.DataFrame:
    if name == "fault_kind":
        return fault_rows(frame)
    return repeat_rows(cases, fixed_runs(frame)) if name == "k" else segment_rows(cases, name)
