"""pass^k and pass@k: what several repeats of a case say of k of them (PROTOCOL 7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from math import comb

import polars as pl

SHOWN = (2, 3, 5)
"""The k that a board's table has columns for; `repeat_rows` has every k."""
MAX_K = 100
"""The largest k of `repeat_rows`."""
NAMES = tuple(f"pass_{kind}_{k}" for k in SHOWN for kind in ("hat", "at"))
REPEAT_SCHEMA = pl.Schema(
    {
        "run_id": pl.String(),
        "model": pl.String(),
        "control": pl.Boolean(),
        "segment": pl.String(),
        "pass_hat": pl.Float64(),
        "pass_hat_sum": pl.Float64(),
        "pass_hat_n": pl.Int64(),
        "pass_at": pl.Float64(),
        "pass_at_sum": pl.Float64(),
        "pass_at_n": pl.Int64(),
    }
)
_Counts = list[tuple[int, int, int]]
"""Judged repeats, how many of them pass, and how many cases are so."""


def pass_hat(judged: int, passes: int, k: int) -> float | None:
    """The chance that k repeats all pass, without bias: C(passes, k) / C(judged, k).

    It is the share of the ways to choose k of the judged repeats in which all pass (tau-bench: Yao, Shinn, Razavi and
    Narasimhan 2024, arXiv 2406.12045). None where fewer than k repeats were judged.
    """
    return comb(passes, k) / comb(judged, k) if judged >= k else None


def pass_at(judged: int, passes: int, k: int) -> float | None:
    """The chance that at least one of k repeats passes, without bias: 1 - C(judged - passes, k) / C(judged, k).

    After Chen and others 2021, arXiv 2107.03374. None where fewer than k repeats were judged.
    """
    whole = comb(judged, k)
    return (whole - comb(judged - passes, k)) / whole if judged >= k else None


def fixed_runs(runs: pl.DataFrame) -> frozenset[str]:
    """The runs whose repeats were found to be identical, so that they say nothing of pass^k.

    Args:
        runs: rows with `run_id` and `badges`, any number for a run.
    """
    named = runs.select("run_id", "badges").unique().select(pl.all().cast(pl.String))
    return frozenset(named.filter(pl.col("badges").str.contains("(^|; )deterministic "))["run_id"])


def shown_rates(cases: pl.DataFrame, fixed: Collection[str]) -> pl.DataFrame:
    """`pass_hat_<k>` and `pass_at_<k>` of each run with numerator and denominator, for each k of `SHOWN`.

    Args:
        cases: `per_case` by `run_id`. Call cases count. A case with fewer than k judged repeats is in neither.
        fixed: `fixed_runs`; theirs are null.
    """
    rows = []
    for run, (counts, _) in _counted(cases, []).items():
        row: dict[str, object] = {"run_id": run}
        for k in SHOWN:
            row |= _rates(() if str(run) in fixed else counts, k, f"_{k}")
        rows.append(row)
    kinds: dict[str, pl.DataType] = {"run_id": cases.schema["run_id"]}
    for name in NAMES:
        kinds |= {name: pl.Float64(), f"{name}_sum": pl.Float64(), f"{name}_n": pl.Int64()}
    return pl.DataFrame(rows, schema=kinds)


def repeat_rows(cases: pl.DataFrame, fixed: Collection[str]) -> pl.DataFrame:
    """One row a (run, k) as `REPEAT_SCHEMA`, for k from 1 to the most judged repeats of a case, `segment` being k.

    A run whose repeats were found to be identical has k = 1 alone: further repeats would say nothing.

    Args:
        cases: `per_case` by `run_id`, with the labels `model` and `control`.
        fixed: `fixed_runs`.
    """
    rows: list[dict[str, object]] = []
    for run, (counts, labels) in _counted(cases, ["model", "control"]).items():
        most = 1 if str(run) in fixed else min(MAX_K, max((judged for judged, _, _ in counts), default=0))
        named = {"run_id": str(run), "model": str(labels[0]), "control": labels[1]}
        rows += [{**named, "segment": str(k), **_rates(counts, k, "")} for k in range(1, most + 1)]
    order = pl.col("segment").cast(pl.Int32)
    return pl.DataFrame(rows, schema=REPEAT_SCHEMA).sort("run_id", order)


def _counted(cases: pl.DataFrame, labels: Sequence[str]) -> dict[object, tuple[_Counts, tuple[object, ...]]]:
    """By run its counts and its labels."""
    table = cases.group_by("run_id", "judged", "passes", "is_call", maintain_order=True).agg(
        pl.len(), *(pl.col(name).first() for name in labels)
    )
    found: dict[object, tuple[_Counts, tuple[object, ...]]] = {}
    for run, judged, passes, is_call, count, *named in table.iter_rows():
        counts = found.setdefault(run, ([], tuple(named)))[0]
        if is_call and judged:
            counts.append((judged, passes, count))
    return found


def _rates(counts: Iterable[tuple[int, int, int]], k: int, end: str) -> dict[str, object]:
    sums: dict[str, float] = defaultdict(float)
    cases = 0
    for judged, passes, count in counts:
        every, any_of = pass_hat(judged, passes, k), pass_at(judged, passes, k)
        if every is not None and any_of is not None:
            sums["hat"] += count * every
            sums["at"] += count * any_of
            cases += count
    told: dict[str, object] = {}
    for kind in ("hat", "at"):
        name = f"pass_{kind}{end}"
        told |= {name: sums[kind] / cases if cases else None, f"{name}_sum": sums[kind], f"{name}_n": cases}
    return told


__all__ = [
    "MAX_K",
    "NAMES",
    "REPEAT_SCHEMA",
    "SHOWN",
    "fixed_runs",
    "pass_at",
    "pass_hat",
    "repeat_rows",
    "shown_rates",
]
