"""Bars and ranges: rates with their intervals, in groups one below the other.

The name of a group stands above its bars, so that long names fit on a telephone. A bar of a control has a broken
outline and no filling; which run a bar belongs to is said by a letter, never by a colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fcbench.site.chart_canvas import WIDTH, Canvas, ChartHead, Words

LEFT, RIGHT = 20.0, 300.0
"""Where the scale begins and ends."""
_HEADING, _ROW, _GAP, _FOOT, _TOP = 16.0, 15.0, 6.0, 20.0, 4.0


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One rate; all numbers between 0 and 1."""

    letter: str
    """The run's letter; empty where a group is one run."""
    value: float | None
    """None draws nothing: unknown is not zero."""
    text: str
    low: float | None = None
    high: float | None = None
    hollow: bool = False
    dot: bool = False
    """Whether the value is a dot on its interval instead of a bar from zero."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Bars that stand together."""

    heading: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The scale below the bars."""

    end: float = 1.0
    """The rate at its right end."""
    threshold: float | None = None
    """A rate that gets a line of its own."""
    right: float = RIGHT


def bar_chart(head: ChartHead, groups: Sequence[Group], scale: Scale | None = None) -> Markup:
    """Groups of bars as SVG."""
    scale = scale or Scale()
    rows = sum(len(group.bars) for group in groups)
    height = _TOP + len(groups) * (_HEADING + _GAP) + rows * _ROW + _FOOT
    canvas = Canvas(head, height)
    top = _TOP
    for group in groups:
        canvas.words(Words(text=group.heading, at=(0, top + 11), bold=True, limit=52))
        top += _HEADING
        _lines(canvas, scale, top, top + len(group.bars) * _ROW)
        for bar in group.bars:
            _bar(canvas, bar, top, scale)
            top += _ROW
        top += _GAP
    _labels(canvas, scale, height - _FOOT)
    return canvas.svg()


def _x(value: float, scale: Scale) -> float:
    return round(LEFT + (scale.right - LEFT) * min(1.0, max(0.0, value / scale.end)), 2)


def _lines(canvas: Canvas, scale: Scale, top: float, bottom: float) -> None:
    """The lines of the scale behind one group; its heading stays free of them."""
    for part in (0.0, 0.5, 1.0):
        x = _x(part * scale.end, scale)
        canvas.line([(x, top), (x, bottom)], "grid", width=0.8)
    if scale.threshold is not None:
        x = _x(scale.threshold, scale)
        canvas.line([(x, top - 1), (x, bottom)], "ink", width=1, dashed=True)


def _labels(canvas: Canvas, scale: Scale, top: float) -> None:
    for part, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        place = (_x(part * scale.end, scale), top + 12)
        canvas.words(Words(text=percent(part * scale.end), at=place, ink="soft", size=10, anchor=anchor))


def _bar(canvas: Canvas, bar: Bar, top: float, scale: Scale) -> None:
    middle, left = top + _ROW / 2, _x(0, scale)
    if bar.letter:
        canvas.words(Words(text=bar.letter, at=(14, middle + 4), ink="soft", size=10, anchor="end", limit=3))
    if bar.value is not None:
        x = _x(bar.value, scale)
        if not bar.dot and x > left:
            ink = "control" if bar.hollow else "bar"
            canvas.rectangle((left, middle - 5), (x - left, 10), ink, hollow=bar.hollow)
        elif not bar.dot:
            canvas.line([(left, middle - 5), (left, middle + 5)], "ink", width=2)
        if bar.low is not None and bar.high is not None:
            ends = (_x(bar.low, scale), _x(bar.high, scale))
            canvas.line([(ends[0], middle), (ends[1], middle)], "ink", width=1.4)
            for end in ends:
                canvas.line([(end, middle - 3), (end, middle + 3)], "ink", width=1.4)
        if bar.dot:
            canvas.dot((x, middle), 3.4, "control" if bar.hollow else "bar")
    canvas.words(Words(text=bar.text, at=(WIDTH, middle + 4), anchor="end", limit=30))


def percent(value: float) -> str:
    """A rate in per cent, without needless decimals."""
    return f"{value * 100:.1f}".rstrip("0").rstrip(".") + " %"
