"""Metrics: what each number of a table is made of (PROTOCOL 3 to 5).

Two kinds of rates, both with numerator (`<name>_sum`) and denominator (`<name>_n`) beside them:

- over cases: the mean over cases of the mean over a case's judged repeats. Strict accuracy, restraint accuracy and all
  that stand beside them are of this kind. `_sum` is the sum of the per-case means, `_n` the number of cases.
- over attempts: a share of judged attempts. The four dimensions and exact match are of this kind. `_sum` and `_n` count
  attempts; null counts as not conforming and not faithful.

Call cases and restraint cases never share a denominator. Only judged attempts count: a row without a verdict is no
failure, it lowers the completion rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from fcbench.aggregate.cluster import family_of
from fcbench.aggregate.costs import paid_sums

IS_CALL = pl.col("decision") == "call"
JUDGED = pl.col("passed").is_not_null()
OVER_CASES: dict[str, tuple[pl.Expr, pl.Expr]] = {
    "strict": (pl.col("passed").cast(pl.Float64), IS_CALL),
    "restraint_accuracy": (pl.col("passed").cast(pl.Float64), ~IS_CALL),
    "recovered": (pl.col("passed_with_recovery").cast(pl.Float64), IS_CALL),
    "offered": (pl.col("passed").cast(pl.Float64), IS_CALL & pl.col("expected_tools_offered")),
    "partial": (pl.col("partial_score"), IS_CALL),
    "tool_coverage": (pl.col("partial_tool_coverage"), IS_CALL),
    "retrieval_recall": (pl.col("retrieval_recall"), IS_CALL & pl.col("retrieval_recall").is_not_null()),
}
"""Rate -> (value of one attempt, which attempts count)."""
OF_CASES = ("flip_rate",)
"""Rates over cases that a single attempt cannot show. `flip_rate`: of the call cases with two verdicts or more, those
whose repeats do not agree (PROTOCOL 7)."""
OVER_ATTEMPTS = ("syntactic_validity", "schema_conformance", "argument_fidelity", "restraint", "exact_match")
"""Over the attempts of call cases, where a call was due."""
AFTER_ERRORS = {"conforming_after_1": 2, "conforming_after_2": 3}
"""In complex-schema suites, where dimensions judge the first reply: attempts of which one of the first two (three)
replies conformed, over the attempts of single-call tasks where a call was due (PROTOCOL 5)."""
PER_ATTEMPT = {
    "over_calls": ("over_calls", IS_CALL),
    "duplicate_calls": ("duplicate_calls", IS_CALL),
    "calls": ("calls", IS_CALL),
    "restraint_calls": ("calls", ~IS_CALL),
    "rounds": ("rounds", IS_CALL),
}
"""Means over judged attempts -> (column, which attempts count); `_sum` is a count of calls or rounds."""
RECOVERY = "recovery"
"""Over the attempts of call cases in which a call was refused as invalid: those that passed all the same, counting a
right call after it."""
RANK = {"worst_rank_p50": 0.5, "worst_rank_p95": 0.95}
"""Quantiles of the rank of the expected tool that retrieval found last, over judged attempts of call cases to which
every expected tool was offered; what was not offered is told by `retrieval_recall`."""
LATENCY = {"latency_p50_s": 0.5, "latency_p95_s": 0.95}
"""Quantiles of an attempt's whole duration, linear between neighbours, over judged attempts."""


def per_case(frame: pl.DataFrame, groups: list[str], labels: Sequence[str] = ()) -> pl.DataFrame:
    """One row a (group, case): the mean of every rate, and the worst and best share of passes that may yet be.

    `judged` and `attempts` count the case's rows; `cluster` is the family that it shares with cases that are not
    independent of it (`cluster.family_of`), or null. `labels` are columns that are one value all over a (group, case):
    with them a table of segments can be made from these rows, without going over the attempts again.
    """
    # Masked columns first: a filter inside every group of one to three rows costs many times more.
    masked = [pl.when(JUDGED & counts).then(value).alias(name) for name, (value, counts) in OVER_CASES.items()]
    columns = frame.select(
        *groups, *labels, "task_id", "passed", IS_CALL.alias("is_call"), family_of(frame).alias("cluster"), *masked
    )
    passes, unjudged = pl.col("passed").sum(), pl.col("passed").null_count()
    return columns.group_by(*groups, "task_id", maintain_order=True).agg(
        pl.col("is_call", "cluster", *labels).first(),
        pl.col(*OVER_CASES).mean(),
        _flips().alias("flip_rate"),
        (passes / pl.len()).alias("worst"),
        ((passes + unjudged) / pl.len()).alias("best"),
        passes.cast(pl.Int64).alias("passes"),
        pl.col("passed").count().cast(pl.Int64).alias("judged"),
        pl.len().cast(pl.Int64).alias("attempts"),
    )


