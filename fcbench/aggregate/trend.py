"""Runs over time: score distributions on one board, and where a later run of a model does worse (PROTOCOL 7).

A board is one line: runs of boards that differ are never joined, not even inside one family.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.cluster import family_of as family_of_case
from fcbench.aggregate.holm import holm
from fcbench.aggregate.mcnemar import exact_mcnemar
from fcbench.aggregate.metrics import IS_CALL, JUDGED
from fcbench.aggregate.sign_flip import sign_flip
from fcbench.aggregate.tables import board_table
from fcbench.core.boards import BoardKey

LEVEL = 0.05
"""A fall counts as significant where its p, after Holm over the board, is at most this."""
QUANTILES = {"score_p10": 0.1, "score_p25": 0.25, "score_p50": 0.5, "score_p75": 0.75, "score_p90": 0.9}
"""Of the partial scores of a run's call cases (mean over the repeats of a case), linear between neighbours."""
FELL, LOST, NONE = "significant fall", "cases lost", "no fall"
_OF_BOARD = (
    "model",
    "provider",
    "control",
    "purpose",
    "model_run",
    "model_runs",
    "run_id",
    "created_at",
    "badges",
    "complete",
    "repeats",
    *(f"strict{end}" for end in ("", "_low", "_high", "_sum", "_n")),
    *(f"restraint_accuracy{end}" for end in ("", "_low", "_high", "_sum", "_n")),
    "completion",
    "partial",
)
TREND_SCHEMA = pl.Schema(
    {
        "family": pl.String(),
        "board": pl.String(),
        "model": pl.String(),
        "provider": pl.String(),
        "control": pl.Boolean(),
        "purpose": pl.String(),
        "model_run": pl.Int32(),
        "model_runs": pl.Int32(),
        "run_id": pl.String(),
        "created_at": pl.String(),
        "badges": pl.List(pl.String()),
        "complete": pl.Boolean(),
        "repeats": pl.Int32(),
        **{f"strict{end}": pl.Float64() for end in ("", "_low", "_high", "_sum")},
        "strict_n": pl.Int64(),
        **{f"restraint_accuracy{end}": pl.Float64() for end in ("", "_low", "_high", "_sum")},
        "restraint_accuracy_n": pl.Int64(),
        "completion": pl.Float64(),
        "partial": pl.Float64(),
        **dict.fromkeys(QUANTILES, pl.Float64()),
    }
)
REGRESSION_SCHEMA = pl.Schema(
    {
        "family": pl.String(),
        "board": pl.String(),
        "model": pl.String(),
        "provider": pl.String(),
        "control": pl.Boolean(),
        "first_run": pl.String(),
        "second_run": pl.String(),
        "first_at": pl.String(),
        "second_at": pl.String(),
        "badges_gone": pl.List(pl.String()),
        "badges_new": pl.List(pl.String()),
        "decision": pl.String(),
        "cases": pl.Int64(),
        "first_rate": pl.Float64(),
        "second_rate": pl.Float64(),
        "difference": pl.Float64(),
        "test": pl.String(),
        "p": pl.Float64(),
        "p_holm": pl.Float64(),
        "finding": pl.String(),
        "lost": pl.List(pl.String()),
        "fewer": pl.List(pl.String()),
        "gained": pl.List(pl.String()),
    }
)
_MODEL = ["control", "model", "provider"]
"""Whose runs follow each other: one model name at one provider. Another provider may serve other weights."""
_Shares = dict[str, tuple[int, int]]
"""Case -> how many judged repeats pass, and how many there are."""


def family_of(board: BoardKey) -> str:
    """What boards of one family share: all that is chosen, not the digests of cases, tools and prompt."""
    run = board.run
    return f"{run.collection}; {board.tier}; {run.harness}, {run.harness_mode}; {run.retrieval}; {run.decoding}"


def trend_table(frame: pl.DataFrame) -> pl.DataFrame:
    """One row a run of one board, as `TREND_SCHEMA`: by model, and within a model by the time it was made.

    `model_run` of `model_runs` counts the runs of one model name at one provider on this board from 1, the oldest
    first. `strict` and what stands beside it are those of the board's table.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row.
    """
    key = single_board(frame)
    runs = board_table(frame).select(_OF_BOARD).join(_scores(frame), on="run_id", how="left")
    named = runs.with_columns(pl.lit(family_of(key)).alias("family"), pl.lit(key.slug).alias("board"))
    table = named.sort(*_MODEL, "model_run")
    return table.select(pl.col(name).cast(kind) for name, kind in TREND_SCHEMA.items())


def _scores(frame: pl.DataFrame) -> pl.DataFrame:
    cases = frame.filter(IS_CALL & JUDGED).group_by("run_id", "task_id").agg(pl.col("partial_score").mean())
    ends = [pl.col("partial_score").quantile(share, "linear").alias(name) for name, share in QUANTILES.items()]
    return cases.with_columns(pl.col("run_id").cast(pl.String)).group_by("run_id").agg(ends)


