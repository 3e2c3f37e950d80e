"""Points over a plane: what a success costs against how often there is one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fcbench.site.chart_bars import percent
from fcbench.site.chart_canvas import Canvas, ChartHead, Words

_LEFT, _RIGHT, _TOP, _BOTTOM, HEIGHT = 46.0, 336.0, 12.0, 192.0, 242.0
_LEAST = 1e-12
"""An amount below this is drawn as nought."""
_APART = 11.0
"""Least distance of two letters, in both directions."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One run."""

    letter: str
    x: float
    """Not below 0."""
    y: float
    """A rate."""
    control: bool = False


def scatter_chart(head: ChartHead, points: Sequence[Point], axis: str) -> Markup:
    """Rates over an amount as SVG.

    Args:
        head: name and description.
        points: at least one.
        axis: what the amount is, in a few words.
    """
    canvas = Canvas(head, HEIGHT)
    end = round_up(max(one.x for one in points))
    for rate in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(rate)
        canvas.line([(_LEFT, y), (_RIGHT, y)], "grid", width=0.8)
        canvas.words(Words(text=percent(rate), at=(_LEFT - 6, y + 4), ink="soft", size=10, anchor="end"))
    for part in (0.0, 0.5, 1.0):
        x = _x(part * end, end)
        canvas.line([(x, _TOP), (x, _BOTTOM)], "grid", width=0.8)
        text = amount(part * end)
        canvas.words(Words(text=text, at=(x, _BOTTOM + 16), ink="soft", size=10, anchor="middle", limit=14))
    canvas.words(Words(text=axis, at=((_LEFT + _RIGHT) / 2, _BOTTOM + 36), ink="soft", size=11, anchor="middle"))
    taken: list[tuple[float, float]] = []
    for one in points:
        x, y = _x(one.x, end), _y(one.y)
        canvas.dot((x, y), 4, "control" if one.control else "bar")
        place = _free(x, y, taken)
        taken.append(place)
        canvas.words(Words(text=one.letter, at=(place[0], place[1] + 4), bold=True, limit=3))
    return canvas.svg()


def _free(x: float, y: float, taken: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """A place beside a point where no other letter stands."""
    for dx, dy in ((7, 0), (-15, 0), (7, -11), (7, 11), (-15, -11), (-15, 11), (18, 0)):
        place = (x + dx, min(_BOTTOM - 4, max(_TOP + 4, y + dy)))
        if all(abs(place[0] - other[0]) >= _APART or abs(place[1] - other[1]) >= _APART for other in taken):
            return place
    return (x + 7, y)


def _x(value: float, end: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * min(1.0, value / end), 2)


def _y(rate: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * min(1.0, max(0.0, rate)), 2)


def round_up(value: float) -> float:
    """The end of a scale that holds an amount: 1, 2 or 5 times a power of ten."""
    if value < _LEAST:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(float(step * power) for step in (1, 2, 5, 10) if value <= step * power * (1 + 1e-9))


def amount(value: float) -> str:
    """An amount in few letters."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"
