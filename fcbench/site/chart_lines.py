"""Lines over a few places: the repair curve, and scores over the runs of one model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fcbench.site.chart_bars import percent
from fcbench.site.chart_canvas import WIDTH, Canvas, ChartHead, Words

_LEFT, _RIGHT, _TOP, _BOTTOM, HEIGHT = 46.0, 340.0, 12.0, 168.0, 200.0
_APART = 11.0
"""Least distance of two letters at the end of lines."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """One line; its letter stands at its end."""

    letter: str
    values: tuple[float | None, ...]
    """Rates between 0 and 1, one a place; None leaves a gap."""
    control: bool = False


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How scores lie in one run: quantiles, and the rate that counts with its interval."""

    label: str
    quantiles: tuple[float, float, float, float, float]
    """At 10, 25, 50, 75 and 90 %."""
    rate: float | None
    low: float | None
    high: float | None


def _y(value: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * min(1.0, max(0.0, value)), 2)


def _frame(canvas: Canvas, places: Sequence[tuple[float, str]]) -> None:
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        canvas.line([(_LEFT, _y(value)), (_RIGHT, _y(value))], "grid", width=0.8)
        canvas.words(Words(text=percent(value), at=(_LEFT - 6, _y(value) + 4), ink="soft", size=10, anchor="end"))
    for x, label in places:
        canvas.words(Words(text=label, at=(x, _BOTTOM + 18), ink="soft", size=10, anchor="middle", limit=18))


def line_chart(head: ChartHead, labels: Sequence[str], series: Sequence[Series]) -> Markup:
    """Lines as SVG: places from left to right, one line a run."""
    canvas = Canvas(head, HEIGHT)
    first, last = _LEFT + 24, _RIGHT - 56
    step = (last - first) / max(1, len(labels) - 1)
    places = [round(first + step * number, 2) for number in range(len(labels))]
    _frame(canvas, list(zip(places, labels, strict=True)))
    ends: list[tuple[float, str]] = []
    for one in series:
        points = [(x, _y(value)) for x, value in zip(places, one.values, strict=True) if value is not None]
        ink = "control" if one.control else "bar"
        if len(points) > 1:
            canvas.line(points, ink, width=1.6, dashed=one.control)
        for point in points:
            canvas.dot(point, 3, ink)
        if points:
            ends.append((points[-1][1], one.letter))
    _letters(canvas, ends, last + 10)
    return canvas.svg()


def _letters(canvas: Canvas, ends: list[tuple[float, str]], x: float) -> None:
    """Letters at the ends of lines; those of one height share a line, and lines keep apart."""
    shared: dict[float, list[str]] = {}
    for y, letter in sorted(ends):
        shared.setdefault(y, []).append(letter)
    least = _TOP
    for y, letters in shared.items():
        least = max(y, least)
        canvas.words(Words(text=" ".join(letters), at=(x, least + 4), size=11, bold=True, limit=12))
        least += _APART


def spread_chart(head: ChartHead, spreads: Sequence[Spread]) -> Markup:
    """How the scores lie in each run, in the order of their dates: a box, its median, and a dot for the rate."""
    canvas = Canvas(head, HEIGHT)
    step = (_RIGHT - _LEFT) / max(1, len(spreads))
    places = [round(_LEFT + step * (number + 0.5), 2) for number in range(len(spreads))]
    every = max(1, -(-len(spreads) * 66 // int(WIDTH - _LEFT)))
    shown = [(x, spreads[number].label if number % every == 0 else "") for number, x in enumerate(places)]
    _frame(canvas, shown)
    half = min(13.0, step / 4)
    for x, one in zip(places, spreads, strict=True):
        low, first, median, third, high = (_y(value) for value in one.quantiles)
        left = x - half / 2 - 3
        canvas.line([(left, low), (left, high)], "soft", width=1)
        canvas.rectangle((left - half / 2, third), (half, max(1.0, first - third)), "control")
        canvas.line([(left - half / 2 - 2, median), (left + half / 2 + 2, median)], "ink", width=2)
        if one.rate is None:
            continue
        right = x + half / 2 + 3
        if one.low is not None and one.high is not None:
            canvas.line([(right, _y(one.low)), (right, _y(one.high))], "ink", width=1.4)
        canvas.dot((right, _y(one.rate)), 3.6, "bar")
    return canvas.svg()
