"""Is the second run good enough: worse by no more than a margin (PROTOCOL 7, issue 8)?"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Literal

from fcbench.aggregate.paired import PairedSums, score, variance_if
from fcbench.core.records import Record

Answer = Literal["yes", "no", "cannot tell"]
LEVEL = 0.05
"""Of the test, one-sided."""
POWER = 0.8
MOST_CASES = 1_000_000
"""More than anybody will write: then no number is given."""


class GoodEnough(Record, frozen=True, kw_only=True):
    """What can be said about a margin."""

    margin: float
    answer: Answer
    p: float
    """One-sided, of the question whether the second is worse by the margin or more: small speaks for `yes`."""
    p_worse: float
    """One-sided, of the question whether it is worse by the margin at most: small speaks for `no`."""
    more_cases: int | None
    """With `cannot tell`: about so many further cases would decide it, if the difference is what it seems; None where
    the difference seems to be the margin itself, or that number is beyond all use."""


def good_enough(sums: PairedSums, margin: float, *, level: float = LEVEL) -> GoodEnough:
    """Whether the second run's accuracy is less than the first's by less than the margin.

    `yes` where the score test (Tango 1998) rejects that it is worse by the margin or more, `no` where it rejects that
    it is worse by no more than the margin, each one-sided; else `cannot tell`.

    Raises:
        ValueError: the margin does not lie between 0 and 1.
    """
    if not 0 < margin < 1:
        raise ValueError(f"margin {margin}")
    z = score(sums, -margin)
    normal = NormalDist()
    p, p_worse = math.erfc(z / math.sqrt(2)) / 2, math.erfc(-z / math.sqrt(2)) / 2
    answer: Answer = "yes" if p < level else "no" if p_worse < level else "cannot tell"
    more = _more_cases(sums, margin, normal.inv_cdf(1 - level)) if answer == "cannot tell" else None
    return GoodEnough(margin=margin, answer=answer, p=p, p_worse=p_worse, more_cases=more)


def _more_cases(sums: PairedSums, margin: float, z: float) -> int | None:
    """Cases with which the test decides four times of five, if the difference and the variance are what they seem."""
    distance = abs(sums.difference + margin)
    if distance < 1e-9:
        return None
    if_margin = variance_if(sums, -margin)
    seen = max(0.0, (sums.lost + sums.gained) / sums.cases - sums.difference**2)
    effective = ((z * math.sqrt(if_margin) + NormalDist().inv_cdf(POWER) * math.sqrt(seen)) / distance) ** 2
    needed = effective * sums.cases / sums.effective
    return max(1, math.ceil(needed - sums.cases)) if needed < MOST_CASES else None
