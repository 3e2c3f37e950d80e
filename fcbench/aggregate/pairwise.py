"""Every two ranked runs of one board against each other, with Holm's correction over all pairs (PROTOCOL 7)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from fcbench.aggregate.holm import holm
from fcbench.aggregate.mcnemar import exact_mcnemar
from fcbench.aggregate.sign_flip import sign_flip_of_steps

Test = Literal["mcnemar", "sign-flip"]
LEVEL = 0.05
"""Of a significant difference, two-sided, after the correction."""
MAX_EXACT_CASES = 2_000
"""With more cases that differ, McNemar's sum is taken from its tail approximation: each pair would take too long."""
SHARE_COLUMNS = ("run_id", "task_id", "cluster", "passes", "judged")
"""What comparisons need of a call case; `cluster` is null where the case is a cluster by itself."""
PAIR_SCHEMA = pl.Schema(
    {
        "run_a": pl.String(),
        "run_b": pl.String(),
        "cases": pl.Int64(),
        "a": pl.Float64(),
        "b": pl.Float64(),
        "difference": pl.Float64(),
        "mean_square": pl.Float64(),
        "test": pl.String(),
        "p": pl.Float64(),
        "p_holm": pl.Float64(),
    }
)
"""One row a pair: strict accuracy of both over the same call cases, b minus a, and p before and after Holm.

`mean_square` is the mean over cases of the squared difference, families squared whole: with one repeat and no families
the share of cases that one run passes and the other fails."""
_CLUSTER = "cluster"


@dataclass(frozen=True)
class Passes:
    """Passing repeats of every (run, call case) of one board.

    `counts` has one row a case and one column a run, under the run's number; null where the run has no verdict.
    `repeats` are those that a run judged of each case. `clusters` names the family of each case by a number; None where
    every case stands for itself.
    """

    runs: Sequence[str]
    counts: pl.DataFrame
    repeats: Sequence[int]
    clusters: pl.Series | None


def call_shares(cases: pl.DataFrame) -> pl.DataFrame:
    """The call cases of `per_case` rows as `SHARE_COLUMNS`: a small frame that can be kept of many runs."""
    passes = (pl.col("strict") * pl.col("judged")).round().cast(pl.Int32).alias("passes")
    # As categories, since names of cases come back in every run.
    names = [pl.col(name).cast(pl.Categorical()) for name in SHARE_COLUMNS[:3]]
    kept = cases.filter(pl.col("is_call") & (pl.col("judged") > 0))
    return kept.select(*names, passes, pl.col("judged").cast(pl.Int32))


def passes_of(shares: pl.DataFrame, runs: Sequence[str]) -> Passes:
    """The runs that are named, in their order, side by side.

    Args:
        shares: rows of `call_shares`, of one board; each run judged every case equally often.
        runs: ids of complete runs.
    """
    counts = shares.select("task_id", _CLUSTER).unique("task_id", maintain_order=True)
    repeats = []
    by_run = {str(run): rows for (run,), rows in shares.partition_by("run_id", as_dict=True).items()}
    for number, run in enumerate(runs):
        rows = by_run.get(run, shares.clear())
        named = rows.select("task_id", pl.col("passes").cast(pl.Int64).alias(str(number)))
        counts = counts.join(named, on="task_id", how="left", maintain_order="left")
        repeats.append(rows.select(pl.col("judged").max().fill_null(1)).item())
    return Passes(runs, counts.drop("task_id", _CLUSTER), repeats, _numbered(counts))


def compare_all(passes: Passes) -> pl.DataFrame:
    """All pairs as `PAIR_SCHEMA`, in the order of the runs; Holm over those that are there.

    With one repeat on both sides and no families the exact test of McNemar, else the sign-flip test on the differences
    of the shares of passing repeats, summed over each family. Cases that only one of the two judged are left out.
    """
    rows = [row for a in range(len(passes.runs) - 1) for row in _against_later(passes, a)]
    table = pl.DataFrame(rows, schema={name: kind for name, kind in PAIR_SCHEMA.items() if name != "p_holm"})
    return table.with_columns(pl.Series("p_holm", holm(table["p"].to_list()), dtype=pl.Float64))


