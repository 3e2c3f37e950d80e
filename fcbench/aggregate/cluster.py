"""Which cases are not independent of each other, and the intervals that know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from fcbench.aggregate.intervals import ClusterSums, cluster_robust

FAMILIES = {"family": "family", "pair": "pair"}
"""Labels that make cases a family, the first that is written on a case counts -> the word before its value.

`family` is written by a suite's author for cases that vary one situation. `pair` joins twins in two languages: on one
board they stand only where a collection holds both. Neither the fixture nor the function asked for makes a family: a
collection has few of them, every run meets the same ones, and a claim is about them and not about others like them.
"""
WITH_INTERVAL = ("strict", "restraint_accuracy")
"""Rates over cases that stand with an interval."""
NOTES = {
    "once": "Wilson: cases are independent",
    "repeats": "cluster-robust over cases: repeats of a case are not independent",
    "families": "cluster-robust over families: their cases are not independent",
}
"""What stands behind an interval: the `_note` of its rate."""
_SUMS = ("clusters", "attempts", "squares", "products", "sizes")
_FIELDS = {"total": "sum", "cases": "n", **dict(zip(_SUMS, _SUMS, strict=True))}
"""Field of `ClusterSums` -> the column behind the name of the rate."""


def family_of(frame: pl.DataFrame) -> pl.Expr:
    """The family of each row's case, as text; null where the case stands for itself.

    Args:
        frame: rows of `frames.FRAME_SCHEMA`. Where nobody wrote such a label, no text is made of ten million rows.
    """
    written = {name: word for name, word in FAMILIES.items() if frame[name].null_count() < frame.height}
    named = [pl.lit(f"{word} ") + pl.col(name).cast(pl.String) for name, word in written.items()]
    return pl.coalesce(*named) if named else pl.lit(None, pl.String)


def family_name(labels: Mapping[str, str | None]) -> str | None:
    """The same of one case, from what is written under the names of `FAMILIES`."""
    return next((f"{word} {labels[name]}" for name, word in FAMILIES.items() if labels[name] is not None), None)


def cluster_sums(cases: pl.DataFrame, groups: list[str], names: Sequence[str] = WITH_INTERVAL) -> pl.DataFrame:
    """For each group and each rate that is named, what its interval is made of: `<name>_clusters` and so on.

    Args:
        cases: rows of `metrics.per_case`; a case without a value of a rate does not count there.
        groups: columns that tell the groups apart.
        names: rates over cases.
    """
    families = cases["cluster"].null_count() < cases.height
    sums = _by_family(cases, groups, names) if families else _by_case(cases, names)
    parts = [part for name in names for part in _parts(name)]
    return sums.group_by(groups, maintain_order=True).agg(parts)


def with_interval(table: pl.DataFrame, name: str) -> pl.DataFrame:
    """Adds `<name>_low`, `<name>_high` (95 %) and `<name>_note`, from `case_rates` and `cluster_sums` of the table."""
    renamed = [pl.col(f"{name}_{column}").alias(field) for field, column in _FIELDS.items()]
    found = [_interval(ClusterSums(**row)) for row in table.select(renamed).iter_rows(named=True)]
    columns = {"low": pl.Float64, "high": pl.Float64, "note": pl.String}
    return table.with_columns(
        pl.Series(f"{name}_{end}", [row[place] for row in found], dtype=kind)
        for place, (end, kind) in enumerate(columns.items())
    )


def _interval(sums: ClusterSums) -> tuple[float | None, float | None, str | None]:
    ends = cluster_robust(sums)
    if ends is None:
        return None, None, None
    alone = sums.clusters == sums.cases
    return *ends, NOTES["once" if sums.independent else "repeats" if alone else "families"]


def _by_case(cases: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Every case is a cluster: nothing to be added up."""
    counted = [pl.col(name).is_not_null() for name in names]
    return cases.with_columns(
        *(one.cast(pl.Float64).alias(f"{name}_of") for name, one in zip(names, counted, strict=True)),
        *(
            pl.when(one).then(pl.col("judged")).otherwise(0).alias(f"{name}_judged")
            for name, one in zip(names, counted, strict=True)
        ),
    )


def _by_family(cases: pl.DataFrame, groups: list[str], names: Sequence[str]) -> pl.DataFrame:
    # A case without a family is one by itself, whatever families are called.
    alone = pl.when(pl.col("cluster").is_null()).then(pl.col("task_id")).alias("alone")
    parts = []
    for name in names:
        counted = pl.col(name).is_not_null()
        parts += [
            pl.when(counted.any()).then(pl.col(name).sum()).alias(name),
            counted.sum().cast(pl.Float64).alias(f"{name}_of"),
            pl.col("judged").filter(counted).sum().alias(f"{name}_judged"),
        ]
    return cases.with_columns(alone).group_by(*groups, "cluster", "alone", maintain_order=True).agg(parts)


def _parts(name: str) -> list[pl.Expr]:
    total, of = pl.col(name), pl.col(f"{name}_of")
    found = [total.count(), pl.col(f"{name}_judged").sum(), (total * total).sum(), (total * of).sum()]
    named = zip(_SUMS, [*found, (of * of).sum()], strict=True)
    return [one.alias(f"{name}_{column}") for column, one in named]


__all__ = ["FAMILIES", "NOTES", "WITH_INTERVAL", "cluster_sums", "family_name", "family_of", "with_interval"]
