"""The leaderboard: one table for each board, never mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fcbench.site.board_page import board_path
from fcbench.site.columns import DIAGNOSIS, Column
from fcbench.site.data import BoardRow, BoardView, Rate, SiteData
from fcbench.site.environment import render
from fcbench.site.figures import NOTHING, between, joined, rate_cell
from fcbench.site.numbers_page import known_columns, numbers_path, plain, run_anchor, value_of, written
from fcbench.site.pages import Asset, HubPage
from fcbench.site.slugs import compare_path, model_path, relative, slug
from fcbench.site.state import Change

PATH = "index.html"
MAX_CHANGES = 12
"""Changes that the page lists."""
NULL_CONTROLS = ("null", "control-null")
"""Names of the control that makes no call at all: what restraint costs nothing."""
_IN_WORDS = ("control", "incomplete", "engine ", "quantisation ", "template ", "deterministic ")
"""Badges that the row says in another place."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell as shown."""

    css: str
    text: str
    detail: str
    sort: str
    """Sort value; empty where the value is unknown."""
    is_main: bool


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row as shown."""

    row: BoardRow
    model_path: str
    numbers: str
    """Where the numbers of the run stand one by one."""
    rank: str
    tags: tuple[str, ...]
    settings: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class Head:
    """The title of a column."""

    column: Column
    css: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """One board as shown."""

    board: BoardView
    anchor: str
    is_open: bool
    """The first board of a collection; the others are folded."""
    heads: tuple[Head, ...]
    groups: tuple[tuple[str, int], ...]
    """(group, number of columns), in order."""
    ranked: tuple[Line, ...]
    controls: tuple[Line, ...]
    page: str
    """The board's own page."""
    compare: str
    """The page that compares two of its runs; empty where there is one run only."""
    best: str
    """The first run in words, for a folded board."""

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """(form, path) of the downloads."""
        return board_files(self.board)

    @property
    def short(self) -> str:
        """Name of the table in the page's address."""
        return self.anchor.rpartition("-")[2]


def board_files(board: BoardView) -> tuple[tuple[str, str], ...]:
    """(form, path) of the downloads of a board."""
    return tuple((form, f"boards/{slug(board.key.slug)}.{form.lower()}") for form in ("CSV", "Parquet", "JSON"))


def in_order(boards: Sequence[BoardView]) -> list[BoardView]:
    """Headline boards first, then other boards in production parity, then those where the harness steers."""
    return sorted(boards, key=lambda one: (not one.is_headline, one.steered, one.key.slug))


def leaderboard(data: SiteData, news: Sequence[Change] = ()) -> tuple[HubPage, tuple[Asset, ...]]:
    """The leaderboard page and the downloads beside it.

    Args:
        data: what the site shows.
        news: what changed since an earlier build.
    """
    tables = []
    collections: set[str] = set()
    for board in in_order(data.boards):
        collection = board.key.run.collection
        tables.append(_table(board, is_open=collection not in collections))
        collections.add(collection)
    body = render(
        "leaderboard",
        root=relative("", PATH),
        tables=tuple(tables),
        news=tuple(news[:MAX_CHANGES]),
        more_news=max(0, len(news) - MAX_CHANGES),
    )
    models = sum(not runs[0].is_control for runs in data.models.values())
    page = HubPage(
        path=PATH,
        title="Leaderboard",
        description=f"How well do language models call functions? {models} models on {len(tables)} boards, "
        "every number with the attempts behind it, round by round.",
        body=body,
    )
    return page, tuple(asset for table in tables for asset in _downloads(table))


def _downloads(table: Table) -> list[Asset]:
    files = table.board.files
    contents = {"CSV": files.csv, "Parquet": files.parquet, "JSON": files.json}
    return [Asset(path=path, content=contents[form]) for form, path in table.files]


def _table(board: BoardView, *, is_open: bool) -> Table:
    columns = known_columns(board)
    groups: dict[str, int] = {}
    for column in columns:
        groups[column.group] = groups.get(column.group, 0) + 1
    css = tuple(_css(columns, place) for place in range(len(columns)))
    numbers = numbers_path(board)
    lines = [_line(row, columns, css, numbers) for row in board.rows]
    ranked = tuple(line for line in lines if not line.row.control)
    return Table(
        board=board,
        anchor=slug(board.key.slug),
        is_open=is_open,
        heads=tuple(
            Head(column=column, css=one, note=_head_note(board, column))
            for column, one in zip(columns, css, strict=True)
        ),
        groups=tuple(groups.items()),
        ranked=ranked,
        controls=tuple(line for line in lines if line.row.control),
        page=board_path(board),
        compare=compare_path(board.key.slug) if len(board.rows) > 1 else "",
        best=_best(ranked),
    )


def _css(columns: Sequence[Column], place: int) -> str:
    column = columns[place]
    is_first = place == 0 or columns[place - 1].group != column.group
    grey = " fc-grey" if column.group == DIAGNOSIS else ""
    return "fc-num" + grey + (" fc-first" if is_first else "")


def _head_note(board: BoardView, column: Column) -> str:
    """What the control that makes no call has, beside the title of restraint: a model must beat it."""
    if column.name != "restraint_accuracy":
        return ""
    for row in board.rows:
        if row.control and row.model in NULL_CONTROLS:
            return f"null control: {written(value_of(row, column), column)}"
    return "no null control here"


def _best(ranked: Sequence[Line]) -> str:
    if not ranked:
        return "no model yet"
    first = ranked[0].row
    strict = first.rates.get("strict")
    shown = rate_cell(strict.value if strict else None).text
    return f"{len(ranked)} run{'' if len(ranked) == 1 else 's'}, best strict accuracy {shown}"


def _line(row: BoardRow, columns: Sequence[Column], css: Sequence[str], numbers: str) -> Line:
    return Line(
        row=row,
        model_path=model_path(row.model),
        numbers=f"{numbers}#{run_anchor(row)}",
        rank=_rank(row),
        tags=tuple(badge for badge in row.badges if not badge.startswith(_IN_WORDS)),
        settings="; ".join(badge for badge in row.badges if badge.startswith(_IN_WORDS[2:])),
        cells=tuple(_cell(row, column, one) for column, one in zip(columns, css, strict=True)),
    )


def _rank(row: BoardRow) -> str:
    """The interval of ranks that the tests leave open, or the one rank."""
    if row.rank is None:
        return "control" if row.control else "unranked"
    if row.rank_low is None or row.rank_high is None or row.rank_low == row.rank_high:
        return str(row.rank)
    return f"{row.rank_low}\N{EN DASH}{row.rank_high}"


def _cell(row: BoardRow, column: Column, css: str) -> Cell:
    value = value_of(row, column)
    rate = row.rates.get(column.name)
    counted = row.counts.get(column.name)
    if value is None:
        return Cell(css=css, text=NOTHING, detail="", sort="", is_main=False)
    return Cell(
        css=css,
        text=written(value, column, row.currency),
        detail=_detail(rate) if rate else "" if counted is None else f"of {counted:,}",
        sort=f"{value:.6g}",
        is_main=column.name == "strict",
    )


def _detail(rate: Rate) -> str:
    """Numerator, denominator and interval."""
    of = f"{plain(rate.numerator)} of {rate.denominator:,}" if rate.denominator else ""
    return joined((of, between(rate.low, rate.high)))
