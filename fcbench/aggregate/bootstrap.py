"""The seeded bootstrap over clusters: a second way to an interval, as a check of the first (PROTOCOL 7)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import polars as pl

DRAWS = 2000
SEED = 7


def bootstrap(clusters: Sequence[tuple[float, int]], *, draws: int = DRAWS, seed: int = SEED) -> tuple[float, float]:
    """Percentile interval (95 %) of the mean over cases, clusters drawn with replacement (Efron 1979).

    It knows no value that was not seen: where all cases agree it has no width. So it checks, and does not replace, the
    intervals of the tables.

    Args:
        clusters: of each the sum of its values and the number of its cases; a case by itself is (value, 1).
        draws: resamples.
        seed: of the generator, so that the same data give the same interval.

    Raises:
        ValueError: there is no cluster.
    """
    if not clusters:
        raise ValueError("no cluster")
    rng = random.Random(seed)
    alone = all(cases == 1 for _, cases in clusters)
    means = []
    for _ in range(draws):
        drawn = rng.choices(clusters, k=len(clusters))
        cases = len(drawn) if alone else sum(n for _, n in drawn)
        means.append(sum(total for total, _ in drawn) / cases)
    means.sort()
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]


def with_bootstrap(table: pl.DataFrame, shares: pl.DataFrame) -> pl.DataFrame:
    """A board's table with `strict_boot_low` and `strict_boot_high`: the interval of `strict` once more.

    Args:
        table: as `tables.BOARD_SCHEMA`.
        shares: `pairwise.call_shares` of its runs.
    """
    # A case without a family is one by itself, whatever families are called.
    alone = pl.when(pl.col("cluster").is_null()).then(pl.col("task_id").cast(pl.String)).alias("alone")
    rates = shares.select(
        pl.col("run_id").cast(pl.String),
        pl.col("cluster").cast(pl.String),
        alone,
        (pl.col("passes") / pl.col("judged")).alias("share"),
    )
    sums = rates.group_by("run_id", "cluster", "alone", maintain_order=True).agg(pl.col("share").sum(), pl.len())
    found = {
        str(run): bootstrap(list(rows.select("share", "len").iter_rows()))
        for (run,), rows in sums.partition_by("run_id", as_dict=True).items()
    }
    ends = [found.get(run, (None, None)) for run in table["run_id"]]
    names = ("strict_boot_low", "strict_boot_high")
    return table.with_columns(
        pl.Series(name, [end[place] for end in ends], dtype=pl.Float64) for place, name in enumerate(names)
    )
