"""Both scores: a board's accuracies with and without the cases that are disputed."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.tables import board_table

DISPUTED_SCHEMA = pl.Schema(
    {
        "run_id": pl.String(),
        "model": pl.String(),
        "control": pl.Boolean(),
        "strict": pl.Float64(),
        "strict_n": pl.Int64(),
        "strict_without": pl.Float64(),
        "strict_without_n": pl.Int64(),
        "restraint_accuracy": pl.Float64(),
        "restraint_accuracy_n": pl.Int64(),
        "restraint_accuracy_without": pl.Float64(),
        "restraint_accuracy_without_n": pl.Int64(),
    }
)
_RATES = ("strict", "strict_n", "restraint_accuracy", "restraint_accuracy_n")


def is_disputed(cases: Collection[str]) -> pl.Expr:
    """The rows of disputed cases, for any frame with a column `task_id`."""
    return pl.col("task_id").is_in(sorted(cases))


def disputed_in(frame: pl.DataFrame, cases: Collection[str]) -> list[str]:
    """Which of the disputed cases a frame holds, sorted."""
    return sorted(frame.filter(is_disputed(cases)).get_column("task_id").unique().to_list())


def both_scores(frame: pl.DataFrame, cases: Collection[str]) -> pl.DataFrame:
    """One row a run as `DISPUTED_SCHEMA`, in the order of the board's table; null where no case is left.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row.
    """
    single_board(frame)
    whole = board_table(frame).select("run_id", "model", "control", *_RATES)
    rest = frame.filter(~is_disputed(cases))
    renamed = {name: f"{name[:-2]}_without_n" if name.endswith("_n") else f"{name}_without" for name in _RATES}
    if rest.is_empty():
        without = pl.DataFrame(schema={"run_id": pl.String(), **{new: pl.Float64() for new in renamed.values()}})
    else:
        without = board_table(rest).select("run_id", *_RATES).rename(renamed)
    joined = whole.join(without, on="run_id", how="left", maintain_order="left")
    return joined.select(pl.col(name).cast(kind) for name, kind in DISPUTED_SCHEMA.items())


__all__ = ["DISPUTED_SCHEMA", "both_scores", "disputed_in", "is_disputed"]
