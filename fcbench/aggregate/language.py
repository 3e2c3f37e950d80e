"""The language contrast: the same situations in two languages, pair by pair (PROTOCOL 7).

Two boards that differ in nothing but the language of their cases are set side by side, and only pairs that both runs
have are compared. It is given apart for functions with Dutch and with English field names, never as one number.
"""

from __future__ import annotations

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.contrast import (
    PAIRED_SCHEMA,
    SETTINGS,
    corrected,
    no_model_on_both,
    paired,
    refuse_other_differences,
    shares,
)
from fcbench.aggregate.metrics import IS_CALL
from fcbench.aggregate.reliability import Measure
from fcbench.errors import UsageError

MAY_DIFFER = ("collection", "task_hash", "oracle_hash")
"""Parts of the board key in which twins differ: the words and the ids."""
CONTRAST_SCHEMA = pl.Schema(
    {
        "model": pl.String(),
        "control": pl.Boolean(),
        "field_language": pl.String(),
        "pairs": pl.Int64(),
        "first_language": pl.String(),
        "first_rate": pl.Float64(),
        "second_language": pl.String(),
        "second_rate": pl.Float64(),
        **PAIRED_SCHEMA,
        "first_run": pl.String(),
        "second_run": pl.String(),
    }
)


def language_contrast(first: pl.DataFrame, second: pl.DataFrame, *, measure: Measure = "exact-match") -> pl.DataFrame:
    """One row a (model, language of the field names), as `CONTRAST_SCHEMA`; first minus second.

    Both frames hold one board each. A pair counts where each of the two runs has a verdict for all its repeats; its
    value is the difference of the two shares of repeats that hold. The interval is a seeded percentile bootstrap over
    pairs (95 %), p the exact sign-flip test, `p_holm` corrected over the rows but those of controls, which have none.
    A model stands here where it has runs on both boards that agree in provider and settings; of several the newest
    counts.

    Raises:
        MixedBoardsError: a frame holds several boards.
        UsageError: the two boards differ in more than their language, or have no pair in common.
    """
    single_board(first), single_board(second)
    refuse_other_differences(first, second, MAY_DIFFER, "the language of their cases")
    _check_languages(first, second)
    joined = _pairs(first, measure).join(
        _pairs(second, measure), on=[*SETTINGS, "pair"], how="inner", suffix="_2", maintain_order="left"
    )
    if joined.is_empty():
        raise no_model_on_both("pair")
    groups = joined.partition_by(*SETTINGS, "field_language", maintain_order=True)
    rows = corrected([{**_named(group), **paired(group)} for group in groups])
    rows.sort(key=lambda row: (bool(row["control"]), str(row["model"])))
    return pl.DataFrame(rows, schema=CONTRAST_SCHEMA)


def _check_languages(first: pl.DataFrame, second: pl.DataFrame) -> None:
    languages = [frame["language"].cast(pl.String).unique().to_list() for frame in (first, second)]
    if any(len(found) != 1 for found in languages) or languages[0] == languages[1]:
        raise UsageError(
            "a language contrast compares two boards of one language each",
            wanted="two languages",
            found=" and ".join(", ".join(sorted(found)) for found in languages),
        )


def _pairs(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    twins = frame.filter(IS_CALL & pl.col("pair").is_not_null())
    return shares(twins, measure, ["pair", "language", "field_language"])


def _named(group: pl.DataFrame) -> dict[str, object]:
    first = group.row(0, named=True)
    return {
        "model": first["model"],
        "control": first["control"],
        "field_language": first["field_language"],
        "pairs": group.height,
        "first_language": first["language"],
        "second_language": first["language_2"],
    }
