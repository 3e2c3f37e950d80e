"""How far linear DNA runs on an agarose gel: a model, not a measurement.

Between the two lengths that a gel separates well, the way falls with the logarithm of the length, as on a real gel.
Beyond them bands crowd together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log10

SEPARATED = (
    (0.3, 5_000, 60_000),
    (0.6, 1_000, 20_000),
    (0.7, 800, 10_000),
    (0.9, 500, 7_000),
    (1.2, 400, 6_000),
    (1.5, 200, 3_000),
    (2.0, 100, 2_000),
)
"""Agarose in percent, shortest and longest length in bases that this model separates well.

Of the order that laboratory tables give, and a choice of this model: no gel was measured for it. Values between are
interpolated on a logarithmic scale; above 2 percent both lengths fall as one over the percentage.
"""
LONGEST_MM, SHORTEST_MM = 15.0, 90.0
"""Way of the longest and of the shortest length that is separated well, on a gel of 120 mm."""
CROWDED_LONG, CROWDED_SHORT = 3.0, 10.0
"""Millimetres for each power of ten in length beyond the longest and below the shortest."""
LADDERS: dict[str, Sequence[int]] = {
    "100bp": (1_517, 1_200, 1_000, 900, 800, 700, 600, 500, 400, 300, 200, 100),
    "1kb": (10_000, 8_000, 6_000, 5_000, 4_000, 3_000, 2_000, 1_500, 1_000, 500),
    "1kb_plus": (
        *(10_000, 8_000, 6_000, 5_000, 4_000, 3_000, 2_000, 1_500, 1_200),
        *(1_000, 900, 800, 700, 600, 500, 400, 300, 200, 100),
    ),
    "lambda_hindiii": (23_130, 9_416, 6_557, 4_361, 2_322, 2_027, 564, 125),
}
"""Ladder -> lengths of its bands in bases, longest first: those usual in the trade, and phage lambda cut with
HindIII."""


def separated(percent: float) -> tuple[float, float]:
    """Shortest and longest length in bases that a gel of this percentage separates well."""
    top, short, long = SEPARATED[-1]
    if percent >= top:
        return short * top / percent, long * top / percent
    for (low, short_low, long_low), (high, short_high, long_high) in pairwise(SEPARATED):
        if percent <= high:
            share = (percent - low) / (high - low)
            return short_low * (short_high / short_low) ** share, long_low * (long_high / long_low) ** share
    return float(short), float(long)


def distance_mm(length: int, percent: float) -> float:
    """Way of a linear fragment from the well, in millimetres, to a tenth."""
    short, long = separated(percent)
    if length >= long:
        way = LONGEST_MM - CROWDED_LONG * log10(length / long)
    elif length <= short:
        way = SHORTEST_MM + CROWDED_SHORT * log10(short / length)
    else:
        way = LONGEST_MM + (SHORTEST_MM - LONGEST_MM) * log10(long / length) / log10(long / short)
    return round(way, 1)
