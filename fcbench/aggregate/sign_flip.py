"""The sign-flip test for paired differences of two runs over the same cases (PROTOCOL 7, k > 1)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction

MAX_CELLS = 2_000_000
"""Largest product of differences and reachable sums for which the distribution is counted instead of drawn."""
DRAWS = 20_000
SEED = 7


def sign_flip(differences: Sequence[Fraction]) -> float:
    """Two-sided p of the sign-flip (permutation) test on the sum of paired differences.

    Were both runs equally good, each difference would as likely have the other sign (Fisher, The Design of Experiments,
    1935, section 21). Shares of repeats are fractions with a small denominator, so the distribution of the sum is
    counted exactly: no draw, no seed. Where it has too many values, 20,000 seeded draws stand for it, with the observed
    one counted among them (Phipson and Smyth 2010), so that p is never 0.

    Args:
        differences: one for each case; those that are 0 tell nothing and are left out.

    Returns:
        p, uncorrected for other comparisons; 1.0 where no case differs.
    """
    unit = math.lcm(*(one.denominator for one in differences)) if differences else 1
    steps = [abs(int(one * unit)) for one in differences if one]
    observed = abs(sum(int(one * unit) for one in differences))
    if not steps:
        return 1.0
    if len(steps) * (2 * sum(steps) + 1) > MAX_CELLS:
        return _drawn(steps, observed)
    return _counted(steps, observed)


def _counted(steps: list[int], observed: int) -> float:
    """Over all 2^n choices of signs the share whose sum is as far from 0 as the observed one."""
    ways = {0: 1}
    for step in steps:
        spread: dict[int, int] = {}
        for total, count in ways.items():
            spread[total + step] = spread.get(total + step, 0) + count
            spread[total - step] = spread.get(total - step, 0) + count
        ways = spread
    # Integers to the end: a quotient of two is rounded once, however large they are.
    return sum(count for total, count in ways.items() if abs(total) >= observed) / (1 << len(steps))


def _drawn(steps: list[int], observed: int) -> float:
    rng = random.Random(SEED)
    whole, reached = sum(steps), 1
    for _ in range(DRAWS):
        signs = rng.getrandbits(len(steps))
        flipped = sum(step for place, step in enumerate(steps) if signs >> place & 1)
        reached += abs(whole - 2 * flipped) >= observed
    return reached / (DRAWS + 1)
