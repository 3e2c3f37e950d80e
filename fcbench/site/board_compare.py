"""What compares the runs of one board: plain records, so that a page's key is their digest."""

from __future__ import annotations

from fcbench.core.records import Record

AXES_OF_CASES = ("category", "level", "mix", "language", "suite")
"""Labels by which a comparison is taken apart."""
MAX_COMPARED = 60
"""Runs that can be chosen on a board's page of comparisons, the first of its table."""
SIGNIFICANT = 0.05
"""A p after Holm below this counts as significant."""


class Pair(Record, frozen=True, kw_only=True):
    """Two ranked runs over the call cases that both were judged on."""

    first: str
    second: str
    cases: int
    first_rate: float
    second_rate: float
    test: str
    p: float
    p_holm: float
    """After Holm's correction over all pairs of ranked runs of the board."""

    @property
    def difference(self) -> float:
        """Strict accuracy of the second less that of the first."""
        return self.second_rate - self.first_rate

    @property
    def is_significant(self) -> bool:
        """Whether the difference is more than chance, all pairs of the board considered."""
        return self.p_holm < SIGNIFICANT and self.difference != 0


class Effort(Record, frozen=True, kw_only=True):
    """What one run cost; None is unknown, never nought."""

    run: str
    tokens_per_success: float | None
    cost: float | None
    cost_per_success: float | None
    currency: str
    latency_p50_s: float | None
    latency_p95_s: float | None
    input_tokens: int | None
    output_tokens: int | None


class Fall(Record, frozen=True, kw_only=True):
    """One run of a model beside the one before it."""

    model: str
    control: bool
    first: str
    second: str
    decision: str
    """`call` or `restraint`: the two are never one number."""
    cases: int
    first_rate: float
    second_rate: float
    p_holm: float | None
    finding: str
    lost: tuple[str, ...]
    """Cases that passed in the first and fail in the second."""
    gained: tuple[str, ...]


class ComparedCase(Record, frozen=True, kw_only=True):
    """One case over the runs that can be chosen."""

    task_id: str
    is_call: bool
    labels: tuple[str, ...]
    """As `AXES_OF_CASES`; empty where the case has none."""
    outcomes: tuple[tuple[int, int], ...]
    """(repeats passed, repeats judged) of each run."""


class Compared(Record, frozen=True, kw_only=True):
    """All cases of a board, for any two of its runs."""

    runs: tuple[str, ...] = ()
    cases: tuple[ComparedCase, ...] = ()