def summed_differences(passes: Passes, a: int, others: Sequence[int]) -> pl.DataFrame:
    """For each other run one column: its passes less those of run a, in units of `unit`, summed by family.

    A case that one of the two did not judge counts as no difference. One row a family, or a case where there are none.
    """
    moved = [
        (pl.col(str(b)) * (unit(passes, a, b) // passes.repeats[b]))
        .sub(pl.col(str(a)) * (unit(passes, a, b) // passes.repeats[a]))
        .alias(str(b))
        for b in others
    ]
    if passes.clusters is None:
        return passes.counts.select(moved)
    frame = passes.counts.with_columns(passes.clusters.alias(_CLUSTER))
    return frame.group_by(_CLUSTER, maintain_order=True).agg(one.sum() for one in moved).drop(_CLUSTER)


def unit(passes: Passes, a: int, b: int) -> int:
    """What a difference of 1 in the share of passing repeats is in `summed_differences`."""
    return math.lcm(passes.repeats[a], passes.repeats[b])


def _against_later(passes: Passes, a: int) -> Iterator[dict[str, object]]:
    later = range(a + 1, len(passes.runs))
    # One query for all of them: polars counts the columns side by side.
    sizes = summed_differences(passes, a, later).select(pl.all().drop_nulls().value_counts().implode())
    judged = passes.counts.filter(pl.col(str(a)).is_not_null())
    here = judged.select(pl.col(str(a)).filter(pl.col(str(b)).is_not_null()).sum().alias(str(b)) for b in later)
    there, cases = judged.select(pl.all().sum()), judged.select(pl.all().count())
    for b in later:
        name, n = str(b), cases[str(b)].item()
        first, second = (
            here[name].item() / (n * passes.repeats[a] or 1),
            there[name].item() / (n * passes.repeats[b] or 1),
        )
        once = passes.clusters is None and (passes.repeats[a], passes.repeats[b]) == (1, 1)
        test: Test = "mcnemar" if once else "sign-flip"
        moved = {one[name]: one["count"] for one in sizes[name].item()}
        square = sum(difference * difference * count for difference, count in moved.items())
        yield {
            "run_a": passes.runs[a],
            "run_b": passes.runs[b],
            "cases": n,
            "a": first if n else None,
            "b": second if n else None,
            "difference": second - first if n else None,
            "mean_square": square / (n * unit(passes, a, b) ** 2) if n else None,
            "test": test,
            "p": _p(moved, test),
        }


def _p(moved: Mapping[int, int], test: Test) -> float:
    """Of the differences that occur, each with its number."""
    if test == "mcnemar":
        lost, gained = moved.get(-1, 0), moved.get(1, 0)
        if lost + gained <= MAX_EXACT_CASES:
            return exact_mcnemar(lost, gained)
    sizes: Counter[int] = Counter()
    for difference, count in moved.items():
        if difference:
            sizes[abs(difference)] += count
    return sign_flip_of_steps(sizes, sum(difference * count for difference, count in moved.items()))


def _numbered(cases: pl.DataFrame) -> pl.Series | None:
    """The number of each case's cluster; None where each case is alone in its own."""
    named = cases[_CLUSTER].drop_nulls()
    if named.n_unique() == named.len():
        return None
    # A cluster and a case may bear the same name.
    family, alone = pl.format("cluster {}", _CLUSTER), pl.format("case {}", "task_id")
    named_all = pl.when(pl.col(_CLUSTER).is_null()).then(alone).otherwise(family)
    return cases.select(named_all.rank("dense").cast(pl.Int64)).to_series()


__all__ = [
    "LEVEL",
    "PAIR_SCHEMA",
    "SHARE_COLUMNS",
    "Passes",
    "call_shares",
    "compare_all",
    "passes_of",
    "summed_differences",
    "unit",
]
