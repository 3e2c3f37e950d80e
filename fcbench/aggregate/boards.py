"""Boards: rows of different boards are never pooled, ranked or averaged (PROTOCOL 1)."""

from __future__ import annotations

import polars as pl

from fcbench.aggregate.frames import BOARD_COLUMNS
from fcbench.core.boards import BoardKey, RunKey
from fcbench.core.records import from_plain
from fcbench.errors import BadInputError, MixedBoardsError

_OUTSIDE_RUN = ("oracle_hash", "tier", "evaluator_version")


def boards(frame: pl.DataFrame) -> dict[BoardKey, pl.DataFrame]:
    """The frame taken apart by board; boards in the order of their first row, rows in theirs."""
    parts = frame.partition_by(*BOARD_COLUMNS, maintain_order=True)
    return {single_board(part): part for part in parts if part.height}


def single_board(frame: pl.DataFrame) -> BoardKey:
    """The board that all rows belong to.

    Raises:
        MixedBoardsError: rows of several boards; the message names the parts that differ, with two values of each.
        BadInputError: no row at all, or a part of the key is empty.
    """
    if frame.is_empty():
        raise BadInputError("there is no row, hence no board", wanted="at least one judged attempt of one board")
    counts = frame.select(pl.col(BOARD_COLUMNS).n_unique()).row(0)
    differing = [name for name, count in zip(BOARD_COLUMNS, counts, strict=True) if count > 1]
    if differing:
        raise MixedBoardsError(
            "these rows belong to different boards",
            wanted="rows of one board",
            found="; ".join(_examples(frame, name) for name in differing),
            next_step="choose one board, or look at them side by side",
        )
    return _key(frame.select(BOARD_COLUMNS).row(0, named=True))


def _examples(frame: pl.DataFrame, name: str) -> str:
    values = frame.get_column(name).unique(maintain_order=True).head(2).to_list()
    shown = [str(value)[:12] if name.endswith("_hash") else str(value)[:60] for value in values]
    return f"{name} {' and '.join(shown)}"


def _key(parts: dict[str, object]) -> BoardKey:
    run = {name: value for name, value in parts.items() if name not in _OUTSIDE_RUN}
    outside = {name: parts[name] for name in _OUTSIDE_RUN}
    return from_plain({"run": {name: run[name] for name in RunKey.__struct_fields__}, **outside}, BoardKey)
