"""Figures: a chart and, beside it, its numbers as a table. Plain records that one template part renders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fcbench.site.chart_bars import percent

NOTHING = "–"
"""What a table shows for unknown, which is not zero."""
HEAT_STEPS = 5


@dataclass(frozen=True, kw_only=True)
class CellView:
    """One cell of a table."""

    text: str
    detail: str = ""
    href: str = ""
    """From our own path functions; empty for plain text."""
    css: str = ""
    is_number: bool = True


@dataclass(frozen=True, kw_only=True)
class TableView:
    """A table with a caption; the first cell of each row is its header."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[CellView, ...], ...]
    left_out: int = 0
    """Rows beyond the limit of a static table."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One section of a page."""

    anchor: str
    title: str
    note: str
    """Says in plain words what is shown and how to read it."""
    tables: tuple[TableView, ...]
    chart: Markup | None = None
    more: tuple[str, str] | None = None
    """Words and path of a page that says more."""


def name_cell(text: str, href: str = "", detail: str = "") -> CellView:
    """The header of a row."""
    return CellView(text=text, href=href, detail=detail, is_number=False)


def rate_cell(value: float | None, detail: str = "", *, heat: bool = False) -> CellView:
    """A rate in per cent; where `heat` is set its background says it once more."""
    if value is None:
        return CellView(text=NOTHING, detail=detail or "unknown")
    css = f"fc-heat-{min(HEAT_STEPS - 1, int(value * HEAT_STEPS))}" if heat else ""
    return CellView(text=percent(value), detail=detail, css=css)


def of(total: float | None, count: int) -> str:
    """Numerator and denominator in words."""
    return f"{total:.2f}".rstrip("0").rstrip(".") + f" of {count}" if total is not None and count else "no case"


def between(low: float | None, high: float | None) -> str:
    """An interval in per cent, without the sign."""
    if low is None or high is None:
        return ""
    return f"{low * 100:.1f}\N{EN DASH}{high * 100:.1f}"


def joined(parts: Iterable[str]) -> str:
    """Details of a cell, in one text."""
    return ", ".join(part for part in parts if part)


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[CellView]], limit: int = 500) -> TableView:
    """A table of at most `limit` rows."""
    every = [tuple(row) for row in rows]
    return TableView(
        caption=caption, columns=tuple(columns), rows=tuple(every[:limit]), left_out=max(0, len(every) - limit)
    )
