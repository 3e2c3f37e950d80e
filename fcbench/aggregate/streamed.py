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
from fcbench.aggregate.frames import BOARD_COLUMNS, FRAME_SCHEMA
from fcbench.aggregate.metrics import per_case
from fcbench.aggregate.tables import CASE_LABELS, Segment, fault_rows, ranked, run_rows, segment_rows
from fcbench.errors import BadInputError

ROWS_AT_ONCE = 250_000
"""Small packages are taken together up to about this many rows, since each step costs some time of its own."""
_KEY = list(BOARD_COLUMNS)
_UNREAD = (
    *("difficulty", "family", "pair", "field_language", "exercised_level", "expected_calls", "outcome", "reply_tokens"),
    *("partial_arguments", "partial_schema_validity", "partial_observed_execution", "partial_successful_execution"),
    *("partial_unexpected_state_changes", "field_precision", "field_recall", "anomalies"),
)
NEEDED = tuple(name for name in FRAME_SCHEMA.names() if name not in _UNREAD)
"""Columns that tables are made of: no others are read. A metric over one that is left out fails in every test."""


def board_tables(
    runs: Iterable[pl.LazyFrame],
    segments: Sequence[Segment] = get_args(Segment),
    *,
    rows_at_once: int = ROWS_AT_ONCE,
) -> dict[str, pl.DataFrame]:
    """The board table under `board`, and each table of segments under its name.

    Args:
        runs: frames of `FRAME_SCHEMA`, each with whole runs of one and the same board, such as a scan of a Parquet
            file a package, on this machine or in object storage. Only the columns that tables need are read.
        segments: the tables of segments that are wanted.
        rows_at_once: runs are taken together until there are this many rows.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row, or a run lies in two frames.
    """
    board: list[pl.DataFrame] = []
    others: dict[Segment, list[pl.DataFrame]] = {name: [] for name in segments}
    keys: list[pl.DataFrame] = []
    for frame in _batches(runs, rows_at_once):
        keys.append(frame.select(_KEY).unique(maintain_order=True))
        cases = per_case(frame, ["run_id"], CASE_LABELS)
        board.append(run_rows(frame, cases))
        for name, tables in others.items():
            tables.append(fault_rows(frame) if name == "fault_kind" else segment_rows(cases, name))
    single_board(pl.concat(keys) if keys else pl.DataFrame(schema=FRAME_SCHEMA))
    rows = pl.concat(board)
    _once(rows)
    return {
        "board": ranked(rows),
        **{name: pl.concat(tables).sort("run_id", "segment") for name, tables in others.items()},
    }


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


def _once(rows: pl.DataFrame) -> None:
    twice = rows.filter(pl.col("run_id").is_duplicated())
    if twice.height:
        raise BadInputError(
            "a run lies in two frames", wanted="all rows of a run in one frame", found=str(twice["run_id"][0])[:80]
        )
