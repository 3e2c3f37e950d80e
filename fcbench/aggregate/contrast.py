"""Contrasts: one model on two boards that differ along one declared axis, case by case (PROTOCOL 1).

A contrast is the only operation over boards. What the axis may be is a closed list; harness, mode and tier change what
is measured, so boards that differ in them stand side by side, without difference, rank or test.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.bootstrap import bootstrap
from fcbench.aggregate.cluster import family_of
from fcbench.aggregate.frames import BOARD_COLUMNS
from fcbench.aggregate.holm import holm
from fcbench.aggregate.metrics import IS_CALL, JUDGED
from fcbench.aggregate.reliability import MEASURED, Measure
from fcbench.aggregate.sign_flip import sign_flip
from fcbench.errors import UsageError

Axis = Literal["decoding", "retrieval", "schema-version"]
DIFFERS: dict[Axis, str] = {"decoding": "decoding", "retrieval": "retrieval", "schema-version": "registry_hash"}
"""Axis -> the part of the board key that differs along it."""
FOLLOWS: dict[Axis, tuple[str, ...]] = {"decoding": (), "retrieval": (), "schema-version": ("oracle_hash",)}
"""What may differ with it: the right arguments are written in the words of the schema."""
SETTINGS = ["model", "provider", "control", "settings"]
"""What two runs must share to be compared."""
PAIRED_SCHEMA = {
    "difference": pl.Float64(),
    "difference_low": pl.Float64(),
    "difference_high": pl.Float64(),
    "first_better": pl.Int64(),
    "second_better": pl.Int64(),
    "p": pl.Float64(),
    "p_holm": pl.Float64(),
}
AXIS_SCHEMA = pl.Schema(
    {
        "model": pl.String(),
        "control": pl.Boolean(),
        "decision": pl.String(),
        "cases": pl.Int64(),
        "first_value": pl.String(),
        "first_rate": pl.Float64(),
        "second_value": pl.String(),
        "second_rate": pl.Float64(),
        **PAIRED_SCHEMA,
        "first_run": pl.String(),
        "second_run": pl.String(),
    }
)
_OF_ONE_RUN = ("deterministic", "incomplete")
"""Badges that say how a run went, and not under which settings it was made."""


def axis_contrast(first: pl.DataFrame, second: pl.DataFrame, axis: Axis, *, measure: Measure = "pass") -> pl.DataFrame:
    """One row a (model, call or restraint cases), as `AXIS_SCHEMA`; first minus second.

    Both frames hold one board each. A case counts where each of the two runs has a verdict for all its repeats; its
    value is the share of repeats that hold. Restraint cases are there for the measure `pass` alone, and apart. A model
    stands here where it has runs on both boards that agree in provider and settings; of several the newest counts. The
    interval is a seeded percentile bootstrap (95 %), p the sign-flip test, both over families of cases (`cluster`);
    `p_holm` is corrected over the rows but those of controls, which have none.

    Raises:
        MixedBoardsError: a frame holds several boards.
        UsageError: the two boards differ in more than the axis or not in it, or no model was run on both.
    """
    single_board(first), single_board(second)
    refuse_other_differences(first, second, (DIFFERS[axis], *FOLLOWS[axis]), f"the {axis}")
    if first[DIFFERS[axis]][0] == second[DIFFERS[axis]][0]:
        raise UsageError(f"these boards do not differ in the {axis}", found=str(first[DIFFERS[axis]][0])[:60])
    rows = []
    for decision, counted in (("call", IS_CALL), ("restraint", ~IS_CALL & pl.lit(measure == "pass"))):
        ones, twos = (shares(frame.filter(counted), measure, ["task_id"]) for frame in (first, second))
        joined = ones.join(twos, on=[*SETTINGS, "task_id"], how="inner", suffix="_2", maintain_order="left")
        for group in joined.partition_by(*SETTINGS, maintain_order=True):
            rows.append({**_named(group, decision), **paired(group)})
    if not rows:
        raise no_model_on_both("case")
    names = {f"{place}_value": str(frame[DIFFERS[axis]][0]) for place, frame in (("first", first), ("second", second))}
    ordered = sorted(corrected(rows), key=lambda row: (bool(row["control"]), str(row["model"]), str(row["decision"])))
    return pl.DataFrame([{**row, **names} for row in ordered], schema=AXIS_SCHEMA)


def differing(first: pl.DataFrame, second: pl.DataFrame) -> list[str]:
    """The parts of the board key in which two boards differ."""
    return [name for name in BOARD_COLUMNS if str(first[name][0]) != str(second[name][0])]


def refuse_other_differences(first: pl.DataFrame, second: pl.DataFrame, allowed: Sequence[str], axis: str) -> None:
    """Refuse two boards that differ in more than some parts of their key.

    Raises:
        UsageError: with the first other part that differs, and both its values.
    """
    for name in differing(first, second):
        if name not in allowed:
            raise UsageError(
                f"these boards differ in more than {axis}",
                wanted=f"the same {name} on both",
                found=f"{str(first[name][0])[:40]} and {str(second[name][0])[:40]}",
            )


def no_model_on_both(unit: str) -> UsageError:
    """What is said where two boards fit and no run does."""
    return UsageError(
        f"no {unit} was answered on both boards by one model under the same settings",
        wanted="runs of one model with the same provider and settings on both boards",
        next_step="run the model on the other board as well",
    )


def shares(frame: pl.DataFrame, measure: Measure, unit: Sequence[str]) -> pl.DataFrame:
    """One row a (run, unit) that is wholly judged: `held` of `planned` repeats. Of several runs the newest is kept.

    `cluster` is the family of the unit's cases (`cluster.family_of`), or the unit itself.

    Args:
        frame: rows of one board.
        measure: what must hold.
        unit: the column that tells one unit from another, then labels of it.
    """
    named = ("model", "provider", "run_id", "created_at", *unit)
    text = [pl.col(name).cast(pl.String) for name in named]
    cluster = pl.coalesce(family_of(frame), pl.col(unit[0]).cast(pl.String)).alias("cluster")
    badges = pl.col("badges").cast(pl.String).str.split("; ")
    settings = badges.list.eval(pl.element().filter(~pl.element().str.contains(f"^({'|'.join(_OF_ONE_RUN)})")))
    held = pl.col(MEASURED[measure]).fill_null(value=False)
    units = (
        frame.with_columns(*text, cluster, settings.list.join("; ").alias("settings"))
        .group_by(*SETTINGS, "run_id", *unit, "cluster", "created_at", maintain_order=True)
        .agg((held & JUDGED).sum().alias("held"), JUDGED.sum().alias("judged"), pl.len().alias("planned"))
        .filter(pl.col("judged") == pl.col("planned"))
    )
    made = pl.concat_str("created_at", "run_id", separator=" ")
    return units.filter(made == made.max().over(SETTINGS))


def paired(group: pl.DataFrame) -> dict[str, object]:
    """Rates, difference, interval and test of units that both runs answered; `p_holm` is left open.

    Args:
        group: two `shares` joined, those of the second run under `held_2` and `planned_2`.
    """
    ones = [Fraction(held, planned) for held, planned in group.select("held", "planned").iter_rows()]
    twos = [Fraction(held, planned) for held, planned in group.select("held_2", "planned_2").iter_rows()]
    differences = [one - two for one, two in zip(ones, twos, strict=True)]
    families: dict[str, list[Fraction]] = {}
    for family, difference in zip(group["cluster"], differences, strict=True):
        families.setdefault(family, []).append(difference)
    low, high = bootstrap([(float(sum(members)), len(members)) for members in families.values()])
    return {
        "first_rate": float(sum(ones) / len(ones)),
        "second_rate": float(sum(twos) / len(twos)),
        "difference": float(sum(differences) / len(differences)),
        "difference_low": low,
        "difference_high": high,
        "first_better": sum(one > 0 for one in differences),
        "second_better": sum(one < 0 for one in differences),
        "p": sign_flip([sum(members, start=Fraction()) for members in families.values()]),
        "p_holm": None,
        "first_run": group["run_id"][0],
        "second_run": group["run_id_2"][0],
    }


def corrected(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """The rows with `p_holm`, corrected over all but those of controls."""
    tested = [row for row in rows if not row["control"]]
    for row, p_holm in zip(tested, holm([float(str(row["p"])) for row in tested]), strict=True):
        row["p_holm"] = p_holm
    return list(rows)


def _named(group: pl.DataFrame, decision: str) -> dict[str, object]:
    first = group.row(0, named=True)
    return {"model": first["model"], "control": first["control"], "decision": decision, "cases": group.height}
