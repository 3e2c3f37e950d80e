"""What a board's page shows beside its table: plain records, so that the page's key is their digest."""

from __future__ import annotations

from msgspec import field

from fcbench.core.records import Record
from fcbench.site.board_compare import Compared, Effort, Fall, Pair

AXES = {
    "category": "Category",
    "level": "Schema level",
    "language": "Language",
    "mix": "Mix",
    "trap": "Trap",
    "suite": "Suite",
}
"""Labels that a board is taken apart by -> title."""
MAX_ROWS = 500
"""Rows of a static table (SITE.md)."""


class Share(Record, frozen=True, kw_only=True):
    """A rate with its numbers; all None where nothing was counted."""

    value: float | None
    total: float | None
    """Sum of successes, which may hold fractions of a case."""
    count: int
    low: float | None = None
    high: float | None = None


class SegmentShare(Record, frozen=True, kw_only=True):
    """One run in one segment."""

    run: str
    segment: str
    strict: Share
    restraint: Share


class FaultShare(Record, frozen=True, kw_only=True):
    """How many judged attempts of a run show a kind of fault."""

    run: str
    kind: str
    attempts: int
    judged: int


class Boundary(Record, frozen=True, kw_only=True):
    """The reliability boundary of one run at one level (PROTOCOL 6)."""

    run: str
    level: str
    cases: int
    failed: int
    rate: float | None
    claim: float | None
    ceiling: float | None
    standing: str
    more_cases: int


class Repair(Record, frozen=True, kw_only=True):
    """Conformance of one run after a number of error replies."""

    run: str
    error_replies: int
    cases: int
    failed: int
    rate: float | None
    tokens_per_success: float | None


class Outcome(Record, frozen=True, kw_only=True):
    """The attempts of one run at one case."""

    run: str
    passed: int
    judged: int


class CaseOutcomes(Record, frozen=True, kw_only=True):
    """One case over all runs of a board, in the order of the board's rows."""

    task_id: str
    category: str
    outcomes: tuple[Outcome, ...]
    disagreement: float
    """Largest less smallest share of passed attempts among models; among all runs where there is at most one model."""


class ScoreSpread(Record, frozen=True, kw_only=True):
    """How the partial scores of a run's call cases lie: quantiles at 10, 25, 50, 75 and 90 %."""

    run: str
    quantiles: tuple[float, float, float, float, float]


class BothScores(Record, frozen=True, kw_only=True):
    """Accuracies of one run with and without the disputed cases of its board."""

    run: str
    model: str
    control: bool
    strict: Share
    strict_without: Share
    restraint: Share
    restraint_without: Share


class BoardDetail(Record, frozen=True, kw_only=True):
    """Everything of one board that its rows do not say."""

    segments: dict[str, tuple[SegmentShare, ...]] = field(default_factory=dict)
    """By name of the axis; an axis that no case has a label of is missing."""
    faults: tuple[FaultShare, ...] = ()
    boundaries: tuple[Boundary, ...] = ()
    """Empty where the board has no single-call tasks."""
    repairs: tuple[Repair, ...] = ()
    cases: tuple[CaseOutcomes, ...] = ()
    """The first `MAX_ROWS`, those on which models disagree most first."""
    cases_total: int = 0
    spreads: tuple[ScoreSpread, ...] = ()
    pairs: tuple[Pair, ...] = ()
    """Every two ranked runs."""
    efforts: tuple[Effort, ...] = ()
    falls: tuple[Fall, ...] = ()
    """Each run of a model beside the one before it; empty where every model has one run."""
    compared: Compared = Compared()
    disputed_cases: tuple[str, ...] = ()
    """Cases of the board with an open claim."""
    disputed: tuple[BothScores, ...] = ()
    """Empty where no case is disputed."""
