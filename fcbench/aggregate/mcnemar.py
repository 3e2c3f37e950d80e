"""The exact test of McNemar for two runs over the same cases with one repeat each (PROTOCOL 7, k = 1)."""

from __future__ import annotations


def exact_mcnemar(lost: int, gained: int) -> float:
    """Two-sided p of the exact test, after McNemar, Psychometrika 12 (1947) 153-157, without his approximation.

    Only the cases that one run passes and the other fails count. Were both runs equally good, either way would be as
    likely, so that the smaller count is binomial with chance 1/2; p is twice its lower tail, at most 1.

    Args:
        lost: cases that only the first run passes.
        gained: cases that only the second run passes.

    Returns:
        p, uncorrected for other comparisons; 1.0 where no case differs.

    Raises:
        ValueError: a count is negative.
    """
    if lost < 0 or gained < 0:
        raise ValueError(f"counts {lost} and {gained}")
    n = lost + gained
    # Integers to the end: a quotient of two is rounded once, however large they are.
    ways = tail = 1
    for count in range(1, min(lost, gained) + 1):
        ways = ways * (n - count + 1) // count
        tail += ways
    return min(1.0, 2 * tail / (1 << n))
