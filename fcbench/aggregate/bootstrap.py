"""The seeded bootstrap over clusters: a second way to an interval, as a check of the first (PROTOCOL 7)."""

from __future__ import annotations

import random
from collections.abc import Sequence

DRAWS = 2000
SEED = 7


def bootstrap(clusters: Sequence[tuple[float, int]], *, draws: int = DRAWS, seed: int = SEED) -> tuple[float, float]:
    """Percentile interval (95 %) of the mean over cases, clusters drawn with replacement (Efron 1979).

    It knows no value that was not seen: where all cases agree it has no width. So it checks, and does not replace, the
    intervals of the tables.

    Args:
        clusters: of each the sum of its values and the number of its cases; a case by itself is (value, 1).
        draws: resamples.
        seed: of the generator, so that the same data give the same interval.

    Raises:
        ValueError: there is no cluster.
    """
    if not clusters:
        raise ValueError("no cluster")
    rng = random.Random(seed)
    alone = all(cases == 1 for _, cases in clusters)
    means = []
    for _ in range(draws):
        drawn = rng.choices(clusters, k=len(clusters))
        cases = len(drawn) if alone else sum(n for _, n in drawn)
        means.append(sum(total for total, _ in drawn) / cases)
    means.sort()
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]
