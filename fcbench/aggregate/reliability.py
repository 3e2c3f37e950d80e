"""The reliability boundary: how high a rate may be claimed, and whether a threshold is met (PROTOCOL 6).

The unit is the case: a case fails if any of its repeats fails. Ends come from the exact one-sided bounds of Clopper and
Pearson at 95 %, one for each statement; no correction is made for looking at several segments.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.intervals import cases_needed, lower_bound, upper_bound
from fcbench.aggregate.metrics import IS_CALL, JUDGED

Measure = Literal["schema-conformance", "exact-match", "pass"]
Standing = Literal["meets", "fails", "cannot tell"]
SEGMENTS = {"all": None, "level": "level", "schema": "target_tool", "language": "language", "mix": "mix"}
"""What a boundary may be given by -> the column."""
MEASURED = {"schema-conformance": "schema_conformance", "exact-match": "exact_match", "pass": "passed"}
THRESHOLD = 0.99
NO_VALUE = "(none)"
RELIABILITY_SCHEMA = pl.Schema(
    {
        "run_id": pl.String(),
        "model": pl.String(),
        "control": pl.Boolean(),
        "segment": pl.String(),
        "cases": pl.Int64(),
        "failed": pl.Int64(),
        "open": pl.Int64(),
        "unstable": pl.Int64(),
        "unstable_cases": pl.List(pl.String()),
        "rate": pl.Float64(),
        "claim": pl.Float64(),
        "ceiling": pl.Float64(),
        "standing": pl.String(),
        "more_cases": pl.Int64(),
    }
)
REPAIR_SCHEMA = pl.Schema(
    {
        "run_id": pl.String(),
        "model": pl.String(),
        "control": pl.Boolean(),
        "segment": pl.String(),
        "error_replies": pl.Int32(),
        "cases": pl.Int64(),
        "failed": pl.Int64(),
        "rate": pl.Float64(),
        "claim": pl.Float64(),
        "standing": pl.String(),
        "more_cases": pl.Int64(),
        "attempts": pl.Int64(),
        "conforming": pl.Int64(),
        "tokens": pl.Int64(),
        "tokens_known_n": pl.Int64(),
        "tokens_per_success": pl.Float64(),
    }
)
_RUN = ["run_id", "model", "control"]


def standing(failed: int, cases: int, threshold: float) -> tuple[Standing, int]:
    """Whether a threshold is met, and how many more cases without any failure a claim would need.

    Args:
        failed: cases that failed.
        cases: all cases.
        threshold: the rate that is asked for, between 0 and 1.

    Returns:
        `meets` where the exact lower bound reaches the threshold, `fails` where the exact upper bound lies below it,
        else `cannot tell`; the number is 0 unless it cannot be told.
    """
    if cases and lower_bound(cases - failed, cases) >= threshold:
        return "meets", 0
    if cases and upper_bound(cases - failed, cases) < threshold:
        return "fails", 0
    return "cannot tell", cases_needed(failed, threshold) - cases


def reliability_table(
    frame: pl.DataFrame, by: str, *, measure: Measure = "schema-conformance", threshold: float = THRESHOLD
) -> pl.DataFrame:
    """One row a run and segment, as `RELIABILITY_SCHEMA`, over the cases of one board where a call was due.

    `cases` are those with a verdict for every repeat, or with a failure; `open` those that may yet go either way, which
    stand in no rate; `unstable` those whose repeats differ, by name in `unstable_cases`. `claim` is the highest rate
    that can be claimed, `ceiling` the highest that is still tenable.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row.
    """
    single_board(frame)
    held = pl.col(MEASURED[measure]).fill_null(value=False)
    counted = _by_case(frame, by, held).group_by(*_RUN, "segment", maintain_order=True)
    table = counted.agg(
        (~pl.col("open")).sum().cast(pl.Int64).alias("cases"),
        pl.col("failed").sum().cast(pl.Int64),
        pl.col("open").sum().cast(pl.Int64),
        pl.col("unstable").sum().cast(pl.Int64),
        pl.col("task_id").filter(pl.col("unstable")).alias("unstable_cases"),
    )
    return _judged(table, threshold).select(pl.col(name).cast(kind) for name, kind in RELIABILITY_SCHEMA.items())


def repair_table(frame: pl.DataFrame, by: str, *, threshold: float = THRESHOLD) -> pl.DataFrame:
    """The repair curve, as `REPAIR_SCHEMA`: conformance after 0, 1 and 2 error replies, and what a success then costs.

    Only single-call tasks where a call was due. A case fails at k error replies if one of its repeats has no conforming
    reply among its first k + 1. `tokens` are those read and written up to there, over the attempts whose provider
    counted; `tokens_per_success` divides them by the conforming ones of these, failures being paid for as well.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row.
    """
    single_board(frame)
    single = frame.filter(pl.col("single_call"))
    parts = [pl.DataFrame(schema=REPAIR_SCHEMA)]
    for errors in range(3):
        held = pl.col("conforming_replies").list.head(errors + 1).list.any().fill_null(value=False)
        cases = _by_case(single, by, held).group_by(*_RUN, "segment", maintain_order=True)
        table = cases.agg((~pl.col("open")).sum().cast(pl.Int64).alias("cases"), pl.col("failed").sum().cast(pl.Int64))
        costs = _costs(single, by, held, errors)
        table = table.join(costs, on=[*_RUN, "segment"], how="left", maintain_order="left")
        table = _judged(table, threshold).with_columns(pl.lit(errors, pl.Int32).alias("error_replies"))
        parts.append(table.select(pl.col(name).cast(kind) for name, kind in REPAIR_SCHEMA.items()))
    return pl.concat(parts).sort(*_RUN, "segment", "error_replies", maintain_order=True)


def _due(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    column = SEGMENTS[by]
    segment = pl.lit("all") if column is None else pl.col(column).cast(pl.String).fill_null(NO_VALUE)
    runs = [pl.col(name).cast(pl.String) for name in _RUN[:2]]
    return frame.filter(IS_CALL).with_columns(segment.alias("segment"), *runs)


def _by_case(frame: pl.DataFrame, by: str, held: pl.Expr) -> pl.DataFrame:
    """One row a (run, segment, case): did it fail, is it open, do its repeats differ."""
    broke, kept = (JUDGED & ~held).sum(), (JUDGED & held).sum()
    cases = _due(frame, by).group_by(*_RUN, "segment", "task_id", maintain_order=True)
    return cases.agg(
        (broke > 0).alias("failed"),
        ((broke == 0) & (kept < pl.len())).alias("open"),
        ((broke > 0) & (kept > 0)).alias("unstable"),
    ).sort(*_RUN, "segment", maintain_order=True)


def _costs(frame: pl.DataFrame, by: str, held: pl.Expr, errors: int) -> pl.DataFrame:
    paid = pl.col("reply_tokens").list.head(errors + 1).list.last()
    known = JUDGED & paid.is_not_null()
    groups = _due(frame, by).group_by(*_RUN, "segment", maintain_order=True)
    sums = groups.agg(
        JUDGED.sum().cast(pl.Int64).alias("attempts"),
        (JUDGED & held).sum().cast(pl.Int64).alias("conforming"),
        (known & held).sum().alias("paid_success"),
        paid.filter(known).sum().cast(pl.Int64).alias("paid"),
        known.sum().cast(pl.Int64).alias("tokens_known_n"),
    )
    counted, won = pl.col("tokens_known_n") > 0, pl.col("paid_success") > 0
    return sums.with_columns(
        pl.when(counted).then(pl.col("paid")).alias("tokens"),
        pl.when(won).then(pl.col("paid") / pl.col("paid_success")).alias("tokens_per_success"),
    )


def _judged(table: pl.DataFrame, threshold: float) -> pl.DataFrame:
    """Adds rate, bounds, standing and the cases that are still needed."""
    counts = table.select("failed", "cases").rows()
    told = [standing(failed, cases, threshold) for failed, cases in counts]
    lows = [lower_bound(cases - failed, cases) if cases else None for failed, cases in counts]
    highs = [upper_bound(cases - failed, cases) if cases else None for failed, cases in counts]
    return table.with_columns(
        pl.when(pl.col("cases") > 0).then(1 - pl.col("failed") / pl.col("cases")).alias("rate"),
        pl.Series("claim", lows, dtype=pl.Float64),
        pl.Series("ceiling", highs, dtype=pl.Float64),
        pl.Series("standing", [word for word, _ in told], dtype=pl.String),
        pl.Series("more_cases", [more for _, more in told], dtype=pl.Int64),
    )
