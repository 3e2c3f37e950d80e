"""The difference of two runs over the same cases, with an interval that knows repeats and families (PROTOCOL 7)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from fcbench.aggregate.intervals import CONFIDENCE

_STEPS = 200
_TINY = 1e-300


@dataclass(frozen=True, kw_only=True)
class CasePair:
    """One case, judged on both sides."""

    a: Fraction
    """Share of passing repeats."""
    b: Fraction
    repeats: int = 1
    """Judged repeats of the side that has fewer."""
    family: Hashable = None
    """What it shares with cases that are not independent of it; None: nothing."""


@dataclass(frozen=True, kw_only=True)
class PairedSums:
    """What tests and intervals of a difference need of cases."""

    cases: int
    lost: float
    """Sum of the differences of cases where the first is better; with one repeat, their number."""
    gained: float
    """Sum of those where the second is better."""
    families: tuple[tuple[Fraction, int], ...]
    """Of each family, or case by itself: the sum of differences and the number of cases."""
    effective: float
    """Independent cases with one repeat that would tell as much."""

    @property
    def difference(self) -> float:
        """Of the two accuracies, second less first."""
        return (self.gained - self.lost) / self.cases

    @property
    def moved(self) -> list[Fraction]:
        """The differences of the families, for a test."""
        return [total for total, _ in self.families]


def paired_sums(pairs: Iterable[CasePair]) -> PairedSums:
    """Sums over cases.

    Raises:
        ValueError: there is no case.
    """
    listed = list(pairs)
    if not listed:
        raise ValueError("no case")
    families: dict[Hashable, tuple[Fraction, int]] = {}
    lost = gained = Fraction(0)
    for number, pair in enumerate(listed):
        difference = pair.b - pair.a
        # A case by itself under its place, which no family can be called.
        name = (number,) if pair.family is None else (pair.family, "family")
        total, cases = families.get(name, (Fraction(0), 0))
        families[name] = total + difference, cases + 1
        if difference < 0:
            lost -= difference
        else:
            gained += difference
    effect = _design_effect(list(families.values()), float(lost + gained))
    return PairedSums(
        cases=len(listed),
        lost=float(lost),
        gained=float(gained),
        families=tuple(families.values()),
        effective=min(len(listed) / effect, sum(pair.repeats for pair in listed)),
    )


def interval(sums: PairedSums, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Two-sided score interval of the difference, after Tango, Statistics in Medicine 17 (1998) 891-908.

    All differences are in it that the score test would not reject. It is taken over the effective number of cases;
    where every case is independent and has one repeat, it is Tango's own.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    difference = sums.difference
    return _end(sums, z, -1.0, difference), _end(sums, -z, difference, 1.0)


def score(sums: PairedSums, supposed: float) -> float:
    """How many standard errors the difference lies above a supposed one, were that the true one (Tango 1998).

    Args:
        sums: of the cases.
        supposed: between -1 and 1.
    """
    distance = sums.difference - supposed
    if abs(distance) < 1e-15:
        return 0.0
    return distance / math.sqrt(max(variance_if(sums, supposed) / sums.effective, _TINY))


def variance_if(sums: PairedSums, supposed: float) -> float:
    """Variance of the difference of one case if the supposed difference is the true one.

    The share of cases that are lost is then the most likely one under that condition, in closed form as Tango gives it.
    """
    lost, gained = sums.lost / sums.cases, sums.gained / sums.cases
    linear = (2 - gained + lost) * supposed - lost - gained
    root = linear * linear + 8 * lost * supposed * (1 - supposed)
    share = (math.sqrt(max(0.0, root)) - linear) / 4
    return 2 * share + supposed * (1 - supposed)


def _end(sums: PairedSums, z: float, low: float, high: float) -> float:
    """Where the score is z, by bisection; it falls as the supposed difference rises."""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if score(sums, middle) > z else (low, middle)
    return (low + high) / 2


def _design_effect(families: Sequence[tuple[Fraction, int]], discordance: float) -> float:
    """How many times the variance of the difference is that of cases which are wholly lost, wholly gained or the same.

    As `intervals.design_effect`: one family of the average size that is wholly lost and one that is wholly gained are
    added to both (Bonett and Price 2012), so that few differences do not pass for none.
    """
    cases = sum(n for _, n in families)
    size = cases / len(families)
    enlarged = cases + 2 * size
    mean = sum(float(total) for total, _ in families) / enlarged
    seen = sum((float(total) - n * mean) ** 2 for total, n in families)
    added = 2 * size * size * (1 + mean * mean)
    return (seen + added) / (discordance + 2 * size - enlarged * mean * mean)


__all__ = ["CasePair", "PairedSums", "interval", "paired_sums", "score", "variance_if"]
