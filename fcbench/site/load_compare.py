"""From the frame of one board to what compares its runs: each with each, case by case, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from fcbench.aggregate.frames import Frame
from fcbench.aggregate.metrics import IS_CALL, per_case
from fcbench.aggregate.pairwise import call_shares, compare_all, passes_of
from fcbench.aggregate.trend import regressions
from fcbench.site.board_compare import AXES_OF_CASES, MAX_COMPARED, Compared, ComparedCase, Effort, Fall, Pair

Row = Mapping[str, Any]


def pairs(frame: Frame, rows: Sequence[Row]) -> Iterator[Pair]:
    """Every two ranked runs, in the order of the table."""
    runs = [row["run_id"] for row in rows if row["rank"] is not None]
    if len(runs) < 2:
        return
    for row in compare_all(passes_of(call_shares(per_case(frame, ["run_id"])), runs)).iter_rows(named=True):
        if row["difference"] is not None:
            yield Pair(
                first=row["run_a"],
                second=row["run_b"],
                cases=row["cases"],
                first_rate=row["a"],
                second_rate=row["b"],
                test=row["test"],
                p=row["p"],
                p_holm=row["p_holm"],
            )


def efforts(rows: Sequence[Row]) -> Iterator[Effort]:
    """What each run cost, as far as it is known."""
    for row in rows:
        yield Effort(
            run=row["run_id"],
            tokens_per_success=row["tokens_per_success"],
            cost=row["cost"],
            cost_per_success=row["cost_per_success"],
            currency=row["cost_currency"] or "",
            latency_p50_s=row["latency_p50_s"],
            latency_p95_s=row["latency_p95_s"],
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
        )


def compared(frame: Frame, rows: Sequence[Row]) -> Compared:
    """Every case of the board with its labels, and what each run made of it."""
    runs = [str(row["run_id"]) for row in rows][:MAX_COMPARED]
    place = {run: number for number, run in enumerate(runs)}
    labels = [pl.col(name).first().cast(pl.String) for name in AXES_OF_CASES]
    cases = (
        frame.group_by("task_id", maintain_order=True).agg(IS_CALL.first().alias("is_call"), *labels).sort("task_id")
    )
    counted = frame.group_by("task_id", pl.col("run_id").cast(pl.String)).agg(
        pl.col("passed").sum().alias("passes"), pl.col("passed").count().alias("judged")
    )
    found: dict[str, list[tuple[int, int]]] = {}
    for task_id, run, passes, judged in counted.iter_rows():
        if run in place:
            found.setdefault(task_id, [(0, 0)] * len(runs))[place[run]] = (passes, judged)
    return Compared(
        runs=tuple(runs),
        cases=tuple(
            ComparedCase(
                task_id=row["task_id"],
                is_call=row["is_call"],
                labels=tuple(row[name] or "" for name in AXES_OF_CASES),
                outcomes=tuple(found[row["task_id"]]),
            )
            for row in cases.iter_rows(named=True)
            if row["task_id"] in found
        ),
    )


def falls(frame: Frame, rows: Sequence[Row]) -> Iterator[Fall]:
    """Each run of a model beside the one before it on this board."""
    if not any(row["model_runs"] > 1 for row in rows):
        return
    for row in regressions(frame).iter_rows(named=True):
        yield Fall(
            model=row["model"],
            control=row["control"],
            first=row["first_run"],
            second=row["second_run"],
            decision=row["decision"],
            cases=row["cases"],
            first_rate=row["first_rate"],
            second_rate=row["second_rate"],
            p_holm=row["p_holm"],
            finding=row["finding"],
            lost=tuple(row["lost"]),
            gained=tuple(row["gained"]),
        )
