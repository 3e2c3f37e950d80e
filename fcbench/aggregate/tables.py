"""Tables of one board. Every function takes the rows of one board and refuses a mixture."""

from __future__ import annotations

from typing import Literal, get_args

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.frames import RUN_COLUMNS
from fcbench.aggregate.metrics import (
    AFTER_ERRORS,
    JUDGED,
    LATENCY,
    OVER_ATTEMPTS,
    attempt_rates,
    case_rates,
    per_case,
    rate,
    with_wilson,
)
from fcbench.errors import UsageError

Segment = Literal["category", "level", "mix", "language", "suite", "trap", "fault_kind"]
NO_VALUE = "(none)"
"""The segment of cases that carry no label of that kind."""
_RUN = ["run_id", "model", "control"]
_LISTS = {"trap": "traps"}
CASE_LABELS = (*_RUN[1:], *(_LISTS.get(name, name) for name in get_args(Segment) if name != "fault_kind"))
"""What `per_case` must carry along for every table of segments."""


def _rate_columns(name: str, *, interval: bool = False) -> dict[str, pl.DataType]:
    ends: dict[str, pl.DataType] = {f"{name}_low": pl.Float64(), f"{name}_high": pl.Float64()} if interval else {}
    return {name: pl.Float64(), **ends, f"{name}_sum": pl.Float64(), f"{name}_n": pl.Int64()}


BOARD_SCHEMA = pl.Schema(
    {
        "rank": pl.Int32(),
        "run_id": pl.String(),
        "model": pl.String(),
        "control": pl.Boolean(),
        "badges": pl.List(pl.String()),
        **_rate_columns("strict", interval=True),
        "strict_note": pl.String(),
        "strict_worst": pl.Float64(),
        "strict_best": pl.Float64(),
        "strict_attempts_passed": pl.Int64(),
        "strict_attempts": pl.Int64(),
        **_rate_columns("restraint_accuracy", interval=True),
        **_rate_columns("recovered"),
        **_rate_columns("flip_rate"),
        **_rate_columns("offered"),
        **_rate_columns("completion"),
        "complete": pl.Boolean(),
        **_rate_columns("exact_match"),
        **_rate_columns("partial"),
        **{key: kind for name in OVER_ATTEMPTS[:4] for key, kind in _rate_columns(name).items()},
        **{key: kind for name in AFTER_ERRORS for key, kind in _rate_columns(name).items()},
        **_rate_columns("tool_coverage"),
        **_rate_columns("retrieval_recall"),
        **dict.fromkeys(LATENCY, pl.Float64()),
        "input_tokens": pl.Int64(),
        "output_tokens": pl.Int64(),
        "tokens_known_n": pl.Int64(),
        "repeats": pl.Int32(),
        "cases_applicable": pl.Int64(),
        "cases_planned": pl.Int32(),
        "created_at": pl.String(),
        "harness_assistance": pl.String(),
        "purpose": pl.String(),
        "package": pl.String(),
    }
)
"""Columns of `board_table`; docs/reference/tables.md says what each one means."""
SEGMENT_SCHEMA = pl.Schema(
    {
        "run_id": pl.String(),
        "model": pl.String(),
        "control": pl.Boolean(),
        "segment": pl.String(),
        **_rate_columns("strict", interval=True),
        **_rate_columns("restraint_accuracy", interval=True),
        **_rate_columns("partial"),
        **_rate_columns("completion"),
    }
)
FAULT_SCHEMA = pl.Schema(
    {
        "run_id": pl.String(),
        "model": pl.String(),
        "control": pl.Boolean(),
        "segment": pl.String(),
        "faults": pl.Int64(),
        "cases": pl.Int64(),
        **_rate_columns("attempts"),
    }
)


def board_table(frame: pl.DataFrame) -> pl.DataFrame:
    """One row a run, as `BOARD_SCHEMA`: ranked runs first, then unranked ones, then controls.

    A rank is 1 plus the number of ranked runs with a higher strict accuracy; equal accuracies share it. It is null for
    controls, for runs that are incomplete at this tier, and for runs of another purpose than `board`.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row.
    """
    single_board(frame)
    return ranked(run_rows(frame, per_case(frame, ["run_id"])))