def regressions(frame: pl.DataFrame) -> pl.DataFrame:
    """One row a (pair of consecutive runs of one model, call or restraint cases), as `REGRESSION_SCHEMA`.

    Only cases with a verdict in both runs are compared, and only judged repeats count. The test is McNemar's exact one
    where each case was judged once on either side and is its own family, else the sign-flip test over families
    (`cluster`). `p_holm` is corrected over all rows of the board but those of controls, which have none. `lost` are
    cases that passed in every judged repeat and now pass in none, `gained` the other way round, `fewer` those that pass
    in a smaller share of their repeats without being lost.
    `finding` is `significant fall` where the rate fell and `p_holm` is at most 0.05, else `cases lost` where there are
    such cases, else `no fall`.

    Raises:
        MixedBoardsError: the rows belong to several boards.
        BadInputError: there is no row.
    """
    key = single_board(frame)
    place = {"family": family_of(key), "board": key.slug}
    rows = [{**place, **row} for row in _pairs(frame)]
    tested = [row for row in rows if not row["control"]]
    for row, p_holm in zip(tested, holm([float(str(row["p"])) for row in tested]), strict=True):
        row["p_holm"] = p_holm
    for row in rows:
        row["finding"] = _finding(row)
    return pl.DataFrame(rows, schema=REGRESSION_SCHEMA, orient="row")


def _pairs(frame: pl.DataFrame) -> Iterator[dict[str, object]]:
    names = [*_MODEL, "run_id", "created_at", "badges"]
    texts = [pl.col(name).cast(pl.String) for name in names if name != "control"]
    runs = frame.select(names).with_columns(texts).unique("run_id", keep="first", maintain_order=True)
    passes = {decision: _passes(frame, decision) for decision in ("call", "restraint")}
    families = _families(frame)
    for model in runs.sort(*_MODEL, "created_at", "run_id").partition_by(_MODEL, maintain_order=True):
        for first, second in pairwise(model.iter_rows(named=True)):
            for decision, found in passes.items():
                one, other = found.get(first["run_id"], {}), found.get(second["run_id"], {})
                if one.keys() & other.keys():
                    yield {**_described(first, second), "decision": decision, **_compared(one, other, families)}


def _passes(frame: pl.DataFrame, decision: str) -> dict[str, _Shares]:
    counted = (
        frame.filter(JUDGED & (IS_CALL if decision == "call" else ~IS_CALL))
        .group_by(pl.col("run_id").cast(pl.String), "task_id", maintain_order=True)
        .agg(pl.col("passed").sum().alias("passes"), pl.len().alias("judged"))
    )
    found: dict[str, _Shares] = {}
    for run, case, passes, judged in counted.iter_rows():
        found.setdefault(run, {})[case] = (passes, judged)
    return found


def _families(frame: pl.DataFrame) -> dict[str, str]:
    """Case -> what stands for it in a test: its family, or itself."""
    named = frame.select("task_id", family_of_case(frame).alias("family")).unique("task_id")
    return {case: family or case for case, family in named.iter_rows()}


def _described(first: dict[str, object], second: dict[str, object]) -> dict[str, object]:
    before, after = (str(one["badges"] or "").split("; ") for one in (first, second))
    return {
        "model": first["model"],
        "provider": first["provider"],
        "control": first["control"],
        "first_run": first["run_id"],
        "second_run": second["run_id"],
        "first_at": first["created_at"],
        "second_at": second["created_at"],
        "badges_gone": [badge for badge in before if badge and badge not in after],
        "badges_new": [badge for badge in after if badge and badge not in before],
    }


def _compared(first: _Shares, second: _Shares, families: Mapping[str, str]) -> dict[str, object]:
    cases = [case for case in first if case in second]
    ones, others = ([Fraction(*side[case]) for case in cases] for side in (first, second))
    differences = [other - one for one, other in zip(ones, others, strict=True)]
    lost = [case for case, change in zip(cases, differences, strict=True) if change == -1]
    gained = [case for case, change in zip(cases, differences, strict=True) if change == 1]
    fewer = [case for case, change in zip(cases, differences, strict=True) if -1 < change < 0]
    summed: dict[str, Fraction] = {}
    for case, difference in zip(cases, differences, strict=True):
        summed[families[case]] = summed.get(families[case], Fraction()) + difference
    once = len(summed) == len(cases) and all(side[case][1] == 1 for side in (first, second) for case in cases)
    return {
        "cases": len(cases),
        "first_rate": float(sum(ones) / len(cases)),
        "second_rate": float(sum(others) / len(cases)),
        "difference": float(sum(differences) / len(cases)),
        "test": "exact McNemar" if once else "sign-flip",
        "p": exact_mcnemar(len(lost), len(gained)) if once else sign_flip(list(summed.values())),
        "p_holm": None,
        "lost": lost,
        "fewer": fewer,
        "gained": gained,
    }


def _finding(row: dict[str, object]) -> str:
    p_holm, difference = row["p_holm"], row["difference"]
    if isinstance(p_holm, float) and isinstance(difference, float) and p_holm <= LEVEL and difference < 0:
        return FELL
    return LOST if row["lost"] else NONE


__all__ = ["LEVEL", "QUANTILES", "REGRESSION_SCHEMA", "TREND_SCHEMA", "family_of", "regressions", "trend_table"]
