"""The smallest difference that a board can show (PROTOCOL 7, issue 8)."""

from __future__ import annotations

import math
from statistics import NormalDist

import polars as pl

LEVEL = 0.05
"""Of the test, two-sided."""
POWER = 0.8
UNKNOWN_SQUARE = 0.5
"""Mean squared difference of a case where no two runs are there to tell: both pass half of the cases, independently."""
_STEPS = 100


def detectable(cases: int, square: float, *, unit: int = 1, power: float = POWER, level: float = LEVEL) -> float | None:
    """The smallest difference of two accuracies that a test of one pair finds with this power.

    Solves d = z1 sqrt(q / n) + z2 sqrt((q - d^2) / n) + 1 / (n u), after Connor, Biometrics 43 (1987) 207-211, for q
    the mean squared difference of a case. The last term is half a step of the sum, by which an exact test is slower
    than the normal distribution. A difference d takes at least d of the cases, so q is never taken below d.

    Args:
        cases: n, that both runs answer.
        square: q. With one repeat it is the share of cases that one run passes and the other fails.
        unit: u, repeats of a case.
        power: chance that the test finds a difference of this size.
        level: of the test, two-sided.

    Returns:
        The difference, between 0 and 1; None where the cases are too few for any.

    Raises:
        ValueError: the mean square lies outside 0 and 1, or there are no cases or repeats.
    """
    if cases < 1 or unit < 1 or not 0 <= square <= 1:
        raise ValueError(f"{cases} cases, {unit} repeats, mean square {square}")
    normal = NormalDist()
    z, reach = normal.inv_cdf(1 - level / 2), normal.inv_cdf(power)

    def missing(d: float) -> float:
        q = max(square, d)
        return z * math.sqrt(q / cases) + reach * math.sqrt((q - d * d) / cases) + 1 / (cases * unit) - d

    low, high = 0.0, 1.0
    if missing(high) > 0:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if missing(middle) > 0 else (low, middle)
    return high


def detectable_on(pairs: pl.DataFrame, cases: int, repeats: int) -> float | None:
    """The smallest difference that a board shows between two of its ranked runs, the comparison of two alone.

    The mean squared difference is that of all pairs; with fewer than two ranked runs it is `UNKNOWN_SQUARE`.

    Args:
        pairs: of the ranked runs, as `pairwise.PAIR_SCHEMA`.
        cases: call cases of the board.
        repeats: of each case.
    """
    squares = pairs["mean_square"].drop_nulls().to_list()
    square = sum(squares) / len(squares) if squares else UNKNOWN_SQUARE
    # Families of many cases may move further together than any one case can.
    return detectable(cases, min(1.0, square), unit=max(1, repeats)) if cases else None
