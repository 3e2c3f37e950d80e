"""The anomaly queue: what a person should look at (PROTOCOL 7). Nothing here changes a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from fcbench.aggregate.boards import boards
from fcbench.aggregate.metrics import JUDGED
from fcbench.core.names import SCORABLE
from fcbench.core.records import Record
from fcbench.evaluator.anomalies import ANOMALIES

NO_MODEL_PASSES: Final = "no_model_passes"
HIGH_FLIP_RATE: Final = "high_flip_rate"
REASONS: Final = (*ANOMALIES, NO_MODEL_PASSES, HIGH_FLIP_RATE)
"""Every reason, in the order of the queue."""
_HEADLINE = ((pl.col("harness") == "workbench") & (pl.col("tier") == "task-completion-execution")) | (
    (pl.col("harness") == "contract") & (pl.col("tier") == "native-function-contract")
)


class QueueRules(Record, frozen=True, kw_only=True):
    """When something that takes many attempts is worth a look."""

    min_models: int = 2
    """Models that must have been judged on a case before "no model passes" means anything."""
    flip: float = 0.5
    """Share of a case's runs whose repeats disagree, from which the flip rate is high."""
    controls: bool = False
    """Whether anomalies of controls are listed; a case's rates never count them."""


class QueueItem(Record, frozen=True, kw_only=True):
    """One thing to look at."""

    reason: str
    case: str
    suite: str
    board: str | None = None
    """For a case of a board."""
    run: str | None = None
    """None where it is about a case and not about one attempt."""
    model: str | None = None
    registry_hash: str | None = None
    repeat: int | None = None
    outcome: str | None = None
    detail: str = ""


def anomaly_queue(frame: pl.DataFrame, rules: QueueRules) -> list[QueueItem]:
    """Every item, by reason in the order of `REASONS`, then case, run and repeat.

    Args:
        frame: rows of any boards, as `verdict_frame` gives them; attempts of several tiers give one item a reason.
        rules: the limits.
    """
    if frame.is_empty():
        return []
    found = [*_attempts(frame, rules)]
    for key, rows in boards(frame.filter(_HEADLINE)).items():
        found += _cases(key.slug, rows, rules)
    rank = {reason: number for number, reason in enumerate(REASONS)}
    last = len(REASONS)
    return sorted(
        found, key=lambda one: (rank.get(one.reason, last), one.reason, one.case, one.run or "", one.repeat or 0)
    )


def _attempts(frame: pl.DataFrame, rules: QueueRules) -> Iterator[QueueItem]:
    kept = frame if rules.controls else frame.filter(~pl.col("control"))
    names = ["task_id", "suite", "run_id", "model", "registry_hash", "repeat", "outcome"]
    listed = kept.filter(JUDGED, pl.col("anomalies").list.len() > 0)
    shown = listed.select(*names, "tier", "anomalies").explode("anomalies", empty_as_null=False)
    rows = shown.group_by(*names, "anomalies", maintain_order=True).agg(pl.col("tier").cast(pl.String).unique().sort())
    for row in rows.iter_rows(named=True):
        yield QueueItem(
            reason=row["anomalies"],
            case=row["task_id"],
            suite=row["suite"],
            run=row["run_id"],
            model=row["model"],
            registry_hash=row["registry_hash"],
            repeat=row["repeat"],
            outcome=row["outcome"],
            detail=f"seen at {', '.join(row['tier'])}",
        )


def _cases(board: str, rows: pl.DataFrame, rules: QueueRules) -> Iterator[QueueItem]:
    models = rows.filter(JUDGED, ~pl.col("control"), pl.col("outcome").cast(pl.String).is_in(sorted(SCORABLE)))
    runs = models.group_by("task_id", "suite", "run_id", "model", maintain_order=True).agg(
        pl.col("passed").sum().alias("passes"), pl.len().alias("judged")
    )
    repeated = pl.col("judged") > 1
    flipped = repeated & (pl.col("passes") > 0) & (pl.col("passes") < pl.col("judged"))
    cases = runs.group_by("task_id", "suite", maintain_order=True).agg(
        pl.col("model").n_unique().alias("models"),
        pl.col("passes").sum(),
        pl.col("judged").sum(),
        repeated.sum().alias("repeated"),
        flipped.sum().alias("flipped"),
    )
    for row in cases.iter_rows(named=True):
        if not row["passes"] and row["models"] >= rules.min_models:
            told = f"{row['models']} models, {row['judged']} attempts, none passes"
            yield QueueItem(reason=NO_MODEL_PASSES, case=row["task_id"], suite=row["suite"], board=board, detail=told)
        if row["flipped"] and row["flipped"] >= rules.flip * row["repeated"]:
            told = f"repeats disagree in {row['flipped']} of {row['repeated']} runs"
            yield QueueItem(reason=HIGH_FLIP_RATE, case=row["task_id"], suite=row["suite"], board=board, detail=told)


__all__ = ["HIGH_FLIP_RATE", "NO_MODEL_PASSES", "REASONS", "QueueItem", "QueueRules", "anomaly_queue"]
