"""Rank intervals: between which places a run may stand, as far as this board can tell (PROTOCOL 7)."""

from __future__ import annotations

import polars as pl

from fcbench.aggregate.pairwise import LEVEL


def rank_intervals(runs: list[str], pairs: pl.DataFrame, *, level: float = LEVEL) -> pl.DataFrame:
    """One row a run: `rank_low` (best place) and `rank_high` (worst place).

    The best place is 1 plus the number of runs that are significantly better, the worst is the number of runs less
    those that are significantly worse; significant is a difference whose p after Holm lies below the level. Since Holm
    keeps the chance of any false difference below the level, so is the chance that any interval is too narrow.

    Args:
        runs: ids of all ranked runs of one board.
        pairs: all their pairs, as `pairwise.PAIR_SCHEMA`.
        level: of the test, two-sided.
    """
    better, worse = dict.fromkeys(runs, 0), dict.fromkeys(runs, 0)
    for a, b, difference, p in pairs.select("run_a", "run_b", "difference", "p_holm").iter_rows():
        if p < level and difference:
            winner, loser = (b, a) if difference > 0 else (a, b)
            better[loser] += 1
            worse[winner] += 1
    return pl.DataFrame(
        {
            "run_id": runs,
            "rank_low": [1 + better[run] for run in runs],
            "rank_high": [len(runs) - worse[run] for run in runs],
        },
        schema={"run_id": pl.String, "rank_low": pl.Int32, "rank_high": pl.Int32},
    )
