"""Intervals for proportions of independent cases (PROTOCOL 6 and 7), without any heavy library."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

CONFIDENCE = 0.95
_STEPS = 200


def wilson(successes: float, n: float, *, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Two-sided Wilson score interval (Wilson 1927, without continuity correction).

    Args:
        successes: may be a fraction: the sum of per-case shares where a case has repeats.
        n: independent cases.
        confidence: of the interval, between 0 and 1.

    Returns:
        Lower and upper end within 0 and 1, or None where there is no case.

    Raises:
        ValueError: the successes lie outside 0 and n.
    """
    if n == 0:
        return None
    if not 0 <= successes <= n * (1 + 1e-12):
        raise ValueError(f"{successes} successes of {n}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = min(1.0, successes / n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    centre, scale = share + z * z / (2 * n), 1 + z * z / n
    # The ends are exact at 0 and 1: rounding must not leave 1e-17 there.
    low = 0.0 if successes == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if share == 1 else min(1.0, (centre + spread) / scale)
    return low, high


@lru_cache(maxsize=4096)
def lower_bound(successes: int, n: int, *, confidence: float = CONFIDENCE) -> float:
    """The exact one-sided lower bound after Clopper and Pearson (1934): the highest proportion that can be claimed.

    It is the p at which seeing this many successes or more has a chance of 1 - confidence.

    Raises:
        ValueError: the successes lie outside 0 and n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    if successes == 0:
        return 0.0
    alpha = 1 - confidence
    if successes == n:
        return float(alpha ** (1 / n))
    low, high = 0.0, successes / n
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _at_least(successes, n, middle) < alpha:
            low = middle
        else:
            high = middle
    return low


def upper_bound(successes: int, n: int, *, confidence: float = CONFIDENCE) -> float:
    """The exact one-sided upper bound after Clopper and Pearson (1934).

    Raises:
        ValueError: the successes lie outside 0 and n.
    """
    return 1 - lower_bound(n - successes, n, confidence=confidence)


def cases_needed(failures: int, threshold: float, *, confidence: float = CONFIDENCE) -> int:
    """How many cases, with this many failures among them, support the claim of a threshold (PROTOCOL 6).

    Raises:
        ValueError: the threshold does not lie between 0 and 1, or the failures are negative.
    """
    if not 0 < threshold < 1 or failures < 0:
        raise ValueError(f"threshold {threshold}, {failures} failures")
    low, high = failures, failures + 1
    while lower_bound(high - failures, high, confidence=confidence) < threshold:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        enough = lower_bound(middle - failures, middle, confidence=confidence) >= threshold
        low, high = (low, middle) if enough else (middle, high)
    return high


def _at_least(successes: int, n: int, p: float) -> float:
    """Chance of this many successes or more in n, each of chance p; summed over the shorter tail."""
    if n - successes < successes:
        return math.fsum(_chance(count, n, p) for count in range(successes, n + 1))
    return 1 - math.fsum(_chance(count, n, p) for count in range(successes))


def _chance(count: int, n: int, p: float) -> float:
    ways = math.lgamma(n + 1) - math.lgamma(count + 1) - math.lgamma(n - count + 1)
    return math.exp(ways + count * math.log(p) + (n - count) * math.log1p(-p))