def _flips() -> pl.Expr:
    shares = pl.col("strict")
    differs = (shares.min() != shares.max()).cast(pl.Float64)
    return pl.when(shares.count() > 1).then(differs)


def case_rates(cases: pl.DataFrame, groups: list[str], names: Iterable[str] = (*OVER_CASES, *OF_CASES)) -> pl.DataFrame:
    """Rates over cases, from the rows of `per_case`: `<name>`, `<name>_sum`, `<name>_n` for each that is named."""
    parts, names = [], tuple(names)
    for name in names:
        parts += [pl.col(name).sum().alias(f"{name}_sum"), pl.col(name).count().cast(pl.Int64).alias(f"{name}_n")]
    sums = cases.group_by(groups, maintain_order=True).agg(*parts)
    return sums.with_columns(rate(name) for name in names)


def rate(name: str) -> pl.Expr:
    """`<name>_sum / <name>_n`, null where nothing was counted."""
    count = pl.col(f"{name}_n")
    return pl.when(count > 0).then(pl.col(f"{name}_sum") / count).alias(name)


def attempt_rates(frame: pl.DataFrame, groups: list[str]) -> pl.DataFrame:
    """Rates over attempts, latency, tokens and completion, one row a group."""
    due = JUDGED & IS_CALL
    parts = []
    for name in OVER_ATTEMPTS:
        parts += [
            (pl.col(name).fill_null(value=False) & due).sum().cast(pl.Float64).alias(f"{name}_sum"),
            due.sum().cast(pl.Int64).alias(f"{name}_n"),
        ]
    single = due & pl.col("single_call")
    for name, replies in AFTER_ERRORS.items():
        conformed = pl.col("conforming_replies").list.head(replies).list.any().fill_null(value=False)
        parts += [
            (conformed & single).sum().cast(pl.Float64).alias(f"{name}_sum"),
            single.sum().cast(pl.Int64).alias(f"{name}_n"),
        ]
    for name, (column, counted) in PER_ATTEMPT.items():
        known = JUDGED & counted & pl.col(column).is_not_null()
        parts += [
            pl.when(known).then(pl.col(column)).sum().cast(pl.Float64).alias(f"{name}_sum"),
            known.sum().cast(pl.Int64).alias(f"{name}_n"),
        ]
    refused = due & (pl.col("invalid_calls") > 0)
    parts += [
        (refused & pl.col("passed_with_recovery")).sum().cast(pl.Float64).alias(f"{RECOVERY}_sum"),
        refused.sum().cast(pl.Int64).alias(f"{RECOVERY}_n"),
    ]
    ranks = pl.when(due).then(pl.col("worst_rank"))
    parts += [ranks.quantile(share, "linear").alias(name) for name, share in RANK.items()]
    parts += [ranks.count().cast(pl.Int64).alias("worst_rank_n"), *paid_sums(JUDGED, due)]
    latency = [
        pl.col("duration_s").filter(JUDGED).quantile(share, "linear").alias(name) for name, share in LATENCY.items()
    ]
    tokens = [_known_sum(name).alias(name) for name in ("input_tokens", "output_tokens", "cached_input_tokens")]
    counts = [
        JUDGED.sum().cast(pl.Float64).alias("completion_sum"),
        pl.len().cast(pl.Int64).alias("completion_n"),
        (JUDGED & IS_CALL & pl.col("passed")).sum().cast(pl.Int64).alias("strict_attempts_passed"),
        due.sum().cast(pl.Int64).alias("strict_attempts"),
        pl.col("input_tokens").filter(JUDGED).count().cast(pl.Int64).alias("tokens_known_n"),
    ]
    sums = frame.group_by(groups, maintain_order=True).agg(*parts, *latency, *tokens, *counts)
    return sums.with_columns(
        rate(name) for name in (*OVER_ATTEMPTS, *AFTER_ERRORS, *PER_ATTEMPT, RECOVERY, "completion")
    )


def _known_sum(name: str) -> pl.Expr:
    """Sum over judged attempts; null, not 0, where no provider said anything."""
    known = pl.col(name).filter(JUDGED)
    return pl.when(known.count() > 0).then(known.sum())
