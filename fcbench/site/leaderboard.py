"""The leaderboard: one table for each board, never mixed."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from fcbench.core.names import JsonValue
from fcbench.core.records import Record, to_plain
from fcbench.site.data import BoardRow, BoardView, Rate, SiteData
from fcbench.site.environment import render
from fcbench.site.pages import Asset, HubPage
from fcbench.site.slugs import model_path, relative, slug
from fcbench.site.text import pretty, seconds, visible

PATH = "index.html"


class Column(Record, frozen=True, kw_only=True):
    """One column of the tables."""

    name: str
    title: str
    help: str
    group: str
    """Columns of one group stand together, apart from the others."""
    unit: str = "rate"
    """`rate`, `share` (a mean of shares), `seconds` or `count`."""


CALLS, RESTRAINT, DIMENSIONS, DIAGNOSIS, EFFORT = "Calls", "Restraint", "Four dimensions", "Diagnosis only", "Effort"
COLUMNS = (
    Column(
        name="strict", title="Strict accuracy", group=CALLS, help="mean over call cases of the share of passing repeats"
    ),
    Column(
        name="recovered",
        title="With recovery",
        group=CALLS,
        help="also counts a rejected invalid call that was followed by a right one",
    ),
    Column(
        name="offered",
        title="Tools offered",
        group=CALLS,
        help="strict accuracy where retrieval offered every expected tool",
    ),
    Column(
        name="exact_match",
        title="Exact match",
        group=CALLS,
        help="conformance, fidelity and restraint of the call together",
    ),
    Column(
        name="restraint_accuracy",
        title="Restraint accuracy",
        group=RESTRAINT,
        help="cases where no call is due; compare it with the null control",
    ),
    Column(name="syntactic_validity", title="Syntax", group=DIMENSIONS, help="the arguments are one JSON object"),
    Column(
        name="schema_conformance",
        title="Schema",
        group=DIMENSIONS,
        help="the arguments validate; no call counts as not conforming",
    ),
    Column(
        name="argument_fidelity", title="Fidelity", group=DIMENSIONS, help="the values are those of the instruction"
    ),
    Column(name="restraint", title="Restraint", group=DIMENSIONS, help="nothing that the instruction does not support"),
    Column(
        name="partial",
        title="Partial score",
        group=DIAGNOSIS,
        unit="share",
        help="average partial score; it decides nothing",
    ),
    Column(
        name="tool_coverage",
        title="Tool coverage",
        group=DIAGNOSIS,
        unit="share",
        help="share of expected calls matched",
    ),
    Column(
        name="retrieval_recall",
        title="Retrieval recall",
        group=DIAGNOSIS,
        unit="share",
        help="share of expected tools among the candidates",
    ),
    Column(
        name="completion", title="Completion", group=EFFORT, help="share of planned attempts with a scorable outcome"
    ),
    Column(
        name="latency_p50_s",
        title="p50",
        group=EFFORT,
        unit="seconds",
        help="half of the attempts took at most so long",
    ),
    Column(
        name="latency_p95_s",
        title="p95",
        group=EFFORT,
        unit="seconds",
        help="95 % of the attempts took at most so long",
    ),
    Column(
        name="input_tokens",
        title="Tokens in",
        group=EFFORT,
        unit="count",
        help="sum over attempts whose provider counted them",
    ),
    Column(
        name="output_tokens",
        title="Tokens out",
        group=EFFORT,
        unit="count",
        help="sum over attempts whose provider counted them",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell as shown."""

    column: Column
    text: str
    detail: str
    sort: str
    """Sort value; empty where the value is unknown."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row as shown."""

    row: BoardRow
    model_path: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    """One board as shown."""

    board: BoardView
    anchor: str
    columns: tuple[Column, ...]
    groups: tuple[tuple[str, int], ...]
    """(group, number of columns), in order."""
    ranked: tuple[Line, ...]
    controls: tuple[Line, ...]
    csv: str
    json: str
    page: str
    """The board's own page."""


