"""Tables of one board. Every function takes the rows of one board and refuses a mixture."""

from __future__ import annotations

from typing import Literal, get_args

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.cluster import cluster_sums, with_interval
from fcbench.aggregate.costs import COST_SCHEMA, with_costs
from fcbench.aggregate.frames import RUN_COLUMNS
from fcbench.aggregate.metrics import (
    AFTER_ERRORS,
    JUDGED,
    LATENCY,
    OVER_ATTEMPTS,
    PER_ATTEMPT,
    RANK,
    RECOVERY,
    attempt_rates,
    case_rates,
    per_case,
    rate,
)
from fcbench.aggregate.pairwise import call_shares, compare_all, passes_of
from fcbench.aggregate.power import detectable_on
from fcbench.aggregate.ranks import rank_intervals
from fcbench.aggregate.repeats import NAMES as REPEAT_NAMES
from fcbench.aggregate.repeats import fixed_runs, repeat_rows, shown_rates
from fcbench.engine.prices import PriceList
from fcbench.errors import UsageError

Segment = Literal["category", "level", "mix", "language", "suite", "trap", "schema", "tool", "fault_kind", "k"]
NO_VALUE = "(none)"
"""The segment of cases that carry no label of that kind."""
_RUN = ["run_id", "model", "control"]
_COLUMNS = {"trap": "traps", "tool": "tools", "schema": "target_tool"}
_LISTS = ("trap", "tool")
_WITHOUT_LABEL = ("fault_kind", "k")
CASE_LABELS = (*_RUN[1:], *(_COLUMNS.get(name, name) for name in get_args(Segment) if name not in _WITHOUT_LABEL))
"""What `per_case` must carry along for every table of segments."""


def _rate_columns(name: str, *, interval: bool = False) -> dict[str, pl.DataType]:
    ends: dict[str, pl.DataType] = {f"{name}_low": pl.Float64(), f"{name}_high": pl.Float64()} if interval else {}
    return {name: pl.Float64(), **ends, f"{name}_sum": pl.Float64(), f"{name}_n": pl.Int64()}


