"""The sign-flip test for paired differences of two runs over the same cases (PROTOCOL 7, k > 1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist

MAX_BITS = 100_000
"""Up to so many bits the distribution is counted: about a millisecond. Beyond, the tail is approximated."""
_NEWTON_STEPS = 200
_NEAR_ZERO = 1e-3


def sign_flip(differences: Sequence[Fraction]) -> float:
    """Two-sided p of the sign-flip (permutation) test on the sum of paired differences.

    Were both runs equally good, each difference would as likely have the other sign (Fisher, The Design of Experiments,
    1935, section 21). See `sign_flip_of_steps`, which this calls with the differences in whole units.

    Args:
        differences: one for each case, or one for each family of cases; those that are 0 tell nothing and are left out.

    Returns:
        p, uncorrected for other comparisons; 1.0 where no case differs.
    """
    unit = math.lcm(*(one.denominator for one in differences)) if differences else 1
    whole = [int(one * unit) for one in differences]
    return sign_flip_of_steps(Counter(abs(one) for one in whole if one), sum(whole))


def sign_flip_of_steps(steps: Mapping[int, int], total: int) -> float:
    """The same for differences in whole units: how often each size occurs, and their signed sum.

    Shares of repeats are fractions with a small denominator, so the distribution of the sum is counted exactly: no
    draw, no seed. Where it has too many values the saddlepoint approximation of Lugannani and Rice stands for it, with
    Daniels' correction for sums that lie on a lattice (International Statistical Review 55, 1987, 37-48). Draws would
    be bounded by their own number: 20,000 of them never give a p that survives Holm over 1,000 pairs.

    Args:
        steps: size of a difference (above 0) -> how many cases differ by it, either way.
        total: the observed sum, with its sign.
    """
    unit = math.gcd(*steps) or 1
    sizes = {size // unit: count for size, count in sorted(steps.items())}
    observed = -(-abs(total) // unit)
    if observed == 0:
        return 1.0
    n, furthest = sum(sizes.values()), sum(size * count for size, count in sizes.items())
    if (n + 1) * furthest <= MAX_BITS:
        return _counted(sizes, observed)
    return _approximated(sizes, observed)


def _counted(sizes: Mapping[int, int], observed: int) -> float:
    """Over all 2^n choices of signs the share whose sum is as far from 0 as the observed one.

    Flipping a difference of size v takes 2 v from the largest sum, so the choices are counted by the polynomial
    (1 + x^v)^m..., here evaluated at a power of two so large that its digits are the coefficients (Kronecker).
    """
    n, furthest = sum(sizes.values()), sum(size * count for size, count in sizes.items())
    digit = n + 1
    # Sums of `observed` and more: those from which at most this much was taken. The other tail is its mirror image.
    kept = (1 << digit * ((furthest - observed) // 2 + 1)) - 1
    ways = 1
    for size, count in sizes.items():
        ways = ways * (1 + (1 << digit * size)) ** count & kept
    # The sum of the digits is the remainder by the base less 1, as in casting out nines; it is below that.
    return 2 * (ways % ((1 << digit) - 1)) / (1 << n)


def _approximated(sizes: Mapping[int, int], observed: int) -> float:
    n, furthest = sum(sizes.values()), sum(size * count for size, count in sizes.items())
    if observed == furthest:
        return math.ldexp(1.0, 1 - n)
    # The sum moves in steps of 2, so the half step is 1 (Daniels' second correction).
    point = observed - 1
    tilt = _tilt(sizes, point)
    lead = math.sqrt(max(0.0, 2 * (tilt * point - _cumulants(sizes, tilt)[0])))
    normal = NormalDist()
    if lead < _NEAR_ZERO:
        return 2 * normal.cdf(-lead)
    spread = math.sinh(tilt) * math.sqrt(_cumulants(sizes, tilt)[2])
    tail = _upper(lead) + normal.pdf(lead) * (1 / spread - 1 / lead)
    return min(1.0, max(0.0, 2 * tail))


def _upper(z: float) -> float:
    """The upper tail of the normal distribution, right even where it is tiny."""
    return math.erfc(z / math.sqrt(2)) / 2


def _tilt(sizes: Mapping[int, int], point: float) -> float:
    """The saddlepoint: where the derivative of the cumulant function is the point. Newton within a bracket."""
    low, high = 0.0, 1.0
    while _cumulants(sizes, high)[1] < point:
        low, high = high, high * 2
    tilt = (low + high) / 2
    for _ in range(_NEWTON_STEPS):
        _, slope, curve = _cumulants(sizes, tilt)
        low, high = (tilt, high) if slope < point else (low, tilt)
        step = tilt - (slope - point) / curve if curve > 0 else low
        following = step if low < step < high else (low + high) / 2
        if following == tilt or high - low <= 1e-15 * high:
            break
        tilt = following
    return tilt


def _cumulants(sizes: Mapping[int, int], tilt: float) -> tuple[float, float, float]:
    """The cumulant function of the sum under random signs, sum of m log cosh(v t), and two derivatives."""
    value = slope = curve = 0.0
    for size, count in sizes.items():
        at = tilt * size
        inclined = math.tanh(at)
        value += count * (at + math.log1p(math.exp(-2 * at)) - math.log(2))
        slope += count * size * inclined
        curve += count * size * size * (1 - inclined * inclined)
    return value, slope, curve
