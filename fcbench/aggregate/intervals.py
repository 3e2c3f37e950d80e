"""Intervals for proportions of cases (PROTOCOL 6 and 7), without any heavy library.

Independent cases with one repeat each have Wilson's interval. Where a case has repeats, or cases belong to families, it
is taken over fewer or more cases than there are: as many as would be as informative were they independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

CONFIDENCE = 0.95
_STEPS = 200
_LAST_BITS = 1e-12
_ADDED = 2
"""Invented clusters on either side, as Agresti and Coull (1998) add 2 successes and 2 failures."""


@dataclass(frozen=True, kw_only=True)
class ClusterSums:
    """What an interval needs of clusters, each with a sum of shares of passing repeats and a number of cases."""

    total: float
    """Of the shares, over all cases."""
    cases: int
    attempts: int
    """Judged repeats of those cases."""
    clusters: int
    squares: float
    """Sum over clusters of the squared sum of shares."""
    products: float
    """Sum over clusters of the sum of shares times the number of cases."""
    sizes: float
    """Sum over clusters of the squared number of cases."""

    @property
    def independent(self) -> bool:
        """Whether every case was judged once and stands for itself."""
        return self.cases == self.clusters == self.attempts


def cluster_robust(sums: ClusterSums, *, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Two-sided interval of a mean over cases whose repeats, or whose families, are not independent.

    Wilson's interval over the effective number of cases (Korn and Graubard, Survey Methodology 24, 1998, 193-201): the
    cases divided by the design effect, but no more than there are attempts. For independent cases with one repeat the
    design effect is 1 and the interval is Wilson's.

    Returns:
        Lower and upper end within 0 and 1, or None where there is no case.

    Raises:
        ValueError: the shares lie outside 0 and the number of cases.
    """
    if sums.cases == 0:
        return None
    if sums.independent:
        return wilson(sums.total, sums.cases, confidence=confidence)
    n = min(sums.attempts, sums.cases / design_effect(sums))
    share = sums.total / sums.cases
    # Sums of thirds may miss 0 and the number of cases by their last bits.
    share = round(share) if abs(share - round(share)) < _LAST_BITS else share
    return wilson(share * n, n, confidence=confidence)


def design_effect(sums: ClusterSums) -> float:
    """How many times the variance of the mean is that of as many independent cases (Kish 1965).

    The variance is the usual one of a mean over clusters (Liang and Zeger 1986): the sum over clusters of the squared
    sum of residuals, over the squared number of cases. Two clusters of the average size that pass and two that fail are
    added on either side of the quotient: without them, a run in which all cases agree would have no variance at all.

    Raises:
        ValueError: there is no case.
    """
    if sums.cases == 0:
        raise ValueError("no case")
    size = sums.cases / sums.clusters
    cases = sums.cases + 2 * _ADDED * size
    mean = (sums.total + _ADDED * size) / cases
    seen = sums.squares - 2 * mean * sums.products + mean * mean * sums.sizes
    added = _ADDED * size * size * ((1 - mean) ** 2 + mean * mean)
    return (max(0.0, seen) + added) / (cases * mean * (1 - mean))


def wilson(successes: float, n: float, *, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Two-sided Wilson score interval (Wilson 1927, without continuity correction).

    Args:
        successes: may be a fraction: the sum of per-case shares where a case has repeats.
        n: independent cases; a fraction where they are effective ones.
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
