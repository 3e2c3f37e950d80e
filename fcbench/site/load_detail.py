"""From the frame of one board to the records that its page shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from fcbench.aggregate.frames import Frame
from fcbench.aggregate.metrics import IS_CALL, JUDGED
from fcbench.aggregate.reliability import NO_VALUE, reliability_table, repair_table
from fcbench.aggregate.tables import Segment, fault_table, segment_table
from fcbench.site.board_detail import (
    MAX_ROWS,
    BoardDetail,
    Boundary,
    CaseOutcomes,
    FaultShare,
    Outcome,
    Repair,
    ScoreSpread,
    SegmentShare,
    Share,
)
from fcbench.site.disputes import scores_of
from fcbench.site.load_compare import compared, efforts, falls, pairs

_AXES: tuple[Segment, ...] = ("category", "level", "language", "mix", "trap", "suite")
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
Row = Mapping[str, Any]


def board_detail(frame: Frame, rows: Sequence[Row], disputed: Sequence[str] = ()) -> BoardDetail:
    """What the page of one board shows.

    Args:
        frame: the verdicts of one board.
        rows: its table, whose order of runs is kept.
        disputed: cases with an open claim, of any board.
    """
    held, both = scores_of(frame, disputed)
    segments = {axis: tuple(_segments(frame, axis)) for axis in _AXES}
    cases = _cases(frame, rows)
    has_single = bool(frame.select((pl.col("single_call") & IS_CALL).any()).item())
    return BoardDetail(
        segments={axis: found for axis, found in segments.items() if any(one.segment != NO_VALUE for one in found)},
        faults=tuple(
            FaultShare(
                run=row["run_id"],
                kind=row["segment"],
                attempts=int(row["attempts_sum"]),
                judged=row["attempts_n"],
            )
            for row in fault_table(frame).iter_rows(named=True)
        ),
        boundaries=tuple(_boundaries(frame)) if has_single else (),
        repairs=tuple(_repairs(frame)) if has_single else (),
        cases=tuple(cases[:MAX_ROWS]),
        cases_total=len(cases),
        spreads=tuple(_spreads(frame)),
        pairs=tuple(pairs(frame, rows)),
        efforts=tuple(efforts(rows)),
        falls=tuple(falls(frame, rows)),
        compared=compared(frame, rows),
        disputed_cases=held,
        disputed=both,
    )


def _segments(frame: Frame, axis: Segment) -> Iterator[SegmentShare]:
    for row in segment_table(frame, axis).iter_rows(named=True):
        yield SegmentShare(
            run=row["run_id"],
            segment=row["segment"],
            strict=_share(row, "strict"),
            restraint=_share(row, "restraint_accuracy"),
        )


def _share(row: Row, name: str) -> Share:
    return Share(
        value=row[name],
        total=row[f"{name}_sum"],
        count=row[f"{name}_n"] or 0,
        low=row[f"{name}_low"],
        high=row[f"{name}_high"],
    )


def _boundaries(frame: Frame) -> Iterator[Boundary]:
    for by in ("all", "level"):
        for row in reliability_table(frame, by).iter_rows(named=True):
            yield Boundary(
                run=str(row["run_id"]),
                level="all levels" if by == "all" else row["segment"],
                cases=row["cases"],
                failed=row["failed"],
                rate=row["rate"],
                claim=row["claim"],
                ceiling=row["ceiling"],
                standing=row["standing"],
                more_cases=row["more_cases"],
            )


def _repairs(frame: Frame) -> Iterator[Repair]:
    for row in repair_table(frame, "all").iter_rows(named=True):
        yield Repair(
            run=str(row["run_id"]),
            error_replies=row["error_replies"],
            cases=row["cases"],
            failed=row["failed"],
            rate=row["rate"],
            tokens_per_success=row["tokens_per_success"],
        )


def _cases(frame: Frame, rows: Sequence[Row]) -> list[CaseOutcomes]:
    """All cases, those on which the models disagree most first."""
    controls = {row["run_id"] for row in rows if row["control"]}
    models = [row["run_id"] for row in rows if row["run_id"] not in controls]
    compared = set(models) if len(models) > 1 else {row["run_id"] for row in rows}
    counted = (
        frame.group_by("task_id", "run_id", maintain_order=True)
        .agg(
            pl.col("category").first().cast(pl.String),
            pl.col("passed").sum().alias("passes"),
            pl.col("passed").count().alias("judged"),
        )
        .with_columns(pl.col("run_id").cast(pl.String))
    )
    found: dict[str, dict[str, Outcome]] = {}
    categories: dict[str, str] = {}
    for row in counted.iter_rows(named=True):
        outcome = Outcome(run=row["run_id"], passed=row["passes"], judged=row["judged"])
        found.setdefault(row["task_id"], {})[outcome.run] = outcome
        categories[row["task_id"]] = row["category"] or ""
    cases = [
        CaseOutcomes(
            task_id=task_id,
            category=categories[task_id],
            outcomes=tuple(outcomes[row["run_id"]] for row in rows if row["run_id"] in outcomes),
            disagreement=_disagreement([one for one in outcomes.values() if one.run in compared]),
        )
        for task_id, outcomes in found.items()
    ]
    return sorted(cases, key=lambda case: (-case.disagreement, case.task_id))


def _disagreement(outcomes: Sequence[Outcome]) -> float:
    shares = [one.passed / one.judged for one in outcomes if one.judged]
    return max(shares) - min(shares) if shares else 0.0


def _spreads(frame: Frame) -> Iterator[ScoreSpread]:
    scores = frame.filter(IS_CALL & JUDGED).group_by("run_id", "task_id").agg(pl.col("partial_score").mean())
    quantiles = [pl.col("partial_score").quantile(share, "linear").alias(f"q{share}") for share in _QUANTILES]
    table = scores.with_columns(pl.col("run_id").cast(pl.String)).group_by("run_id").agg(*quantiles).sort("run_id")
    for run, *found in table.iter_rows():
        if all(value is not None for value in found):
            yield ScoreSpread(run=run, quantiles=(found[0], found[1], found[2], found[3], found[4]))
