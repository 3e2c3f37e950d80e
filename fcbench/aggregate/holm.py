"""Holm's correction for many tests on one board (PROTOCOL 7)."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p in the order given, after Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.

    The chance that any true null hypothesis is rejected stays below the level, whatever the tests share.

    Raises:
        ValueError: a p lies outside 0 and 1, or is not a number.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError("a p lies outside 0 and 1")
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
