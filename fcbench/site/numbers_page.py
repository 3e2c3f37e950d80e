"""The numbers of a board: every value of every run with its numerator, its denominator and what it counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcbench.core.records import to_plain
from fcbench.site.board_page import board_path
from fcbench.site.columns import COLUMNS, Column
from fcbench.site.data import BoardRow, BoardView, SiteData
from fcbench.site.environment import render
from fcbench.site.figures import NOTHING, between
from fcbench.site.pages import LeanPage, key_of
from fcbench.site.slugs import model_path, relative, slug
from fcbench.site.text import seconds


@dataclass(frozen=True, kw_only=True)
class NumberLine:
    """One number of one run."""

    column: Column
    value: str
    numerator: str
    denominator: str
    interval: str


@dataclass(frozen=True, kw_only=True)
class RunNumbers:
    """All numbers of one run."""

    row: BoardRow
    anchor: str
    model_path: str
    lines: tuple[NumberLine, ...]


def numbers_path(board: BoardView) -> str:
    """Page of a board's numbers, beside the board's own."""
    return f"boards/{slug(board.key.slug)}-numbers.html"


def run_anchor(row: BoardRow) -> str:
    """Where the numbers of a run stand on that page."""
    return f"run-{slug(row.run_id)}"


def written(value: float | None, column: Column, currency: str = "") -> str:
    """A number as a table shows it."""
    if value is None:
        return NOTHING
    if column.unit == "seconds":
        return seconds(value)
    if column.unit == "money":
        return f"{value:.3g} {currency}".strip()
    return {"rate": f"{value * 100:.1f} %", "share": f"{value:.2f}", "count": f"{value:,.0f}"}[column.unit]


def value_of(row: BoardRow, column: Column) -> float | None:
    """The number of a run in a column; None is unknown."""
    rate = row.rates.get(column.name)
    return rate.value if rate else row.numbers.get(column.name)


def known_columns(board: BoardView) -> tuple[Column, ...]:
    """Columns that at least one run of the board has a number for."""
    return tuple(column for column in COLUMNS if any(value_of(row, column) is not None for row in board.rows))


def plain(number: float | None) -> str:
    """A numerator: whole, or with at most two decimals where cases have repeats."""
    return "" if number is None else f"{number:,.2f}".rstrip("0").rstrip(".")


def numbers_pages(data: SiteData) -> Iterator[LeanPage]:
    """One page for each board, not yet rendered."""
    for board in data.boards:
        yield _page(board)


def _page(board: BoardView) -> LeanPage:
    path = numbers_path(board)
    name = slug(board.key.slug)
    return LeanPage(
        path=path,
        title=f"Numbers of {name}",
        description=f"Every number of the board {name} with its numerator and denominator.",
        key=key_of("numbers", to_plain(board.key), board.rows),
        body=lambda: render(
            "numbers",
            root=relative("", path),
            board=board,
            board_path=board_path(board),
            anchor=name,
            runs=tuple(_run(row, known_columns(board)) for row in board.rows),
        ),
    )


def _run(row: BoardRow, columns: tuple[Column, ...]) -> RunNumbers:
    return RunNumbers(
        row=row,
        anchor=run_anchor(row),
        model_path=model_path(row.model),
        lines=tuple(_line(row, column) for column in columns),
    )


def _line(row: BoardRow, column: Column) -> NumberLine:
    rate = row.rates.get(column.name)
    counted = row.counts.get(column.name)
    value = written(value_of(row, column), column, row.currency)
    if rate is None:
        over = "" if counted is None else f"{counted:,} attempts"
        return NumberLine(column=column, value=value, numerator="", denominator=over, interval="")
    denominator = "" if rate.denominator is None else f"{rate.denominator:,}"
    return NumberLine(
        column=column,
        value=value,
        numerator=plain(rate.numerator) if rate.denominator else "",
        denominator=denominator,
        interval=between(rate.low, rate.high),
    )
