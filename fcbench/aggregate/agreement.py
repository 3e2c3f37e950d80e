"""How far two raters agree: Cohen's kappa with quadratic weights, and an interval by the bootstrap over items.

Cohen (1968), Psychological Bulletin 70, 213-220: with weights v = (i - j)^2 of disagreement, kappa is
1 - sum(v * observed) / sum(v * expected), where `expected` is the product of the two raters' own distributions.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from fcbench.core.records import Record

Pair = tuple[int, int]
"""The ratings of one criterion of one item by the first and the second rater."""
RESAMPLES = 2000


class Agreement(Record, frozen=True, kw_only=True):
    """Agreement over a set of items."""

    items: int
    pairs: int
    exact: float | None
    """Share of pairs that are equal."""
    kappa: float | None
    """None where it is not defined: no pair, or both raters gave one and the same rating throughout."""
    low: float | None = None
    high: float | None = None
    """Ends of the 95 % percentile interval; None with fewer than two items, or where too many resamples have none."""
    undefined: int = 0
    """Resamples without a kappa; they stand outside the interval."""
    resamples: int = RESAMPLES


def weighted_kappa(pairs: Sequence[Pair]) -> float | None:
    """Quadratically weighted kappa; None where it is not defined.

    The mean squared difference that chance would give is E[x^2] + E[y^2] - 2 E[x] E[y], so no table is needed.
    """
    return _from_sums(_sums(pairs))


def agreement(items: Sequence[Sequence[Pair]], *, seed: int, resamples: int = RESAMPLES) -> Agreement:
    """Kappa over all pairs, with an interval that draws whole items: criteria of one item are not independent.

    Args:
        items: for each item the pairs of its criteria.
        seed: of the bootstrap.
        resamples: how many.
    """
    flat = [pair for item in items for pair in item]
    kappa = weighted_kappa(flat)
    found = Agreement(
        items=len(items),
        pairs=len(flat),
        exact=sum(left == right for left, right in flat) / len(flat) if flat else None,
        kappa=kappa,
        resamples=resamples,
    )
    if kappa is None or len(items) < 2:
        return found
    sums = [_sums(item) for item in items]
    draw = random.Random(seed)
    values: list[float] = []
    for _ in range(resamples):
        chosen = draw.choices(sums, k=len(sums))
        count, x, y, xx, yy, differing = (sum(column) for column in zip(*chosen, strict=True))
        value = _from_sums((count, x, y, xx, yy, differing))
        if value is not None:
            values.append(value)
    undefined = resamples - len(values)
    kept = sorted(values) if undefined <= resamples // 20 else []
    return Agreement(
        items=found.items,
        pairs=found.pairs,
        exact=found.exact,
        kappa=kappa,
        low=_quantile(kept, 0.025) if kept else None,
        high=_quantile(kept, 0.975) if kept else None,
        undefined=undefined,
        resamples=resamples,
    )


_Sums = tuple[int, int, int, int, int, int]


def _sums(pairs: Sequence[Pair]) -> _Sums:
    """Count, sums and sums of squares of both raters, and the sum of squared differences."""
    return (
        len(pairs),
        sum(x for x, _ in pairs),
        sum(y for _, y in pairs),
        sum(x * x for x, _ in pairs),
        sum(y * y for _, y in pairs),
        sum((x - y) ** 2 for x, y in pairs),
    )


def _from_sums(sums: _Sums) -> float | None:
    count, x, y, xx, yy, differing = sums
    # All times count^2, in whole numbers: no rounding decides whether the chance disagreement is nought.
    chance = count * (xx + yy) - 2 * x * y
    return 1 - count * differing / chance if chance else None


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear between neighbours, as numpy's default."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


__all__ = ["RESAMPLES", "Agreement", "Pair", "agreement", "weighted_kappa"]