def run_rows(frame: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """One row a run, without a rank: all that a run tells without the others of its board.

    Args:
        frame: whole runs of one board.
        cases: `per_case` of the same rows, by `run_id`.
    """
    groups = ["run_id"]
    bounds = (
        cases.filter("is_call")
        .group_by(groups)
        .agg(pl.col("worst").mean().alias("strict_worst"), pl.col("best").mean().alias("strict_best"))
    )
    applicable = cases.group_by(groups).agg(pl.len().cast(pl.Int64).alias("cases_applicable"))
    runs = frame.group_by(groups, maintain_order=True).agg(
        pl.col(name).first() for name in RUN_COLUMNS if name != "run_id"
    )
    table = runs
    for part in (case_rates(cases, groups), attempt_rates(frame, groups), bounds, applicable):
        table = table.join(part, on=groups, how="left", maintain_order="left")
    return table


def ranked(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of all runs of one board (`run_rows`) as `BOARD_SCHEMA`, with ranks and intervals, in their order."""
    table = with_wilson(with_wilson(rows, "strict"), "restraint_accuracy")
    table = table.with_columns(
        _complete(),
        pl.when(pl.col("badges").cast(pl.String) == "")
        .then(pl.lit([], pl.List(pl.String)))
        .otherwise(pl.col("badges").cast(pl.String).str.split("; "))
        .alias("badges"),
        pl.when(pl.col("repeats") > 1)
        .then(pl.lit("interval over cases; repeats of a case are not independent"))
        .otherwise(pl.lit("interval over cases"))
        .alias("strict_note"),
    )
    return _in_order(table).select(pl.col(name).cast(kind) for name, kind in BOARD_SCHEMA.items())


def segment_table(frame: pl.DataFrame, by: Segment) -> pl.DataFrame:
    """One row a (run, segment) as `SEGMENT_SCHEMA`, or as `FAULT_SCHEMA` for fault kinds, sorted by run and segment.

    A case with several traps counts in each of them, so segments of traps do not add up to the whole.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        UsageError: there is no such segment.
        BadInputError: there is no row.
    """
    single_board(frame)
    if by not in get_args(Segment):
        raise UsageError("there is no such segment", wanted=", ".join(get_args(Segment)), found=str(by)[:80])
    if by == "fault_kind":
        return fault_table(frame)
    return segment_rows(per_case(frame, ["run_id"], [*_RUN[1:], _LISTS.get(by, by)]), by)


def segment_rows(cases: pl.DataFrame, by: Segment) -> pl.DataFrame:
    """The table of segments from `per_case` by `run_id` with `CASE_LABELS`, or the label of this table."""
    groups = [*_RUN, "segment"]
    labelled = _labelled(cases, by)
    table = case_rates(labelled, groups, ("strict", "restraint_accuracy", "partial"))
    completion = labelled.group_by(groups).agg(
        pl.col("judged").sum().cast(pl.Float64).alias("completion_sum"), pl.col("attempts").sum().alias("completion_n")
    )
    table = table.join(completion, on=groups, how="left").with_columns(rate("completion"))
    table = with_wilson(with_wilson(table, "strict"), "restraint_accuracy")
    return table.select(pl.col(name).cast(kind) for name, kind in SEGMENT_SCHEMA.items()).sort("run_id", "segment")


def fault_table(frame: pl.DataFrame) -> pl.DataFrame:
    """One row a (run, fault kind) as `FAULT_SCHEMA`, sorted by run and kind.

    `faults` counts faults, `attempts_sum` judged attempts that show the kind, `attempts_n` all judged attempts of the
    run (call and restraint cases: some kinds are of the one, some of the other), `cases` the cases concerned.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row.
    """
    single_board(frame)
    return fault_rows(frame)


def fault_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """`fault_table` without the question whether the rows are of one board."""
    # Numbers in place of names and (task_id, repeat): distinct ones are counted several times faster.
    number = pl.col("task_id").cast(pl.Categorical()).to_physical()
    judged = frame.filter(JUDGED).select(*_RUN, "fault_kinds", number, pl.int_range(pl.len()).alias("row"))
    totals = judged.group_by(_RUN).agg(pl.len().cast(pl.Int64).alias("attempts_n"))
    shown = judged.explode("fault_kinds", empty_as_null=False).rename({"fault_kinds": "segment"})
    table = shown.group_by(*_RUN, "segment").agg(
        pl.len().alias("faults"),
        pl.col("task_id").n_unique().alias("cases"),
        pl.col("row").n_unique().cast(pl.Float64).alias("attempts_sum"),
    )
    table = table.join(totals, on=_RUN, how="left").with_columns(rate("attempts"))
    return table.select(pl.col(name).cast(kind) for name, kind in FAULT_SCHEMA.items()).sort("run_id", "segment")


def flat(table: pl.DataFrame) -> pl.DataFrame:
    """The table with its lists joined by `; `, for forms that hold no lists, such as CSV."""
    lists = [name for name, kind in table.schema.items() if isinstance(kind, pl.List)]
    return table.with_columns(pl.col(name).list.join("; ") for name in lists)


def _labelled(cases: pl.DataFrame, by: Segment) -> pl.DataFrame:
    name = _LISTS.get(by, by)
    exploded = cases
    if by in _LISTS:
        exploded = cases.with_columns(pl.col(name).list.unique(maintain_order=True)).explode(name, empty_as_null=True)
    return exploded.with_columns(pl.col(name).cast(pl.String).fill_null(NO_VALUE).alias("segment"))


def _complete() -> pl.Expr:
    judged_all = pl.col("completion_sum") == pl.col("completion_n")
    return (judged_all & pl.col("sealed_complete")).alias("complete")


def _in_order(table: pl.DataFrame) -> pl.DataFrame:
    eligible = ~pl.col("control") & pl.col("complete") & (pl.col("purpose") == "board") & pl.col("strict").is_not_null()
    # Sums of shares may differ in the last bit where they are equal on paper.
    score = pl.when(eligible).then(pl.col("strict").round(12))
    numbered = table.with_columns(score.rank("min", descending=True).cast(pl.Int32).alias("rank"))
    keys = ["control", "rank", "strict", "model", "run_id"]
    cast = numbered.with_columns(pl.col("model", "run_id").cast(pl.String))
    return cast.sort(keys, descending=[False, False, True, False, False], nulls_last=True)


__all__ = [
    "BOARD_SCHEMA",
    "CASE_LABELS",
    "FAULT_SCHEMA",
    "NO_VALUE",
    "SEGMENT_SCHEMA",
    "Segment",
    "board_table",
    "fault_rows",
    "fault_table",
    "flat",
    "ranked",
    "run_rows",
    "segment_rows",
    "segment_table",
]
