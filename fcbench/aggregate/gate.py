"""The numbers that a gate asks for: observed figures with what missing attempts may still do to them, claims, falls.

An attempt without a verdict is neither a pass nor a failure (PROTOCOL 2). So each share stands between two ends: the
missing attempts all failed, or all passed. A gate decides only what holds at both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import polars as pl

from fcbench.aggregate.boards import single_board
from fcbench.aggregate.intervals import lower_bound, upper_bound, wilson
from fcbench.aggregate.metrics import IS_CALL, JUDGED
from fcbench.aggregate.reliability import standing
from fcbench.aggregate.sign_flip import sign_flip
from fcbench.core.names import CaseId

Standing = Literal["pass", "fail", "cannot tell"]
SHARES: Mapping[str, tuple[str, bool]] = {
    "strict": ("passed", True),
    "restraint": ("passed", False),
    "schema-conformance": ("schema_conformance", True),
    "exact-match": ("exact_match", True),
    "argument-fidelity": ("argument_fidelity", True),
    "syntactic-validity": ("syntactic_validity", True),
}
"""Measure -> column of one attempt, and whether it counts call cases (else the cases where no call was due)."""
SEGMENTS = {
    "level": "level",
    "schema": "target_tool",
    "mix": "mix",
    "trap": "traps",
    "language": "language",
    "suite": "suite",
    "category": "category",
}
"""Kind of segment -> column."""
QUANTILES = {"latency-p50": 0.5, "latency-p95": 0.95}
SIGNIFICANT = 0.05
JOINT = 0.975
"""Confidence of each of the two bounds of a difference, so that both hold together at 95 % (Bonferroni)."""
MOST_CASES = 1_000_000


@dataclass(frozen=True)
class Figure:
    """One observed figure."""

    value: float | None
    """None where nothing was counted."""
    least: float | None
    """If every missing attempt had failed."""
    most: float | None
    """If every missing attempt had passed."""
    cases: int


@dataclass(frozen=True)
class Claimed:
    """What exact bounds say of a threshold."""

    standing: Standing
    failed: int
    open: int
    cases: int
    claim: float
    """The highest share that can be claimed, open cases taken as failures."""
    more_cases: int


@dataclass(frozen=True)
class Fall:
    """The difference of two runs over the same cases, new less base."""

    standing: Standing
    cases: int
    difference: float | None
    low: float | None
    """Lower end, with missing attempts at their worst for the new run."""
    high: float | None
    p: float | None
    more_cases: int | None
    """For `cannot tell`: about how many cases like these it would still take; None where none would help."""


def segment_values(frame: pl.DataFrame) -> dict[str, list[str]]:
    """Kind of segment -> its values on a board."""
    found = {}
    for kind, column in SEGMENTS.items():
        values = frame.get_column(column)
        flat = values.explode(empty_as_null=True) if isinstance(values.dtype, pl.List) else values
        found[kind] = sorted(str(value) for value in flat.cast(pl.String).unique().drop_nulls().to_list())
    return found


def segment_of(frame: pl.DataFrame, kind: str, value: str) -> pl.DataFrame:
    """The rows of one segment."""
    column = SEGMENTS[kind]
    if isinstance(frame.schema[column], pl.List):
        return frame.filter(pl.col(column).list.contains(value).fill_null(value=False))
    return frame.filter((pl.col(column).cast(pl.String) == value).fill_null(value=False))


def share(frame: pl.DataFrame, measure: str) -> Figure:
    """A share: the mean over cases of the share of a case's judged repeats that hold.

    Raises:
        MixedBoardsError: the rows belong to several boards.
    """
    rows = _held(frame, measure)
    if rows.is_empty():
        return Figure(None, None, None, 0)
    cases = rows.group_by("task_id", maintain_order=True).agg(
        pl.col("held").mean().alias("value"),
        pl.col("held").fill_null(value=False).mean().alias("least"),
        pl.col("held").fill_null(value=True).mean().alias("most"),
    )
    value, least, most = cases.select(pl.col("value", "least", "most").mean()).row(0)
    return Figure(value, least, most, cases.height)


def completion(frame: pl.DataFrame) -> Figure:
    """The share of planned attempts that have a verdict.

    Raises:
        MixedBoardsError: the rows belong to several boards.
    """
    if frame.is_empty():
        return Figure(None, None, None, 0)
    _one_board(frame)
    value = float(frame.select(JUDGED.mean()).item())
    return Figure(value, value, value, frame.get_column("task_id").n_unique())


def latency(frame: pl.DataFrame, measure: str) -> Figure:
    """A quantile of the whole duration of judged attempts, in seconds, as in the tables.

    Raises:
        MixedBoardsError: the rows belong to several boards.
    """
    _one_board(frame)
    judged = frame.filter(JUDGED)
    value = judged.get_column("duration_s").quantile(QUANTILES[measure], "linear")
    whole = judged.height == frame.height
    return Figure(value, value if whole else None, value if whole else None, judged.get_column("task_id").n_unique())


def _one_board(frame: pl.DataFrame) -> None:
    if frame.height:
        single_board(frame)


def claimed(frame: pl.DataFrame, measure: str, threshold: float) -> Claimed:
    """Whether a share can be claimed: unit = case, which fails if any of its repeats fails; exact bounds, 95 %.

    Raises:
        MixedBoardsError: the rows belong to several boards.
    """
    rows = _held(frame, measure)
    cases = rows.group_by("task_id").agg(
        (~pl.col("held")).sum().alias("broke"), pl.col("held").null_count().alias("missing")
    )
    failed = cases.filter(pl.col("broke") > 0).height
    still_open = cases.filter((pl.col("broke") == 0) & (pl.col("missing") > 0)).height
    total = cases.height
    worst, more = standing(failed + still_open, total, threshold)
    best, _ = standing(failed, total, threshold)
    said: Standing = "pass" if worst == "meets" else "fail" if best == "fails" else "cannot tell"
    claim = lower_bound(total - failed - still_open, total) if total else 0.0
    return Claimed(said, failed, still_open, total, claim, max(more, 0) if said == "cannot tell" else 0)


def fall(new: pl.DataFrame, base: pl.DataFrame, measure: str, margin: float) -> Fall:
    """Whether a run has fallen against a base, over the cases of one board that both planned.

    `fail`: the difference lies below -margin and is significant (two-sided sign-flip test at 5 %, which is the exact
    McNemar test with one repeat). `pass`: a fall of more than the margin is ruled out: the lower end is the exact lower
    bound of the gains less the exact upper bound of the losses, each at 97.5 %. A loss is the share of repeats that a
    case lost; fractions are rounded against the new run. Else `cannot tell`.

    Raises:
        MixedBoardsError: the rows belong to several boards.
    """
    single_board(pl.concat([new, base]))
    worst = _differences(new, base, measure, missing_passes=False)
    return fall_of(worst, _differences(new, base, measure, missing_passes=True), margin)


def fall_of(worst: Sequence[Fraction], best: Sequence[Fraction], margin: float) -> Fall:
    """The same from differences of each case: missing attempts at their worst for the new run, and at their best."""
    if not worst:
        return Fall("cannot tell", 0, None, None, None, None, None)
    low, high = _ends(worst)[0], _ends(best)[1]
    n, mean = len(worst), float(sum(best) / len(best))
    p = sign_flip(best)
    if low >= -margin:
        return Fall("pass", n, mean, low, high, p, 0)
    if mean < -margin and p <= SIGNIFICANT:
        return Fall("fail", n, mean, low, high, p, 0)
    return Fall("cannot tell", n, mean, low, high, p, _more(worst, margin))


def failing_cases(frame: pl.DataFrame) -> tuple[CaseId, ...]:
    """Cases with a judged repeat that fails, in the order of the plan."""
    failed = frame.filter(JUDGED & ~pl.col("passed"))
    return tuple(failed.get_column("task_id").unique(maintain_order=True).to_list())


def case_ids(frame: pl.DataFrame) -> frozenset[CaseId]:
    """The cases of these rows."""
    return frozenset(frame.get_column("task_id").to_list())


def passes(frame: pl.DataFrame) -> tuple[int, int]:
    """Judged attempts at call cases that pass, and attempts without a verdict.

    Raises:
        MixedBoardsError: the rows belong to several boards.
    """
    _one_board(frame)
    won = frame.filter(JUDGED & IS_CALL & pl.col("passed")).height
    return won, frame.filter(~JUDGED).height


def _held(frame: pl.DataFrame, measure: str) -> pl.DataFrame:
    if not frame.is_empty():
        single_board(frame)
    column, of_calls = SHARES[measure]
    # A dimension is null where nothing could be looked at: that holds no more than a fault does (PROTOCOL 3).
    value = pl.when(JUDGED).then(pl.col(column).fill_null(value=False)).alias("held")
    return frame.filter(IS_CALL if of_calls else ~IS_CALL).select("task_id", "repeat", value)


def _differences(new: pl.DataFrame, base: pl.DataFrame, measure: str, *, missing_passes: bool) -> list[Fraction]:
    ours = _counts(new, measure, missing_passes)
    theirs = _counts(base, measure, not missing_passes)
    return [Fraction(*ours[case]) - Fraction(*theirs[case]) for case in ours if case in theirs]


def _counts(frame: pl.DataFrame, measure: str, missing_passes: bool) -> dict[str, tuple[int, int]]:
    held = _held(frame, measure).with_columns(pl.col("held").fill_null(value=missing_passes))
    counts = held.group_by("task_id", maintain_order=True).agg(pl.col("held").sum().alias("held"), pl.len())
    return {case: (int(kept), int(all_of_it)) for case, kept, all_of_it in counts.iter_rows()}


def _ends(differences: Sequence[Fraction]) -> tuple[float, float]:
    n = len(differences)
    lost = sum((-one for one in differences if one < 0), Fraction(0))
    gained = sum((one for one in differences if one > 0), Fraction(0))
    low = _low(math.floor(gained), n) - _high(math.ceil(lost), n)
    return low, _high(math.ceil(gained), n) - _low(math.floor(lost), n)


def _low(count: int, n: int) -> float:
    return lower_bound(count, n, confidence=JOINT)


def _high(count: int, n: int) -> float:
    return upper_bound(count, n, confidence=JOINT)


def _more(differences: Sequence[Fraction], margin: float) -> int | None:
    """About how many cases are still missing if further ones behave as these did."""
    n = len(differences)
    lost = float(sum((-one for one in differences if one < 0), Fraction(0)) / n)
    gained = float(sum((one for one in differences if one > 0), Fraction(0)) / n)
    if gained - lost <= -margin:
        return None

    def ruled_out(cases: int) -> bool:
        # Wilson's ends stand for the exact ones, which take long for many cases; hence "about".
        gains, losses = wilson(gained * cases, cases), wilson(lost * cases, cases)
        return gains is not None and losses is not None and gains[0] - losses[1] >= -margin

    enough = n
    while not ruled_out(enough):
        enough *= 2
        if enough > MOST_CASES:
            return None
    least = max(n, enough // 2)
    while least < enough:
        middle = (least + enough) // 2
        least, enough = (least, middle) if ruled_out(middle) else (middle + 1, enough)
    return max(enough - n, 1)
