"""The language contrast: the same situations in two languages, pair by pair (PROTOCOL 7).

Two boards that differ in nothing but the language of their cases are set side by side, and only pairs that both runs
have are compared. It is given apart for functions with Dutch and with English field names, never as one number.
"""

from __future__ import annotations

import random
from fractions import Fraction

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.frames import BOARD_COLUMNS
from fcbench.aggregate.metrics import IS_CALL, JUDGED
from fcbench.aggregate.reliability import MEASURED, Measure
from fcbench.aggregate.sign_flip import sign_flip
from fcbench.errors import UsageError

MAY_DIFFER = ("collection", "task_hash", "oracle_hash")
"""Parts of the board key in which twins differ: the words and the ids."""
BOOTSTRAPS = 2000
SEED = 7
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
        "difference": pl.Float64(),
        "difference_low": pl.Float64(),
        "difference_high": pl.Float64(),
        "first_better": pl.Int64(),
        "second_better": pl.Int64(),
        "p": pl.Float64(),
        "first_run": pl.String(),
        "second_run": pl.String(),
    }
)
_ROW = ["model", "provider", "control", "settings", "run_id"]
_OF_ONE_RUN = ("deterministic", "incomplete")
"""Badges that say how a run went, and not under which settings it was made."""


def language_contrast(first: pl.DataFrame, second: pl.DataFrame, *, measure: Measure = "exact-match") -> pl.DataFrame:
    """One row a (model, language of the field names), as `CONTRAST_SCHEMA`; first minus second.

    Both frames hold one board each. A pair counts where each of the two runs has a verdict for all its repeats; its
    value is the difference of the two shares of repeats that hold. The interval is a seeded percentile bootstrap over
    pairs (95 %), p the exact sign-flip test; both are uncorrected for the number of rows. A model stands here where it
    has runs on both boards that agree in provider and settings; of several the newest counts.

    Raises:
        MixedBoardsError: a frame holds several boards.
        UsageError: the two boards differ in more than their language, or have no pair in common.
    """
    single_board(first), single_board(second)
    _check_axis(first, second)
    keys = _ROW[:4]
    joined = _shares(first, measure).join(
        _shares(second, measure), on=[*keys, "pair"], how="inner", suffix="_2", maintain_order="left"
    )
    if joined.is_empty():
        raise UsageError(
            "no pair was answered on both boards by one model under the same settings",
            wanted="runs of one model with the same provider and settings on both boards",
            next_step="run the model on the other language as well",
        )
    groups = joined.partition_by(*keys, "field_language", maintain_order=True)
    rows = sorted((_row(group) for group in groups), key=lambda row: (bool(row["control"]), str(row["model"])))
    return pl.DataFrame(rows, schema=CONTRAST_SCHEMA)


def _check_axis(first: pl.DataFrame, second: pl.DataFrame) -> None:
    for name in BOARD_COLUMNS:
        one, other = str(first[name][0]), str(second[name][0])
        if name not in MAY_DIFFER and one != other:
            raise UsageError(
                "these boards differ in more than the language of their cases",
                wanted=f"the same {name} on both",
                found=f"{one[:40]} and {other[:40]}",
            )
    languages = [frame["language"].cast(pl.String).unique().to_list() for frame in (first, second)]
    if any(len(found) != 1 for found in languages) or languages[0] == languages[1]:
        raise UsageError(
            "a language contrast compares two boards of one language each",
            wanted="two languages",
            found=" and ".join(", ".join(sorted(found)) for found in languages),
        )


def _shares(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """One row a (run, pair) that is wholly judged: how many repeats hold, and how many there are."""
    named = ("model", "provider", "run_id", "pair", "language", "field_language", "created_at")
    text = [pl.col(name).cast(pl.String) for name in named]
    badges = pl.col("badges").cast(pl.String).str.split("; ")
    settings = badges.list.eval(pl.element().filter(~pl.element().str.contains(f"^({'|'.join(_OF_ONE_RUN)})")))
    held = pl.col(MEASURED[measure]).fill_null(value=False)
    cases = (
        frame.filter(IS_CALL & pl.col("pair").is_not_null())
        .with_columns(*text, settings.list.join("; ").alias("settings"))
        .group_by(*_ROW, "pair", "language", "field_language", "created_at", maintain_order=True)
        .agg((held & JUDGED).sum().alias("held"), JUDGED.sum().alias("judged"), pl.len().alias("planned"))
        .filter(pl.col("judged") == pl.col("planned"))
    )
    newest = pl.col("created_at") == pl.col("created_at").max().over(*_ROW[:4])
    return cases.filter(newest)


def _row(group: pl.DataFrame) -> dict[str, object]:
    ones = [Fraction(held, planned) for held, planned in group.select("held", "planned").iter_rows()]
    twos = [Fraction(held, planned) for held, planned in group.select("held_2", "planned_2").iter_rows()]
    differences = [one - two for one, two in zip(ones, twos, strict=True)]
    low, high = _bootstrap([float(one) for one in differences])
    first = group.row(0, named=True)
    return {
        "model": first["model"],
        "control": first["control"],
        "field_language": first["field_language"],
        "pairs": len(differences),
        "first_language": first["language"],
        "first_rate": float(sum(ones) / len(ones)),
        "second_language": first["language_2"],
        "second_rate": float(sum(twos) / len(twos)),
        "difference": float(sum(differences) / len(differences)),
        "difference_low": low,
        "difference_high": high,
        "first_better": sum(one > 0 for one in differences),
        "second_better": sum(one < 0 for one in differences),
        "p": sign_flip(differences),
        "first_run": first["run_id"],
        "second_run": first["run_id_2"],
    }


def _bootstrap(values: list[float]) -> tuple[float, float]:
    """Percentile interval of the mean over resampled pairs (Efron 1979), 95 %."""
    rng = random.Random(SEED)
    means = sorted(sum(rng.choices(values, k=len(values))) / len(values) for _ in range(BOOTSTRAPS))
    return means[int(0.025 * BOOTSTRAPS)], means[int(0.975 * BOOTSTRAPS) - 1]
