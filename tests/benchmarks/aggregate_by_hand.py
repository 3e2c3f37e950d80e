"""The same tables by hand: what someone who knows polars writes for one purpose and one data set.

Nothing is checked here: no board key, no order, no interval, no rank. Numbers are those of `board_table`,
`segment_table` and `fault_table`; the benchmark compares some of them before it takes times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

SEGMENTS = ("category", "level", "mix", "language", "suite", "target_tool")
LISTS = {"trap": "traps", "tool": "tools"}
MEANS = {
    "strict": "passed",
    "recovered": "passed_with_recovery",
    "partial": "partial_score",
    "tool_coverage": "partial_tool_coverage",
    "retrieval_recall": "retrieval_recall",
}
PAID = ("input_tokens", "cached_input_tokens", "output_tokens")
PER_ATTEMPT = ("over_calls", "duplicate_calls", "calls", "rounds")
SHARES = ("syntactic_validity", "schema_conformance", "argument_fidelity", "restraint", "exact_match")


def with_polars(paths: Sequence[Path]) -> dict[str, pl.DataFrame]:
    """Board, segments and faults in one streaming query, with labels and sums of each case made once."""
    rows = pl.scan_parquet(paths).with_columns(pl.col("run_id").cast(pl.String))
    cases = _cases(rows)
    queries = {"board": _board(cases, rows)}
    queries |= {name: _segment(cases, name) for name in SEGMENTS}
    queries |= {name: _segment(cases.explode(column, empty_as_null=True), column) for name, column in LISTS.items()}
    queries["fault"] = _faults(rows)
    queries["k"] = _repeats(cases)
    return dict(zip(queries, pl.collect_all(list(queries.values()), engine="streaming"), strict=True))


def _cases(rows: pl.LazyFrame) -> pl.LazyFrame:
    judged = pl.col("passed").is_not_null()
    passes = pl.col("passed").sum()
    return rows.group_by("run_id", "task_id").agg(
        (pl.col("decision").first() == "call").alias("call"),
        pl.col(*SEGMENTS, *LISTS.values()).first(),
        *(pl.when(judged).then(pl.col(column)).mean().alias(name) for name, column in MEANS.items()),
        pl.when(judged & pl.col("expected_tools_offered")).then(pl.col("passed")).mean().alias("offered"),
        (pl.col("passed").min() != pl.col("passed").max()).alias("flips"),
        (judged.sum() > 1).alias("several"),
        passes.alias("passes"),
        judged.sum().alias("judged"),
        pl.len().alias("rows"),
    )


def _board(cases: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    call = pl.col("call")
    columns = [*MEANS, "offered"]
    unjudged = pl.col("rows") - pl.col("judged")
    of_cases = cases.group_by("run_id").agg(
        *(pl.col(name).filter(call).sum().alias(f"{name}_sum") for name in columns),
        *(pl.col(name).filter(call).count().alias(f"{name}_n") for name in columns),
        pl.col("strict").filter(~call).sum().alias("restraint_accuracy_sum"),
        pl.col("strict").filter(~call).count().alias("restraint_accuracy_n"),
        pl.col("flips").filter(call & pl.col("several")).mean().alias("flip_rate"),
        *(value.filter(call & (pl.col("judged") >= k)).sum().alias(name) for name, k, value in _pass_k((2, 3, 5))),
        *((call & (pl.col("judged") >= k)).sum().alias(f"pass_{k}_n") for k in (2, 3, 5)),
        (pl.col("passes") / pl.col("rows")).filter(call).mean().alias("strict_worst"),
        ((pl.col("passes") + unjudged) / pl.col("rows")).filter(call).mean().alias("strict_best"),
        (pl.col("passes") / pl.col("rows")).filter(~call).mean().alias("restraint_worst"),
        ((pl.col("passes") + unjudged) / pl.col("rows")).filter(~call).mean().alias("restraint_best"),
        pl.len().alias("cases_applicable"),
    )
    judged = pl.col("passed").is_not_null()
    due = judged & (pl.col("decision") == "call")
    single = due & pl.col("single_call")
    of_attempts = rows.group_by("run_id").agg(
        pl.col("model", "provider", "badges", "purpose", "created_at").first(),
        *((pl.col(name) & due).sum().alias(f"{name}_sum") for name in SHARES),
        (pl.col("conforming_replies").list.head(2).list.any() & single).sum().alias("after_1"),
        (pl.col("conforming_replies").list.head(3).list.any() & single).sum().alias("after_2"),
        single.sum().alias("after_n"),
        (pl.col("passed") & due).sum().alias("strict_attempts_passed"),
        due.sum().alias("due"),
        pl.col("duration_s").filter(judged).quantile(0.5, "linear").alias("latency_p50_s"),
        pl.col("duration_s").filter(judged).quantile(0.95, "linear").alias("latency_p95_s"),
        pl.col("input_tokens", "output_tokens", "cached_input_tokens").filter(judged).sum(),
        *(pl.col(name).filter(due).sum().alias(f"{name}_due") for name in PAID),
        *(pl.col(name).filter(due).mean().alias(f"{name}_mean") for name in PER_ATTEMPT),
        pl.col("calls").filter(judged & (pl.col("decision") != "call")).mean().alias("restraint_calls"),
        pl.col("passed_with_recovery").filter(due & (pl.col("invalid_calls") > 0)).mean().alias("recovery"),
        pl.col("worst_rank").filter(due).quantile(0.5, "linear").alias("worst_rank_p50"),
        pl.col("worst_rank").filter(due).quantile(0.95, "linear").alias("worst_rank_p95"),
        judged.sum().alias("completion_sum"),
        pl.len().alias("completion_n"),
    )
    return of_attempts.join(of_cases, on="run_id")


def _segment(cases: pl.LazyFrame, name: str) -> pl.LazyFrame:
    call = pl.col("call")
    return cases.group_by("run_id", name).agg(
        pl.col("strict").filter(call).sum().alias("strict_sum"),
        pl.col("strict").filter(call).count().alias("strict_n"),
        pl.col("strict").filter(~call).sum().alias("restraint_accuracy_sum"),
        pl.col("strict").filter(~call).count().alias("restraint_accuracy_n"),
        pl.col("partial").filter(call).mean().alias("partial"),
        pl.col("judged", "rows").sum(),
    )


def _pass_k(ks: Sequence[int]) -> Iterator[tuple[str, int, pl.Expr]]:
    """Products of quotients, which are the quotients of binomials."""
    judged, passes = pl.col("judged").cast(pl.Float64), pl.col("passes").cast(pl.Float64)
    for k in ks:
        every = any_of = pl.lit(1.0)
        for place in range(k):
            every = every * (passes - place) / (judged - place)
            any_of = any_of * (judged - passes - place) / (judged - place)
        yield f"pass_hat_{k}_sum", k, every
        yield f"pass_at_{k}_sum", k, 1 - any_of


def _repeats(cases: pl.LazyFrame) -> pl.LazyFrame:
    call = pl.col("call")
    return cases.group_by("run_id").agg(
        *(value.filter(call & (pl.col("judged") >= k)).mean().alias(name) for name, k, value in _pass_k(range(1, 6)))
    )


def _faults(rows: pl.LazyFrame) -> pl.LazyFrame:
    judged = rows.filter(pl.col("passed").is_not_null()).select("run_id", "task_id", "repeat", "fault_kinds")
    shown = judged.explode("fault_kinds", empty_as_null=False)
    return shown.group_by("run_id", "fault_kinds").agg(
        pl.len().alias("faults"),
        pl.col("task_id").n_unique().alias("cases"),
        pl.struct("task_id", "repeat").n_unique().alias("attempts"),
    )