BOARD_SCHEMA = pl.Schema(
    {
        "rank": pl.Int32(),
        "rank_low": pl.Int32(),
        "rank_high": pl.Int32(),
        "run_id": pl.String(),
        "model": pl.String(),
        "control": pl.Boolean(),
        "badges": pl.List(pl.String()),
        **_rate_columns("strict", interval=True),
        "strict_note": pl.String(),
        "detectable": pl.Float64(),
        "strict_worst": pl.Float64(),
        "strict_best": pl.Float64(),
        "strict_attempts_passed": pl.Int64(),
        "strict_attempts": pl.Int64(),
        **_rate_columns("restraint_accuracy", interval=True),
        "restraint_worst": pl.Float64(),
        "restraint_best": pl.Float64(),
        **_rate_columns("recovered"),
        **_rate_columns(RECOVERY),
        **_rate_columns("flip_rate"),
        **{key: kind for name in REPEAT_NAMES for key, kind in _rate_columns(name).items()},
        **_rate_columns("offered"),
        **_rate_columns("completion"),
        "complete": pl.Boolean(),
        **_rate_columns("exact_match"),
        **_rate_columns("partial"),
        **{key: kind for name in OVER_ATTEMPTS[:4] for key, kind in _rate_columns(name).items()},
        **{key: kind for name in AFTER_ERRORS for key, kind in _rate_columns(name).items()},
        **_rate_columns("tool_coverage"),
        **_rate_columns("retrieval_recall"),
        **dict.fromkeys(RANK, pl.Float64()),
        "worst_rank_n": pl.Int64(),
        **{key: kind for name in PER_ATTEMPT for key, kind in _rate_columns(name).items()},
        **dict.fromkeys(LATENCY, pl.Float64()),
        "input_tokens": pl.Int64(),
        "output_tokens": pl.Int64(),
        "cached_input_tokens": pl.Int64(),
        "tokens_known_n": pl.Int64(),
        **COST_SCHEMA,
        "model_run": pl.Int32(),
        "model_runs": pl.Int32(),
        "repeats": pl.Int32(),
        "cases_applicable": pl.Int64(),
        "cases_planned": pl.Int32(),
        "created_at": pl.String(),
        "harness_assistance": pl.String(),
        "purpose": pl.String(),
        "provider": pl.String(),
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


def board_table(frame: pl.DataFrame, prices: PriceList | None = None) -> pl.DataFrame:
    """One row a run, as `BOARD_SCHEMA`: ranked runs first, then unranked ones, then controls.

    Several runs of one model at one provider stand as runs over time: `model_run` of `model_runs`, the oldest first.
    Costs are null where `prices` does not know the model, or its tokens were not counted.

    A rank is 1 plus the number of ranked runs with a higher strict accuracy; equal accuracies share it. `rank_low` and
    `rank_high` are the places that a run may have as far as the board can tell (`ranks`). All three are null for
    controls, for runs that are incomplete at this tier, and for runs of another purpose than `board`.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row.
    """
    single_board(frame)
    cases = per_case(frame, ["run_id"])
    return ranked(run_rows(frame, cases), call_shares(cases), prices)[0]


def run_rows(frame: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """One row a run, without a rank: all that a run tells without the others of its board.

    Args:
        frame: whole runs of one board.
        cases: `per_case` of the same rows, by `run_id`.
    """
    groups = ["run_id"]
    of_calls, ends = pl.col("is_call"), ("worst", "best")
    bounds = cases.group_by(groups).agg(
        *(pl.col(end).filter(of_calls).mean().alias(f"strict_{end}") for end in ends),
        *(pl.col(end).filter(~of_calls).mean().alias(f"restraint_{end}") for end in ends),
    )
    applicable = cases.group_by(groups).agg(pl.len().cast(pl.Int64).alias("cases_applicable"))
    runs = frame.group_by(groups, maintain_order=True).agg(
        pl.col(name).first() for name in RUN_COLUMNS if name != "run_id"
    )
    table, repeats = runs, shown_rates(cases, fixed_runs(runs))
    clusters = cluster_sums(cases, groups)
    for part in (case_rates(cases, groups), clusters, attempt_rates(frame, groups), bounds, applicable, repeats):
        table = table.join(part, on=groups, how="left", maintain_order="left")
    return table


def ranked(
    rows: pl.DataFrame, shares: pl.DataFrame, prices: PriceList | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of all runs of one board (`run_rows`) as `BOARD_SCHEMA`, with ranks and intervals, in their order.

    The second frame holds the comparisons of all pairs of ranked runs, as `pairwise.PAIR_SCHEMA`.

    Args:
        rows: one row a run.
        shares: `pairwise.call_shares` of the same runs, for the comparison of each with each.
        prices: what a million tokens of each model cost.
    """
    table = with_interval(with_interval(rows, "strict"), "restraint_accuracy")
    table = with_costs(table, prices).with_columns(
        _complete(),
        *_over_time(),
        pl.when(pl.col("badges").cast(pl.String) == "")
        .then(pl.lit([], pl.List(pl.String)))
        .otherwise(pl.col("badges").cast(pl.String).str.split("; "))
        .alias("badges"),
    )
    table = _in_order(table)
    pairs = compare_all(passes_of(shares, _ranked_runs(table)))
    table = _with_comparisons(table, pairs)
    return table.select(pl.col(name).cast(kind) for name, kind in BOARD_SCHEMA.items()), pairs


def segment_table(frame: pl.DataFrame, by: Segment) -> pl.DataFrame:
    """One row a (run, segment) as `SEGMENT_SCHEMA`, sorted by run and segment.

    `schema` is the function that a case is about, `tool` each expected tool. A case with several traps or tools counts
    in each of them, so these segments do not add up to the whole. Fault kinds come as `FAULT_SCHEMA`, and `k` as
    `REPEAT_SCHEMA`: pass^k and pass@k for every number of repeats.

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
    labels = [] if by in _WITHOUT_LABEL else [_COLUMNS.get(by, by)]
    cases = per_case(frame, ["run_id"], [*_RUN[1:], *labels])
    return repeat_rows(cases, fixed_runs(frame)) if by == "k" else segment_rows(cases, by)


def segment_rows(cases: pl.DataFrame, by: Segment) -> pl.DataFrame:
    """The table of segments from `per_case` by `run_id` with `CASE_LABELS`, or the label of this table."""
    groups = [*_RUN, "segment"]
    labelled = _labelled(cases, by)
    table = case_rates(labelled, groups, ("strict", "restraint_accuracy", "partial"))
    table = table.join(cluster_sums(labelled, groups), on=groups, how="left", maintain_order="left")
    completion = labelled.group_by(groups).agg(
        pl.col("judged").sum().cast(pl.Float64).alias("completion_sum"), pl.col("attempts").sum().alias("completion_n")
    )
    table = table.join(completion, on=groups, how="left").with_columns(rate("completion"))
    table = with_interval(with_interval(table, "strict"), "restraint_accuracy")
    return table.select(pl.col(name).cast(kind) for name, kind in SEGMENT_SCHEMA.items()).sort("run_id", "segment")


def segments_in_order(table: pl.DataFrame, by: Segment) -> pl.DataFrame:
    """A table of segments sorted by run and segment; numbers of repeats as numbers."""
    return table.sort("run_id", pl.col("segment").cast(pl.Int32) if by == "k" else "segment")


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
    name = _COLUMNS.get(by, by)
    exploded = cases
    if by in _LISTS:
        exploded = cases.with_columns(pl.col(name).list.unique(maintain_order=True)).explode(name, empty_as_null=True)
    return exploded.with_columns(pl.col(name).cast(pl.String).fill_null(NO_VALUE).alias("segment"))


def _over_time() -> list[pl.Expr]:
    """Which of the runs of its model at its provider a run is, by the time when it was made."""
    one = [pl.col(name).cast(pl.String) for name in ("model", "provider")]
    made = pl.struct(pl.col("created_at", "run_id").cast(pl.String))
    return [
        made.rank("ordinal").over("control", *one).alias("model_run"),
        pl.len().over("control", *one).alias("model_runs"),
    ]


def _complete() -> pl.Expr:
    judged_all = pl.col("completion_sum") == pl.col("completion_n")
    return (judged_all & pl.col("sealed_complete")).alias("complete")


def _ranked_runs(table: pl.DataFrame) -> list[str]:
    return table.filter(pl.col("rank").is_not_null())["run_id"].to_list()


def _with_comparisons(table: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    runs = _ranked_runs(table)
    # Of the ranked runs, which all have the same cases; where there is none, of whoever has most.
    most = table.filter(pl.col("rank").is_not_null()) if runs else table
    cases, repeats = most.select(pl.col("strict_n", "repeats").max().fill_null(0)).row(0)
    smallest = pl.lit(detectable_on(pairs, cases, repeats), pl.Float64).alias("detectable")
    places = rank_intervals(runs, pairs)
    return table.join(places, on="run_id", how="left", maintain_order="left").with_columns(smallest)


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
    "segments_in_order",
]