def leaderboard(data: SiteData) -> tuple[HubPage, tuple[Asset, ...]]:
    """The leaderboard page and the downloads beside it.

    Headline boards come first, then other boards in production parity, then those where the harness steers.
    """
    boards = sorted(data.boards, key=lambda one: (not one.is_headline, one.steered, one.key.slug))
    tables = tuple(_table(board) for board in boards)
    body = render("leaderboard", root=relative("", PATH), tables=tables, runs=len(data.runs), cases=len(data.cases))
    downloads = [
        asset
        for table in tables
        for asset in (
            Asset(path=table.csv, content=_csv(table.board)),
            Asset(path=table.json, content=_json(table.board)),
        )
    ]
    return HubPage(path=PATH, title="Leaderboard", body=body), tuple(downloads)


def _table(board: BoardView) -> Table:
    columns = tuple(column for column in COLUMNS if any(_known(row, column) for row in board.rows))
    groups: dict[str, int] = {}
    for column in columns:
        groups[column.group] = groups.get(column.group, 0) + 1
    lines = [_line(row, columns) for row in board.rows]
    name = slug(board.key.slug)
    return Table(
        board=board,
        anchor=name,
        columns=columns,
        groups=tuple(groups.items()),
        ranked=tuple(line for line in lines if not line.row.control),
        controls=tuple(line for line in lines if line.row.control),
        csv=f"boards/{name}.csv",
        json=f"boards/{name}.json",
        page=f"boards/{name}.html",
    )


def _known(row: BoardRow, column: Column) -> bool:
    if column.name in row.rates:
        return row.rates[column.name].value is not None
    return row.numbers.get(column.name) is not None


def _line(row: BoardRow, columns: tuple[Column, ...]) -> Line:
    return Line(row=row, model_path=model_path(row.model), cells=tuple(_cell(row, column) for column in columns))


def _cell(row: BoardRow, column: Column) -> Cell:
    rate = row.rates.get(column.name)
    value = rate.value if rate else row.numbers.get(column.name)
    if value is None:
        return Cell(column=column, text="–", detail="unknown", sort="")
    text = {
        "rate": f"{value * 100:.1f} %",
        "share": f"{value:.2f}",
        "seconds": seconds(value),
        "count": f"{value:,.0f}",
    }
    return Cell(
        column=column, text=text[column.unit], detail=_detail(rate, column) if rate else "", sort=f"{value:.9g}"
    )


def _detail(rate: Rate, column: Column) -> str:
    """Numerator, denominator and interval."""
    parts = []
    if rate.numerator is not None and rate.denominator is not None:
        parts.append(f"{rate.numerator:.2f}".rstrip("0").rstrip(".") + f" of {rate.denominator}")
    if rate.low is not None and rate.high is not None:
        parts.append(f"{rate.low * 100:.1f}\N{EN DASH}{rate.high * 100:.1f}")
    return ", ".join(parts)


def _plain_row(row: BoardRow) -> dict[str, JsonValue]:
    plain: dict[str, JsonValue] = {
        "rank": row.rank,
        "model": visible(row.model),
        "run_id": visible(row.run_id),
        "control": row.control,
        "complete": row.complete,
        "repeats": row.repeats,
        "date": visible(row.date),
        "badges": "; ".join(visible(badge) for badge in row.badges),
    }
    for column in COLUMNS:
        rate = row.rates.get(column.name)
        if rate is None:
            plain[column.name] = row.numbers.get(column.name)
            continue
        plain |= {column.name: rate.value, f"{column.name}_sum": rate.numerator, f"{column.name}_n": rate.denominator}
        if rate.low is not None:
            plain |= {f"{column.name}_low": rate.low, f"{column.name}_high": rate.high}
    return plain


def _csv(board: BoardView) -> bytes:
    rows = [_plain_row(row) for row in board.rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_csv_cell(row.get(name)) for name in names])
    return stream.getvalue().encode()


def _csv_cell(value: JsonValue) -> JsonValue:
    """A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t"):
        return "'" + value
    return "" if value is None else value


def _json(board: BoardView) -> bytes:
    plain = {"board": to_plain(board.key), "rows": [_plain_row(row) for row in board.rows]}
    return pretty(plain).encode("utf-8", "replace") + b"\n"
