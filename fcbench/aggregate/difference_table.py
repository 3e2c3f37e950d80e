"""Differences of two runs as a frame, for files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

DIFFERENCE_SCHEMA = pl.Schema(
    {
        "run_a": pl.String(),
        "model_a": pl.String(),
        "run_b": pl.String(),
        "model_b": pl.String(),
        "tier": pl.String(),
        "axis": pl.String(),
        "segment": pl.String(),
        "cases": pl.Int64(),
        "a": pl.Float64(),
        "b": pl.Float64(),
        "difference": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "lost": pl.Int64(),
        "gained": pl.Int64(),
        "test": pl.String(),
        "p": pl.Float64(),
        "p_holm": pl.Float64(),
        "effective": pl.Float64(),
    }
)
"""One row for call cases (`axis` is `strict`), one for the others (`restraint`), and one a segment of call cases."""


def difference_frame(rows: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    """The rows as `DIFFERENCE_SCHEMA`."""
    return pl.DataFrame([dict(row) for row in rows], schema=DIFFERENCE_SCHEMA, orient="row")
