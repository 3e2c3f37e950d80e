"""Every two ranked runs of one board against each other, with Holm's correction over all pairs (PROTOCOL 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

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
        "test": pl.String(),
        "p": pl.Float64(),
        "p_holm": pl.Float64(),
    }
)
"""One row a pair: strict accuracy of both over the same call cases, b minus a, and p before and after Holm."""
Integers: TypeAlias = NDArray[np.int64]
_NOT_JUDGED = -1


@dataclass(frozen=True)
class Passes:
    """Passing repeats of every (run, call case) of one board.

    `counts` has one line a run and one column a case; -1 where the run has no verdict. `repeats` are those that a run
    judged of each case. `clusters` numbers the family of each case; None where every case stands for itself.
    """

    runs: Sequence[str]
    counts: Integers
    repeats: Sequence[int]
    clusters: Integers | None


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
    named = pl.DataFrame({"run_id": list(runs)}, schema={"run_id": pl.String}).with_row_index("line")
    rows = shares.with_columns(pl.col("run_id").cast(pl.String)).join(named, on="run_id")
    cases = rows.select("task_id", "cluster").unique("task_id", maintain_order=True).with_row_index("column")
    placed = rows.join(cases.select("task_id", "column"), on="task_id")
    counts = np.full((len(runs), cases.height), _NOT_JUDGED, dtype=np.int64)
    counts[placed["line"].to_numpy(), placed["column"].to_numpy()] = placed["passes"].to_numpy()
    most = dict(placed.group_by("line").agg(pl.col("judged").max()).iter_rows())
    return Passes(runs, counts, [most.get(line, 1) for line in range(len(runs))], _numbered(cases))


def compare_all(passes: Passes) -> pl.DataFrame:
    """All pairs as `PAIR_SCHEMA`, in the order of the runs; Holm over those that are there.

    With one repeat on both sides and no families the exact test of McNemar, else the sign-flip test on the differences
    of the shares of passing repeats, summed over each family. Cases that only one of the two judged are left out.
    """
    rows = [_pair(passes, a, b) for a, b in combinations(range(len(passes.runs)), 2)]
    table = pl.DataFrame(rows, schema=[name for name in PAIR_SCHEMA.items() if name[0] != "p_holm"])
    adjusted = holm(table["p"].to_list())
    return table.with_columns(pl.Series("p_holm", adjusted, dtype=pl.Float64))


def differences_of(passes: Passes, a: int, b: int) -> tuple[Integers, int]:
    """Shares of passing repeats of b minus those of a, summed by cluster, in whole units; and how many make 1."""
    first, second = passes.counts[a], passes.counts[b]
    both = (first >= 0) & (second >= 0)
    moved = np.where(both, second * passes.repeats[a] - first * passes.repeats[b], 0)
    unit = passes.repeats[a] * passes.repeats[b]
    if passes.clusters is None:
        return moved[both], unit
    present = np.unique(passes.clusters[both])
    summed = np.zeros(int(passes.clusters.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(summed, passes.clusters, moved)
    return summed[present], unit


def _pair(passes: Passes, a: int, b: int) -> dict[str, object]:
    moved, _ = differences_of(passes, a, b)
    both = (passes.counts[a] >= 0) & (passes.counts[b] >= 0)
    n = int(both.sum())
    first, second = (float(passes.counts[one][both].sum()) / (max(n, 1) * passes.repeats[one]) for one in (a, b))
    once = passes.clusters is None and (passes.repeats[a], passes.repeats[b]) == (1, 1)
    test: Test = "mcnemar" if once else "sign-flip"
    return {
        "run_a": passes.runs[a],
        "run_b": passes.runs[b],
        "cases": n,
        "a": first if n else None,
        "b": second if n else None,
        "difference": second - first if n else None,
        "test": test,
        "p": _mcnemar(moved) if once else _sign_flip(moved),
    }


def _mcnemar(moved: Integers) -> float:
    lost, gained = int((moved < 0).sum()), int((moved > 0).sum())
    return exact_mcnemar(lost, gained) if lost + gained <= MAX_EXACT_CASES else _sign_flip(moved)


def _sign_flip(moved: Integers) -> float:
    sizes, counts = np.unique(np.abs(moved[moved != 0]), return_counts=True)
    return sign_flip_of_steps(Counter(dict(zip(sizes.tolist(), counts.tolist(), strict=True))), int(moved.sum()))


def _numbered(cases: pl.DataFrame) -> Integers | None:
    """The number of each case's cluster; None where each case is alone in its own."""
    named = cases["cluster"].drop_nulls()
    if named.n_unique() == named.len():
        return None
    # A cluster and a case may bear the same name.
    own = (
        pl.when(pl.col("cluster").is_null())
        .then(pl.format("case {}", "task_id"))
        .otherwise(pl.format("cluster {}", "cluster"))
    )
    return cases.select(own.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
